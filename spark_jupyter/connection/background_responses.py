"""Responses that the provider computes in the background.

Where the connection is lost the provider goes on, and the answer is read on from there.

OpenAI's Responses have that as ``background: true``: each event is numbered, ``GET …/responses/ID?stream=true&starting_after=N``
gives those behind one of them, and ``POST …/ID/cancel`` ends it. What was written is not paid for twice, and nothing is missing or
doubled. Whoever does not take it is asked in the usual way.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, suppress
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

import httpx
from msgspec import Struct

from spark_jupyter.connection.backoff import delays
from spark_jupyter.connection.base import Connection
from spark_jupyter.connection.connection_options import Options
from spark_jupyter.connection.http_answer import Answer, Head
from spark_jupyter.connection.http_client import Web
from spark_jupyter.connection.http_connection import Events, answered
from spark_jupyter.connection.network_errors import lost
from spark_jupyter.connection.overnight_jobs import OvernightJob, overnight_jobs
from spark_jupyter.exceptions import (
    ConnectionLost,
    ConnectionRefused,
    ProviderError,
    Stalled,
    TryLater,
)
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.addresses import key_address
from spark_jupyter.providers.base import ModelEvent, ModelRequest, ResponseStarted
from spark_jupyter.providers.profiles import Choice
from spark_jupyter.providers.refusals import UNREADABLE, RefusedWith, bad_response
from spark_jupyter.providers.responses import ResponsesOverHTTP
from spark_jupyter.providers.responses_events import ResponsesDecoder
from spark_jupyter.typed_decoders import json_decoder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.connection.http_client import Web
    from spark_jupyter.providers.base import ModelEvent, ModelRequest, Overnight
    from spark_jupyter.providers.responses import ResponsesOverHTTP


KEPT = 600.0
"""Seconds for which a lost answer is sought: so long OpenAI keeps one."""
_LONGEST_REST = 15.0
_CANCELLING = 5.0
"""Seconds that it may take to tell a provider that an answer is not wanted."""
_NOT_TAKEN = frozenset({400, 404, 405, 422, 501})
"""The status with which a provider that has no background mode may refuse it."""


class _Numbered(Struct, frozen=True):
    sequence_number: int = -1


_number = json_decoder(_Numbered)


class _Reading:
    """A decoder that knows up to which event it has read: what comes twice is read once. See
    :class:`~spark_jupyter.providers.base.Decoder`."""

    def __init__(self, decoder: ResponsesDecoder) -> None:
        self._decoder = decoder
        self.last = -1

    @property
    def id(self) -> str:
        return self._decoder.response_id

    @property
    def ended(self) -> bool:
        return self._decoder.ended

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        try:
            number = _number.decode(data).sequence_number
        except UNREADABLE:
            number = -1
        if 0 <= number <= self.last:
            return []
        self.last = max(self.last, number)
        return self._decoder.receive_data(data)

    def receive_end(self) -> list[ModelEvent]:
        return self._decoder.receive_end()


class InBackground:
    """Implements :class:`~spark_jupyter.connection.base.Connection` with another one, which answers all that is not in the background."""

    def __init__(self, connection: Connection, choice: Choice, options: Options) -> None:
        self._connection = connection
        self._options = options
        self._provider = ResponsesOverHTTP(choice.profile)
        self._web = Web(choice, self._provider, options)
        self._overnight = OvernightResponses(self._web, self._provider, options, path=self._path, cancel=self._cancel)
        self._taken = choice.profile.background
        self._cancelling: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        await self._connection.open()

    async def models(self) -> list[ModelInfo]:
        return await self._connection.models()

    async def close(self) -> None:
        await asyncio.gather(*self._cancelling)
        await self._web.close()
        await self._connection.close()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        if request.overnight is not None:
            async with aclosing(self._overnight.stream(request, request.overnight)) as batches:
                async for batch in batches:
                    yield batch
            return
        reading = _Reading(self._provider.decoder(request, where=self._web.where))
        if request.background and request.generate and self._taken:
            try:
                async with aclosing(self._read(request, reading)) as batches:
                    async for batch in batches:
                        yield batch
                return
            except RefusedWith as error:
                if reading.id or error.refusal.status not in _NOT_TAKEN:
                    raise
            self._taken = False
        async with aclosing(self._connection.stream(request)) as batches:
            async for batch in batches:
                yield batch

    async def _read(self, request: ModelRequest, reading: _Reading) -> AsyncGenerator[list[ModelEvent], None]:
        """The answer, however often its connection is lost."""
        loop = asyncio.get_running_loop()
        ask = partial(self._ask, request, reading)
        rests, until = self._rests(), loop.time() + KEPT
        try:
            while True:
                read, error = reading.last, None
                async with aclosing(self._receive(ask)) as batches:
                    try:
                        async for batch in batches:
                            yield batch
                    except ProviderError as failure:
                        error = failure
                if error is None:
                    return
                if reading.last > read:
                    rests, until = self._rests(), loop.time() + KEPT
                if not reading.id or reading.ended or not _passes(error) or loop.time() > until:
                    raise error
                await asyncio.sleep(next(rests))
                ask = partial(self._read_on, reading)
        finally:
            if reading.id and not reading.ended:
                self._cancel(reading.id)

    @staticmethod
    def _rests() -> Iterator[float]:
        return delays(longest=_LONGEST_REST)

    async def _receive(self, ask: Callable[[], Awaitable[Head]]) -> AsyncGenerator[list[ModelEvent], None]:
        """Events until the answer, or its connection, ends. Raises why it is not whole."""
        answer = Answer(ask, self._web, self._options)
        events = Events(answer, self._web, self._options)
        try:
            async with aclosing(events.batches()) as batches:
                async for batch in batches:
                    yield batch
        finally:
            answer.drop(drain=False)

    async def _ask(self, request: ModelRequest, reading: _Reading) -> Head:
        path, body = self._provider.endpoint(request), self._provider.encode(request)
        return Head(await answered(self._web, "POST", path, body, options=self._options, model=request.model), reading)

    async def _read_on(self, reading: _Reading) -> Head:
        path = f"{self._path(reading.id)}?stream=true&starting_after={reading.last}"
        try:
            return Head(await answered(self._web, "GET", path, options=self._options), reading)
        except RefusedWith:  # the provider does not have it any more: whoever wants it must ask again
            raise _Gone(str(lost(self._web.where, "and the answer is not kept there"))) from None

    def _path(self, response_id: str) -> str:
        """Path of an answer. Its id is the provider's text, so that it may hold anything."""
        return f"{self._provider.path}/{quote(response_id[:300], safe='')}"

    def _cancel(self, response_id: str) -> None:
        """Tell the provider that an answer is not wanted; whoever dropped it does not wait for that."""
        task = asyncio.get_running_loop().create_task(self._tell_cancelled(response_id))
        self._cancelling.add(task)
        task.add_done_callback(self._cancelling.discard)

    async def _tell_cancelled(self, response_id: str) -> None:
        path = f"{self._path(response_id)}/cancel"
        with suppress(TimeoutError, httpx.HTTPError, ProviderError):  # the response then ends by itself
            async with asyncio.timeout(_CANCELLING):
                answer = await self._web.client.send(await self._web.request("POST", path, b""), stream=True)
                await answer.aclose()


class _Gone(ConnectionLost):
    """There is nothing to read on."""


def _passes(error: ProviderError) -> bool:
    """True if it is worth while to look for the answer again."""
    return isinstance(error, ConnectionLost | ConnectionRefused | Stalled) and not isinstance(error, _Gone)


# --- Responses that a provider computes within hours, at a lower price ---
# OpenAI's guide "Background mode": ``background_options.completion_window`` is 2h or 8h, over HTTP and not streamed; the answer is asked
# for until it is there, and follow-ups with the same ``continuation_id`` go first. The request outlives the connection, this process and
# the sleep of the machine: whoever sends one of the same key gets its answer.
_LONGEST = 86_400.0
"""Seconds after which an answer is not waited for any more."""
_UNDER_WAY = frozenset({"queued", "in_progress"})
_WHOLE = frozenset({"completed", "incomplete"})
_PASSES = (ConnectionLost, ConnectionRefused, Stalled, TryLater)


class _Status(Struct, frozen=True):
    id: str = ""
    status: str = ""
    model: str = ""


_status = json_decoder(_Status)


class OvernightResponses:
    """Sends, finds again and awaits such requests at one provider. ``path`` gives the address of an answer, ``cancel`` tells the provider
    that one is not wanted."""

    def __init__(
        self,
        web: Web,
        provider: ResponsesOverHTTP,
        options: Options,
        *,
        path: Callable[[str], str],
        cancel: Callable[[str], None],
    ) -> None:
        self._web = web
        self._provider = provider
        self._options = options
        self._path = path
        self._cancel = cancel
        self._jobs = overnight_jobs()
        self._address = key_address(web.base)

    async def stream(self, request: ModelRequest, overnight: Overnight) -> AsyncGenerator[list[ModelEvent], None]:
        """The events of the answer, as soon as it is there. Raises a :class:`~spark_jupyter.exceptions.ProviderError`."""
        job = self._jobs.find(overnight.key, self._address)
        if job is None:
            job = await self._send(request, overnight)
        yield [ResponseStarted(response_id=job.response_id, model=request.model)]
        try:
            body = await self._await(job)
        except asyncio.CancelledError:
            if self._jobs.has_ended(overnight.work_id):
                self._cancel(job.response_id)
            raise
        except RefusedWith:
            self._jobs.remove(overnight.key)
            raise lost(self._web.where, "and the answer is not kept there") from None  # whoever wants it must ask again
        state = _read(body, self._web.where).status
        if state not in _WHOLE:
            self._jobs.remove(overnight.key)
        events = self._provider.decoder(request, where=self._web.where).receive_data(body)
        if state not in _WHOLE:
            raise bad_response(f"an answer that is {state or 'in no state'}", where=self._web.where)
        yield [event for event in events if not isinstance(event, ResponseStarted)]

    async def _send(self, request: ModelRequest, overnight: Overnight) -> OvernightJob:
        path, body = self._provider.endpoint(request), self._provider.encode(request)
        response = await answered(self._web, "POST", path, body, options=self._options, model=request.model)
        told = _read(await self._web.read(response), self._web.where)
        if not told.id:
            raise bad_response("no name for its answer", where=self._web.where)
        job = OvernightJob(
            response_id=told.id, address=self._address, work_id=overnight.work_id, asked_at=self._jobs.clock()
        )
        with suppress(OSError):  # a full disk: the answer comes all the same, to this kernel
            self._jobs.add(overnight.key, job)
        return job

    async def _await(self, job: OvernightJob) -> bytes:
        """The whole answer. A connection that fails is no reason to give up."""
        while True:
            try:
                response = await answered(self._web, "GET", self._path(job.response_id), options=self._options)
                body = await self._web.read(response)
                if _read(body, self._web.where).status not in _UNDER_WAY:
                    return body
            except httpx.HTTPError as error:
                failure: ProviderError | None = self._web.translate(error)
            except _PASSES as error:
                failure = error
            except RefusedWith as error:
                if error.refusal.status < 500:
                    raise
                failure = error
            else:
                failure = None
            if self._jobs.clock() - job.asked_at > _LONGEST:
                raise failure or Stalled(f"{self._web.where} has not answered for a day.", remedy="Ask again.")
            await asyncio.sleep(self._options.poll)


def _read(body: bytes, where: str) -> _Status:
    try:
        return _status.decode(body)
    except UNREADABLE:
        raise bad_response("no response", data=body, where=where) from None
