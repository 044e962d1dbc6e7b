"""Fields and ``__init__`` of dataclasses.

Source of the rules: the documentation of the standard library's ``dataclasses``.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Mapping

from spark_jupyter.reality.abstract_values import UNKNOWN, Invocation, Live, Value
from spark_jupyter.reality.source_definitions import Instance, Written

_HARMLESS = frozenset({"frozen", "order", "eq", "repr", "slots", "unsafe_hash", "weakref_slot", "match_args"})
"""Options that change nothing of what ``__init__`` takes."""

Defaults = Mapping[str, Callable[[], Value]]
"""Functions that make the value of a field that a call leaves out, in the fields' order."""


def is_decorator(decorator: ast.expr, value: Value) -> bool:
    """True for ``@dataclass`` without an option that changes what ``__init__`` takes. ``value``: the decorator without its call."""
    if not (isinstance(value, Live) and value.thing is dataclasses.dataclass):
        return False
    options = decorator.keywords if isinstance(decorator, ast.Call) else []
    return all(option.arg in _HARMLESS for option in options)


def fields(body: list[ast.stmt]) -> dict[str, ast.AnnAssign]:
    """The fields that a class's body declares, in order."""
    return {
        statement.target.id: statement
        for statement in body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and not re.search("ClassVar|KW_ONLY", ast.unparse(statement.annotation))
    }


def default_of(field: ast.AnnAssign) -> tuple[str, ast.expr | None]:
    """The default of a field: ``"value"`` with the expression, ``"factory"`` with the callable, or ``"open"`` where it can't be told."""
    given = field.value
    if given is None:
        return "open", None
    if not (isinstance(given, ast.Call) and ast.unparse(given.func).rpartition(".")[2] == "field"):
        return "value", given
    for keyword in given.keywords:
        if keyword.arg in {"default", "default_factory"}:
            return ("value" if keyword.arg == "default" else "factory"), keyword.value
    return "open", None


def initialiser(defaults: Defaults, after: Callable[[Instance, Invocation], object]) -> Written:
    """The ``__init__`` of a dataclass; ``after`` is what its ``__post_init__`` does."""
    names = tuple(defaults)

    def enter(call: Invocation) -> Value:
        (_, made), *given = call.positional
        if not isinstance(made, Instance):
            return UNKNOWN
        passed = {name: value for name, (_, value) in zip(names, given, strict=False)}
        passed |= {name: value for name, (_, value) in call.keywords.items()}
        for name, default in defaults.items():
            made.attributes[name] = UNKNOWN if call.stars else passed[name] if name in passed else default()
        after(made, call)
        return Live(None)

    return Written("__init__", parameters=("self", *names), positional=len(names) + 1, allows_any=False, enter=enter)
