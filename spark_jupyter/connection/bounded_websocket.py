"""WebSocket client with bounds on memory, without redirects.

The library bounds one message, compressed or not. What it leaves open is bounded here: many messages at once, each of which unpacks to a
thousand times its size, and pings whose answers nobody takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as ws_connect
from websockets.frames import DATA_OPCODES, CloseCode, Frame, Opcode

from spark_jupyter.connection.connection_options import MOST_BYTES
from spark_jupyter.library_logs import keep_out_logs

if TYPE_CHECKING:
    from asyncio import BaseTransport, Handle

    from websockets.protocol import Event

keep_out_logs("websockets.client")

_PIECE = 2**12
"""Bytes that are taken in at once: of the smallest frames 2,000. Deflate packs at most 1,032 to 1 (zlib's notes): 4 MB at most."""

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
        self._arrived = bytearray()
        self._is_held = False
        self._is_given_up = False
        self._next: Handle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """The socket is open. Whether it is read is decided here: the library stops it while many messages wait."""
        super().connection_made(transport)
        self.recv_messages.pause = self._hold
        self.recv_messages.resume = self._release

    async def receive(self) -> bytes:
        """The next message. Raises :class:`websockets.exceptions.ConnectionClosed`."""
        message = await self.recv(decode=False)
        self._waiting -= len(message)
        return message

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived: so many at once that all else, a cancel say, would wait while they are taken in. A piece of them is, and the
        socket is read again when it was the last."""
        if self._is_given_up:
            return
        waits = bool(self._arrived)
        self._arrived += data
        if not waits:
            self._take_in()

    def eof_received(self) -> None:
        """No more will come; what has come is taken in."""
        self._take_in_all()
        super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """As at the end, unless nobody wants it any more."""
        self._take_in_all()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close at once. What has arrived is not taken in."""
        self._is_given_up = True
        self._arrived.clear()
        self.transport.abort()

    def _take_in(self) -> None:
        self._take_piece()
        if self._arrived:
            self.transport.pause_reading()
        self._soon()

    def _soon(self) -> None:
        """Take in the next piece when all else had its turn, or read the socket again; neither while it is held."""
        if self._is_held:
            return
        if not self._arrived:
            self.transport.resume_reading()
        elif self._next is None:
            self._next = self.loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        self._next = None
        if self._arrived and not self._is_held:
            self._take_in()

    def _take_in_all(self) -> None:
        while self._arrived:
            self._take_piece()

    def _take_piece(self) -> None:
        piece = bytes(self._arrived[:_PIECE])
        del self._arrived[:_PIECE]
        super().data_received(piece)
        self.excess = self._too_much()
        if self.excess:
            self.give_up()

    def _hold(self) -> None:
        self._is_held = True
        self.transport.pause_reading()

    def _release(self) -> None:
        self._is_held = False
        self._soon()

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
