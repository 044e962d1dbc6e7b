"""Broadcast of events in numbered frames to the subscribed clients.

What concerns everybody is *sent*: it is numbered, kept, given to every subscriber, and given again to who missed it. An answer that
belongs to one subscriber and is stale a moment later is *told*: it is neither numbered nor kept, and comes beside the numbered frames.

A frame leaves at once when none has left for :data:`FRAME_INTERVAL`, otherwise when that has passed (leading edge: the first token
is on its way at once, a flood becomes about 60 frames a second). It holds everything since the one before it, with the pieces of one
cell's text joined: a frame costs the same, however many tokens came.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import structs

from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Event, Hello, NotesAdded
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.notebook_changes import merge
from spark_jupyter.protocol.proposal_messages import CellsChanged, ProposalChanged, RunRequested
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import PROTOCOL_VERSION

FRAME_INTERVAL = 0.016
"""Seconds between frames: a page draws as often. Twice as many took a third longer from token to screen, since each costs the page time."""
KEPT_FRAMES = 4096
"""Half a minute of streaming without a pause; a client that missed more gets a Snapshot."""
KEPT_CHARACTERS = 4_000_000
"""Of all of them: where cells are large, fewer frames are kept."""

Subscriber = Callable[[EventFrame], None]


class EventSink(Protocol):
    """Takes a session's events."""

    def send(self, events: Sequence[Event]) -> None:
        """Have these events leave with the next frame."""

    def flush_now(self) -> None:
        """Have what is pending leave at once."""


class Broadcast:
    """The subscribers of one engine. Only used on its thread; subscribers are called there and must be quick."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._log = FrameLog()
        self._pending: list[Event] = []
        self._told: dict[Subscriber, list[Event]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._subscribers: list[Subscriber] = []

    def send(self, events: Sequence[Event]) -> None:
        """Have these events leave with the next frame; that a cell is to run, at once: the cell that asks for it ends later."""
        if not events:
            return
        self._pending += events
        if self._timer is None:
            self._flush()
        elif any(isinstance(event, RunRequested) for event in events):
            self.flush_now()

    def tell(self, subscriber: Subscriber, events: Sequence[Event]) -> None:
        """Have these events leave with the next frame to one subscriber, in a frame without a number. They are not kept: a
        subscriber that has left meanwhile, or misses the frame, never gets them."""
        if not events or subscriber not in self._subscribers:
            return
        self._told.setdefault(subscriber, []).extend(events)
        if self._timer is None:
            self._flush()

    def answer(self, subscriber: Subscriber, event: Event) -> None:
        """Give one subscriber an answer at once: it is as :meth:`tell`, but nothing else can be joined with it, so nothing is awaited."""
        if subscriber in self._subscribers:
            self._give(subscriber, _unnumbered([event]))

    def flush_now(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._flush()

    def subscribe(self, subscriber: Subscriber) -> None:
        self._subscribers.append(subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)
        self._told.pop(subscriber, None)

    def catch_up(
        self, subscriber: Subscriber, *, last_seq: int, hello: Callable[[], Hello], snapshot: Callable[[], Event]
    ) -> None:
        """Give a subscriber a Hello and the frames that it missed since ``last_seq``, or a snapshot where these are no longer kept.

        Behind missed frames there is another Hello, and none among them: who writes now must not write what another one wrote meanwhile.
        The frame with the first Hello has the number of the frame before the next one, so that no gap is seen."""
        self.flush_now()  # what is pending belongs before the snapshot, or among the missed frames
        missed = self._log.since(last_seq) if last_seq > 0 else None
        before = missed[0].seq - 1 if missed else self._log.last_seq
        first = structs.replace(hello(), catching_up=bool(missed))
        given: list[tuple[int, tuple[Event, ...]]] = [(before, (first, snapshot()) if missed is None else (first,))]
        given += [(frame.seq, tuple(one for one in frame.msgs if not isinstance(one, Hello))) for frame in missed or ()]
        if missed:
            given.append((self._log.last_seq, (hello(),)))
        for seq, events in given:
            self._give(subscriber, EventFrame(v=PROTOCOL_VERSION, seq=seq, msgs=events))

    def _flush(self) -> None:
        self._timer = None
        if not (self._pending or self._told):
            return
        self._timer = self._loop.call_later(FRAME_INTERVAL, self._flush)
        events, self._pending = self._pending, []
        told, self._told = self._told, {}
        if events:
            frame = self._log.add(events)
            for subscriber in tuple(self._subscribers):
                self._give(subscriber, frame)
        for subscriber, answers in told.items():
            self._give(subscriber, _unnumbered(answers))

    def _give(self, subscriber: Subscriber, frame: EventFrame) -> None:
        try:
            subscriber(frame)
        except Exception as error:  # a client's fault must not stop the others'
            self._loop.call_exception_handler({"message": "A client failed to take a frame", "exception": error})


class FrameLog:
    """Numbers frames from 1 and keeps the youngest."""

    def __init__(self, *, kept: int = KEPT_FRAMES, characters: int = KEPT_CHARACTERS) -> None:
        self._frames: deque[EventFrame] = deque()
        self._kept = kept
        self._most = characters
        self._characters = 0
        self.last_seq = 0

    def add(self, events: Sequence[Event]) -> EventFrame:
        self.last_seq += 1
        frame = EventFrame(v=PROTOCOL_VERSION, seq=self.last_seq, msgs=coalesce(events))
        self._frames.append(frame)
        self._characters += _characters(frame)
        while len(self._frames) > self._kept or (self._characters > self._most and len(self._frames) > 1):
            self._characters -= _characters(self._frames.popleft())
        return frame

    def since(self, seq: int) -> list[EventFrame] | None:
        """The frames after number ``seq``; None where some of them are no longer kept, or were never sent (another kernel's)."""
        if seq > self.last_seq or (self._frames and seq < self._frames[0].seq - 1):
            return None
        return [frame for frame in self._frames if frame.seq > seq]


def coalesce(events: Sequence[Event]) -> tuple[Event, ...]:
    """The same in fewer events: neighbouring text of a turn is joined, and of the meters only the last counts."""
    joined: list[Event] = []
    last_meter = {event.turn_id: event for event in events if isinstance(event, Meter)}
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, Meter):
            if last_meter[event.turn_id] is event:
                joined.append(event)
        elif isinstance(event, CellsChanged) and isinstance(last, CellsChanged) and last.turn_id == event.turn_id:
            joined[-1] = CellsChanged(turn_id=event.turn_id, changes=(*last.changes, *event.changes))
        elif isinstance(event, NotesAdded) and isinstance(last, NotesAdded) and last.turn_id == event.turn_id:
            before = "" if event.replaces else last.text
            replaces = event.replaces or last.replaces
            joined[-1] = NotesAdded(turn_id=event.turn_id, text=before + event.text, replaces=replaces)
        else:
            joined.append(event)
    return tuple(
        CellsChanged(turn_id=event.turn_id, changes=tuple(merge(event.changes)))
        if isinstance(event, CellsChanged)
        else event
        for event in joined
    )


def _unnumbered(events: Sequence[Event]) -> EventFrame:
    """A frame beside the numbered ones, for one client. Its number 0 says that nothing comes before or after it."""
    return EventFrame(v=PROTOCOL_VERSION, seq=0, msgs=coalesce(events))


def _characters(frame: EventFrame) -> int:
    """Approximate number of characters in a frame: only those of sources and prose, since only they can be many."""
    return sum(map(_characters_of, frame.msgs))


def _characters_of(event: Event) -> int:
    match event:
        case ProposalChanged(proposal=proposal):
            return len(proposal.source) + len(proposal.base)
        case CellsChanged(changes=changes):
            return sum(len(getattr(change, "source", "")) + len(getattr(change, "text", "")) for change in changes)
        case NotesAdded(text=text):
            return len(text)
        case TrialResult(outputs=outputs):
            return sum(len(output.text) + sum(map(len, output.data.values())) for output in outputs)
        case _:
            return 0
