"""Extract function: from lines or a whole cell."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.refactoring.cell_tree import Place
from spark_jupyter.refactoring.changes import Changes, changed
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.refactoring.statement_blocks import Block, Flow, block_at, flow, string_lines
from spark_jupyter.source.ipython_lines import escape
from spark_jupyter.source.splices import Splice


def make_function(
    cells: Sequence[NotebookCell], cell_id: CellId, name: str, *, lines: tuple[int, int] | None = None
) -> Changes:
    """Put ``lines`` (first and last, from 1; None: the whole cell, its imports and definitions left above) into a function ``name``
    (empty: after what it makes), with what they need as parameters and what is read later returned, and call it in their place.

    Raises :class:`~spark_jupyter.exceptions.RefactoringError` where that can't be done."""
    book = Book(cells)
    leaf = book.leaf(cell_id)
    block = block_at(leaf, *lines) if lines is not None else _whole(leaf)
    name = name or _called(book, flow(book, leaf, block))
    book.check_new(name)
    if block.scope and lines is not None:
        return _inner(book, leaf, block, name)
    last = _shown(leaf, block)
    kept = block if last is None else _without_last(block, book, leaf)
    through = flow(book, leaf, kept)
    result = leaf.page.text(last) if last is not None and kept is block else ""
    place = kept.place(leaf.page)
    body = leaf.cell.source[place.start : place.end]
    if result:
        start = leaf.page.place(block.statements[-1]).start
        body = leaf.cell.source[place.start : start] + "return " + leaf.cell.source[start : place.end]
    text = _definition(leaf, place, body, name, kept, through) + "\n\n" + _call(name, kept, through, "") + "\n"
    return _changes(cells, leaf, place, text, name)


def _called(book: Book, through: Flow) -> str:
    name = f"make_{through.made[0]}" if through.made else "run"
    return next(one for number in range(1, 1000) if (one := f"{name}{number if number > 1 else ''}") not in book.used)


def _whole(leaf: Leaf) -> Block:
    """Cell without its leading imports and definitions, and without the line of a cell magic."""
    statements = list(leaf.page.statements)
    while statements and _stays(leaf, statements[0]):
        statements.pop(0)
    if not statements:
        raise RefactoringError("This cell has nothing to make a function of.")
    first, last = leaf.page.place(statements[0]), leaf.page.place(statements[-1])
    return block_at(leaf, leaf.page.line_of(first.start), leaf.page.line_of(last.end))


def _stays(leaf: Leaf, statement: cst.BaseStatement) -> bool:
    if isinstance(statement, cst.SimpleStatementLine):
        line = leaf.cell.source[leaf.page.whole_lines(leaf.page.place(statement)).start :].split("\n", 1)[0]
        is_import = all(isinstance(part, (cst.Import, cst.ImportFrom)) for part in statement.body)
        ipythons = escape(line)
        return is_import or (ipythons is not None and not ipythons.targets)
    return isinstance(statement, (cst.FunctionDef, cst.ClassDef))


def _shown(leaf: Leaf, block: Block) -> cst.BaseExpression | None:
    """Displayed expression, if the block ends with it."""
    statement = block.statements[-1]
    if statement is not leaf.page.statements[-1] or not isinstance(statement, cst.SimpleStatementLine):
        return None
    part = statement.body[-1]
    return part.value if len(statement.body) == 1 and isinstance(part, cst.Expr) else None


def _without_last(block: Block, book: Book, leaf: Leaf) -> Block:
    """Leave the displayed last expression in the cell if the function returns something else."""
    if len(block.statements) == 1:
        return block
    rest = Block(block.statements[:-1], block.scope, block.awaits)
    return rest if flow(book, leaf, block).made else block


def _inner(book: Book, leaf: Leaf, block: Block, name: str) -> Changes:
    """Extract lines of a function: the new function goes above it."""
    through = flow(book, leaf, block)
    place = block.place(leaf.page)
    source = leaf.cell.source
    indent = source[place.start :][: len(source[place.start :]) - len(source[place.start :].lstrip())]
    outer = next(
        one for one in leaf.page.statements if leaf.page.place(one).start <= place.start < leaf.page.place(one).end
    )
    above = leaf.page.whole_lines(leaf.page.place(outer)).start
    definition = _definition(leaf, place, source[place.start : place.end], name, block, through)
    splices = [
        Splice(above, above, definition + "\n\n"),
        Splice(place.start, place.end, _call(name, block, through, indent) + "\n"),
    ]
    return Changes(words=f"`{name}` is a function", sources=changed(book.cells, {leaf.id: splices}))


def _changes(cells: Sequence[NotebookCell], leaf: Leaf, place: Place, text: str, name: str) -> Changes:
    ends = leaf.cell.source[place.end - 1 : place.end] == "\n"
    splice = Splice(place.start, place.end, text if ends else text.rstrip("\n"))
    return Changes(words=f"`{name}` is a function", sources=changed(cells, {leaf.id: [splice]}))


def _definition(leaf: Leaf, place: Place, body: str, name: str, block: Block, through: Flow) -> str:
    word = "async def" if block.awaits else "def"
    lines = [f"{word} {name}({', '.join(through.given)}):", *_indented(leaf, place, body)]
    if through.made:
        lines.append(f"    return {', '.join(through.made)}")
    return "\n".join(lines) + "\n"


def _call(name: str, block: Block, through: Flow, indent: str) -> str:
    call = f"{'await ' if block.awaits else ''}{name}({', '.join(through.given)})"
    return indent + (f"{', '.join(through.made)} = {call}" if through.made else call)


def _indented(leaf: Leaf, place: Place, body: str) -> list[str]:
    """Indent the lines to four columns; lines that begin inside a string stay."""
    first, fixed = leaf.page.line_of(place.start), string_lines(leaf.page)
    lines = body.rstrip("\n").split("\n")
    free = [line for number, line in enumerate(lines, first) if number not in fixed and line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in free), default=0)
    return [
        line if number in fixed else ("    " + line[margin:] if line.strip() else "")
        for number, line in enumerate(lines, first)
    ]
