"""Ctrl-C while a turn or a Try is waited for: it cancels, wherever it strikes, and none is lost."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from types import SimpleNamespace

import pytest

from spark_jupyter.engine.follow import Chain, Follow, OneTry, on_interrupt
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Cancel, TurnEnded, TurnStarted
from spark_jupyter.protocol.trial_messages import CancelTry, TrialResult
from spark_jupyter.protocol.values import PROTOCOL_VERSION, Turn
from spark_jupyter.ui.terminal import TerminalFront
from spark_jupyter.ui.turn_output import follow_turn

COMPLETED = TurnEnded(turn_id="t1", outcome="completed")
STARTED = TurnStarted(turn=Turn(id="t1", prompt="p", model="m", started_at=0.0))


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


class Scene:
    """An engine that does what the test says, and a view that is interrupted with an event of a kind."""

    def __init__(self, *, interrupted_with: type | None = None) -> None:
        self.submitted: list[object] = []
        self.shown: list[object] = []
        self._interrupted_with = interrupted_with
        self._subscribers: list[object] = []

    def subscribe(self, subscriber):
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def send(self, *events) -> None:
        for subscriber in tuple(self._subscribers):
            subscriber(EventFrame(v=PROTOCOL_VERSION, seq=1, msgs=events))

    closed = False

    def follow(self, turn_id, *, others=False):
        return Follow(self, Chain(turn_id), others=others)

    def submit(self, command) -> None:
        self.submitted.append(command)
        self.send(TurnEnded(turn_id="t1", outcome="cancelled"))

    def receive(self, event) -> None:
        if isinstance(event, self._interrupted_with or ()):
            interrupt()
        self.shown.append(event)

    def draw(self, typed: str = "", *, live: bool = True) -> None:
        pass


def follow(scene, begin):
    with open(os.devnull) as keys:
        return TerminalFront(scene, scene, new_turn_id=lambda: "t2", keys=keys).follow("t1", begin)


def test_an_interrupt_while_an_event_is_shown_loses_no_event_and_cancels():
    scene = Scene(interrupted_with=TurnStarted)
    assert follow(scene, lambda: scene.send(STARTED)).outcome == "cancelled"
    assert scene.submitted == [Cancel(turn_id="t1")]
    assert [type(event) for event in scene.shown] == [TurnStarted, TurnEnded]


def test_an_interrupt_that_comes_when_the_turn_has_just_ended_still_interrupts_what_would_follow():
    scene = Scene(interrupted_with=TurnEnded)
    scene.submit = lambda command: None  # there is nothing left to cancel
    with pytest.raises(KeyboardInterrupt):
        follow(scene, lambda: scene.send(STARTED, COMPLETED))
    assert scene.shown == [STARTED, COMPLETED]


def test_an_interrupt_while_the_prompt_is_handed_over_cancels_it():
    scene = Scene()
    assert follow(scene, interrupt).outcome == "cancelled"
    assert scene.submitted == [Cancel(turn_id="t1")]


@pytest.fixture
def call() -> Iterator[Callable[..., None]]:
    """Has a function called on the thread of an event loop, as the engine calls its subscribers."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    yield loop.call_soon_threadsafe
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_an_interrupt_in_a_notebook_while_the_prompt_is_handed_over_cancels_it(monkeypatch, call):
    handle = SimpleNamespace(update=lambda *args, **options: None)
    monkeypatch.setattr("IPython.display.display", lambda *args, **options: handle)
    scene = Scene()
    submitted: list[object] = []

    def submit(command) -> None:
        submitted.append(command)
        call(scene.send, TurnEnded(turn_id="t1", outcome="cancelled"))

    def begin() -> None:
        call(scene.send, STARTED)
        interrupt()

    scene.submit = submit
    assert follow_turn(scene, "t1", begin).outcome == "cancelled"
    assert submitted == [Cancel(turn_id="t1")]


def test_an_interrupt_while_a_try_is_handed_over_ends_it():
    scene, submitted = Scene(), []

    def submit(command) -> None:
        submitted.append(command)
        scene.send(TrialResult(turn_id="t1", cell_id="c1", problem="The Try was cancelled."))

    scene.submit = submit
    assert Follow(scene, OneTry("c1")).wait(interrupt).result.problem == "The Try was cancelled."
    assert submitted == [CancelTry(cell_id="c1")], "other turns and Tries go on"


def test_afterwards_an_interrupt_is_what_it_was():
    before = signal.getsignal(signal.SIGINT)
    with suppress(ValueError), on_interrupt(lambda: None):
        assert signal.getsignal(signal.SIGINT) is not before
        raise ValueError
    assert signal.getsignal(signal.SIGINT) is before


def test_where_interrupts_are_ignored_they_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with on_interrupt(lambda: pytest.fail("ignored")) as interrupts:
            interrupt()
        assert not interrupts.happened
    finally:
        signal.signal(signal.SIGINT, before)
