"""Rename a column wherever the notebook names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.refactoring.cell_tree import Place
from spark_jupyter.refactoring.changes import Changes, changed
from spark_jupyter.refactoring.column_references import Column, Columns
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.refactoring.rename import rewording
from spark_jupyter.source.splices import Splice


def respelled(column: Column, source: str, new: str) -> Splice:
    """Splice that renames a column in one place."""
    place = column.place
    if column.form == "query":
        return Splice(place.start, place.end, new if new.isidentifier() else f"`{new}`")
    if column.form == "string" or new.isidentifier():
        return Splice(place.start, place.end, new)
    if column.form == "attribute":
        dot = source.rindex(".", 0, place.start)
        return Splice(dot, place.end, f'["{new}"]')
    raise RefactoringError(
        f"`{new}` can't be used as a keyword argument.", remedy="Choose a name of letters, digits and _."
    )


def check_column(new: str) -> None:
    """Raise :class:`~spark_jupyter.exceptions.RefactoringError` unless a string can be renamed to ``new`` directly."""
    if not new or re.search(r"[\"'\\\n`{}]", new):
        raise RefactoringError("A column's new name may have no quotes, braces or backslashes here.")


def rename_column(cells: Sequence[NotebookCell], table: str, old: str, new: str) -> Changes:
    """Rename the column ``old`` of a ``table`` to ``new`` in all cells. Where it comes from outside of the notebook, it is renamed below
    the line that reads the table.

    Raises :class:`~spark_jupyter.exceptions.RefactoringError` where no cell names such a column, or one is called ``new`` already."""
    check_column(new)
    book = Book(cells)
    columns = Columns(book, table)
    of_old = columns.of(old)
    if not of_old:
        raise RefactoringError(f"No cell names a column `{old}` of `{table}`.", remedy="Say table.column.")
    if columns.of(new):
        raise RefactoringError(f"`{table}` has a column `{new}` already.", remedy="Choose another name.")
    splices: dict[CellId, list[Splice]] = {leaf.id: [] for leaf in book.leaves}
    for column in of_old:
        splices[column.cell].append(respelled(column, book.leaf(column.cell).cell.source, new))
    for leaf, splice in _joined(columns, old, new):
        splices[leaf.id].append(splice)
    notes = [f"`{name}` is called with other tables, too: look at it." for name in sorted(columns.frames.shared)]
    if not _is_made_here(of_old):
        for leaf, splice in _renamed_at_source(book, table, old, new):
            splices[leaf.id].append(splice)
            notes.append(f"`{old}` comes from outside, so {book.called(leaf.id).lower()} renames it where it is read.")
    return Changes(
        words=f"Renamed the column `{old}` of `{table}` to `{new}`",
        sources=changed(cells, splices),
        notes=(*dict.fromkeys(notes), *book.left(old, outputs=False)),  # a table's output names its columns always
        offers=rewording(cells, old, new),
    )


def _is_made_here(found: Sequence[Column]) -> bool:
    """True if the first mention of a column defines it and does not read it."""
    first = found[0]
    same = [one for one in found if (one.cell, one.statement) == (first.cell, first.statement)]
    return any(one.defines for one in same) and not any(not one.defines for one in same)


def _renamed_at_source(book: Book, table: str, old: str, new: str) -> Iterator[tuple[Leaf, Splice]]:
    """Rename the column below each line that reads the table."""
    for leaf in book.leaves:
        for statement in leaf.page.statements:
            if not isinstance(statement, cst.SimpleStatementLine):
                continue
            for part in statement.body:
                if isinstance(part, cst.Assign) and _reads(part, table, leaf):
                    end = leaf.page.whole_lines(leaf.page.place(statement)).end
                    end -= leaf.cell.source[end - 1 : end] == "\n"
                    call = f'{{"{old}": "{new}"}}'
                    polars = leaf.page.text(part.value).startswith(("pl.", "polars."))
                    given = call if polars else f"columns={call}"
                    yield leaf, Splice(end, end, f"\n{table} = {table}.rename({given})")


def _reads(node: cst.Assign, table: str, leaf: Leaf) -> bool:
    """True if the table is assigned a value that is not made of it."""
    place = leaf.page.place(node.value)
    again = any(place.start <= use.place.start < place.end for use in leaf.names.of(table))
    return any(isinstance(one.target, cst.Name) and one.target.value == table for one in node.targets) and not again


def _joined(columns: Columns, old: str, new: str) -> Iterator[tuple[Leaf, Splice]]:
    """``on="old"`` with another table, which keeps its name."""
    for leaf, call in columns.joins:
        if call.args and columns.frames.what(leaf, call.args[0].value) == "table":
            continue
        for arg in call.args:
            if arg.keyword is None or not isinstance(arg.value, cst.SimpleString) or arg.value.evaluated_value != old:
                continue
            place, quote = leaf.page.place(arg.keyword), arg.value.quote
            whole = Place(place.start, leaf.page.place(arg.value).end)
            if arg.keyword.value == "on":
                text = f"left_on={quote}{new}{quote}, right_on={quote}{old}{quote}"
                yield leaf, Splice(whole.start, whole.end, text)
            elif arg.keyword.value == "left_on":
                yield leaf, Splice(whole.start, whole.end, f"left_on={quote}{new}{quote}")


def tables_with(cells: Sequence[NotebookCell], column: str) -> tuple[str, ...]:
    """Tables of which a cell names that column, without those derived from another one."""
    book = Book(cells)
    found = {name: Columns(book, name, column) for name in sorted(book.bound) if _may_be_table(book, name)}
    found = {name: columns for name, columns in found.items() if columns.found}
    made = {symbol.name for name, columns in found.items() for symbol in columns.frames.held if symbol.name != name}
    return tuple(name for name in found if name not in made) or tuple(found)[:1]


def _may_be_table(book: Book, name: str) -> bool:
    if any(use.kind in ("import", "define") for _, use in book.uses(name)):
        return False
    return any(re.search(rf"(?<!\w){re.escape(name)}\s*[\[.]", leaf.cell.source) for leaf in book.leaves)
