"""Visitor addresses taken from a header that anybody can write."""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Compare, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State


def _forwarded(value: object) -> bool:
    return any(origin.label == "a forwarding header" for origin, _ in getattr(value, "flows", ()))


def _compare(event: Compare, state: State) -> Hit | None:
    if not isinstance(event.node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
        return None
    return Hit(event.node) if _forwarded(event.left) or _forwarded(event.right) else None


def _prefix(call: Call, state: State) -> Hit | None:
    return Hit(call.node) if _forwarded(call.receiver) else None


RULE: Final = Rule(
    id="client-address-from-header",
    cwe=348,
    severity="warn",
    message="Anybody can send this header: it says nothing about who is there.",
    remedy="Use request.remote_addr, and ProxyFix for the proxies that are yours.",
    bad=(
        'ip = request.headers.get("X-Forwarded-For")\nif ip == "127.0.0.1":\n    admin()',
        'ip = request.headers["X-Real-IP"]\nif ip.startswith("192.168."):\n    admin()',
    ),
    good=(
        'ip = request.remote_addr\nif ip == "127.0.0.1":\n    admin()',
        'name = request.headers.get("X-Name")\nif name == "a":\n    pass',
    ),
    methods=on("startswith", _prefix),
    compare=_compare,
)
