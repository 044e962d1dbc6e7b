"""Anthropic's Messages, over a real socket, from a server that sends what Anthropic's reference says."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from spark_jupyter.connection import connect
from spark_jupyter.exceptions import (
    AuthenticationFailed,
    ConnectionLost,
    ModelNotFound,
    Overloaded,
    ProviderError,
    RateLimited,
)
from spark_jupyter.providers.base import (
    ModelEvent,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    Usage,
)
from tests.connection.peers import (
    KEY,
    QUICK,
    HTTPPeer,
    begin_events,
    choice,
    chunk,
    collect,
    collect_until_error,
    end_events,
    http_peer,
    reply,
    request,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Event = dict[str, Any]

START: Event = {
    "type": "message_start",
    "message": {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "stop_reason": None,
        "usage": {
            "input_tokens": 12,
            "cache_creation_input_tokens": 30,
            "cache_read_input_tokens": 400,
            "output_tokens": 1,
        },
    },
}
PING: Event = {"type": "ping"}
STOP: Event = {"type": "message_stop"}


def block(index: int, kind: str, *deltas: Event, **fields: object) -> list[Event]:
    begun = {"type": kind, **fields}
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(*words: str, index: int = 0) -> list[Event]:
    return block(index, "text", *({"type": "text_delta", "text": word} for word in words), text="")


def end(reason: str = "end_turn", output_tokens: int = 15) -> list[Event]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": output_tokens}}, STOP]


def serves(*events: Event) -> Callable[..., Any]:
    async def answer(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        if method == "GET":
            listed = {"data": [{"type": "model", "id": "claude-a", "max_input_tokens": 200_000}], "has_more": False}
            reply(writer, json.dumps(listed).encode())
            return
        begin_events(writer)
        for event in events:
            chunk(writer, f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        end_events(writer)

    return answer


def refuses(status: str, kind: str, message: str, extra: str = "") -> Callable[..., Any]:
    async def answer(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        said = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
        reply(writer, json.dumps(said).encode(), status=status, extra=extra)

    return answer


async def ask(answer: Callable[..., Any], *texts: str, **fields: Any) -> tuple[list[ModelEvent], HTTPPeer]:
    async with http_peer(answer) as server:
        connection = connect(choice(server.url, "anthropic"), options=QUICK)
        try:
            return await collect(connection.stream(request(*texts, **fields))), server
        finally:
            await connection.close()


async def failure(answer: Callable[..., Any]) -> tuple[str, ProviderError | None]:
    async with http_peer(answer) as server:
        connection = connect(choice(server.url, "anthropic"), options=QUICK)
        try:
            return await collect_until_error(connection.stream(request("hi")))
        finally:
            await connection.close()


def test_an_answer_comes_with_all_that_was_read_written_and_cached() -> None:
    events, _ = asyncio.run(ask(serves(START, PING, *text("Hel", "lo"), *end()), "hi"))
    usage = Usage(input_tokens=442, cached_tokens=400, cache_written_tokens=30, output_tokens=15)
    assert events == [
        ResponseStarted(response_id="msg_01", model="claude-sonnet-4-5-20250929"),
        TextDelta("Hel"),
        TextDelta("lo"),
        ResponseCompleted(response_id="msg_01", usage=usage),
    ]


def test_the_request_is_what_the_reference_asks_for_and_marks_what_to_cache() -> None:
    _, server = asyncio.run(ask(serves(START, *text("x"), *end()), "one", "two", "three", temperature=0.3))
    method, path, headers, body = server.requests[0]
    assert (method, path) == ("POST", "/v1/messages")
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in headers
    cached = {"cache_control": {"type": "ephemeral"}}
    assert json.loads(body) == {
        "model": "m",
        "max_tokens": 32_000,
        "stream": True,
        "temperature": 0.3,
        "system": [{"type": "text", "text": "be brief", **cached}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "one"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "two", **cached}]},
            {"role": "user", "content": [{"type": "text", "text": "three", **cached}]},
        ],
    }


def test_a_model_that_is_told_how_hard_to_think_gets_no_temperature_and_its_thinking_is_no_answer() -> None:
    thinking = block(
        0,
        "thinking",
        {"type": "thinking_delta", "thinking": "hm"},
        {"type": "signature_delta", "signature": "abc"},
        thinking="",
    )
    events, server = asyncio.run(
        ask(serves(START, *thinking, *text("so", index=1), *end()), "hi", temperature=0.3, effort="high")
    )
    sent = json.loads(server.requests[0][3])
    assert (sent["thinking"], sent["output_config"]) == ({"type": "adaptive"}, {"effort": "high"})
    assert "temperature" not in sent
    assert [event.text for event in events if isinstance(event, ReasoningDelta)] == ["", "hm"]
    assert text_of(events) == "so"


def test_thinking_that_is_not_shown_is_told_as_thinking() -> None:
    hidden = block(0, "redacted_thinking", data="…")
    events, _ = asyncio.run(ask(serves(START, *hidden, *text("so", index=1), *end()), "hi"))
    assert ReasoningDelta("") in events


def test_another_block_of_text_begins_a_paragraph() -> None:
    events, _ = asyncio.run(ask(serves(START, *text("one"), *text("```python", index=1), *end()), "hi"))
    assert text_of(events) == "one\n\n```python"


@pytest.mark.parametrize(
    ("stop", "reason"),
    [("max_tokens", "max_output_tokens"), ("refusal", "refusal"), ("model_context_window_exceeded", "context_window")],
)
def test_an_answer_that_is_cut_short_says_why(stop: str, reason: str) -> None:
    events, _ = asyncio.run(ask(serves(START, *text("x"), *end(stop)), "hi"))
    assert isinstance(events[-1], ResponseIncomplete)
    assert events[-1].reason == reason


def test_code_in_a_call_that_nobody_offered_is_an_answer() -> None:
    call = block(
        0,
        "tool_use",
        {"type": "input_json_delta", "partial_json": '{"code": "x = '},
        {"type": "input_json_delta", "partial_json": '1\\n"}'},
        id="t",
        name="python",
        input={},
    )
    events, _ = asyncio.run(ask(serves(START, *call, *end("tool_use")), "hi"))
    assert text_of(events) == "\n\n```python\nx = 1\n```\n"
    assert isinstance(events[-1], ResponseCompleted)


def test_a_call_of_any_other_tool_is_no_answer() -> None:
    call = block(0, "tool_use", {"type": "input_json_delta", "partial_json": '{"q": "x"}'}, id="t", name="search")
    events, _ = asyncio.run(ask(serves(START, *call, *end("tool_use")), "hi"))
    assert isinstance(events[-1], ResponseIncomplete)
    assert events[-1].reason == "tool_call"


@pytest.mark.parametrize(
    ("status", "kind", "message", "expected"),
    [
        ("401 Unauthorized", "authentication_error", "invalid x-api-key", AuthenticationFailed),
        ("403 Forbidden", "permission_error", "no", AuthenticationFailed),
        ("404 Not Found", "not_found_error", "model: claude-9", ModelNotFound),
        ("529 Overloaded", "overloaded_error", "Overloaded", Overloaded),
    ],
)
def test_a_refusal_is_the_error_that_says_what_to_do(
    status: str, kind: str, message: str, expected: type[ProviderError]
) -> None:
    _, error = asyncio.run(failure(refuses(status, kind, message)))
    assert isinstance(error, expected)


def test_a_rate_limit_says_how_long_to_wait() -> None:
    _, error = asyncio.run(failure(refuses("429 Too Many Requests", "rate_limit_error", "slow", "retry-after: 7\r\n")))
    assert isinstance(error, RateLimited)
    assert error.retry_after == 7.0


def test_what_came_before_an_error_in_the_stream_is_kept() -> None:
    error_event = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    said, error = asyncio.run(failure(serves(START, *text("kept"), error_event)))
    assert said == "kept"
    assert isinstance(error, Overloaded)


def test_a_stream_that_ends_in_the_middle_is_no_answer() -> None:
    said, error = asyncio.run(failure(serves(START, *text("half")[:2])))
    assert said == "half"
    assert isinstance(error, ConnectionLost)


def test_events_of_types_that_are_not_known_are_passed_over() -> None:
    events, _ = asyncio.run(ask(serves(START, {"type": "news", "delta": None}, *text("x"), *end()), "hi"))
    assert text_of(events) == "x"


def test_the_list_of_models_tells_their_windows() -> None:
    async def run() -> None:
        async with http_peer(serves()) as server:
            connection = connect(choice(server.url, "anthropic"), options=QUICK)
            try:
                models = await connection.models()
            finally:
                await connection.close()
            assert [(model.id, model.context_window) for model in models] == [("claude-a", 200_000)]
            assert server.requests[0][2]["x-api-key"] == KEY

    asyncio.run(run())
