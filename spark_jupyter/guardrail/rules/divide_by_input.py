"""Division by a number from a request.

A zero ends the request with an error, and whoever sends it chooses when.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Hit, Rule
from spark_jupyter.guardrail.rules._numbers import is_chosen
from spark_jupyter.guardrail.taint_state import State


def _division(node: ast.BinOp, state: State) -> Hit | None:
    if isinstance(node.op, ast.Mult) or not isinstance(node.right, ast.Name) or not state.handler:
        return None  # where it is made and used in one line, somebody mostly catches what goes wrong
    return Hit(node) if is_chosen(node.right, state) else None


RULE: Final = Rule(
    id="divide-by-input",
    cwe=369,
    severity="warn",
    message="A 0 in the request makes this division fail.",
    remedy="Check for 0 first.",
    bad=('@app.route("/")\ndef index():\n    n = int(request.args["n"])\n    return str(100 / n)',),
    good=(
        '@app.get("/")\ndef index():\n    try:\n        return str(100 / int(request.args["n"]))\n    except ValueError:\n        stop()',
        '@app.route("/")\ndef index():\n    n = int(request.args["n"])\n    if n == 0:\n        abort(400)\n    return str(100 / n)',
        "x = 1 / 2",
    ),
    division=_division,
)
