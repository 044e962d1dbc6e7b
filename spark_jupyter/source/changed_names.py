"""Names that code binds, and variables whose values it may change."""

from __future__ import annotations

import ast
from collections.abc import Callable


def bound_or_changed(tree: ast.AST, *, only_reads: Callable[[ast.Call], bool]) -> set[str]:
    """The names, anywhere in the code. ``only_reads``: True for the call of a method that leaves its object as it is."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=asname):
                found.add(asname or name.partition(".")[0])
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
