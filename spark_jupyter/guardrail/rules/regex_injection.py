"""Regular expressions from input, or with endless backtracking.

Both can stop the program.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.backtracking import growth
from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust, Value

_FIX: Final = (
    "Don't let two repetitions take the same characters: a group that repeats something itself, or one after the other."
)


def _check(call: Call, state: State) -> Hit | None:
    pattern = call.argument(0, "pattern")
    flows = state.certain(pattern, Danger.REGEX, Trust.LOCAL)
    if flows and flows[0][0].trust >= Trust.NETWORK:
        return Hit(call.node, flows=flows)
    text = pattern.known_text
    found = growth(text) if text is not None and call.receiver.name != "re.compile()" else None
    subject = Value() if call.tail == "compile" else call.argument(2 if call.tail in ("sub", "subn") else 1, "string")
    if found == "exponential":
        return _slow(call, subject)
    return _matched(call, text or "", subject, state)


def _compiled(call: Call, state: State) -> Hit | None:
    """``PATTERN.match(text)``: what is exponential was said where it was compiled."""
    if call.receiver.name != "re.compile()":
        return None
    return _matched(
        call, call.receiver.known_text or "", call.argument(1 if call.tail == "sub" else 0, "string"), state
    )


def _matched(call: Call, pattern: str, subject: Value, state: State) -> Hit | None:
    """A pattern whose time grows faster than the text, on a text of any length that somebody else sends."""
    flows = state.dangerous(subject, Danger.REGEX, Trust.NETWORK)
    if not flows or growth(pattern) != "polynomial":
        return None
    message = "This pattern can take very long on a long text that almost matches, and others send the text."
    return Hit(call.node, flows=flows, cwe=1333, message=message, remedy=f"{_FIX} Or refuse long texts first.")


def _contained(call: Call, state: State) -> Hit | None:
    """``df["name"].str.contains(text)`` takes the text for a pattern."""
    if not call.name.endswith(".str.contains") or call.kwargs.get("regex", Value()).const is False:
        return None
    flows = state.certain(call.argument(0, "pat", "pattern"), Danger.REGEX, Trust.NETWORK)
    return Hit(call.node, flows=flows) if flows and "literal" not in call.kwargs else None


def _slow(call: Call, subject: Value) -> Hit:
    cwe = 1333 if not subject.flows else None
    return Hit(
        call.node, cwe=cwe, message="This pattern can take exponential time on text that almost matches.", remedy=_FIX
    )


RULE: Final = Rule(
    id="regex-injection",
    cwe=730,
    severity="warn",
    message="The pattern comes from input: one that backtracks stops the program.",
    remedy="Escape it with re.escape, or offer a fixed choice of patterns.",
    bad=(
        'import pandas as pd\npd.read_csv("a.csv")["n"].str.contains(request.args["q"])',
        'import re\nre.search(request.args["p"], "text")',
        'import re\nre.compile(request.args["p"])',
    ),
    good=(
        'import pandas as pd\npd.read_csv("a.csv")["n"].str.contains(request.args["q"], regex=False)',
        'import re\nre.search(re.escape(request.args["p"]), "text")',
        'import re\nre.match(r"^[a-z]+(-[a-z]+)*$", text)',
    ),
    calls=on(
        "re.search re.match re.compile re.fullmatch re.findall re.finditer re.sub re.split re.subn regex.compile regex.match regex.search",
        _check,
    ),
    methods={**on("match search fullmatch findall finditer sub", _compiled), "contains": _contained},
)
