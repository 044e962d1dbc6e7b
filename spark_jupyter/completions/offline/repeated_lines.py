"""Lines and ends of lines that this notebook has already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark_jupyter.completions.offline.cursor import code_above
from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.situation import Situation
from spark_jupyter.source.strings import closing

_SHORTEST = 6
"""Characters of a line before it is completed. Fewer show more wrong lines: measured on the first two recipe books, typed key by key."""
_LONGEST_REST = 60
"""Most characters of a repeated rest: a longer line is usually data."""
_SAID_ONCE = re.compile(r"#|import\b|from\b|assert\b|return\b|print\(|\w+ = \w+\.read_")
"""Beginnings of lines that are needed only once in a notebook."""
_NAMES_A_FIGURE = re.compile(r"\s*\w+\.(?:(?:set_|sup)?title|savefig)\(")
"""Each figure has a title, and a file, of its own."""
_ASSIGNS = re.compile(r"\A(?:[^()]* )?= ")
"""A name alone before the cursor: it usually gets another value now."""
_CHAIN = re.compile(r"(?:[^\W\d]\w* = )?(?P<table>[^\W\d]\w*)\.\w{3}")


def own_lines(situation: Situation, facts: Facts) -> Iterator[str]:
    """A line that this notebook has already, or one of another table with this one's name in it."""
    typed = situation.line_before.lstrip()
    if len(typed.strip()) < _SHORTEST or situation.line_after.strip() or typed[-1] in ".[":
        return
    if _NAMES_A_FIGURE.match(typed):
        return
    lines = [line.strip() for text in code_above(situation) for line in text.split("\n")]
    whole = [line for line in lines if not _SAID_ONCE.match(line)]
    rests = [line[len(typed) :] for line in whole if line.startswith(typed)]
    found = [rest for rest in rests if 0 < len(rest) <= _LONGEST_REST and not _ASSIGNS.search(rest)]
    yield from found or _with_this_table(typed, whole, facts)


def _with_this_table(typed: str, lines: Sequence[str], facts: Facts) -> Iterator[str]:
    match = _CHAIN.match(typed)
    if match is None or not facts.columns(match["table"]):
        return
    behind = typed[match.start("table") :]
    for line in dict.fromkeys(lines):
        other = _CHAIN.match(line)
        if other is None:
            continue
        chain = line[other.start("table") :]
        chain = re.sub(rf"(?<![\w.\"']){re.escape(other['table'])}(?=[.\[])", match["table"], chain)
        if chain.startswith(behind) and len(chain) > len(behind):
            yield chain[len(behind) :]


# --- Ends of lines -------------------------------------------------------------------------------------------------

_BEGINS = re.compile(r"(?<![\w.])[^\W\d]|(?<=\w)\.|(?<=\))\.")
_GOES_ON = re.compile(r"(?<!\bprint)\(\Z|, \Z")
_LEAST = 5
"""Characters of a line before its end is completed: ``.fit(``."""
_FAR = 3
"""Fewest characters that are worth pressing a key for."""


def own_ends(situation: Situation, facts: Facts) -> Iterator[str]:
    """``tree.fit(``, where ``model.fit(X_train, y_train)`` stands above: what stood behind the longest end of this line."""
    line = situation.line_before
    if situation.line_after.strip(")]}\"' ") or _NAMES_A_FIGURE.match(line):
        return
    code = "\n".join(code_above(situation))
    for start in (match.start() for match in _BEGINS.finditer(line)):
        end = line[start:]
        if len(end) < _LEAST or not _GOES_ON.search(end):
            continue
        found = [_argument(code[match.end() :], end) for match in re.finditer(rf"\b{re.escape(end)}", code)]
        if found := [text for text in found if len(text) >= _FAR]:
            yield from (_fitted(text, situation) for text in found)
            return


def _argument(text: str, before: str) -> str:
    """Return the text up to the bracket that closes the last open one of ``before``, or up to the end of the line."""
    line = text.partition("\n")[0]
    opened = max(before.rfind("("), before.rfind("["))
    end = closing(before[opened:] + line, 0) if opened >= 0 else 0
    return line[: end - len(before) + opened] if end else ""


def _fitted(text: str, situation: Situation) -> str:
    """Without what the editor has closed behind the cursor already."""
    after = situation.line_after.rstrip()
    return text.removesuffix(after) if after else text
