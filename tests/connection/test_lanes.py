"""Requests that are dropped, and several at once: cancel, spare, lanes. On real sockets."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import pytest

from spark_jupyter.exceptions import (
    RequestRefused,
)
from tests.connection.peers import (
    QUICK,
    WITH_SPARE,
    Event,
    choice,
    collect,
    collect_until_error,
    completed,
    connected,
    delta,
    error_event,
    first_then_greet,
    greet,
    peer,
    request,
    text_of,
    trickle,
    until,
)

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection


def test_closing_the_stream_closes_the_socket_and_the_next_turn_uses_the_spare() -> None:
    async def run() -> None:
        async with (
            peer(first_then_greet(trickle)) as server,
            connected(choice(server.url), WITH_SPARE) as connection,
        ):
            await connection.open()
            stream = connection.stream(request("one"))
            async for batch in stream:
                if text_of(batch):
                    break
            await until(lambda: len(server.sockets) == 2)
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
