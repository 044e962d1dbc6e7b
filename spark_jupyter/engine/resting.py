"""A provider that fails is left alone for a while by what nobody asked for: at eight keys a second a limit would never end."""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.exceptions import SparkError

FIRST_REST = 1.0
"""Seconds after the first failure; twice as many after each one that follows."""
LONGEST_REST = 60.0
"""Seconds, also where the provider says more: somebody may have mended it."""


class Rests:
    """Remembers the failures in a row of one provider, by how it is called; another one has none. ``now`` is a clock in seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._who = ""
        self._until = 0.0
        self._failures = 0

    def is_resting(self, who: str) -> bool:
        """Whether it is to be left alone."""
        return who == self._who and self._now() < self._until

    def failed(self, who: str, error: SparkError) -> None:
        """It did not answer."""
        self._failures = self._failures + 1 if who == self._who else 1
        said = getattr(error, "retry_after", None)
        wait = FIRST_REST * 2 ** min(self._failures - 1, 10) if said is None else said
        self._who, self._until = who, self._now() + min(wait, LONGEST_REST)

    def answered(self) -> None:
        """One answered: what was before is forgotten."""
        self._who, self._failures = "", 0
