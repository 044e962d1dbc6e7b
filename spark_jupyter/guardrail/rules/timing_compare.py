"""Secret comparisons whose time depends on the secret.

They take longer the more is right, which can be measured.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Compare, Hit, Rule
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value

_SIGNATURE: Final = re.compile(
    r"^(?:\w+_)?(?:signature|sig|hmac|mac_digest|digest|csrf_?token|api_?key|auth_?token|access_?token|secret)$|^(?:expected|computed|provided|received)_(?:token|hash|mac|hash_value)$|^x_hub_signature\w*$",
    re.IGNORECASE,
)
_PASSWORD: Final = re.compile(
    r"^(?:\w+_)?(?:password|passwd|pwd|pw|passphrase)(?:_hash)?$|^hashed_?(?:password|pw)$", re.IGNORECASE
)


_TOKEN: Final = re.compile(r"(?:^|_)(?:token|secret|key|authorization)$", re.IGNORECASE)


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return str(node.slice.value) if isinstance(node.slice, ast.Constant) else _name(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get" and node.args and isinstance(node.args[0], ast.Constant):
            return str(node.args[0].value).replace("-", "_")
        if node.func.attr in ("encode", "strip"):
            return _name(node.func.value)
    return ""


def _compare(event: Compare, state: State) -> Hit | None:
    node = event.node
    if (
        len(node.ops) != 1
        or not isinstance(node.ops[0], ast.Eq | ast.NotEq)
        or any(isinstance(one, ast.Constant) for one in (node.left, node.comparators[0]))
    ):
        return None
    names = _name(node.left), _name(node.comparators[0])
    if any(one.name.startswith("hmac.") for one in (event.left, event.right)) or (
        any(map(_SIGNATURE.match, names)) and all(names) and _untrusted(event.left, event.right)
    ):
        return Hit(node)
    if all(map(_TOKEN.search, names)) and any(
        "headers" in ast.unparse(one) for one in (node.left, node.comparators[0])
    ):
        return Hit(node)  # one that comes in a header, with ours
    if (
        any(map(_PASSWORD.match, names))
        and _untrusted(event.left, event.right)
        and not any("confirm" in name.lower() or "repeat" in name.lower() or name.endswith("2") for name in names)
    ):
        return Hit(
            node,
            message="Passwords are compared in plain text, and the time it takes reveals how much of one is right.",
            remedy="Keep a salted hash (scrypt, bcrypt) and compare with hmac.compare_digest.",
        )
    return None


def _untrusted(*values: Value) -> bool:
    return any(value.flows for value in values)


RULE: Final = Rule(
    id="timing-compare",
    cwe=208,
    severity="warn",
    message="== stops at the first difference, so the time it takes reveals a secret piece by piece.",
    remedy="Use hmac.compare_digest(a, b).",
    bad=(
        "import hmac\nif hmac.new(key, msg, 'sha256').hexdigest() == given:\n    ok()",
        "def login(password):\n    return password == stored_password",
        'if request.headers["X"] == signature:\n    ok()',
    ),
    good=(
        'import re\nif headers["kind"] == row.token:\n    ok()',
        "import hmac\nif hmac.compare_digest(a, b):\n    ok()",
        "if name == other_name:\n    ok()",
    ),
    compare=_compare,
)
