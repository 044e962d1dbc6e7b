"""Races on real sockets: the embedded server writes all answers at once, and sees who is dropped. What a Try says is given."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator

import pytest

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.messages import Cancel, Prompt
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.server.engines.base import Pause
from spark_jupyter.server.server_runner import serve_in_thread
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer, TryBoth
from tests.conftest import Watched
from tests.engine.test_engine import until


class Endless:
    """An engine of which the model ``good`` ends, when it is let, and all others write on for ever."""

    name = "endless"

    def __init__(self) -> None:
        self.writing: set[str] = set()
        self.dropped: set[str] = set()
        self.let = threading.Event()

    def models(self) -> list[str]:
        return ["*"]

    def answer(
        self, conversation: object, *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[str | Pause]:
        return self.good() if model == "good" else self.endless(model)

    def good(self) -> Iterator[str | Pause]:
        yield "```python\n"
        while not self.let.is_set():
            yield Pause(0.02)
        yield "x = 1\n```\n"

    def endless(self, model: str) -> Iterator[str | Pause]:
        yield "```python\n"
        numbers = itertools.count()
        try:
            while True:
                self.writing.add(model)
                yield f"y = {next(numbers)}\n"
        finally:
            self.dropped.add(model)


async def passes(action: TryAnswer) -> AnswerTrial:
    results = tuple(TrialResult(turn_id="a", cell_id="", summary="ran") for _ in action.cells)
    return AnswerTrial(results=results, checks=("",) * len(action.checks))


@pytest.fixture
def endless() -> Endless:
    return Endless()


@pytest.fixture
def race(endless) -> Iterator[Watched]:
    """An engine whose three attempts write at once."""
    with serve_in_thread(engine=endless, rate=300) as info:
        settings = Settings(base_url=info.url, api_key=Secret(info.token), model="good")
        engine = Engine(linker(settings), kernel=Kernel(checks=Checks(try_answer=passes)))
        watched = Watched(engine)
        engine.submit(Prompt(turn_id="t1", text="x", attempts=Attempts(models=("a", "good", "b"))))
        until(lambda: endless.writing == {"a", "b"})
        yield watched
        endless.let.set()
        engine.close()


def test_attempts_run_beside_each_other_and_the_provider_stops_the_losers(race, endless):
    assert not endless.dropped
    endless.let.set()
    assert race.wait("t1", 60).outcome == "completed"
    assert [proposal.source for proposal in race.view.proposals.values()] == ["x = 1"]
    until(lambda: endless.dropped == {"a", "b"})
    assert race.view.turns["t1"].model == "good"
    assert race.engine.read(lambda session: session.streaming) == ()


def test_cancel_in_the_middle_stops_every_attempt_at_the_provider(race, endless):
    race.engine.say(Cancel(turn_id="t1"))
    assert race.wait("t1", 60).outcome == "cancelled"
    until(lambda: endless.dropped == {"a", "b"})
    assert not race.view.proposals
    assert {attempt.state for attempt in race.view.attempts_of("t1")} == {"lost"}


def test_a_try_that_runs_when_another_attempt_wins_is_ended(make_engine):
    ended = asyncio.Event()

    async def try_answer(action: TryAnswer) -> AnswerTrial:
        if "slow" not in action.cells[0]:
            await slow_began.wait()
            return await passes(action)
        slow_began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError("it is never set")

    slow_began = asyncio.Event()
    answers = [{"answer": "```python\nslow = 1\n```\n"}, {"answer": "```python\nquick = 1\n```\n"}]
    watched = make_engine(answers, checks=Checks(try_answer=try_answer))
    watched.engine.submit(Prompt(turn_id="t1", text="x", attempts=Attempts(count=2)))
    assert watched.wait("t1").outcome == "completed"
    assert [proposal.source for proposal in watched.view.proposals.values()] == ["quick = 1"]
    until(ended.is_set)


def test_a_fault_of_a_try_fails_its_attempt_with_a_sentence(make_engine):
    async def try_answer(action: TryAnswer) -> AnswerTrial:
        raise RuntimeError("boom")

    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], checks=Checks(try_answer=try_answer))
    watched.engine.submit(Prompt(turn_id="t1", text="x", attempts=Attempts(checks=("assert x == 1",))))
    ended = watched.wait("t1")
    assert "boom" in ended.reason
    assert [proposal.source for proposal in watched.view.proposals.values()] == ["x = 1"]


@pytest.mark.parametrize("checks", [Checks(), Checks(try_answer=passes, try_unavailable="This system has no fork.")])
def test_where_nothing_can_be_tried_attempts_are_refused_in_a_sentence(make_engine, checks):
    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], checks=checks)
    with pytest.raises(SessionError, match=r"no kernel|no fork"):
        watched.engine.say(Prompt(turn_id="t1", text="x", attempts=Attempts(count=3)))
    watched.engine.say(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1").outcome == "completed"


def both_of(fail: bool):
    async def try_both(action: TryBoth) -> list[AnswerTrial]:
        if fail:
            raise RuntimeError("boom")
        return [await passes(one) for one in action.answers]

    return Checks(try_answer=passes, try_both=try_both)


BOTH = Prompt(turn_id="t1", text="first", attempts=Attempts(compare=True, other="second"))
TWO = [
    {"match": "first", "answer": "```python\nx = 1\n```\n"},
    {"match": "second", "answer": "```python\nx = 2\n```\n"},
]


@pytest.mark.parametrize("fail", [False, True])
def test_two_answers_are_tried_together_and_a_fault_is_told_of_both(make_engine, fail):
    watched = make_engine(TWO, checks=both_of(fail))
    watched.engine.submit(BOTH)
    assert watched.wait("t1").outcome == "completed"
    attempts = watched.view.attempts_of("t1")
    assert [one.source for one in attempts] == ["x = 1", "x = 2"]
    assert [one.state for one in attempts] == ["failed" if fail else "passed"] * 2
    assert all("boom" in one.reason for one in attempts) is fail
    assert not watched.view.proposals


def test_answers_are_compared_only_where_there_are_copies_to_compare(make_engine):
    watched = make_engine(TWO, checks=Checks(try_answer=passes))
    with pytest.raises(SessionError, match="compared in a notebook only"):
        watched.engine.say(BOTH)
