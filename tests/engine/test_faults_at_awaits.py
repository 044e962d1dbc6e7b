"""A fault at every await of a turn: the turn ends with a reason, and the next prompt works."""

from __future__ import annotations

import asyncio
import dis
import inspect
import os
import sys
from collections.abc import Callable
from contextlib import closing
from types import FrameType
from typing import Any

import pytest

import spark_jupyter
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.protocol.messages import Problem, Prompt, TurnEnded
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.session.answer_trials import AnswerTrial
from tests.conftest import Watched

PACKAGE = os.path.dirname(spark_jupyter.__file__) + os.sep
AWAITS = {dis.opmap[name] for name in ("GET_AWAITABLE", "GET_ANEXT")}
Place = tuple[str, int]
"""File and line."""


class Fault(Exception):
    """One that nothing foresees."""


class Awaits:
    """Sees each await of the package's coroutines in the engine's thread, and raises :class:`Fault` at one of them, once."""

    def __init__(self, engine: Engine, at: Place | None) -> None:
        self.seen: dict[Place, None] = {}
        self.at = at
        self.raised = False
        engine._thread.ask(lambda: sys.settrace(self._call))

    def _call(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or not code.co_flags & (
            inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
        ):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._opcode

    def _opcode(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        if event == "opcode" and frame.f_code.co_code[frame.f_lasti] in AWAITS:
            place = frame.f_code.co_filename.removeprefix(PACKAGE), frame.f_lineno
            self.seen[place] = None
            if place == self.at and not self.raised:
                self.raised = True
                raise Fault(f"{place}")
        return self._opcode


async def nothing(action):
    return ()


async def passes(action):
    return AnswerTrial(
        results=tuple(TrialResult(turn_id="t", cell_id=f"c{n}") for n in range(len(action.cells))),
        checks=("",) * len(action.checks),
    )


CUT = {"answer": "```python\nimport os\nos.system(input())\n```\n", "match": "cut"}
CHECKS = Checks(inspect=nothing, try_answer=passes)
TURNS = {
    "one answer": (Prompt(turn_id="t1", text="values"), ""),
    "a cut": (Prompt(turn_id="t1", text="cut"), ""),
    "attempts": (Prompt(turn_id="t1", text="values", attempts=Attempts(count=2)), ""),
    "http": (Prompt(turn_id="t1", text="values"), "responses-sse"),
}
WELL = {"answer": "Here.\n\n```python\nx = 1\n```\n", "repeat": True}


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
@pytest.mark.parametrize("name", [*TURNS])
def test_a_fault_at_any_await_ends_the_turn_with_a_reason_and_the_next_one_works(play_answers, name):
    prompt, dialect = TURNS[name]
    info = play_answers([{**CUT, "repeat": True}, WELL])
    settings = Settings(base_url=info.url, api_key=Secret(info.token), model="script", dialect=dialect)
    places, hit, wrong = [None], 0, []
    for at in places:  # grows by those of the first turn
        with closing(Engine(linker(settings), kernel=Kernel(checks=CHECKS))) as engine:
            watched, awaits = Watched(engine), Awaits(engine, at)
            ended = _play(engine, watched, awaits, prompt)
            places += [] if at is not None else awaits.seen
            hit += awaits.raised
            problems = [event.message for event in watched.events if isinstance(event, Problem)]
            failed = [turn for turn in ended if turn is None or turn.outcome == "failed"]
            if None in failed or (failed and not problems):
                wrong.append(f"{at}: {ended}")
            elif ended[-1].outcome != "completed":
                tasks = engine._thread.ask(lambda: [str(task) for task in asyncio.all_tasks()])
                wrong.append(f"{at}: the next turn: {ended} {problems} {tasks}")
    assert len(places) > 20
    assert hit > 20
    assert not wrong, "\n".join(wrong)


def _play(engine: Engine, watched: Watched, awaits: Awaits, prompt: Prompt) -> list[TurnEnded | None]:
    """Play the prompt and a second turn; and a third where only the second came to the fault's await, since a turn waits at some
    places only when its text comes in more pieces than one."""
    ended = []
    for turn in (prompt, Prompt(turn_id="t2", text="more"), Prompt(turn_id="t3", text="more")):
        before = awaits.raised
        engine.submit(turn)
        ended.append(watched.wait(turn.turn_id, 60))
        if len(ended) > 1 and awaits.raised == before:
            break
    return ended
