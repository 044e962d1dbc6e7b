"""Where turns are recorded: an engine on the embedded server, what it says as it is said every time, and the state in which that leaves a
front end."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import msgspec
from IPython.core.interactiveshell import InteractiveShell
from msgspec import structs
from traitlets.config import Config

from spark_jupyter.connection.base import Connection
from spark_jupyter.engine.broadcast import coalesce
from spark_jupyter.engine.configuration import Options
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.protocol.deep_messages import DeepWork
from spark_jupyter.protocol.message_frames import EventFrame, decode_event, encode
from spark_jupyter.protocol.messages import Command, Event, Hello, Snapshot
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import ModelEvent, ModelRequest, TextDelta
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import Link, linker
from spark_jupyter.sandbox import KernelTrials
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread

PATIENCE = 120.0
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
        **({"consent": view.consent} if view.consent.asked or view.consent.grants else {}),
        **({"review": view.review} if view.review is not None else {}),
    }
    plain: Plain = json.loads(msgspec.json.encode(state))
    return plain


def _with_nested(work: DeepWork) -> Plain:
    """What is made of parts has them, also where they are as usual."""
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
        plain = structs.replace(
            request, instructions=""
        )  # what they say is no matter of these fixtures, and would be counted
        async for batch in self._inner.stream(plain):
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
        case Snapshot(trials=trials) if trials:
            return structs.replace(event, trials=tuple(cast(TrialResult, steady(trial)) for trial in trials))
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
        options = Options(clock=lambda: made[0].now if made else 0.0)
        engine = Engine(connect_by_letters, kernel=Kernel(checks=checks), options=options)
        try:
            made.append(Stage(engine, lambda: links[0].connection))  # type: ignore[arg-type, return-value]  # it is made above
            engine.wait_until_connected(PATIENCE)
            yield made[0]
        finally:
            engine.close()
            if trials is not None:
                trials.close()
