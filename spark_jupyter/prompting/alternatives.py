"""Alternatives and drafts among the blocks of an answer, told by its prose.

A model that offers two solutions says so between them. One of them becomes a cell, the other a note: two cells that do the same would both
run. The words are those of English answers; what is not plainly an alternative stays a cell of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SEVERAL = re.compile(
    r"\b(?:alternatives?|options?|ways|approaches|methods|versions?|variants?|both|either|compare|comparison|versus|vs)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"(?:^|[.!?;]\s+)\W*(?:alternatively|(?:as )?an(?:other)? (?:alternative|option|way|approach|possibility|variant)"
    r"(?! to (?:look|see|view|check))|"
    r"(?:option|alternative|variant)\s*(?:[2-5b-e]|two|three)|or(?:,|:| with| using| without| as| in| if| simply| even)|"
    r"if you(?:'d| would)? (?:prefer|rather))(?:\b|(?<=\W))",
    re.IGNORECASE | re.MULTILINE,
)
_RECOMMENDED = re.compile(
    r"(?<!not )(?<!n't )\brecommend|\bpreferred\b|\bI(?:'d| would) (?:use|go with|take|pick)\b|"
    r"\bbe(?:st|tter) (?:option|choice|way|solution)\b",
    re.IGNORECASE,
)
_REVISED = re.compile(
    r"\b(?:corrected|fixed|revised|final|cleaned[- ]up|complete|full) (?:version|code|cell|block|solution|answer)\b|"
    r"\blet me (?:fix|correct|rewrite|redo|clean)\b|^\W*(?:wait|oops|actually)\b",
    re.IGNORECASE | re.MULTILINE,
)
_AT_END = re.compile(
    r"(?:\brecommend|\bprefer\b|'d (?:use|go with|take|pick)\b|\bwould (?:use|go with|take|pick)\b)[^.\n]{0,40}"
    r"\b(?:second|latter|alternative|option (?:2|b))\b|"
    r"\b(?:second|latter|alternative|option (?:2|b))\b[^.\n]{0,40}\b(?:recommended|preferable|better|best)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^(?:#{1,6} .*|\*\*.*\*\*:?)$", re.MULTILINE)
_SAME = 0.6
"""The part of a draft's lines that a corrected version repeats."""


def asks_for_several(prompt: str) -> bool:
    """Return whether a prompt asks for more than one solution."""
    return _SEVERAL.search(prompt) is not None


class Alternatives:
    """The alternatives of one answer. With ``several`` there are none, because all that it offers was asked for."""

    def __init__(self, *, several: bool) -> None:
        self._several = several
        self._prose = ""
        self._last = ("", "")  # the cell of the block before, and its text
        self._other = ""  # the text of the last alternative that became a note
        self._replaces = False
        self._is_open = False

    def read_prose(self, text: str) -> None:
        """Add prose behind the last block."""
        self._prose += text

    def open(self) -> bool:
        """A block of code begins. Returns whether it is an alternative that is told in a note."""
        introduced = _introduction(self._prose)
        is_other = bool(self._last[0]) and not self._several and _OTHER.search(introduced) is not None
        self._replaces = is_other and _RECOMMENDED.search(introduced) is not None
        if is_other and not self._replaces:
            self._prose, self._other, self._is_open = "", "", True
            return True
        return False

    def end_other(self) -> str:
        """An alternative that is told in a note is whole. Returns what ends it there; empty where there is none."""
        was_open, self._is_open = self._is_open, False
        return "\n```\n" if was_open else ""

    def read_other(self, text: str) -> None:
        """Add text of an alternative that is told in a note."""
        self._other += text

    def close(self, cell_id: str, text: str, earlier: Mapping[str, str]) -> dict[str, str]:
        """A cell of code is whole. Returns which ``earlier`` cells go for it, each with a note that tells of it, or none of a draft."""
        before, old = self._last
        introduced, self._prose, self._last, self._other = self._prose, "", (cell_id, text), ""
        if self._replaces:
            return {before: _note(old)} if before in earlier else {}
        if not self._several and _REVISED.search(_introduction(introduced)):
            return {one: "" for one, source in earlier.items() if _repeats(text, source)}
        return {}

    def chosen_at_end(self) -> tuple[str, str, str]:
        """The cell, the alternative that the prose behind it recommends, and a note on what it replaces; all empty where there is none."""
        cell_id, text = self._last
        if self._other and _AT_END.search(self._prose):
            return cell_id, self._other, _note(text)
        return "", "", ""


def _introduction(prose: str) -> str:
    """Return the introduction of a block: the last heading, and the paragraph before the block."""
    headings = _HEADING.findall(prose)
    return "\n".join([*headings[-1:], prose.strip().rpartition("\n\n")[2]])


def _repeats(text: str, draft: str) -> bool:
    lines = {line.strip() for line in text.splitlines()}
    drafted = [line.strip() for line in draft.splitlines() if line.strip()]
    return bool(drafted) and sum(line in lines for line in drafted) >= _SAME * len(drafted)


def _note(source: str) -> str:
    return f"\nThe alternative:\n```python\n{source}\n```\n"
