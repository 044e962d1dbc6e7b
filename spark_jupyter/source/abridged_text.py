"""Texts cut to one line: whole words, and the gist of an error."""

from __future__ import annotations

import re

LONGEST_ERROR = 160
_NESTED = re.compile(r"^(\w+(?:Error|Exception)): .*\b\w+(?:Error|Exception)\((['\"])(.+)\2\)$")
"""An error whose message ends with another error: that one says what is wrong."""
_ADVICE = re.compile(
    r"(?i)\b(?:use|did you mean|instead|valid|must be|should|available|perhaps you meant|you might want)\b"
)
"""Words of the part of a message that says what to do."""


def shortened(text: str, most: int) -> str:
    """``text`` on one line of at most so many characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    return f"{line[: most - 1].rpartition(' ')[0] or line[: most - 2]} …"


def error_line(error: str) -> str:
    """An error in one line, with the part of it that gives advice where that stands far behind its beginning."""
    lines = [line.strip() for line in error.splitlines() if line.strip()] or [""]
    if nested := _NESTED.match(lines[0]):
        lines[0] = f"{nested[1]}: {nested[3]}"
    if lines[0].endswith(":") and len(lines) > 1:  # it introduces what follows
        lines[:2] = [f"{lines[0]} {lines[1].lstrip('-*• ').rstrip(';,')}"]
    head, advice = lines[0].rstrip("."), ""
    fits = len(head) <= LONGEST_ERROR
    if _ADVICE.search(head if fits else head[: LONGEST_ERROR // 2]) is None:
        whole = " ".join(lines[:4])
        found = _ADVICE.search(whole)
        advice = shortened(whole[found.start() :], LONGEST_ERROR // 2).rstrip(". ") if found is not None else ""
    if not advice:
        return shortened(head, LONGEST_ERROR)
    return f"{shortened(head, LONGEST_ERROR - len(advice) - 3).removesuffix(' …')} … {advice}"
