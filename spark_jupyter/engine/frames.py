"""Events → numbered frames, kept so that a front end that missed some can have them again. Pure.

A frame holds everything since the one before it, with the pieces of one cell's text joined: a frame costs what a
frame costs, however many tokens came.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import CellsChanged, Event, NotesAdded, ProposalChanged
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.notebook import merge
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import PROTOCOL_VERSION

KEPT_FRAMES = 4096
"""Half a minute of streaming without a pause; a front end that missed more gets a Snapshot."""
KEPT_CHARACTERS = 4_000_000
"""Of all of them: where cells are large, fewer frames are kept."""


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
            joined[-1] = NotesAdded(turn_id=event.turn_id, text=last.text + event.text)
        else:
            joined.append(event)
    return tuple(
        CellsChanged(turn_id=event.turn_id, changes=tuple(merge(event.changes)))
        if isinstance(event, CellsChanged)
        else event
        for event in joined
    )


def alone(events: Sequence[Event]) -> EventFrame:
    """A frame beside the numbered ones, for one front end. Its number 0 says that nothing comes before or after it."""
    return EventFrame(v=PROTOCOL_VERSION, seq=0, msgs=coalesce(events))


def _characters(frame: EventFrame) -> int:
    """About how many there are in a frame: those of sources and of prose, which alone can be many."""
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


class FrameLog:
    """Numbers frames from 1 and keeps the youngest."""

    def __init__(self, *, kept: int = KEPT_FRAMES, characters: int = KEPT_CHARACTERS) -> None:
        self._frames: deque[EventFrame] = deque()
        self._kept = kept
        self._most = characters
        self._characters = 0
        self.last_seq = 0

    def add(self, events: Sequence[Event]) -> EventFrame:
        """The next frame, with these events in it."""
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
