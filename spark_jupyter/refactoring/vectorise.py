"""Vectorised form of row-by-row loops over tables.

What is proposed leaves the same only as far as the text shows: sums may be rounded otherwise, a row may hold another type than its
column. Nobody is offered it before it was proven (:mod:`spark_jupyter.sandbox.refinement_runner`), and each candidate is one such guess.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from spark_jupyter.refactoring.changes import Better, spliced_keeping_comments
from spark_jupyter.source.python_parser import parse_python, tree_of
from spark_jupyter.source.splices import Positions, Splice

_ALLOWED = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop, ast.expr_context, ast.Name, ast.Subscript)
_OF_ROWS = frozenset(("name", "index", "values", "keys", "items", "get"))
"""Attributes of a row that are not columns."""


def faster_versions(source: str) -> Iterator[Better]:
    """Vectorised versions of a cell, the likeliest first; none if it is not plain Python, or if a removed part has a comment."""
    tree = tree_of(source)
    if tree is None:
        return
    for place, statement in enumerate(tree.body):
        before = tree.body[place - 1] if place else None
        for rule in (_sums, _lists, _fills, _applies):
            yield from rule(source, statement, before)


# --- loops -----------------------------------------------------------------------------------------------------------------


def _sums(source: str, loop: ast.stmt, before: ast.stmt | None) -> Iterator[Better]:
    """``for _, row in t.iterrows(): total += row.a * row.b``"""
    columns, body = _loop(loop)
    if columns is None or not isinstance(body, ast.AugAssign) or not isinstance(body.op, ast.Add):
        return
    value = columns(body.value)
    if value is not None:
        text = f"{ast.unparse(body.target)} += ({value}).sum()"
        yield from _replaced(source, loop, loop, text, "sum the columns at once")


def _lists(source: str, loop: ast.stmt, before: ast.stmt | None) -> Iterator[Better]:
    """``found = []`` and ``for _, row in t.iterrows(): found.append(row.a * row.b)``"""
    columns, body = _loop(loop)
    match before, body:
        case (
            ast.Assign(targets=[ast.Name(id=made)], value=ast.List(elts=[])),
            ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[element])),
        ) if columns is not None and made == name:
            value = columns(element)
        case _:
            return
    if value is not None and before is not None:
        for text in (f"{name} = ({value}).tolist()", f"{name} = list({value})"):
            yield from _replaced(source, before, loop, text, "compute the columns at once")


def _fills(source: str, loop: ast.stmt, before: ast.stmt | None) -> Iterator[Better]:
    """``for i in range(len(t)): t.loc[i, "c"] = t.loc[i, "a"] * 2``"""
    columns, body = _loop(loop)
    if columns is None or not isinstance(body, ast.Assign) or len(body.targets) != 1:
        return
    target, value = columns(body.targets[0]), columns(body.value)
    if target is not None and value is not None and target.endswith("]"):
        yield from _replaced(source, loop, loop, f"{target} = {value}", "fill the column at once")


def _loop(statement: ast.stmt) -> tuple[Callable[[ast.expr], str | None] | None, ast.stmt | None]:
    """Converter from an expression about a row to one about columns, and the only statement of the loop."""
    if not isinstance(statement, ast.For) or len(statement.body) != 1 or statement.orelse:
        return None, None
    body = statement.body[0]
    match statement.target, statement.iter:
        case (
            ast.Tuple(elts=[ast.Name(), ast.Name(id=row)]),
            ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr="iterrows"), args=[]),
        ):
            return lambda expression: _of_columns(expression, _Row(row, table)), body
        case (
            ast.Name(id=row),
            ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr="itertuples")),
        ):
            return lambda expression: _of_columns(expression, _Row(row, table)), body
        case (
            ast.Name(id=index),
            ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=table)])])
            | ast.Attribute(value=ast.Name(id=table), attr="index"),
        ):
            return lambda expression: _of_columns(expression, _Place(index, table)), body
    return None, None


# --- calls -----------------------------------------------------------------------------------------------------------------


def _applies(source: str, statement: ast.stmt, before: ast.stmt | None) -> Iterator[Better]:
    """``t.apply(lambda row: row.a * 2, axis=1)`` and ``t["a"].map(lambda value: value * 2)``"""
    if not isinstance(statement, ast.Assign | ast.Expr | ast.AugAssign):
        return
    for call in ast.walk(statement.value):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=table), attr="apply"),
                args=[ast.Lambda(args=ast.arguments(args=[ast.arg(arg=row)]), body=body)],
                keywords=[ast.keyword(arg="axis", value=ast.Constant(value=1 | "columns"))],
            ):
                value = _of_columns(body, _Row(row, table))
            case ast.Call(
                func=ast.Attribute(value=ast.Subscript() | ast.Attribute() as column, attr="apply" | "map"),
                args=[ast.Lambda(args=ast.arguments(args=[ast.arg(arg=one)]), body=body)],
                keywords=[],
            ):
                value = _of_columns(body, _Value(one, column))
            case _:
                continue
        if value is not None:
            yield from _replaced(source, call, call, f"({value})", "compute the column at once")


# --- expressions -------------------------------------------------------------------------------------------------------------


class _Row(ast.NodeTransformer):
    """``row["a"]`` and ``row.a`` → the column of the table."""

    def __init__(self, row: str, table: str) -> None:
        self._row, self._table = row, table
        self.found = 0

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(value=ast.Name(id=row), slice=ast.Constant(value=str(column))) if row == self._row:
                return self._column(column, node.ctx)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=row), attr=column) if row == self._row and column not in _OF_ROWS:
                return self._column(column, node.ctx)
        return node

    def _column(self, column: str, context: ast.expr_context) -> ast.expr:
        self.found += 1
        return ast.Subscript(
            value=ast.Name(id=self._table, ctx=ast.Load()), slice=ast.Constant(value=column), ctx=context
        )


class _Place(_Row):
    """``t.loc[i, "a"]``, ``t["a"][i]``, ``t["a"].iloc[i]`` → the column of the table; ``i`` is ``row``."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=table), attr="loc" | "at"),
                slice=ast.Tuple(elts=[ast.Name(id=index), ast.Constant(value=str(column))]),
            ) if (table, index) == (self._table, self._row):
                return self._column(column, node.ctx)
            case ast.Subscript(value=value, slice=ast.Name(id=index)) if index == self._row:
                series = value.value if isinstance(value, ast.Attribute) and value.attr == "iloc" else value
                match series:
                    case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(column))):
                        return self._column(column, node.ctx) if table == self._table else node
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return node


class _Value(ast.NodeTransformer):
    """Transformer that replaces a row's value by its column."""

    def __init__(self, name: str, column: ast.expr) -> None:
        self._name, self._column = name, column
        self.found = 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self._name:
            return node
        self.found += 1
        return self._column


def _of_columns(expression: ast.expr, transformer: _Row | _Value) -> str | None:
    """Convert an expression about a row to one about columns; None if it does more than arithmetic."""
    fresh: ast.expr = transformer.visit(parse_python(ast.unparse(expression), "eval").body)
    name = transformer._row if isinstance(transformer, _Row) else ""
    nodes = list(ast.walk(fresh))
    of_column = (ast.Attribute,) if isinstance(transformer, _Value) else ()
    counts = all(isinstance(node, (*_ALLOWED, *of_column)) for node in nodes)
    rest = any(isinstance(node, ast.Name) and node.id == name for node in nodes)
    return ast.unparse(fresh) if transformer.found and counts and not rest else None


def _replaced(
    source: str, first: ast.stmt | ast.expr, last: ast.stmt | ast.expr, text: str, words: str
) -> Iterator[Better]:
    """Replace the text from one node's beginning to another's end, unless a comment stands between."""
    at = Positions(source)
    fresh = spliced_keeping_comments(source, [Splice(at.start(first), at.end(last), text)])
    if fresh is not None:
        yield Better(fresh, words)
