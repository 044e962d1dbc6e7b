"""The Responses API over HTTP, with responses in the background.

================================================  =====================================================================
``POST /v1/responses``                            a response; ``stream: true``: its events; ``background: true``: it goes on
                                                  whether or not somebody reads
``GET /v1/responses/ID``                          how it stands
``GET …/ID?stream=true&starting_after=N``         its events behind the one of that ``sequence_number``, as they come
``POST …/ID/cancel``                              end it
================================================  =====================================================================
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import msgspec

from spark_jupyter.server.api_messages import Json, RequestError, encode, refusal_body
from spark_jupyter.server.held_responses import Cut
from spark_jupyter.server.http_request import Exchange, Request
from spark_jupyter.typed_decoders import decode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from spark_jupyter.server.access_control import Gate
    from spark_jupyter.server.held_responses import Held, Holding

    Enter = Callable[[asyncio.BaseTransport], AbstractContextManager[None]]

RESPONSES = "/v1/responses"
_BODIES = 4
_GOODBYE = 1.0
"""Seconds for which the body of a refused request is read, and dropped."""
_PATIENCE = 30.0
"""Seconds that a request may take to arrive, and a reader to read on."""


class OverHTTP:
    """Answers one request on each connection. ``enter`` counts those of who has shown the token, ``most`` is how many bytes a body may
    have; all that are read at a time have :data:`_BODIES` times as many."""

    def __init__(self, gate: Gate, holding: Holding, *, enter: Enter, most: int) -> None:
        self._gate = gate
        self._enter = enter
        self._holding = holding
        self._most = most
        self._room = _BODIES * most
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False

    async def close(self) -> None:
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read the request, answer it, and end the connection."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with suppress(EOFError, ConnectionError, TimeoutError):
                exchange = Exchange(reader, writer)
                await self._serve(exchange, reader, writer)
                await exchange.drain(_PATIENCE)
                writer.close()
        except Cut:
            pass
        except asyncio.CancelledError:
            if not self._closing:  # else whoever holds the task would say that nobody took its error
                raise
        finally:
            if not writer.is_closing():
                writer.transport.abort()

    async def _serve(self, exchange: Exchange, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                request = await exchange.read_head()
            self._gate.check_source(hosts=request.header_values("host"), origins=request.header_values("origin"))
            await self._gate.check_token(request.header_values("authorization"), request.query)
            with self._enter(writer.transport), self._holding_room(request.body_size):
                async with asyncio.timeout(_PATIENCE):
                    body = await exchange.read_body()
                await self._answer(request, body, reader, exchange)
        except RequestError as error:
            fields = {"WWW-Authenticate": "Bearer"} if error.status == 401 else error.headers
            _write(exchange, error.status, refusal_body(error), fields)
            async with asyncio.timeout(_GOODBYE):  # or the client, which still sends, would lose the answer
                await exchange.skip_body()

    @contextmanager
    def _holding_room(self, size: int) -> Iterator[None]:
        """Count a body of so many bytes. Raises :class:`RequestError` where it, or all of them, would be too large."""
        if size > self._most:
            raise RequestError(f"The body is larger than {self._most} bytes.", status=413, code="body_too_large")
        if size > self._room:
            raise RequestError("Too many large requests at a time; try again.", status=503, code="overloaded")
        self._room -= size
        try:
            yield
        finally:
            self._room += size

    async def _answer(self, request: Request, body: bytes, reader: asyncio.StreamReader, exchange: Exchange) -> None:
        named, _, verb = request.path.removeprefix(RESPONSES).strip("/").partition("/")
        if not (request.path == RESPONSES or request.path.startswith(f"{RESPONSES}/")):
            if request.method == "GET" or request.method == "POST":
                raise RequestError("There is nothing here; see /v1/responses.", status=404, code="not_found")
            raise RequestError("Only GET, POST and WebSocket are served here.", status=405, code="method_not_allowed")
        match (request.method, named, verb):
            case ("POST", "", ""):
                await self._create(body, reader, exchange)
            case ("GET", str(response_id), "") if response_id:
                await self._get(self._holding.get(response_id), request, exchange)
            case ("POST", str(response_id), "cancel"):
                held = self._holding.get(response_id)
                await held.cancel()
                _write(exchange, 200, held.snapshot)
            case _:
                raise RequestError("That is not served here.", status=405, code="method_not_allowed")

    async def _create(self, body: bytes, reader: asyncio.StreamReader, exchange: Exchange) -> None:
        try:
            create = decode_json(body, dict[str, Any])
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise RequestError("The body is no JSON object.", code="invalid_json") from None
        background, stream = create.get("background") is True, create.get("stream") is True
        if background and create.get("store") is False:
            raise RequestError("What goes on in the background is stored.", code="invalid_value", param="store")
        held = await self._holding.begin(create)
        if background and not stream:
            _write(exchange, 200, held.snapshot)
            return
        reading = asyncio.ensure_future(_stream(held, -1, exchange) if stream else held.end())
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({reading, gone}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                await reading
        finally:
            for task in (reading, gone):
                task.cancel()
            await asyncio.gather(reading, gone, return_exceptions=True)
            if not background:
                await held.cancel()  # nobody can come back for it
        if not stream:
            _write(exchange, 200, held.snapshot)

    async def _get(self, held: Held, request: Request, exchange: Exchange) -> None:
        asked = parse_qs(request.query)
        if asked.get("stream", ["false"])[-1] != "true":
            _write(exchange, 200, held.snapshot)
            return
        after = asked.get("starting_after", ["-1"])[-1]
        if not after.removeprefix("-").isdecimal() or len(after) > 12:
            raise RequestError("That is no sequence number.", code="invalid_value", param="starting_after")
        await _stream(held, int(after), exchange)


async def _stream(held: Held, after: int, exchange: Exchange) -> None:
    exchange.start(200, {"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    async for event in held.follow(max(after, -1)):
        kind = decode_json(event, _Kind).type
        exchange.write(b"event: %b\ndata: %b\n\n" % (kind.encode(), event))
        await exchange.drain(_PATIENCE)
    exchange.write(b"data: [DONE]\n\n")
    exchange.end()


class _Kind(msgspec.Struct, frozen=True):
    type: str


def _write(exchange: Exchange, status: int, body: Json, fields: dict[str, str] | None = None) -> None:
    content = encode(body)
    shape = {"Content-Type": "application/json", "Content-Length": str(len(content))}
    exchange.start(status, {**shape, **(fields or {})})
    exchange.write(content)
    exchange.end()
