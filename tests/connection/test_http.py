"""The connection over HTTP against real sockets: both dialects, keeping alive, dropping, guessing, and every fault."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from spark_jupyter.connection import connect
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
from spark_jupyter.providers.base import ReasoningDelta, ResponseCompleted, ResponseIncomplete, Usage
from tests.connection.peers import (
    KEY,
    QUICK,
    begin_events,
    choice,
    chunk,
    collect,
    collect_until_error,
    completed,
    created,
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
    from collections.abc import AsyncIterator, Awaitable, Callable

    from spark_jupyter.connection.base import Connection
    from spark_jupyter.providers.profiles import Choice

Writer = asyncio.StreamWriter
DIALECTS = ["responses-sse", "chat"]


@contextlib.asynccontextmanager
async def connected(chosen: Choice, options: Any = QUICK) -> AsyncIterator[Connection]:
    connection = connect(chosen, options=options)
    try:
        yield connection
    finally:
        await connection.close()


def chat_chunk(text: str | None = None, *, finish: str | None = None, **delta_fields: object) -> str:
    fields = {**({"content": text} if text is not None else {}), **delta_fields}
    return json.dumps({"id": "c1", "model": "m", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


CHAT_USAGE = json.dumps({"id": "c1", "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})


async def greet(writer: Writer, method: str, path: str, body: bytes) -> None:
    """Both dialects' answers, and a list of models."""
    if path == "/v1/models":
        reply(writer, b'{"data":[{"id":"m"},{"id":"n"}]}')
        return
    begin_events(writer)
    if path == "/v1/responses":
        for event in (created(), delta("Hello"), delta(", world"), completed()):
            event_chunk(writer, event)
    else:
        for event in (
            chat_chunk("", role="assistant"),
            chat_chunk("Hello"),
            chat_chunk(", world"),
            chat_chunk(finish="stop"),
        ):
            event_chunk(writer, event)
        event_chunk(writer, CHAT_USAGE)
        event_chunk(writer, "[DONE]")
    end_events(writer)


def first_then_greet(first: Callable[[Writer, str], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """A fault in the first answer to a POST only."""
    posts = 0

    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        nonlocal posts
        posts += method == "POST"
        if method == "POST" and posts == 1:
            await first(writer, path)
        else:
            await greet(writer, method, path, body)

    return answer


async def begin(writer: Writer, path: str) -> None:
    """The head of an answer and the word "kept"."""
    begin_events(writer)
    event_chunk(writer, delta("kept") if path.endswith("responses") else chat_chunk("kept"))
    await writer.drain()


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
    assert [item["content"][0]["type"] for item in responses["input"]] == ["input_text", "output_text", "input_text"]
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


# --- Faults --------------------------------------------------------------------------------------------------------


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

    assert asyncio.run(run(never, first_patience=0.2)) == ""
    assert asyncio.run(run(stall, patience=0.2)) == "kept"


def test_nobody_listening_a_bad_certificate_and_a_wrong_protocol_are_said() -> None:
    async def run() -> None:
        async with http_peer(greet) as server:
            pass
        async with connected(choice(server.url, "chat")) as connection:
            with pytest.raises(ConnectionRefused, match="Nobody listens"):
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
            reply(writer, b"[]")

        async with http_peer(nonsense) as server, connected(choice(server.url, "chat")) as connection:
            with pytest.raises(BadResponse):
                await connection.models()

    asyncio.run(run())


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
