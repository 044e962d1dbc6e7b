"""As test_precedence.py, over HTTP: who ends whom, and what a dropped request costs the others."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest

from spark_jupyter.exceptions import Preempted
from tests.connection.peers import (
    QUICK,
    begin_events,
    choice,
    collect,
    completed,
    delta,
    end_events,
    event_chunk,
    http_peer,
    reply,
    request,
    text_of,
)
from tests.connection.urgencies import WORDS, completion, connected, first_text, offer, within_a_minute

FAR = msgspec.structs.replace(QUICK, drain_over_http=True)

DIALECTS = pytest.mark.parametrize("dialect", ["responses-sse", "chat"])


class HTTPProvider:
    """The same over HTTP."""

    def __init__(self, *, late_head: bool = False) -> None:
        self.late_head = late_head
        self.flood = False
        self.asked: list[str] = []

    async def answer(self, writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        if method == "GET":
            reply(writer, b'{"data":[{"id":"m"}]}')
            return
        sent = json.loads(body)
        chat = path.endswith("completions")
        text = sent["messages"][-1]["content"] if chat else sent["input"][-1]["content"][0]["text"]
        self.asked.append(text)
        if self.late_head:
            await asyncio.sleep(0.01)
        begin_events(writer)
        words = [f"{n} " for n in range(60)] if text.startswith("turn") else ["ghost ", "text"]
        for word in words:
            await self._say(writer, word, chat=chat)
            await asyncio.sleep(0.005)
        while text.startswith("stay"):
            await self._say(writer, "x" * (20_000 if self.flood else 4), chat=chat)
            await asyncio.sleep(0.001)
        event_chunk(writer, json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]}) if chat else completed())
        if chat:
            event_chunk(writer, "[DONE]")
        end_events(writer)

    async def _say(self, writer: asyncio.StreamWriter, word: str, *, chat: bool) -> None:
        event_chunk(writer, json.dumps({"choices": [{"delta": {"content": word}}]}) if chat else delta(word))
        await writer.drain()


@DIALECTS
@pytest.mark.parametrize("late_head", [True, False])
def test_over_http_100_completions_dropped_while_typing_open_a_handful_of_connections(
    dialect: str, late_head: bool
) -> None:
    async def run() -> None:
        provider = HTTPProvider(late_head=late_head)
        async with http_peer(provider.answer) as server, connected(choice(server.url, dialect), FAR) as connection:
            for number in range(100):
                key = asyncio.create_task(first_text(connection.stream(completion(f"key {number}"))))
                if not late_head:
                    await asyncio.wait({key})
                await asyncio.sleep(0.005)
                key.cancel()
                await asyncio.gather(key, return_exceptions=True)
                await asyncio.sleep(0.01)
            assert text_of(await collect(connection.stream(completion("pause")))) == "ghost text"
            assert len(provider.asked) == 101
            assert server.connections <= 5, (
                "one for each answer that may be under way at once: 25 ms of them, a key each 15"
            )

    within_a_minute(run())


@DIALECTS
def test_on_this_machine_a_dropped_completion_stops_its_model_over_http(dialect: str) -> None:
    async def run() -> None:
        async with (
            http_peer(HTTPProvider().answer) as server,
            connected(choice(server.url, dialect), QUICK) as connection,
        ):
            dropped = connection.stream(completion("stay"))
            await first_text(dropped)
            await dropped.aclose()
            await server.gone.wait()

    within_a_minute(run())


@DIALECTS
@pytest.mark.parametrize("flood", [True, False])
def test_a_tail_that_does_not_end_is_cut_off_over_http(dialect: str, flood: bool) -> None:
    async def run() -> None:
        provider = HTTPProvider()
        provider.flood = flood
        options = FAR if flood else msgspec.structs.replace(FAR, drain_time=0.1)
        async with http_peer(provider.answer) as server, connected(choice(server.url, dialect), options) as connection:
            dropped = connection.stream(completion("stay"))
            await first_text(dropped)
            await dropped.aclose()
            await server.gone.wait()
            assert text_of(await collect(connection.stream(completion()))) == "ghost text"

    within_a_minute(run())


def test_what_nobody_wants_keeps_no_more_connections_than_there_may_be() -> None:
    async def run() -> None:
        few = msgspec.structs.replace(FAR, most_sockets=2)
        async with http_peer(HTTPProvider().answer) as server, connected(choice(server.url, "chat"), few) as connection:
            for _ in range(2):
                dropped = connection.stream(completion("stay"))
                await first_text(dropped)
                await dropped.aclose()
            assert not server.gone.is_set()
            dropped = connection.stream(completion("stay"))
            await first_text(dropped)
            await dropped.aclose()
            await server.gone.wait()

    within_a_minute(run())


def test_closing_the_connection_ends_what_is_read_for_nobody() -> None:
    async def run() -> None:
        async with http_peer(HTTPProvider().answer) as server:
            async with connected(choice(server.url, "chat"), FAR) as connection:
                dropped = connection.stream(completion("stay"))
                await first_text(dropped)
                await dropped.aclose()
            await server.gone.wait()
            left = [task for task in asyncio.all_tasks() if "spark_jupyter" in repr(task.get_coro())]
            assert left == []

    within_a_minute(run())


@DIALECTS
@pytest.mark.parametrize("options", [FAR, QUICK])
def test_the_more_urgent_request_ends_the_other_over_http(dialect: str, options: Any) -> None:
    async def run() -> None:
        async with (
            http_peer(HTTPProvider().answer) as server,
            connected(choice(server.url, dialect), options) as connection,
        ):
            under_way = connection.stream(offer("stay"))
            await first_text(under_way)
            waiting = asyncio.create_task(collect(under_way))
            answer = asyncio.create_task(collect(connection.stream(request("turn"))))
            with pytest.raises(Preempted):
                await waiting
            assert text_of(await answer) == WORDS

    within_a_minute(run())
