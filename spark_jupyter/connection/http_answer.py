"""One answer over HTTP, read by its own task.

Whoever drops the answer need not end its connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import httpx
from msgspec import Struct

from spark_jupyter.connection.answer_drain import Tail
from spark_jupyter.connection.frame_inbox import Inbox

if TYPE_CHECKING:
    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.connection.http_client import Web
    from spark_jupyter.providers.base import Decoder, Provider

END = b""
"""The piece after the last one."""

_LAST_CHUNK = 0.25
"""Seconds that the end of a body may come after the answer's own end."""


class Head(Struct, frozen=True):
    """Status of an answer, with the reader of its events."""

    response: httpx.Response
    decoder: Decoder
    provider: Provider | None = None
    """Dialect in which it was asked for."""


class Answer:
    """Begins to ask when it is made, by calling ``ask``. Ends with :meth:`finish` or :meth:`drop`."""

    def __init__(self, ask: Callable[[], Awaitable[Head]], web: Web, options: Options) -> None:
        self._web = web
        self._options = options
        self._inbox = Inbox()
        self._tail: Tail | None = None
        self.head: Head | None = None
        self.task = asyncio.get_running_loop().create_task(self._read(ask))

    @property
    def is_dropped(self) -> bool:
        """True if what comes is thrown away."""
        return self._tail is not None

    async def take(self, patience: float) -> list[bytes]:
        """The pieces of the body that have arrived, at least one; :data:`END` is behind the last. Raises what
        :meth:`~spark_jupyter.connection.frame_inbox.Inbox.take` does, and what asking raised."""
        return await self._inbox.take(patience)

    async def finish(self) -> None:
        """The answer is whole. Read what follows it, usually the empty last chunk: only then can its connection be used again."""
        self.drop(drain=True)
        await asyncio.wait({self.task}, timeout=_LAST_CHUNK)
        self.task.cancel()

    def drop(self, *, drain: bool) -> None:
        """Nobody takes any more. With ``drain`` the rest is read and thrown away, so that the connection stays; without it the connection
        is closed, so that the provider stops. Idempotent."""
        self._inbox.close()
        if self.task.done() or self.is_dropped:
            return
        if drain:
            self._tail = Tail(self._options, self._stop)
        else:
            self._stop()

    def _stop(self) -> None:
        self.task.cancel()

    async def _read(self, ask: Callable[[], Awaitable[Head]]) -> None:
        try:
            self.head = await ask()
            async for piece in self._web.pieces(self.head.response):
                if self._tail is not None:
                    self._tail.receive(len(piece))
                elif piece:
                    self._inbox.put(piece)
                    if self._inbox.is_full:
                        await self._inbox.room()
            self._inbox.put(END)
        except httpx.HTTPError as error:
            self._inbox.fail(self._web.translate(error))
        except Exception as error:  # any error is reported to the reader
            self._inbox.fail(error)
        finally:
            if self._tail is not None:
                self._tail.close()
            if self.head is not None:
                await self.head.response.aclose()
