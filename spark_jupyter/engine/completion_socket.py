"""Unix socket for completions, past the comms.

On the comms a request passes three threads of the kernel, its answer two, and each message brings two of the kernel's status along;
where a cell computes each thread waits for its turn. On this line, what a page says on a WebSocket of the Jupyter server
(:mod:`spark_jupyter.line_proxy`) comes out of a Unix socket on the engine's own loop, and the answer goes back the same way.

Nothing depends on it: without Unix sockets, with a path that is too long for one, in a kernel elsewhere, behind a server without our
extension, the comms carry the same messages. One message is one line of JSON: a CommandFrame to the engine, an EventFrame from it, all
with the number 0. The first to the engine is an Attach; an empty frame answers it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress

import msgspec

from spark_jupyter.protocol.completion_messages import Complete, DropCompletion
from spark_jupyter.protocol.kernel_socket import Messages
from spark_jupyter.protocol.message_frames import EventFrame, decode_command_frame, encode
from spark_jupyter.protocol.messages import Attach
from spark_jupyter.protocol.values import PROTOCOL_VERSION

MOST_BYTES = 8_000_000
"""Of one message from a page, and of what waits for a page that does not read: far more than any is."""

_READY = EventFrame(v=PROTOCOL_VERSION, seq=0, msgs=())

Send = Callable[[EventFrame], bool]
"""Sender of a frame; returns if it was sent."""
Take = Callable[[Complete | DropCompletion], None]
Join = Callable[[Attach, Send], Take | None]
"""Registration of a client: returns the receiver of its requests, or None if no such client is attached."""


def socket_at(path: str) -> socket.socket | None:
    """A socket that only this user can reach; None where there can't be one at this path: 107 bytes are the most on Linux, 103 on macOS."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    listening = socket.socket(socket.AF_UNIX)
    try:
        _remove(path)  # a kernel that was killed leaves it behind
        listening.bind(path)
        os.chmod(path, 0o600)  # nobody can connect before it listens
    except OSError:
        listening.close()
        return None
    return listening


async def serve(path: str, join: Join) -> None:
    """Answer lines at this path until cancelled. On the engine's loop."""
    listening = socket_at(path)
    if listening is None:
        return
    lines: set[_Line] = set()
    with ExitStack() as ends:
        ends.callback(_remove, path)
        ends.callback(listening.close)
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: _Line(join, lines), sock=listening)
        ends.callback(server.close)
        ends.callback(_end, lines)
        await loop.create_future()


def _end(lines: Collection[_Line]) -> None:
    for line in tuple(lines):
        line.end()


def _remove(path: str) -> None:
    with suppress(OSError):
        if stat.S_ISSOCK(os.lstat(path).st_mode):  # a file of this name is somebody's
            os.unlink(path)


class _Line(asyncio.Protocol):
    """One page's line. What it can't read ends it."""

    def __init__(self, join: Join, lines: set[_Line]) -> None:
        self._join = join
        self._lines = lines
        self._take: Take | None = None
        self._messages = Messages()
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._lines.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        self._lines.discard(self)

    def data_received(self, data: bytes) -> None:
        try:
            for message in self._messages.feed(data):
                self._receive(message)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            self.end()
        if self._messages.waiting > MOST_BYTES:
            self.end()

    def end(self) -> None:
        self._transport.abort()

    def _receive(self, message: bytes) -> None:
        frame = decode_command_frame(message)
        for command in frame.msgs if frame.v == PROTOCOL_VERSION else ():
            if isinstance(command, Attach):
                self._take = self._join(command, self._send)
                if self._take is not None:
                    self._send(_READY)
            elif isinstance(command, Complete | DropCompletion) and self._take is not None:
                self._take(command)
        if self._take is None:
            self.end()

    def _send(self, frame: EventFrame) -> bool:
        if self._transport.is_closing():
            return False
        self._transport.write(encode(frame) + b"\n")
        if self._transport.get_write_buffer_size() > MOST_BYTES:
            self.end()
        return True
