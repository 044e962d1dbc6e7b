"""Last call of a function in what the kernel has run.

A function's new body is checked with the arguments of that call.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping

from spark_jupyter.reality.syntax_trees import nodes_of
from spark_jupyter.source.python_parser import body_of

CELLS = 200
"""So many cells are looked through, from the last one back."""
LONGEST = 20_000
"""Longer cells are not parsed."""


def last_call(name: str, parameters: tuple[str, ...], namespace: Mapping[str, object]) -> ast.Call | None:
    """The last call of a function that the kernel has, with these parameters, at the top level of a cell that it ran.

    None where it has none of that name or one with other parameters: then old calls say nothing of the new one.
    """
    live, cells = namespace.get(name), namespace.get("In")
    if type(live) is not types.FunctionType or type(cells) is not list:
        return None
    code = live.__code__
    if code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] != parameters:
        return None
    for cell in cells[: -CELLS - 1 : -1]:
        if type(cell) is str and len(cell) <= LONGEST and name + "(" in cell:
            found = _call_in(cell, name)
            if found is not None:
                return found
    return None


def _call_in(cell: str, name: str) -> ast.Call | None:
    plain = [statement for statement in body_of(cell) if isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign)]
    calls = [
        node
        for node in nodes_of(plain)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
    return calls[-1] if calls else None
