"""Wait for the end of a turn, a deep work or a Try.

Every client that waits does it by :class:`Follow`: events are kept for it from before the beginning, and Ctrl-C cancels what is
followed instead of striking in the middle of an event.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Generic, Protocol, TypeVar

from spark_jupyter.protocol.agent_messages import ConsentChanged
from spark_jupyter.protocol.deep_messages import DeepChanged, DirectDeep, SteerDeep
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Cancel, Command, Event, Problem, Steer, TurnEnded, TurnStarted
from spark_jupyter.protocol.proposal_messages import CellsChanged, ProposalChanged
from spark_jupyter.protocol.trial_messages import CancelTry, TrialResult
from spark_jupyter.protocol.values import DeleteCell, Turn, TurnOutcome

CLOSED = "The session was closed."
POLL = 0.1
"""Seconds between two looks while something is waited for: on Windows a wait without an end hears no Ctrl-C."""

Receive = Callable[[list[Event]], None]


class Subject(Protocol):
    """Subject of following: its events and its state."""

    def receive(self, event: Event) -> bool:
        """Take in an event; whether it is about this."""

    def give_up(self) -> list[Event]:
        """Nothing more will come: end as failed, and say so."""

    @property
    def cancel(self) -> Command:
        """Command that stops it."""

    @property
    def cancelled(self) -> bool:
        """True if it was stopped."""

    @property
    def settled(self) -> bool:
        """True if no more events come without a further command."""

    @property
    def decided(self) -> bool:
        """True if no more events come at all."""


class Chain:
    """A turn and those that steer it, one after the other. ``turn_id`` is the last of them."""

    def __init__(self, turn_id: str) -> None:
        self.turn_id = turn_id
        self.ended: TurnEnded | None = None
        self._ids = {turn_id}
        self._begun = False
        self._undecided: set[str] = set()
        self._tried: set[str] = set()

    @property
    def cancel(self) -> Command:
        return Cancel(turn_id=self.turn_id)

    @property
    def cancelled(self) -> bool:
        return self.ended is not None and self.ended.outcome == "cancelled"

    @property
    def settled(self) -> bool:
        """True if its last turn and its automatic trials have ended. Results of a rehearsal that still runs come later."""
        return self.ended is not None and not self._tried

    @property
    def decided(self) -> bool:
        """True if its last turn has ended, and each of its proposals was accepted or rejected."""
        return self.ended is not None and not self._undecided

    def receive(self, event: Event) -> bool:
        """Take in an event; whether it is about one of these turns."""
        match event:
            case TurnStarted(turn=turn):
                return self._begin(turn)
            case ProposalChanged():
                return self._propose(event)
            case CellsChanged(changes=changes) if event.turn_id in self._ids:
                self._undecided -= {change.cell_id for change in changes if isinstance(change, DeleteCell)}
            case TrialResult(cell_id=cell_id):
                self._tried.discard(cell_id)
            case TurnEnded(outcome=outcome) if event.turn_id == self.turn_id and outcome != "superseded":
                self.ended = event
            case Problem() if event.turn_id == self.turn_id and not self._begun:
                self.ended = TurnEnded(turn_id=self.turn_id, outcome="failed", reason=event.message)
            case ConsentChanged():
                return True  # an agent that answers may wait for a permission
        return getattr(event, "turn_id", None) in self._ids

    def give_up(self) -> list[Event]:
        """The engine was closed in mid-turn: it has failed."""
        self._tried.clear()
        if self.ended is not None:
            return []
        self.ended = TurnEnded(turn_id=self.turn_id, outcome="failed", reason=CLOSED)
        return [self.ended]

    def steer(self, text: str, *, turn_id: str) -> Command:
        """Command that steers it by a turn of this id, which then counts as one of these turns."""
        self._ids.add(turn_id)
        return Steer(turn_id=turn_id, steers=self.turn_id, text=text)

    def _begin(self, turn: Turn) -> bool:
        if turn.steers == self.turn_id:
            self.turn_id = turn.id
            self._ids.add(turn.id)
        self._begun = self._begun or turn.id in self._ids
        return turn.id in self._ids

    def _propose(self, event: ProposalChanged) -> bool:
        """A cell is of these turns until another turn proposes something for it."""
        proposal = event.proposal
        mine = proposal.turn_id in self._ids
        for cells, belongs in (
            (self._undecided, proposal.state in ("streaming", "ready", "blocked")),
            (self._tried, proposal.trying and (self.ended is None or proposal.cell_id in self._tried)),
        ):
            if mine and belongs:
                cells.add(proposal.cell_id)
            else:
                cells.discard(proposal.cell_id)
        return mine


class DeepChain(Chain):
    """A deep work, and the turn that proposes it. It is settled, too, where it waits for a person."""

    def __init__(self, work_id: str) -> None:
        super().__init__(work_id)
        self._waits = False

    @property
    def settled(self) -> bool:
        """True if no more events come without a further command."""
        return self._waits or super().settled

    @property
    def cancel(self) -> Command:
        return DirectDeep(work_id=self.turn_id, what="cancel")

    def steer(self, text: str, *, turn_id: str) -> Command:
        return SteerDeep(work_id=self.turn_id, text=text)

    def receive(self, event: Event) -> bool:
        """Take in an event; whether it is about this work."""
        if not isinstance(event, DeepChanged):
            return super().receive(event)
        work = event.work
        if work.id == self.turn_id and work.over and work.state != "proposed":
            outcome: TurnOutcome = "cancelled" if work.state == "cancelled" else "failed"
            self.ended = TurnEnded(turn_id=work.id, outcome=outcome, reason=work.reason)
        if work.id == self.turn_id:
            self._waits = work.state in ("planned", "paused")
        return work.id == self.turn_id


class OneTry:
    """The Try of one cell. ``result`` is what came of it."""

    def __init__(self, cell_id: str) -> None:
        self.result: TrialResult | None = None
        self._cell_id = cell_id

    @property
    def cancel(self) -> Command:
        return CancelTry(cell_id=self._cell_id)

    @property
    def cancelled(self) -> bool:
        """A Try that is stopped has a result like any other, which says so: an interrupt has always been heeded."""
        return True

    @property
    def settled(self) -> bool:
        return self.result is not None

    decided = settled

    def receive(self, event: Event) -> bool:
        if not isinstance(event, TrialResult) or event.cell_id != self._cell_id:
            return False
        self.result = event
        return True

    def give_up(self) -> list[Event]:
        """The engine was closed in mid-Try."""
        self.result = self.result or TrialResult(turn_id="", cell_id=self._cell_id, problem=CLOSED, summary=CLOSED)
        return []


Followed = TypeVar("Followed", bound=Subject)


class Source(Protocol):
    """Interface of an engine that is used here."""

    @property
    def closed(self) -> bool:
        """True if no more events will come."""

    def subscribe(self, subscriber: Callable[[EventFrame], None], /) -> Callable[[], None]:
        """Have it called with every frame, on the engine's thread; returns what ends that."""

    def submit(self, command: Command, /) -> None:
        """Have a command taken in."""


class Follow(Generic[Followed]):
    """Gives the events about one thing, from when this is made on: to ``receive`` on the engine's thread, until all of it is decided;
    or to whoever goes :meth:`through` them, on any thread, until it is settled. ``others``: what is about something else, too.

    ``subject`` says how it stands by what the engine has said so far.
    """

    def __init__(
        self, engine: Source, subject: Followed, *, receive: Receive | None = None, others: bool = False
    ) -> None:
        self.subject = subject
        self._engine = engine
        self._receive = receive or self._keep
        self._until_decided = receive is not None
        self._others = others
        self._kept: list[Event] = []
        self._news = threading.Condition()
        with self._news:  # what comes at once waits until it can be closed
            self.close = engine.subscribe(self._receive_frame)

    def wait(self, begin: Callable[[], object]) -> Followed:
        """As :meth:`through`, for who looks at the end only."""
        for _ in self.through(begin):
            pass
        return self.subject

    def through(self, begin: Callable[[], object], *, every: float = POLL) -> Iterator[list[Event]]:
        """``begin``, then what is said until it is settled; at least every ``every`` seconds, even if nothing was said.

        On the main thread Ctrl-C cancels it, wherever it strikes, and takes nothing from what is said; one that comes too late for that is
        raised at the end. What ``begin`` raises is raised.
        """
        with on_interrupt(lambda: self._engine.submit(self.subject.cancel)) as interrupts:
            try:
                begin()
                over = False
                while not over:
                    events, over = self._next(every)
                    yield events
            finally:
                self.close()
        interrupts.raise_unless(self.subject.cancelled)

    def _next(self, patience: float) -> tuple[list[Event], bool]:
        with self._news:
            self._news.wait_for(lambda: self._kept or self.subject.settled, patience)
            events, self._kept = self._kept, []
            if not events and self._engine.closed:
                events = self.subject.give_up()
            return events, self.subject.settled

    def _keep(self, events: Iterable[Event]) -> None:
        self._kept += events

    def _receive_frame(self, frame: EventFrame) -> None:
        with self._news:
            events = [event for event in frame.msgs if self.subject.receive(event) or self._others]
            if events:
                self._receive(events)
            self._news.notify_all()
        if self._until_decided and self.subject.decided:
            self.close()


class Interrupts:
    """Record of Ctrl-C."""

    def __init__(self) -> None:
        self.happened = False

    def raise_unless(self, heeded: bool) -> None:
        """An interrupt that came too late to be heeded is for what would follow: raises a KeyboardInterrupt."""
        if self.happened and not heeded:
            raise KeyboardInterrupt


@contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[Interrupts]:
    """Within it Ctrl-C calls ``act`` and raises nothing. ``act`` is called between any two steps of the main thread, which may hold
    a lock: it may pass something on and must not wait. On other threads, which are never interrupted, this does nothing."""
    interrupts = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield interrupts
        return

    def handle(number: int, frame: FrameType | None) -> None:
        interrupts.happened = True
        act()

    signal.signal(signal.SIGINT, handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
