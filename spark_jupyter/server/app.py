"""The embedded server on the asyncio server of ``websockets``.

=====================  ==========================================================================================
``/v1/responses``      the Responses API over WebSocket; over HTTP: :mod:`.http_api`
``GET /v1/models``     the engine's models, as OpenAI lists them
``GET /healthz``       ``{"status": "ok"}``, without a token; to a header ``X-Spark-Challenge`` it answers with a proof
=====================  ==========================================================================================
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import logging
import secrets
import time
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from websockets.asyncio.server import serve as serve_websocket
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from spark_jupyter.exceptions import ConfigurationError, ServerError, SparkError
from spark_jupyter.server import engines
from spark_jupyter.server.access_control import CHALLENGE, Gate
from spark_jupyter.server.api_messages import Json, RequestError, encode, refusal_body
from spark_jupyter.server.connection_state import Connection
from spark_jupyter.server.held_responses import Holding
from spark_jupyter.server.http_api import OverHTTP
from spark_jupyter.server.http_request import LONGEST_HEAD
from spark_jupyter.server.lanes import Limits
from spark_jupyter.server.replay.recording_engine import RecordingEngine
from spark_jupyter.server.response_store import ResponseStore
from spark_jupyter.server.shared_port import Door, Strangers
from spark_jupyter.server.websocket_peer import Peer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from websockets.asyncio.server import Server as WebSocketServer
    from websockets.asyncio.server import ServerConnection

    from spark_jupyter.recordings.recorder import Recorder
    from spark_jupyter.server.engines.base import AnswerEngine
    from spark_jupyter.server.user_tokens import UserTokens

_logger = logging.getLogger(f"{__name__}.websockets")
_logger.addHandler(logging.NullHandler())  # a port scan is not worth a traceback on the standard error


class ServerInfo(Struct, frozen=True):
    """Address of a server (``ws://127.0.0.1:40123/v1/responses``) and its token."""

    url: str
    token: str


class ServerLimits(Struct, frozen=True, kw_only=True):
    """Limits of a server. ``idle`` (seconds) is for a connection on which nothing happens; ``message_bytes`` for one frame."""

    connections: int = 64
    message_bytes: int = 16 * 2**20
    idle: float = 1800.0
    connection: Limits = Limits()


class Server:
    """A server that runs. ``info`` says where, ``limits`` what it allows; :meth:`stop` ends it."""

    def __init__(
        self, engine: AnswerEngine, gate: Gate, *, token: str, rate: float | None, limits: ServerLimits
    ) -> None:
        self.info = ServerInfo("", token)
        self._engine = engine
        self._rate = rate
        self.limits = limits
        self._gate = gate
        self._store = ResponseStore()
        self._holding = Holding(engine, self._store, limits=limits.connection, rate=rate)
        self._over_http = OverHTTP(self._gate, self._holding, enter=self._enter_by_http, most=limits.message_bytes)
        self.strangers = Strangers(limits.connections)
        self._links = 0
        self._left_at = time.monotonic()
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Let :meth:`wait` return. Belongs to the server's event loop."""
        self._stopped.set()

    async def wait(self, *, idle: float | None = None) -> None:
        """Wait until :meth:`stop`, or until there has been no connection for ``idle`` seconds."""
        while not self._stopped.is_set():
            left = None
            if idle is not None:
                left = idle if self._links or self._holding.busy else self._left_at + idle - time.monotonic()
                if left <= 0:
                    return
            try:
                await asyncio.wait_for(self._stopped.wait(), left)
            except TimeoutError:
                continue

    async def handle(self, websocket: ServerConnection) -> None:
        with self._enter(websocket.transport):
            state = Connection(
                models=self._engine.models(), store=self._store, now=time.time(), limits=self.limits.connection
            )
            await Peer(websocket, state, self._engine, rate=self._rate, idle=self.limits.idle).run()

    async def handle_http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection that is no WebSocket."""
        try:
            await self._over_http.serve(reader, writer)
        finally:
            self.strangers.remove(writer.transport)

    @contextlib.contextmanager
    def _enter(self, transport: asyncio.BaseTransport) -> Iterator[None]:
        """Whoever is there has shown the token, and counts as long as this lasts."""
        self.strangers.remove(transport)
        self._links += 1
        try:
            yield
        finally:
            self._links -= 1
            self._left_at = time.monotonic()

    def _enter_by_http(self, transport: asyncio.BaseTransport) -> AbstractContextManager[None]:
        self._check_room()
        return self._enter(transport)

    def _check_room(self) -> None:
        """Raise :class:`RequestError` where there are as many connections as there may be."""
        if self._links >= self.limits.connections:
            raise RequestError("Too many connections.", status=503, kind="server_error", code="too_many_connections")

    async def close(self) -> None:
        await self._over_http.close()
        await self._holding.close()

    async def process_request(self, websocket: ServerConnection, request: Request) -> Response | None:
        """Answer GET requests, and let only those WebSockets in that may come in."""
        path, _, query = request.path.partition("?")
        headers = request.headers
        try:
            self._gate.check_source(hosts=headers.get_all("Host"), origins=headers.get_all("Origin"))
            if getattr(request, "method", "GET") != "GET":
                raise RequestError("Only GET and WebSocket are served here.", status=405, code="method_not_allowed")
            if path == "/healthz":
                return _json(200, self._health(headers.get(CHALLENGE)))
            await self._gate.check_token(headers.get_all("Authorization"), query)
            if path == "/v1/models":
                return _json(200, {"object": "list", "data": [self._model(name) for name in self._models()]})
            if path != "/v1/responses":
                raise RequestError("There is nothing here; see /v1/responses.", status=404, code="not_found")
            self._check_room()
        except RequestError as error:
            return _refusal(error)
        return None

    def _models(self) -> list[str]:
        return [name for name in self._engine.models() if name != "*"]

    def _model(self, name: str) -> Json:
        window = self._engine.context_tokens
        told: dict[str, Json] = {"context_window": window, "infill": self._engine.fills_in}
        return {"id": name, "object": "model", "created": 0, "owned_by": "spark-jupyter", **told}

    def _health(self, challenge: str | None) -> dict[str, Json]:
        if challenge is None or len(challenge) > 128:
            return {"status": "ok"}
        return {"status": "ok", "proof": self._gate.proof(challenge)}


@asynccontextmanager
async def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    engine: str | AnswerEngine = "recipes",
    rate: float | None = None,
    books: Sequence[Path] = (),
    limits: ServerLimits | None = None,
    recorder: Recorder | None = None,
    users: UserTokens | None = None,
) -> AsyncIterator[Server]:
    """Serve as long as the context lasts.

    ``port`` 0 takes a free one; ``token`` None makes one; ``engine`` is an engine or a name (see
    :func:`.engines.load`); ``rate`` is in tokens a second for each answer, None for as fast as can be; ``books`` are
    directories of recipe books that come first; ``recorder`` records the answers; ``users`` have tokens of their own. Raises
    :class:`~spark_jupyter.exceptions.ServerError` when it can't listen there, and
    :class:`~spark_jupyter.exceptions.ConfigurationError` for an unusable option.
    """
    if token is not None and (not token.isascii() or not token.isprintable() or not token.strip()):
        raise ConfigurationError("The token must be of printable ASCII characters.", remedy="Give another, or none.")
    if rate is not None and not rate > 0:
        raise ConfigurationError("The rate must be above 0 tokens a second.", remedy="Leave it out for no limit.")
    limits = limits or ServerLimits()
    async with _loaded(engine, books) as source:
        if recorder is not None:
            source = RecordingEngine(source, recorder)
        token = token or secrets.token_urlsafe(32)
        server = Server(source, Gate(token=token, host=host, users=users), token=token, rate=rate, limits=limits)
        async with await _listen(server, host, port) as running:
            bound = next(iter(running.sockets)).getsockname()[1]
            name = f"[{host}]" if ":" in host else host
            server.info = ServerInfo(f"ws://{name}:{bound}/v1/responses", server.info.token)
            try:
                yield server
            finally:
                await server.close()


@asynccontextmanager
async def _loaded(engine: str | AnswerEngine, books: Sequence[Path]) -> AsyncIterator[AnswerEngine]:
    """The engine of a name, which makes itself ready meanwhile (where it can't, the first answer says why) and is closed at the end. An
    engine that was given is its owner's to start and to close."""
    if not isinstance(engine, str):
        yield engine
        return
    source = await asyncio.to_thread(engines.load, engine, books=books)
    starting = asyncio.create_task(asyncio.to_thread(source.start))
    try:
        yield source
    finally:
        await asyncio.to_thread(source.close)
        with contextlib.suppress(SparkError):
            await starting


async def _listen(server: Server, host: str, port: int) -> WebSocketServer:
    try:
        return await serve_websocket(
            server.handle,
            host,
            port,
            process_request=server.process_request,
            create_connection=partial(  # type: ignore[arg-type]  # a wrapper is taken, too
                Door, serve_http=server.handle_http, strangers=server.strangers, most_head=LONGEST_HEAD
            ),
            server_header=None,
            logger=_logger,
            max_size=server.limits.message_bytes,
            open_timeout=10,
            ping_timeout=60,
            close_timeout=2,
            write_limit=2**16,
        )
    except (OSError, OverflowError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).rpartition(": ")[2]
        raise ServerError(
            f"Can't listen at {host}:{port}: {reason}.", remedy="Choose another host or port; 0 takes a free port."
        ) from error


def _json(status: int, body: Json, **headers: str) -> Response:
    content = encode(body)
    fields = Headers({"Content-Type": "application/json", "Content-Length": str(len(content)), "Connection": "close"})
    for name, value in headers.items():
        fields[name.replace("_", "-")] = value
    return Response(status, http.HTTPStatus(status).phrase, fields, content)


def _refusal(error: RequestError) -> Response:
    body = refusal_body(error)
    if error.status == 401:
        return _json(401, body, WWW_Authenticate="Bearer")
    return _json(error.status, body)
