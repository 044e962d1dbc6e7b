"""Names as they are spoken, and transcripts with the names as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz

MOST_NAMES = 400
_ALIKE = 86
"""Least similarity (0 to 100) of words that were heard to those of a name."""
_LONGEST = 6
"""Words of a name."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LETTERS = re.compile(r"\b[a-z]\.(?: [a-z]\.)*")
_YEAR = re.compile(r"\b(1[89]|20) (\d\d)\b")


def spoken(name: str) -> str:
    """Words of a name: ``unit_price``, ``UnitPrice`` and ``Unit Price`` are "unit price"; empty where it has no letters of English."""
    return " ".join(part.lower() for part in _PART.findall(name))


def spoken_names(names: Iterable[str]) -> dict[str, str]:
    """Each name by its words, of the first ``MOST_NAMES``; of names that sound alike the first counts."""
    found: dict[str, str] = {}
    for name in names:
        words = spoken(name)
        if words and words.count(" ") < _LONGEST and len(found) < MOST_NAMES:
            found.setdefault(words, name)
    return found


def written(transcript: str, names: Mapping[str, str]) -> str:
    """A transcript as a person would type it: numbers as digits, names as they are written, spelled words ("s. k. u.") as one.

    ``names``: as :func:`spoken_names` gives them. Names of several words also count where they were heard nearly right.
    """
    from text_to_num import alpha2digit

    words = _LETTERS.sub(lambda spelled: re.sub(r"\W", "", spelled[0]), transcript).split()
    found: list[str] = []
    while words:
        size, name = _first_name(words, names)
        found.append(name or words[0])
        words = words[size:]
    return _YEAR.sub(r"\1\2", alpha2digit(" ".join(found), "en"))


def _first_name(words: list[str], names: Mapping[str, str]) -> tuple[int, str]:
    """The name that begins the words: how many of them it takes, and how it is written; 1 and nothing where none does."""
    for size in range(min(_LONGEST, len(words)), 0, -1):
        heard = " ".join(words[:size])
        if heard in names:
            return size, names[heard]
        if size > 1:
            near = max(names, key=lambda spoken: fuzz.ratio(spoken, heard) if " " in spoken else 0, default="")
            if near.count(" ") == size - 1 and fuzz.ratio(near, heard) >= _ALIKE:
                return size, names[near]
    return 1, ""
