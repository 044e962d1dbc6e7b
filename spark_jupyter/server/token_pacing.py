"""Times at which the tokens of an answer are due."""

from __future__ import annotations

BATCH = 128
"""Most pieces that are sent at a time, so that other lanes and the network get their turn."""


class Pace:
    """A schedule of ``rate`` tokens a second from ``now`` on (in seconds, of any clock); None has no limit.

    Every token has its own deadline, counted from the start, so that late wake-ups do not add up: who wakes up late
    is told to send more. The first token is due at once.
    """

    def __init__(self, rate: float | None, now: float) -> None:
        self._rate = rate
        self._start = now
        self._taken = 0

    def due(self, now: float) -> int:
        """Number of tokens that may be sent now; never more than :data:`BATCH`."""
        if self._rate is None:
            return BATCH
        return max(0, min(BATCH, int((now - self._start) * self._rate) + 1 - self._taken))

    def take(self, count: int) -> None:
        """So many were taken."""
        self._taken += count

    def delay(self, now: float) -> float:
        """Seconds until the next token is due; 0 when it is."""
        if self._rate is None:
            return 0.0
        return max(0.0, self._start + self._taken / self._rate - now)

    def restart(self, now: float) -> None:
        """Begin again: after a pause that was meant, nothing is to be caught up."""
        self._start, self._taken = now, 0
