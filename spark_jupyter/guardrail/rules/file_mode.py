"""Files that everybody may read, change or run."""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.state import State


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _check(call: Call, state: State) -> Hit | None:
    position = (
        0
        if call.tail == "chmod" and call.name not in ("os.chmod", "os.fchmod", "os.lchmod") and len(call.args) == 1
        else 1
    )
    mode = call.argument(position, "mode")
    if not isinstance(mode.const, int) or isinstance(mode.const, bool):
        node = call.node.args[position] if position < len(call.node.args) else None
        wide = node is not None and any(_name(part) in ("S_IRWXO", "S_IWOTH") for part in ast.walk(node))
        return Hit(call.node) if wide else None
    if mode.const & 0o002 and not mode.const & 0o1000:
        return Hit(call.node, severity="block")
    if call.tail in ("chmod", "fchmod", "lchmod") and mode.const & 0o011 and mode.const & 0o200:
        return Hit(call.node, message="Everybody may run this file.")
    return None


def _umask(call: Call, state: State) -> Hit | None:
    return Hit(call.node) if call.argument(0).const == 0 and call.args else None


def _command(event: Command, state: State) -> Hit | None:
    words = event.text.split()
    if words[:1] == ["sudo"]:
        words = words[1:]
    if words[:1] == ["chmod"] and any(
        word in ("777", "0777", "666", "a+w", "o+w", "a+rwx", "ugo+rwx") for word in words
    ):
        return Hit(event.node)
    return None


RULE: Final = Rule(
    id="permissive-mode",
    cwe=732,
    severity="warn",
    message="Everybody on this machine may change this file.",
    remedy="Use 0o600 for a file of your own, 0o700 for a folder.",
    bad=(
        'import os\nos.chmod("a", 0o777)',
        "from pathlib import Path\nPath('a').chmod(0o666)",
        "import os, stat\nos.chmod(path, stat.S_IRWXU | stat.S_IRWXO)",
        "import os\nos.umask(0)",
        "!chmod 777 data",
    ),
    good=('import os\nos.chmod("a", 0o600)', "import os\nos.umask(0o077)", "!chmod 600 key"),
    calls={**on("os.chmod os.fchmod os.lchmod os.mkdir os.makedirs os.open_", _check), "os.umask": _umask},
    methods=on("chmod", lambda call, state: None if call.name.startswith("os.") else _check(call, state)),
    command=_command,
)
