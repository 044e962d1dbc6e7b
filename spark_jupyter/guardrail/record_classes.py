"""Classes that only hold data.

Dataclasses, named tuples, pydantic's models.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_values import SAFE, Fact, Value, merge_flows

_MADE_FROM: Final = frozenset({"model_validate", "model_validate_json", "parse_obj", "parse_raw", "_make"})


def made(event: Call, function: Value) -> Value | None:
    """``Job(target=…)``, ``Job.model_validate(data)``: each field has the taint of its argument, or of the object that was given as a
    whole."""
    if event.name == "types.SimpleNamespace":
        given = merge_flows(*[value.flows for value in event.kwargs.values()])
        return Value(event.name, flows=given, items=dict[object, Value](event.kwargs.items()), fact=Fact.RECORD)
    validated = event.tail in _MADE_FROM and event.receiver.fact is Fact.MODEL
    kind = event.receiver if validated else function
    if kind.fact is not Fact.MODEL or not isinstance(kind.items, dict):
        return None
    flows = merge_flows(*[value.flows for value in (*event.args, *event.kwargs.values())])
    fields: dict[object, Value] = {}
    if not validated:
        fields.update(zip(kind.items, event.args, strict=False))
        fields.update((name, value) for name, value in event.kwargs.items() if name in kind.items)
    for name, field in kind.items.items():
        if field is SAFE or ("." in field.name and name not in fields):  # a default that is a function
            fields[name] = field
    return Value(f"{event.name}()", flows=flows, items=fields, fact=Fact.RECORD)


def named(event: Call) -> Value | None:
    """``Job = namedtuple("Job", "target when")``."""
    if event.name not in ("collections.namedtuple", "namedtuple"):
        return None
    listed = event.argument(1, "field_names")
    names = (listed.known_text or "").replace(",", " ").split()
    if isinstance(listed.items, list):
        names = [name for one in listed.items if (name := one.known_text)]
    return Value(fact=Fact.MODEL, items={name: Value(name) for name in names})
