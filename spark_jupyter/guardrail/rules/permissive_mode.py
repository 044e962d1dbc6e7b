"""Files that everybody may read, change or run."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.source.changed_names import last_name


def _check(call: Call, state: State) -> Hit | None:
    position = (
        0
        if call.tail == "chmod" and call.name not in ("os.chmod", "os.fchmod", "os.lchmod") and len(call.args) == 1
        else 1
    )
    mode = call.argument(position, "mode")
    if not isinstance(mode.const, int) or isinstance(mode.const, bool):
        node = call.node.args[position] if position < len(call.node.args) else None
        wide = node is not None and any(last_name(part) in ("S_IRWXO", "S_IWOTH") for part in ast.walk(node))
        return Hit(call.node) if wide else None
    if mode.const & 0o002 and not mode.const & 0o1000:
        return Hit(call.node, severity="block")
    if call.tail in ("chmod", "fchmod", "lchmod") and mode.const & 0o001 and mode.const & 0o200:
        return Hit(call.node, severity="hint", message="Everybody on this machine may run this file.")
    if mode.const & 0o044 and _SECRET.search(_path(call)):
        return Hit(
            call.node, message="Others on this machine may read this file, and its name says that it holds a secret."
        )
    return None


_SECRET: Final = re.compile(
    r"credential|secret|passw|token|id_rsa|\.pem\b|private|\.key\b|\.netrc|\.pgpass", re.IGNORECASE
)


def _path(call: Call) -> str:
    path = call.receiver if call.tail == "chmod" and not call.name.startswith("os.") else call.argument(0, "path")
    node = call.node.args[0] if call.node.args and call.name.startswith("os.") else call.node
    return (path.text or "") + (node.id if isinstance(node, ast.Name) else "")


def _created(call: Call, state: State) -> Hit | None:
    """``os.open(path, os.O_CREAT | …)`` without a mode takes 0o777 (its manual)."""
    flags = call.node.args[1] if len(call.node.args) > 1 else None
    creates = flags is not None and any(last_name(part) == "O_CREAT" for part in ast.walk(flags))
    if not creates:
        return None
    if call.given(2, "mode"):
        return _check(call._replace(args=[call.argument(0), call.argument(2)]), state)
    return Hit(call.node)


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


def _process(call: Call, state: State) -> Hit | None:
    """``subprocess.run(["chmod", "-R", "777", folder])``, ``os.system("chmod 777 data")``."""
    command = call.argument(0, "args", "command")
    parts = command.items if isinstance(command.items, list) else ()
    text = command.known_text or " ".join(part.known_text or "_" for part in parts)
    return _command(Command(call.node, text, command, ""), state) if "chmod" in text else None


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
    ),
    good=(
        "import os\nos.open(path, os.O_CREAT | os.O_WRONLY, 0o600)",
        "import os\nos.open(path, os.O_RDONLY)",
        'import os\nos.chmod("run.sh", 0o750)',
    ),
    calls={
        **on("os.chmod os.fchmod os.lchmod os.mkdir os.makedirs", _check),
        "os.umask": _umask,
        "os.open": _created,
        **on("subprocess.run subprocess.call subprocess.check_call os.system", _process),
    },
    methods=on("chmod", lambda call, state: None if call.name.startswith("os.") else _check(call, state)),
    command=_command,
)
