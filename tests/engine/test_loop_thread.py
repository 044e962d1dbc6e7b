"""The thread of the engine survives what runs there."""

from __future__ import annotations

import threading

import pytest

from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.protocol.messages import Problem, Prompt
from tests.engine.long_answer import until


@pytest.fixture
def thread():
    made = LoopThread("the engine")
    made.start([])
    yield made

    async def nothing() -> None:
        pass

    made.close(nothing)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), ValueError("x")])
def test_an_error_that_would_end_a_program_ends_one_task(thread, error):
    def fail() -> None:
        raise error

    async def fails() -> None:
        fail()

    thread.call(fail)
    thread.call(lambda: thread.spawn(fails()))
    with pytest.raises(Exception) as caught:  # noqa: PT011  # of any kind, but none that ends the caller
        thread.ask(fail)
    assert caught.value is error or caught.value.__cause__ is error
    assert thread.ask(threading.current_thread).name == "the engine"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), BaseException("x")])
def test_a_prompt_that_meets_one_is_answered_by_a_problem(make_engine, monkeypatch, error):
    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}])

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:  # what the fixtures have set stays
        patch.setattr(watched.engine._input, "give", fail)
        watched.engine.submit(Prompt(turn_id="t1", text="x"))
        until(lambda: any(isinstance(event, Problem) and event.code == "fault" for event in watched.events))
    watched.engine.submit(Prompt(turn_id="t2", text="x"))
    assert watched.wait("t2", 60).outcome == "completed"
