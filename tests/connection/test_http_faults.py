"""Faults over HTTP: each is reported in a sentence, and the next turn works."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from spark_jupyter.exceptions import (
    AuthenticationFailed,
    BadResponse,
    ConnectionLost,
    ConnectionRefused,
    ModelNotFound,
    RateLimited,
    RequestRefused,
    SparkError,
    Stalled,
    TLSError,
)
from tests.connection.peers import (
    KEY,
    QUICK,
    begin_events,
    choice,
    collect,
    collect_until_error,
    completed,
    delta,
    end_events,
    error_event,
    event_chunk,
    http_peer,
    reply,
    request,
    text_of,
    tls_pair,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

from tests.connection.http_peers import DIALECTS, Writer, begin, connected, first_then_greet, greet


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        ("401 Unauthorized", {"error": {"message": f"Incorrect API key provided: {KEY}"}}, AuthenticationFailed),
        ("403 Forbidden", {"error": "no access"}, AuthenticationFailed),
        ("429 Too Many Requests", {"error": {"message": "slow down"}}, RateLimited),
        ("404 Not Found", {"error": {"message": "model 'm' not found, try pulling it first"}}, ModelNotFound),
        ("400 Bad Request", {"error": {"message": "nope", "param": "input"}}, RequestRefused),
        ("500 Internal Server Error", {"error": {"message": "oops"}}, RequestRefused),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_refusal_is_typed_without_the_key_and_the_next_turn_works(
    status: str, body: object, expected: type[SparkError], dialect: str
) -> None:
    async def refuse(writer: Writer, path: str) -> None:
        reply(writer, json.dumps(body).encode(), status=status, extra="Retry-After: 3\r\n")

    async def run() -> None:
        async with http_peer(first_then_greet(refuse)) as server, connected(choice(server.url, dialect)) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, expected)
            assert KEY not in f"{error} {error!r}"
            assert error.remedy
            if isinstance(error, RateLimited):
                assert error.retry_after == 3.0
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


async def cut(writer: Writer, path: str) -> None:
    await begin(writer, path)
    writer.transport.abort()


async def end_too_early(writer: Writer, path: str) -> None:
    await begin(writer, path)
    end_events(writer)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", [cut, end_too_early])
def test_a_drop_in_mid_stream_keeps_what_arrived(fault: Callable[..., Awaitable[None]], dialect: str) -> None:
    async def run() -> None:
        async with http_peer(first_then_greet(fault)) as server, connected(choice(server.url, dialect)) as connection:
            text, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ConnectionLost)
            # An aborted socket may take along what the kernel had not delivered yet.
            assert text == "kept" or (fault is cut and text == "")
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_garbage_and_a_page_instead_of_events_are_said(dialect: str) -> None:
    async def garbage(writer: Writer, path: str) -> None:
        await begin(writer, path)
        event_chunk(writer, "{not json")
        end_events(writer)

    async def page(writer: Writer, path: str) -> None:
        reply(writer, b"<html>welcome to the hotel</html>", kind="text/html")

    async def run(fault: Callable[..., Awaitable[None]]) -> tuple[str, Any]:
        async with http_peer(first_then_greet(fault)) as server, connected(choice(server.url, dialect)) as connection:
            text, error = await collect_until_error(connection.stream(request()))
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            return text, error

    text, error = asyncio.run(run(garbage))
    assert isinstance(error, BadResponse)
    assert text == "kept"
    _, error = asyncio.run(run(page))
    assert isinstance(error, BadResponse)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_error_in_the_stream_is_typed(dialect: str) -> None:
    async def fail(writer: Writer, path: str) -> None:
        await begin(writer, path)
        inner = {"error": {"message": "Try again in 2s", "code": "rate_limit_exceeded"}}
        event_chunk(
            writer, error_event("rate_limit_exceeded", "Try again in 2s") if dialect != "chat" else json.dumps(inner)
        )
        end_events(writer)

    async def run() -> None:
        async with http_peer(first_then_greet(fail)) as server, connected(choice(server.url, dialect)) as connection:
            text, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, RateLimited)
            assert error.retry_after == 2.0
            assert text == "kept"
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_a_stall_before_the_head_and_in_mid_stream_ends_the_turn() -> None:
    async def never(writer: Writer, path: str) -> None:
        await asyncio.sleep(3600)

    async def stall(writer: Writer, path: str) -> None:
        await begin(writer, path)
        await asyncio.sleep(3600)

    async def run(fault: Callable[..., Awaitable[None]], **patience: float) -> str:
        options = msgspec.structs.replace(QUICK, **patience)
        async with (
            http_peer(first_then_greet(fault)) as server,
            connected(choice(server.url, "chat"), options) as connection,
        ):
            text, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, Stalled)
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            return text

    assert asyncio.run(run(never, first_patience=1.0)) == ""
    assert asyncio.run(run(stall, patience=1.0)) == "kept"


def test_nobody_listening_a_bad_certificate_and_a_wrong_protocol_are_said() -> None:
    async def run() -> None:
        async with http_peer(greet) as server:
            pass
        async with connected(choice(server.url, "chat")) as connection:
            with pytest.raises(ConnectionRefused, match="Can't reach"):
                await connection.open()
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ConnectionRefused)
        server_tls, trusting = tls_pair()
        async with http_peer(greet, server_tls) as server:
            async with connected(choice(server.url, "chat")) as connection:
                _, error = await collect_until_error(connection.stream(request()))
                assert isinstance(error, TLSError)
            options = msgspec.structs.replace(QUICK, ssl_context=trusting)
            async with connected(choice(server.url, "chat"), options) as connection:
                assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            plain = choice(server.url.replace("https", "http"), "chat")
            async with connected(plain) as connection:
                _, error = await collect_until_error(connection.stream(request()))
                assert isinstance(error, ConnectionLost | BadResponse)

    asyncio.run(run())


def test_a_server_that_restarts_between_turns_is_not_noticed() -> None:
    async def run() -> None:
        async with http_peer(greet) as server, connected(choice(server.url, "chat")) as connection:
            await collect(connection.stream(request()))
            await server.stop()
            await server.start()
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_a_kept_connection_that_dies_under_the_request_is_replaced_once() -> None:
    async def die(writer: Writer, path: str) -> None:
        writer.transport.abort()

    async def run() -> None:
        async with http_peer(first_then_greet(die)) as server, connected(choice(server.url, "chat")) as connection:
            await connection.open()
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_a_giant_event_and_a_slow_reader_lose_nothing() -> None:
    big = "y" * 10_000_000

    async def flood(writer: Writer, path: str) -> None:
        begin_events(writer)
        event_chunk(writer, delta(big))
        for number in range(2000):
            event_chunk(writer, delta(f"{number} "))
            await writer.drain()
        event_chunk(writer, completed())
        end_events(writer)

    async def run() -> str:
        async with (
            http_peer(first_then_greet(flood)) as server,
            connected(choice(server.url, "responses-sse")) as connection,
        ):
            pieces = []
            async for batch in connection.stream(request()):
                pieces.append(text_of(batch))
                await asyncio.sleep(0.001)
            return "".join(pieces)

    assert asyncio.run(run()) == big + "".join(f"{number} " for number in range(2000))


def test_a_list_of_models_that_is_none_is_said() -> None:
    async def run() -> None:
        async def nonsense(writer: Writer, method: str, path: str, body: bytes) -> None:
            reply(writer, b"{}")

        async with http_peer(nonsense) as server, connected(choice(server.url, "chat")) as connection:
            with pytest.raises(BadResponse):
                await connection.models()

    asyncio.run(run())


@pytest.mark.parametrize("begins", [False, True], ids=["no head", "a head"])
def test_a_server_that_was_silent_for_long_and_breaks_off_is_asked_once(begins: bool) -> None:
    asked = []

    async def wait_and_leave(writer: Writer, path: str) -> None:
        asked.append(path)
        if begins:
            begin_events(writer)
        await asyncio.sleep(0.3)
        writer.transport.abort()

    async def run() -> None:
        options = msgspec.structs.replace(QUICK, long_silence=0.1)
        peer = http_peer(first_then_greet(wait_and_leave))
        async with peer as server, connected(choice(server.url, "chat"), options) as connection:
            await connection.open()
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, Stalled)
            assert "not asked again" in error.message

    asyncio.run(run())
    assert len(asked) == 1
