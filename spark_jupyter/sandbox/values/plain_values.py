"""Fast text form of values made of Python's own types.

Lists, tuples and dictionaries of numbers and texts, all the way down, are written by Python itself, in C. Twenty thousand records are
checked level by level instead of one by one.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

PLAIN = frozenset((int, float, bool, str, type(None)))
"""Types whose values are what Python writes; all NaN are written alike, and -0.0 is not 0.0."""
CONTAINERS = frozenset((list, tuple, dict))
_MOST = 500_000
"""Elements that are looked at, as often as they are reached: what is shared on each of many levels would be written again and again."""
_LEVELS = 8


def plain_text(value: Any, *, levels: int = _LEVELS, most_text: int | None = None) -> str | None:
    """A list, tuple or dictionary as Python writes it; None where it holds anything else, itself, or too much: more than so many
    ``levels`` of containers, or more than ``most_text`` characters of text on one of them (None: as many as there are)."""
    level, left = [value], _MOST
    for _ in range(levels):
        left -= sum(map(len, level))
        if left < 0:
            return None
        inside = _inside(level)
        kinds = set(map(type, inside))
        if most_text is not None and str in kinds and sum(len(one) for one in inside if type(one) is str) > most_text:
            return None
        if kinds <= PLAIN:
            return _written(value)
        if not kinds <= PLAIN | CONTAINERS:
            return None
        level = [one for one in inside if type(one) in CONTAINERS]
    return None


def _inside(containers: list[Any]) -> list[Any]:
    tables = [one for one in containers if type(one) is dict]
    rows = [one for one in containers if type(one) is not dict]
    keys, values = chain.from_iterable(tables), chain.from_iterable(map(dict.values, tables))
    return [*chain.from_iterable(rows), *keys, *values]


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
