"""Record ``tests/fixtures/events`` anew: real turns against the embedded server, and the state in which they leave a front end.

Both reducers, ``spark_jupyter/wire/turnview.py`` and ``labextension/src/model.ts``, must come to these states. A fixture is a list of
steps, each what came for one thing that happened, and the state after it as :func:`projection` shows it. What differs from run to run
is taken out: the clock stands while a step lasts, text is taken in letter by letter, and what is measured of a Try is a round number.

With ``--check`` nothing is written and the exit code is 1 where a file on disk differs from what was recorded.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import re
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from IPython.core.interactiveshell import InteractiveShell
from msgspec import structs
from traitlets.config import Config

from spark_jupyter.connection.base import Connection
from spark_jupyter.host.checks import Checks
from spark_jupyter.host.engine import Engine
from spark_jupyter.host.frames import coalesce
from spark_jupyter.host.link import Link, linker
from spark_jupyter.providers.base import ModelEvent, ModelRequest, TextDelta
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.run import serve_in_thread
from spark_jupyter.trial import KernelTrials
from spark_jupyter.wire.choosing import ListModels, SelectModel
from spark_jupyter.wire.deep import BeginDeep, DeepWork, DirectDeep, RestoreDeep, SteerDeep
from spark_jupyter.wire.frames import EventFrame, decode_event, encode
from spark_jupyter.wire.messages import (
    Accept,
    Cancel,
    CellEdited,
    ChooseAttempt,
    Command,
    Event,
    Hello,
    Prompt,
    Reject,
    Restore,
    Revert,
    Run,
    Steer,
    TrialResult,
    Try,
)
from spark_jupyter.wire.reviewing import BeginReview
from spark_jupyter.wire.turnview import TurnView
from spark_jupyter.wire.values import Attempts, Hunk, ModelInfo, NotebookCell, Proposal, Target, Turn

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "events"
PATIENCE = 30.0
"""Seconds for which something that must happen is waited for."""
MEMORY = 1 << 20
"""Bytes that every Try is said to have taken."""
SECONDS = 0.01
"""Seconds that every Try is said to have taken."""

Answers = Sequence[dict[str, object]]
Plain = Any
"""What JSON can hold."""


# --- the state, as both languages show it ----------------------------------------------------------------------------


def projection(view: TurnView) -> Plain:
    """What a front end knows, as plain values; a field that has its default is left out, as on the wire."""
    state = {
        "hello": view.hello,
        "model": view.model,
        "models": view.models,
        "turns": list(view.turns.values()),
        "proposals": view.all_proposals,
        "current": {cell_id: proposal.turn_id for cell_id, proposal in view.proposals.items()},
        "attempts": {
            turn_id: view.attempts_of(turn_id) for turn_id in sorted({turn_id for turn_id, _ in view.attempts})
        },
        "meters": dict(sorted(view.meters.items())),
        "trials": dict(sorted(view.trials.items())),
        "deep": [_with_nested(work) for work in view.deep.values()],
        "handed": view.handed,
        "cuts": view.cuts,
        "problems": list(view.problems),
        **({"review": view.review} if view.review is not None else {}),
    }
    plain: Plain = json.loads(msgspec.json.encode(state))
    return plain


def _with_nested(work: DeepWork) -> Plain:
    """What is made of parts has them, also where they are as ever."""
    plain: Plain = msgspec.to_builtins(work)
    parts = {"steps": work.steps, "budget": work.budget, "target": work.target, "elapsed": work.elapsed}
    return {**plain, **{name: msgspec.to_builtins(part) for name, part in parts.items()}}


# --- the stage -------------------------------------------------------------------------------------------------------


class Letters:
    """A connection whose text comes letter by letter, so that nothing depends on what the network joined. A model that is held is
    not heard until it is let go."""

    def __init__(self, inner: Connection) -> None:
        self._inner = inner
        self.held: dict[str, asyncio.Event] = {}
        self.heard: dict[str, str] = {}
        self.open = inner.open
        self.close = inner.close

    async def models(self) -> list[ModelInfo]:
        """What the endpoint lists."""
        return await self._inner.models()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        """The same events, each alone."""
        if request.model in self.held:
            await self.held[request.model].wait()
        async for batch in self._inner.stream(request):
            for event in batch:
                for part in map(TextDelta, event.text) if isinstance(event, TextDelta) else [event]:
                    yield [part]
                    if isinstance(part, TextDelta):
                        self.heard[request.model] = self.heard.get(request.model, "") + part.text


class Stage:
    """An engine on the embedded server, and a front end that takes in what it says."""

    def __init__(self, engine: Engine, letters: Callable[[], Letters]) -> None:
        self.engine = engine
        self.letters = letters
        self.view = TurnView()
        self.steps: list[Plain] = []
        self.now = 1000.0
        self._recorded = TurnView()
        self._events: list[Event] = []

    def attach(self, *, last_seq: int = 0) -> None:
        """Begin to listen: a front end that has nothing, or frames that the engine does not know, gets a Snapshot."""
        unsubscribed = self._unsubscribe
        self._unsubscribe = self.engine.subscribe(self._receive, last_seq=last_seq)
        unsubscribed()
        self.step(lambda _: self._count("Snapshot"))

    def submit(self, *commands: Command) -> None:
        """Say something as a front end does: what does not fit comes back as a Problem."""
        for command in commands:
            self.engine.submit(command)

    def step(self, done: Callable[[TurnView], object]) -> None:
        """What was said has its effects. It is over when ``done(view)`` is true, which must be of the last that comes."""
        self._until(lambda: done(self.view))
        greetings = self._count("Hello")
        self.engine.say_hello()  # behind all that waits to be sent
        self._until(lambda: self._count("Hello") > greetings)
        events, self._events = self._events[:-1], []
        self._recorded.receive_all(events)
        self.steps.append({"events": msgspec.to_builtins(coalesce(events)), "state": projection(self._recorded)})
        self.now += 1.0

    def _until(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"It did not happen. Last came: {self._events[-3:]}")
            time.sleep(0.002)

    def _count(self, name: str) -> int:
        return sum(type(event).__name__ == name for event in self._events)

    def hold(self, model: str) -> None:
        """Hear nothing of a model until it is let go."""
        self.letters().held[model] = asyncio.Event()

    def let_go(self, model: str) -> None:
        """Hear a model that was held."""
        held = self.letters().held[model]
        self.engine.repeat(held.set, every=0.001)

    def _unsubscribe(self) -> None:
        """Nobody listens yet."""

    def _receive(self, frame: EventFrame) -> None:
        events = [steady(event) for event in frame.msgs]
        self.view.receive_all(events)
        self._events += events


def steady(event: Event) -> Event:
    """The event without what differs from run to run, or from one version of a library to the next."""
    event = decode_event(re.sub(rb"127\.0\.0\.1:\d+", b"127.0.0.1:8000", encode(event)))
    match event:
        case Hello():
            return structs.replace(event, package="0")
        case TrialResult() if event.seconds:
            summary = re.sub(r"in a copy in [\d.]+ m?s", "in a copy in 10 ms", event.summary)
            outputs = tuple(
                structs.replace(output, text=output.text.strip().splitlines()[-1]) if output.kind == "error" else output
                for output in event.outputs
            )
            return structs.replace(
                event,
                seconds=SECONDS,
                peak_memory=MEMORY,
                summary=summary,
                outputs=outputs,
                moving=False,
                unenforced="",  # on this system
            )
        case _:
            return event


@contextmanager
def stage(answers: Answers, *, models: Sequence[str] = ("script",), tries: bool = False) -> Iterator[Stage]:
    """A stage on which the embedded server plays these answers."""
    links: list[Link] = []
    shell = InteractiveShell(config=Config({"HistoryManager": {"hist_file": ":memory:"}})) if tries else None
    trials = KernelTrials(shell) if shell is not None else None
    checks = Checks(try_proposal=trials.try_proposal, try_answer=trials.try_answer) if trials else Checks()
    engine_of_server = ScriptEngine({"models": list(models), "answers": list(answers)})
    with serve_in_thread(engine=engine_of_server) as info:
        connect = linker(Settings(base_url=info.url, api_key=Secret(info.token), model=models[0]))

        async def connect_by_letters() -> Link:
            link = await connect()
            links.append(
                structs.replace(
                    link, connection=Letters(link.connection), provider="script", banner="A script is played"
                )
            )
            return links[-1]

        made: list[Stage] = []
        engine = Engine(connect_by_letters, checks=checks, clock=lambda: made[0].now if made else 0.0)
        try:
            made.append(Stage(engine, lambda: links[0].connection))  # type: ignore[arg-type, return-value]  # it is made above
            engine.wait_until_connected(PATIENCE)
            yield made[0]
        finally:
            engine.close()
            if trials is not None:
                trials.close()


# --- what is recorded ------------------------------------------------------------------------------------------------

BAD = "```python\nimport os\nname = input()\nos.system('ls ' + name)\nprint('after')\n```\n"
SYSTEM = "import os\nname = input()\nos.system('ls ' + name)"
GOOD = "```python\nimport subprocess\nname = input()\nsubprocess.run(['ls', name], check=True)\n```\n"
CELLS = (
    NotebookCell(id="first", source="import math\nradius = 2\narea = 3.14 * radius ** 2\n", execution_count=1),
    NotebookCell(id="second", cell_type="markdown", source="# Circles"),
)


def code(source: str) -> str:
    """An answer with one cell."""
    return f"```python\n{source}\n```\n"


def ended(turn_id: str, outcome: str = "completed") -> Callable[[TurnView], object]:
    """The turn has ended so."""
    return lambda view: turn_id in view.turns and view.turns[turn_id].outcome == outcome


def stands(cell_id: str, state: str) -> Callable[[TurnView], object]:
    """The proposal stands so."""
    return lambda view: cell_id in view.proposals and view.proposals[cell_id].state == state


def of_turn(turn_id: str, state: str) -> Callable[[TurnView], object]:
    """All that the turn proposes stands so."""
    return lambda view: {one.state for one in view.of_turn(turn_id)} == {state}


def reads(cell_id: str, end: str) -> Callable[[TurnView], object]:
    """The proposal's source ends so."""
    return lambda view: cell_id in view.proposals and view.proposals[cell_id].source.endswith(end)


def tried(cell_id: str) -> Callable[[TurnView], object]:
    """A Try of the cell has ended."""
    return lambda view: cell_id in view.trials and not view.proposals[cell_id].trying


def stalls(*pieces: str) -> dict[str, object]:
    """An answer of which no more comes."""
    return {"pieces": list(pieces), "stall_after": len(pieces)}


def a_turn_with_notes_and_cells_of_both_types() -> Stage:
    answer = "Two cells.\n\n" + code("radius = 2") + "\nAnd a title:\n\n```markdown\n# Circles\n```\nThat is all.\n"
    with stage([{"answer": answer}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="circles", cells=CELLS, target=Target(after="first")))
        play.step(ended("t1"))
        play.submit(Accept(cell_id="t1-1", source="radius = 3"), Reject(cell_id="t1-2"))
        play.step(stands("t1-2", "rejected"))
        play.submit(Revert(turn_id="t1"))
        play.step(stands("t1-1", "reverted"))
    return play


def a_steer_in_mid_line() -> Stage:
    answers = [
        stalls("```python\nimport math\nradius = 2\nar"),
        {"answer": "```python continue\narea = math.pi\n```\n"},
    ]
    with stage(answers) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="the area of a circle"))
        play.step(reads("t1-1", "\nar"))
        play.submit(Steer(turn_id="t2", steers="t1", text="use math.pi"))
        play.step(ended("t2"))
    return play


def a_turn_that_is_stopped_at_what_the_screen_shows() -> Stage:
    answers = [stalls("```python\nx = 1\ny = 2\nz"), {"answer": code("w = 4")}]
    with stage(answers) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="three values"))
        play.step(reads("t1-1", "z"))
        play.submit(Cancel(turn_id="t1", shown={"t1-1": "x = 1\ny"}))
        play.step(ended("t1", "cancelled"))
        play.submit(Prompt(turn_id="t2", text="one more"))
        play.step(ended("t2"))
    return play


def a_correction() -> Stage:
    with stage([{"answer": BAD}, {"answer": GOOD}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="list files"))
        play.step(ended("t1"))
    return play


def a_model_that_insists_is_blocked_and_runs_after_a_second_yes() -> Stage:
    with stage([{"answer": BAD, "repeat": True}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="list files"))
        play.step(ended("t1"))
        play.submit(Run(cell_id="t1-1"))
        play.step(lambda view: view.problems)
        play.submit(Run(cell_id="t1-1", confirmed=True))
        play.step(stands("t1-1", "accepted"))
    return play


def a_race_and_another_attempt_that_is_chosen() -> Stage:
    answers: Answers = [{"model": "a", "answer": code("x = 1")}, {"model": "b", **stalls("```python\ny = 2\n")}]
    with stage(answers, models=("a", "b"), tries=True) as play:
        play.attach()
        play.hold("a")
        play.submit(Prompt(turn_id="t1", text="a value", attempts=Attempts(models=("a", "b"))))
        play.step(lambda view: play.letters().heard.get("b", "").endswith("2\n") and view.attempts_of("t1"))
        play.let_go("a")
        play.step(ended("t1"))
        play.submit(ChooseAttempt(turn_id="t1", index=1))
        play.step(lambda view: view.attempts["t1", 1].proposed)
    return play


def a_race_that_nobody_wins() -> Stage:
    with stage([{"answer": "Words.\n\n" + code("def f(x):\n    return x")}], tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="f adds one", attempts=Attempts(checks=("assert f(2) == 3",))))
        play.step(ended("t1"))
        play.submit(Run(cell_id="t1-1"))
        play.step(stands("t1-1", "accepted"))
    return play


def a_try_and_one_that_lacks_a_permission() -> Stage:
    answers = [{"answer": code("kept = [1, 2]\nprint(sum(kept))") + code("import os\nos.system('ls')")}]
    with stage(answers, tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="two cells"))
        play.step(ended("t1"))
        play.submit(Try(cell_id="t1-1"))
        play.step(tried("t1-1"))
        play.submit(Try(cell_id="t1-2"))
        play.step(tried("t1-2"))
        play.submit(Try(cell_id="t1-1", source="kept"))
        play.step(lambda view: tried("t1-1")(view) and view.trials["t1-1"].error)
    return play


def a_try_that_surprises_and_the_text_that_takes_its_place() -> Stage:
    importlib.import_module("numpy")  # a copy says of a package that its kernel has not loaded that it was used

    surprising = "import numpy as np\ny = np.arange(4)\nguess = np.ones((4, 1))\nerror = y - guess"
    with stage([{"answer": code(surprising)}, {"answer": code("error = 0")}], tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="the error"))
        play.step(ended("t1"))
        play.submit(Try(cell_id="t1-1"))
        play.step(tried("t1-1"))
        play.submit(Try(cell_id="t1-1", source="error = 0"))
        play.step(lambda view: not view.proposals["t1-1"].surprises)
    return play


def a_review_of_the_notebook() -> Stage:
    cells = (NotebookCell(id="first", source="print(total)"), NotebookCell(id="second", source="total = 1"))
    with stage([]) as play:
        play.attach()
        play.submit(BeginReview(review_id="r1", cells=cells))
        play.step(lambda view: view.review is not None and view.review.state == "done")
    return play


def a_fix_that_is_tried_by_itself() -> Stage:
    failed = NotebookCell(id="failed", source="total = 1 / 0", error="ZeroDivisionError: division by zero")
    with stage([{"answer": code("total = 1 / 2\nprint(total)")}], tries=True) as play:
        play.attach()
        target = Target(edit="failed")
        play.submit(Prompt(turn_id="t1", text="Fix it.", intent="fix", cells=(failed,), target=target))
        play.step(lambda view: ended("t1")(view) and tried("failed")(view))
    return play


def deep(state: str) -> Callable[[TurnView], object]:
    """The deep work stands so."""
    return lambda view: "w1" in view.deep and view.deep["w1"].state == state


def a_deep_work_that_is_paused_and_steered_and_proposed() -> Stage:
    answers: Answers = [
        {"match": "## Intent\nplan", "answer": "1. Make two numbers\n2. Sum them up\n- assert total == 3\n"},
        {"match": "Make two numbers\n\n## Plan", "answer": code("numbers = [1, 2]")},
        {"match": "Sum them up\n\n## Plan", "answer": code("total = numbers + 1")},
        {"match": "Sum them up\n\n## Plan", "answer": code("total = sum(numbers)")},
    ]
    with stage(answers, tries=True) as play:
        play.attach()
        play.submit(BeginDeep(work_id="w1", text="a report", ask_first=True))
        play.step(deep("planned"))
        play.submit(DirectDeep(work_id="w1", what="cancel"))
        play.step(deep("cancelled"))
        play.submit(RestoreDeep(works=(structs.replace(play.view.deep["w1"], id="w2", state="trying"),)))
        play.step(lambda view: "w2" in view.deep)
        play.submit(SteerDeep(work_id="w2", text="briefly"), DirectDeep(work_id="w2", what="go-on"))
        play.step(lambda view: ended("w2")(view) and of_turn("w2", "ready")(view))
    return play


def an_answer_that_is_offered_to_the_deep_gear_and_handed_up() -> Stage:
    answers: Answers = [
        {"match": "## Intent\nplan", "answer": "1. Compare in constant time\n"},
        {"match": "Compare in constant time\n\n## Plan", "answer": "```python cell=t1-1\nimport hmac\n```\n"},
        {"answer": code("def check_password(given, stored):\n    return hash(given) == stored")},
    ]
    with stage(answers, tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="check a password"))
        play.step(lambda view: ended("t1")(view) and "t1" in view.handed)
        play.submit(BeginDeep(work_id="w1", hands_up="t1"))
        play.step(lambda view: ended("w1")(view) and of_turn("w1", "ready")(view))
        play.attach(last_seq=1_000_000)
    return play


def an_edit_of_which_a_hunk_is_kept_and_a_later_edit_of_the_same_cell() -> Stage:
    once = "import math\nradius = 3\narea = math.pi * radius ** 2\n"
    answers = [{"answer": code(once.rstrip())}, {"answer": BAD}, {"answer": code("area = 7")}]
    with stage(answers, tries=True) as play:
        play.attach()
        edit = Prompt(turn_id="t1", text="use math", intent="edit", cells=CELLS, target=Target(edit="first"))
        play.submit(edit)
        play.step(ended("t1"))
        play.submit(Try(cell_id="first"))
        play.step(tried("first"))
        play.submit(Accept(cell_id="first", hunks=(Hunk(base_start=1, base_lines=1, source_start=1, source_lines=1),)))
        play.step(stands("first", "accepted"))
        play.submit(structs.replace(edit, turn_id="t2", text="list files"))
        play.step(ended("t2"))
    return play


def edits_of_one_cell_that_are_undone_redone_rejected_and_reverted() -> Stage:
    answers = [{"answer": code(f"x = {n}")} for n in (2, 3, 4)]
    with stage(answers) as play:
        play.attach()
        source = "x = 1"
        for number, decision in enumerate(("accepted", "accepted", "rejected"), 1):
            cells = (NotebookCell(id="own", source=source),)
            target = Target(edit="own")
            play.submit(Prompt(turn_id=f"t{number}", text="other", intent="edit", cells=cells, target=target))
            play.step(ended(f"t{number}"))
            play.submit(Accept(cell_id="own", before=source) if decision == "accepted" else Reject(cell_id="own"))
            play.step(of_turn(f"t{number}", decision))
            source = play.view.proposals["own"].source
        for text, turn_id, state in (
            ("x = 2", "t2", "reverted"),
            ("x = 1", "t1", "reverted"),
            ("x = 2", "t1", "accepted"),
            ("x = 3", "t2", "accepted"),
            (None, "t1", "reverted"),
            ("x = 3", "t2", "accepted"),
        ):
            play.submit(CellEdited(cell_id="own", source=text))
            play.step(of_turn(turn_id, state))
        play.submit(Revert(turn_id="t2"))
        play.step(of_turn("t2", "reverted"))
    return play


def a_turn_that_the_notebook_remembers() -> Stage:
    with stage([{"answer": code("z = 3")}]) as play:
        play.attach()
        old = Turn(id="t1", prompt="two cells", target=Target(after="first"), notes="Words.", outcome="completed")
        proposals = (
            Proposal(cell_id="t1-1", turn_id="t1", state="ready", source=SYSTEM),
            Proposal(cell_id="t1-2", turn_id="t1", state="accepted", source="y = 2"),
        )
        cells = (NotebookCell(id="t1-1", source=SYSTEM), NotebookCell(id="t1-2", source="y = 2"))
        play.submit(Restore(turns=(old,), proposals=proposals, cells=cells))
        play.step(stands("t1-1", "blocked"))
        play.submit(Revert(turn_id="t1"))
        play.step(stands("t1-2", "reverted"))
    return play


def a_front_end_that_comes_in_mid_stream() -> Stage:
    answers = [{"answer": "Words.\n\n" + code("x = 1")}, stalls("```python\ny = 2\nz")]
    with stage(answers) as play:
        play.engine.follow("t1").wait(lambda: play.submit(Prompt(turn_id="t1", text="a value")))
        play.engine.submit(Prompt(turn_id="t2", text="two more"))
        deadline = time.monotonic() + PATIENCE
        while not play.letters().heard["script"].endswith("\nz") and time.monotonic() < deadline:
            time.sleep(0.002)
        play.attach()
        play.submit(Cancel())
        play.step(ended("t2", "cancelled"))
    return play


def a_snapshot_takes_the_place_of_all_that_was_known() -> Stage:
    answers = [{"answer": BAD}, {"answer": code("x = 1")}, {"answer": code("y = 2")}]
    with stage(answers, tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="list files"))
        play.step(ended("t1"))
        play.submit(Try(cell_id="t1-1"))
        play.step(tried("t1-1"))
        play.submit(Accept(cell_id="none"))
        play.step(lambda view: view.problems)
        play.attach(last_seq=1_000_000)
        play.submit(Prompt(turn_id="t2", text="more"))
        play.step(ended("t2"))
    return play


def a_provider_that_fails_in_mid_answer() -> Stage:
    fails = {"pieces": ["```python\nx = 1\n", "y"], "fail": {"status": 500, "code": "broken", "message": "Broken."}}
    with stage([{**fails, "fail_after": 2}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="values"))
        play.step(ended("t1", "failed"))
    return play


def the_models_and_which_one_is_chosen() -> Stage:
    with stage([{"answer": code("x = 1")}], models=("script", "other")) as play:
        play.attach()
        play.submit(ListModels())
        play.step(lambda view: view.models)
        play.submit(SelectModel(model="other"))
        play.step(lambda view: view.model == "other")
        play.submit(Prompt(turn_id="t1", text="a value"))
        play.step(ended("t1"))
    return play


def of_many_problems_the_youngest_are_kept() -> Stage:
    with stage([]) as play:
        play.attach()
        play.submit(*(Accept(cell_id=f"none-{number}") for number in range(22)))
        play.step(lambda view: view.problems and "none-21" in view.problems[-1].message)
    return play


SCENARIOS: tuple[Callable[[], Stage], ...] = (
    a_turn_with_notes_and_cells_of_both_types,
    a_steer_in_mid_line,
    a_turn_that_is_stopped_at_what_the_screen_shows,
    a_correction,
    a_model_that_insists_is_blocked_and_runs_after_a_second_yes,
    a_race_and_another_attempt_that_is_chosen,
    a_race_that_nobody_wins,
    a_try_and_one_that_lacks_a_permission,
    a_try_that_surprises_and_the_text_that_takes_its_place,
    a_review_of_the_notebook,
    a_fix_that_is_tried_by_itself,
    a_deep_work_that_is_paused_and_steered_and_proposed,
    an_answer_that_is_offered_to_the_deep_gear_and_handed_up,
    an_edit_of_which_a_hunk_is_kept_and_a_later_edit_of_the_same_cell,
    edits_of_one_cell_that_are_undone_redone_rejected_and_reverted,
    a_turn_that_the_notebook_remembers,
    a_front_end_that_comes_in_mid_stream,
    a_snapshot_takes_the_place_of_all_that_was_known,
    a_provider_that_fails_in_mid_answer,
    the_models_and_which_one_is_chosen,
    of_many_problems_the_youngest_are_kept,
)


def name_of(scenario: Callable[[], Stage]) -> str:
    """The scenario's name as its file has it."""
    return scenario.__name__.replace("_", "-")


def record(scenario: Callable[[], Stage]) -> str:
    """The text of a scenario's fixture, played now."""
    fixture = {"name": name_of(scenario).replace("-", " "), "steps": scenario().steps}
    return json.dumps(fixture, indent=1, ensure_ascii=False) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Write the files, or with ``--check`` compare them. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file differs")
    parser.add_argument("names", nargs="*", help="of fixtures, without .json; all where none is given")
    options = parser.parse_args(argv)
    stale = 0
    for scenario in SCENARIOS:
        path = FOLDER / f"{name_of(scenario)}.json"
        if options.names and path.stem not in options.names:
            continue
        text = record(scenario)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if not options.check:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        print(f"{path.name} {'differs' if options.check else 'written'}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
