"""Effects of assignments and of methods that change a list on the taint state."""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail import meant_conditions, taint_calls
from spark_jupyter.guardrail.evaluator import Evaluator
from spark_jupyter.guardrail.marked_paths import is_whole
from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import MISSING, UNKNOWN, Value, join_values, merge_flows, words

PUTS: Final = words("append add insert put put_nowait appendleft")
"""Methods that put a value into what they belong to."""


def bind(target: ast.expr, value: Value, indent: int, it: Evaluator) -> None:
    """Assign a value to a target of any form."""
    if isinstance(target, ast.Name):
        meant_conditions.forget(target.id, it.state)
        it.assigned(target, target.id, "", UNKNOWN, value)
        _store(target.id, value, indent, it.state)
    elif isinstance(target, ast.Attribute):
        base = it.evaluate(target.value)
        name = f"{base.name}.{target.attr}"
        it.assigned(target, name, "", base, value)
        if isinstance(target.value, ast.Name):
            _store(f"{target.value.id}.{target.attr}", value, indent, it.state)
            _keep(target.value.id, value, it.state)
    elif isinstance(target, ast.Subscript):
        _bind_item(target, value, it)
    elif isinstance(target, ast.Tuple | ast.List):
        items = value.items if isinstance(value.items, list) and len(value.items) == len(target.elts) else None
        for index, part in enumerate(target.elts):
            bind(part, items[index] if items is not None else taint_calls.element_of(value), indent, it)
    elif isinstance(target, ast.Starred):
        bind(target.value, value, indent, it)


def _keep(name: str, value: Value, state: State) -> None:
    """``self.x = x`` in ``__init__``: the object holds what it was made from."""
    scope = state.scope
    if name == "self" and scope.name == "__init__" and scope.summary is not None:
        scope.summary.returned = merge_flows(scope.summary.returned, value.flows)


def _bind_item(target: ast.Subscript, value: Value, it: Evaluator) -> None:
    base = it.evaluate(target.value)
    index = it.evaluate(target.slice)
    key = index.const if isinstance(index.const, str) else ""
    it.assigned(target, base.name, key, base, value)
    if isinstance(target.value, ast.Name):
        items = base.items
        if isinstance(items, dict) and index.const is not MISSING and len(items) < 64:
            items = {**items, index.const: value}
        flows = merge_flows(base.flows, value.flows)
        if flows is not base.flows or items is not base.items:
            it.state.change(target.value.id, base.but(items=items, flows=flows, safe=False))


def _store(name: str, value: Value, indent: int, state: State) -> None:
    """Store a value; in a branch, a possible constant does not make input harmless."""
    if (value.is_constant or value.safe) and indent > state.scope.indent + 1 and state.clause not in ("else",):
        old = state.scope.variables.get(name)
        if old is not None and old.flows and _is_conditional(indent, state):
            value = join_values(old, value)
    state.store(name, value)


def _is_conditional(indent: int, state: State) -> bool:
    body = state.scope.body
    return body is not None and indent > body


def mutate(event: Call, state: State) -> None:
    """``items.append(x)``: what ``items`` stands for now holds ``x`` too."""
    function = event.node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return
    old = event.receiver
    flows = merge_flows(old.flows, *[arg.flows for arg in event.args])
    items = old.items
    kept = items if isinstance(items, list) else []
    if event.tail == "append" and isinstance(items, list):
        items = [*items, event.args[0]][:64]
    elif event.tail == "extend" and isinstance(items, list):
        items = [*items, taint_calls.element_of(event.args[0])][:64]
    elif event.tail in PUTS and any(map(is_whole, [given := event.args[-1 if event.tail == "insert" else 0], *kept])):
        items = [*kept, given][:64]
    elif event.tail != "write":
        items = None
    if flows is not old.flows or items is not old.items:
        safe = old.safe and all(arg.safe or arg.is_constant for arg in event.args)
        state.change(function.value.id, old.but(flows=flows, items=items, safe=safe))
