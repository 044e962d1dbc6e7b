"""A turn that is dropped keeps its socket where the provider takes interrupts; elsewhere all is as without them."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from spark_jupyter.connection import connect
from spark_jupyter.connection.connection_options import Options
from spark_jupyter.connection.websocket_pool import WebSocketConnection
from tests.connection.peers import (
    UNHURRIED,
    choice,
    collect,
    completed,
    created,
    delta,
    error_event,
    peer,
    request,
    text_of,
    until,
)
from tests.connection.test_embedded import WORDS, playing

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from spark_jupyter.connection.base import Connection

LONG = "word " * 4000
GIVES_UP_SOON = Options(first_patience=60.0, patience=60.0, open_timeout=60.0, spare=True, drain_time=0.3)


def pool_of(connection: Any) -> WebSocketConnection:
    """The sockets' owner, below what stands before it."""
    while not isinstance(connection, WebSocketConnection):
        connection = connection._connection
    return connection


async def drop_midway(connection: Connection, *texts: str) -> None:
    """Ask, take the first of the answer, and drop it."""
    async with contextlib.aclosing(connection.stream(request(*texts))) as batches:
        async for batch in batches:
            if text_of(batch):
                return


async def asked(events: list[dict[str, Any]], kind: str, count: int = 1) -> list[dict[str, Any]]:
    """The events of this kind that a peer has received, when there are so many."""
    async with asyncio.timeout(60):
        while len(found := [event for event in events if event["type"] == kind]) < count:
            await asyncio.sleep(0.005)
    return found


def test_the_embedded_server_is_interrupted_and_the_socket_goes_on() -> None:
    async def run() -> None:
        async with playing({"match": "long", "answer": LONG}, rate=200, options=UNHURRIED) as (connection, engine):
            await connection.open()
            sockets = pool_of(connection)._sockets
            await drop_midway(connection, "long")
            await until(lambda: pool_of(connection)._interrupts.served is not None)
            before = list(sockets)
            for _ in range(3):
                await drop_midway(connection, "long")
            assert text_of(await collect(connection.stream(request("next")))) == WORDS
            assert pool_of(connection)._interrupts.served
            assert [socket for socket in before if not socket.is_open] == [], "no socket was given up"
            assert [message.text for message in engine.asked[-1][0]] == ["next"]

    asyncio.run(run())


def test_a_provider_that_answers_with_an_error_is_never_asked_again_and_its_socket_is_given_up() -> None:
    async def answer(socket: ServerConnection, event: dict[str, Any]) -> None:
        if event["type"] == "response.interrupt":
            await socket.send(error_event("invalid_value", "Unknown event type."))
            return
        await socket.send(created("resp_x"))
        await socket.send(delta("x"))
        if event["input"][-1]["content"][0]["text"] == "endless":
            await socket.wait_closed()
        await socket.send(completed("resp_x"))

    async def run() -> None:
        async with peer(answer) as server:
            connection = connect(choice(server.url, interrupt=True, lanes=True), options=GIVES_UP_SOON)
            try:
                await connection.open()
                await drop_midway(connection, "endless")
                assert text_of(await collect(connection.stream(request("hi")))) == "x"
                await until(lambda: server.gone)
                await drop_midway(connection, "endless")
                await until(lambda: server.gone == 2)
                assert len(await asked(server.received, "response.interrupt")) == 1
            finally:
                await connection.close()

    asyncio.run(run())


def test_a_provider_that_says_nothing_to_it_is_stopped_by_closing_the_socket() -> None:
    async def answer(socket: ServerConnection, event: dict[str, Any]) -> None:
        if event["type"] == "response.create":
            await socket.send(created("resp_x"))
            await socket.send(delta("x"))
            if event["input"][-1]["content"][0]["text"] != "endless":
                await socket.send(completed("resp_x"))

    async def run() -> None:
        async with peer(answer) as server:
            connection = connect(choice(server.url, interrupt=True, lanes=True), options=GIVES_UP_SOON)
            try:
                await connection.open()
                await drop_midway(connection, "endless")
                await asked(server.received, "response.interrupt")
                assert text_of(await collect(connection.stream(request("hi")))) == "x", "the spare answers meanwhile"
                await until(lambda: server.gone)
                assert pool_of(connection)._interrupts.served is False
            finally:
                await connection.close()

    asyncio.run(run())


def test_where_the_profile_does_not_say_so_none_is_sent() -> None:
    async def answer(socket: ServerConnection, event: dict[str, Any]) -> None:
        await socket.send(created("resp_x"))
        await socket.send(delta("x"))

    async def run() -> None:
        async with peer(answer) as server:
            connection = connect(choice(server.url, lanes=True), options=GIVES_UP_SOON)
            try:
                await connection.open()
                await drop_midway(connection, "endless")
                await until(lambda: server.gone)
                assert [event["type"] for event in server.received if event["type"] != "response.create"] == []
            finally:
                await connection.close()

    asyncio.run(run())


def test_a_follow_up_says_only_what_is_new_after_an_interrupt() -> None:
    """What the interrupted answer was asked stays in the lane."""

    async def answer(socket: ServerConnection, event: dict[str, Any]) -> None:
        lane = {"stream_id": event["stream_id"]} if "stream_id" in event else {}
        if event["type"] == "response.interrupt":
            response = {
                "id": event["response_id"],
                "status": "incomplete",
                "incomplete_details": {"reason": "interrupted"},
            }
            import json

            await socket.send(json.dumps({"type": "response.incomplete", "response": response}))
            return
        await socket.send(created("resp_x", **lane))
        await socket.send(delta("x", **lane))
        if event["input"][-1]["content"][0]["text"] != "endless":
            await socket.send(completed("resp_x", **lane))

    async def run() -> None:
        async with peer(answer) as server:
            connection = connect(choice(server.url, interrupt=True, lanes=True), options=UNHURRIED)
            try:
                await connection.open()
                await drop_midway(connection, "endless")
                await until(lambda: pool_of(connection)._interrupts.served is not None)
                await collect(connection.stream(request("endless", "x", "more")))
                last = server.received[-1]
                assert last["previous_response_id"] == "resp_x"
                answered, asked = last["input"]
                assert (answered["role"], answered["content"]) == ("assistant", "x")
                assert asked["content"][0]["text"] == "more"
                assert not server.gone
            finally:
                await connection.close()

    asyncio.run(run())
