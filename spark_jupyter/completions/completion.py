"""State of one completion: model text in, ghost text out.

Of the first line whole tokens are shown, as soon as the judges have nothing against them; then whole lines. What the judges object to is
mended with the real name; where there is none, the suggestion ends before that line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spark_jupyter.completions.completion_request import CURSOR
from spark_jupyter.completions.offline.cursor import without_strings
from spark_jupyter.completions.screening import Judge, mended_text
from spark_jupyter.completions.situation import Situation, indent
from spark_jupyter.completions.stitching import begun, ended, stands_in_words, without_open_string
from spark_jupyter.prompting.fences import Cleaner, Token
from spark_jupyter.prompting.thinking_filter import TakenBack, ThinkingFilter
from spark_jupyter.protocol.completion_messages import Mend
from spark_jupyter.source.invisible_text import first_unseen
from spark_jupyter.source.strings import read

_LAST_WORD = re.compile(r"\w+\Z")
_CLOSING = re.compile(r"\n[ \t]*`{3,}[ \t]*\Z")
"""The end of a fence that the model took to be open before the cursor."""
_MOST_SAID = 6_000
"""Most characters of an answer: one that is no suggestion after a fence and a repeated cell will not become one."""


class Completion:
    """Takes in what a model says at a place. :attr:`shown` is what may be shown by now, with its :attr:`mends`."""

    def __init__(self, situation: Situation, judge: Judge) -> None:
        self._situation = situation
        self._judge = judge
        self._made = made_already(situation)
        self._in_words = situation.cell_type == "code" and stands_in_words(situation.line_before)
        self._thinking = ThinkingFilter(code=True)
        self._cleaner = Cleaner()
        self._said = ""
        self._over = False
        self._considered = ""
        self.shown = ""
        self.mends: tuple[Mend, ...] = ()
        self.ended = False
        self.silenced = False
        """True if the judges kept some of it from being shown."""

    def receive_text(self, text: str) -> bool:
        """More of the answer. Whether there is something else to show."""
        if self.ended:
            return False
        self._hear(self._thinking.decode(text))
        kept, whole = self._kept(ended=False)
        whole = whole or self._over or len(self._said) == _MOST_SAID
        return self._finish(kept) if whole else self._go_on(kept)

    def receive_end(self) -> bool:
        """The answer is whole. Whether there is something else to show."""
        if self.ended:
            return False
        self._hear(self._thinking.flush())
        self._take(self._cleaner.flush())
        text = self._kept(ended=True).text
        return self._finish(_CLOSING.sub("", text) if self._situation.cell_type == "code" else text)

    def _hear(self, pieces: Sequence[str | TakenBack]) -> None:
        for piece in pieces:
            if isinstance(piece, TakenBack):
                self._said, self._cleaner = "", Cleaner()
            else:
                self._take(self._cleaner.decode(piece))

    def _take(self, told: Sequence[str | Token]) -> None:
        """Keep what is said before a token of the model's template that is not quoted, or a character that can't be shown."""
        for piece in told:
            if self._over:
                return
            if isinstance(piece, Token) and piece.text != CURSOR and not self._is_quoted(piece):
                self._over = bool(self._said.strip())
                continue
            text, odd, _ = (piece if isinstance(piece, str) else piece.text).partition("\ufffd")
            self._said, self._over = (self._said + text)[:_MOST_SAID], bool(odd)

    def _is_quoted(self, token: Token) -> bool:
        line = f"{self._situation.line_before}{self._said}".rpartition("\n")[2]
        return bool(read(line).string) and not (token.fills_in and not self._said.strip())

    def _kept(self, *, ended: bool) -> Trimmed:
        return trimmed(begun(self._said, self._situation, ended=ended), self._situation)

    def _go_on(self, text: str) -> bool:
        """Show more, where more is certain: it is shown as it is, or not yet."""
        lines, newline, _ = text.rpartition("\n")
        if not newline and not self._judge.is_quick:
            return False
        if self._in_words and (not newline or lines.rstrip().endswith(":")):  # what follows may say that it is talk
            return False
        certain = lines if newline else self._whole_tokens(text)
        if certain == self._considered or not re.search(r"\w", certain):
            return False
        if self._made and repeats(f"{certain}{newline}", self._situation, self._made):
            return False
        self._considered = certain
        judged = self._judged(certain, whole=bool(newline))
        return judged.bad is None and self._show(judged.text, judged.mends)

    def _whole_tokens(self, line: str) -> str:
        """The line without a last word, or a string, that still goes on."""
        words = _LAST_WORD.sub("", line).rstrip(" .")
        return without_open_string(words, self._situation.line_before, self._situation.line_after)

    def _finish(self, text: str) -> bool:
        """Show the most of the whole that stands before the judges: all lines before the first one that can't stay."""
        self.ended = True
        text = ended(text, self._situation).rstrip()
        if self._made and repeats(f"{text}\n", self._situation, self._made):
            self.silenced = True
            text = ""
        while text.strip():
            judged = self._judged(text, whole=True)
            if judged.bad is None:
                return self._show(judged.text, judged.mends)
            self.silenced = True
            text = text[: max(text.rfind("\n", 0, judged.bad + 1), 0)].rstrip()
        return self._show("", ())

    def _judged(self, text: str, *, whole: bool) -> _Judged:
        objections = self._judge(text, whole=whole)
        if not objections:
            return _Judged(text)
        better = mended_text(text, objections)
        if better is None or self._judge(better, whole=whole):
            return _Judged(text, bad=next((one for one in objections if not one.meant), objections[0]).start)
        mends, moved = [], 0
        for one in objections:
            mends.append(Mend(start=one.start + moved, wrong=text[one.start : one.end], right=one.meant))
            moved += len(one.meant) - (one.end - one.start)
        return _Judged(better, tuple(mends))

    def _show(self, text: str, mends: tuple[Mend, ...]) -> bool:
        if text.strip() in {other.strip() for other in self._situation.other_than}:
            text, mends = "", ()
        changed = text != self.shown
        self.shown, self.mends = text, mends
        return changed


class _Judged(NamedTuple):
    """Text that may be shown, or the place that can't be mended."""

    text: str
    mends: tuple[Mend, ...] = ()
    bad: int | None = None


# --- Detection of suggestions that repeat earlier work ---
# A line repeats the notebook where a cell above has read that file or grouped that table already.
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


# --- Extent of a suggestion: rest of a line, statement or block ---
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
    end = _end(lines, situation.line_before, is_code=situation.cell_type == "code")
    kept = "\n".join(lines[:end])
    whole = end < len(lines)
    return Trimmed(kept[:MOST_CHARACTERS].rstrip() if whole else kept, whole or len(kept) > MOST_CHARACTERS)


def _end(lines: list[str], line_before: str, *, is_code: bool) -> int:
    """Count the lines that are taken. The last one may still go on."""
    base = indent(line_before or lines[0])
    end, string, depth = 0, "", 0
    for number, line in enumerate(lines):
        inside = bool(string or depth)
        if number and not inside and number < len(lines) - 1 and _ends_before(lines, number, base):
            return number
        is_fence = (
            is_code and number < len(lines) - 1 and not string and len(line.strip()) > 2 and not line.strip(" \t`")
        )
        if number >= MOST_LINES or len(line) > LONGEST_LINE or is_fence:
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
