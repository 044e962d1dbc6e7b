"""The connection and the embedded server together, over a real socket: what each has is used by the other."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from spark_jupyter.connection import connect
from spark_jupyter.connection.discovery import find_choice, look
from spark_jupyter.exceptions import (
    AuthenticationFailed,
    BadResponse,
    ConnectionLost,
    ModelNotFound,
    RateLimited,
    RequestRefused,
    Stalled,
)
from spark_jupyter.providers.base import Infill, ResponseCompleted
from spark_jupyter.providers.profiles import Embedded, Secret, Settings, choose, load_profiles
from spark_jupyter.server import serve
from spark_jupyter.server.engines.script import ScriptEngine
from tests.connection.peers import QUICK, WITH_SPARE, collect, collect_until_error, request, text_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from spark_jupyter.connection.base import Connection

WORDS = "one two three four five six seven eight nine ten "


@contextlib.asynccontextmanager
async def playing(
    *answers: dict[str, object], options: Any = WITH_SPARE, token: str = "right", rate: float | None = None
) -> AsyncIterator[tuple[Connection, ScriptEngine]]:
    """A connection to an embedded server that plays these answers, then :data:`WORDS`."""
    engine = ScriptEngine({"models": ["m"], "answers": [*answers, {"answer": WORDS}]})
    async with serve(engine=engine, token="right", rate=rate) as server:
        profiles = load_profiles()
        profiles["embedded"] = msgspec.structs.replace(profiles["embedded"], model="m")
        chosen = choose(profiles=profiles, embedded=Embedded(url=server.info.url, token=Secret(token)))
        assert chosen is not None
        connection = connect(chosen, options=options)
        try:
            yield connection, engine
        finally:
            await connection.close()


def test_a_conversation_goes_on_and_the_server_sees_all_of_it() -> None:
    async def run() -> None:
        async with playing() as (connection, engine):
            await connection.open()
            for _ in range(2):
                events = await collect(connection.stream(request("a")))
                assert text_of(events) == WORDS
                assert isinstance(events[-1], ResponseCompleted)
                assert events[-1].usage is not None
            await collect(connection.stream(request("a", WORDS, "b")))
            conversation, instructions = engine.asked[-1]
            assert [message.text for message in conversation] == ["a", WORDS, "b"]
            assert instructions == "be brief"

    asyncio.run(run())


def test_requests_in_lanes_run_beside_each_other_and_do_not_mix() -> None:
    async def run() -> None:
        answers: list[dict[str, object]] = [
            {"match": f"ask {n}.", "pieces": [f"{n}-{k} " for k in range(200)]} for n in range(8)
        ]
        async with playing(*answers, rate=20_000) as (connection, _):
            await connection.open()
            found = await asyncio.gather(*(collect(connection.stream(request(f"ask {n}."))) for n in range(8)))
            for n, events in enumerate(found):
                assert text_of(events) == "".join(f"{n}-{k} " for k in range(200))

    asyncio.run(run())


def test_a_dropped_request_leaves_nothing_in_the_next_one() -> None:
    async def run() -> None:
        async with playing({"match": "long", "pieces": ["tick "] * 5000}, rate=500) as (connection, _):
            await connection.open()
            for _ in range(3):
                stream = connection.stream(request("long"))
                async for batch in stream:
                    if text_of(batch):
                        break
                await stream.aclose()
            assert text_of(await collect(connection.stream(request("next")))) == WORDS

    asyncio.run(run())


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ({"fail": {"status": 429, "code": "rate_limit_exceeded", "message": "Try again in 3s."}}, RateLimited),
        ({"fail": {"status": 401, "code": "invalid_api_key", "message": "no"}}, AuthenticationFailed),
        ({"fail": {"status": 400, "code": "model_not_found", "message": "no"}}, ModelNotFound),
        ({"fail": {"status": 500, "code": "server_error", "message": "no", "as_response": True}}, RequestRefused),
        ({"answer": WORDS, "drop_after": 3}, ConnectionLost),
        ({"answer": WORDS, "drop_after": 3, "drop_code": 1011}, ConnectionLost),
        ({"answer": WORDS, "stall_after": 3}, Stalled),
        ({"answer": WORDS, "garbage_after": 3}, BadResponse),
    ],
)
def test_every_fault_that_the_server_plays_is_typed_and_the_next_turn_works(
    fault: dict[str, object], expected: type[Exception]
) -> None:
    async def run() -> None:
        options = msgspec.structs.replace(QUICK, patience=1.5)
        async with playing({"match": "bad", **fault}, options=options) as (connection, _):
            text, error = await collect_until_error(connection.stream(request("bad")))
            assert isinstance(error, expected)
            assert text == "" if "fail" in fault else text and WORDS.startswith(text)
            assert text_of(await collect(connection.stream(request("good")))) == WORDS

    asyncio.run(run())


def test_a_giant_delta_is_taken() -> None:
    async def run() -> None:
        async with playing({"match": "big", "answer": "", "giant": 10_000_000}) as (connection, _):
            assert text_of(await collect(connection.stream(request("big")))) == "x" * 10_000_000

    asyncio.run(run())


def test_the_servers_token_is_wanted_and_its_models_are_listed() -> None:
    async def run() -> None:
        async with playing(token="wrong") as (connection, _):
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, AuthenticationFailed)
        async with playing() as (connection, _):
            listed = await connection.models()
            assert [model.id for model in listed] == ["m"]
            assert listed[0].output_price == 0.0
            unknown = await collect_until_error(connection.stream(request(model="gpt-9")))
            assert isinstance(unknown[1], ModelNotFound)
            assert unknown[1].available == ("m",)

    asyncio.run(run())


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_a_base_url_of_either_scheme_reaches_the_server(scheme: str) -> None:
    async def run() -> None:
        engine = ScriptEngine({"models": ["m"], "answers": [{"answer": WORDS}]})
        async with serve(engine=engine, token="right") as server:
            host = server.info.url.split("/")[2]
            environ = {
                "SPARK_BASE_URL": f"{scheme}://{host}/v1",
                "SPARK_MODEL": "m",
                "SPARK_API_KEY": "right",
            }
            connection = connect(await find_choice(profiles=load_profiles(), environ=environ), options=QUICK)
            try:
                assert text_of(await collect(connection.stream(request("a")))) == WORDS
            finally:
                await connection.close()

    asyncio.run(run())


class FillingEngine(ScriptEngine):
    """An engine that fills in, and keeps what it was asked."""

    fills_in = True

    def fill_in(self, infill: Infill, *, temperature: float | None = None) -> Iterator[str]:
        return iter([infill.prefix, "|", infill.suffix])


@pytest.mark.parametrize("fills_in", [True, False])
def test_what_is_to_be_filled_in_goes_to_an_engine_that_lists_it_and_to_no_other(fills_in: bool) -> None:
    async def run() -> str:
        engine = (FillingEngine if fills_in else ScriptEngine)({"models": ["m"], "answers": [{"answer": "an answer"}]})
        async with serve(engine=engine, token="right") as server:
            place = Settings(base_url=server.info.url.replace("/responses", ""), model="m", api_key=Secret("right"))
            connection = connect(await look(await find_choice(settings=place, profiles=load_profiles(), environ={})))
            try:
                return text_of(
                    await collect(connection.stream(request("a", infill=Infill(prefix="x = ", suffix="\ny"))))
                )
            finally:
                await connection.close()

    assert asyncio.run(run()) == ("x = |\ny" if fills_in else "an answer")
