"""Passwords and keys that end up in logs."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import HOLE
from spark_jupyter.source.changed_names import last_name

_SECRET: Final = re.compile(
    r"^(?:\w+_)?(?:password|passwd|pwd|secret|secret_key|api_?key|(?:access|auth|api|bearer|refresh|bot)_token|private_key|credit_?card(?:_number)?|card_number|cvv|ssn|passphrase)$",
    re.IGNORECASE,
)


_HEADERS: Final = ("authorization", "x-api-key", "cookie", "set-cookie", "proxy-authorization")
_WITH_PASSWORD: Final = re.compile(f"://[^/@\\s]*:{HOLE}@")
"""``f"postgresql://{user}:{password}@…"``: an address with a password that is put in."""
_AS_TEXT: Final = ("dumps", "str", "repr", "dict", "pformat", "vars")
"""Functions that show their argument."""
_SAME: Final = ("hex", "decode", "encode", "strip", "upper", "lower", "get_secret_value")


def _check(call: Call, state: State) -> Hit | None:
    if call.tail not in ("print", "pprint") and "log" not in call.name.lower():
        return None
    for arg in call.node.args:
        for node in _shown(arg):
            if _holds_secret(node, call, state):
                return Hit(call.node)
            name = last_name(node) or _key(node)
            if name and _is_secret(name, call, state) and not _is_object(node, state):
                return Hit(call.node)
    return None


def _holds_secret(node: ast.expr, call: Call, state: State) -> bool:
    """True if a dict with a password or a token under its name is shown, or the whole environment."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        keys = [
            key.value for key, value in pairs if isinstance(key, ast.Constant) and not isinstance(value, ast.Constant)
        ]
        return any(isinstance(key, str) and _is_kept(key, call, state) for key in keys)
    if isinstance(node, ast.Attribute) and ast.unparse(node) == "os.environ":
        return True
    found = state.lookup(node.id) if isinstance(node, ast.Name) else None
    if found is not None and _WITH_PASSWORD.search(found.text or ""):
        return True
    if found is None or not isinstance(found.items, dict):
        return False
    return any(
        isinstance(key, str) and not value.is_constant and _is_kept(key, call, state)
        for key, value in found.items.items()
    )


def _is_kept(key: str, call: Call, state: State) -> bool:
    return key.lower() in _HEADERS or _is_secret(key, call, state)


def _is_secret(name: str, call: Call, state: State) -> bool:
    if _SECRET.match(name):
        return True
    web = state.uses("requests", "httpx", "aiohttp", "flask", "fastapi", "jwt", "boto3", "django")
    return call.name != "print" and web and re.fullmatch(r"(?:\w+_)?token", name, re.IGNORECASE) is not None


def _is_object(node: ast.expr, state: State) -> bool:
    """True for an object that prints as ``<RSAPrivateKey object at …>``, which shows nothing."""
    found = state.lookup(node.id) if isinstance(node, ast.Name) else None
    return found is not None and found.name.endswith(("generate_private_key()", "generate()", "load_pem_private_key()"))


def _key(node: ast.AST) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return ""


def _shown(node: ast.expr) -> list[ast.expr]:
    """Parts of an expression that show in the text; arguments of a function do not."""
    if isinstance(node, ast.JoinedStr):
        return [shown for part in node.values if isinstance(part, ast.FormattedValue) for shown in _shown(part.value)]
    if isinstance(node, ast.BinOp):
        return [*_shown(node.left), *_shown(node.right)] if len(ast.dump(node)) < 5_000 else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return [shown for arg in node.args for shown in _shown(arg)]
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _SAME
        and not node.args
    ):
        return _shown(node.func.value)
    if isinstance(node, ast.Call) and node.args:
        return [node, *_shown(node.args[0])] if last_name(node.func) in _AS_TEXT else [node]
    if isinstance(node, ast.Tuple):
        return [shown for arg in node.elts for shown in _shown(arg)]
    return [node]


RULE: Final = Rule(
    id="secret-in-log",
    cwe=532,
    severity="warn",
    message="A password or key is printed here: it stays in the notebook's output or in the log.",
    remedy="Leave it out, or show only that it is there.",
    bad=(
        'import json, os\nsettings = {"host": os.environ["H"], "password": os.environ["P"]}\nprint(json.dumps(settings))',
        'import logging\nheaders = {"Authorization": "Token " + key}\nlogging.debug("GET %s %s", url, headers)',
        "import os\nprint(dict(os.environ))",
    ),
    good=(
        'import json, os\nsettings = {"host": os.environ["H"], "password": "***"}\nprint(json.dumps(settings))',
        'headers = {"Authorization": "Token " + key, "Accept": "*/*"}\nprint(headers["Accept"], len(headers))',
        'url = f"postgresql://{host}:{port}/shop"\nprint(url)',
    ),
    calls=on("print pprint.pprint rich.print", _check),
    methods=on("debug info warning warn error critical exception", _check),
)
