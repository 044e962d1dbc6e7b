"""Interface of the taint interpreter for its parts.

:mod:`.taint_interpreter` implements it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Literal, Protocol

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value

EventKind = Literal[
    "assign", "compare", "returned", "given", "command", "function", "statement", "literal", "division", "loop"
]
"""Events besides calls that a rule can check: the fields of :class:`Rule` with the same names."""


class Evaluator(Protocol):
    """Interface that evaluates expressions, runs statements, and shows events to the rules."""

    state: State

    def evaluate(self, node: ast.expr | None) -> Value:
        """Abstract value of an expression; UNKNOWN for None."""

    def quietly(self, node: ast.expr) -> Value:
        """Evaluate an expression without showing it to the rules, because another evaluation does."""

    def guard(self, test: ast.expr) -> None:
        """Evaluate a condition, then clear the inputs that it checks."""

    def run(self, statements: Sequence[ast.stmt], indent: int) -> None:
        """Execute statements at an indentation."""

    def bind(self, target: ast.expr, value: Value, indent: int = -1) -> None:
        """Assign a value to a target of any form."""

    def show(self, kind: EventKind, event: object) -> None:
        """Show an event to the rules for its kind."""

    def called(self, event: Call) -> None:
        """Show a call to the rules that know its name, and to the notebook's function that it calls."""

    def assigned(self, node: ast.AST, name: str, key: str, base: Value, value: Value) -> None:
        """Show an assignment to the rules."""

    def knows(self, name: str) -> bool:
        """True if any rule or table mentions this qualified name."""
