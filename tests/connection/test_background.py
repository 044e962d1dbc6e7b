"""Answers in the background, over real sockets against the embedded server: a lost connection costs nothing that was written."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import pytest

from spark_jupyter.connection import background_responses as module
from spark_jupyter.connection import connect
from spark_jupyter.exceptions import ConnectionLost, RateLimited
from spark_jupyter.providers.base import ResponseCompleted, ResponseStarted
from spark_jupyter.server import serve
from spark_jupyter.server.engines.script import ScriptEngine
from tests.connection.peers import QUICK, choice, collect, collect_until_error, request, text_of, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from spark_jupyter.connection.base import Connection
    from spark_jupyter.server.app import Server

PIECES = [f"{number} " for number in range(40)]
WHOLE = "".join(PIECES)


@contextlib.asynccontextmanager
async def playing(
    *answers: dict[str, object],
    dialect: str = "responses-websocket",
    rate: float | None = None,
    background: bool = True,
) -> AsyncIterator[tuple[Connection, ScriptEngine, Server]]:
    """A connection to an embedded server that plays these answers, then :data:`PIECES`."""
    engine = ScriptEngine({"models": ["m"], "answers": [*answers, {"pieces": PIECES}]})
    async with serve(engine=engine, token="right", rate=rate) as server:
        url = server.info.url if dialect == "responses-websocket" else server.info.url.replace("ws://", "http://")
        chosen = choice(url.removesuffix("/responses"), dialect, key="right", background=background)
        connection = connect(chosen, options=QUICK)
        try:
            yield connection, engine, server
        finally:
            await connection.close()


@pytest.mark.parametrize("dialect", ["responses-websocket", "responses-sse"])
def test_a_lost_connection_is_read_on_from_and_nothing_is_asked_twice(dialect: str) -> None:
    async def run() -> None:
        async with playing({"pieces": PIECES, "drop_after": 7}, dialect=dialect) as (connection, engine, _):
            events = await collect(connection.stream(request("a", background=True)))
            assert text_of(events) == WHOLE
            assert [type(event) for event in events].count(ResponseStarted) == 1
            assert isinstance(events[-1], ResponseCompleted)
            assert events[-1].usage is not None
            assert len(engine.asked) == 1

    asyncio.run(run())


def test_what_is_not_in_the_background_goes_the_usual_way_and_ends_with_its_connection() -> None:
    async def run() -> None:
        async with playing({"pieces": PIECES, "drop_after": 7}) as (connection, _, _):
            text, error = await collect_until_error(connection.stream(request("a")))
            assert (text, type(error)) == ("".join(PIECES[:7]), ConnectionLost)

    asyncio.run(run())


def test_a_profile_without_it_asks_for_none() -> None:
    async def run() -> None:
        async with playing({"pieces": PIECES, "drop_after": 7}, background=False) as (connection, _, _):
            _, error = await collect_until_error(connection.stream(request("a", background=True)))
            assert isinstance(error, ConnectionLost)

    asyncio.run(run())


def test_who_drops_an_answer_has_it_cancelled() -> None:
    async def run() -> None:
        async with playing({"pieces": PIECES, "stall_after": 3}) as (connection, _, server):
            async with contextlib.aclosing(connection.stream(request("a", background=True))) as batches:
                async for _ in batches:
                    break
            await until(lambda: not server._holding.busy)

    asyncio.run(run())


def test_a_provider_that_takes_no_background_is_asked_in_the_usual_way_from_then_on(monkeypatch) -> None:
    async def run() -> None:
        async with playing() as (connection, engine, server):
            asked = []

            async def begin(create: dict[str, object]) -> None:
                from spark_jupyter.server.api_messages import RequestError

                asked.append(create["background"])
                raise RequestError("No background here.", param="background")

            monkeypatch.setattr(server._holding, "begin", begin)
            for _ in range(2):
                assert text_of(await collect(connection.stream(request("a", background=True)))) == WHOLE
            assert asked == [True]
            assert len(engine.asked) == 2

    asyncio.run(run())


def test_an_answer_that_is_not_kept_any_more_is_a_lost_connection(monkeypatch) -> None:
    async def run() -> None:
        async with playing({"pieces": PIECES, "drop_after": 7}) as (connection, _, server):
            batches = connection.stream(request("a", background=True))
            monkeypatch.setattr(server._holding, "get", forgotten)
            text, error = await collect_until_error(batches)
            assert text == "".join(PIECES[:7])
            assert isinstance(error, ConnectionLost)
            assert "not kept" in str(error)

    def forgotten(response_id: str) -> None:
        from spark_jupyter.server.api_messages import RequestError

        raise RequestError("There is no such response here.", status=404, code="not_found")

    asyncio.run(run())


def test_a_provider_that_is_gone_is_sought_for_as_long_as_it_keeps_an_answer(monkeypatch) -> None:
    monkeypatch.setattr(module, "KEPT", 0.0)

    async def run() -> None:
        async with playing({"pieces": PIECES, "drop_after": 7}) as (connection, _, server):
            monkeypatch.setattr(server._holding, "get", lambda response_id: 1 / 0)
            _, error = await collect_until_error(connection.stream(request("a", background=True)))
            assert isinstance(error, ConnectionLost)

    asyncio.run(run())


def test_a_limit_of_the_rate_is_one_in_the_background_too() -> None:
    refusal = {"status": 429, "code": "rate_limit_exceeded", "message": "Slowly.", "headers": {"retry-after": "3"}}

    async def run() -> None:
        async with playing({"fail": refusal}) as (connection, _, _):
            _, error = await collect_until_error(connection.stream(request("a", background=True)))
            assert isinstance(error, RateLimited)
            assert error.retry_after == 3

    asyncio.run(run())


def test_no_connection_of_many_loses_or_doubles_anything() -> None:
    """Each tenth piece the connection is lost."""

    async def run() -> None:
        steps = {"pieces": PIECES, "drop_after": 10}
        async with playing(steps, rate=400) as (connection, engine, server):
            lose = asyncio.ensure_future(lose_often(server))
            assert text_of(await collect(connection.stream(request("a", background=True)))) == WHOLE
            lose.cancel()
            assert len(engine.asked) == 1

    async def lose_often(server: Server) -> None:
        while True:
            await asyncio.sleep(0.02)
            for held in server._holding._held.values():
                await held.cut(None)

    asyncio.run(run())
