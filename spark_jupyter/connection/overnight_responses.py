"""Responses that a provider computes within hours, at a lower price.

OpenAI's guide "Background mode": ``background_options.completion_window`` is 2h or 8h, over HTTP and not streamed; the answer is asked
for until it is there, and follow-ups with the same ``continuation_id`` go first. The request outlives the connection, this process and the
sleep of the machine: whoever sends one of the same key gets its answer.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import httpx
from msgspec import Struct

from spark_jupyter.connection.http_connection import answered
from spark_jupyter.connection.network_errors import lost
from spark_jupyter.connection.overnight_jobs import OvernightJob, overnight_jobs
from spark_jupyter.exceptions import (
    ConnectionLost,
    ConnectionRefused,
    ProviderError,
    Stalled,
    TryLater,
)
from spark_jupyter.providers.addresses import key_address
from spark_jupyter.providers.base import ResponseStarted
from spark_jupyter.providers.refusals import UNREADABLE, RefusedWith, bad_response
from spark_jupyter.typed_decoders import json_decoder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.connection.http_client import Web
    from spark_jupyter.providers.base import ModelEvent, ModelRequest, Overnight
    from spark_jupyter.providers.responses import ResponsesOverHTTP

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
