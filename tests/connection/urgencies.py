"""Requests of every urgency, on a connection of one's own."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from spark_jupyter.connection import connect
from spark_jupyter.providers.base import Priority
from tests.connection.peers import (
    UNHURRIED,
    request,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from spark_jupyter.connection.base import Connection
    from spark_jupyter.providers.base import ModelEvent, ModelRequest
    from spark_jupyter.providers.profiles import Choice


@contextlib.asynccontextmanager
async def connected(chosen: Choice, options: Any = UNHURRIED) -> AsyncIterator[Connection]:
    connection = connect(chosen, options=options)
    try:
        await connection.open()
        yield connection
    finally:
        await connection.close()


def within_a_minute(test: Coroutine[Any, Any, None]) -> None:
    """Run a test whose requests might wait for each other for ever."""

    async def bounded() -> None:
        async with asyncio.timeout(100):
            await test

    asyncio.run(bounded())


def completion(text: str = "complete", **fields: Any) -> ModelRequest:
    return request(text, priority=Priority.COMPLETION, **{"max_output_tokens": 64, **fields})


def offer(text: str = "offer") -> ModelRequest:
    return request(text, priority=Priority.OFFER, max_output_tokens=64)


async def first_text(stream: AsyncIterator[list[ModelEvent]]) -> str:
    async for batch in stream:
        if text := text_of(batch):
            return text
    return ""


WORDS = "".join(f"{number} " for number in range(60))
