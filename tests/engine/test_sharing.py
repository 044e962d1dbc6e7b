"""Several clients of one kernel: whatever happens in whatever order, all show one state, and the text stands once."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec import structs

from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.comm import CommHub
from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.message_frames import CommandFrame, decode_event_frame, encode
from spark_jupyter.protocol.messages import (
    Attach,
    Cancel,
    CellsChanged,
    Command,
    Event,
    Hello,
    Prompt,
    Resend,
    Restore,
    Snapshot,
    Steer,
)
from spark_jupyter.protocol.proposal_messages import Accept, CellEdited, Reject, Revert, Run
from spark_jupyter.protocol.provider_messages import PolicyInfo
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import PROTOCOL_VERSION, AppendSource, DeleteCell, InsertCell, Person
from spark_jupyter.providers.base import ResponseCompleted, TextDelta
from spark_jupyter.session.actions import InspectCell, SendRequest
from spark_jupyter.session.session import Session
from tests.engine.test_comm import MemoryComm

OPEN = ("streaming", "ready", "blocked")


class FakeLoop:
    """A loop whose time stands still until somebody lets it pass."""

    def __init__(self) -> None:
        self._later: list[Callable[[], None]] = []

    def call_later(self, _: float, function: Callable[[], None]) -> None:
        self._later.append(function)

    def pass_time(self) -> None:
        while self._later:
            self._later.pop(0)()

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        raise context["exception"]


class Kernel:
    """The session, the broadcast and the hub, one call after the other, with a provider that is played by hand."""

    streams = True

    def __init__(self) -> None:
        self.loop = FakeLoop()
        self.session = Session(model="m")
        self.broadcast = Broadcast(self.loop)  # type: ignore[arg-type]
        self.hub = CommHub(self, subshells=True)  # type: ignore[arg-type]
        self.requests: list[SendRequest] = []
        self.now = 0.0

    def submit(self, command: Command) -> None:
        self.now += 1
        try:
            self.session.receive_command(command, at=self.now)
        except SparkError:
            return
        self._drain()

    def answer(self, event: Any) -> None:
        if self.requests:
            self.now += 1
            self.session.receive_model_event(self.requests[-1].job_id, self.requests[-1].attempt, event, at=self.now)
            self._drain()

    def _drain(self) -> None:
        self.broadcast.send(self.session.events_to_send())
        for action in self.session.actions_to_take():
            if isinstance(action, SendRequest):
                self.requests.append(action)
            elif isinstance(action, InspectCell):
                self.session.receive_inspected(action.cell_id, action.source)
        self.broadcast.send(self.session.events_to_send())

    def subscribe(self, subscriber: Subscriber, *, last_seq: int) -> Callable[[], None]:
        self._catch_up(subscriber, last_seq)
        self.broadcast.subscribe(subscriber)
        return lambda: self.broadcast.unsubscribe(subscriber)

    def resend(self, subscriber: Subscriber, *, from_seq: int) -> None:
        self._catch_up(subscriber, from_seq - 1)

    def _catch_up(self, subscriber: Subscriber, last_seq: int) -> None:
        self.broadcast.catch_up(subscriber, last_seq=last_seq, hello=Hello, snapshot=self.session.snapshot)

    def policy_info(self, person: Person | None) -> PolicyInfo:
        return PolicyInfo()

    def say_hello(self) -> None:
        self.broadcast.send([Hello()])

    def repeat(self, function: Callable[[], None], *, every: float) -> Callable[[], None]:
        return lambda: None

    def enter(self, notebook: str) -> None:
        """Conversations are not looked at here."""

    restrict = enter


Document = dict[str, str]


class Page:
    """A tab with the notebook: its view, and what it writes into the document that all tabs share. A page that is offline hears nothing,
    and what it says waits."""

    def __init__(self, kernel: Kernel, name: str, document: Document, notebook: str) -> None:
        self.kernel, self.name, self.document, self.notebook = kernel, name, document, notebook
        self.person = Person(id=name)
        self.online = True
        self.begin()

    def begin(self) -> None:
        """The page is loaded."""
        self.view, self.last, self.seq, self.life, self.waiting = TurnView(), 0, 0, "", []
        self.attach()

    def attach(self) -> None:
        hub = self.kernel.hub
        self.events, self.commands = MemoryComm(), MemoryComm()
        self.events.send = self._hear  # type: ignore[method-assign]
        hub.open_events(self.events, {"content": {"data": {"client_id": self.name}}})
        hub.open_commands(self.commands, {"content": {"data": {}}})
        who = Attach(client_id=self.name, can_write=True, notebook=self.notebook, person=self.person)
        self._say(0, structs.replace(who, last_seq=self.last, life=self.life, next_seq=self.seq + 1))
        for command in self.waiting:
            self.say(command)
        self.waiting = []

    def leave(self) -> None:
        self.events.end()

    def go_offline(self) -> None:
        self.online = False

    def come_back(self) -> None:
        self.online = True
        self.attach()

    def say(self, command: Command) -> None:
        if not self.online:
            self.waiting.append(command)
            return
        self.seq += 1
        self._say(self.seq, command)

    def _say(self, seq: int, command: Command) -> None:
        frame = CommandFrame(v=PROTOCOL_VERSION, seq=seq, msgs=(command,))
        self.commands.handle_msg({"content": {"data": {"frame": encode(frame).decode()}}})

    def answer_ping(self) -> None:
        if self.online:
            self.commands.handle_msg({"content": {"data": {"pong": 1}}})

    # --- hearing -----------------------------------------------------------------------------------------------------

    def _hear(self, data: dict[str, Any]) -> None:
        if not self.online or "frame" not in data:
            return
        frame = decode_event_frame(data["frame"])
        greets = all(isinstance(event, Hello) for event in frame.msgs) and bool(frame.msgs)
        if any(isinstance(event, Snapshot) for event in frame.msgs) or frame.seq == self.last + 1:
            self.last = frame.seq
        elif frame.seq > self.last and not greets:
            self._say(0, Resend(from_seq=self.last + 1))
            return
        elif not greets:
            return
        for event in frame.msgs:
            self._take(event)

    def _take(self, event: Event) -> None:
        wrote = self.view.hello.writer
        self.view.receive(event)
        if isinstance(event, Hello):
            self.life = event.life
        writes = self.view.hello.writer
        if writes and (isinstance(event, Snapshot) or (isinstance(event, Hello) and not wrote)):
            self._complete()
        elif writes and isinstance(event, CellsChanged) and self._is_here(event.turn_id):
            self._write(event)

    def _is_here(self, turn_id: str) -> bool:
        turn = self.view.turns.get(turn_id)
        return turn is None or turn.document in ("", self.view.hello.document)

    def _write(self, event: CellsChanged) -> None:
        for change in event.changes:
            match change:
                case InsertCell(cell_id=cell_id, source=source):
                    self.document[cell_id] = source
                case AppendSource(cell_id=cell_id, text=text):
                    self.document[cell_id] += text
                case DeleteCell(cell_id=cell_id):
                    self.document.pop(cell_id, None)
                case _:
                    self.document[change.cell_id] = change.source

    def _complete(self) -> None:
        """As a page does that begins to write: cells hold what has come. All that stands in them is the stream's, which a page knows by its
        ids, also where the answer was steered to another text meanwhile."""
        for proposal in self.view.all_proposals:
            here = self._is_here(proposal.turn_id) and proposal.kind == "insert" and proposal.state in OPEN
            if here:
                self.document[proposal.cell_id] = proposal.source


class Room:
    """A kernel and the pages that show notebooks on it."""

    def __init__(self, seed: int, notebooks: Sequence[str]) -> None:
        self.random = random.Random(seed)
        self.kernel = Kernel()
        self.documents: dict[str, Document] = {notebook: {} for notebook in notebooks}
        self.turns = 0
        self._opened = 0
        self.pages = [self._page(notebook) for notebook in notebooks]

    def _page(self, notebook: str) -> Page:
        self._opened += 1
        return Page(self.kernel, f"page-{self._opened}", self.documents[notebook], notebook)

    def step(self) -> None:
        page = self.random.choice(self.pages)
        steps: list[Callable[[Page], None]] = [
            *[self._text] * 6,
            *[self._prompt] * 3,
            *[self._decide] * 4,
            self._end,
            self._steer,
            self._type,
            self._reload,
            self._offline,
            self._close,
            self._ping,
            self._restart,
            lambda page: self.kernel.loop.pass_time(),
            lambda page: page.say(Cancel()),
        ]
        self.random.choice(steps)(page)

    def _prompt(self, page: Page) -> None:
        self.turns += 1
        page.say(Prompt(turn_id=f"t{self.turns}", text="write"))
        self.kernel.answer(TextDelta("```python\n"))

    def _text(self, _: Page) -> None:
        self.kernel.answer(TextDelta(f"x{self.random.randint(0, 99)} = {self.random.randint(0, 9)}\n"))

    def _end(self, _: Page) -> None:
        self.kernel.answer(TextDelta("```\n"))
        self.kernel.answer(ResponseCompleted(response_id="r"))

    def _steer(self, page: Page) -> None:
        if (turn := page.view.streaming) is not None:
            self.turns += 1
            page.say(Steer(turn_id=f"t{self.turns}", steers=turn.id, text="otherwise"))
            self.kernel.answer(TextDelta("```python\n"))

    def _decide(self, page: Page) -> None:
        pending = page.view.pending()
        if pending:
            cell_id = self.random.choice(pending).cell_id
            by_cell = (Accept(cell_id=cell_id), Reject(cell_id=cell_id), Run(cell_id=cell_id, confirmed=True))
            page.say(self.random.choice(by_cell))
        elif page.view.turns:
            page.say(Revert(turn_id=self.random.choice(list(page.view.turns))))

    def _type(self, page: Page) -> None:
        accepted = [one for one in page.view.all_proposals if one.state == "accepted"]
        if accepted:
            page.say(CellEdited(cell_id=self.random.choice(accepted).cell_id, source="mine"))

    def _reload(self, page: Page) -> None:
        if page.online:
            page.leave()
            page.begin()

    def _offline(self, page: Page) -> None:
        page.go_offline() if page.online else page.come_back()

    def _close(self, page: Page) -> None:
        """One tab is closed, another opened later under a name of its own."""
        page.leave()
        self.pages.remove(page)
        self.pages.append(self._page(page.notebook))

    def _ping(self, _: Page) -> None:
        for _ in range(5):
            self.kernel.hub._ping_clients()
            for page in self.pages:
                page.answer_ping()

    def _restart(self, _: Page) -> None:
        """The writer of each notebook tells the new kernel what waits there."""
        if self.random.random() < 0.7:
            return
        self.settle()
        self.kernel = Kernel()
        for page in self.pages:
            before, page.kernel = page.view, self.kernel
            page.begin()
            mine = tuple(turn for turn in before.turns.values() if turn.document == before.hello.document)
            ids = {turn.id for turn in mine}
            waiting = tuple(one for one in before.pending() if one.turn_id in ids)
            if page.view.hello.writer and mine:
                page.say(Restore(turns=mine[-20:], proposals=waiting[-20:]))

    def settle(self) -> None:
        """All are online and have heard everything."""
        for page in self.pages:
            if not page.online:
                page.come_back()
        self.kernel.loop.pass_time()

    def check(self) -> None:
        """One state, one text, one writer for each notebook."""
        truth = TurnView()
        truth.receive(self.kernel.session.snapshot())
        for page in self.pages:
            assert list(page.view.turns.values()) == list(truth.turns.values()), page.name
            assert page.view.all_proposals == truth.all_proposals, page.name
        for notebook, document in self.documents.items():
            writers = [page.name for page in self.pages if page.notebook == notebook and page.view.hello.writer]
            assert len(writers) == 1, notebook
            here = next(page for page in self.pages if page.notebook == notebook)
            for proposal in truth.proposals.values():
                if proposal.kind == "insert" and proposal.state in OPEN and here._is_here(proposal.turn_id):
                    assert document[proposal.cell_id] == proposal.source, proposal.cell_id


TOGETHER = ("a.ipynb", "a.ipynb")
THREE = ("a.ipynb", "a.ipynb", "a.ipynb")
APART = ("a.ipynb", "a.ipynb", "b.ipynb")
FIRST = int(os.environ.get("FIRST_SEED", "0"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + 200))
def test_all_clients_of_a_kernel_come_to_one_state(seed: int) -> None:
    room = Room(seed, (TOGETHER, THREE, APART)[seed % 3])
    for _ in range(30):
        room.step()
    room.settle()
    room.check()


def test_who_comes_back_and_writes_again_does_not_write_what_another_wrote_meanwhile() -> None:
    room = Room(0, TOGETHER)
    first, second = room.pages
    room._prompt(first)
    room._text(first)
    first.go_offline()
    for _ in range(5):
        room.kernel.hub._ping_clients()
        second.answer_ping()
    room._text(second)
    room.kernel.loop.pass_time()
    assert second.view.hello.writer
    second.leave()
    room.pages.remove(second)
    room._text(first)
    room.settle()
    room.check()
