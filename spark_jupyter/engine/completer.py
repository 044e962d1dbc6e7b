"""Completer: ghost text for the client that asked, and for no other.

Each client has one completion under way at most, the newest; nothing waits for it: not a cell, not a turn. The kernel is read on the
engine's thread, beside the cell that may run there.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import re
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.completion_context import CompletionContext
from spark_jupyter.engine.loop_thread import FAULTS, LoopThread
from spark_jupyter.engine.provider_choice import SuggestionSource
from spark_jupyter.exceptions import Preempted, RequestRefused, SparkError
from spark_jupyter.protocol.completion_messages import Complete, Completed, DropCompletion
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.base import ModelEvent, ModelRequest, TextDelta
from spark_jupyter.routing.link import Link
from spark_jupyter.session.turn_meter import JobMeter
from spark_jupyter.source.ipython_lines import asks_spark

if TYPE_CHECKING:
    from spark_jupyter.completions.completion import Completion
    from spark_jupyter.completions.situation import Situation

NOTHING_KNOWN = (
    "No sure suggestion without a model. Choose one: %spark suggestions provider NAME, or %spark provider NAME."
)

_REFUSED = {"effort": re.compile(r"(?i)effort|reasoning|think"), "temperature": re.compile(r"(?i)temperature")}
"""Fields of a request that a model may refuse, and how it says so."""


FIRST_PAUSE = 1.0
"""Seconds after the first failure of a provider; twice as many after each one that follows."""
LONGEST_PAUSE = 60.0
"""Seconds, also where the provider says more: somebody may have mended it."""
_AWAKE = 3.0
"""Seconds after the last completion for which somebody is taken to type still: the next key finds the way to the engine short."""


class Completer:
    """The completions that are under way. Only used on the engine's loop."""

    def __init__(
        self, source: SuggestionSource, context: CompletionContext, thread: LoopThread, broadcast: Broadcast
    ) -> None:
        self._source = source
        self._context = context
        self._thread = thread
        self._broadcast = broadcast
        self._breaker = CircuitBreaker(time.monotonic)
        self._refused: dict[tuple[str, str], set[str]] = {}
        """Request options that a model refuses."""
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
        if (under_way := self._under_way.pop(subscriber, None)) is not None:
            under_way.task.cancel()
        self._settle()

    def forget(self, subscriber: Subscriber) -> None:
        self.drop(subscriber)
        self._cells.pop(subscriber, None)

    def _begin(self, subscriber: Subscriber, asked: Complete) -> None:
        self.drop(subscriber)
        if asked.cells is not None:
            self._cells[subscriber] = asked.cells
        task = self._thread.spawn(self._complete(subscriber, asked))
        self._under_way[subscriber] = _UnderWay(asked, task)
        self._stay_awake()
        self._thread.switch_interval.hold("typing", on=True)

    async def _complete(self, subscriber: Subscriber, asked: Complete) -> None:
        done = Completed(completion_id=asked.completion_id, done=True)
        try:
            self._source.refuse_off()
            if (self._source.mode == "on" or asked.asked) and not asks_spark(asked.before):
                if not self._loaded:
                    await asyncio.to_thread(_load)
                    self._loaded = True
                done = await self._answered(subscriber, asked)
        except SparkError as error:
            done = structs.replace(done, problem=str(error) if asked.asked else "")
        except FAULTS as error:  # a fault of our own: whoever typed is left alone
            self._thread.report("A completion failed by a fault in spark_jupyter", error)
        self._broadcast.tell(subscriber, [done])
        self._end(subscriber, asked)

    def _end(self, subscriber: Subscriber, asked: Complete) -> None:
        if (under_way := self._under_way.get(subscriber)) is not None and under_way.asked is asked:
            del self._under_way[subscriber]
        self._settle()

    def _settle(self) -> None:
        """Restore the switch interval a while after the last completion."""
        if not self._under_way:
            self._stay_awake()
            release = functools.partial(self._thread.switch_interval.hold, "typing", on=False)
            self._falls_asleep = self._thread.loop.call_later(_AWAKE, release)

    def _stay_awake(self) -> None:
        if self._falls_asleep is not None:
            self._falls_asleep.cancel()
            self._falls_asleep = None

    async def _answered(self, subscriber: Subscriber, asked: Complete) -> Completed:
        """Complete a request; without a model by offline knowledge."""
        from spark_jupyter.completions.situation import Situation

        situation = Situation.of(asked, self._cells.get(subscriber, ()))
        try:
            if asked.asked or not self._breaker.is_open(self._source.words):
                link, model = await self._source.get()
                if not (link.offline or link.is_agent):
                    said = await self._stream(subscriber, asked, situation, link, model)
                    self._breaker.answered()
                    return said
        except Preempted:
            raise
        except SparkError as error:
            self._breaker.failed(self._source.words, error)
            if not (text := await self._known(situation, asked)):
                raise
        else:
            text = await self._known(situation, asked)
        problem = NOTHING_KNOWN if asked.asked and not text else ""
        return Completed(completion_id=asked.completion_id, text=text, done=True, problem=problem)

    async def _known(self, situation: Situation, asked: Complete) -> str:
        """Completion without a model that passes the checks."""
        from spark_jupyter.completions.offline import passed

        judge = self._context.judges.of(situation)
        return next(passed(situation, self._context.facts(), judge, asked=asked.asked), "")

    async def _stream(
        self, subscriber: Subscriber, asked: Complete, situation: Situation, link: Link, model: str
    ) -> Completed:
        from spark_jupyter.completions import completion_request
        from spark_jupyter.completions.completion import Completion

        request = completion_request.request(self._context.told(situation, link), model=model)
        judge = self._context.judges.of(situation)
        asyncio.get_running_loop().call_soon(judge.prepare)  # while the provider is at it
        completion = Completion(situation, judge)
        account = _Account(request, link)
        async with aclosing(self._answer(link, request)) as batches:
            async for batch in batches:
                account.receive(batch)
                said = "".join(event.text for event in batch if isinstance(event, TextDelta))
                if said and completion.receive_text(said):
                    self._broadcast.tell(subscriber, [account.completed(asked, completion)])
                if completion.ended:
                    break
        completion.receive_end()
        account.end()
        return structs.replace(account.completed(asked, completion), done=True, silenced=completion.silenced)

    async def _answer(self, link: Link, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        """Stream the model's answer, with little thinking, and varied if another suggestion is wanted. A model that refuses these
        options is asked without them from now on."""
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
    """Import slow modules in advance, so that nothing waits for them on the engine's thread."""
    slow = "guardrail reality prompting.kernel_context completions.completion_request completions.completion"
    for name in slow.split():
        importlib.import_module(f"spark_jupyter.{name}")


class _UnderWay(NamedTuple):
    """A completion that somebody waits for."""

    asked: Complete
    task: asyncio.Task[None]


class _Account:
    """Cost of a completion: the provider's time to its first text, and the price."""

    def __init__(self, request: ModelRequest, link: Link) -> None:
        self._meter = JobMeter(request, link.price(request.model))
        self._now = asyncio.get_running_loop().time
        self._sent = self._now()
        self._first: float | None = None

    def receive(self, batch: Sequence[ModelEvent]) -> None:
        for event in batch:
            self._meter.receive(event)
            if isinstance(event, TextDelta):
                self._first = self._now() - self._sent if self._first is None else self._first

    def end(self) -> None:
        """The answer is whole. One without text took all of its time to say that there is none."""
        self._first = self._now() - self._sent if self._first is None else self._first

    def completed(self, asked: Complete, completion: Completion) -> Completed:
        return Completed(
            completion_id=asked.completion_id,
            text=completion.shown,
            mends=completion.mends,
            first_text=self._first,
            cost=self._meter.cost,
        )


class CircuitBreaker:
    """Leaves a provider that fails alone for a while, for what nobody asked for: at eight keys a second a limit would never end.

    Counts the failures in a row of one provider, by its name; another one has none. ``now`` is a clock in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._who = ""
        self._until = 0.0
        self._failures = 0

    def is_open(self, who: str) -> bool:
        """True while this provider is not asked, after failures."""
        return who == self._who and self._now() < self._until

    def failed(self, who: str, error: SparkError) -> None:
        self._failures = self._failures + 1 if who == self._who else 1
        said = getattr(error, "retry_after", None)
        wait = FIRST_PAUSE * 2 ** min(self._failures - 1, 10) if said is None else said
        self._who, self._until = who, self._now() + min(wait, LONGEST_PAUSE)

    def answered(self) -> None:
        """One answered: what was before is forgotten."""
        self._who, self._failures = "", 0
