"""A pattern that comes from input, or one that backtracks without end, stops the program."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.state import State
from spark_jupyter.guardrail.values import Danger, Trust, Value

_NESTED: Final = re.compile(r"\((?:\?:)?(?:\[[^\]]*\]|\\?[^()\[\]])[+*]\)(?:[+*]|\{\d+,\})")
_INNER: Final = re.compile(r"(?<!\\)\)[+*]\.?\)[+*]")
_ALTERNATIVES: Final = re.compile(
    r"\((?:\?:)?(\\?.)\|\1[^)]*\)[+*]|\((?:\?:)?\.\|[^)]+\)[*+]|\((?:\?:)?[^()|]*\|\.[)*+]\)?[*+]"
)


def _check(call: Call, state: State) -> Hit | None:
    pattern = call.argument(0, "pattern")
    flows = state.certain(pattern, Danger.REGEX, Trust.LOCAL)
    if flows and flows[0][0].trust >= Trust.NETWORK:
        return Hit(call.node, flows=flows)
    text = pattern.known_text
    if text is not None and len(text) < 500 and evil(text):
        subject = call.argument(1, "string") if call.tail != "compile" else Value()
        return Hit(
            call.node,
            cwe=1333 if not subject.flows else None,
            message="This pattern can take exponential time on text that almost matches.",
            remedy="Don't repeat a group that repeats something itself.",
        )
    return None


def evil(pattern: str) -> bool:
    """Whether a pattern repeats a group that ends with a repetition of its own, with nothing to tell the rounds apart."""
    return any(form.search(pattern) for form in (_NESTED, _INNER, _ALTERNATIVES))


RULE: Final = Rule(
    id="regex-injection",
    cwe=730,
    severity="warn",
    message="The pattern comes from input: one that backtracks stops the program.",
    remedy="Escape it with re.escape, or offer a fixed choice of patterns.",
    bad=(
        'import re\nre.search(request.args["p"], "text")',
        'import re\nre.compile(request.args["p"])',
        'import re\nre.match(r"^(a+)+$", text)',
        'import re\nre.compile(r"^(([a-z])+.)+[A-Z]([a-z])+$")',
    ),
    good=(
        'import re\nre.search(re.escape(request.args["p"]), "text")',
        'import re\nre.match(r"^[a-z]+(-[a-z]+)*$", text)',
        'import re\nre.sub(r"\\s+", " ", input())',
    ),
    calls=on(
        "re.search re.match re.compile re.fullmatch re.findall re.finditer re.sub re.split re.subn regex.compile regex.match regex.search",
        _check,
    ),
)
