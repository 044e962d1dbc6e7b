"""String arguments and their findings."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from spark_jupyter.protocol.values import Severity
from spark_jupyter.reality import findings
from spark_jupyter.reality.abstract_values import Value, constant
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule

Given = tuple[ast.expr, str]


def text_of(argument: tuple[ast.expr, Value] | None) -> Given | None:
    single = constant(argument[1]) if argument is not None else None
    return (argument[0], single) if argument is not None and type(single) is str else None


def is_among(text: str, allowed: tuple[str, ...], *, shortened: bool = True) -> bool:
    """True if a string is one of those that are allowed. Of the ways to sort numpy looks at the first letter only; matplotlib and numpy
    do not tell small letters from capitals."""
    if "quicksort" in allowed or "C" in allowed:
        return text[:1].lower() in {one[:1].lower() for one in allowed}
    lowered = text.lower()  # scipy takes "low" for "lowpass"
    return any(
        lowered == one.lower() or (shortened and len(lowered) > 1 and one.startswith(lowered)) for one in allowed
    )


def say(run: Run, given: Given, what: str, known: Iterable[str], *, certain: bool = False) -> None:
    node, text = given
    names = list(known)
    close = findings.nearest(text, names)
    remedy = findings.with_listing(close, "There", names)
    severity: Severity = "block" if certain else "warn"
    message = f"`{text}` is not {what}."
    run.say(Rule.UNKNOWN_VALUE, message, node, remedy=remedy, severity=severity, wrong=text, meant=close)
