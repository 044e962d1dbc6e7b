"""The connection over WebSockets, against real sockets: turns, and requests that go on where the last answer ended."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec import structs
from websockets.datastructures import Headers
from websockets.http11 import Response

from spark_jupyter.exceptions import (
    RequestRefused,
)
from spark_jupyter.providers.base import ResponseCompleted, ResponseStarted, Usage
from tests.connection.peers import (
    KEY,
    Event,
    choice,
    collect,
    collect_until_error,
    completed,
    connected,
    created,
    delta,
    error_event,
    greet,
    peer,
    request,
    text_of,
    until,
)

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection


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


def test_what_a_request_begins_with_is_read_ahead_once_and_the_request_goes_on_from_there() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url)) as connection:
            warm = structs.replace(request("one", "Hello, world", generate=False), input=())
            await collect(connection.stream(warm))
            await collect(connection.stream(warm))
            assert [event.get("generate", True) for event in server.received] == [False]
            await collect(connection.stream(request("one")))
            assert server.received[-1]["previous_response_id"]
            await collect(connection.stream(request("one", "Hello, world", generate=False)))
            assert len(server.received) == 2, "the answer is known there"
            await collect(connection.stream(request("another", "Hello, world", generate=False)))
            assert server.received[-1]["generate"] is False
            await collect(connection.stream(request("another", "Hello, world", "more")))
            assert [item["content"][0]["text"] for item in server.received[-1]["input"]] == ["more"]

    asyncio.run(run())


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
                await asyncio.sleep(0.005)  # the provider has said all of it long before
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
