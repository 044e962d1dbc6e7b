"""Priority of concurrent requests on one connection.

A turn ends the completions and offers that are under way, a completion the offers; an offer waits until nothing more urgent is. A request
that begins later than a more urgent one ends nothing: where there is room, it runs beside it.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import Preempted
from spark_jupyter.providers.base import ModelEvent, ModelRequest, Priority

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from spark_jupyter.connection.base import Connection
    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.protocol.values import ModelInfo


class ByPriority:
    """Implements :class:`~spark_jupyter.connection.base.Connection` with another one, to whose requests it gives their order."""

    def __init__(self, connection: Connection, options: Options) -> None:
        self._connection = connection
        self._options = options
        self._under_way: set[_UnderWay] = set()
        self._left = asyncio.Event()

    async def open(self) -> None:
        await self._connection.open()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        """See :class:`~spark_jupyter.connection.base.Connection`. Raises :class:`~spark_jupyter.exceptions.Preempted` where a more
        urgent request took the place of this one; what had arrived before was delivered."""
        for other in self._under_way:
            if other.priority > request.priority:
                other.preempt(request.priority)
        if request.priority is Priority.OFFER:
            await self._wait_for_quiet()
        this = _UnderWay(request.priority)
        self._under_way.add(this)
        try:
            async with aclosing(self._connection.stream(request)) as batches:
                while (batch := await this.next(batches)) is not None:
                    yield batch
        finally:
            self._under_way.discard(this)
            self._left.set()

    async def models(self) -> list[ModelInfo]:
        return await self._connection.models()

    async def close(self) -> None:
        await self._connection.close()

    async def _wait_for_quiet(self) -> None:
        """Wait until nothing is under way that is more urgent than an offer."""
        patience = self._options.first_patience
        try:
            async with asyncio.timeout(patience):
                while any(other.priority < Priority.OFFER for other in self._under_way):
                    self._left.clear()
                    await self._left.wait()
        except TimeoutError:
            raise Preempted(
                f"An offer was not asked for: more urgent requests kept the connection for {patience:.3g} s.",
                remedy="Ask again when they have ended.",
            ) from None


class _UnderWay:
    """One request that was let through, until it ends or is ended."""

    def __init__(self, priority: Priority) -> None:
        self.priority = priority
        self._error: Preempted | None = None
        self._waiting: asyncio.Timeout | None = None

    def preempt(self, by: Priority) -> None:
        """End it: at once where it waits for the provider, else when it asks for more."""
        self._error = Preempted(
            f"This {self.priority.name.lower()} made room for a {by.name.lower()}.",
            remedy="Ask again when it has ended.",
        )
        if self._waiting is not None:
            self._waiting.reschedule(asyncio.get_running_loop().time())

    async def next(self, batches: AsyncGenerator[list[ModelEvent], None]) -> list[ModelEvent] | None:
        if self._error is not None:
            raise self._error
        try:
            async with asyncio.timeout(None) as self._waiting:
                return await anext(batches, None)
        except TimeoutError:
            if self._error is None:
                raise
            raise self._error from None
        finally:
            self._waiting = None
