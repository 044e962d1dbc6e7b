"""Numbers from a request that decide how much work is done, or by what is divided."""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.state import State
from spark_jupyter.guardrail.values import Danger, Fact, Trust


def _sleep(call: Call, state: State) -> Hit | None:
    seconds = call.argument(0, "seconds", "secs")
    flows = state.certain(seconds, Danger.DATA, Trust.REMOTE)
    return Hit(call.node, flows=flows) if flows or seconds.fact is Fact.NUMBER_OF_A_REQUEST else None


def _range(call: Call, state: State) -> Hit | None:
    if not state.handler:
        return None
    for arg in call.node.args:
        if (
            isinstance(arg, ast.Call)
            and isinstance(arg.func, ast.Name)
            and arg.func.id == "int"
            and any(_is_request(part, state) for part in ast.walk(arg))
        ):
            return Hit(call.node)
        if isinstance(arg, ast.Name):
            found = state.lookup(arg.id)
            if found is not None and found.fact is Fact.NUMBER_OF_A_REQUEST:
                return Hit(call.node)
    return None


def _is_request(node: ast.AST, state: State) -> bool:
    if not isinstance(node, ast.Name):
        return False
    found = state.lookup(node.id)
    return node.id == "request" or (
        found is not None and any(origin.trust == Trust.REMOTE for origin, _ in found.flows)
    )


RULE: Final = Rule(
    id="unbounded-work",
    cwe=400,
    severity="warn",
    message="Whoever sends the request decides how long this takes.",
    remedy="Set a limit: min(n, 1000).",
    bad=(
        'import time\ntime.sleep(request.args["t"])',
        'import time\ntime.sleep(float(request.args["t"]))',
        '@app.route("/")\ndef index():\n    for i in range(int(request.args["n"])):\n        work()',
    ),
    good=(
        "import time\ntime.sleep(1)",
        'import time\ntime.sleep(min(float(request.args["t"]), 2))',
        "for i in range(int(input())):\n    print(i)",
    ),
    calls={**on("time.sleep asyncio.sleep", _sleep), "range": _range},
)
