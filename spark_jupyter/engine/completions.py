"""Completions: ghost text for the front end that asked, and for no other.

Each has one under way at most, the newest; nothing waits for it: not a cell, not a turn. The kernel is read on the engine's thread,
beside the cell that may run there.
"""

from __future__ import annotations

import asyncio
import importlib
import re
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from spark_jupyter.engine.broadcast import Subscriber
from spark_jupyter.engine.judges import Judges
from spark_jupyter.engine.kernel import Kernel
from spark_jupyter.engine.link import Link
from spark_jupyter.engine.resting import Rests
from spark_jupyter.engine.situations import Situations
from spark_jupyter.engine.sources import Sources
from spark_jupyter.exceptions import Preempted, RequestRefused, SessionError, SparkError
from spark_jupyter.protocol.completion_messages import Complete, Completed, DropCompletion
from spark_jupyter.protocol.messages import Event
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.base import ModelEvent, ModelRequest, ResponseCompleted, ResponseIncomplete, TextDelta
from spark_jupyter.session.turn_meter import JobMeter
from spark_jupyter.source.ipython_lines import asks_spark

if TYPE_CHECKING:
    from spark_jupyter.completions.completion import Completion
    from spark_jupyter.completions.situation import Situation

NOTHING_KNOWN = (
    "Without a model nothing is sure here. %spark suggestions provider NAME, or %spark provider NAME, chooses one."
)

_REFUSED = {"effort": re.compile(r"(?i)effort|reasoning|think"), "temperature": re.compile(r"(?i)temperature")}
"""Fields of a request that a model may refuse, and how it says so."""


_AWAKE = 3.0
"""Seconds after the last completion for which somebody is taken to type still: the next key finds the way to the engine short."""


class Completions:
    """The completions that are under way. Only used on the engine's loop.

    ``sources`` decides who makes them; ``tell`` gives events to one subscriber; ``waits`` is told whether
    somebody types, and the way from a key to here is to be short.
    """

    def __init__(
        self,
        sources: Sources,
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        tell: Callable[[Subscriber, Sequence[Event]], None],
        kernel: Kernel,
        situations: Situations,
        judges: Judges,
        waits: Callable[[bool], None],
    ) -> None:
        self.sources = sources
        self._spawn = spawn
        self._tell = tell
        self._kernel = kernel
        self._situations = situations
        self._judges = judges
        self._waits = waits
        self._rests = Rests(time.monotonic)
        self._refused: dict[tuple[str, str], set[str]] = {}
        """What of a request a model does not take."""
        self._loaded = False
        self._under_way: dict[Subscriber, _UnderWay] = {}
        self._falls_asleep: asyncio.TimerHandle | None = None
        self._cells: dict[Subscriber, tuple[NotebookCell, ...]] = {}

    def receive(self, subscriber: Subscriber, command: Complete | DropCompletion) -> None:
        """Begin a completion, which takes the place of the one before, or end one."""
        under_way = self._under_way.get(subscriber)
        if isinstance(command, Complete):
            self._begin(subscriber, command)
        elif under_way is not None and under_way.asked.completion_id == command.completion_id:
            self.drop(subscriber)

    def drop(self, subscriber: Subscriber) -> None:
        """Nobody there waits any more."""
        if (under_way := self._under_way.pop(subscriber, None)) is not None:
            under_way.task.cancel()
        self._settle()

    def forget(self, subscriber: Subscriber) -> None:
        """It is gone, with all that it has told."""
        self.drop(subscriber)
        self._cells.pop(subscriber, None)

    def _begin(self, subscriber: Subscriber, asked: Complete) -> None:
        self.drop(subscriber)
        if asked.cells is not None:
            self._cells[subscriber] = asked.cells
        task = self._spawn(self._complete(subscriber, asked))
        self._under_way[subscriber] = _UnderWay(asked, task)
        self._stay_awake()
        self._waits(True)

    async def _complete(self, subscriber: Subscriber, asked: Complete) -> None:
        done = Completed(completion_id=asked.completion_id, done=True)
        try:
            if self.sources.mode == "off":
                raise SessionError("Suggestions are switched off.", remedy="%spark suggestions on")
            if (self.sources.mode == "on" or asked.asked) and not asks_spark(asked.before):
                if not self._loaded:
                    await asyncio.to_thread(_load)
                    self._loaded = True
                done = await self._answered(subscriber, asked)
        except SparkError as error:
            done = structs.replace(done, problem=str(error) if asked.asked else "")
        except Exception as error:  # a fault of our own: whoever typed is left alone
            asyncio.get_running_loop().call_exception_handler(
                {"message": "A completion failed by a fault in spark_jupyter", "exception": error}
            )
        self._tell(subscriber, [done])
        self._end(subscriber, asked)

    def _end(self, subscriber: Subscriber, asked: Complete) -> None:
        if (under_way := self._under_way.get(subscriber)) is not None and under_way.asked is asked:
            del self._under_way[subscriber]
        self._settle()

    def _settle(self) -> None:
        """Where nobody waits for one, and nobody asks for a while, nobody types."""
        if not self._under_way:
            self._stay_awake()
            self._falls_asleep = asyncio.get_running_loop().call_later(_AWAKE, self._waits, False)

    def _stay_awake(self) -> None:
        if self._falls_asleep is not None:
            self._falls_asleep.cancel()
            self._falls_asleep = None

    async def _answered(self, subscriber: Subscriber, asked: Complete) -> Completed:
        """What comes of it in the end. Where no model can be asked, what is known without one."""
        from spark_jupyter.completions.situation import Situation

        situation = Situation.of(asked, self._cells.get(subscriber, ()))
        try:
            if asked.asked or not self._rests.is_resting(self.sources.words):
                link, model = await self.sources.get()
                if not link.offline:
                    said = await self._stream(subscriber, asked, situation, link, model)
                    self._rests.answered()
                    return said
        except Preempted:
            raise
        except SparkError as error:
            self._rests.failed(self.sources.words, error)
            if not (text := await self._known(situation, asked)):
                raise
        else:
            text = await self._known(situation, asked)
        problem = NOTHING_KNOWN if asked.asked and not text else ""
        return Completed(completion_id=asked.completion_id, text=text, done=True, problem=problem)

    async def _known(self, situation: Situation, asked: Complete) -> str:
        """What is known without a model, and stands before the judges."""
        from spark_jupyter.completions.offline import passed
        from spark_jupyter.engine.facts import KernelFacts

        judge = self._judges.of(situation)
        facts = KernelFacts(self._kernel.namespace())
        return next(passed(situation, facts, judge, asked=asked.asked), "")

    async def _stream(
        self, subscriber: Subscriber, asked: Complete, situation: Situation, link: Link, model: str
    ) -> Completed:
        """What a model says, told as it comes."""
        from spark_jupyter.completions import completion_request
        from spark_jupyter.completions.completion import Completion

        request = completion_request.request(self._situations.told(situation, link), model=model)
        judge = self._judges.of(situation)
        asyncio.get_running_loop().call_soon(judge.prepare)  # while the provider is at it
        completion = Completion(situation, judge)
        account = _Account(request, link)
        async with aclosing(self._answer(link, request)) as batches:
            async for batch in batches:
                account.receive(batch)
                said = "".join(event.text for event in batch if isinstance(event, TextDelta))
                if said and completion.receive_text(said):
                    self._tell(subscriber, [account.completed(asked, completion)])
                if completion.ended:
                    break
        completion.receive_end()
        account.end()
        return structs.replace(account.completed(asked, completion), done=True, silenced=completion.silenced)

    async def _answer(self, link: Link, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        """What the model says. It is to think little, and to vary where another suggestion is wanted; one that refuses to be told so is
        asked without, from now on."""
        refused = self._refused.setdefault((link.provider, request.model), set())
        while True:
            try:
                asked = structs.replace(request, **dict.fromkeys(refused))
                async with aclosing(link.connection.stream(asked)) as batches:
                    async for batch in batches:
                        yield batch
                return
            except RequestRefused as error:
                why = {
                    name
                    for name, said in _REFUSED.items()
                    if getattr(asked, name) is not None and said.search(str(error))
                }
                if not why:
                    raise
                refused |= why


def _load() -> None:
    """What takes a moment the first time: on the engine's thread all else would wait for it."""
    for name in (
        "guardrail",
        "reality",
        "prompting.kernel_context",
        "completions.completion_request",
        "completions.completion",
    ):
        importlib.import_module(f"spark_jupyter.{name}")
    from spark_jupyter.engine.facts import recipe_lines

    recipe_lines()


class _UnderWay(NamedTuple):
    """A completion that somebody waits for."""

    asked: Complete
    task: asyncio.Task[None]


class _Account:
    """What a completion took: the provider's time to its first text, and the price."""

    def __init__(self, request: ModelRequest, link: Link) -> None:
        self._meter = JobMeter(request, link.price(request.model))
        self._now = asyncio.get_running_loop().time
        self._sent = self._now()
        self._first: float | None = None

    def receive(self, batch: Sequence[ModelEvent]) -> None:
        """Take in what the provider said."""
        for event in batch:
            if isinstance(event, TextDelta):
                self._first = self._now() - self._sent if self._first is None else self._first
                self._meter.characters += len(event.text)
            elif isinstance(event, ResponseCompleted | ResponseIncomplete) and event.usage is not None:
                self._meter.usage = event.usage

    def end(self) -> None:
        """The answer is whole. One without text took all of its time to say that there is none."""
        self._first = self._now() - self._sent if self._first is None else self._first

    def completed(self, asked: Complete, completion: Completion) -> Completed:
        """How it stands."""
        return Completed(
            completion_id=asked.completion_id,
            text=completion.shown,
            mends=completion.mends,
            first_text=self._first,
            cost=self._meter.cost,
        )
