"""Detection of suggestions that repeat earlier work.

A line repeats the notebook where a cell above has read that file or grouped that table already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spark_jupyter.completions.offline.cursor import without_strings
from spark_jupyter.completions.situation import Situation

_MOST_CELLS = 60
"""Cells above that are looked through, the nearest."""
_MAKES = re.compile(r"(?P<name>[^\W\d]\w*) *= *(?P<value>(?P<of>[^\W\d]\w*)\b.*)")
_READS = re.compile(r"[^\W\d]\w*\.read_\w+\(")


def made_already(situation: Situation) -> frozenset[str]:
    """The lines above that compute a value from others, and would compute the same again. A value from nothing (``total = 0``,
    ``fig, ax = plt.subplots()``), or from itself, is made again each time."""
    if situation.cell_type != "code":
        return frozenset()
    cells = [cell.source for cell in situation.above[-_MOST_CELLS:] if cell.cell_type == "code"]
    found = [
        match
        for match in map(_MAKES.fullmatch, _lines([*cells, situation.before.rpartition("\n")[0]]))
        if match is not None
    ]
    names = {match["name"] for match in found}
    return frozenset(
        match[0]
        for match in found
        if (match["of"] in names or _READS.match(match["value"]))
        and not re.search(rf"\b{match['name']}\b", without_strings(match["value"]))
    )


def _lines(texts: Iterable[str]) -> list[str]:
    return [line.rstrip() for text in texts for line in text.split("\n")]


def repeats(text: str, situation: Situation, made: frozenset[str]) -> bool:
    """True if the cursor's line becomes one of those, or may still become one where the text does not end it."""
    rest, newline, _ = text.partition("\n")
    line = (situation.line_before + rest).rstrip()
    return line in made if newline else any(one.startswith(line) for one in made)
