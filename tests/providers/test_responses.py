"""The Responses dialect: what is sent, what is made of what comes back, and what can be continued."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark_jupyter.exceptions import BadResponse, ModelNotFound, ProviderError, RateLimited
from spark_jupyter.providers.base import (
    Message,
    ModelEvent,
    ModelRequest,
    Priority,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    Usage,
)
from spark_jupyter.providers.continuation import Continuation
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.responses import ResponsesOverHTTP, ResponsesOverWebSocket
from spark_jupyter.providers.responses_events import ResponsesDecoder

PROFILE = Profile(name="test")
OVER_WEBSOCKET = ResponsesOverWebSocket(PROFILE)
REQUEST = ModelRequest(model="m", instructions="be brief", input=(Message("user", "hi"),))


def decode(*events: dict[str, Any]) -> list[ModelEvent]:
    decoder = ResponsesDecoder(model="m")
    return [event for each in events for event in decoder.receive_data(json.dumps(each).encode())]


def delta(text: str, output: int = 0, content: int = 0) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "delta": text, "output_index": output, "content_index": content}


def ended(kind: str = "completed", **response: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": {"id": "r", **response}}


def message(*texts: str) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "output_text", "text": text} for text in texts]}


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


# --- What goes out -------------------------------------------------------------------------------------------------


def test_a_request_over_the_websocket_is_a_create_event() -> None:
    sent = json.loads(OVER_WEBSOCKET.encode(REQUEST))
    assert sent == {
        "type": "response.create",
        "model": "m",
        "instructions": "be brief",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
        "store": False,
        "stream_options": {"include_obfuscation": False},
    }


def test_a_request_over_http_asks_for_a_stream_and_names_no_event() -> None:
    padding_can_be_left_out = Profile(name="test", stream_options=True)
    sent = json.loads(ResponsesOverHTTP(PROFILE).encode(REQUEST))
    assert sent["stream"] is True
    assert "type" not in sent
    assert "stream_options" not in sent
    assert "stream_options" in json.loads(ResponsesOverHTTP(padding_can_be_left_out).encode(REQUEST))


def test_a_continued_request_names_what_it_continues_its_lane_and_only_what_is_new() -> None:
    new = (Message("user", "more"),)
    sent = json.loads(OVER_WEBSOCKET.encode(REQUEST, previous_response_id="r1", new_input=new, lane="lane-2"))
    assert (sent["previous_response_id"], sent["stream_id"]) == ("r1", "lane-2")
    assert [item["content"][0]["text"] for item in sent["input"]] == ["more"]


def test_text_of_any_kind_survives_the_way_out() -> None:
    odd = 'quotes " \\ \n \t é 🙂 \u2028 </script>'
    request = ModelRequest(model="m", instructions=odd, input=(Message("user", odd),))
    sent = json.loads(OVER_WEBSOCKET.encode(request))
    assert sent["instructions"] == odd
    assert sent["input"][0]["content"][0]["text"] == odd


# --- What comes back -----------------------------------------------------------------------------------------------


def test_an_answer_is_started_written_and_completed_with_its_usage() -> None:
    usage = {
        "input_tokens": 9,
        "output_tokens": 4,
        "input_tokens_details": {"cached_tokens": 5},
        "output_tokens_details": {"reasoning_tokens": 1},
    }
    started = {"type": "response.created", "response": {"id": "r", "model": "m-1", "output": []}}
    assert decode(started, delta("a"), delta("b"), ended(usage=usage)) == [
        ResponseStarted(response_id="r", model="m-1"),
        TextDelta("a"),
        TextDelta("b"),
        ResponseCompleted(
            response_id="r", usage=Usage(input_tokens=9, cached_tokens=5, output_tokens=4, reasoning_tokens=1)
        ),
    ]


def test_another_message_begins_a_paragraph_of_its_own() -> None:
    assert (
        text_of(decode(delta("Here it is:"), delta("```python\n", 1), delta("x", 1))) == "Here it is:\n\n```python\nx"
    )
    assert text_of(decode(delta("line\n"), delta("next", 0, 1))) == "line\nnext"


def test_text_that_came_without_deltas_is_not_lost_and_not_doubled() -> None:
    done = {"type": "response.output_text.done", "text": "all", "output_index": 0, "content_index": 0}
    whole = ended(output=[{"type": "reasoning", "content": None}, message("all")])
    assert text_of(decode(done, whole)) == "all"
    assert text_of(decode(delta("al"), delta("l"), done, whole)) == "all"
    assert text_of(decode(whole)) == "all"
    assert text_of(decode(ended(output=[message("a", "b")]))) == "a\n\nb"


@pytest.mark.parametrize("reason", ["max_output_tokens", "content_filter", "steered"])
def test_an_answer_that_was_cut_short_says_why(reason: str) -> None:
    events = decode(delta("a"), ended("incomplete", incomplete_details={"reason": reason}))
    assert events[-1] == ResponseIncomplete(reason=reason, response_id="r")


def test_a_refusal_by_the_model_is_text_and_no_complete_answer() -> None:
    events = decode({"type": "response.refusal.delta", "delta": "I can't."}, ended())
    assert text_of(events) == "I can't."
    assert events[-1] == ResponseIncomplete(reason="refusal", response_id="r")
    silent = ended(output=[{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}])
    assert decode(silent) == [TextDelta("No."), ResponseIncomplete(reason="refusal", response_id="r")]


@pytest.mark.parametrize("kind", ["response.reasoning_summary_text.delta", "response.reasoning_text.delta"])
def test_reasoning_is_no_part_of_the_answer(kind: str) -> None:
    assert decode({"type": kind, "delta": "hm"}) == [ReasoningDelta("hm")]


def test_null_fields_that_servers_send_do_no_harm() -> None:
    events = decode(
        {
            "type": "response.created",
            "response": {"id": "r", "model": None, "error": None, "usage": None, "output": None},
        },
        ended(usage={"input_tokens": 1, "output_tokens": None, "input_tokens_details": None}, incomplete_details=None),
    )
    assert events[-1] == ResponseCompleted(response_id="r", usage=Usage(input_tokens=1))


@pytest.mark.parametrize("kind", ["response.queued", "response.output_item.added", "vendor.news", ""])
def test_events_of_other_types_are_ignored(kind: str) -> None:
    assert decode({"type": kind, "item": None, "delta": 7}) == []


@pytest.mark.parametrize("data", [b"", b"{", b"plain words", b"\xff"])
def test_what_is_not_the_protocol_is_said(data: bytes) -> None:
    with pytest.raises(BadResponse) as caught:
        ResponsesDecoder().receive_data(data)
    assert caught.value.remedy


@pytest.mark.parametrize("data", [b"17", b"[]", b"null", b'{"a":1}', b'{"type":7}', b'{"type":"keepalive"}'])
def test_what_says_nothing_is_passed_over(data: bytes) -> None:
    assert ResponsesDecoder().receive_data(data) == []


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"type": "error", "status": 429, "error": {"code": "x", "message": "slow"}}, RateLimited),
        ({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}, RateLimited),
        ({"error": {"message": "The model `x` does not exist", "code": None}, "status": 404}, ModelNotFound),
        (ended("failed", error={"code": "model_not_found", "message": "?"}), ModelNotFound),
        (ended("failed", error=None), ProviderError),
    ],
)
def test_errors_in_every_form_are_typed_and_end_the_response(event: dict[str, Any], expected: type[Exception]) -> None:
    decoder = ResponsesDecoder(model="x")
    with pytest.raises(expected):
        decoder.receive_data(json.dumps(event).encode())
    assert decoder.ended


def test_an_envelope_routes_an_event_without_reading_it_whole() -> None:
    envelope = OVER_WEBSOCKET.envelope(json.dumps({**ended(), "stream_id": "lane-1"}).encode())
    assert envelope is not None
    assert (envelope.lane, envelope.is_last, envelope.is_error) == ("lane-1", True, False)
    assert OVER_WEBSOCKET.envelope(b"not json") is None


# --- Continuation --------------------------------------------------------------------------------------------------


def asks(*texts: str, **fields: Any) -> ModelRequest:
    roles: tuple[Any, ...] = ("user", "assistant")
    messages = tuple(Message(roles[n % 2], text) for n, text in enumerate(texts))
    return ModelRequest(**{"model": "m", "instructions": "i", "input": messages, **fields})


AFTER = Continuation.after(asks("one"), "r1", "answer\n")


def test_only_what_the_response_has_not_seen_is_new() -> None:
    assert AFTER.new_input(asks("one", "answer\n", "two")) == (Message("user", "two"),)
    assert (
        AFTER.new_input(asks("one", "answer", "two", "three", "four"))
        == asks("one", "", "two", "three", "four").input[2:]
    )


def test_a_warm_up_saw_the_input_and_said_nothing() -> None:
    warmed = Continuation.after(asks("context"), "r0", None)
    more = ModelRequest(model="m", instructions="i", input=(Message("user", "context"), Message("user", "q")))
    assert warmed.new_input(more) == (Message("user", "q"),)


@pytest.mark.parametrize(
    "request_",
    [
        asks("one"),
        asks("one", "answer"),
        asks("one", "another answer", "two"),
        asks("ONE", "answer", "two"),
        asks("one ", "answer", "two"),
        asks("one", "answer", "two", instructions="j"),
        asks("one", "answer", "two", model="n"),
        asks("one", "answer", "two", temperature=0.5),
        asks("one", "answer", "two", max_output_tokens=10),
    ],
)
def test_what_does_not_go_on_is_not_continued(request_: ModelRequest) -> None:
    assert AFTER.new_input(request_) is None


def test_what_does_not_change_the_answer_does_not_hinder_continuing() -> None:
    assert AFTER.new_input(asks("one", "answer", "two", priority=Priority.OFFER, prediction="p")) is not None
