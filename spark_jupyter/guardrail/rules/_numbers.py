"""Numbers that the sender of a request chose."""

from __future__ import annotations

import ast

from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Fact, Trust


def is_chosen(node: ast.expr, state: State) -> bool:
    """True if this is a number that the sender of a request chose."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("int", "float"):
        return any(_is_request(part, state) for part in ast.walk(node))
    found = state.lookup(node.id) if isinstance(node, ast.Name) else None
    return found is not None and found.fact is Fact.NUMBER_OF_A_REQUEST


def _is_request(node: ast.AST, state: State) -> bool:
    if not isinstance(node, ast.Name):
        return False
    found = state.lookup(node.id)
    return node.id == "request" or (
        found is not None and any(origin.trust == Trust.REMOTE for origin, _ in found.flows)
    )
