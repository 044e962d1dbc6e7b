"""The requests that are under way: what a provider says goes to the session, in pieces between which all else is taken in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing
from itertools import groupby
from typing import Any

from msgspec import structs

from spark_jupyter.engine.link import LinkKeeper
from spark_jupyter.exceptions import SparkError
from spark_jupyter.providers.base import ModelEvent, TextDelta
from spark_jupyter.session.actions import SendRequest
from spark_jupyter.session.job_owners import DeepOwner, Owner
from spark_jupyter.session.session import Session

_PIECE = 1024
"""Characters that are judged at once."""
_LINES = 64
"""Lines of them: some 10 ms where each line is a statement."""


class Requests:
    """Sends what the session's jobs ask for and tells it what comes of it. ``links`` says where those of an owner go. Only used on the
    engine's loop."""

    def __init__(
        self,
        links: Callable[[Owner], LinkKeeper],
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        tell: Callable[[Callable[[Session, float], None]], None],
    ) -> None:
        self._links = links
        self._spawn = spawn
        self._tell = tell
        self._under_way: dict[int, asyncio.Task[None]] = {}

    def send(self, action: SendRequest) -> None:
        """Send a job's request."""
        task = self._under_way[action.job_id] = self._spawn(self._stream(action))
        task.add_done_callback(lambda done: self._forget(action.job_id, done))

    def drop(self, job_id: int) -> None:
        """Drop a job's request; nothing more is told of it."""
        request = self._under_way.pop(job_id, None)
        if request is not None:
            request.cancel()

    def _forget(self, job_id: int, done: asyncio.Task[None]) -> None:
        """A request is over; a job's next one may be under way already."""
        if self._under_way.get(job_id) is done:
            del self._under_way[job_id]

    async def _stream(self, action: SendRequest) -> None:
        try:
            if action.after:
                await asyncio.sleep(action.after)
            links = self._links(action.owner)
            link = await (links.fallback() if action.fallback else links.get())
            deep = isinstance(action.owner, DeepOwner) and not action.owner.fast
            request = structs.replace(action.request, background=deep)
            if deep and not request.effort:
                request = structs.replace(request, effort=link.deep_effort or None)
            if not request.model:  # the prompt was quicker than the choice of a provider
                request = structs.replace(request, model=(deep and link.deep_model) or link.model)
            async with aclosing(link.connection.stream(request)) as batches:
                async for batch in batches:
                    await self._take_in(action, batch)
        except SparkError as error:
            self._fail(action, error)
        except Exception as error:  # a fault of our own: the turn must end all the same
            asyncio.get_running_loop().call_exception_handler(
                {"message": "A turn failed by a fault in spark_jupyter", "exception": error}
            )
            problem = f"spark_jupyter itself failed ({type(error).__name__})."
            self._fail(action, SparkError(problem, remedy="What arrived is kept. Please report it."))

    async def _take_in(self, action: SendRequest, batch: Sequence[ModelEvent]) -> None:
        for number, event in enumerate(_pieces(batch)):
            if number:
                await asyncio.sleep(0)  # a Cancel, and all else that waits, comes between
            self._say(action, event)

    def _say(self, action: SendRequest, event: ModelEvent) -> None:
        self._tell(lambda session, at: session.receive_model_event(action.job_id, action.attempt, event, at=at))

    def _fail(self, action: SendRequest, error: SparkError) -> None:
        self._tell(lambda session, at: session.receive_failure(action.job_id, action.attempt, error, at=at))


def _pieces(batch: Sequence[ModelEvent]) -> Iterator[ModelEvent]:
    """The same events with neighbouring text in one, since what came together is worked on together; but in pieces that are judged in a
    moment, however much came."""
    for is_text, events in groupby(batch, key=lambda event: isinstance(event, TextDelta)):
        if not is_text:
            yield from events
            continue
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        yield from map(TextDelta, _stretches(text))


def _stretches(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end, at = start + _PIECE, start
        for _ in range(_LINES):
            at = text.find("\n", at, end) + 1
            if not at:
                break
        yield text[start : at or end]
        start = at or end
