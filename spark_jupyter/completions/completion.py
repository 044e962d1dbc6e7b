"""State of one completion: model text in, ghost text out.

Of the first line whole tokens are shown, as soon as the judges have nothing against them; then whole lines. What the judges object to is
mended with the real name; where there is none, the suggestion ends before that line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from spark_jupyter.completions.repetition import made_already, repeats
from spark_jupyter.completions.screening import Judge, mended_text
from spark_jupyter.completions.situation import Situation
from spark_jupyter.completions.stitching import begun, ended, stands_in_words, without_open_string
from spark_jupyter.completions.trimming import Trimmed, trimmed
from spark_jupyter.prompting.thinking_filter import TakenBack, ThinkingFilter
from spark_jupyter.protocol.completion_messages import Mend

_LAST_WORD = re.compile(r"\w+\Z")
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
        self._said = ""
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
        whole = whole or len(self._said) == _MOST_SAID
        return self._finish(kept) if whole else self._go_on(kept)

    def receive_end(self) -> bool:
        """The answer is whole. Whether there is something else to show."""
        if self.ended:
            return False
        self._hear(self._thinking.flush())
        return self._finish(self._kept(ended=True).text)

    def _hear(self, pieces: Sequence[str | TakenBack]) -> None:
        for piece in pieces:
            self._said = "" if isinstance(piece, TakenBack) else (self._said + piece)[:_MOST_SAID]

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
