"""Line on which a literal in a statement was written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import body_of


def origin_line(source: str, line: int, literal: str) -> int:
    """Line (from 1) of the statement that supplies the text ``literal`` of the statement at ``line``; 0 if that line holds it itself, or
    none above does."""
    for place, node in enumerate(suppliers(source, line)):
        if _holds(node, literal):
            return node.lineno if place else 0
    return 0


def suppliers(source: str, line: int) -> Iterator[ast.stmt]:
    """The top-level statement at ``line`` and those above that supply its values, nearest first."""
    body = body_of(python_only(source))
    above = [node for node in body if (node.end_lineno or node.lineno) < line]
    own = next((node for node in body if node.lineno <= line <= (node.end_lineno or node.lineno)), None)
    if own is None:
        return
    yield own
    wanted = _names(own, ast.Load)
    for node in reversed(above):
        if _names(node, ast.Store) & wanted:
            yield node
            wanted |= _names(node, ast.Load)


def _holds(node: ast.AST, literal: str) -> bool:
    return any(isinstance(one, ast.Constant) and one.value == literal for one in ast.walk(node))


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, context)}
