"""Credentials that reach a telling name through other variables.

``a = "x"`` and later ``password = a + b``. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import is_value
from spark_jupyter.redaction.placeholders import is_placeholder
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import Literal, arguments_at, joined_at
from spark_jupyter.source.credential_names import SAID_BY_NAME, WORDS, kind_of

_USED = re.compile(
    r"(?<![\w.])(?P<name>[\w.\-]{2,80}+)[\"']?\]?[ \t]{0,8}+(?:=(?!=)|:)[ \t]{0,8}+"
    r"(?P<value>(?:[\w \t+.\[\]{}%\"']|,(?!\s{0,9}\w{1,60}\s{0,4}=)|(?<=join|rmat|.str)\(){1,160})"
)
_GIVEN = re.compile(
    r"(?:^|(?<=[;({ \t]))(?P<names>[A-Za-z_]\w{0,60}+(?:, ?[A-Za-z_]\w{0,60}+){0,5})[ \t]{0,4}\+?=[ \t]{0,4}"
    r"(?P<opening>[(\[])?(?=[rbuf]{0,2}[\"'])",
    re.M,
)
_NAME = re.compile(r"(?<![\w.\"'])[A-Za-z_]\w{0,60}+(?![\w(]|[\"'])")
_MOST_NAMES = 12


def by_reference(text: str) -> Iterator[Secret]:
    """Literals assigned to variables from which a credential is made."""
    uses = [
        (match["value"], kind) for match in _USED.finditer(text) if (kind := kind_of(match["name"])) in SAID_BY_NAME
    ]
    given = _given(text) if uses else {}
    for value, kind in uses:
        names = [name for name in _NAME.findall(value) if name in given][:_MOST_NAMES]
        literals = [literal for name in names for literal in given[name] if not literal.formatted]
        if kind is not None and is_value("".join(literal.value for literal in literals), kind):
            for literal in literals:
                if len(literal.value) >= 2 and not is_placeholder(literal.value):
                    yield Secret(literal.start, literal.end, kind, WORDS[kind])


def _given(text: str) -> dict[str, list[Literal]]:
    """Literals assigned to each name: one, several that are joined or listed, or its own of several names."""
    given: dict[str, list[Literal]] = {}
    for match in _GIVEN.finditer(text):
        names = [name.strip() for name in match["names"].split(",")]
        joined = joined_at(text, match.end())
        items: list[Literal | None] = [*joined]
        if len(names) > 1 or (match["opening"] and len(joined) == 1):
            items = arguments_at(text, match.end())
        for name, literal in zip(names if len(names) > 1 else names * len(items), items, strict=False):
            if literal is not None:
                given.setdefault(name, []).append(literal)
    return given
