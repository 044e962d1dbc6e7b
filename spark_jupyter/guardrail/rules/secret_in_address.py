"""Passwords in an address.

Servers and proxies log it, browsers remember it.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import HOLE

_SECRET: Final = re.compile(r"^(?:\w+_)?(?:password|passwd|pwd|passphrase|credit_?card|cvv|ssn)$", re.IGNORECASE)
_PUT_IN: Final = re.compile(rf"https?://.*[?&](?:password|passwd|pwd|passphrase|pin)={HOLE}", re.IGNORECASE)
_QUERY: Final = (".args", ".GET", ".query_params", ".query")


def _get(call: Call, state: State) -> Hit | None:
    if (sent := _sent(call, state)) is not None:
        return sent
    key = call.argument(0).const
    asked = isinstance(key, str) and _SECRET.match(key) is not None
    return Hit(call.node) if asked and call.receiver.name.endswith(_QUERY) else None


def _sent(call: Call, state: State) -> Hit | None:
    url = call.argument(1 if call.tail == "request" else 0, "url").text or ""
    if _PUT_IN.search(url):
        return Hit(call.node, message="A password is put into the address: servers and proxies log it.")
    return None


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, state: State) -> Hit | None:
    """``@app.get("/login")`` of FastAPI: what is no body comes from the query."""
    if not state.scope.on_get or not state.uses("fastapi"):
        return None
    if any(_SECRET.match(argument.arg) and argument.annotation is not None for argument in node.args.args):
        return Hit(node)
    return None


RULE: Final = Rule(
    id="secret-in-address",
    cwe=598,
    severity="warn",
    message="A password is taken from the address: servers and proxies log it, and browsers remember it.",
    remedy="Take it from the body of a POST request, or from the Authorization header.",
    bad=(
        'requests.get(f"https://a.org/find?user=me&password={p}")',
        'password = request.args.get("password")',
        'from fastapi import FastAPI\napp = FastAPI()\n@app.get("/login")\ndef login(name: str, password: str):\n    pass',
    ),
    good=(
        'requests.get(f"https://a.org/find?page={page}", auth=("me", p))',
        'password = request.form.get("password")',
        'page = request.args.get("page")',
    ),
    methods={**on("get getlist", _get), **on("post put request urlopen", _sent)},
    function=_function,
)
