"""Notebook servers without a token.

Whoever reaches one runs what they like.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Command, Hit, Literal, Rule, on
from spark_jupyter.guardrail.taint_state import State

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


def _assign(event: Assign, state: State) -> Hit | None:
    """``c.ServerApp.token = ""`` in a configuration."""
    return Hit(event.node) if event.value.const == "" and _SETTING.search(event.name) else None


_SETTING: Final = re.compile(r"\.(?:NotebookApp|ServerApp|IdentityProvider)\.token$")


def _cluster(call: Call, state: State) -> Hit | None:
    """``LocalCluster(host="0.0.0.0")``, ``ray.init(dashboard_host="0.0.0.0")``: their workers run what they are sent, and ask nobody who
    sends it."""
    if call.name.startswith("dask") and call.given(-1, "security", "protocol"):
        return None
    address = call.argument(-1, "host", "dashboard_host", "_node_ip_address")
    is_open = address.const in ("0.0.0.0", "::", "tcp://0.0.0.0")
    return Hit(call.node, message=_RUNS_ALL, remedy=_NEAR) if is_open else None


_RUNS_ALL: Final = "Whoever reaches this port runs code as you: it asks nobody who they are."
_NEAR: Final = 'Leave it on "127.0.0.1", or behind a tunnel or TLS with certificates.'

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
        'c.ServerApp.token = ""',
    ),
    good=(
        "!jupyter lab --no-browser",
        'c.ServerApp.token = os.environ["TOKEN"]\nc.ServerApp.open_browser = False',
        'import ray\nray.init(dashboard_host="127.0.0.1")',
    ),
    calls={
        **on("os.system subprocess.run subprocess.call subprocess.check_call subprocess.Popen", _process),
        **on(
            "ray.init dask.distributed.LocalCluster distributed.LocalCluster dask.distributed.Client distributed.Client",
            _cluster,
        ),
    },
    assign=_assign,
    command=_command,
    literal=_literal,
)
