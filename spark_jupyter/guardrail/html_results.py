"""Taint of calls whose result is escaped HTML or JSON."""

from __future__ import annotations

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_values import Danger, Value, without


def table(event: Call) -> Value | None:
    """``df.to_html()`` escapes what is in the table, unless it is told not to."""
    escape = event.argument(-1, "escape")
    if escape.const is False or not event.receiver.name.startswith("pandas."):
        return None
    return Value(f"{event.name}()", flows=without(event.receiver.flows, Danger.HTML))


def response(event: Call) -> Value | None:
    """Flask's ``make_response({…})`` is an answer in JSON."""
    body = event.argument(0, "response")
    if not isinstance(body.items, dict):
        return None
    return Value(f"{event.name}()", flows=without(body.flows, Danger.HTML))
