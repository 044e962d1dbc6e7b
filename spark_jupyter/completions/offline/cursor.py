"""Cursor position: in code or in a string."""

from __future__ import annotations

import re

from spark_jupyter.completions.situation import Situation
from spark_jupyter.source.strings import Read, read

_BRACES = re.compile(r"\b[fF][rR]?[\"'](?:[^\"'{}]|\{\{|\{[^{}]*\})*\{[^{}\"']*\Z")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|\#.*")


def is_text(situation: Situation) -> bool:
    """Return whether the cursor is in a string or a comment; text in the braces of an f-string is code."""
    end = Read()
    for line in situation.before.split("\n"):
        end = read(line, end.carried)
    return bool(end.comment) or (bool(end.string) and _BRACES.search(situation.line_before) is None)


def code_above(situation: Situation) -> list[str]:
    """The texts of the code cells above, and the lines above the cursor in its own cell."""
    own = situation.before.rpartition("\n")[0]
    return [*(cell.source for cell in situation.above if cell.cell_type == "code"), own]


def without_strings(code: str) -> str:
    """The code, with nothing in its strings, and without comments."""
    return _STRING.sub('""', code)
