"""Origin of tables, read from a cell's source.

Which name was made of which others, and by what calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import body_of, parse_python


class Called(NamedTuple):
    """A call: what stands last in its name, the name of a variable that it is asked of (empty where it is none), and the call itself."""

    tail: str
    receiver: str
    node: ast.Call

    def argument(self, place: int, *names: str) -> ast.expr | None:
        """An argument by its place (-1: by name only) or one of its names."""
        for keyword in self.node.keywords:
            if keyword.arg in names:
                return keyword.value
        return self.node.args[place] if 0 <= place < len(self.node.args) else None

    def text(self, place: int, *names: str) -> str | None:
        found = self.argument(place, *names)
        return found.value if isinstance(found, ast.Constant) and isinstance(found.value, str) else None


class Step(NamedTuple):
    """A statement that gives a name, or a column of one, a value. ``column`` is None where it is the whole name that is meant,
    and empty where it is several columns, or some rows, as its ``key`` says; ``names`` are the variables that are read, ``calls`` what is
    called on the way, in the order in which it happens; ``statement`` counts the statements that are in no block."""

    target: str
    column: str | None
    value: ast.expr
    names: frozenset[str]
    calls: tuple[Called, ...]
    key: ast.expr | None = None
    statement: int = 0

    @property
    def tails(self) -> frozenset[str]:
        """The last names of all that is called."""
        return frozenset(call.tail for call in self.calls)

    @property
    def mentions(self) -> str:
        """The expression as text."""
        return ast.unparse(self.value)


def steps_of(source: str, *, behind: int = 0) -> tuple[list[Step], int]:
    """The steps of the statements, in order, those in blocks too and those of functions not; the number of statements, with those that ran
    before it. What is no Python has none."""
    body = body_of(python_only(source))
    found = [step._replace(statement=n) for n, node in enumerate(body, behind) for step in _steps([node])]
    return found, behind + len(body)


def _steps(body: Sequence[ast.stmt]) -> Iterator[Step]:
    for node in body:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _assigned(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                whole = ast.BinOp(left=_read(target), op=op, right=value)
                yield from _assigned(target, ast.copy_location(whole, node))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from _assigned(target, value)
            case ast.Expr(value=ast.Call() as call):
                yield _step(_in_place(call), None, call)
            case ast.Expr(value=value):
                yield _step("", None, value)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case ast.For(iter=value, body=inner):
                yield _step("", None, value)
                yield from _steps(inner)
            case _:
                for field in ("body", "orelse", "finalbody"):
                    yield from _steps(getattr(node, field, []))


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[Step]:
    match target:
        case ast.Name(id=name):
            yield _step(name, None, value)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(column))):
            yield _step(name, column, value)
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=name), attr="loc"),
            slice=ast.Tuple(elts=[_, ast.Constant(value=str(column))]),
        ):
            yield _step(name, column, value)
        case ast.Attribute(value=ast.Name(id=name), attr=column):
            yield _step(name, column, value)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from _assigned(element, value)
        case ast.Subscript(value=ast.Name(id=name), slice=key):
            yield _step(name, "", value)._replace(key=key)
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="loc"), slice=key):
            yield _step(name, "", value)._replace(key=key)
        case _:
            return


def _step(target: str, column: str | None, value: ast.expr) -> Step:
    names = frozenset(node.id for node in ast.walk(value) if isinstance(node, ast.Name))
    calls = tuple(_called(node) for node in ast.walk(value) if isinstance(node, ast.Call))
    return Step(target, column, value, names, calls[::-1])


def _called(node: ast.Call) -> Called:
    match node.func:
        case ast.Attribute(value=ast.Name(id=receiver), attr=tail):
            return Called(tail, receiver, node)
        case ast.Attribute(attr=tail):
            return Called(tail, "", node)
        case ast.Name(id=tail):
            return Called(tail, "", node)
    return Called("", "", node)


def _in_place(call: ast.Call) -> str:
    """The name that a call changes where it stands: ``df.dropna(inplace=True)``."""
    asked = any(
        one.arg == "inplace" and isinstance(one.value, ast.Constant) and one.value.value for one in call.keywords
    )
    if asked and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        return call.func.value.id
    return ""


def _read(target: ast.expr) -> ast.expr:
    """The same expression, read instead of written."""
    return parse_python(ast.unparse(target), "eval").body
