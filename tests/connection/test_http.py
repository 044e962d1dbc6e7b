"""The connection over HTTP against real sockets: both dialects, keeping alive, dropping, guessing, and every fault."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
from typing import Any

import msgspec
import pytest

from spark_jupyter.exceptions import (
    ModelNotFound,
)
from spark_jupyter.providers.base import ReasoningDelta, ResponseCompleted, ResponseIncomplete, Usage
from tests.connection.http_peers import (
    CHAT_USAGE,
    DIALECTS,
    Writer,
    begin,
    chat_chunk,
    connected,
    first_then_greet,
    greet,
)
from tests.connection.peers import (
    KEY,
    begin_events,
    choice,
    chunk,
    collect,
    collect_until_error,
    delta,
    end_events,
    event_chunk,
    http_peer,
    reply,
    request,
    text_of,
)

# --- Turns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_turn_streams_and_the_connection_is_kept(dialect: str) -> None:
    async def run() -> None:
        async with http_peer(greet) as server, connected(choice(server.url, dialect)) as connection:
            await connection.open()
            for _ in range(3):
                events = await collect(connection.stream(request("hi")))
                assert text_of(events) == "Hello, world"
                assert isinstance(events[-1], ResponseCompleted)
                assert events[-1].usage is not None
                assert events[-1].usage.output_tokens == 3
            assert server.connections == 1
            assert server.requests[-1][2]["authorization"] == f"Bearer {KEY}"

    asyncio.run(run())


def test_a_request_that_only_warms_up_generates_nothing() -> None:
    async def run() -> None:
        async with http_peer(greet) as server, connected(choice(server.url, "chat")) as connection:
            assert await collect(connection.stream(request(generate=False))) == []
            assert [method for method, *_ in server.requests] == ["GET"]

    asyncio.run(run())


def test_the_body_of_each_dialect_is_what_its_servers_take() -> None:
    async def sent(dialect: str, **profile: object) -> dict[str, Any]:
        async with http_peer(greet) as server, connected(choice(server.url, dialect, **profile)) as connection:
            asked = request("a", "b", "c", prediction="x = 1", max_output_tokens=9)
            await collect(connection.stream(asked))
            body: dict[str, Any] = json.loads(server.requests[-1][3])
            return body

    responses = asyncio.run(sent("responses-sse"))
    assert responses["stream"] is True
    assert responses["store"] is False
    first, answered, last = (item["content"] for item in responses["input"])
    assert [first[0]["type"], answered, last[0]["type"]] == ["input_text", "b", "input_text"]
    assert "prediction" not in responses
    chat = asyncio.run(sent("chat", prediction=True, max_tokens_field="max_completion_tokens"))
    assert [message["role"] for message in chat["messages"]] == ["system", "user", "assistant", "user"]
    assert chat["prediction"] == {"type": "content", "content": "x = 1"}
    assert chat["max_completion_tokens"] == 9
    assert chat["stream_options"] == {"include_usage": True}
    assert "prediction" not in asyncio.run(sent("chat"))


def test_reasoning_refusals_and_length_of_chat_completions() -> None:
    async def answer(writer: Writer, path: str) -> None:
        begin_events(writer)
        event_chunk(writer, chat_chunk(reasoning_content="hm"))
        event_chunk(writer, chat_chunk(reasoning="hm"))
        event_chunk(writer, chat_chunk(refusal="No."))
        event_chunk(writer, chat_chunk(finish="stop"))
        event_chunk(writer, "[DONE]")
        end_events(writer)

    async def run() -> None:
        async with http_peer(first_then_greet(answer)) as server, connected(choice(server.url, "chat")) as connection:
            events = await collect(connection.stream(request()))
            assert [event for event in events if isinstance(event, ReasoningDelta)] == [ReasoningDelta("hm")] * 2
            assert text_of(events) == "No."
            assert isinstance(events[-1], ResponseIncomplete)
            assert events[-1].reason == "refusal"

    asyncio.run(run())


def test_a_chat_stream_that_ends_without_done_is_whole_after_a_finish_reason() -> None:
    async def answer(writer: Writer, path: str) -> None:
        begin_events(writer)
        event_chunk(writer, chat_chunk("all"))
        event_chunk(writer, chat_chunk(finish="length"))
        event_chunk(writer, CHAT_USAGE)
        end_events(writer)

    async def run() -> None:
        async with http_peer(first_then_greet(answer)) as server, connected(choice(server.url, "chat")) as connection:
            events = await collect(connection.stream(request()))
            assert text_of(events) == "all"
            assert events[-1] == ResponseIncomplete(
                reason="max_output_tokens", response_id="c1", usage=Usage(input_tokens=7, output_tokens=3)
            )

    asyncio.run(run())


def test_closing_the_stream_closes_the_connection_and_the_next_turn_works() -> None:
    async def endless(writer: Writer, path: str) -> None:
        await begin(writer, path)
        while True:
            event_chunk(writer, delta("tick "))
            await writer.drain()
            await asyncio.sleep(0.005)

    async def run() -> None:
        async with (
            http_peer(first_then_greet(endless)) as server,
            connected(choice(server.url, "responses-sse")) as connection,
        ):
            stream = connection.stream(request())
            async for batch in stream:
                if text_of(batch):
                    break
            await stream.aclose()
            async with asyncio.timeout(60):
                await server.gone.wait()
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_requests_stream_beside_each_other_and_one_is_dropped_alone(dialect: str) -> None:
    """As the attempts of a race do: each has a connection of its own, and its temperature goes along."""
    both = asyncio.Event()

    async def slow(writer: Writer, path: str) -> None:
        await begin(writer, path)
        both.set()
        while True:
            chunk(writer, b": still here\n\n")
            await writer.drain()
            await asyncio.sleep(0.005)

    async def run() -> None:
        async with http_peer(first_then_greet(slow)) as server, connected(choice(server.url, dialect)) as connection:
            loser = asyncio.create_task(collect(connection.stream(request(temperature=0.8))))
            async with asyncio.timeout(60):
                await both.wait()
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            assert server.connections == 2
            assert not server.gone.is_set()
            assert [json.loads(body).get("temperature") for _, _, _, body in server.requests] == [0.8, None]
            loser.cancel()
            async with asyncio.timeout(60):
                await server.gone.wait()
            with pytest.raises(asyncio.CancelledError):
                await loser

    asyncio.run(run())


def test_what_has_not_begun_to_ask_when_the_connection_closes_leaves_no_warning(recwarn) -> None:
    async def run() -> None:
        async with http_peer(greet) as server, connected(choice(server.url, "chat")) as connection:
            asking = asyncio.create_task(collect(connection.stream(request())))
            await asyncio.sleep(0)  # its answer has a task now, which has not run
            await connection.close()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert server.requests == []

    asyncio.run(run())
    gc.collect()
    assert [str(one.message) for one in recwarn] == []


def test_cancelling_the_task_closes_the_connection() -> None:
    async def silent(writer: Writer, path: str) -> None:
        await begin(writer, path)
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(b"")
                chunk(writer, b": still here\n\n")
                await writer.drain()
                await asyncio.sleep(0.005)
        raise ConnectionResetError

    async def run() -> None:
        async with http_peer(first_then_greet(silent)) as server, connected(choice(server.url, "chat")) as connection:
            task = asyncio.create_task(collect(connection.stream(request())))
            while not server.requests:
                await asyncio.sleep(0.005)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with asyncio.timeout(60):
                await server.gone.wait()
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


def test_an_unknown_server_is_asked_for_responses_and_then_for_chat_completions() -> None:
    async def chat_only(writer: Writer, method: str, path: str, body: bytes) -> None:
        if path == "/v1/responses":
            reply(writer, b'{"detail":"Not Found"}', status="404 Not Found")
        else:
            await greet(writer, method, path, body)

    async def run() -> None:
        async with http_peer(chat_only) as server, connected(choice(server.url, "auto")) as connection:
            for _ in range(2):
                assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            paths = [path for _, path, *_ in server.requests]
            assert paths == ["/v1/responses", "/v1/chat/completions", "/v1/chat/completions"]
        async with http_peer(greet) as server, connected(choice(server.url, "auto")) as connection:
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            assert [path for _, path, *_ in server.requests] == ["/v1/responses"]

    asyncio.run(run())


def test_a_model_that_is_not_there_is_no_reason_to_guess_another_dialect() -> None:
    async def no_model(writer: Writer, path: str) -> None:
        body = {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}}
        reply(writer, json.dumps(body).encode(), status="404 Not Found")

    async def run() -> None:
        async with http_peer(first_then_greet(no_model)) as server, connected(choice(server.url, "auto")) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert isinstance(error, ModelNotFound)
            assert error.available == ("m", "n")

    asyncio.run(run())


# --- Models --------------------------------------------------------------------------------------------------------


def test_the_prices_of_a_profile_come_with_its_models() -> None:
    async def run() -> None:
        async with http_peer(greet) as server:
            from spark_jupyter.providers.profiles import parse_profiles

            text = '[p]\nprices = { "m" = { input = 1.0, output = 2.0, as_of = 2026-01-01 } }'
            chosen = msgspec.structs.replace(
                choice(server.url, "chat"), profile=parse_profiles(text, origin="a test")["p"]
            )
            async with connected(chosen) as connection:
                first, second = await connection.models()
                assert (first.input_price, first.output_price) == (1.0, 2.0)
                assert second.input_price is None

    asyncio.run(run())


def test_a_websocket_provider_lists_its_models_over_http() -> None:
    async def run() -> None:
        async with http_peer(greet) as server:
            chosen = choice(server.url.replace("http", "ws"))
            async with connected(chosen) as connection:
                assert [model.id for model in await connection.models()] == ["m", "n"]

    asyncio.run(run())
