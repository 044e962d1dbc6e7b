"""Screening of suggestions by the judges.

The statements that a suggestion would make are judged, and each finding in it is an objection.

The judges themselves look at code, finished or not, that comes behind what they know; see :mod:`spark_jupyter.engine.completion_context`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, Protocol

from spark_jupyter.completions.situation import Situation, indent
from spark_jupyter.protocol.values import Finding
from spark_jupyter.redaction.placeholders import OURS
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import tree_of
from spark_jupyter.source.statements import Splitter
from spark_jupyter.source.strings import is_plain, mended

Opinion = Callable[[str], Sequence[Finding]]
"""Findings in code that follows the code a judge knows."""

_LINES_AFTER = 40
_QUICK = 2_000
"""Characters of a statement that are judged in about a millisecond."""
_ARGUMENTS = "missing-argument"
_OF_CALLS = (_ARGUMENTS, "too-many-arguments")
"""Rules about a call as a whole, which may begin before the cursor."""
_NAME = "undefined-name"
_NEAR = 0.85
"""Of 1: ``ammount`` is as near to ``amount`` as 0.92, ``gruopby`` to ``groupby`` as 0.86, ``later`` to ``aiter`` as 0.8."""


class Objection(NamedTuple):
    """Characters ``start`` to ``end`` of a suggestion can't stay; ``meant`` is the real name in their place, empty where none is near."""

    start: int
    end: int
    meant: str = ""


class Judge(Protocol):
    """Says what can't stay in a suggestion."""

    @property
    def is_quick(self) -> bool:
        """True if it may be asked after each token; else only about whole lines."""

    def prepare(self) -> None:
        """Do before the first text what can be done before it."""

    def __call__(self, text: str, *, whole: bool) -> Sequence[Objection]:
        """The objections to ``text`` at the cursor, in order; where it is not ``whole``, it may go on."""


class NoJudge:
    """The judge of text that is not code."""

    is_quick = True

    def prepare(self) -> None:
        """See :class:`Judge`."""

    def __call__(self, text: str, *, whole: bool) -> Sequence[Objection]:
        return ()


class CodeJudge:
    """Judges suggestions for a code cell. ``opinion`` makes what judges code that comes behind the statements it is given."""

    def __init__(self, situation: Situation, opinion: Callable[[str], Opinion]) -> None:
        self._settled, self._open = split(situation.before)
        self._afters = _afters(situation.after)
        self._make = opinion
        self._made: Opinion | None = None

    @property
    def is_quick(self) -> bool:
        """See :class:`Judge`. The whole statement around the cursor is judged each time."""
        return len(self._open) + len(self._afters[0]) < _QUICK

    def prepare(self) -> None:
        self._opinion()

    def _opinion(self) -> Opinion:
        if self._made is None:
            self._made = self._make(self._settled)
        return self._made

    def __call__(self, text: str, *, whole: bool) -> Sequence[Objection]:
        if OURS in text:
            return [Objection(text.index(OURS), len(text))]  # a secret that it does not know, in words of ours
        source = next(self._readings(text), None)
        if source is None:
            return [Objection(max(text.rstrip("\n").rfind("\n"), 0), len(text))]
        found = [finding for finding in self._opinion()(source) if _counts(finding, whole=whole)]
        places = (self._place(finding, source, text) for finding in found)
        return sorted(place for place in places if place is not None)

    def _readings(self, text: str) -> Iterator[str]:
        """The code that it would be, as far as it can be read: with what stands behind the cursor, or with what is missing at its end."""
        value = "None" if text.endswith("=") else ""  # a keyword whose value is still to come
        for after in self._afters:
            source = f"{self._open}{text}{value}{after}"
            if _parses(source):
                yield source
        closed = mended(f"{self._open}{text}")
        body = " " * (indent(closed.rpartition("\n")[2]) + 4)
        yield from (each for each in (closed, f"{closed}\n{body}pass", f"{closed}: pass") if _parses(each))

    def _place(self, finding: Finding, source: str, text: str) -> Objection | None:
        """Return the place of a finding in the suggestion; None where it is about text that stands there already."""
        lines = source.split("\n")
        if not 0 < finding.line <= len(lines):
            return None
        line = lines[finding.line - 1]
        begin = sum(len(one) + 1 for one in lines[: finding.line - 1])
        column = len(line.encode()[: finding.column].decode(errors="ignore"))
        wrong = line.find(finding.wrong, column) if finding.wrong else -1
        start = begin + (wrong if wrong >= 0 else column) - len(self._open)
        end = start + (len(finding.wrong) if wrong >= 0 else len(line) - column)
        if wrong < 0 and finding.origin == "guardrail":
            start, end = max(begin - len(self._open), 0), begin + len(line) - len(self._open)
        is_elsewhere = start < 0 and wrong < 0 and finding.origin == "reality" and finding.rule not in _OF_CALLS
        if end <= 0 or start >= len(text) or is_elsewhere:
            return None
        return _within(
            start, min(end, len(text)), _mend(finding) if wrong >= 0 else "", source[len(self._open) + start :]
        )


def _within(start: int, end: int, meant: str, written: str) -> Objection:
    """The part of an objection that lies in the suggestion: of a name that begins before the cursor only the rest can be mended."""
    if start >= 0:
        return Objection(start, end, meant)
    typed = written[:-start]
    return Objection(0, end, meant[-start:] if meant.startswith(typed) else "")


def _mend(finding: Finding) -> str:
    """The real name where it is surely the one that was meant: all but the same, or, of a column or a keyword, a longer or shorter form.
    A column may be called anything, and what would end the string in which it is to stand is not put there."""
    wrong, meant = finding.wrong, finding.meant
    if not is_plain(meant):
        return ""
    if SequenceMatcher(None, wrong, meant).ratio() >= _NEAR:
        return meant
    one, other = set(wrong.lower().split("_")), set(meant.lower().split("_"))
    return meant if finding.rule != _NAME and (one <= other or other <= one) else ""


def mended_text(text: str, objections: Sequence[Objection]) -> str | None:
    """The text with the real names; None where an objection has none."""
    if any(not objection.meant for objection in objections):
        return None
    for objection in reversed(objections):
        text = text[: objection.start] + objection.meant + text[objection.end :]
    return text


def split(before: str) -> tuple[str, str]:
    """The statements before the cursor that are whole, and what belongs to the one in which it stands."""
    splitter = Splitter()
    splitter.feed(before)
    rest = splitter.flush()
    lines = before.split("\n")
    line = rest[0].line if rest else len(lines)
    return "".join(f"{each}\n" for each in lines[: line - 1]), "\n".join(lines[line - 1 :])


def _afters(after: str) -> list[str]:
    """Return texts behind the cursor that may belong to its statement, the longest first."""
    lines = after.split("\n")
    block = lines[:1]
    for line in lines[1:_LINES_AFTER]:
        if line.strip() and not line[0].isspace() and not re.match(r"[)\]}]|(?:else|elif|except|finally)\b", line):
            break
        block.append(line)
    return list(dict.fromkeys(["\n".join(block).rstrip(), lines[0]]))


def _parses(source: str) -> bool:
    return tree_of(python_only(source), top_level_await=True) is not None


def _counts(finding: Finding, *, whole: bool) -> bool:
    """Return whether a finding speaks against showing it: in ghost text a likely mistake is one too many. A call that goes on may still get
    its arguments."""
    if finding.origin != "reality":
        return finding.blocks
    return finding.severity != "hint" and (whole or finding.rule != _ARGUMENTS)
