"""Providers for the tests: tiny servers on real sockets of loopback, each with the fault that a test wants."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from typing import TYPE_CHECKING, Any

import trustme
from msgspec import structs
from websockets.asyncio.server import Server, ServerConnection
from websockets.asyncio.server import serve as ws_serve
from websockets.exceptions import ConnectionClosed

from spark_jupyter.connection import connect
from spark_jupyter.connection.connection_options import Options
from spark_jupyter.exceptions import ProviderError
from spark_jupyter.providers.base import Message, ModelEvent, ModelRequest, TextDelta
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Choice, Secret

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from spark_jupyter.connection.base import Connection

Event = dict[str, Any]

KEY = "sk-test-0123456789abcdef"
QUICK = Options(first_patience=60.0, patience=60.0, open_timeout=60.0, spare=False)
WITH_SPARE = Options(first_patience=60.0, patience=60.0, open_timeout=60.0, spare=True)
UNHURRIED = structs.replace(WITH_SPARE, quiet=3600.0, drain_time=60.0)
"""However long the machine takes: nothing is closed because it is quiet, or because its end is long in coming."""


def choice(
    base_url: str, dialect: str = "responses-websocket", *, model: str = "m", key: str | None = KEY, **profile: Any
) -> Choice:
    return Choice(
        profile=Profile(name="test", title="Test", **profile),
        base_url=base_url,
        model=model,
        dialect=dialect,
        api_key=Secret(key) if key else None,
    )


def request(*texts: str, instructions: str = "be brief", **fields: Any) -> ModelRequest:
    """A conversation, the user first."""
    roles = ("user", "assistant")
    messages = tuple(Message(roles[n % 2], text) for n, text in enumerate(texts or ("hello",)))  # type: ignore[arg-type]
    return ModelRequest(**{"model": "m", "instructions": instructions, "input": messages, **fields})


async def collect(stream: AsyncIterator[list[ModelEvent]]) -> list[ModelEvent]:
    return [event for batch in [batch async for batch in stream] for event in batch]


async def collect_until_error(stream: AsyncIterator[list[ModelEvent]]) -> tuple[str, ProviderError | None]:
    """The text that arrived, and the error that ended it."""
    pieces: list[str] = []
    try:
        async for batch in stream:
            pieces += [event.text for event in batch if isinstance(event, TextDelta)]
    except ProviderError as error:
        return "".join(pieces), error
    return "".join(pieces), None


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


# --- Responses events ----------------------------------------------------------------------------------------------


def delta(text: str, **fields: object) -> str:
    return json.dumps({"type": "response.output_text.delta", "item_id": "i", "delta": text, **fields})


def created(response_id: str = "resp_1", **fields: object) -> str:
    return json.dumps({"type": "response.created", "response": {"id": response_id, "model": "m"}, **fields})


def completed(response_id: str = "resp_1", **fields: object) -> str:
    usage = {"input_tokens": 7, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 2}}
    response = {"id": response_id, "status": "completed", "output": [], "usage": usage}
    return json.dumps({"type": "response.completed", "response": response, **fields})


def error_event(code: str, message: str = "no", *, status: int = 400, **fields: object) -> str:
    error = {
        "type": "error",
        "status": status,
        "error": {"type": "invalid_request_error", "code": code, "message": message},
    }
    return json.dumps({**error, **fields})


# --- A WebSocket peer ----------------------------------------------------------------------------------------------


class Peer:
    """A provider on a WebSocket: ``answer(socket, event)`` is called for each event that comes in."""

    def __init__(self, answer: Callable[[ServerConnection, dict[str, Any]], Awaitable[None]]) -> None:
        self._answer = answer
        self._server: Server | None = None
        self.received: list[dict[str, Any]] = []
        self.sockets: list[ServerConnection] = []
        self.gone = 0
        self.headers: list[dict[str, str]] = []
        self.refuse: Callable[[ServerConnection, Any], Any] | None = None
        self.port = 0
        self.scheme = "ws"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    async def start(self, *, tls: ssl.SSLContext | None = None, **options: Any) -> None:
        self.scheme = "wss" if tls else "ws"
        options.setdefault(
            "close_timeout", 60
        )  # a client on a busy machine is not cut off while it takes in what was sent
        self._server = await ws_serve(
            self._serve, "127.0.0.1", self.port, ssl=tls, process_request=self._check, max_size=None, **options
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            for socket in self.sockets:
                socket.transport.abort()
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    def _check(self, socket: ServerConnection, wanted: Any) -> Any:
        self.headers.append(dict(wanted.headers.raw_items()))
        return self.refuse(socket, wanted) if self.refuse else None

    async def _serve(self, socket: ServerConnection) -> None:
        self.sockets.append(socket)
        tasks: list[asyncio.Task[None]] = []
        try:
            async for frame in socket:
                event = json.loads(frame)
                self.received.append(event)
                tasks.append(asyncio.create_task(self._run(socket, event)))
        except ConnectionClosed:
            pass
        finally:
            self.gone += 1
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, socket: ServerConnection, event: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self._answer(socket, event)


@contextlib.asynccontextmanager
async def peer(
    answer: Callable[[ServerConnection, dict[str, Any]], Awaitable[None]], **options: Any
) -> AsyncIterator[Peer]:
    running = Peer(answer)
    await running.start(**options)
    try:
        yield running
    finally:
        await running.stop()


async def greet(socket: ServerConnection, event: dict[str, Any]) -> None:
    """Answers everything with the same words; a warm-up with none."""
    lane = {"stream_id": event["stream_id"]} if "stream_id" in event else {}
    number = f"resp_{id(event)}"
    await socket.send(created(number, **lane))
    if event.get("generate", True):
        for word in ("Hello", ", ", "world"):
            await socket.send(delta(word, **lane))
    await socket.send(completed(number, **lane))


# --- An HTTP peer --------------------------------------------------------------------------------------------------


class HTTPPeer:
    """A provider over HTTP/1.1: ``answer(writer, method, path, body)`` writes whatever it wants."""

    def __init__(self, answer: Callable[..., Awaitable[None]]) -> None:
        self._answer = answer
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.connections = 0
        self.gone = asyncio.Event()
        self.port = 0
        self.scheme = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    async def start(self, tls: ssl.SSLContext | None = None) -> None:
        self._writers: set[asyncio.StreamWriter] = set()
        self.scheme = "https" if tls else "http"
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, ssl=tls, limit=2**24)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = head.split("\r\n")
                method, path, _ = lines[0].split(" ", 2)
                headers = {
                    name.lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in lines[1:] if line)
                }
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.requests.append((method, path, headers, body))
                await self._answer(writer, method, path, body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            self.gone.set()
        finally:
            self._writers.discard(writer)
            writer.close()


@contextlib.asynccontextmanager
async def http_peer(
    answer: Callable[..., Awaitable[None]], tls: ssl.SSLContext | None = None
) -> AsyncIterator[HTTPPeer]:
    running = HTTPPeer(answer)
    await running.start(tls)
    try:
        yield running
    finally:
        await running.stop()


def reply(
    writer: asyncio.StreamWriter,
    body: bytes,
    *,
    status: str = "200 OK",
    kind: str = "application/json",
    extra: str = "",
) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    writer.write(head.encode() + body)


def begin_events(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")


def chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def event_chunk(writer: asyncio.StreamWriter, data: str) -> None:
    chunk(writer, f"data: {data}\n\n".encode())


def end_events(writer: asyncio.StreamWriter) -> None:
    writer.write(b"0\r\n\r\n")


# --- TLS -----------------------------------------------------------------------------------------------------------


def tls_pair() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context, and a client's that trusts it."""
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(server)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    return server, client


@contextlib.asynccontextmanager
async def connected(chosen: Choice, options: Any = QUICK) -> AsyncIterator[Connection]:
    connection = connect(chosen, options=options)
    try:
        yield connection
    finally:
        await connection.close()


async def until(condition: Callable[[], object]) -> None:
    """Wait for what another task brings about; the test's own timeout ends a wait in vain."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


def first_then_greet(
    first: Callable[[ServerConnection, Event], Awaitable[None]],
) -> Callable[[ServerConnection, Event], Awaitable[None]]:
    """A peer with a fault in its first answer only: the next turn must work."""
    calls = 0

    async def answer(socket: ServerConnection, event: Event) -> None:
        nonlocal calls
        calls += 1
        await (first if calls == 1 else greet)(socket, event)

    return answer


async def trickle(socket: ServerConnection, event: Event) -> None:
    """Begins, and goes on for ever."""
    lane = {"stream_id": event["stream_id"]} if "stream_id" in event else {}
    await socket.send(created("resp_slow", **lane))
    while True:
        await socket.send(delta("tick ", **lane))
        await asyncio.sleep(0.005)


async def broken_by(fault: Callable[[ServerConnection], Awaitable[None]], options: Any = QUICK) -> tuple[str, Any, str]:
    """A turn whose answer begins and is then broken by ``fault``; the text of the next turn."""

    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(created())
        await socket.send(delta("kept"))
        await fault(socket)

    async with peer(first_then_greet(answer)) as server, connected(choice(server.url), options) as connection:
        text, error = await collect_until_error(connection.stream(request()))
        return text, error, text_of(await collect(connection.stream(request())))
