"""Sockets that age and die over WebSockets: the next turn does not notice."""

from __future__ import annotations

import asyncio
import json
import random
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from spark_jupyter.connection import connect
from spark_jupyter.connection.bounded_websocket import BoundedConnection
from spark_jupyter.exceptions import (
    ConfigurationError,
    ConnectionLost,
)
from spark_jupyter.providers.base import TextDelta
from tests.connection.peers import (
    QUICK,
    WITH_SPARE,
    Event,
    broken_by,
    choice,
    collect,
    collect_until_error,
    connected,
    delta,
    error_event,
    first_then_greet,
    greet,
    peer,
    request,
    text_of,
    until,
)

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection


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


@pytest.mark.parametrize("proxy", ["gopher://127.0.0.1:9", "http://[::1:9"])
@pytest.mark.parametrize("dialect", ["responses-websocket", "chat"])
def test_a_proxy_that_cannot_be_used_is_said(dialect: str, proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", proxy)
    scheme = "ws" if dialect == "responses-websocket" else "http"

    async def run() -> None:
        async with connected(choice(f"{scheme}://far.invalid:1/v1", dialect)) as connection:
            with pytest.raises(ConfigurationError, match="NO_PROXY"):
                await collect(connection.stream(request()))

    asyncio.run(run())


def test_a_quiet_socket_is_pinged_and_a_dead_one_is_replaced() -> None:
    async def run() -> None:
        options = msgspec.structs.replace(QUICK, quiet=0.8)
        async with peer(greet) as server, connected(choice(server.url), options) as connection:
            await connection.open()
            await asyncio.sleep(2.0)
            assert len(server.sockets) == 1, "pongs are signs of life"
            # A peer that is gone without a word: nothing is read, nothing is answered.
            server.sockets[0].transport.pause_reading()
            await until(lambda: len(server.sockets) == 2)
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_what_a_users_seed_gives_is_the_same_while_sockets_are_looked_after(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []

    class Watched(BoundedConnection):
        async def ping(self, *content: Any) -> Any:
            pong = await super().ping(*content)
            sent.append(content)
            return pong

    monkeypatch.setattr("spark_jupyter.connection.websocket.BoundedConnection", Watched)

    async def run() -> None:
        options = msgspec.structs.replace(QUICK, quiet=0.2)
        async with peer(greet) as server, connected(choice(server.url), options) as connection:
            await connection.open()
            state = random.getstate()
            await until(lambda: len(sent) > 1)
            assert random.getstate() == state

    asyncio.run(run())


def test_an_idle_socket_that_the_provider_closes_is_replaced_in_the_background() -> None:
    async def run() -> None:
        async with peer(greet) as server, connected(choice(server.url), WITH_SPARE) as connection:
            await connection.open()
            await until(lambda: len(server.sockets) == 1)
            await server.sockets[0].close()
            await until(lambda: len(server.sockets) == 2)

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
