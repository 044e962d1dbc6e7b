"""Peers that answer over HTTP, in either dialect."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from spark_jupyter.connection import connect
from tests.connection.peers import (
    QUICK,
    begin_events,
    completed,
    created,
    delta,
    end_events,
    event_chunk,
    reply,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from spark_jupyter.connection.base import Connection
    from spark_jupyter.providers.profiles import Choice


Writer = asyncio.StreamWriter


DIALECTS = ["responses-sse", "chat"]


@contextlib.asynccontextmanager
async def connected(chosen: Choice, options: Any = QUICK) -> AsyncIterator[Connection]:
    connection = connect(chosen, options=options)
    try:
        yield connection
    finally:
        await connection.close()


def chat_chunk(text: str | None = None, *, finish: str | None = None, **delta_fields: object) -> str:
    fields = {**({"content": text} if text is not None else {}), **delta_fields}
    return json.dumps({"id": "c1", "model": "m", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


CHAT_USAGE = json.dumps({"id": "c1", "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})


async def greet(writer: Writer, method: str, path: str, body: bytes) -> None:
    """Both dialects' answers, and a list of models."""
    if path == "/v1/models":
        reply(writer, b'{"data":[{"id":"m"},{"id":"n"}]}')
        return
    begin_events(writer)
    if path == "/v1/responses":
        for event in (created(), delta("Hello"), delta(", world"), completed()):
            event_chunk(writer, event)
    else:
        for event in (
            chat_chunk("", role="assistant"),
            chat_chunk("Hello"),
            chat_chunk(", world"),
            chat_chunk(finish="stop"),
        ):
            event_chunk(writer, event)
        event_chunk(writer, CHAT_USAGE)
        event_chunk(writer, "[DONE]")
    end_events(writer)


def first_then_greet(first: Callable[[Writer, str], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """A fault in the first answer to a POST only."""
    posts = 0

    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        nonlocal posts
        posts += method == "POST"
        if method == "POST" and posts == 1:
            await first(writer, path)
        else:
            await greet(writer, method, path, body)

    return answer


async def begin(writer: Writer, path: str) -> None:
    """The head of an answer and the word "kept"."""
    begin_events(writer)
    event_chunk(writer, delta("kept") if path.endswith("responses") else chat_chunk("kept"))
    await writer.drain()
