"""One client's WebSocket, joined to its state machine."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from websockets.exceptions import ConnectionClosed

from spark_jupyter.server.answer_playback import Playing

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from spark_jupyter.server.connection_state import Connection
    from spark_jupyter.server.engines.base import AnswerEngine


class Peer:
    """Serves one WebSocket until it closes. ``rate`` is in tokens a second for each lane, ``idle`` in seconds."""

    def __init__(
        self, websocket: ServerConnection, state: Connection, engine: AnswerEngine, *, rate: float | None, idle: float
    ) -> None:
        self._websocket = websocket
        self._state = state
        self._playing = Playing(state, engine, self, rate=rate)
        self._idle = idle
        self._active_at = time.time()

    async def run(self) -> None:
        """Serve. When this returns, no task of the connection is left."""
        self._playing.spawn(self._watch())
        try:
            while not self._state.close_expected:
                data = await self._websocket.recv(decode=False)
                self._active_at = time.time()
                self._state.receive_data(data, self._active_at)
                if not await self._advance():
                    break
        except ConnectionClosed:
            pass
        finally:
            await self._playing.close()

    async def _advance(self) -> bool:
        stands = await self._playing.advance()
        if stands and self._state.close_expected:
            await self._websocket.close(1000)
        return stands

    # --- where its answers go (see Line of spark_jupyter.server.answer_playback)

    async def send(self, frames: list[bytes]) -> bool:
        """Each frame is a text frame of its own, but they go to the socket in one write: a system call costs more
        than a frame."""
        try:
            async with self._websocket.send_context():
                for frame in frames:
                    self._websocket.protocol.send_text(frame)
                self._websocket.transport.write(b"".join(self._websocket.protocol.data_to_send()))
        except ConnectionClosed:
            return False
        return True

    async def send_raw(self, text: str) -> None:
        with suppress(ConnectionClosed):
            await self._websocket.send(text)

    async def cut(self, code: int | None) -> None:
        if code is None:
            self._websocket.transport.abort()
        else:
            await self._websocket.close(code)

    async def wait_closed(self) -> None:
        await self._websocket.wait_closed()

    async def _watch(self) -> None:
        """Close the connection when it has idled or lived for too long."""
        while True:
            await asyncio.sleep(min(max(self._active_at + self._idle - time.time(), 0.05), 1.0))
            now = time.time()
            self._state.receive_time(now)
            if not self._state.idle:
                self._active_at = now
            elif now - self._active_at >= self._idle:
                self._state.close()
            if not await self._advance():
                return
