"""The rules, one a file, and the tables by which the interpreter finds the checks of an event."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from spark_jupyter.guardrail.rule import Check, Rule

_EVENTS: Final = ("assign", "compare", "returned", "command", "function", "statement", "literal", "division", "loop")
_Table = dict[str, tuple[tuple[Rule, Check], ...]]


def _load() -> tuple[Rule, ...]:
    names = sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(import_module(f"{__name__}.{name}").RULE for name in names)


def _table(pairs: list[tuple[str, Rule, Check]]) -> _Table:
    table: _Table = {}
    for key, rule, check in pairs:
        table[key] = (*table.get(key, ()), (rule, check))
    return table


RULES: Final[tuple[Rule, ...]] = _load()
BY_ID: Final = {rule.id: rule for rule in RULES}
BY_CALL: Final = _table([(name, rule, check) for rule in RULES for name, check in rule.calls.items()])
BY_METHOD: Final = _table([(name, rule, check) for rule in RULES for name, check in rule.methods.items()])
ANY_KEYWORDS: Final = BY_METHOD.pop("*", ())
"""Checks that want every call that has keyword arguments."""
BY_EVENT: Final[_Table] = {
    event: tuple((rule, check) for rule in RULES if (check := getattr(rule, event)) is not None) for event in _EVENTS
}
