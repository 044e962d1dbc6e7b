"""A second passes: said while a turn waits for the first of its answer, so that what it waits for can be shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

EVERY = 1.0
"""Seconds."""


class Ticking:
    """Calls ``tick`` each second while it is on. Only used on the engine's loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, tick: Callable[[], None]) -> None:
        self._loop = loop
        self._tick = tick
        self._timer: asyncio.TimerHandle | None = None

    def switch(self, on: bool) -> None:
        """Begin, or end. Idempotent."""
        if on and self._timer is None:
            self._timer = self._loop.call_later(EVERY, self._pass)
        elif not on and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pass(self) -> None:
        self._timer = None
        self._tick()
