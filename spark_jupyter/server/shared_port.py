"""WebSocket and HTTP connections at the same port.

``websockets`` serves WebSockets, and a ``GET`` without a body. So what comes first decides who goes on with the connection.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from websockets.asyncio.server import ServerConnection

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_FOR_WEBSOCKETS = re.compile(rb"GET (?!/v1/responses/)")
_ENOUGH = len(b"GET /v1/responses/")
_PATIENCE = 10.0
"""Seconds in which the first bytes must come."""


class Strangers:
    """The connections that have not shown the token yet: at most ``most``, of which the oldest give way. Anybody on this machine may hold
    some open; who has the token shows it at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[asyncio.BaseTransport, None] = {}

    def add(self, transport: asyncio.BaseTransport) -> None:
        self._waiting[transport] = None
        if len(self._waiting) > self._most:
            oldest = next(iter(self._waiting))
            self.remove(oldest)
            if isinstance(oldest, asyncio.Transport):
                oldest.abort()

    def remove(self, transport: asyncio.BaseTransport) -> None:
        """One is none any more, or has gone. Idempotent."""
        self._waiting.pop(transport, None)


class Door(ServerConnection):
    """A connection of which it is not known yet what it is. ``serve_http`` takes those that are no WebSocket."""

    def __init__(self, *args: Any, serve_http: Serve, strangers: Strangers, most_head: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self._serve_http = serve_http
        self._strangers = strangers
        self._most_head = most_head
        self._outside: asyncio.BaseTransport | None = None
        self._first = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._strangers.add(transport)
        self._outside = transport
        self._late = asyncio.get_running_loop().call_later(_PATIENCE, transport.close)

    def data_received(self, data: bytes) -> None:
        """Let it in, where enough has come to know by which way."""
        if self._outside is None:
            super().data_received(data)
            return
        self._first += data
        if len(self._first) < _ENOUGH and b"\n" not in self._first:
            return
        transport, self._outside = self._outside, None
        self._late.cancel()
        if _FOR_WEBSOCKETS.match(self._first):
            super().connection_made(transport)
            super().data_received(self._first)
            return
        assert isinstance(transport, asyncio.Transport)
        reader = asyncio.StreamReader(limit=self._most_head)
        http = asyncio.StreamReaderProtocol(reader, self._serve_http)
        transport.set_protocol(http)
        http.connection_made(transport)
        http.data_received(self._first)

    def eof_received(self) -> None:
        if self._outside is None:
            super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended, perhaps before anything came."""
        if self._outside is None:
            self._strangers.remove(self.transport)
            super().connection_lost(exc)
        else:
            self._strangers.remove(self._outside)
            self._late.cancel()
