"""A server for notebooks that lets everybody in: who reaches it runs what they like."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Literal, Rule, on
from spark_jupyter.guardrail.state import State

_OPEN: Final = re.compile(
    r"\bjupyter[\s-](?:lab|notebook|server)\b.*--(?:NotebookApp|ServerApp|IdentityProvider)\.token=(?:''|\"\"|\s|$)",
    re.DOTALL,
)


def _command(event: Command, state: State) -> Hit | None:
    return Hit(event.node) if _OPEN.search(event.text) else None


def _process(call: Call, state: State) -> Hit | None:
    command = call.argument(0, "args", "command", "cmd")
    words = command.items if isinstance(command.items, list) and len(command.items) < 40 else ()
    text = command.known_text or " ".join(word.known_text or "" for word in words)
    return Hit(call.node) if _OPEN.search(text) else None


def _literal(event: Literal, state: State) -> Hit | None:
    """``launch_instance(argv=["--IdentityProvider.token="])``."""
    return Hit(event.node) if _ARGUMENT.fullmatch(event.text) else None


_ARGUMENT: Final = re.compile(r"--(?:NotebookApp|ServerApp|IdentityProvider)\.token=(?:''|\"\")?")

RULE: Final = Rule(
    id="server-without-token",
    cwe=306,
    severity="warn",
    message="This Jupyter server asks for no token: whoever reaches its port runs code as you.",
    remedy="Leave its token on, or give it a password (jupyter server password).",
    bad=(
        'ServerApp.launch_instance(argv=["--ip=0.0.0.0", "--IdentityProvider.token="])',
        "!jupyter lab --ip=0.0.0.0 --ServerApp.token='' &",
        'import subprocess\nsubprocess.Popen(["jupyter", "lab", "--IdentityProvider.token="])',
    ),
    good=(
        "!jupyter lab --no-browser",
        "!jupyter nbconvert --to html report.ipynb",
        "!jupyter lab --IdentityProvider.token=$JUPYTER_TOKEN",
    ),
    calls=on("os.system subprocess.run subprocess.call subprocess.check_call subprocess.Popen", _process),
    command=_command,
    literal=_literal,
)
