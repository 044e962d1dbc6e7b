"""Extract function: from lines or a whole cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst
from msgspec import Struct

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.refactoring.cell_tree import Page, Place
from spark_jupyter.refactoring.changes import Changes, changed
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.refactoring.scopes import BINDS, Use
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


# --- Blocks of statements: selection, inputs and outputs ---
_OUT = "A `return`, `yield`, `break` or `continue` there would leave the new function."


class Flow(Struct, frozen=True):
    """``given``: the variables that a block needs from outside; ``made``: those of its own that are read after it."""

    given: tuple[str, ...]
    made: tuple[str, ...]


class _Blocks(cst.CSTVisitor):
    """Finder of the statement sequences of a cell and the functions around them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[Sequence[cst.BaseStatement], cst.FunctionDef | None]] = []
        self._inside: list[cst.FunctionDef | None] = [None]

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._inside.append(node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._inside.pop()

    def visit_Module(self, node: cst.Module) -> None:
        self._take(node.body)

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self._take(node.body)

    def _take(self, body: Iterable[cst.CSTNode]) -> None:
        statements = [one for one in body if isinstance(one, (cst.SimpleStatementLine, cst.BaseCompoundStatement))]
        self.found.append((statements, self._inside[-1]))


class _Leaves(cst.CSTVisitor):
    """Visitor for statements that would leave a function made of a block, or wait in it."""

    def __init__(self) -> None:
        super().__init__()
        self.leaves = False
        self.awaits = False
        self._loops = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_Return(self, node: cst.Return) -> None:
        self.leaves = True

    def visit_Yield(self, node: cst.Yield) -> None:
        self.leaves = True

    def visit_Break(self, node: cst.Break) -> None:
        self.leaves = self.leaves or not self._loops

    def visit_Continue(self, node: cst.Continue) -> None:
        self.leaves = self.leaves or not self._loops

    def visit_Await(self, node: cst.Await) -> None:
        self.awaits = True

    def visit_For(self, node: cst.For) -> None:
        self._loops += 1
        self.awaits = self.awaits or node.asynchronous is not None

    def leave_For(self, original_node: cst.For) -> None:
        self._loops -= 1

    def visit_While(self, node: cst.While) -> None:
        self._loops += 1

    def leave_While(self, original_node: cst.While) -> None:
        self._loops -= 1


class Block(Struct, frozen=True):
    """Neighbouring statements in the scope of their variables. ``scope`` is the one that their variables belong to; ``awaits``: they
    wait for something."""

    statements: tuple[cst.BaseStatement, ...]
    scope: int
    awaits: bool

    def place(self, page: Page) -> Place:
        """Range of lines, without comments above them."""
        first, last = page.place(self.statements[0]), page.place(self.statements[-1])
        return page.whole_lines(Place(first.start, last.end))


def block_at(leaf: Leaf, first: int, last: int) -> Block:
    """Statements that begin in the lines from ``first`` to ``last`` (from 1). Raises :class:`~spark_jupyter.exceptions.RefactoringError`
    where these lines are no whole statements of one block."""
    page = leaf.page
    assert page.tree is not None
    reader = _Blocks()
    page.tree.visit(reader)
    for statements, function in reversed(reader.found):
        chosen = [one for one in statements if first <= page.line_of(page.place(one).start) <= last]
        if chosen and page.line_of(page.place(chosen[-1]).end) <= last and _is_all(leaf, chosen, first, last):
            return _block(leaf, chosen, function)
    raise RefactoringError("These lines are not whole statements of one block.", remedy="Say other lines: lines 2-4.")


def _is_all(leaf: Leaf, chosen: Sequence[cst.BaseStatement], first: int, last: int) -> bool:
    """True if these lines hold only the chosen statements, blank lines and comments."""
    page, lines = leaf.page, leaf.cell.source.split("\n")
    above = lines[first - 1 : page.line_of(page.place(chosen[0]).start) - 1]
    below = lines[page.line_of(page.place(chosen[-1]).end) : last]
    return all(not line.strip() or line.lstrip().startswith("#") for line in (*above, *below))


def _block(leaf: Leaf, chosen: Sequence[cst.BaseStatement], function: cst.FunctionDef | None) -> Block:
    leaving = _Leaves()
    for statement in chosen:
        statement.visit(leaving)
    if leaving.leaves:
        raise RefactoringError(_OUT)
    scope = 0 if function is None else leaf.names.scope_of[function]
    return Block(tuple(chosen), scope, leaving.awaits)


def flow(book: Book, leaf: Leaf, block: Block) -> Flow:
    """Variables that go into a block and come out of it."""
    place = block.place(leaf.page)
    uses = [use for use in leaf.names.evaluated if use.scope == block.scope]
    inside = [use for use in uses if place.start <= use.place.start < place.end]
    outside = [use for use in uses if not place.start <= use.place.start < place.end]
    elsewhere = (
        []
        if block.scope
        else [use for one in book.leaves if one is not leaf for use in one.names.uses if use.scope == 0]
    )
    data = {use.name for use in (*outside, *elsewhere) if use.kind in ("write", "change", "parameter")}
    sure = {statement: leaf.page.place(statement) for statement in block.statements if not _branches(statement)}
    given, bound = dict[str, None](), set[str]()
    for use in inside:
        if use.kind == "delete":
            raise RefactoringError(f"These lines delete `{use.name}`.", remedy="Leave the `del` out.")
        if use.kind in ("read", "change") and use.name in data and use.name not in bound:
            given[use.name] = None
        if use.kind in BINDS and (use.name not in data or _within(use, sure.values())):
            bound.add(use.name)
    made = dict.fromkeys(use.name for use in inside if use.kind in ("write", "change") and use.inside == block.scope)
    read = {use.name for use in elsewhere if use.kind != "write"}
    read |= {use.name for use in outside if use.kind != "write" and (use.place.start > place.start or block.scope)}
    return Flow(tuple(given), tuple(name for name in made if name in read))


def _branches(statement: cst.BaseStatement) -> bool:
    """True if names bound by a statement may stay unbound."""
    return isinstance(statement, (cst.If, cst.For, cst.While, cst.Try, cst.TryStar, cst.Match))


def _within(use: Use, places: Iterable[Place]) -> bool:
    return any(place.start <= use.place.start < place.end for place in places)


def string_lines(page: Page) -> set[int]:
    """Lines (from 1) that begin inside a string, which are not indented."""
    lines: set[int] = set()
    for place in map(page.place, page.nodes(cst.SimpleString, cst.FormattedString)):
        lines.update(range(page.line_of(place.start) + 1, page.line_of(place.end) + 1))
    return lines
