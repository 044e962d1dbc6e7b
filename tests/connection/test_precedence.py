"""Turns, completions and offers on one connection: who ends whom, and what a dropped request costs the others. Real sockets."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from spark_jupyter.exceptions import Preempted
from tests.connection.peers import (
    QUICK,
    UNHURRIED,
    WITH_SPARE,
    choice,
    collect,
    completed,
    created,
    delta,
    peer,
    request,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from websockets.asyncio.server import ServerConnection

    from spark_jupyter.providers.base import ModelRequest
from tests.connection.urgencies import WORDS, completion, connected, first_text, offer, within_a_minute

Event = dict[str, Any]

LANES = pytest.mark.parametrize("lanes", [True, False])


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what another task brings about; the test's own timeout ends a wait in vain."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.002)


class Provider:
    """Answers "turn …" with 60 words, one each 5 ms; "held …" with one of them, and the others after ``go_on``; "stay …" with words until
    ``let_go``; everything else with two words, 15 ms apart."""

    def __init__(self) -> None:
        self.let_go = asyncio.Event()
        self.go_on = asyncio.Event()
        self.flood = False
        self.silent = False

    async def answer(self, socket: ServerConnection, event: Event) -> None:
        text = event["input"][-1]["content"][0]["text"] if event["input"] else ""
        lane = {"stream_id": event["stream_id"]} if "stream_id" in event else {}
        await socket.send(created(**lane))
        if text.startswith(("turn", "held")):
            for number in range(60):
                await socket.send(delta(f"{number} ", **lane))
                await (self.go_on.wait() if text.startswith("held") else asyncio.sleep(0.005))
        elif text.startswith("stay"):
            await self._stay(socket, lane)
        else:
            await socket.send(delta("ghost ", **lane))
            await asyncio.sleep(0.015)
            await socket.send(delta("text", **lane))
        await socket.send(completed(**lane))

    async def _stay(self, socket: ServerConnection, lane: Event) -> None:
        await socket.send(delta("first ", **lane))
        while not self.let_go.is_set():
            if not self.silent:
                await socket.send(delta("x" * (20_000 if self.flood else 4), **lane))
            await asyncio.sleep(0.001 if self.flood else 0.005)


# --- What is dropped costs the others nothing ------------------------------------------------------------------------


@LANES
@pytest.mark.parametrize("early", [True, False])
def test_300_completions_dropped_while_typing_open_at_most_one_more_connection(lanes: bool, early: bool) -> None:
    """``early``: before a word of the answer has come."""

    async def run() -> None:
        async with peer(Provider().answer) as server, connected(choice(server.url, lanes=lanes)) as connection:
            await until(lambda: len(server.sockets) == 1)
            for number in range(300):
                key = asyncio.create_task(first_text(connection.stream(completion(f"key {number}"))))
                if not early:
                    await asyncio.wait({key}, timeout=0.02)
                await asyncio.sleep(0.005)
                key.cancel()
                await asyncio.gather(key, return_exceptions=True)
            assert text_of(await collect(connection.stream(completion("pause")))) == "ghost text", (
                "no tail of another one"
            )
            assert len(server.sockets) <= 2
            assert server.gone == 0

    within_a_minute(run())


@LANES
def test_a_completion_that_is_dropped_costs_a_streaming_turn_nothing(lanes: bool) -> None:
    async def run() -> None:
        async with peer(Provider().answer) as server, connected(choice(server.url, lanes=lanes)) as connection:
            await until(lambda: len(server.sockets) == 1)
            turn = asyncio.create_task(collect(connection.stream(request("turn"))))
            await until(lambda: len(server.received) == 1)
            while not turn.done():
                dropped = connection.stream(completion())
                assert (await first_text(dropped)).startswith("ghost")
                await dropped.aclose()
            assert text_of(await turn) == WORDS
            assert server.gone == 0

    within_a_minute(run())


def test_a_lone_socket_serves_a_turn_and_a_dropped_completion() -> None:
    async def run() -> None:
        provider = Provider()
        one = msgspec.structs.replace(QUICK, most_sockets=1)
        async with peer(provider.answer) as server, connected(choice(server.url, lanes=True), one) as connection:
            turn = asyncio.create_task(collect(connection.stream(request("held"))))
            await until(lambda: len(server.received) == 1)
            dropped = connection.stream(completion("stay"))
            assert (await first_text(dropped)).startswith("first")
            await dropped.aclose()
            provider.go_on.set()
            assert text_of(await turn) == WORDS
            provider.let_go.set()
            assert text_of(await collect(connection.stream(request("held", WORDS, "turn again")))) == WORDS
            assert "previous_response_id" in server.received[-1], "the socket and what it knows are still there"
            assert len(server.sockets) == 1

    within_a_minute(run())


@LANES
def test_cancelling_a_turn_closes_its_socket_and_leaves_a_completion_its_own(lanes: bool) -> None:
    async def run() -> None:
        provider = Provider()
        async with peer(provider.answer) as server, connected(choice(server.url, lanes=lanes)) as connection:
            turn = connection.stream(request("stay for ever"))
            await first_text(turn)
            await until(lambda: len(server.sockets) == 2)
            beside = asyncio.create_task(collect(connection.stream(completion("held completion"))))
            await until(lambda: len(server.received) == 2)
            await turn.aclose()
            await until(lambda: server.gone == 1)
            assert not beside.done()
            provider.go_on.set()
            assert text_of(await beside) == WORDS

    within_a_minute(run())


def test_a_cancelled_turn_stops_when_the_last_that_streams_beside_it_has_ended() -> None:
    async def run() -> None:
        provider = Provider()
        one = msgspec.structs.replace(QUICK, most_sockets=1)
        async with peer(provider.answer) as server, connected(choice(server.url, lanes=True), one) as connection:
            turn = connection.stream(request("stay for ever"))
            await first_text(turn)
            beside = asyncio.create_task(collect(connection.stream(completion("held completion"))))
            await until(lambda: len(server.received) == 2)
            await turn.aclose()
            await asyncio.sleep(0.05)
            assert server.gone == 0
            provider.go_on.set()
            assert text_of(await beside) == WORDS
            await until(lambda: server.gone == 1)

    within_a_minute(run())


@LANES
@pytest.mark.parametrize("limit", [None, 100_000])
def test_an_answer_that_may_be_long_is_not_read_to_its_end(lanes: bool, limit: int | None) -> None:
    async def run() -> None:
        async with peer(Provider().answer) as server, connected(choice(server.url, lanes=lanes)) as connection:
            dropped = connection.stream(completion("stay", max_output_tokens=limit))
            await first_text(dropped)
            await dropped.aclose()
            await until(lambda: server.gone == 1)
            assert text_of(await collect(connection.stream(request("turn")))) == WORDS

    within_a_minute(run())


# --- The drain is bounded ----------------------------------------------------------------------------------------------


@LANES
@pytest.mark.parametrize("fault", ["flood", "endless", "silent"])
def test_a_tail_that_does_not_end_is_cut_off(lanes: bool, fault: str) -> None:
    async def run() -> None:
        provider = Provider()
        options = WITH_SPARE if fault == "flood" else msgspec.structs.replace(WITH_SPARE, drain_time=0.1)
        provider.flood, provider.silent = fault == "flood", fault == "silent"
        async with peer(provider.answer) as server, connected(choice(server.url, lanes=lanes), options) as connection:
            await until(lambda: len(server.sockets) == 1)
            dropped = connection.stream(completion("stay"))
            await first_text(dropped)
            await dropped.aclose()
            await until(lambda: server.gone == 1)
            assert text_of(await collect(connection.stream(completion()))) == "ghost text"

    within_a_minute(run())


def test_a_flood_beside_a_turn_is_cut_off_when_the_turn_has_ended() -> None:
    async def run() -> None:
        provider = Provider()
        provider.flood = True
        one = msgspec.structs.replace(QUICK, most_sockets=1)
        async with peer(provider.answer) as server, connected(choice(server.url, lanes=True), one) as connection:
            turn = asyncio.create_task(collect(connection.stream(request("turn"))))
            await until(lambda: len(server.received) == 1)
            dropped = connection.stream(completion("stay"))
            await first_text(dropped)
            await dropped.aclose()
            assert text_of(await turn) == WORDS
            await until(lambda: server.gone == 1)

    within_a_minute(run())


# --- Who ends whom -------------------------------------------------------------------------------------------------------


@LANES
@pytest.mark.parametrize("spare", [True, False])
@pytest.mark.parametrize(
    ("lesser", "greater"),
    [
        (completion("stay"), request("turn")),
        (offer("stay"), request("turn")),
        (offer("stay"), completion("turn-long completion")),
    ],
)
def test_the_more_urgent_request_ends_the_other_and_does_not_wait_for_it(
    lanes: bool, spare: bool, lesser: ModelRequest, greater: ModelRequest
) -> None:
    async def run() -> None:
        provider, options = Provider(), msgspec.structs.replace(UNHURRIED, spare=spare)
        async with peer(provider.answer) as server, connected(choice(server.url, lanes=lanes), options) as connection:
            under_way = connection.stream(lesser)
            await first_text(under_way)
            waiting = asyncio.create_task(collect(under_way))
            answer = asyncio.create_task(collect(connection.stream(greater)))
            with pytest.raises(Preempted) as ended:
                await waiting
            assert lesser.priority.name.lower() in ended.value.message
            assert greater.priority.name.lower() in ended.value.message
            assert ended.value.remedy
            assert text_of(await answer) == WORDS, "while the other one's answer still comes"
            assert server.gone == 0
            provider.let_go.set()
            assert text_of(await collect(connection.stream(completion()))) == "ghost text"

    within_a_minute(run())


def test_a_request_that_is_ended_between_two_batches_learns_it_with_the_next() -> None:
    async def run() -> None:
        async with peer(Provider().answer) as server, connected(choice(server.url, lanes=True)) as connection:
            under_way = connection.stream(completion("stay"))
            await first_text(under_way)
            assert text_of(await collect(connection.stream(request("turn")))) == WORDS
            with pytest.raises(Preempted):
                await collect(under_way)
            assert server.gone == 0

    within_a_minute(run())


def test_what_a_cancelled_task_was_waiting_for_is_a_cancellation_and_no_preemption() -> None:
    async def run() -> None:
        async with peer(Provider().answer) as server, connected(choice(server.url, lanes=True)) as connection:
            waiting = asyncio.create_task(collect(connection.stream(completion("stay"))))
            await until(lambda: len(server.received) == 1)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    within_a_minute(run())


@LANES
def test_a_lesser_request_that_begins_later_ends_nobody(lanes: bool) -> None:
    async def run() -> None:
        provider = Provider()
        async with peer(provider.answer) as server, connected(choice(server.url, lanes=lanes)) as connection:
            turn = asyncio.create_task(collect(connection.stream(request("held"))))
            await until(lambda: len(server.received) == 1)
            assert text_of(await collect(connection.stream(completion()))) == "ghost text"
            assert not turn.done(), "beside it, not after it"
            provider.go_on.set()
            assert text_of(await turn) == WORDS

    within_a_minute(run())


@LANES
def test_an_offer_waits_until_nothing_more_urgent_is_under_way(lanes: bool) -> None:
    async def run() -> None:
        provider = Provider()
        async with peer(provider.answer) as server, connected(choice(server.url, lanes=lanes)) as connection:
            turn = asyncio.create_task(collect(connection.stream(request("held"))))
            await until(lambda: len(server.received) == 1)
            offered = asyncio.create_task(collect(connection.stream(offer())))
            dropped = asyncio.create_task(collect(connection.stream(offer("never asked"))))
            await asyncio.sleep(0.02)
            dropped.cancel()
            assert len(server.received) == 1
            provider.go_on.set()
            assert text_of(await turn) == WORDS
            assert text_of(await offered) == "ghost text"
            assert [event["input"][0]["content"][0]["text"] for event in server.received] == ["held", "offer"]
            assert server.gone == 0

    within_a_minute(run())


def test_an_offer_does_not_wait_for_ever() -> None:
    async def run() -> None:
        # The turn's own first word has to come in it, too.
        hasty = msgspec.structs.replace(WITH_SPARE, first_patience=1.5)
        async with peer(Provider().answer) as server, connected(choice(server.url, lanes=True), hasty) as connection:
            turn = connection.stream(request("stay"))
            await first_text(turn)
            with pytest.raises(Preempted, match="not asked for"):
                await collect(connection.stream(offer()))
            assert len(server.received) == 1
            await turn.aclose()

    within_a_minute(run())


# --- Which socket --------------------------------------------------------------------------------------------------------


@LANES
def test_completions_leave_a_turn_what_it_goes_on_from(lanes: bool) -> None:
    async def run() -> None:
        async with peer(Provider().answer) as server, connected(choice(server.url, lanes=lanes)) as connection:
            await until(lambda: len(server.sockets) == 1)
            await collect(connection.stream(request("turn")))
            for _ in range(20):
                await collect(connection.stream(completion()))
            await collect(connection.stream(request("turn", WORDS, "turn again")))
            assert "previous_response_id" in server.received[-1]
            assert not any("previous_response_id" in event for event in server.received[:-1])

    within_a_minute(run())


def test_who_only_types_has_one_connection_and_the_spare_comes_with_the_first_turn() -> None:
    async def run() -> None:
        provider = Provider()
        async with peer(provider.answer) as server, connected(choice(server.url)) as connection:
            for number in range(20):
                dropped = connection.stream(completion(f"key {number}"))
                await first_text(dropped)
                await dropped.aclose()
            assert text_of(await collect(connection.stream(completion()))) == "ghost text"
            assert len(server.sockets) == 1
            turn = asyncio.create_task(collect(connection.stream(request("held"))))
            await until(lambda: len(server.sockets) == 2)
            assert not turn.done()
            provider.go_on.set()
            assert text_of(await turn) == WORDS

    within_a_minute(run())


def test_who_only_types_beside_an_answer_that_goes_on_gets_one_more_connection() -> None:
    async def run() -> None:
        provider = Provider()
        async with peer(provider.answer) as server, connected(choice(server.url)) as connection:
            first = asyncio.create_task(collect(connection.stream(completion("stay"))))
            await until(lambda: len(server.received) == 1)
            assert text_of(await collect(connection.stream(completion()))) == "ghost text"
            assert len(server.sockets) == 2
            provider.let_go.set()
            await first

    within_a_minute(run())


def test_without_lanes_the_last_free_socket_is_kept_for_a_turn() -> None:
    async def run() -> None:
        provider = Provider()
        async with peer(provider.answer) as server, connected(choice(server.url)) as connection:
            await collect(connection.stream(request("turn")))
            await until(lambda: len(server.sockets) == 2)
            first = asyncio.create_task(collect(connection.stream(completion("stay"))))
            await until(lambda: len(server.received) == 2)
            second = asyncio.create_task(collect(connection.stream(completion())))
            await asyncio.sleep(0.05)
            assert len(server.received) == 2, "it waits"
            assert text_of(await second) == "ghost text", "for one more socket, since the first one stays busy"
            assert len(server.sockets) == 3
            provider.let_go.set()
            await first

    within_a_minute(run())
