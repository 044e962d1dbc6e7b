"""Queries put together as text."""

from __future__ import annotations

import ast

from spark_jupyter.guardrail.rule import Hit
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust, Value


def in_query(node: ast.AST, query: Value, mark: str, danger: Danger, state: State) -> Hit | None:
    """Find input in a query, or a query with ``mark`` that is built from unknown pieces."""
    flows = state.certain(query, danger, Trust.LOCAL)
    if flows:
        return Hit(node, flows=flows)
    if query.is_built and mark in (query.text or "") and (state.dangerous(query, danger) or not query.flows):
        return Hit(node, severity="block" if query.flows else "warn")
    return None
