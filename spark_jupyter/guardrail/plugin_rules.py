"""Guardrail rules of plug-ins, kept from doing harm when they fail."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.guardrail.rule import Check, Hit, Rule
from spark_jupyter.plugins import report_fault


def own_rule(name: str, found: object) -> Rule:
    """The rule behind an entry point. Raises TypeError or ValueError for what is none."""
    if not isinstance(found, Rule):
        raise TypeError("it is no spark_jupyter.guardrail.rule.Rule")
    if found.id != name:
        raise ValueError(f"its id is {found.id!r}, not the name of its entry point")
    return found


def harmless(rule: Rule, package: str) -> Rule:
    """The rule with checks that report an error of theirs once, find nothing then, and are not called again."""
    failed: list[Exception] = []

    def guarded(check: Check) -> Check:
        def safe(event: object, state: object) -> Hit | None:
            if failed:
                return None
            try:
                hit = check(event, state)
                if hit is None or isinstance(hit, Hit):
                    return hit
                raise TypeError(f"a check returned {type(hit).__name__} in place of a Hit")
            except Exception as error:  # code of another package: the stream goes on
                failed.append(error)
                report_fault("rules", rule.id, package, error)
                return None

        return safe

    changed: dict[str, object] = {"has_page": False}
    for field in structs.fields(Rule):
        value = getattr(rule, field.name)
        if field.name in ("calls", "methods"):
            changed[field.name] = {name: guarded(check) for name, check in value.items()}
        elif callable(value) and field.name not in ("spares", "built"):
            changed[field.name] = guarded(value)
    return structs.replace(rule, **changed)
