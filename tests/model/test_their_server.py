"""Another program's local server, llama.cpp's own: as a provider of chat completions and of Responses, its death, its queue, its window."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from spark_jupyter.connection import connect
from spark_jupyter.connection.base import Connection
from spark_jupyter.connection.discovery import look
from spark_jupyter.exceptions import ConnectionLost, ConnectionRefused, ProviderError, RequestRefused
from spark_jupyter.providers.base import Message, ModelEvent, ModelRequest, PromptProgress, ResponseCompleted, TextDelta
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Choice, Secret
from spark_jupyter.server.engines.llama import _Process
from tests.model.conftest import order

DIALECTS = ["chat", "responses-sse"]


def at(process: _Process, dialect: str) -> Choice:
    profile = Profile(name="theirs", progress=True)
    return Choice(
        profile=profile,
        base_url=f"{process.address.geturl()}/v1",
        model="",
        dialect=dialect,
        api_key=Secret(process.key),
    )


def asked(text: str, most: int = 12) -> ModelRequest:
    return ModelRequest(
        model="", instructions="Be brief.", input=(Message("user", text),), max_output_tokens=most, temperature=0.0
    )


async def collect(connection: Connection, request: ModelRequest) -> list[ModelEvent]:
    return [event async for batch in connection.stream(request) for event in batch]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_streams_in_both_dialects_and_tells_how_far_it_has_read(theirs: _Process, dialect: str) -> None:
    async def run() -> list[ModelEvent]:
        connection = connect(at(theirs, dialect))
        try:
            return await collect(connection, asked("Count to three. " * 20))
        finally:
            await connection.close()

    events = asyncio.run(run())
    assert [event for event in events if isinstance(event, TextDelta)]
    assert [event for event in events if isinstance(event, PromptProgress)][-1].processed > 64
    assert not isinstance(events[-1], (TextDelta, PromptProgress))


def test_it_is_known_by_its_list_of_models(theirs: _Process) -> None:
    seen = asyncio.run(look(at(theirs, "auto")))
    assert (seen.dialect, seen.profile.context_window) == ("chat", 512)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_prompt_beyond_its_window_is_refused_with_the_numbers(theirs: _Process, dialect: str) -> None:
    async def run() -> None:
        connection = connect(at(theirs, dialect))
        try:
            with pytest.raises(RequestRefused, match=r"too long for the model.*\b512\b") as refused:
                await collect(connection, asked("llama " * 2_000))
            assert "larger context" in refused.value.remedy
            assert [each for each in await collect(connection, asked("Hello")) if isinstance(each, TextDelta)]
        finally:
            await connection.close()

    asyncio.run(run())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_arrived_before_it_died_is_kept_and_after_its_restart_it_is_asked_again(
    weights: Path, dialect: str
) -> None:
    process = _Process(order(weights))
    died: list[ProviderError] = []
    text: list[str] = []

    async def until_it_dies() -> None:
        connection = connect(at(process, dialect))
        try:
            async for batch in connection.stream(asked("Tell a very long story of a llama.", most=400)):
                text.extend(event.text for event in batch if isinstance(event, TextDelta))
                if text and process.ended is None:
                    os.kill(process._popen.pid, signal.SIGKILL)
        except ProviderError as error:
            died.append(error)
        try:
            with pytest.raises((ConnectionLost, ConnectionRefused)):
                await collect(connection, asked("Hello"))
        finally:
            await connection.close()

    asyncio.run(until_it_dies())
    process.end()
    assert text
    assert isinstance(died[0], ConnectionLost)
    again = _Process(order(weights))
    try:
        connection = connect(at(again, dialect))
        assert asyncio.run(_one(connection))
    finally:
        again.end()


async def _one(connection: Connection) -> list[ModelEvent]:
    try:
        return await collect(connection, asked("Hello"))
    finally:
        await connection.close()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_requests_wait_in_its_queue_and_one_that_is_dropped_there_costs_the_others_nothing(
    theirs: _Process, dialect: str
) -> None:
    async def run() -> list[list[ModelEvent]]:
        connection = connect(at(theirs, dialect))
        try:
            first = asyncio.create_task(collect(connection, asked("Tell of llamas.", most=40)))
            dropped = asyncio.create_task(collect(connection, asked("Tell of alpacas.", most=40)))
            third = asyncio.create_task(collect(connection, asked("Tell of camels.")))
            await asyncio.sleep(0.3)
            dropped.cancel()
            return await asyncio.gather(first, third)
        finally:
            await connection.close()

    for events in asyncio.run(run()):
        assert [event for event in events if isinstance(event, TextDelta)]
        assert isinstance(events[-1], ResponseCompleted) or events[-1].__class__.__name__ == "ResponseIncomplete"
