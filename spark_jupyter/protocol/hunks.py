"""Hunks of a line diff, and texts with some of them applied."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from msgspec import Struct

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.values import Hunk


class _Lines(Struct, frozen=True):
    base: list[str]
    source: list[str]


def _lines(text: str) -> list[str]:
    """Whole lines with their ends; only a line feed ends one, as in a browser's editor."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def hunks(base: str, source: str) -> tuple[Hunk, ...]:
    """The hunks of the line diff from ``base`` to ``source``, from the top."""
    matcher = difflib.SequenceMatcher(None, _lines(base), _lines(source), autojunk=False)
    return tuple(
        Hunk(base_start=i1, base_lines=i2 - i1, source_start=j1, source_lines=j2 - j1)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )


def accept_hunks(base: str, source: str, hunks: Sequence[Hunk]) -> str:
    """``base`` with only these hunks of the diff to ``source`` applied.

    Raises NotebookError for hunks that overlap, are out of order or lie outside the texts.
    """
    lines = _Lines(_lines(base), _lines(source))
    out: list[str] = []
    done = 0
    for hunk in hunks:
        base_end, source_end = hunk.base_start + hunk.base_lines, hunk.source_start + hunk.source_lines
        sizes_fit = min(hunk.base_lines, hunk.source_lines, hunk.source_start) >= 0
        if not sizes_fit or hunk.base_start < done or base_end > len(lines.base) or source_end > len(lines.source):
            raise NotebookError(
                "These hunks do not fit the proposal.", remedy="Look at the diff again: it has changed."
            )
        out += [*lines.base[done : hunk.base_start], *lines.source[hunk.source_start : source_end]]
        done = base_end
    out += lines.base[done:]
    return _rejoined(out)


def _rejoined(lines: list[str]) -> str:
    """Join lines from two texts: a last line without an end gets one where another line follows."""
    return "".join(line if line.endswith("\n") or last else line + "\n" for line, last in _with_last(lines))


def _with_last(lines: list[str]) -> list[tuple[str, bool]]:
    return [(line, number == len(lines)) for number, line in enumerate(lines, 1)]


def unified_diff(base: str, source: str, *, name: str, context: int = 3) -> str:
    """The difference as ``diff -u`` prints it, without remarks about the last newline. Empty where there is none."""
    diff = difflib.unified_diff(_lines(base), _lines(source), f"a/{name}", f"b/{name}", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in diff)
