"""The WebSocket library with bounds on what a provider may make it hold, and without redirects.

The library bounds one message, compressed or not. What it leaves open is bounded here: many messages at once, each of which unpacks to a
thousand times its size, and pings whose answers nobody takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as ws_connect
from websockets.frames import DATA_OPCODES, CloseCode, Frame, Opcode

from spark_jupyter.connection.options import MOST_BYTES

if TYPE_CHECKING:
    from websockets.protocol import Event

_PIECE = 2**14
"""Bytes that are taken in at once. Deflate packs at most 1,032 to 1 (zlib's technical notes), so that they unpack to 16 MB at most."""

_MOST_WAITING = 4 * MOST_BYTES
"""Bytes of messages that may wait to be taken. The socket is not read while many wait; these came in one go before that."""

_MOST_PINGS = 1_000
"""Pings that may come while answers to earlier ones wait to be sent. A provider sends one in 20 s or so."""


class BoundedConnection(ClientConnection):
    """A connection that is aborted where too much comes; ``excess`` then says what it was. What came before is still received."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.excess = ""
        self._waiting = 0
        self._pings = 0

    async def receive(self) -> bytes:
        """The next message. Raises :class:`websockets.exceptions.ConnectionClosed`."""
        message = await self.recv(decode=False)
        self._waiting -= len(message)
        return message

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived."""
        for start in range(0, len(data), _PIECE):
            super().data_received(data[start : start + _PIECE])
            self.excess = self._too_much()
            if self.excess:
                self.transport.abort()
                return

    def process_event(self, event: Event) -> None:
        """A frame, unpacked, or the answer to the handshake."""
        if isinstance(event, Frame) and event.opcode in DATA_OPCODES:
            self._waiting += len(event.data)
        elif isinstance(event, Frame) and event.opcode is Opcode.PING:
            self._pings = self._pings + 1 if self.transport.get_write_buffer_size() else 0
        super().process_event(event)

    def _too_much(self) -> str:
        closing = self.protocol.close_sent
        if closing is not None and closing.code == CloseCode.MESSAGE_TOO_BIG and self.protocol.close_rcvd is None:
            return f"a message of more than {MOST_BYTES >> 20} MiB"
        if self._waiting > _MOST_WAITING:
            return "messages faster than they can be read"
        if self._pings > _MOST_PINGS:
            return "pings without taking their answers"
        return ""


class StraightConnect(ws_connect):
    """Goes where the user said and nowhere else: the cells of a notebook belong to that place alone."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """A redirect is an answer like others that are no handshake."""
        return exc
