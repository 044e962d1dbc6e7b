"""Delays between retries of a deep work after lost connections."""

from __future__ import annotations

from spark_jupyter.exceptions import ConnectionLost, Preempted, SparkError, Stalled, TryLater

RETRIES = 6
"""Retries in a row, each after twice the delay."""
FIRST_REST = 2.0
"""Seconds before the first retry."""


class RetryDelays:
    """Delays of one work. ``rest`` is the delay in seconds after the last failure."""

    def __init__(self) -> None:
        self.rest = FIRST_REST
        self._failures = 0

    def allows_retry(self, error: SparkError) -> bool:
        """True if to ask again after this failure; then :attr:`rest` says when."""
        passes = isinstance(error, ConnectionLost | TryLater | Preempted | Stalled)
        if not passes or self._failures >= RETRIES:
            return False
        self.rest = getattr(error, "retry_after", None) or FIRST_REST * 2**self._failures
        self._failures += 1
        return True

    def reset(self) -> None:
        """Forget earlier failures, since the provider has answered."""
        self._failures = 0
