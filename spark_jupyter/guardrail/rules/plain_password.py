"""Passwords stored or compared in plain text."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Compare, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value, words

_COLUMN: Final = re.compile(r"\b(?:INSERT|UPDATE|REPLACE|SELECT)\b.*\bpass(?:word|wd)?\b", re.IGNORECASE | re.DOTALL)
_NAME: Final = words("password passwd pwd new_password plain_password user_password pass_word")
_RECORD: Final = words("User Account Member Customer Admin UserModel Users")


def _execute(call: Call, state: State) -> Hit | None:
    if len(call.node.args) < 2 or not _COLUMN.search(call.argument(0).text or ""):
        return None
    given = call.node.args[1]
    parts = (
        given.elts if isinstance(given, ast.Tuple | ast.List) else given.values if isinstance(given, ast.Dict) else []
    )
    return Hit(call.node) if any(part is not None and _plain(part, state) for part in parts) else None


def _plain(node: ast.expr, state: State) -> bool:
    """True if this is a password as somebody typed it: hashing leaves no trace of the input."""
    if not isinstance(node, ast.Name):
        return _asked(node)
    found = state.lookup(node.id)
    return node.id in _NAME and found is not None and bool(found.flows)


def _asked(node: ast.expr) -> bool:
    """``request.form["password"]``, ``data.get("password")``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        key: ast.expr = node.args[0]
    elif isinstance(node, ast.Subscript):
        key = node.slice
    else:
        return False
    return isinstance(key, ast.Constant) and key.value in _NAME


def _record(call: Call, state: State) -> Hit | None:
    value = call.kwargs.get("password", Value())
    node = next((word.value for word in call.node.keywords if word.arg == "password"), None)
    return Hit(call.node) if call.tail in _RECORD and node is not None and value.flows and _plain(node, state) else None


def _into_file(call: Call, state: State) -> Hit | None:
    """``json.dump({"password": password}, file)``, ``path.write_text(json.dumps(…))``, ``file.write(f"{user}:{password}")``."""
    if not call.node.args or (call.tail.endswith("dump") and len(call.node.args) < 2):
        return None
    if any(value.name == "os.open()" for value in state.scope.variables.values()):
        return None  # with a mode of its own
    given = call.node.args[0]
    if call.tail.endswith("dump"):
        return _said(call) if _kept(given, state) else None
    texts = [given, *(given.args if isinstance(given, ast.Call) and ast.unparse(given.func).endswith("dumps") else [])]
    parts = [
        part.value
        for text in texts
        if isinstance(text, ast.JoinedStr)
        for part in text.values
        if isinstance(part, ast.FormattedValue)
    ]
    if any(_kept(text, state) for text in texts[1:]) or any(_plain(part, state) for part in parts):
        return _said(call)
    return None


def _said(call: Call) -> Hit:
    return Hit(call.node, cwe=312, message=_IN_FILE, remedy=_ELSEWHERE)


def _kept(node: ast.expr, state: State) -> bool:
    """True if a dict holds a password as somebody typed it."""
    if isinstance(node, ast.Dict):
        return any(_plain(value, state) for value in node.values)
    found = state.lookup(node.id) if isinstance(node, ast.Name) else None
    items = found.items if found is not None and isinstance(found.items, dict) else {}
    return any(key in _NAME and value.flows and not value.safe for key, value in items.items())


_IN_FILE: Final = "The password goes into a file as it is: whoever reads the file, or a copy of it, has it."
_ELSEWHERE: Final = "Leave it to the system's keyring (the package keyring), or keep only a salted hash."


def _decoded(event: Compare, state: State) -> Hit | None:
    """``base64.b64decode(stored) == password``: an encoding is no hash."""
    if not any(isinstance(op, ast.Eq | ast.NotEq) for op in event.node.ops):
        return None
    sides = (event.node.left, event.node.comparators[0])
    for value, other in ((event.left, sides[1]), (event.right, sides[0])):
        if value.name.startswith("base64.") and isinstance(other, ast.Name) and other.id in _NAME:
            return Hit(event.node, message="The stored password is only encoded: whoever reads it can decode it.")
    return None


RULE: Final = Rule(
    id="plain-password",
    cwe=522,
    severity="warn",
    message="The password is kept as it is: whoever reads the database can log in as everybody.",
    remedy="Keep only a salted hash: argon2, bcrypt, hashlib.scrypt or werkzeug's generate_password_hash.",
    bad=(
        'import json\ndef keep(name, password):\n    with open("me", "w") as f:\n        json.dump({"password": password}, f)',
        'import json\ndef keep(user, password):\n    FILE.write_text(json.dumps({"user": user, "password": password}))',
        'def keep(user, password):\n    with open("me.txt", "a") as f:\n        f.write(f"{user}:{password}")',
    ),
    good=(
        'import json, requests\ndef login(user, password):\n    requests.post(URL, data=json.dumps({"user": user, "password": password}))',
        'import json\ndef keep(user, password):\n    FILE.write_text(json.dumps({"user": user, "password": hasher.hash(password)}))',
        (
            'password = generate_password_hash(request.form["password"])\ncur.execute("INSERT INTO users '
            '(name, password) VALUES (?, ?)", (name, password))'
        ),
    ),
    compare=_decoded,
    calls=on("json.dump yaml.dump yaml.safe_dump", _into_file),
    methods={**on("execute", _execute), **on("write write_text", _into_file), **on(" ".join(sorted(_RECORD)), _record)},
)
