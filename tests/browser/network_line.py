"""Network line of a page to its server, which a test cuts and mends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any


class NetworkLine:
    """A port of this machine that leads to another one. ``port`` is what a page connects to."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._cut = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._wait(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    @property
    def is_cut(self) -> bool:
        """True while nobody gets through."""
        return self._cut

    def cut(self) -> None:
        """End every connection, and let no new one through."""
        self._wait(self._set_cut(True))

    def mend(self) -> None:
        """Let connections through again."""
        self._wait(self._set_cut(False))

    def close(self) -> None:
        """End every connection and the line."""
        self.cut()
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _wait(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    async def _set_cut(self, cut: bool) -> None:
        self._cut = cut
        for writer in self._writers if cut else ():
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        with suppress(OSError):
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._to)
            both = {writer, there_writer}
            self._writers |= both
            try:
                await asyncio.gather(_copy(reader, there_writer), _copy(there_reader, writer))
            finally:
                self._writers -= both
                for one in both:
                    one.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
