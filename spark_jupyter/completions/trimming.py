"""Extent of a suggestion: rest of a line, statement or block."""

from __future__ import annotations

import re
from typing import NamedTuple

from spark_jupyter.completions.situation import Situation, indent
from spark_jupyter.source.invisible_text import first_unseen
from spark_jupyter.source.strings import read

MOST_LINES = 12
MOST_CHARACTERS = 1_500
LONGEST_LINE = 240
"""Characters. Of a longer line nobody sees the end without scrolling, and one key takes all of it."""


class Trimmed(NamedTuple):
    """A suggestion, and whether it is whole: what the model says beyond it is of no interest."""

    text: str
    is_whole: bool


def trimmed(text: str, situation: Situation) -> Trimmed:
    """The part of ``text`` that is shown at once."""
    if (seen := first_unseen(text)) < len(text):
        return Trimmed(text[:seen].rstrip(), True)
    if situation.line_after.strip(" )]}\"':,") and "\n" in text:  # in the middle of a line: its rest is there
        return Trimmed(text.partition("\n")[0], True)
    lines = text.split("\n")
    end = _end(lines, situation.line_before)
    kept = "\n".join(lines[:end])
    whole = end < len(lines)
    return Trimmed(kept[:MOST_CHARACTERS].rstrip() if whole else kept, whole or len(kept) > MOST_CHARACTERS)


def _end(lines: list[str], line_before: str) -> int:
    """Count the lines that are taken. The last one may still go on."""
    base = indent(line_before or lines[0])
    end, string, depth = 0, "", 0
    for number, line in enumerate(lines):
        inside = bool(string or depth)
        if number and not inside and number < len(lines) - 1 and _ends_before(lines, number, base):
            return number
        if number >= MOST_LINES or len(line) > LONGEST_LINE:
            return number
        if number > 1 and line.strip() and line == lines[number - 1] == lines[number - 2]:
            return number - 1  # a model that can't stop
        state = read(line if number else line_before + line, string, depth)
        string, depth = state.carried, state.depth
        end = number + 1
    return end


def _ends_before(lines: list[str], number: int, base: int) -> bool:
    """Return whether the suggestion ends before this line: at an empty line that nothing of the same block follows, or where it leaves the
    block in which the cursor stands."""
    line = lines[number]
    if line.strip():
        return indent(line) < base and not re.match(r"\s*(?:else|elif|except|finally|case|[)\]}])", line)
    following = next((each for each in lines[number + 1 :] if each.strip()), "")
    return not following or indent(following) <= base
