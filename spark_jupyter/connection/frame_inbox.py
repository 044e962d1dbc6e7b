"""Queue of frames for one request."""

from __future__ import annotations

import asyncio
from collections import deque

from spark_jupyter.exceptions import Stalled

HIGH_WATER = 8 * 2**20
"""Bytes that may wait here. Beyond them the socket is not read, so that TCP slows the provider down."""
MOST_AT_ONCE = 128
"""Frames that are taken at once: a few milliseconds of work, after which a cancel, and all else that waits, has its turn. At 5,000 tokens a
second 80 come while a page draws once."""


class Inbox:
    """Frames in the order of arrival, and at their end perhaps an error. One reader puts, one taker takes."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._room: asyncio.Future[None] | None = None

    def put(self, frame: bytes) -> None:
        self._frames.append(frame)
        self._size += len(frame)
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def fail(self, error: Exception) -> None:
        """Nothing more will arrive. What has arrived is still taken first."""
        if self._error is None:
            self._error = error
        self._wake()

    def close(self) -> None:
        """The taker is gone: let the reader go on, and no timer behind."""
        self._make_room()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def is_full(self) -> bool:
        """True if the reader should wait for :meth:`room`."""
        return self._size >= HIGH_WATER

    async def room(self) -> None:
        """Wait until the taker has taken. Cancelled with the reader."""
        self._room = self._loop.create_future()
        await self._room

    async def take(self, patience: float) -> list[bytes]:
        """Frames that have arrived: at least one, and not too many at once.

        Raises :class:`~spark_jupyter.exceptions.Stalled` after ``patience`` seconds of nothing, or the error that
        ended it.
        """
        if not self._frames:
            if self._error is not None:
                raise self._error
            await self._wait(patience)
        else:
            await asyncio.sleep(0)  # where frames always wait already, nobody else would have a turn
        frames = [self._frames.popleft() for _ in range(min(len(self._frames), MOST_AT_ONCE))]
        self._size -= sum(map(len, frames))
        if not self.is_full:
            self._make_room()
        if not frames:
            raise self._error or _stalled(patience)
        return frames

    async def _wait(self, patience: float) -> None:
        """Wait for a frame, an error or the deadline. One timer serves many waits: it is set again only when it
        rings early."""
        self._deadline = self._loop.time() + patience
        if self._timer is not None and self._timer.when() > self._deadline:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = self._loop.call_at(self._deadline, self._ring)
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _ring(self) -> None:
        self._timer = None
        if self._waiter is None:
            return
        if self._loop.time() < self._deadline:
            self._timer = self._loop.call_at(self._deadline, self._ring)
        else:
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _make_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None


def _stalled(patience: float) -> Stalled:
    return Stalled(
        f"Nothing came from the provider for {patience:.3g} s.", remedy="What had arrived is kept. Ask again, or steer."
    )
