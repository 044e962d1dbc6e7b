"""The connection over WebSockets, against real sockets: turns, cancel, spare, continuation, lanes, and every fault."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from websockets.datastructures import Headers
from websockets.http11 import Response

from spark_jupyter.connection import connect
from spark_jupyter.exceptions import (
    AuthenticationFailed,
    BadResponse,
    ConfigurationError,
    ConnectionLost,
    ConnectionRefused,
    ModelNotFound,
    RateLimited,
    RequestRefused,
    Stalled,
    TLSError,
)
from spark_jupyter.providers.base import ResponseCompleted, ResponseStarted, TextDelta, Usage
from tests.connection.peers import (
    KEY,
    QUICK,
    WITH_SPARE,
    choice,
    collect,
    collect_until_error,
    completed,
    created,
    delta,
    error_event,
    greet,
    http_peer,
    peer,
    reply,
    request,
    text_of,
    tls_pair,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from websockets.asyncio.server import ServerConnection

    from spark_jupyter.connection.base import Connection
    from spark_jupyter.providers.profiles import Choice

Event = dict[str, Any]


@contextlib.asynccontextmanager
async def connected(chosen: Choice, options: Any = QUICK) -> AsyncIterator[Connection]:
    connection = connect(chosen, options=options)
    try:
        yield connection
    finally:
        await connection.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what another task brings about; the test's own timeout ends a wait in vain."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


def first_then_greet(
    first: Callable[[ServerConnection, Event], Awaitable[None]],
) -> Callable[[ServerConnection, Event], Awaitable[None]]:
    """A peer with a fault in its first answer only: the next turn must work."""
    calls = 0

    async def answer(socket: ServerConnection, event: Event) -> None:
        nonlocal calls
        calls += 1
        await (first if calls == 1 else greet)(socket, event)

    return answer


async def trickle(socket: ServerConnection, event: Event) -> None:
    """Begins, and goes on for ever."""
    lane = {"stream_id": event["stream_id"]} if "stream_id" in event else {}
    await socket.send(created("resp_slow", **lane))
    while True:
        await socket.send(delta("tick ", **lane))
        await asyncio.sleep(0.005)


# --- Turns ---------------------------------------------------------------------------------------------------------


def test_a_turn_streams_over_the_open_socket() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            await connection.open()
            events = await collect(connection.stream(request("hi")))
            assert isinstance(events[0], ResponseStarted)
            assert text_of(events) == "Hello, world"
            assert isinstance(events[-1], ResponseCompleted)
            assert events[-1].usage == Usage(input_tokens=7, cached_tokens=2, output_tokens=3)
            assert server.headers[0]["Authorization"] == f"Bearer {KEY}"

    asyncio.run(run())


def test_turns_share_one_socket_and_opening_twice_opens_once() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            await connection.open()
            await connection.open()
            for _ in range(3):
                await collect(connection.stream(request("hi")))
            assert len(server.sockets) == 1

    asyncio.run(run())


def test_a_turn_without_open_opens_by_itself() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            assert text_of(await collect(connection.stream(request("hi")))) == "Hello, world"

    asyncio.run(run())


def test_opening_warms_up_where_the_provider_can_and_only_there() -> None:
    async def run(warm_up: bool) -> list[Event]:
        async with peer(greet) as server, connected(choice(server.url, warm_up=warm_up)) as connection:
            await connection.open()
            if warm_up:
                await until(lambda: bool(server.received))
            await collect(connection.stream(request("hi")))
            return server.received

    warmed, cold = asyncio.run(run(True)), asyncio.run(run(False))
    assert [event.get("generate", True) for event in warmed] == [False, True]
    assert [event.get("generate", True) for event in cold] == [True]


def test_all_that_has_arrived_comes_in_one_batch() -> None:
    async def burst(socket: ServerConnection, event: Event) -> None:
        await socket.send(created())
        for number in range(500):
            await socket.send(delta(f"{number} "))
        await socket.send(completed())

    async def run() -> None:
        async with peer(burst) as server, connected(choice(server.url)) as connection:
            batches = []
            async for batch in connection.stream(request()):
                batches.append(batch)
                await asyncio.sleep(0.05)
            text = text_of([event for batch in batches for event in batch])
            assert text == "".join(f"{number} " for number in range(500))
            assert len(batches) < 100

    asyncio.run(run())


def test_a_slow_reader_gets_every_character_in_order() -> None:
    count = 60_000

    async def flood(socket: ServerConnection, event: Event) -> None:
        for number in range(count):
            await socket.send(delta(f"{number} "))
        await socket.send(completed())

    async def run() -> str:
        async with peer(flood) as server, connected(choice(server.url)) as connection:
            pieces = []
            async for batch in connection.stream(request()):
                pieces.append(text_of(batch))
                await asyncio.sleep(0.02)
            return "".join(pieces)

    assert asyncio.run(run()) == "".join(f"{number} " for number in range(count))


def test_a_provider_that_is_faster_than_its_reader_has_to_wait() -> None:
    sent = 0

    async def flood(socket: ServerConnection, event: Event) -> None:
        nonlocal sent
        for _ in range(1000):
            await socket.send(delta("x" * 100_000))
            sent += 1
        await socket.send(completed())

    async def run() -> None:
        async with peer(flood) as server, connected(choice(server.url)) as connection:
            stream = connection.stream(request())
            length = len(text_of(await anext(stream)))
            before = -1
            while sent != before:
                before = sent
                await asyncio.sleep(0.3)
            assert sent < 500, "it stands still before it has sent all"
            async for batch in stream:
                length += len(text_of(batch))
            assert length == 1000 * 100_000

    asyncio.run(run())


def test_unknown_events_and_deltas_without_item_events_do_no_harm() -> None:
    async def odd(socket: ServerConnection, event: Event) -> None:
        await socket.send(json.dumps({"type": "response.in_progress", "response": {"id": "r"}}))
        await socket.send(json.dumps({"type": "vendor.heartbeat", "n": 1}))
        await socket.send(delta("fine", extra={"nested": [1, 2]}))
        await socket.send(json.dumps({"type": "response.output_item.done", "item": None}))
        await socket.send(completed().encode())

    async def run() -> None:
        async with peer(odd) as server, connected(choice(server.url)) as connection:
            assert text_of(await collect(connection.stream(request()))) == "fine"

    asyncio.run(run())


def test_without_a_model_the_first_listed_one_is_asked() -> None:
    async def run() -> None:
        async with peer(greet) as server:

            def list_models(socket: ServerConnection, wanted: Any) -> Response | None:
                if wanted.path != "/v1/models":
                    return None
                body = b'{"object":"list","data":[{"id":"small"},{"id":"big"}]}'
                return Response(200, "OK", Headers({"Content-Length": str(len(body)), "Connection": "close"}), body)

            server.refuse = list_models
            async with connected(choice(server.url, model="")) as connection:
                await collect(connection.stream(request(model="")))
                assert server.received[0]["model"] == "small"
                assert [model.id for model in await connection.models()] == ["small", "big"]

    asyncio.run(run())


# --- Continuation --------------------------------------------------------------------------------------------------


def test_a_request_that_goes_on_sends_only_what_is_new() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            events = await collect(connection.stream(request("one")))
            await collect(connection.stream(request("one", "Hello, world", "two")))
            first, second = server.received
            assert "previous_response_id" not in first
            assert second["previous_response_id"] == events[-1].response_id  # type: ignore[union-attr]
            assert [item["content"][0]["text"] for item in second["input"]] == ["two"]
            assert second["instructions"] == "be brief"

    asyncio.run(run())


@pytest.mark.parametrize(
    "changed",
    [
        {"instructions": "be long"},
        {"model": "other"},
        {"max_output_tokens": 5},
        {"input": request("one", "Hello, moon", "two").input},
        {"input": request("one", "Hello, world").input},
        {"input": request("two").input},
    ],
)
def test_a_request_that_does_not_go_on_is_sent_whole(changed: Event) -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            await collect(connection.stream(request("one")))
            again = msgspec.structs.replace(request("one", "Hello, world", "two"), **changed)
            await collect(connection.stream(again))
            assert "previous_response_id" not in server.received[1]
            assert len(server.received[1]["input"]) == len(again.input)

    asyncio.run(run())


def test_a_forgotten_response_is_sent_whole_on_the_same_socket() -> None:
    async def forgetful(socket: ServerConnection, event: Event) -> None:
        if "previous_response_id" in event:
            await socket.send(error_event("previous_response_not_found"))
        else:
            await greet(socket, event)

    async def run() -> None:
        async with peer(forgetful) as server, connected(choice(server.url)) as connection:
            await collect(connection.stream(request("one")))
            events = await collect(connection.stream(request("one", "Hello, world", "two")))
            assert text_of(events) == "Hello, world"
            assert len(server.sockets) == 1
            assert [len(event["input"]) for event in server.received] == [1, 1, 3]

    asyncio.run(run())


def test_after_a_refusal_everything_is_sent_again() -> None:
    """A refusal evicts the parent that it named, so there is nothing to continue."""

    async def refuse_second(socket: ServerConnection, event: Event) -> None:
        if event["input"][-1]["content"][0]["text"] == "bad":
            await socket.send(error_event("invalid_prompt"))
        else:
            await greet(socket, event)

    async def run() -> None:
        async with peer(refuse_second) as server, connected(choice(server.url)) as connection:
            await collect(connection.stream(request("one")))
            _, error = await collect_until_error(connection.stream(request("one", "Hello, world", "bad")))
            assert isinstance(error, RequestRefused)
            await collect(connection.stream(request("one", "Hello, world", "two")))
            assert ["previous_response_id" in event for event in server.received] == [False, True, False]

    asyncio.run(run())


@pytest.mark.parametrize("lanes", [True, False])
def test_each_conversation_goes_on_where_it_was(lanes: bool) -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url, lanes=lanes)) as connection:
            await connection.open()
            names = ["a", "b", "c"]
            await asyncio.gather(*(collect(connection.stream(request(name))) for name in names))
            for name in reversed(names):
                await collect(connection.stream(request(name, "Hello, world", "more")))
            assert all("previous_response_id" in event for event in server.received[3:])
            assert all(len(event["input"]) == 1 for event in server.received)

    asyncio.run(run())


def test_a_new_socket_is_not_asked_to_continue_what_another_one_knew() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            await collect(connection.stream(request("one")))
            server.sockets[0].transport.abort()
            await until(lambda: server.gone == 1)
            events = await collect(connection.stream(request("one", "Hello, world", "two")))
            assert text_of(events) == "Hello, world"
            assert "previous_response_id" not in server.received[1]
            assert len(server.received[1]["input"]) == 3

    asyncio.run(run())


# --- Cancel, spare, lanes ------------------------------------------------------------------------------------------


def test_closing_the_stream_closes_the_socket_and_the_next_turn_uses_the_spare() -> None:
    async def run() -> None:
        async with (
            peer(first_then_greet(trickle)) as server,
            connected(choice(server.url), WITH_SPARE) as connection,
        ):
            await connection.open()
            await until(lambda: len(server.sockets) == 2)
            stream = connection.stream(request("one"))
            async for batch in stream:
                if text_of(batch):
                    break
            await stream.aclose()
            await until(lambda: server.gone == 1)
            opened = len(server.sockets)
            text = text_of(await collect(connection.stream(request("two"))))
            assert text == "Hello, world", "no tail of the dropped answer"
            assert opened <= 3
            assert len(server.received) == 2
            await until(lambda: len(server.sockets) == 3)

    asyncio.run(run())


def test_cancelling_the_task_drops_the_request() -> None:
    async def run() -> None:
        async with peer(first_then_greet(trickle)) as server, connected(choice(server.url)) as connection:
            task = asyncio.create_task(collect(connection.stream(request("one"))))
            await until(lambda: bool(server.received))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: server.gone == 1)
            assert text_of(await collect(connection.stream(request("two")))) == "Hello, world"

    asyncio.run(run())


def test_a_cancel_before_anything_arrived_drops_the_request_too() -> None:
    async def silent(socket: ServerConnection, event: Event) -> None:
        await asyncio.sleep(3600)

    async def run() -> None:
        async with peer(first_then_greet(silent)) as server, connected(choice(server.url)) as connection:
            task = asyncio.create_task(collect(connection.stream(request("one"))))
            await until(lambda: bool(server.received))
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await until(lambda: server.gone == 1)
            assert text_of(await collect(connection.stream(request("two")))) == "Hello, world"

    asyncio.run(run())


def test_streams_at_the_same_time_share_a_socket_in_lanes() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url, lanes=True)) as connection:
            await connection.open()
            answers = await asyncio.gather(*(collect(connection.stream(request(str(n)))) for n in range(8)))
            assert [text_of(events) for events in answers] == ["Hello, world"] * 8
            assert len(server.sockets) == 1
            assert len({event.get("stream_id") for event in server.received}) == 8

    asyncio.run(run())


def test_streams_at_the_same_time_have_their_own_sockets_without_lanes() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            answers = await asyncio.gather(*(collect(connection.stream(request(str(n)))) for n in range(3)))
            assert [text_of(events) for events in answers] == ["Hello, world"] * 3
            assert len(server.sockets) >= 3
            assert not any("stream_id" in event for event in server.received)

    asyncio.run(run())


def test_dropping_one_lane_leaves_the_others_alone() -> None:
    async def slow_or_greet(socket: ServerConnection, event: Event) -> None:
        if event["input"][0]["content"][0]["text"] == "drop me":
            await trickle(socket, event)
        lane = {"stream_id": event["stream_id"]} if "stream_id" in event else {}
        for number in range(40):
            await socket.send(delta(f"{number} ", **lane))
            await asyncio.sleep(0.005)
        await socket.send(completed(**lane))

    async def run() -> None:
        async with peer(slow_or_greet) as server, connected(choice(server.url, lanes=True)) as connection:
            await connection.open()
            kept = asyncio.create_task(collect(connection.stream(request("keep"))))
            await until(lambda: len(server.received) == 1)
            dropped = connection.stream(request("drop me"))
            async for batch in dropped:
                if text_of(batch):
                    break
            await dropped.aclose()
            assert text_of(await kept) == "".join(f"{number} " for number in range(40))
            after = await collect(connection.stream(request("keep")))
            assert text_of(after) == "".join(f"{number} " for number in range(40)), "no tail of the dropped lane"
            lanes = [event.get("stream_id") for event in server.received]
            assert lanes[2] != lanes[1], "the abandoned lane is not used while its tail still comes"

    asyncio.run(run())


def test_an_abandoned_lane_is_free_again_when_its_tail_has_passed() -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        lane = {"stream_id": event["stream_id"]} if "stream_id" in event else {}
        if event["input"][0]["content"][0]["text"] == "keep":
            await trickle(socket, event)
        await socket.send(delta("a", **lane))
        await asyncio.sleep(0.02)
        await socket.send(delta("tail", **lane))
        await socket.send(completed(**lane))

    async def run() -> None:
        one = msgspec.structs.replace(QUICK, most_sockets=1)
        async with peer(answer) as server, connected(choice(server.url, lanes=True), one) as connection:
            await connection.open()
            kept = asyncio.create_task(collect(connection.stream(request("keep"))))
            await until(lambda: len(server.received) == 1)
            for _ in range(20):
                dropped = connection.stream(request("drop"))
                assert text_of(await anext(dropped)) == "a"
                await dropped.aclose()
                await asyncio.sleep(0.03)
            kept.cancel()
            await asyncio.gather(kept, return_exceptions=True)
            assert len(server.sockets) == 1

    asyncio.run(run())


def test_an_error_of_one_lane_does_not_end_the_others() -> None:
    async def run() -> None:
        both = asyncio.Event()

        async def answer(socket: ServerConnection, event: Event) -> None:
            if event["input"][0]["content"][0]["text"] == "bad":
                both.set()
                lane = {"stream_id": event["stream_id"]} if "stream_id" in event else {}
                await socket.send(error_event("invalid_request", **lane))
            else:
                await both.wait()
                await greet(socket, event)

        async with peer(answer) as server, connected(choice(server.url, lanes=True)) as connection:
            await connection.open()
            good = asyncio.create_task(collect(connection.stream(request("good"))))
            await until(lambda: len(server.received) == 1)
            _, error = await collect_until_error(connection.stream(request("bad")))
            assert isinstance(error, RequestRefused)
            assert text_of(await good) == "Hello, world"
            assert len(server.sockets) == 1

    asyncio.run(run())


# --- Faults before the answer --------------------------------------------------------------------------------------


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_nobody_listening_is_said_and_the_next_turn_works_when_somebody_does() -> None:
    async def run() -> None:
        port = free_port()
        async with connected(choice(f"ws://127.0.0.1:{port}/v1")) as connection:
            with pytest.raises(ConnectionRefused, match="Nobody listens"):
                await connection.open()
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ConnectionRefused)
            assert error.remedy
            async with peer(greet) as server:
                await server.stop()
                server.port = port
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


# --- Faults in the answer ------------------------------------------------------------------------------------------


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


async def broken_by(fault: Callable[[ServerConnection], Awaitable[None]], options: Any = QUICK) -> tuple[str, Any, str]:
    """A turn whose answer begins and is then broken by ``fault``; the text of the next turn."""

    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(created())
        await socket.send(delta("kept"))
        await fault(socket)

    async with peer(first_then_greet(answer)) as server, connected(choice(server.url), options) as connection:
        text, error = await collect_until_error(connection.stream(request()))
        return text, error, text_of(await collect(connection.stream(request())))


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


async def send_an_array(socket: ServerConnection) -> None:
    await socket.send("[1,2,3]")


async def send_a_wrong_type(socket: ServerConnection) -> None:
    await socket.send('{"type":"response.output_text.delta","delta":17}')


async def send_no_frame_at_all(socket: ServerConnection) -> None:
    socket.transport.write(b"\xff\xff\xff\xff nothing of this is a frame")


@pytest.mark.parametrize("fault", [send_garbage, send_bad_utf8, send_an_array, send_a_wrong_type])
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
    options = msgspec.structs.replace(QUICK, patience=0.1, first_patience=3600.0)
    text, error, after = asyncio.run(broken_by(say_nothing, options))
    assert isinstance(error, Stalled)
    assert (text, after) == ("kept", "Hello, world")


def test_a_stall_before_the_first_text_has_its_own_patience() -> None:
    async def think(socket: ServerConnection, event: Event) -> None:
        await socket.send(created())
        await asyncio.sleep(0.3)
        await greet(socket, event)

    async def silent(socket: ServerConnection, event: Event) -> None:
        await asyncio.sleep(3600)

    async def run() -> None:
        patient = msgspec.structs.replace(QUICK, patience=0.1)
        async with peer(think) as server, connected(choice(server.url), patient) as connection:
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
        hasty = msgspec.structs.replace(QUICK, first_patience=0.1)
        async with peer(first_then_greet(silent)) as server, connected(choice(server.url), hasty) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, Stalled)
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


# --- Sockets that age and die --------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [QUICK, WITH_SPARE])
def test_a_server_that_restarts_between_turns_is_not_noticed(options: Any) -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url), options) as connection:
            await connection.open()
            await collect(connection.stream(request()))
            await server.stop()
            await server.start()
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_a_socket_that_dies_under_the_request_is_replaced_once() -> None:
    async def die(socket: ServerConnection, event: Event) -> None:
        socket.transport.abort()

    async def run() -> None:
        async with peer(first_then_greet(die)) as server, connected(choice(server.url)) as connection:
            await connection.open()
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            assert len(server.received) == 2

    asyncio.run(run())


def test_a_server_that_always_drops_is_not_asked_for_ever() -> None:
    async def die(socket: ServerConnection, event: Event) -> None:
        socket.transport.abort()

    async def run() -> None:
        async with peer(die) as server, connected(choice(server.url)) as connection:
            await connection.open()
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ConnectionLost)
            assert len(server.received) == 2

    asyncio.run(run())


def test_a_new_socket_that_drops_is_no_reason_to_ask_again() -> None:
    async def die(socket: ServerConnection, event: Event) -> None:
        socket.transport.abort()

    async def run() -> None:
        async with peer(die) as server, connected(choice(server.url)) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ConnectionLost)
            assert len(server.received) == 1

    asyncio.run(run())


def test_text_that_has_arrived_is_never_asked_for_again() -> None:
    async def run() -> None:
        async def answer(socket: ServerConnection, event: Event) -> None:
            await socket.send(delta("once"))
            await asyncio.sleep(0.02)
            socket.transport.abort()

        async with peer(answer) as server, connected(choice(server.url)) as connection:
            await connection.open()
            text, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ConnectionLost)
            assert text == "once"
            assert len(server.received) == 1

    asyncio.run(run())


def test_the_age_limit_of_a_socket_is_not_noticed() -> None:
    async def too_old(socket: ServerConnection, event: Event) -> None:
        await socket.send(error_event("websocket_connection_limit_reached", "60 minutes"))
        await socket.close()

    async def run() -> None:
        async with peer(first_then_greet(too_old)) as server, connected(choice(server.url)) as connection:
            await connection.open()
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            assert server.received[1]["input"] == server.received[0]["input"]

    asyncio.run(run())


def test_the_age_limit_in_mid_stream_keeps_what_arrived() -> None:
    async def too_old(socket: ServerConnection) -> None:
        await socket.send(error_event("websocket_connection_limit_reached", "60 minutes"))

    text, error, after = asyncio.run(broken_by(too_old))
    assert isinstance(error, ConnectionLost)
    assert (text, after) == ("kept", "Hello, world")


def test_a_socket_near_its_age_limit_is_given_up_before_it_is_used() -> None:
    async def run() -> None:
        # The margin is cut to half of so short a life.
        async with peer(greet) as server, connected(choice(server.url, lifetime=0.2)) as connection:
            await collect(connection.stream(request()))
            await asyncio.sleep(0.15)
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            assert len(server.sockets) >= 2

    asyncio.run(run())


def test_sockets_from_before_the_machine_slept_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            await connection.open()
            await collect(connection.stream(request()))
            now = time.time
            monkeypatch.setattr(time, "time", lambda: now() + 3600)
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            await until(lambda: server.gone == 1)
            await collect(connection.stream(request()))
            assert server.gone == 1, "it slept once"

    asyncio.run(run())


@pytest.mark.parametrize("dialect", ["responses-websocket", "chat"])
def test_a_proxy_that_cannot_be_used_is_said(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "gopher://127.0.0.1:9")
    scheme = "ws" if dialect == "responses-websocket" else "http"

    async def run() -> None:
        async with connected(choice(f"{scheme}://far.invalid:1/v1", dialect)) as connection:
            with pytest.raises(ConfigurationError, match="NO_PROXY"):
                await collect(connection.stream(request()))

    asyncio.run(run())


def test_a_quiet_socket_is_pinged_and_a_dead_one_is_replaced() -> None:
    async def run() -> None:
        options = msgspec.structs.replace(QUICK, quiet=0.1)
        async with peer(greet) as server, connected(choice(server.url), options) as connection:
            await connection.open()
            await asyncio.sleep(0.5)
            assert len(server.sockets) == 1, "pongs are signs of life"
            # A peer that is gone without a word: nothing is read, nothing is answered.
            server.sockets[0].transport.pause_reading()
            await until(lambda: len(server.sockets) == 2)
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_an_idle_socket_that_the_provider_closes_is_replaced_in_the_background() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url), WITH_SPARE) as connection:
            await connection.open()
            await until(lambda: len(server.sockets) == 2)
            await server.sockets[0].close()
            await until(lambda: len(server.sockets) == 3)

    asyncio.run(run())


def test_after_close_nothing_is_open_and_nothing_is_opened() -> None:
    async def run() -> None:
        async with peer(greet) as server:
            connection = connect(choice(server.url, warm_up=True), options=WITH_SPARE)
            await connection.open()
            await collect(connection.stream(request()))
            await connection.close()
            await connection.close()
            opened = len(server.sockets)
            await until(lambda: server.gone == len(server.sockets))
            await asyncio.sleep(0.2)
            assert len(server.sockets) == opened
            left = [task for task in asyncio.all_tasks() if "spark_jupyter" in repr(task.get_coro())]
            assert left == []

    asyncio.run(run())


def test_deltas_are_told_apart_from_text_deltas_of_other_types() -> None:
    """A reasoning summary is activity, never text of the answer."""

    async def think(socket: ServerConnection, event: Event) -> None:
        await socket.send(json.dumps({"type": "response.reasoning_summary_text.delta", "delta": "hmm"}))
        await greet(socket, event)

    async def run() -> None:
        async with peer(think) as server, connected(choice(server.url)) as connection:
            events = await collect(connection.stream(request()))
            assert text_of(events) == "Hello, world"
            assert sum(isinstance(event, TextDelta) for event in events) == 3

    asyncio.run(run())
