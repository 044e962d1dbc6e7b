"""Delays between attempts to connect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

FIRST = 0.1
LONGEST = 30.0
_spread = Random()
"""Of our own: who draws from Python's changes what a user's seed gives."""


def delays(
    random: Callable[[], float] = _spread.random, *, first: float = FIRST, longest: float = LONGEST
) -> Iterator[float]:
    """Endless delays in seconds: at once, then doubling from ``first`` to ``longest``, each cut by up to half.

    ``random`` gives numbers in [0, 1); the spread keeps the kernels of a class room from knocking all at the same
    moment.
    """
    yield 0.0
    delay = first
    while True:
        yield delay * (1.0 - random() / 2)
        delay = min(delay * 2, longest)
