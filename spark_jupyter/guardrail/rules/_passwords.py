"""Password names and calls for several rules."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State

_PASSWORD: Final = re.compile(r"pass(?:word|wd|phrase)|(?:^|_)(?:pass|pw)(?:_|$)|pwd|secret|credential", re.IGNORECASE)


def about_password(call: Call, state: State) -> bool:
    """True if an argument of a call, or the function around it, is named like a password."""
    names = [
        *[origin.parameter + origin.label for value in call.args for origin, _ in value.flows],
        *[value.name for value in call.args],
    ]
    for arg in call.node.args:
        for node in ast.walk(arg):
            if isinstance(node, ast.Name):
                names.append(node.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 20:
                names.append(node.value)  # request.form["password"]
    return any(_PASSWORD.search(name) for name in names)


def salted(call: Call) -> bool:
    """True if a salt is added to the hashed text."""
    return any(
        isinstance(node, ast.Name) and "salt" in node.id.lower() for arg in call.node.args for node in ast.walk(arg)
    )
