"""Fast text form of values made of Python's own types.

Lists, tuples and dictionaries of numbers and texts, all the way down, are written by Python itself, in C. Twenty thousand records are
checked level by level instead of one by one.
"""

from __future__ import annotations

import gc
import marshal
from itertools import compress
from typing import Any

PLAIN = frozenset((int, float, bool, str, type(None)))
"""Types whose values are what Python writes; all NaN are written alike, and -0.0 is not 0.0."""
CONTAINERS = frozenset((list, tuple, dict))
_MOST = 500_000
"""Elements that are looked at, as often as they are reached: what is shared on each of many levels would be written again and again."""
_MOST_CONTENT = 4_000_000
"""… and for a value's content, which nobody reads."""
_MOST_CHARACTERS = 100_000_000
_LEVELS = 8


def plain_text(value: Any, *, levels: int = _LEVELS, most_text: int | None = None) -> str | None:
    """A list, tuple or dictionary as Python writes it; None where it holds anything else, itself, or too much: more than so many
    ``levels`` of containers, or more than ``most_text`` characters of text on one of them (None: as many as there are)."""
    return None if _kinds(value, levels, most_text) is None else _written(value)


def plain_content(value: Any) -> str | bytes | None:
    """What tells one from another, as fast as it can be written; None as for :func:`plain_text`."""
    kinds = _kinds(value, _LEVELS, _MOST_CHARACTERS, most=_MOST_CONTENT)
    if kinds is None:
        return None
    return _written(value) if float in kinds else marshal.dumps(value, 2)  # the bytes of two NaN may differ


def _kinds(value: Any, levels: int, most_text: int | None, *, most: int = _MOST) -> set[type] | None:
    """The types in a plain value, at all its levels."""
    level, left, found = [value], most, set[type]()
    for _ in range(levels):
        left -= sum(map(len, level))
        if left < 0:
            return None
        inside = gc.get_referents(*level)
        kinds = set(map(type, inside))
        if most_text is not None and str in kinds and sum(len(one) for one in inside if type(one) is str) > most_text:
            return None
        found |= kinds
        if kinds <= PLAIN:
            return found
        if not kinds <= PLAIN | CONTAINERS:
            return None
        level = list(compress(inside, map(CONTAINERS.__contains__, map(type, inside))))
    return None


def _written(value: Any) -> str | None:
    try:
        return repr(value)
    except ValueError:  # a number with more digits than Python writes
        return None


def atom_text(value: Any) -> str | bytes:
    """A number, a text or None as Python writes it."""
    if type(value) in (str, bytes):
        return value  # type: ignore[no-any-return]  # one of the two
    try:
        return repr(value)
    except ValueError:  # a number with more digits than Python writes
        return hex(value)
