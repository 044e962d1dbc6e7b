"""The connection over HTTP: server-sent events in the Responses dialect and as chat completions.

Closing a stream early stops the provider. A connection is kept alive between turns.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import httpx

from spark_jupyter.connection.catalogue import Catalogue
from spark_jupyter.connection.faults import dial_error, lost
from spark_jupyter.connection.options import Options
from spark_jupyter.connection.web import Web
from spark_jupyter.exceptions import ConfigurationError, ConnectionLost, ProviderError, Stalled
from spark_jupyter.providers.base import ModelEvent, ModelRequest, TextDelta
from spark_jupyter.providers.chat import ChatCompletions, ChatDecoder
from spark_jupyter.providers.profiles import Choice
from spark_jupyter.providers.refusals import RefusedWith, bad_response
from spark_jupyter.providers.responses import ResponsesDecoder, ResponsesOverHTTP
from spark_jupyter.providers.sse import SSESplitter
from spark_jupyter.wire.messages import ModelInfo

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_TAIL = 0.25
_NO_SUCH_ENDPOINT = frozenset({404, 405, 501})

Decoder = ResponsesDecoder | ChatDecoder
Dialect = ResponsesOverHTTP | ChatCompletions


class HTTPConnection:
    """Implements :class:`~spark_jupyter.connection.base.Connection` for ``responses-sse``, ``chat`` and ``auto``."""

    def __init__(self, choice: Choice, options: Options) -> None:
        self._options = options
        self._web = Web(choice, self._options)
        self._catalogue = Catalogue(choice, self._options, web=self._web)
        self._profile = choice.profile
        self._guessing = choice.dialect == "auto"
        self._dialect = self._chat() if choice.dialect == "chat" else self._responses()
        self._used_at = float("-inf")

    def _responses(self) -> Dialect:
        return ResponsesOverHTTP(stream_options=self._profile.stream_options)

    def _chat(self) -> Dialect:
        return ChatCompletions(prediction=self._profile.prediction, max_tokens_field=self._profile.max_tokens_field)

    # The interface

    async def open(self) -> None:
        """Have a connection open, TLS done, by asking for the models. What they are, or a refusal, is of no
        interest here."""
        now = asyncio.get_running_loop().time()
        if now - self._used_at < self._options.quiet:
            return
        try:
            async with asyncio.timeout(self._options.open_timeout):
                await self._web.client.send(self._web.request("GET", "/models"))
        except TimeoutError as error:
            raise dial_error(error, self._web.where, timeout=self._options.open_timeout) from None
        except httpx.HTTPError as error:
            raise self._web.translate(error) from None
        self._used_at = now

    async def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        """See :class:`~spark_jupyter.connection.base.Connection`. A request that only warms up opens the connection."""
        if not request.generate:
            await self.open()
            return
        request = await self._catalogue.with_model(request)
        answer: httpx.Response | None = None
        try:
            answer = await self._ask(request)
            events = _Events(answer, self._dialect.decoder(request), self._web, self._options)
            while not events.ended:
                batch, error = await events.receive()
                if batch:
                    yield batch
                if error is not None:
                    raise error
            await events.read_to_end()
        except ProviderError as error:
            raise await self._catalogue.explain(error) from None
        finally:
            self._used_at = asyncio.get_running_loop().time()
            if answer is not None:
                await answer.aclose()

    async def models(self) -> list[ModelInfo]:
        """What ``GET /v1/models`` lists."""
        return await self._catalogue.models()

    async def close(self) -> None:
        """Close every connection."""
        await self._web.close()

    # One request

    async def _ask(self, request: ModelRequest) -> httpx.Response:
        """The answer's head. A kept connection that has died is replaced once; an endpoint that does not exist is
        replaced by chat completions where the dialect was a guess."""
        try:
            return await self._post(request)
        except ConnectionLost:
            if self._used_at == float("-inf"):
                raise  # it was no kept connection that had died
            return await self._post(request)
        except RefusedWith as error:
            if not self._guessing or error.refusal.status not in _NO_SUCH_ENDPOINT:
                raise
        self._dialect, self._guessing = self._chat(), False
        return await self._post(request)

    async def _post(self, request: ModelRequest) -> httpx.Response:
        web = self._web
        try:
            async with asyncio.timeout(self._options.first_patience):
                answer = await web.client.send(
                    web.request("POST", self._dialect.path, self._dialect.encode(request)), stream=True
                )
                if answer.status_code == 200:
                    return answer
                try:
                    await answer.aread()
                finally:
                    await answer.aclose()
        except TimeoutError:
            raise Stalled(
                f"{web.where} did not answer for {self._options.first_patience:.3g} s.", remedy="Ask again."
            ) from None
        except httpx.InvalidURL as error:
            raise ConfigurationError(f"{web.base!r} is no URL: {error}.", remedy="Correct the base URL.") from None
        except httpx.HTTPError as error:
            raise web.translate(error) from None
        raise web.refusal(answer, model=request.model)


class _Events:
    """The events of one answer, as they arrive."""

    def __init__(self, answer: httpx.Response, decoder: Decoder, web: Web, options: Options) -> None:
        self._answer = answer
        self._decoder = decoder
        self._web = web
        self._options = options
        self._splitter = SSESplitter()
        self._pieces = answer.aiter_bytes()
        self._has_text = False

    @property
    def ended(self) -> bool:
        return self._decoder.ended

    async def receive(self) -> tuple[list[ModelEvent], ProviderError | None]:
        """What the next piece brings, and the error that follows it, if one does."""
        patience = self._options.patience if self._has_text else self._options.first_patience
        try:
            async with asyncio.timeout(patience):
                piece = await anext(self._pieces, None)
        except TimeoutError:
            return [], Stalled(
                f"Nothing came from {self._web.where} for {patience:.3g} s.",
                remedy="What had arrived is kept. Ask again.",
            )
        except httpx.HTTPError as error:
            return [], self._web.translate(error)
        if piece is None:
            return self._at_end()
        return self._decode(self._splitter.receive_data(piece))

    async def read_to_end(self) -> None:
        """Read what follows the last event, usually the empty last chunk: only then can the connection be used again."""
        try:
            async with asyncio.timeout(_TAIL):
                async for _ in self._pieces:
                    pass
        except (TimeoutError, httpx.HTTPError):
            return  # the answer is whole; this connection will be closed, and the next turn opens another one

    def _decode(self, data: list[bytes]) -> tuple[list[ModelEvent], ProviderError | None]:
        events: list[ModelEvent] = []
        try:
            for each in data:
                events += self._decoder.receive_data(each)
                if self._decoder.ended:
                    break
        except ProviderError as error:
            return events, error
        self._has_text = self._has_text or any(isinstance(event, TextDelta) for event in events)
        return events, None

    def _at_end(self) -> tuple[list[ModelEvent], ProviderError | None]:
        """The body has ended: well, if the answer was whole."""
        events, error = self._decode(self._splitter.flush())
        if error is not None or self._decoder.ended:
            return events, error
        if isinstance(self._decoder, ChatDecoder) and self._decoder.is_whole:
            return events + self._decoder.finish(), None
        kind = self._answer.headers.get("content-type", "")
        if not self._has_text and "event-stream" not in kind:
            return events, bad_response(f"{kind or 'something'} instead of a stream of events", where=self._web.where)
        return events, lost(self._web.where, "the stream ended before the answer did")
