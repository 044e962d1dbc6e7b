"""The chat completions dialect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark_jupyter.exceptions import BadResponse, RateLimited
from spark_jupyter.providers.base import (
    ModelEvent,
    ModelRequest,
    PromptProgress,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    Usage,
)
from spark_jupyter.providers.chat_completions import ChatCompletions, ChatDecoder
from spark_jupyter.providers.profile import Profile

REQUEST = ModelRequest(model="m", instructions="", input=())


def decode(*data: object) -> list[ModelEvent]:
    decoder = ChatCompletions(Profile(name="test")).decoder(REQUEST)
    frames = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in data]
    return [event for frame in frames for event in decoder.receive_data(frame)]


def chunk(finish: str | None = None, index: int = 0, **delta: Any) -> dict[str, Any]:
    return {"id": "c", "model": "m-1", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


DONE = b"[DONE]"


def test_an_answer_is_started_written_and_completed_with_its_usage() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}}
    events = decode(
        chunk(role="assistant", content=""),
        chunk(content="a"),
        chunk(content="b"),
        chunk("stop"),
        {"id": "c", "choices": [], "usage": usage},
        DONE,
    )
    assert events == [
        ResponseStarted(response_id="c", model="m-1"),
        TextDelta("a"),
        TextDelta("b"),
        ResponseCompleted(response_id="c", usage=Usage(input_tokens=5, cached_tokens=3, output_tokens=2)),
    ]


def test_usage_may_come_with_the_last_chunk() -> None:
    last = {**chunk("stop", content="a"), "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    assert decode(last, DONE)[-1] == ResponseCompleted(response_id="c", usage=Usage(input_tokens=1, output_tokens=1))


@pytest.mark.parametrize(("finish", "reason"), [("length", "max_output_tokens"), ("content_filter", "content_filter")])
def test_an_answer_that_was_cut_short_says_why(finish: str, reason: str) -> None:
    assert decode(chunk(finish, content="a"), DONE)[-1] == ResponseIncomplete(reason=reason, response_id="c")


def test_reasoning_and_refusals_are_told_apart_from_text() -> None:
    events = decode(chunk(reasoning_content="x"), chunk(reasoning="y"), chunk(refusal="No."), chunk("stop"), DONE)
    assert events[1:] == [
        ReasoningDelta("x"),
        ReasoningDelta("y"),
        TextDelta("No."),
        ResponseIncomplete(reason="refusal", response_id="c"),
    ]


def test_only_the_first_choice_is_the_answer() -> None:
    assert TextDelta("b") not in decode(chunk(content="a"), chunk(index=1, content="b"))
    assert TextDelta("b") in decode(chunk(index=1, content="b"), chunk(index=1, finish="stop"), b"[DONE]")


def test_null_fields_and_unknown_ones_do_no_harm() -> None:
    odd = {"id": None, "choices": [{"index": 0, "delta": {"content": None, "tool_calls": None, "x": 1}}], "usage": None}
    assert decode(odd, {"choices": None, "service_tier": "x"}, {"choices": [{"delta": None}]})[1:] == []


@pytest.mark.parametrize(
    "data",
    [
        {"error": {"message": "slow", "code": 429}},
        {"error": {"message": "slow", "type": "rate_limit_error"}},
        {"object": "error", "message": "slow", "code": 429},
    ],
)
def test_an_error_in_the_stream_is_typed(data: object) -> None:
    with pytest.raises(RateLimited):
        decode(data)


@pytest.mark.parametrize("data", [b"{", b"plain words", b"\xff"])
def test_what_is_no_chunk_is_said(data: bytes) -> None:
    with pytest.raises(BadResponse):
        decode(data)


def test_a_stream_that_ends_without_its_mark_is_whole_after_a_finish_reason_only() -> None:
    decoder = ChatDecoder()
    assert decoder.receive_end() == []
    decoder.receive_data(json.dumps(chunk(content="a")).encode())
    assert decoder.receive_end() == []
    assert not decoder.ended
    decoder.receive_data(json.dumps(chunk("stop")).encode())
    assert isinstance(decoder.receive_end()[-1], ResponseCompleted)
    assert decoder.ended
    assert decoder.receive_end() == []


def test_how_far_the_prompt_is_read_is_asked_for_where_the_server_knows_it_and_told() -> None:
    for progress in (True, False):
        body = json.loads(ChatCompletions(Profile(name="test", progress=progress)).encode(REQUEST))
        assert body.get("return_progress", False) is progress
    told = chunk(role="assistant", content=None) | {
        "prompt_progress": {"total": 9, "cache": 2, "processed": 4, "time_ms": 1}
    }
    assert decode(told)[1:] == [PromptProgress(total=9, cached=2, processed=4)]


@pytest.mark.parametrize(("cache", "processed"), [(-1, 4), (5, 4), (0, 10), (0, 10**20)])
def test_numbers_of_the_progress_that_can_not_be_are_left_aside(cache: int, processed: int) -> None:
    told = chunk(role="assistant") | {"prompt_progress": {"total": 9, "cache": cache, "processed": processed}}
    assert not [event for event in decode(told) if isinstance(event, PromptProgress)]
