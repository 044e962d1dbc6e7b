"""Connection over HTTP with server-sent events.

A request is a ``POST``, in whatever dialect.

Closing an answer early stops the provider; a small answer of a distant provider is read to its end instead. A connection is kept alive
between requests.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import partial

import httpx
from msgspec import structs

from spark_jupyter.connection.answer_drain import is_small
from spark_jupyter.connection.connection_options import MOST_BYTES, Options
from spark_jupyter.connection.credentials import forget_token
from spark_jupyter.connection.http_answer import END, Answer, Head
from spark_jupyter.connection.http_client import Web
from spark_jupyter.connection.idle_timeout import Patience
from spark_jupyter.connection.model_catalogue import Catalogue
from spark_jupyter.connection.network_errors import after_silence, dial_error, lost
from spark_jupyter.exceptions import (
    AuthenticationFailed,
    BadResponse,
    ConfigurationError,
    ConnectionLost,
    ProviderError,
    Stalled,
)
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.addresses import is_loopback
from spark_jupyter.providers.base import Decoder, ModelEvent, ModelRequest, NeedsHeaders, Provider
from spark_jupyter.providers.json_lines import JSONSplitter, splitter_for
from spark_jupyter.providers.optional_fields import OptionalFields
from spark_jupyter.providers.profiles import Choice
from spark_jupyter.providers.refusals import RefusedWith, bad_response
from spark_jupyter.providers.sse import SSESplitter

_QUOTED = 2_000
"""Bytes of a body's beginning that are kept, to be quoted where it is no answer."""
_NO_SUCH_ENDPOINT = frozenset({404, 405, 410, 501})
_NO_ENDPOINT = re.compile(
    r"(?:unexpected|unknown|unsupported|no such) (?:request )?(?:endpoint|url|path|route)\b|\bnot implemented\b"
    r"|\bmessages\b.{0,20}\b(?:required|missing)\b",
    re.IGNORECASE,
)
"""Words of servers that say so with another status (LM Studio with 200), or that take any request for a chat."""


class HTTPConnection:
    """Implements :class:`~spark_jupyter.connection.base.Connection` for dialects over HTTP. With several ``providers`` the first is a
    guess: where its endpoint does not exist, the next is spoken."""

    def __init__(self, choice: Choice, providers: Sequence[Provider], options: Options) -> None:
        self._choice = choice
        self._options = options
        self._provider, *self._others = providers
        self._web = Web(choice, self._provider, options)
        self._catalogue = Catalogue(choice, self._provider, options, web=self._web)
        self._drains = not is_loopback(choice.base_url) if options.drain_over_http is None else options.drain_over_http
        self._answers: set[Answer] = set()
        self._used_at = float("-inf")
        self._optional = OptionalFields()

    # The interface

    async def open(self) -> None:
        """Have a connection open, TLS done, by asking for the models. What they are, or a refusal, is of no
        interest here."""
        now = asyncio.get_running_loop().time()
        if now - self._used_at < self._options.quiet:
            return
        try:
            async with asyncio.timeout(self._options.open_timeout):
                await self._web.fetch("/models")
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
        while True:
            answer = self._ask(request)
            events = Events(answer, self._web, self._options, self._optional)
            begun = False
            try:
                async with aclosing(events.batches()) as batches:
                    async for batch in batches:
                        begun = True
                        yield batch
                await answer.finish()
            except ProviderError as error:
                if begun or answer.head is None or not self._moves_on(answer.head.provider, error):
                    raise await self._catalogue.explain(error) from None
            else:
                return
            finally:
                self._used_at = asyncio.get_running_loop().time()
                answer.drop(drain=self._drains and is_small(request, self._options) and self._has_room())

    async def models(self) -> list[ModelInfo]:
        return await self._catalogue.models()

    async def close(self) -> None:
        """Close every connection, whatever still comes there."""
        tasks = [answer.task for answer in self._answers]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._web.close()

    # One request

    def _ask(self, request: ModelRequest) -> Answer:
        answer = Answer(partial(self._head, request), self._web, self._options)
        self._answers.add(answer)
        answer.task.add_done_callback(lambda _: self._answers.discard(answer))
        return answer

    def _has_room(self) -> bool:
        """True if one more answer may be read for nobody: each keeps a connection from the next request."""
        return sum(answer.is_dropped for answer in self._answers) < self._options.most_sockets

    async def _head(self, request: ModelRequest) -> Head:
        """The answer's head. A kept connection that has died is replaced once; an endpoint that does not exist is
        replaced by the next dialect's where this one was a guess, by whichever request learns it first."""
        while True:
            provider = self._provider
            try:
                return await self._post_kept(provider, request)
            except RefusedWith as error:
                if not self._moves_on(provider, error):
                    raise

    def _moves_on(self, provider: Provider | None, error: ProviderError) -> bool:
        """True if ``error`` says that the endpoint of a guessed dialect does not exist; the next one is spoken from now on."""
        if not _is_no_endpoint(error):
            return False
        if provider is self._provider:
            if not self._others:
                return False
            self._provider, *self._others = self._others
        return True

    async def _post_kept(self, provider: Provider, request: ModelRequest) -> Head:
        try:
            return await self._post(provider, request)
        except ConnectionLost:
            if self._used_at == float("-inf"):
                raise  # no kept connection had died
            return await self._post(provider, request)

    async def _post(self, provider: Provider, request: ModelRequest) -> Head:
        """The answer's head, asked for without the options that the server refuses by name: it need not know them."""
        web, path = self._web, provider.endpoint(request)
        renewed = False
        headers = provider.request_headers(request) if isinstance(provider, NeedsHeaders) else None
        while True:
            body = self._optional.without_refused(provider.encode(self._optional.fitted(request)))
            try:
                options = self._options
                if self._optional.is_whole:
                    options = structs.replace(options, first_patience=options.longest_silence)
                answer = await answered(web, "POST", path, body, options=options, model=request.model, headers=headers)
            except AuthenticationFailed:
                if renewed or not forget_token(self._choice):
                    raise
                renewed = True
            except RefusedWith as error:
                if not self._optional.learn(body, error.refusal):
                    raise
            else:
                return Head(answer, provider.decoder(request, where=web.where), provider)


def _is_no_endpoint(error: ProviderError) -> bool:
    """True if an answer is none of a dialect's: not all servers say 404 where nothing is."""
    if not isinstance(error, RefusedWith):
        return isinstance(error, BadResponse)
    return error.refusal.status in _NO_SUCH_ENDPOINT or _NO_ENDPOINT.search(error.refusal.message) is not None


async def answered(
    web: Web,
    method: str,
    path: str,
    body: bytes | None = None,
    *,
    options: Options,
    model: str = "",
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    """The head of a successful answer, whose body is still to be read. Raises a
    :class:`~spark_jupyter.exceptions.ProviderError` for what is none."""
    time = asyncio.get_running_loop().time
    began = time()
    try:
        async with asyncio.timeout(options.first_patience):
            answer = await web.client.send(await web.request(method, path, body, headers), stream=True)
            if answer.is_success:
                return answer
            refused = await web.read(answer)
    except TimeoutError:
        raise Stalled(f"{web.where} did not answer for {options.first_patience:.3g} s.", remedy="Ask again.") from None
    except httpx.InvalidURL as error:
        raise ConfigurationError(
            f"The address of {web.where} is no URL: {error}.", remedy="Correct the base URL."
        ) from None
    except httpx.HTTPError as error:
        broken = web.translate(error)
        raise after_silence(broken, web.where, seconds=time() - began, longest=options.long_silence) from None
    raise web.refusal(answer, refused, model=model)


class Events:
    """The events of one answer, as they arrive."""

    def __init__(self, answer: Answer, web: Web, options: Options, optional: OptionalFields | None = None) -> None:
        self._optional = optional or OptionalFields()
        self._answer = answer
        self._web = web
        self._options = options
        self._patience = Patience(options)
        self._splitter: SSESplitter | JSONSplitter | None = None
        self._beginning = b""
        self._ended = False

    async def batches(self) -> AsyncGenerator[list[ModelEvent], None]:
        """Batches of events until the answer ends. Raises why it is not whole, behind what had come."""
        time = asyncio.get_running_loop().time
        while not self._ended:
            asked = time()
            batch, error = await self._receive()
            seconds = time() - asked
            if batch:
                yield batch
            if error is not None:
                raise after_silence(error, self._web.where, seconds=seconds, longest=self._options.long_silence)

    async def _receive(self) -> tuple[list[ModelEvent], ProviderError | None]:
        """All that has arrived, and the error that follows it, if one does."""
        try:
            left = self._patience.left()
        except Stalled as error:
            return [], error
        try:
            pieces = await self._answer.take(left)
        except ProviderError as error:
            waits = isinstance(error, Stalled) and self._answer.head is None and self._optional.is_whole
            return [], None if waits else error
        head = self._answer.head
        assert head is not None  # or there would be no pieces
        events: list[ModelEvent] = []
        if self._splitter is None:
            kind = head.response.headers.get("content-type", "")
            self._beginning = pieces[0][:_QUOTED]
            self._splitter = splitter_for(kind, self._beginning, most=MOST_BYTES, where=self._web.where)
        splitter = self._splitter
        try:
            for piece in pieces:
                self._decode(splitter.receive_data(piece) if piece != END else splitter.flush(), head.decoder, events)
            if pieces[-1] == END and not head.decoder.ended:
                events += head.decoder.receive_end()
        except ProviderError as error:
            return events, error
        self._ended = head.decoder.ended
        self._patience.receive(events)
        return events, self._torn(head) if pieces[-1] == END and not self._ended else None

    @staticmethod
    def _decode(data: list[bytes], decoder: Decoder, events: list[ModelEvent]) -> None:
        """Add the events in ``data``; those before an error are kept."""
        for each in data:
            if decoder.ended:
                return
            events += decoder.receive_data(each)

    def _torn(self, head: Head) -> ProviderError:
        """The body has ended before the answer did."""
        kind = head.response.headers.get("content-type", "")
        is_json = isinstance(self._splitter, JSONSplitter)
        if not self._patience.has_text and (is_json or "event-stream" not in kind):
            what = "JSON that is no answer" if is_json else f"{kind or 'something'} instead of a stream of events"
            return bad_response(what, data=self._beginning, where=self._web.where)
        return lost(self._web.where, "the stream ended before the answer did")
