"""Parser of mentions in a prompt: ``@df``, ``@df.price``, ``@cell 3``, ``@sales.csv``."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

MOST_MENTIONS = 12
"""So many are looked into for one prompt."""

_MENTION = re.compile(
    r"""(?<![\w.@])@(?:
        "(?P<quoted>[^"\n]{1,300})"
        | (?P<table>[^\W\d]\w*)\[(?P<quote>["'])(?P<label>[^"'\n]{1,200})(?P=quote)\]
        | cell[ ]?(?P<cell>\d{1,4})\b
        | (?P<word>[\w~./-]*\w)
    )""",
    re.VERBOSE,
)


class Mention(Struct, frozen=True):
    """``text`` is what was typed. ``name`` is a variable (``label`` its column) or a file; the number of a cell; empty for the others."""

    text: str
    kind: Literal["name", "cell", "error", "output", "figure"]
    name: str = ""
    label: str = ""


def mentions(text: str) -> tuple[Mention, ...]:
    """Each one once, in the order in which they stand."""
    found = dict.fromkeys(_mention(match) for match in _MENTION.finditer(text))
    return tuple(found)[:MOST_MENTIONS]


def without_marks(text: str) -> str:
    """The text as it would have been written without pointing: ``@df`` is ``df``. What is left points at nothing."""
    while (plain := _MENTION.sub(_without_mark, text)) != text:  # what was quoted may have pointed, too
        text = plain
    return text


def _without_mark(match: re.Match[str]) -> str:
    name = match["quoted"]
    return f'"{name}"' if name and " " in name else name or match[0][1:]


def with_quoted_names(text: str, files: str) -> str:
    """The text with quotes around each name of several words that ``files`` tells, as previews begin with it."""
    names = re.findall(r"(?m)^(\S[^\n\"'`“”]* [^\n\"'`“”]*): [\d,]+ bytes$", files)
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<![\w\"'`“]){re.escape(name)}(?![\w\"'`”])", lambda found: f'"{found[0]}"', text)
    return text


def _mention(match: re.Match[str]) -> Mention:
    text = match[0]
    if match["cell"]:
        return Mention(text, "cell", match["cell"])
    if match["table"]:
        return Mention(text, "name", match["table"], match["label"])
    word = match["word"] or ""
    if word in ("error", "output", "figure"):
        return Mention(text, word)  # type: ignore[arg-type]  # one of the three
    return Mention(text, "name", match["quoted"] or word)
