"""Results that may be None, used without a check.

A function of the notebook gives None for some input, and its result is used as if it always gave something.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Fact, Trust


def _check(call: Call, state: State) -> Hit | None:
    given = call.argument(0)
    if given.fact is not Fact.MAY_BE_NONE or len(call.args) != 1 or not isinstance(call.node.args[0], ast.Call):
        return None  # what is kept under a name may have been looked at
    flows = state.certain(given, Danger.DATA, Trust.REMOTE)
    return Hit(call.node, flows=flows) if flows else None


RULE: Final = Rule(
    id="unchecked-return",
    cwe=252,
    severity="warn",
    message="The function gives None for some input, and this fails for None: whoever sends the request can make it fail.",
    remedy="Store the result, and check for None first.",
    bad=(
        """def parse(text):
    if not text:
        return None
    return text.split(",")

def view(request):
    return len(parse(request.form["data"]))""",
    ),
    good=(
        """def parse(text):
    return text.split(",")

def view(request):
    return len(parse(request.form["data"]))""",
        """def parse(text):
    if not text:
        return None
    return text.split(",")

def view(request):
    parts = parse(request.form["data"])
    return 0 if parts is None else len(parts)""",
        """def parse(text):
    if not text:
        return None
    return text.split(",")

len(parse("a,b"))""",
    ),
    calls=on("len sum sorted int float list tuple set max min", _check),
)
