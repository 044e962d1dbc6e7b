"""Keywords of a call and their values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.situation import Situation
from spark_jupyter.source.strings import read

_DOTTED = re.compile(r"(?<![\w.)\]])[^\W\d][\w.]*\Z")
_KEYWORD = re.compile(r"(?:\A|,\s*)([^\W\d]\w+)\Z")
_VALUE = re.compile(r"(?:\A|,\s*)(\w+)=(\w*)\Z")


class OpenCall(NamedTuple):
    """The call whose arguments the cursor stands in: the dotted name of the function, and the text between the brackets so far."""

    function: str
    arguments: str


def open_call(line: str) -> OpenCall | None:
    """The innermost call that is open at the end of a line; None where there is none, or a string is."""
    if read(line).string:
        return None
    start = next(
        (
            at
            for at in reversed(range(len(line)))
            if line[at] == "(" and read(line[at + 1 :]).depth == 0 and _is_balanced(line[at + 1 :])
        ),
        None,
    )
    function = _DOTTED.search(line[:start]) if start is not None else None
    return OpenCall(function[0], line[start + 1 :]) if function is not None and start is not None else None


def _is_balanced(text: str) -> bool:
    """Return whether all brackets that close in it were opened in it."""
    return read("(" + text).depth == 1


def keywords(situation: Situation, facts: Facts) -> Iterator[str]:
    """``read_csv("a.csv", se``: completes a keyword argument of the function."""
    call = open_call(situation.line_before)
    typed = _KEYWORD.search(call.arguments) if call is not None else None
    if call is None or typed is None or situation.line_after.startswith("="):
        return
    given = set(re.findall(r"(\w+)\s*=", call.arguments))
    for name in facts.keywords(call.function):
        if name.startswith(typed[1]) and name not in given:
            flag = facts.flag(call.function, name)
            yield f"{name[len(typed[1]) :]}={'' if flag is None else not flag}"


def flags(situation: Situation, facts: Facts) -> Iterator[str]:
    """``sort_values("a", ascending=``: a person who types it wants the value that is not the default."""
    call = open_call(situation.line_before)
    match = _VALUE.search(call.arguments) if call is not None else None
    flag = facts.flag(call.function, match[1]) if call is not None and match is not None else None
    if match is not None and flag is not None:
        text = str(not flag)
        if text.startswith(match[2]) and text != match[2]:
            yield text[len(match[2]) :]
