"""Next edits by syntax tree, after an edit of one cell.

They are in the same cell and in others; where the tree is unclear there are none.

It is read off the syntax trees before and after: a variable that is called otherwise where it gets its value, a parameter, a signature, an
import, a column where it comes to be. What an edit means in any other way is not guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import libcst as cst
from msgspec import structs

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.refactoring.cell_tree import Page, Place, page
from spark_jupyter.refactoring.changes import Changes, changed
from spark_jupyter.refactoring.column_references import Column, Columns
from spark_jupyter.refactoring.edit_difference import Difference, Swap, difference
from spark_jupyter.refactoring.import_edits import follow_import, imported
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.refactoring.rename import renamed
from spark_jupyter.refactoring.rename_column import check_column, respelled
from spark_jupyter.refactoring.scopes import BINDS, Use, names
from spark_jupyter.refactoring.signature_edits import follow_signature
from spark_jupyter.source.splices import Splice

LONGEST = 400_000
"""Longest notebook, in characters, in which next edits are sought."""

_MOST_TABLES = 8
"""Most variables whose columns are sought, those of the changed statement first: each needs a pass over the notebook."""

Splices = dict[CellId, list[Splice]]


def follow(
    cells: Sequence[NotebookCell],
    cell_id: CellId,
    before: str,
    *,
    known: Mapping[str, frozenset[str]] | None = None,
    stale: Callable[[], bool] = lambda: False,
) -> Changes | None:
    """Find the edits that should follow a change of a cell whose text was ``before``; None if there are none. ``known`` are the tables of
    the kernel by their names, with their columns. ``stale`` says that nobody waits for it any more.

    Nothing is said where the cell does not parse, before or now."""
    if sum(len(cell.source) for cell in cells) > LONGEST:
        return None
    book = Book(cells)
    leaf = next((one for one in book.leaves if one.id == cell_id), None)
    old = page(before)
    if leaf is None or leaf.page.tree is None or old.tree is None or before == leaf.cell.source:
        return None
    edit = difference(old, leaf.page)
    beside = _Beside(known or {}, stale)
    for look in (_signatures, _variables, _imports, _columns):
        if stale():
            return None
        try:
            changes = look(book, leaf, old, edit, beside)
        except RefactoringError:
            return None  # this change would break something
        if changes is not None and _parse(changes):
            return changes
    return None


class _Beside(NamedTuple):
    """Knowledge beside the notebook: the ``tables`` of the kernel with their columns, and if anybody still waits."""

    tables: Mapping[str, frozenset[str]]
    stale: Callable[[], bool]


def _parse(changes: Changes) -> bool:
    return bool(changes.sources) and all(page(source).tree is not None for source in changes.sources.values())


def _found(book: Book, splices: Splices, words: str) -> Changes | None:
    sources = changed(book.cells, splices)
    return Changes(words=words, sources=sources) if sources else None


# --- Variables -------------------------------------------------------------------------------------------------------


def _variables(book: Book, leaf: Leaf, old: Page, edit: Difference, beside: _Beside) -> Changes | None:
    """Follow a variable renamed where it gets its value."""
    for swap in edit.swaps:
        was = names(old.source).at(swap.before)
        now = leaf.names.at(swap.after)
        if was is None or now is None or was.kind not in BINDS or now.kind != was.kind:
            continue
        if not _consistent(edit.swaps, swap):
            return None
        splices = _notebooks(book, leaf, was, now) if not was.scope and not now.scope else _locals(leaf, was, now)
        return _found(book, splices, f"rename `{swap.old}` to `{swap.new}`")
    return None


def _consistent(swaps: Sequence[Swap], of: Swap) -> bool:
    """True if nothing else was exchanged, and the name always for the same one."""
    return all((swap.old, swap.new) == (of.old, of.new) for swap in swaps)


def _notebooks(book: Book, leaf: Leaf, was: Use, now: Use) -> Splices:
    """Rename the uses of a notebook variable, up to a new value of the same name."""
    here = book.at(leaf.id, now.place.start)
    if any(one is not leaf or use.place.start < now.place.start for one, use in book.uses(now.name)):
        return {}  # the new name stands for something else already: in another cell, or above
    end = (len(book.leaves), 0)
    for one, use in book.uses(was.name):
        place = book.at(one.id, use.place.start)
        if use.kind in BINDS and not _reads_itself(one, use):
            if place < here:
                return {}  # the name was another value's before
            end = min(end, place)
    splices: Splices = {}
    for one in book.leaves:
        for splice in renamed(one, was.name, now.name):
            place = book.at(one.id, splice.start)
            if place < end and (place > here or _inside_function(one, splice.start)):
                splices.setdefault(one.id, []).append(splice)
    return splices


def _reads_itself(leaf: Leaf, use: Use) -> bool:
    """``df = df.dropna()`` gives the name no other meaning."""
    if use.kind == "change":
        return True
    for statement in leaf.page.statements:
        place = leaf.page.place(statement)
        if place.start <= use.place.start < place.end:
            inside = [one for one in leaf.names.of(use.name) if place.start <= one.place.start < place.end]
            return use.kind == "write" and any(one.kind == "read" for one in inside)
    return False


def _inside_function(leaf: Leaf, offset: int) -> bool:
    """True inside a function, whose names are read when it is called."""
    use = next((one for one in leaf.names.uses if one.place.start == offset), None)
    return use is not None and use.inside != use.scope


def _locals(leaf: Leaf, was: Use, now: Use) -> Splices:
    """Rename the other uses of a parameter or a local variable in its function."""
    if not (was.scope and now.scope):
        return {}
    if len(leaf.names.of(now.name, now.scope)) > len(leaf.names.bindings(now.name, now.scope)) and leaf.names.of(
        was.name, now.scope
    ):
        return {}  # both names are in use
    left = [use for use in leaf.names.uses if use.name == was.name and leaf.names.is_within(use.inside, now.scope)]
    if any(use.kind in BINDS and use.scope == now.scope and not _reads_itself(leaf, use) for use in left):
        left = [use for use in left if use.scope == now.scope]
        if any(use.kind == "parameter" for use in left):
            return {}
    reached = [use for use in left if use.scope in (0, now.scope)]
    return {leaf.id: [Splice(use.place.start, use.place.end, now.name) for use in reached]}


# --- Signatures and imports --------------------------------------------------------------------------------------------


def _signatures(book: Book, leaf: Leaf, old: Page, edit: Difference, beside: _Beside) -> Changes | None:
    """Follow a change of a function's parameters: its callers, and old names left in its body."""
    for pair in edit.changed:
        before, after = pair.before, pair.after
        if not (isinstance(before, cst.FunctionDef) and isinstance(after, cst.FunctionDef)):
            continue
        if before.name.value != after.name.value or len(leaf.names.bindings(after.name.value)) > 1:
            continue
        splices = follow_signature(book, before, after)
        of_body = _variables(book, leaf, old, edit, beside)
        body = _body(leaf, old, edit) if of_body is not None else []
        if splices:
            if body:
                splices.setdefault(leaf.id, []).extend(body)
            return _found(book, splices, f"follow the new signature of `{after.name.value}`")
    return None


def _body(leaf: Leaf, old: Page, edit: Difference) -> list[Splice]:
    for swap in edit.swaps:
        was = names(old.source).at(swap.before)
        now = leaf.names.at(swap.after)
        if was is not None and now is not None and was.kind == "parameter" == now.kind:
            return _locals(leaf, was, now).get(leaf.id, [])
    return []


def _imports(book: Book, leaf: Leaf, old: Page, edit: Difference, beside: _Beside) -> Changes | None:
    """Follow an import that binds other names."""
    before, after = imported(old), imported(leaf.page)
    if before == after or not set(before) - set(after) or not set(after) - set(before):
        return None
    return _found(book, follow_import(book, before, after), "follow the changed import")


# --- Columns ---------------------------------------------------------------------------------------------------------


def _columns(book: Book, leaf: Leaf, old: Page, edit: Difference, beside: _Beside) -> Changes | None:
    """Follow a column renamed in its definition, in ``rename``, or after a typing error."""
    then = Book([structs.replace(cell, source=old.source) if cell.id == leaf.id else cell for cell in book.cells])
    swaps = {(_text(swap.old), _text(swap.new)) for swap in edit.swaps}
    ((before, after),) = swaps if len(swaps) == 1 else {("", "")}
    if before and any(before in one.cell.source for one in book.leaves):
        said = " ".join(old.text(pair.before) for pair in edit.changed)
        tables = sorted(_tables(then, then.leaf(leaf.id)), key=lambda table: table not in said)
        for table in tables[:_MOST_TABLES]:
            if beside.stale():
                return None
            found = _column(book, then, leaf, edit, (table, before, after), beside.tables)
            if found is not None:
                return found
    return _renamed_from_now_on(book, leaf, edit)


def _column(
    book: Book,
    then: Book,
    leaf: Leaf,
    edit: Difference,
    what: tuple[str, str, str],
    known: Mapping[str, frozenset[str]],
) -> Changes | None:
    table, before, after = what
    was = {column.place: column for column in Columns(then, table, before).of(before) if column.cell == leaf.id}
    places = [swap.before for swap in edit.swaps]
    touched = [column for place, column in was.items() if any(_overlap(place, one) for one in places)]
    if len(touched) != len(places) or not touched:
        return None
    now = Columns(book, table)
    left, fresh = now.of(before), now.of(after)
    makes = any(column.defines for column in touched)
    mended = after in known.get(table, frozenset()) and before not in known.get(table, frozenset())
    if not left or (len(fresh) > len(touched) and not mended):
        return None
    if not mended and (not makes or any(column.defines for column in left) or _is_above(book, left, leaf, edit)):
        return None
    check_column(after)
    return _spelled(book, left, after, f"rename the column `{before}` of `{table}` to `{after}`")


def _is_above(book: Book, left: Sequence[Column], leaf: Leaf, edit: Difference) -> bool:
    """True if the old name was read before it was defined: then it existed without the definition."""
    here = book.at(leaf.id, min(swap.after.start for swap in edit.swaps))
    return any(book.at(column.cell, column.place.start) < here for column in left)


def _spelled(book: Book, left: Sequence[Column], new: str, words: str) -> Changes | None:
    splices: Splices = {}
    for column in left:
        source = book.leaf(column.cell).cell.source
        splices.setdefault(column.cell, []).append(respelled(column, source, new))
    return _found(book, splices, words)


def _renamed_from_now_on(book: Book, leaf: Leaf, edit: Difference) -> Changes | None:
    """``df = df.rename(columns={"old": "new"})`` has come: what is below says the new name."""
    for statement in edit.added:
        for table, mapping in _renames(leaf, statement):
            end = leaf.page.place(statement).end
            splices: Splices = {}
            columns = Columns(book, table)
            for before, after in mapping.items():
                check_column(after)
                for column in columns.of(before):
                    if book.at(column.cell, column.place.start) > book.at(leaf.id, end):
                        source = book.leaf(column.cell).cell.source
                        splices.setdefault(column.cell, []).append(respelled(column, source, after))
            named = " and ".join(f"`{before}`" for before in mapping)
            if splices:
                return _found(book, splices, f"use the new name of {named} below")
    return None


def _renames(leaf: Leaf, statement: cst.BaseStatement) -> Iterator[tuple[str, dict[str, str]]]:
    for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        value = part.value if isinstance(part, (cst.Assign, cst.Expr)) else None
        if not (
            isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value == "rename"
        ):
            continue
        if not isinstance(value.func.value, cst.Name):
            continue
        table = value.func.value.value
        keywords = {arg.keyword.value: arg.value for arg in value.args if arg.keyword is not None}
        kept = isinstance(part, cst.Assign) and [leaf.page.text(one.target) for one in part.targets] == [table]
        columns = keywords.get("columns")
        if (kept or "inplace" in keywords) and isinstance(columns, cst.Dict):
            yield table, dict(_pairs(columns))


def _pairs(columns: cst.Dict) -> Iterator[tuple[str, str]]:
    for element in columns.elements:
        if isinstance(element, cst.DictElement):
            key, value = element.key, element.value
            if isinstance(key, cst.SimpleString) and isinstance(value, cst.SimpleString):
                yield str(key.evaluated_value), str(value.evaluated_value)


def _tables(book: Book, leaf: Leaf) -> list[str]:
    """Variables of the notebook of which the cell reads a part."""
    source = leaf.cell.source
    found = [
        use.name
        for use in leaf.names.uses
        if (use.scope == 0 and source[use.place.end : use.place.end + 1] in tuple("[.")) or use.kind == "write"
    ]
    imports = {use.name for one in book.leaves for use in one.names.uses if use.kind in ("import", "define")}
    return [name for name in dict.fromkeys(found) if name not in imports]


def _text(token: str) -> str:
    return token[1:-1] if token[0] in "\"'" else token


def _overlap(one: Place, other: Place) -> bool:
    return one.start < other.end and other.start < one.end
