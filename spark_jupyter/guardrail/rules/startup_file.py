"""Files that run by themselves at a login, or when Python or IPython starts.

What is written there runs later, unasked, as often as somebody begins to work.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.marked_paths import in_project, starts_by_itself
from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.rules._commands import RUNS, text_of
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import SHELL_STARTUP, STARTUP, Value, words

_WRITES: Final = re.compile(r"(?:>>?\s*|\btee\s+(?:-a\s+|--append\s+)?)[\"']?([^\s;|&<>\"']+)")
_WRITTEN: Final = re.compile(r"%(?:writefile|file|logstart|save|notebook)\s|%hist(?:ory)?\s(?:.{0,200}\s)?-\w*f")
"""Magics that write a file."""
_COPIES: Final = words("cp mv install ln scp")
_ENDS: Final = re.compile(r"[;&|\n]+")
_ELSEWHERE: Final = re.compile(r"\bssh\s[^|;&'\"\n]{0,200}(?:'[^']{0,2000}'|\"[^\"]{0,2000}\")")
"""A command for another machine: a person's own key is put there by it."""
_CRON: Final = re.compile(r"(?:^|[;&|]\s*)(?:sudo\s+)?crontab\s+-(?:\s|$)")


def _hit(node: ast.AST, label: str | None) -> Hit | None:
    return Hit(node, severity="warn" if label == SHELL_STARTUP else None) if label else None


def _command(event: Command, state: State) -> Hit | None:
    if _WRITTEN.match(event.text):
        return _hit(event.node, max((_label(word.strip("\"'")) for word in event.text.split()[1:40]), default=""))
    return _by_shell(event.node, event.text)


def _shell(call: Call, state: State) -> Hit | None:
    return _by_shell(call.node, text_of(call))


def _by_shell(node: ast.AST, text: str) -> Hit | None:
    if _CRON.search(text):
        return Hit(node)
    here = _ELSEWHERE.sub("ssh ", text)
    paths = [found[1] for found in _WRITES.finditer(here)] + [
        path for part in _ENDS.split(here) for path in _copied(part)
    ]
    there = [found[1] for found in _WRITES.finditer(text)] if here != text else ()
    return _hit(node, max(map(_label, paths), default="")) or (
        Hit(node, severity="hint") if any(map(_label, there)) else None
    )


def _label(path: str) -> str:
    return "" if in_project(path) else starts_by_itself(path)


def _copied(command: str) -> list[str]:
    given = command.removeprefix("sudo ").split()
    return [given[-1].strip("\"'")] if given and given[0] in _COPIES else []


def _of(value: Value) -> str | None:
    if in_project(value.known_text):
        return None
    labels = {origin.label for origin, _ in value.flows}
    return STARTUP if STARTUP in labels else SHELL_STARTUP if SHELL_STARTUP in labels else None


def _open(call: Call, state: State) -> Hit | None:
    by_path = call.name not in ("open", "io.open", "codecs.open", "os.open")
    mode = call.argument(0 if by_path else 1, "mode").known_text or ""
    path = call.receiver if by_path else call.argument(0, "file")
    return _hit(call.node, _of(path)) if set(mode) & set("wax+") else None


def _write(call: Call, state: State) -> Hit | None:
    return _hit(call.node, _of(call.receiver)) if call.receiver.name != "open()" else None


def _copy(call: Call, state: State) -> Hit | None:
    return _hit(call.node, _of(call.argument(1, "dst")))


RULE: Final = Rule(
    id="startup-file",
    cwe=506,
    severity="block",
    message="What is written here runs by itself later: at each login, or whenever Python or IPython starts.",
    remedy="Put it into the notebook, or into a script that you start yourself.",
    bad=(
        'from pathlib import Path\n(Path.home() / ".ipython/profile_default/startup/a.py").write_text(code)',
        '!echo "$KEY" >> ~/.ssh/authorized_keys',
        'import os\nwith open(os.path.expanduser("~/.bashrc"), "a") as f:\n    f.write(line)',
    ),
    good=(
        'from pathlib import Path\n(Path.home() / ".bashrc").read_text()',
        "!cat ~/.ssh/authorized_keys >> /tmp/keys.txt",
        'with open("profile.txt", "w") as f:\n    f.write(line)',
    ),
    calls={
        **on("open io.open codecs.open", _open),
        **on("shutil.copy shutil.copy2 shutil.copyfile shutil.move os.rename os.replace os.symlink os.link", _copy),
        "urllib.request.urlretrieve": _copy,
        **on(RUNS, _shell),
    },
    methods=on(
        "open", lambda call, state: _open(call, state) if call.name not in ("open", "io.open", "codecs.open") else None
    )
    | on("write_text write_bytes symlink_to", _write),
    command=_command,
)
