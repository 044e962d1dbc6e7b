"""Log of what was spent, today and in each notebook, with limits.

Kept beside Jupyter's data, a line for each turn, without a word of what was asked. All kernels of this user write to it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.deep_messages import DeepChanged, DeepWork
from spark_jupyter.protocol.messages import Event, Problem, TurnEnded, TurnStarted
from spark_jupyter.protocol.meter_messages import Meter, Spent
from spark_jupyter.protocol.values import Person
from spark_jupyter.session.turn_meter import JobMeter
from spark_jupyter.typed_decoders import json_decoder

_UNREADABLE = (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError)


class Entry(Struct, frozen=True, kw_only=True):
    """A turn that has ended, or a request of the background (``kind``). ``cost`` is in US dollars, None where no price is known.
    ``by`` is the id of who prompted, empty where the server does not know its users."""

    day: datetime.date
    notebook: str
    cost: float | None
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    kind: str = ""
    by: str = ""


_REFINEMENT = "refinement"
DRAFT = "draft"
"""Kinds of requests that no prompt asked for: offers, and drafts written while somebody types."""
_entry = json_decoder(Entry)


class Limits(Struct, frozen=True, kw_only=True):
    """US dollars a day, 0 where there is no limit: from where on it is said, and from where on nothing more that costs is asked."""

    warn: float = 0.0
    stop: float = 0.0
    person: float = 0.0
    """``stop`` for each person whom the server knows."""
    drafts: float = 0.0
    """``stop`` for drafts alone."""


class Spending:
    """Spending of one kernel. ``folder`` is where all of them write; ``notebook`` says whose it is. Only used on the engine's loop."""

    def __init__(
        self,
        folder: Path,
        *,
        notebook: str,
        limits: Limits | None = None,
        today: Callable[[], datetime.date] = datetime.date.today,
    ) -> None:
        self.limits = limits or Limits()
        self._folder = folder
        self._notebook = notebook
        self._today = today
        self._meters: dict[str, Meter] = {}
        self._authors: dict[str, str] = {}
        self._people: dict[tuple[datetime.date, str], float] = {}
        self._deep: dict[str, float] = {}
        self._warned: datetime.date | None = None
        self._file = Path()
        self._read = 0
        self._days: dict[datetime.date, tuple[float, int]] = {}
        """Of each day of the month what was spent, and of how many turns no price is known."""
        self._mine = 0.0
        self._of_kind: dict[tuple[datetime.date, str], tuple[float, int]] = {}

    def limit(self, **limits: float) -> None:
        """Other limits from now on, in US dollars a day: the fields of :class:`Limits` that change."""
        self.limits = structs.replace(self.limits, **limits)

    def total(self) -> Spent:
        """As it is now, also by other kernels."""
        self._catch_up()
        today, unknown = self._days.get(self._today(), (0.0, 0))
        total = Spent(today=today, notebook=self._mine, unknown=unknown, stop=self.limits.stop)
        drafted, drafts = self.spent_on(DRAFT)
        return structs.replace(total, drafts=drafts, drafted=drafted, draft_stop=self.limits.drafts)

    @property
    def refined(self) -> float:
        """Part of today's spending for refinements that nobody asked for, by all kernels."""
        return self.spent_on(_REFINEMENT)[0]

    def spent_on(self, kind: str) -> tuple[float, int]:
        """Part of today's spending of this kind, by all kernels, and for how many requests."""
        self._catch_up()
        return self._of_kind.get((self._today(), kind), (0.0, 0))

    def add_request(self, meter: JobMeter, kind: str = _REFINEMENT) -> list[Event]:
        """Add what a request of the background cost, unless a ``kind`` is named one for a better text; returns what is to be said of it."""
        entry = Entry(day=self._today(), notebook=self._notebook, cost=meter.cost, kind=kind)
        self._append(structs.replace(entry, input_tokens=meter.input, output_tokens=meter.output))
        total = self.total()
        return [total, *self._warning(total)]

    def receive(self, events: Iterable[Event], *, kind: str = "") -> list[Event]:
        """Take in events; returns those to send: the totals where a turn has ended, and once a day a warning."""
        ended = False
        for event in events:
            match event:
                case TurnStarted(turn=turn):
                    self._authors[turn.id] = known_id(turn.by)
                case Meter():
                    self._meters[event.turn_id] = event
                case TurnEnded(turn_id=turn_id) if turn_id in self._meters:
                    ended |= self._add(self._meters.pop(turn_id), kind)
                case DeepChanged(work=work):
                    ended |= self._add_deep(work)
        if not ended:
            return []
        total = self.total()
        return [total, *self._warning(total)]

    def refuse(self, *, costs: bool, by: Person | None = None) -> None:
        """Raise :class:`~spark_jupyter.exceptions.SessionError` where nothing more is to be spent today, by all or ``by`` this person, and
        the model ``costs``."""
        if not costs:
            return
        spent, person = self.total().today, known_id(by)
        own = self._people.get((self._today(), person), 0.0) if person else 0.0
        if self.limits.person and own >= self.limits.person:
            raise SessionError(
                f"Your limit of ${self.limits.person:.2f} for today is used up: ${own:.2f} were spent.",
                remedy="Wait until tomorrow, or choose a free model with %spark model.",
            )
        if self.limits.stop and spent >= self.limits.stop:
            raise SessionError(
                f"Today's limit of ${self.limits.stop:.2f} is used up: ${spent:.2f} were spent.",
                remedy="Raise it with %config SparkMagics.stop_cost, or choose a free model with %spark model.",
            )

    def _warning(self, total: Spent) -> list[Event]:
        if not self.limits.warn or total.today < self.limits.warn or self._warned == self._today():
            return []
        self._warned = self._today()
        message = f"Spent today: ${total.today:.2f}, above your warning level of ${self.limits.warn:.2f}."
        return [Problem(code="spending", message=message, remedy="%config SparkMagics.stop_cost sets a limit.")]

    def _add_deep(self, work: DeepWork) -> bool:
        """Add the new cost of a deep work that has paused or ended. A work that is first seen in that state comes from a
        notebook, and its earlier cost was not spent now."""
        cost = work.cost or 0.0
        more = cost - self._deep.setdefault(work.id, 0.0 if work.running else cost)
        if work.running or more <= 0:
            return False
        self._deep[work.id] = cost
        self._append(Entry(day=self._today(), notebook=self._notebook, cost=more))
        return True

    def _add(self, meter: Meter, kind: str) -> bool:
        if meter.cost is not None and meter.turn_id in self._deep:
            return False  # a deep work that became a turn: it is added already
        self._append(
            Entry(
                day=self._today(),
                notebook=self._notebook,
                cost=meter.cost,
                input_tokens=meter.input_tokens,
                cached_tokens=meter.cached_tokens,
                output_tokens=meter.output_tokens,
                kind=kind,
                by=self._authors.pop(meter.turn_id, ""),
            )
        )
        return True

    def _append(self, entry: Entry) -> None:
        """One line, in one write: other kernels append, too. Where the folder can't be written, this kernel knows at least its own."""
        self._catch_up()
        line = msgspec.json.encode(entry) + b"\n"
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab", buffering=0) as file:
                file.write(line)
        except OSError:
            self._count(entry)

    def _count(self, entry: Entry) -> None:
        cost, unknown = self._days.get(entry.day, (0.0, 0))
        self._days[entry.day] = (cost + (entry.cost or 0.0), unknown + (entry.cost is None))
        if entry.kind:
            of_kind = (entry.day, entry.kind)
            spent, count = self._of_kind.get(of_kind, (0.0, 0))
            self._of_kind[of_kind] = (spent + (entry.cost or 0.0), count + 1)
        if entry.by:
            own = (entry.day, entry.by)
            self._people[own] = self._people.get(own, 0.0) + (entry.cost or 0.0)
        if entry.notebook == self._notebook:
            self._mine += entry.cost or 0.0

    def _catch_up(self) -> None:
        """Read what was added to this month's file since; a line that is not whole yet is left for the next time."""
        file = self._folder / f"spending-{self._today():%Y-%m}.jsonl"
        if file != self._file:
            self._file, self._read, self._days, self._mine, self._of_kind, self._people = file, 0, {}, 0.0, {}, {}
        try:
            with file.open("rb") as opened:
                opened.seek(self._read)
                data = opened.read()
        except OSError:
            return  # there is none yet, or it can't be read: what this kernel knows itself counts
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            try:
                self._count(_entry.decode(line))
            except _UNREADABLE:
                continue  # written by another version, or cut by a full disk


def known_id(person: Person | None) -> str:
    """The id of a person whom the server knows. One without accounts gives each browser a number, which is nobody's: then it is empty."""
    return "" if person is None or re.fullmatch(r"[0-9a-f]{32}", person.id) else person.id
