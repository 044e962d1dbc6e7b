"""Blocks of statements: selection, inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst
from msgspec import Struct

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.refactoring.cell_tree import Page, Place
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.refactoring.scopes import BINDS, Use

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
