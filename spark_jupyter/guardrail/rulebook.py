"""Index of the rules by event.

An event costs no more than the rules that it concerns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

from spark_jupyter.guardrail.evaluator import EventKind
from spark_jupyter.guardrail.rule import Check, Rule

Checks = tuple[tuple[Rule, Check], ...]


class Rulebook:
    """A set of rules. ``by_call`` finds the checks of a qualified name, ``by_method`` those of a name's last part, ``by_event`` those
    of any other event; ``any_keywords`` want every call that has keyword arguments."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules: Final = tuple(rules)
        self.by_id: Final = {rule.id: rule for rule in self.rules}
        self.by_call: Final = _table((name, rule, check) for rule in self.rules for name, check in rule.calls.items())
        self.by_method: Final = _table(
            (name, rule, check) for rule in self.rules for name, check in rule.methods.items()
        )
        self.any_keywords: Final[Checks] = self.by_method.pop("*", ())
        self.by_line: Final[Checks] = self._of("line")
        self.by_event: Final[dict[str, Checks]] = {event: self._of(event) for event in get_args(EventKind)}

    def _of(self, event: str) -> Checks:
        return tuple((rule, check) for rule in self.rules if (check := getattr(rule, event)) is not None)


def _table(entries: Iterable[tuple[str, Rule, Check]]) -> dict[str, Checks]:
    table: dict[str, Checks] = {}
    for key, rule, check in entries:
        table[key] = (*table.get(key, ()), (rule, check))
    return table
