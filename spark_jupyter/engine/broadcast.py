"""Events → frames → subscribers: when a frame leaves, and who gets which.

What concerns everybody is sent: it is numbered, kept, given to every subscriber, and given again to who missed it. An answer that belongs
to one subscriber and is stale a moment later is told: it is neither numbered nor kept, and comes beside the numbered frames.

A frame leaves at once when none has left for :data:`FRAME_INTERVAL`, otherwise when that has passed (leading edge: the first token
is on its way at once, a flood becomes about 120 frames a second).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from spark_jupyter.engine.frames import FrameLog, alone
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Event
from spark_jupyter.protocol.values import PROTOCOL_VERSION

FRAME_INTERVAL = 0.008
"""Seconds between frames, found by measuring in JupyterLab: 6 ms from frame to paint, p50, at 5,000 tokens a second."""

Subscriber = Callable[[EventFrame], None]


class Broadcast:
    """The subscribers of one engine. Only used on its thread; subscribers are called there and must be quick.

    ``greeting`` and ``snapshot`` say, at the moment at which somebody attaches, who is here and how everything stands. ``sent`` is
    called with the events that every subscriber has been given.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        greeting: Callable[[], Event],
        snapshot: Callable[[], Event],
        sent: Callable[[Sequence[Event]], None],
    ) -> None:
        self._loop = loop
        self._greeting = greeting
        self._snapshot = snapshot
        self._sent = sent
        self._log = FrameLog()
        self._pending: list[Event] = []
        self._told: dict[Subscriber, list[Event]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._subscribers: list[Subscriber] = []

    def send(self, events: Sequence[Event]) -> None:
        """Have these events leave with the next frame."""
        if not events:
            return
        self._pending += events
        if self._timer is None:
            self._flush()

    def tell(self, subscriber: Subscriber, events: Sequence[Event]) -> None:
        """Have these events leave with the next frame to one subscriber, in a frame without a number. They are not kept: who has
        unsubscribed meanwhile, or misses the frame, never gets them."""
        if not events or subscriber not in self._subscribers:
            return
        self._told.setdefault(subscriber, []).extend(events)
        if self._timer is None:
            self._flush()

    def flush_now(self) -> None:
        """Have what is pending leave at once."""
        if self._timer is not None:
            self._timer.cancel()
        self._flush()

    def subscribe(self, subscriber: Subscriber, last_seq: int | None) -> None:
        """Give ``subscriber`` every frame from now on; before, where ``last_seq`` is not None, the greeting and what it missed."""
        if last_seq is not None:
            self._catch_up(subscriber, last_seq, [self._greeting()])
        self._subscribers.append(subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Give it no more frames. Idempotent."""
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)
        self._told.pop(subscriber, None)

    def resend(self, subscriber: Subscriber, from_seq: int) -> None:
        """Give one subscriber the frames from ``from_seq`` on again."""
        self._catch_up(subscriber, from_seq - 1, [])

    def _flush(self) -> None:
        self._timer = None
        if not (self._pending or self._told):
            return
        self._timer = self._loop.call_later(FRAME_INTERVAL, self._flush)
        events, self._pending = self._pending, []
        told, self._told = self._told, {}
        if events:
            self._number(events)
        for subscriber, answers in told.items():
            self._give(subscriber, alone(answers))

    def _number(self, events: Sequence[Event]) -> None:
        frame = self._log.add(events)
        for subscriber in tuple(self._subscribers):
            self._give(subscriber, frame)
        self._sent(events)

    def _give(self, subscriber: Subscriber, frame: EventFrame) -> None:
        try:
            subscriber(frame)
        except Exception as error:  # a front end's fault must not stop the others'
            self._loop.call_exception_handler({"message": "A front end failed to take a frame", "exception": error})

    def _catch_up(self, subscriber: Subscriber, last_seq: int, first: list[Event]) -> None:
        self.flush_now()  # what is pending belongs before the snapshot, or among the missed frames
        missed = self._log.since(last_seq) if last_seq > 0 else None
        if missed is None:
            first = [*first, self._snapshot()]
            missed = []
        before = missed[0].seq - 1 if missed else self._log.last_seq
        if first:
            self._give(subscriber, EventFrame(v=PROTOCOL_VERSION, seq=before, msgs=tuple(first)))
        for frame in missed:
            self._give(subscriber, frame)
