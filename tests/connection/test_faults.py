"""Faults before and during an answer over WebSockets: each is reported, and what arrived is kept."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from websockets.datastructures import Headers
from websockets.http11 import Response

from spark_jupyter.exceptions import (
    AuthenticationFailed,
    BadResponse,
    ConnectionLost,
    ConnectionRefused,
    ModelNotFound,
    RateLimited,
    RequestRefused,
    Stalled,
    TLSError,
)
from tests.connection.peers import (
    KEY,
    QUICK,
    Event,
    broken_by,
    choice,
    collect,
    collect_until_error,
    completed,
    connected,
    created,
    delta,
    error_event,
    first_then_greet,
    greet,
    http_peer,
    peer,
    reply,
    request,
    text_of,
    tls_pair,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from websockets.asyncio.server import ServerConnection


def test_nobody_listening_is_said_and_the_next_turn_works_when_somebody_does(unused_port: int) -> None:
    async def run() -> None:
        async with connected(choice(f"ws://127.0.0.1:{unused_port}/v1")) as connection:
            with pytest.raises(ConnectionRefused, match="Can't reach"):
                await connection.open()
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ConnectionRefused)
            assert error.remedy
            async with peer(greet) as server:
                await server.stop()
                server.port = unused_port
                await server.start()
                assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_a_certificate_that_is_not_trusted_is_said() -> None:
    async def run() -> None:
        server_tls, trusting = tls_pair()
        async with peer(greet, tls=server_tls) as server:
            async with connected(choice(server.url)) as connection:
                _, error = await collect_until_error(connection.stream(request()))
                assert isinstance(error, TLSError)
                assert "SSL_CERT_FILE" in error.remedy
            options = msgspec.structs.replace(QUICK, ssl_context=trusting)
            async with connected(choice(server.url), options) as connection:
                assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_tls_spoken_to_a_plain_server_is_said() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url.replace("ws:", "wss:"))) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, TLSError | ConnectionLost)
            assert error.remedy

    asyncio.run(run())


@pytest.mark.parametrize("at_the_door", [True, False])
def test_a_key_that_does_not_look_like_one_is_withheld_too(at_the_door: bool) -> None:
    key = "hunter2 and its like".replace(" ", "")

    async def refuse(socket: ServerConnection, event: Event) -> None:
        await socket.send(error_event("invalid_api_key", f"who is {key}?"))

    async def run() -> None:
        async with peer(refuse) as server, connected(choice(server.url, key=key)) as connection:
            if at_the_door:
                server.refuse = refusing(401, "No", f"who is {key}?".encode())
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, AuthenticationFailed)
            assert key not in f"{error} {error!r}"
            assert "who is" in str(error)

    asyncio.run(run())


def refusing(status: int, reason: str, body: bytes, **headers: str) -> Any:
    return lambda socket, wanted: Response(status, reason, Headers({"Connection": "close", **headers}), body)


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_said_without_the_key(status: int) -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            body = json.dumps({"error": {"code": "invalid_api_key", "message": f"Incorrect API key provided: {KEY}."}})
            server.refuse = refusing(status, "No", body.encode())
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, AuthenticationFailed)
            assert KEY not in str(error)
            assert "environment variable" in error.remedy
            server.refuse = None
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_too_many_requests_at_the_door_says_when_to_come_back() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            server.refuse = refusing(429, "Too Many", b"slow down", **{"Retry-After": "7"})
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, RateLimited)
            assert error.retry_after == 7.0
            assert "7 s" in error.remedy

    asyncio.run(run())


def test_an_address_that_does_not_speak_websocket_is_said() -> None:
    async def run() -> None:
        async def page(writer: asyncio.StreamWriter, *_: object) -> None:
            reply(writer, b"<html><body>hello</body></html>", kind="text/html")

        async with http_peer(page) as server, connected(choice(server.url.replace("http", "ws"))) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, RequestRefused | BadResponse)
            assert error.remedy

    asyncio.run(run())


async def refused_with(event: str) -> tuple[str, Any, str]:
    """What a turn brings that is refused with ``event``, and the text of the next turn."""

    async def refuse(socket: ServerConnection, _: Event) -> None:
        await socket.send(event)

    async with peer(first_then_greet(refuse)) as server, connected(choice(server.url)) as connection:
        text, error = await collect_until_error(connection.stream(request()))
        return text, error, text_of(await collect(connection.stream(request())))


def flat(code: str, message: str, **fields: object) -> str:
    return json.dumps({"type": "error", "code": code, "message": message, "param": None, **fields})


def failed(code: str, message: str) -> str:
    return json.dumps({"type": "response.failed", "response": {"id": "r", "error": {"code": code, "message": message}}})


@pytest.mark.parametrize(
    "event",
    [
        error_event("rate_limit_exceeded", "Please try again in 1.5s.", status=429),
        flat("rate_limit_exceeded", "Please try again in 1.5s."),
        failed("rate_limit_exceeded", "Please try again in 1500ms."),
        error_event("", "later", status=429, error={"message": "later", "retry_after": 1.5}),
    ],
)
def test_a_rate_limit_in_any_form_says_when_to_come_back(event: str) -> None:
    text, error, after = asyncio.run(refused_with(event))
    assert isinstance(error, RateLimited)
    assert error.retry_after == 1.5
    assert (text, after) == ("", "Hello, world")


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (error_event("invalid_api_key", f"bad key {KEY}", status=401), AuthenticationFailed),
        (flat("invalid_prompt", "Not like this."), RequestRefused),
        (failed("server_error", "Oops."), RequestRefused),
        (error_event("unsupported_parameter", "reasoning.summary is not supported"), RequestRefused),
    ],
)
def test_a_refusal_is_typed_and_the_next_turn_works(event: str, expected: type[Exception]) -> None:
    _, error, after = asyncio.run(refused_with(event))
    assert isinstance(error, expected)
    assert KEY not in str(error)
    assert error.remedy
    assert after == "Hello, world"


def test_a_model_that_is_not_served_gets_the_list_of_those_that_are() -> None:
    async def refuse(socket: ServerConnection, event: Event) -> None:
        await socket.send(error_event("model_not_found", "The model 'm' does not exist."))

    async def run() -> None:
        async with peer(first_then_greet(refuse)) as server, connected(choice(server.url)) as connection:

            def list_models(socket: ServerConnection, wanted: Any) -> Response | None:
                if wanted.path != "/v1/models":
                    return None
                body = b'{"data":[{"id":"a"},{"id":"b"}]}'
                return Response(200, "OK", Headers({"Content-Length": str(len(body)), "Connection": "close"}), body)

            server.refuse = list_models
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ModelNotFound)
            assert error.available == ("a", "b")
            assert "a, b" in error.remedy
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


async def drop_with_close_frame(socket: ServerConnection) -> None:
    await socket.close(1011, "going down")


async def drop_without_close_frame(socket: ServerConnection) -> None:
    await asyncio.sleep(0.02)
    socket.transport.abort()


async def cut_a_frame(socket: ServerConnection) -> None:
    socket.transport.write(b"\x81\x7e" + struct.pack("!H", 500) + b'{"type":')
    await asyncio.sleep(0.02)
    socket.transport.abort()


@pytest.mark.parametrize("fault", [drop_with_close_frame, drop_without_close_frame, cut_a_frame])
def test_a_drop_in_mid_stream_keeps_what_arrived(fault: Callable[[ServerConnection], Awaitable[None]]) -> None:
    text, error, after = asyncio.run(broken_by(fault))
    assert isinstance(error, ConnectionLost)
    assert "kept" in error.remedy
    assert (text, after) == ("kept", "Hello, world")


async def send_garbage(socket: ServerConnection) -> None:
    await socket.send("{not json")


async def send_bad_utf8(socket: ServerConnection) -> None:
    await socket.send(b'{"type":"response.output_text.delta","delta":"\xff\xfe"}', text=True)


async def send_no_frame_at_all(socket: ServerConnection) -> None:
    socket.transport.write(b"\xff\xff\xff\xff nothing of this is a frame")


@pytest.mark.parametrize("fault", [send_garbage, send_bad_utf8])
def test_garbage_is_said_and_what_came_before_is_kept(fault: Callable[[ServerConnection], Awaitable[None]]) -> None:
    text, error, after = asyncio.run(broken_by(fault))
    assert isinstance(error, BadResponse)
    assert (text, after) == ("kept", "Hello, world")


def test_bytes_that_are_no_frame_end_the_connection() -> None:
    text, error, after = asyncio.run(broken_by(send_no_frame_at_all))
    assert isinstance(error, ConnectionLost)
    assert (text, after) == ("kept", "Hello, world")


def test_a_frame_of_ten_megabytes_is_taken() -> None:
    big = "x" * 10_000_000

    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(delta(big))
        await socket.send(completed())

    async def run() -> None:
        async with peer(answer) as server, connected(choice(server.url)) as connection:
            assert text_of(await collect(connection.stream(request()))) == big

    asyncio.run(run())


async def say_nothing(socket: ServerConnection) -> None:
    await asyncio.sleep(3600)


def test_a_stall_in_mid_stream_ends_the_turn() -> None:
    options = msgspec.structs.replace(QUICK, patience=1.0, first_patience=3600.0)
    text, error, after = asyncio.run(broken_by(say_nothing, options))
    assert isinstance(error, Stalled)
    assert (text, after) == ("kept", "Hello, world")


def test_a_stall_before_the_first_text_has_its_own_patience() -> None:
    async def think(socket: ServerConnection, event: Event) -> None:
        await socket.send(created())
        await asyncio.sleep(1.5)
        await greet(socket, event)

    async def silent(socket: ServerConnection, event: Event) -> None:
        await asyncio.sleep(3600)

    async def run() -> None:
        patient = msgspec.structs.replace(QUICK, patience=1.0)
        async with peer(think) as server, connected(choice(server.url), patient) as connection:
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
        hasty = msgspec.structs.replace(QUICK, first_patience=1.0)
        async with peer(first_then_greet(silent)) as server, connected(choice(server.url), hasty) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, Stalled)
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_a_server_that_was_silent_for_long_and_breaks_off_is_asked_once() -> None:
    asked = []

    async def wait_and_leave(socket: ServerConnection, event: Event) -> None:
        if not event.get("generate", True) or not asked:
            await greet(socket, event)
        if event.get("generate", True):
            asked.append(event)
            if len(asked) > 1:
                await asyncio.sleep(0.3)
                socket.transport.abort()

    async def run() -> None:
        options = msgspec.structs.replace(QUICK, long_silence=0.1)
        async with peer(wait_and_leave) as server, connected(choice(server.url), options) as connection:
            await collect(connection.stream(request()))
            _, error = await collect_until_error(connection.stream(request("another")))
            assert isinstance(error, Stalled)
            assert "not asked again" in error.message

    asyncio.run(run())
    assert len(asked) == 2
