"""Events to all clients and to single ones, with the real hub and recording comms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.comm import CommHub
from spark_jupyter.protocol.message_frames import EventFrame, decode_event_frame
from spark_jupyter.protocol.messages import Event, Hello, Meter, NotesAdded, Resend, Snapshot
from spark_jupyter.protocol.proposal_messages import RunRequested
from tests.engine.test_comm import Tab


class HalfAnEngine:
    """A broadcast for a hub, and nothing behind it."""

    def __init__(self) -> None:
        self.broadcast = Broadcast(asyncio.get_running_loop())

    def subscribe(self, subscriber: Subscriber, *, last_seq: int | None = None) -> Callable[[], None]:
        if last_seq is not None:
            self.broadcast.catch_up(subscriber, last_seq=last_seq, hello=lambda: Hello(package="0"), snapshot=Snapshot)
        self.broadcast.subscribe(subscriber)
        return lambda: self.broadcast.unsubscribe(subscriber)

    def resend(self, subscriber: Subscriber, *, from_seq: int) -> None:
        self.broadcast.catch_up(subscriber, last_seq=from_seq - 1, hello=lambda: Hello(package="0"), snapshot=Snapshot)

    def restrict(self, rules: object) -> None:
        pass

    def enter(self, notebook: str) -> None:
        pass

    def say_hello(self) -> None:
        self.broadcast.send([Hello(package="0")])

    def repeat(self, function: Any, *, every: float) -> Callable[[], None]:
        return lambda: None


def note(text: str) -> NotesAdded:
    return NotesAdded(turn_id="t", text=text)


def frames(tab: Tab) -> list[EventFrame]:
    return [decode_event_frame(data["frame"]) for data in tab.events.sent]


def notes(said: Sequence[Event]) -> list[str]:
    return [event.text for event in said if isinstance(event, NotesAdded)]


def receiver(hub: CommHub, name: str) -> Subscriber:
    return hub._clients.get(name).receive


async def two_tabs() -> tuple[HalfAnEngine, CommHub, Tab, Tab]:
    engine = HalfAnEngine()
    hub = CommHub(engine, subshells=True)  # type: ignore[arg-type]
    one, two = Tab(hub, "one"), Tab(hub, "two")
    one.attach()
    two.attach()
    engine.broadcast.send([note("begun")])
    engine.broadcast.flush_now()
    one.events.sent, two.events.sent = one.events.sent[-1:], two.events.sent[-1:]
    return engine, hub, one, two


async def leave(engine: HalfAnEngine) -> None:
    """Have everything leave that waits for the next frame."""
    engine.broadcast.flush_now()


def test_what_is_told_reaches_one_front_end_and_no_other() -> None:
    async def run() -> None:
        engine, hub, one, two = await two_tabs()
        engine.broadcast.tell(receiver(hub, "one"), [note("ghost")])
        await leave(engine)
        assert notes(one.said) == ["begun", "ghost"]
        assert notes(two.said) == ["begun"]
        assert frames(one)[-1].seq == 0

    asyncio.run(run())


def test_an_answer_waits_for_no_frame_and_takes_no_number() -> None:
    async def run() -> None:
        engine, hub, one, two = await two_tabs()
        engine.broadcast.send([note("busy")])  # so that what follows waits for the next frame
        engine.broadcast.send([note("waiting")])
        engine.broadcast.answer(receiver(hub, "one"), note("answer"))
        assert notes(one.said) == ["begun", "busy", "answer"]
        assert frames(one)[-1].seq == 0
        await leave(engine)
        assert notes(one.said) == ["begun", "busy", "answer", "waiting"]
        assert notes(two.said) == ["begun", "busy", "waiting"]

    asyncio.run(run())


def test_what_is_told_takes_no_number_from_what_is_sent() -> None:
    async def run() -> None:
        engine, hub, one, two = await two_tabs()
        before = frames(two)[-1].seq
        for text in "abc":
            engine.broadcast.tell(receiver(hub, "one"), [note(f"ghost {text}")])
            engine.broadcast.send([note(text)])
            await leave(engine)
        assert [frame.seq for frame in frames(two) if notes(frame.msgs)] == [before, before + 1, before + 2, before + 3]
        numbered = [frame for frame in frames(one) if frame.seq > before]
        assert [notes(frame.msgs) for frame in numbered] == [["a"], ["b"], ["c"]]

    asyncio.run(run())


def test_what_was_told_is_neither_sent_again_nor_in_what_a_reload_gets() -> None:
    async def run() -> None:
        engine, hub, one, _ = await two_tabs()
        first = frames(one)[-1].seq + 1
        engine.broadcast.send([note("kept")])
        engine.broadcast.tell(receiver(hub, "one"), [note("ghost")])
        await leave(engine)
        one.events.sent.clear()
        one.say(0, Resend(from_seq=first))
        assert notes(one.said) == ["kept"]
        one.attach(last_seq=first - 1, life=hub._life)
        assert notes(one.said) == ["kept"]

    asyncio.run(run())


def test_a_front_end_that_has_left_or_come_back_gets_no_answers_from_before() -> None:
    async def run() -> None:
        engine, hub, one, _ = await two_tabs()
        before = receiver(hub, "one")
        engine.broadcast.send([note("busy")])  # so that what follows waits for the next frame
        engine.broadcast.tell(before, [note("waiting")])
        one.attach(last_seq=0)
        engine.broadcast.tell(before, [note("late")])
        await leave(engine)
        assert "waiting" not in notes(one.said)
        assert "late" not in notes(one.said)
        engine.broadcast.tell(receiver(hub, "one"), [note("mine")])
        await leave(engine)
        assert notes(one.said)[-1] == "mine"

    asyncio.run(run())


def test_a_flood_of_answers_leaves_in_few_frames_with_nothing_lost() -> None:
    async def run() -> None:
        engine, hub, one, _ = await two_tabs()
        had = len(frames(one))
        for number in range(1000):
            engine.broadcast.tell(receiver(hub, "one"), [note(f"{number} ")])
        await leave(engine)
        assert "".join(notes(one.said)[1:]) == "".join(f"{number} " for number in range(1000))
        assert len(frames(one)) - had < 20

    asyncio.run(run())


def test_an_answer_leaves_by_itself_when_the_interval_has_passed() -> None:
    async def run() -> None:
        engine, hub, one, _ = await two_tabs()
        engine.broadcast.send([note("first")])
        engine.broadcast.tell(receiver(hub, "one"), [note("ghost")])
        async with asyncio.timeout(60):
            while "ghost" not in notes(one.said):
                await asyncio.sleep(0.002)

    asyncio.run(run())


@pytest.mark.parametrize("fault", [RuntimeError("gone"), OSError()])
def test_a_front_end_that_cannot_take_its_answer_stops_nobody(fault: Exception) -> None:
    def broken(frame: EventFrame) -> None:
        raise fault

    async def run() -> None:
        engine, hub, one, _ = await two_tabs()
        reported: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["exception"]))
        engine.broadcast.subscribe(broken)
        engine.broadcast.tell(broken, [Meter(turn_id="t")])
        engine.broadcast.tell(receiver(hub, "one"), [note("ghost")])
        await leave(engine)
        assert notes(one.said) == ["begun", "ghost"]
        assert reported == [fault]

    asyncio.run(run())


def test_that_a_cell_is_to_run_leaves_at_once_behind_what_waits() -> None:
    """The magic that asks for it ends afterwards: then a front end must know that there is something to wait for."""

    async def run() -> None:
        broadcast = Broadcast(asyncio.get_running_loop())
        received: list[Event] = []
        broadcast.subscribe(lambda frame: received.extend(frame.msgs))
        wanted = [note("first"), Meter(turn_id="t"), RunRequested(turn_id="t", cell_id="c")]
        for event in wanted:
            broadcast.send([event])
        assert received == wanted

    asyncio.run(run())
