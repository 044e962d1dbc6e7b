"""Roles taken from a header or cookie that anybody can write."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Compare, Hit, Rule
from spark_jupyter.guardrail.taint_state import State

_ROLE: Final = re.compile(
    r"(?:^|[-_])(?:is[-_]?)?(?:admin|superuser|staff|role|privileged?|authenticated|logged[-_]?in)$", re.IGNORECASE
)

_SAID: Final = re.compile(r"\b(?:headers|cookies|COOKIES|META|args|GET)\b")


def _key(node: ast.expr) -> str:
    """The constant in ``request.cookies.get("role")`` and ``request.headers["X-Admin"]``; "" elsewhere."""
    part: ast.expr | None = None
    if isinstance(node, ast.Subscript):
        part = node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        part = node.args[0]
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""


def _compare(event: Compare, state: State) -> Hit | None:
    node = event.node
    if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
        return None
    sides = ((node.left, event.left, event.right), (node.comparators[0], event.right, event.left))
    for place, value, other in sides:
        if other.is_constant and _ROLE.search(_key(place)) and _SAID.search(ast.unparse(place)) and value.flows:
            return Hit(node)
    return None


RULE: Final = Rule(
    id="claimed-role",
    cwe=807,
    severity="warn",
    message="The client sets this value itself: anybody can write a header or a cookie.",
    remedy="Use the session of the logged-in user, or a token whose signature is checked.",
    bad=(
        'if request.headers.get("X-Admin") == "true":\n    show()',
        'if request.cookies["role"] != "admin":\n    abort(403)',
    ),
    good=(
        'if request.headers.get("X-Requested-With") == "XMLHttpRequest":\n    show()',
        'if session.get("role") == "admin":\n    show()',
        'if current_user.role == "admin":\n    show()',
    ),
    compare=_compare,
)
