"""Extract variable, and inline it again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.refactoring.cell_tree import Place
from spark_jupyter.refactoring.changes import Changes, changed
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.refactoring.scopes import BINDS, Use
from spark_jupyter.source.python_parser import parse_python
from spark_jupyter.source.splices import Splice

_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.Call,
    cst.SimpleString,
    cst.Integer,
    cst.Float,
    cst.List,
    cst.Dict,
    cst.Set,
)


def extract_variable(cells: Sequence[NotebookCell], cell_id: CellId, expression: str, name: str) -> Changes:
    """Call an ``expression`` of a cell ``name``: it is assigned above the first statement that has it, and each place takes the name.

    Raises :class:`~spark_jupyter.exceptions.RefactoringError` where the cell has no such expression, or it can't be evaluated there."""
    book = Book(cells)
    leaf = book.leaf(cell_id)
    book.check_new(name)
    found = _equal(leaf, expression)
    if not found:
        raise RefactoringError(
            f"{book.called(cell_id)} has no `{expression.strip()[:80]}`.", remedy="Copy it from the cell."
        )
    statement = _statement(leaf, leaf.page.place(found[0]))
    here = leaf.page.place(statement)
    used = _names_in(leaf, leaf.page.place(found[0]))
    inner = next((use for use in used if use.scope != _scope_of(leaf, here, use)), None)
    if inner is not None:
        raise RefactoringError(f"`{inner.name}` has no value before that line.", remedy="Choose a larger expression.")
    until = _rebound(leaf, used, here.end)
    places = [place for place in map(leaf.page.place, found) if here.start <= place.start < until]
    line = leaf.page.whole_lines(Place(here.start, here.start)).start
    indent = leaf.cell.source[line : here.start]
    text = leaf.page.text(found[0])
    value = f"({text})" if "\n" in text else text
    splices = [Splice(line, line, f"{indent}{name} = {value}\n"), *(Splice(one.start, one.end, name) for one in places)]
    return Changes(
        words=f"`{' '.join(text.split())[:60]}` is called `{name}`", sources=changed(cells, {leaf.id: splices})
    )


def _equal(leaf: Leaf, expression: str) -> list[cst.BaseExpression]:
    try:
        wanted = ast.dump(parse_python(expression.strip(), "eval"))
    except (SyntaxError, ValueError):
        raise RefactoringError("That is not a Python expression.", remedy="Copy it from the cell.") from None
    assert leaf.page.tree is not None
    reader = _Expressions(leaf, wanted, len(expression))
    leaf.page.tree.visit(reader)
    return reader.found


class _Expressions(cst.CSTVisitor):
    """Finder of equal expressions, without those in f-strings and assignment targets."""

    def __init__(self, leaf: Leaf, wanted: str, size: int) -> None:
        super().__init__()
        self.leaf = leaf
        self.wanted = wanted
        self.size = size
        self.found: list[cst.BaseExpression] = []
        self._targets: set[cst.CSTNode] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.FormattedString, cst.Annotation)):
            return False
        if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor)):
            self._targets.add(node.target)
        if isinstance(node, cst.Del):
            return False
        if isinstance(node, cst.BaseExpression) and node not in self._targets and self._says_it(node):
            self.found.append(node)
            return False
        return True

    def _says_it(self, node: cst.BaseExpression) -> bool:
        text = self.leaf.page.text(node)
        if not 0 < len(text) <= 2 * self.size + 40:
            return False
        try:
            return ast.dump(parse_python(text.strip(), "eval")) == self.wanted
        except (SyntaxError, ValueError):
            return False


def _statement(leaf: Leaf, place: Place) -> cst.BaseStatement:
    """The innermost statement around a place above which a line can stand."""
    page = leaf.page
    statements = page.nodes(cst.SimpleStatementLine, cst.BaseCompoundStatement)  # type: ignore[type-abstract]
    found = [one for one in statements if page.place(one).start <= place.start < page.place(one).end][-1]
    start = page.place(found).start
    if leaf.cell.source[page.whole_lines(Place(start, start)).start : start].strip():
        raise RefactoringError("That line is an IPython magic.", remedy="Remove the magic first.")
    return found


def _names_in(leaf: Leaf, place: Place) -> list[Use]:
    """Variables that an expression reads, without those that it binds itself."""
    inside = [use for use in leaf.names.uses if place.start <= use.place.start < place.end]
    own = {use.scope for use in inside if use.kind in BINDS}
    return [use for use in inside if use.kind == "read" and use.scope not in own]


def _scope_of(leaf: Leaf, statement: Place, use: Use) -> int:
    """Scope in which a line above the statement looks up a variable: not that of a comprehension or a lambda."""
    bound = [one for one in leaf.names.of(use.name, use.scope) if one.kind in BINDS]
    inside = [one for one in bound if statement.start <= one.place.start < statement.end]
    return -1 if use.scope and inside and all(one in inside for one in bound) else use.scope


def _rebound(leaf: Leaf, used: Sequence[Use], after: int) -> int:
    """Offset of the first reassignment of one of the variables."""
    names = {(use.name, use.scope) for use in used}
    ends = [
        use.place.start
        for use in leaf.names.uses
        if use.kind != "read" and (use.name, use.scope) in names and use.place.start >= after
    ]
    return min(ends, default=len(leaf.cell.source) + 1)


def inline_variable(cells: Sequence[NotebookCell], name: str) -> Changes:
    """Replace the uses of a variable by its expression, and remove its assignment.

    Raises :class:`~spark_jupyter.exceptions.RefactoringError` where it is given more than one value, or is changed, or would be another
    value in a place."""
    book = Book(cells)
    leaf, statement, value = _only_assignment(book, name)
    place = leaf.page.place(value)
    text = leaf.page.text(value)
    _check_same(book, leaf, place, name)
    reads = [(one, use) for one, use in book.uses(name) if use.kind == "read"]
    if not reads:
        raise RefactoringError(f"Nothing reads `{name}`.")
    for one, use in reads:
        _check_place(book, one, use, leaf, place, text)
    wrapped = text if isinstance(value, _ATOMS) and not value.lpar else f"({text})"
    splices: dict[CellId, list[Splice]] = {}
    for one, use in reads:
        splices.setdefault(one.id, []).append(Splice(use.place.start, use.place.end, wrapped))
    lines = leaf.page.whole_lines(leaf.page.place(statement))
    splices.setdefault(leaf.id, []).append(Splice(lines.start, lines.end, ""))
    notes = (f"`{text[:60]}` is evaluated {len(reads)} times now.",) if len(reads) > 1 and "(" in text else ()
    return Changes(words=f"`{name}` is inlined", sources=changed(cells, splices), notes=(*notes, *book.left(name)))


def _only_assignment(book: Book, name: str) -> tuple[Leaf, cst.SimpleStatementLine, cst.BaseExpression]:
    if name not in book.bound:
        raise RefactoringError(f"No cell makes a `{name}`.", remedy="Name a variable of this notebook.")
    bindings = [(leaf, use) for leaf, use in book.uses(name) if use.kind != "read"]
    if len(bindings) > 1:
        raise RefactoringError(
            f"`{name}` is assigned {len(bindings)} times.",
            remedy="Only a variable that is assigned once can be inlined.",
        )
    leaf, use = bindings[0]
    for statement in leaf.page.statements:
        if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
            part = statement.body[0]
            if (
                isinstance(part, cst.Assign)
                and len(part.targets) == 1
                and leaf.page.place(part.targets[0].target) == use.place
            ):
                return leaf, statement, part.value
    raise RefactoringError(f"`{name}` is not set by a plain assignment.")


def _check_same(book: Book, leaf: Leaf, value: Place, name: str) -> None:
    """Refuse if a variable of the value may change between its place and its use."""
    parts = {use.name for use in leaf.names.uses if value.start <= use.place.start < value.end and use.scope == 0}
    for part in parts:
        for one, use in book.uses(part):
            later = book.at(one.id, use.place.start) > book.at(leaf.id, value.start)
            if later and use.kind != "read":
                raise RefactoringError(
                    f"`{part}` changes after `{name}` was made of it ({book.called(one.id).lower()})."
                )
    for one in book.leaves:
        for use in one.names.of(name):
            after = one.cell.source[use.place.end :].lstrip()
            if use.kind == "read" and _changes_it(after):
                raise RefactoringError(f"`{name}` is changed in {book.called(one.id).lower()}, so it can't be inlined.")


def _changes_it(after: str) -> bool:
    """True if the text behind a name assigns to a part of it, or calls a method that changes it in place."""
    item = re.match(
        r"(?:\.\w+|\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\])+\s*(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)", after
    )
    method = re.match(
        r"\.(?:append|extend|add|update|insert|pop|remove|clear|sort|reverse|setdefault|discard|write)\(", after
    )
    return bool(item or method)


def _check_place(book: Book, leaf: Leaf, use: Use, origin: Leaf, value: Place, text: str) -> None:
    for part in (one for one in origin.names.uses if value.start <= one.place.start < value.end and one.scope == 0):
        hidden = [one for one in leaf.names.uses if one.name == part.name and one.scope and one.scope == use.inside]
        if hidden:
            raise RefactoringError(f"`{part.name}` is another variable in {book.called(leaf.id).lower()}.")
    if _in_f_string(leaf, use.place) and any(mark in text for mark in "\"'\\\n"):
        raise RefactoringError(f"An f-string in {book.called(leaf.id).lower()} can't hold `{text[:40]}`.")
    if leaf.cell.source[: use.place.start].endswith("@"):
        raise RefactoringError(f"The text of a query in {book.called(leaf.id).lower()} needs a name.")


def _in_f_string(leaf: Leaf, place: Place) -> bool:
    assert leaf.page.tree is not None
    return any(one.start <= place.start < one.end for one in _f_strings(leaf))


def _f_strings(leaf: Leaf) -> Iterator[Place]:
    return map(leaf.page.place, leaf.page.nodes(cst.FormattedString))
