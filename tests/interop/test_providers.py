"""Providers that this project did not write: aimock in all dialects that are for turns, the LiteLLM proxy in all but Gemini's.

What they can't do (found by trying): aimock has no lanes, no continuation and no warm-up, and its errors have no
status; LiteLLM's WebSocket answers a warm-up at once.
"""

from __future__ import annotations

import asyncio

import pytest

from spark_jupyter.connection import connect
from spark_jupyter.exceptions import AuthenticationFailed, ConnectionLost, ProviderError, RateLimited
from spark_jupyter.providers.base import ResponseCompleted
from tests.connection.peers import QUICK, WITH_SPARE, choice, collect, collect_until_error, request, text_of
from tests.interop.conftest import POEM

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]

DIALECTS = ["responses-websocket", "responses-sse", "chat", "anthropic"]
EVERY = [*DIALECTS, "gemini"]


def url(port: int, dialect: str) -> str:
    scheme = "ws" if dialect == "responses-websocket" else "http"
    return f"{scheme}://127.0.0.1:{port}/{'v1beta' if dialect == 'gemini' else 'v1'}"


async def turns(port: int, dialect: str, *texts: str, key: str = "sk-interop", **profile: object) -> list[str]:
    """What each request of one connection brings."""
    connection = connect(choice(url(port, dialect), dialect, key=key, **profile), options=WITH_SPARE)
    try:
        await connection.open()
        answers = []
        for text in texts:
            events = await collect(connection.stream(request(text)))
            assert isinstance(events[-1], ResponseCompleted)
            answers.append(text_of(events))
        return answers
    finally:
        await connection.close()


async def fails(port: int, dialect: str, text: str, *, key: str = "sk-any") -> tuple[str, ProviderError | None, str]:
    """What a request that fails brings, its error, and what the next one brings."""
    connection = connect(choice(url(port, dialect), dialect, key=key), options=QUICK)
    try:
        kept, error = await collect_until_error(connection.stream(request(text)))
        after, _ = await collect_until_error(connection.stream(request("poem")))
        return kept, error, after
    finally:
        await connection.close()


@pytest.mark.parametrize("dialect", EVERY)
def test_aimock_streams_every_character_turn_after_turn(aimock: int, dialect: str) -> None:
    assert asyncio.run(turns(aimock, dialect, "poem", "poem")) == [POEM, POEM]


def test_an_unknown_server_is_spoken_to_in_a_dialect_that_it_knows(aimock: int) -> None:
    assert asyncio.run(turns(aimock, "auto", "poem")) == [POEM]


@pytest.mark.parametrize("dialect", EVERY)
def test_aimocks_refusal_is_typed_and_the_next_turn_works(aimock: int, dialect: str) -> None:
    _, error, after = asyncio.run(fails(aimock, dialect, "busy"))
    assert isinstance(error, RateLimited)
    assert after == POEM


@pytest.mark.parametrize("dialect", EVERY)
def test_a_stream_that_aimock_cuts_keeps_what_arrived(aimock: int, dialect: str) -> None:
    kept, error, after = asyncio.run(fails(aimock, dialect, "cut"))
    assert isinstance(error, ConnectionLost)
    assert "kept and lost".startswith(kept)
    assert after == POEM


@pytest.mark.parametrize("dialect", EVERY)
def test_a_dropped_request_to_aimock_leaves_no_tail_in_the_next_one(aimock: int, dialect: str) -> None:
    async def run() -> str:
        connection = connect(choice(url(aimock, dialect), dialect), options=WITH_SPARE)
        try:
            await connection.open()
            stream = connection.stream(request("long"))
            async for batch in stream:
                if text_of(batch):
                    break
            await stream.aclose()
            return text_of(await collect(connection.stream(request("poem"))))
        finally:
            await connection.close()

    assert asyncio.run(run()) == POEM


def test_aimock_lists_models(aimock: int) -> None:
    async def run() -> int:
        connection = connect(choice(url(aimock, "responses-websocket")), options=QUICK)
        try:
            return len(await connection.models())
        finally:
            await connection.close()

    assert asyncio.run(run()) > 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_litellm_bridges_every_character_turn_after_turn(litellm: int, dialect: str) -> None:
    assert asyncio.run(turns(litellm, dialect, "poem", "poem")) == [POEM, POEM]


def test_litellm_answers_a_warm_up_and_compresses(litellm: int) -> None:
    async def run() -> str:
        options = QUICK.__class__(first_patience=20.0, deflate=True)
        chosen = choice(url(litellm, "responses-websocket"), key="sk-interop", warm_up=True)
        connection = connect(chosen, options=options)
        try:
            await connection.open()
            return text_of(await collect(connection.stream(request("poem"))))
        finally:
            await connection.close()

    assert asyncio.run(run()) == POEM


@pytest.mark.parametrize("dialect", DIALECTS)
def test_litellm_refuses_a_wrong_key_and_it_is_not_shown(litellm: int, dialect: str) -> None:
    _, error, _ = asyncio.run(fails(litellm, dialect, "poem", key="sk-wrong-000000"))
    assert isinstance(error, AuthenticationFailed)
    assert "sk-wrong-000000" not in str(error)


def test_litellm_lists_its_models(litellm: int) -> None:
    async def run() -> list[str]:
        connection = connect(choice(url(litellm, "responses-websocket"), key="sk-interop"), options=QUICK)
        try:
            return [model.id for model in await connection.models()]
        finally:
            await connection.close()

    assert sorted(asyncio.run(run())) == ["class", "limited", "m", "paid"]
