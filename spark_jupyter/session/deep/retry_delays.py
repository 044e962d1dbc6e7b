"""How long a deep work rests after a failure that passes, and how often. Pure."""

from __future__ import annotations

from spark_jupyter.exceptions import ConnectionLost, Preempted, SparkError, Stalled, TryLater

RETRIES = 6
"""How often in a row a lost connection is sought again, each time after twice as long."""
FIRST_REST = 2.0
"""Seconds before the first of them."""


class RetryDelays:
    """That of one work. ``rest`` is for how many seconds it rests after the last failure."""

    def __init__(self) -> None:
        self.rest = FIRST_REST
        self._failures = 0

    def bears(self, error: SparkError) -> bool:
        """Whether it is worth while to ask once more after this failure; then :attr:`rest` says when."""
        passes = isinstance(error, ConnectionLost | TryLater | Preempted | Stalled)
        if not passes or self._failures >= RETRIES:
            return False
        self.rest = getattr(error, "retry_after", None) or FIRST_REST * 2**self._failures
        self._failures += 1
        return True

    def renew(self) -> None:
        """Something has come: what failed before no longer counts."""
        self._failures = 0
