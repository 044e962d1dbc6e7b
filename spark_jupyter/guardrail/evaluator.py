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
    """Evaluates expressions, runs statements, and shows to the rules what it meets."""

    state: State

    def evaluate(self, node: ast.expr | None) -> Value:
        """The abstract value of an expression; UNKNOWN of none."""
        ...

    def quietly(self, node: ast.expr) -> Value:
        """The same, when the expression has been, or will be, shown to the rules by somebody else."""
        ...

    def guard(self, test: ast.expr) -> None:
        """Evaluate a condition, then let it clear what it checks."""
        ...

    def run(self, statements: Sequence[ast.stmt], indent: int) -> None:
        """Execute statements that stand at an indentation."""
        ...

    def bind(self, target: ast.expr, value: Value, indent: int = -1) -> None:
        """Assign a value to a target of any form."""
        ...

    def show(self, kind: EventKind, event: object) -> None:
        """Show an event to the rules that want its kind."""
        ...

    def called(self, event: Call) -> None:
        """Show a call to the rules that know its name, and to the notebook's function that it calls."""
        ...

    def assigned(self, node: ast.AST, name: str, key: str, base: Value, value: Value) -> None:
        """Show an assignment to the rules."""
        ...

    def knows(self, name: str) -> bool:
        """True if any rule or table mentions this qualified name."""
        ...
