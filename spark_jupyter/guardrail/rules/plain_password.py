"""Passwords that are stored, or looked for, as they are."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Compare, Hit, Rule, on
from spark_jupyter.guardrail.state import State
from spark_jupyter.guardrail.values import Value, words

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
    """Whether this is a password as somebody typed it: hashing it leaves no trace of the input."""
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
        'password = request.form["password"]\ncur.execute("INSERT INTO users (name, password) VALUES (?, ?)", (name, password))',
        "def register(name, password):\n    db.add(User(name=name, password=password))",
        'db.session.add(User(name=request.form["name"], password=request.form["password"]))',
        "import base64\ndef check(password):\n    return base64.b64decode(stored(1)) == password",
    ),
    good=(
        (
            'password = generate_password_hash(request.form["password"])\ncur.execute("INSERT INTO users '
            '(name, password) VALUES (?, ?)", (name, password))'
        ),
        "def register(name, password):\n    db.add(User(name=name, password=hash_password(password)))",
        'cur.execute("INSERT INTO users (name, age) VALUES (?, ?)", (name, age))',
    ),
    compare=_decoded,
    methods={**on("execute", _execute), **on(" ".join(sorted(_RECORD)), _record)},
)
