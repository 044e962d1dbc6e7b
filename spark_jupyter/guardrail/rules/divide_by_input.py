"""A division by a number that comes from a request."""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Hit, Rule
from spark_jupyter.guardrail.state import State
from spark_jupyter.guardrail.values import Fact


def _division(node: ast.BinOp, state: State) -> Hit | None:
    right = node.right
    if not isinstance(right, ast.Name) or isinstance(node.op, ast.Mult):
        return None
    found = state.lookup(right.id)
    return Hit(node) if found is not None and found.fact is Fact.NUMBER_OF_A_REQUEST and state.handler else None


RULE: Final = Rule(
    id="divide-by-input",
    cwe=369,
    severity="warn",
    message="When the request says 0, this fails.",
    remedy="Check for 0 first.",
    bad=('@app.route("/")\ndef index():\n    n = int(request.args["n"])\n    return str(100 / n)',),
    good=(
        '@app.route("/")\ndef index():\n    n = int(request.args["n"])\n    if n == 0:\n        abort(400)\n    return str(100 / n)',
        "x = 1 / 2",
    ),
    division=_division,
)
