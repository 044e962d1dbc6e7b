"""Permission checks with a gap before the use.

In between, the file may become another one.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import UNKNOWN

_ASKED: Final = "os.access:"
"""Prefix of marker variables that no code can name: ``os.access`` was called with that path. It was asked what may be done with that
path."""


def _path(call: Call) -> str:
    node = call.node.args[0] if call.node.args else None
    return node.id if isinstance(node, ast.Name) else ""


def _access(call: Call, state: State) -> Hit | None:
    if name := _path(call):
        state.store(_ASKED + name, UNKNOWN)
    return None


def _open(call: Call, state: State) -> Hit | None:
    name = _path(call)
    return Hit(call.node) if name and _ASKED + name in state.scope.variables else None


RULE: Final = Rule(
    id="check-then-use",
    cwe=367,
    severity="hint",
    message="The file can be replaced between this check and its use.",
    remedy="Just open it, and catch PermissionError.",
    bad=("import os\nif os.access(path, os.W_OK):\n    f = open(path, 'w')",),
    good=(
        "import os\nif os.access(path, os.X_OK):\n    print(path)",
        "import os\nif os.access(folder, os.W_OK):\n    f = open(path, 'w')",
        "try:\n    f = open(path, 'w')\nexcept PermissionError:\n    f = None",
    ),
    calls={"os.access": _access, **on("open os.remove os.unlink os.open shutil.copy", _open)},
)
