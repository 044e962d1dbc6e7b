"""Names in syntax trees: bound ones, last parts, variables whose values may change."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator


def last_name(node: ast.AST | None) -> str:
    """The name, or the last part of a dotted one; empty for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def bound_by(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that these nodes themselves bind or delete: targets, definitions, imports, handlers, patterns."""
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name


def bound_or_changed(tree: ast.AST, *, only_reads: Callable[[ast.Call], bool]) -> set[str]:
    """The names, anywhere in the code. ``only_reads``: True for the call of a method that leaves its object as it is."""
    found = set(bound_by(ast.walk(tree)))
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                found |= root_of(node)
            case ast.Expr(value=ast.Call() as call) if not only_reads(call):
                found |= root_of(call)
    return found


def root_of(node: ast.expr) -> set[str]:
    """The variable that ``df.x = 1``, ``df["x"] = 1`` or ``df.insert(…)`` changes."""
    while True:
        match node:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case _:
                return {node.id} if isinstance(node, ast.Name) else set()
