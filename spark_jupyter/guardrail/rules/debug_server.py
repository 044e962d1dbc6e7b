"""Debug servers that others can reach.

The error page of a debug server runs code for whoever finds it; one on 0.0.0.0 can be found by all.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State


def _run(call: Call, state: State) -> Hit | None:
    debug = call.kwargs.get("debug")
    if (
        debug is not None
        and debug.const is True
        and call.tail
        in ("run", "Flask", "FastAPI", "Application", "Sanic", "launch", "run_server", "make_app", "web_app")
    ):
        outside = call.kwargs.get("host")
        return Hit(
            call.node,
            severity="block" if call.tail == "run" and outside is not None and outside.const == "0.0.0.0" else "warn",
        )
    host = call.kwargs.get("host")
    if host is not None and host.const in ("0.0.0.0", "::") and call.tail in ("run", "run_server", "launch"):
        return Hit(
            call.node,
            severity="warn",
            cwe=605,
            message="Every machine on the network can reach this server.",
            remedy='Use host="127.0.0.1" unless that is meant.',
        )
    return None


def _bind(call: Call, state: State) -> Hit | None:
    address = call.argument(0, "address", "server_address")
    items = address.items
    open_to_all = isinstance(items, list) and len(items) >= 2 and items[0].const in ("0.0.0.0", "", "::")
    if isinstance(items, list) and open_to_all and items[1].const != 0:  # port 0 asks for one that is free
        return Hit(
            call.node,
            severity="warn",
            cwe=605,
            message="Every machine on the network can reach this socket.",
            remedy='Bind to "127.0.0.1" unless that is meant.',
        )
    return None


def _assign(event: Assign, state: State) -> Hit | None:
    name = event.key or event.name.rpartition(".")[2]
    if event.value.const is not True:
        return None
    if name == "debug" and event.name.endswith(".debug") and ("app" in event.name.lower() or "Flask" in event.name):
        return Hit(event.node)
    if name == "DEBUG" and (
        (event.key and "config" in event.name) or state.uses("django") or (not event.key and _settings(state))
    ):
        return Hit(event.node)
    return None


def _settings(state: State) -> bool:
    return any(
        name in state.context.variables for name in ("INSTALLED_APPS", "ALLOWED_HOSTS", "BASE_DIR", "SECRET_KEY")
    )


def _hosts(event: Assign, state: State) -> Hit | None:
    hit = _assign(event, state)
    if (
        hit is None
        and event.name == "ALLOWED_HOSTS"
        and isinstance(event.value.items, list)
        and any(item.const == "*" for item in event.value.items)
    ):
        return Hit(event.node, cwe=16, message="This site answers under any name.", remedy="List your own host names.")
    return hit


RULE: Final = Rule(
    id="debug-server",
    cwe=215,
    severity="warn",
    message="In debug mode an error page shows your code and runs commands for whoever finds it.",
    remedy="Leave debug off, or take it from the environment of your own machine only.",
    bad=(
        "from flask import Flask\napp = Flask(__name__)\napp.run(debug=True)",
        'app.run(host="0.0.0.0")',
        "app.config['DEBUG'] = True",
    ),
    good=(
        "from flask import Flask\napp = Flask(__name__)\napp.run()",
        "app.run(debug=False)",
        's.bind(("127.0.0.1", 80))',
    ),
    methods={
        **on("run run_server launch", _run),
        **on("bind HTTPServer ThreadingHTTPServer TCPServer ThreadingTCPServer", _bind),
    },
    calls=on("flask.Flask fastapi.FastAPI FastAPI tornado.web.Application sanic.Sanic web.application", _run),
    assign=_hosts,
)
