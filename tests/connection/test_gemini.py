"""Gemini's streamGenerateContent, over a real socket, from a server that sends what Google's reference says."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from spark_jupyter.connection import connect
from spark_jupyter.exceptions import AuthenticationFailed, ConnectionLost, ModelNotFound, Overloaded, RateLimited
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

    from spark_jupyter.exceptions import ProviderError

Json = dict[str, Any]
NAMED = {"modelVersion": "gemini-2.5-flash", "responseId": "r1"}


def piece(*parts: Json, finish: str | None = None, **usage: int) -> Json:
    candidate: Json = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 9, **usage}, **NAMED}


def serves(*pieces: Json) -> Callable[..., Any]:
    """Lines end as Google's do."""

    async def answer(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        if method == "GET":
            made = {"name": "models/gemini-a", "inputTokenLimit": 1_000_000}
            listed = [
                {**made, "supportedGenerationMethods": ["generateContent", "countTokens"]},
                {"name": "models/embedding-1", "supportedGenerationMethods": ["embedContent"]},
            ]
            reply(writer, json.dumps({"models": listed}).encode())
            return
        begin_events(writer)
        for each in pieces:
            chunk(writer, f"data: {json.dumps(each)}\r\n\r\n".encode())
        end_events(writer)

    return answer


def refuses(status: str, error: Json) -> Callable[..., Any]:
    async def answer(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        reply(writer, json.dumps([{"error": error}]).encode(), status=status)

    return answer


async def ask(answer: Callable[..., Any], *texts: str, **fields: Any) -> tuple[list[ModelEvent], HTTPPeer]:
    async with http_peer(answer) as server:
        connection = connect(choice(server.url.replace("/v1", "/v1beta"), "gemini"), options=QUICK)
        try:
            return await collect(connection.stream(request(*texts, **fields))), server
        finally:
            await connection.close()


async def failure(answer: Callable[..., Any]) -> tuple[str, ProviderError | None]:
    async with http_peer(answer) as server:
        connection = connect(choice(server.url, "gemini"), options=QUICK)
        try:
            return await collect_until_error(connection.stream(request("hi")))
        finally:
            await connection.close()


def test_an_answer_comes_with_what_was_thought_and_cached() -> None:
    events, _ = asyncio.run(
        ask(
            serves(
                piece({"text": "let me see", "thought": True}),
                piece({"text": "Hel"}, candidatesTokenCount=1),
                piece(
                    {"text": "lo"},
                    finish="STOP",
                    candidatesTokenCount=2,
                    thoughtsTokenCount=40,
                    cachedContentTokenCount=5,
                ),
            ),
            "hi",
        )
    )
    usage = Usage(input_tokens=9, cached_tokens=5, output_tokens=42, reasoning_tokens=40)
    assert events == [
        ResponseStarted(response_id="r1", model="gemini-2.5-flash"),
        ReasoningDelta("let me see"),
        TextDelta("Hel"),
        TextDelta("lo"),
        ResponseCompleted(response_id="r1", usage=usage),
    ]


def test_the_model_stands_in_the_address_and_the_conversation_in_the_body() -> None:
    _, server = asyncio.run(
        ask(
            serves(piece({"text": "x"}, finish="STOP")),
            *("one", "two", "three"),
            model="models/gemini/../x?",
            max_output_tokens=7,
            effort="low",
        )
    )
    method, path, headers, body = server.requests[0]
    assert (method, path) == ("POST", "/v1beta/models/gemini%2F..%2Fx%3F:streamGenerateContent?alt=sse")
    assert headers["x-goog-api-key"] == KEY
    assert "authorization" not in headers
    assert json.loads(body) == {
        "contents": [
            {"role": "user", "parts": [{"text": "one"}]},
            {"role": "model", "parts": [{"text": "two"}]},
            {"role": "user", "parts": [{"text": "three"}]},
        ],
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "generationConfig": {
            "maxOutputTokens": 7,
            "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True},
        },
    }


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("MAX_TOKENS", "max_output_tokens"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "tool_call"),
    ],
)
def test_an_answer_that_is_cut_short_says_why(finish: str, reason: str) -> None:
    events, _ = asyncio.run(ask(serves(piece({"text": "x"}), piece(finish=finish)), "hi"))
    assert isinstance(events[-1], ResponseIncomplete)
    assert events[-1].reason == reason


def test_a_prompt_that_is_blocked_says_so() -> None:
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 3}}
    events, _ = asyncio.run(ask(serves(blocked), "hi"))
    assert events[-1] == ResponseIncomplete(reason="content_filter", usage=Usage(input_tokens=3))


def test_code_that_the_model_would_run_itself_is_an_answer() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "x = 1\n"}}
    call = {"functionCall": {"name": "run_python", "args": {"code": "y = '```'"}}}
    events, _ = asyncio.run(ask(serves(piece(code, call, finish="STOP")), "hi"))
    assert text_of(events) == "\n\n```python\nx = 1\n```\n\n\n````python\ny = '```'\n````\n"
    assert isinstance(events[-1], ResponseCompleted)


def test_a_wrong_key_is_told_from_a_wrong_request() -> None:
    wrong = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    _, error = asyncio.run(failure(refuses("400 Bad Request", {**wrong, "details": details})))
    assert isinstance(error, AuthenticationFailed)


def test_a_model_that_is_not_there_is_said_with_those_that_are() -> None:
    missing = {"code": 404, "message": "models/x is not found for API version v1beta", "status": "NOT_FOUND"}
    refusing, listing = refuses("404 Not Found", missing), serves()

    async def answer(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        await (listing if method == "GET" else refusing)(writer, method, path, body)

    _, error = asyncio.run(failure(answer))
    assert isinstance(error, ModelNotFound)
    assert error.available == ("gemini-a",)


def test_a_rate_limit_says_how_long_to_wait() -> None:
    limit = {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]
    _, error = asyncio.run(failure(refuses("429 Too Many Requests", {**limit, "details": details})))
    assert isinstance(error, RateLimited)
    assert error.retry_after == 34.5


def test_what_came_before_an_error_in_the_stream_is_kept() -> None:
    busy = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    said, error = asyncio.run(failure(serves(piece({"text": "kept"}), busy)))
    assert said == "kept"
    assert isinstance(error, Overloaded)


def test_a_stream_that_ends_without_a_reason_is_no_answer() -> None:
    said, error = asyncio.run(failure(serves(piece({"text": "half"}))))
    assert said == "half"
    assert isinstance(error, ConnectionLost)


def test_the_list_of_models_leaves_out_what_makes_no_text() -> None:
    async def run() -> None:
        async with http_peer(serves()) as server:
            connection = connect(choice(server.url, "gemini"), options=QUICK)
            try:
                models = await connection.models()
            finally:
                await connection.close()
            assert [(model.id, model.context_window) for model in models] == [("gemini-a", 1_000_000)]

    asyncio.run(run())
