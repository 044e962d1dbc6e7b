"""Dispatch of syntax nodes to the functions that evaluate or execute them."""

from __future__ import annotations

import ast

from spark_jupyter.reality.abstract_values import UNKNOWN, Value
from spark_jupyter.reality.check_state import Run

MAX_DEPTH = 150
"""Deeper expressions than this are not followed; no person writes them, and Python's stack is finite."""


def evaluate(run: Run, node: ast.expr) -> Value:
    """The value of an expression. Each part is visited once; names that do not exist become findings on the way."""
    run.depth += 1
    try:
        if run.depth > MAX_DEPTH:
            return UNKNOWN
        evaluator = run.evaluators.get(type(node))
        if evaluator is not None:
            return evaluator(run, node)
        _evaluate_parts(run, node)
        return UNKNOWN
    finally:
        run.depth -= 1


def execute(run: Run, node: ast.stmt) -> bool:
    """One statement; whether nothing behind it in its block runs."""
    executor = run.executors.get(type(node))
    if executor is not None:
        return bool(executor(run, node))
    _evaluate_parts(run, node)
    return isinstance(node, ast.Raise | ast.Continue | ast.Break)


def execute_block(run: Run, body: list[ast.stmt]) -> bool:
    """Execute the statements of a block; whether it is certainly left before its end."""
    ended = False
    for statement in body:
        if ended and run.returned:
            break
        ended = execute(run, statement) or ended
    return ended


def _evaluate_parts(run: Run, node: ast.AST) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            evaluate(run, child)
