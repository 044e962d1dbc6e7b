"""Streams with anything in the fields that no answer needs, and in other forms: the answer is the same, or the error is said."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_jupyter.exceptions import Overloaded, ProviderError, RateLimited, RequestRefused
from spark_jupyter.providers import dialects
from spark_jupyter.providers.base import (
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    TextDelta,
)
from spark_jupyter.providers.chat_completions import ChatDecoder
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.sse import SSESplitter

ANSWER = "x = [6, 12]\n\u2713 \U0001f389"
REQUEST = ModelRequest(model="m", instructions="", input=())


def chat(**delta: object) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None, "logprobs": None}],
        "usage": None,
    }


USAGE = {"prompt_tokens": 5, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 2}}
RESPONSE = {
    "id": "r",
    "model": "m",
    "status": "completed",
    "output": [],
    "usage": {"input_tokens": 5, "output_tokens": 9},
}
STREAMS: dict[str, list[dict[str, Any]]] = {
    "chat": [
        chat(content=ANSWER[:5]),
        chat(content=ANSWER[5:]),
        {**chat(), "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": USAGE},
    ],
    "responses-sse": [
        {"type": "response.created", "response": RESPONSE, "sequence_number": 1},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {"type": "message", "id": "i", "content": []},
        },
        *(
            {"type": "response.output_text.delta", "item_id": "i", "delta": text, "output_index": 0, "content_index": 0}
            for text in (ANSWER[:5], ANSWER[5:])
        ),
        {"type": "response.completed", "response": RESPONSE, "sequence_number": 9},
    ],
    "anthropic": [
        {"type": "message_start", "message": {"id": "a", "model": "m", "usage": {"input_tokens": 5}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
            for text in (ANSWER[:5], ANSWER[5:])
        ),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ],
    "gemini": [
        {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}], "modelVersion": "m"}
        for text in (ANSWER[:5], ANSWER[5:])
    ]
    + [{"candidates": [{"finishReason": "STOP", "index": 0}], "usageMetadata": {"promptTokenCount": 5}}],
}
NEEDED = {
    *("choices", "delta", "content", "type", "content_block", "text", "candidates", "parts", "finishReason", "error"),
    *(
        "errors",
        "object",
        "base_resp",
        "finish_reason",
        "index",
        "output_index",
        "content_index",
        "item",
        "stop_reason",
    ),
    *("response", "message"),
}
"""What an answer is made of; an error is an error, and a number that says which answer a piece belongs to is believed."""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["1.5", "\ud83c"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


def decode(dialect: str, frames: list[bytes]) -> list[ModelEvent]:
    decoder = dialects.OVER_HTTP[dialect](Profile(name="test")).decoder(REQUEST)
    events = [event for frame in frames for event in decoder.receive_data(frame)]
    return events if decoder.ended else [*events, *decoder.receive_end()]


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def unneeded(value: object) -> list[tuple[dict[str, Any], str]]:
    """The places in a frame that an answer does not need."""
    if isinstance(value, list):
        return [place for each in value for place in unneeded(each)]
    if not isinstance(value, dict):
        return []
    here = [(value, name) for name in value if name not in NEEDED]
    return here + [place for each in value.values() for place in unneeded(each)] + [(value, "x_unknown")]


@pytest.mark.parametrize("dialect", STREAMS)
@settings(max_examples=60)
@given(data=st.data())
def test_an_answer_does_not_end_over_a_field_that_it_does_not_need(dialect: str, data: st.DataObject) -> None:
    frames = copy.deepcopy(STREAMS[dialect])
    for frame in frames:
        for holder, name in unneeded(frame):
            if data.draw(st.booleans()):
                holder[name] = data.draw(VALUES)
    events = decode(dialect, [json.dumps(frame).encode() for frame in frames])
    assert text_of(events) == ANSWER
    assert isinstance(events[-1], ResponseCompleted)


WHOLE = {
    "chat": {"object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": ANSWER}}]},
    "responses-sse": {
        **RESPONSE,
        "object": "response",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": ANSWER}]}],
    },
    "anthropic": {
        "type": "message",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": ANSWER}],
    },
    "gemini": {"candidates": [{"content": {"parts": [{"text": ANSWER}]}, "finishReason": "STOP"}]},
}


@pytest.mark.parametrize("dialect", WHOLE)
def test_an_answer_that_is_not_streamed_is_taken(dialect: str) -> None:
    events = decode(dialect, [json.dumps(WHOLE[dialect]).encode()])
    assert text_of(events) == ANSWER
    assert isinstance(events[-1], ResponseCompleted)


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"reasoning": {"content": "hm"}},
        {"thinking": "hm"},
        {"thinking_content": "hm"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "hm"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        {"content": {"type": "reasoning", "text": "hm"}},
        {"content": None, "reasoning_content": ["h", "m"]},
    ],
)
def test_thinking_is_thinking_in_whatever_field(delta: dict[str, object]) -> None:
    events = decode("chat", [json.dumps(each).encode() for each in (chat(**delta), *STREAMS["chat"])])
    assert [event.text for event in events if isinstance(event, ReasoningDelta)] == ["hm"]
    assert text_of(events) == ANSWER


@pytest.mark.parametrize(
    ("dialect", "frames"),
    [
        ("chat", [chat(content=ANSWER, tool_calls=[None]), chat(tool_calls=[{"index": None, "function": None}])]),
        ("chat", [chat(content=ANSWER), {"choices": [None]}, {"choices": None, "usage": None}]),
        ("chat", [{"choices": {"index": 0, "delta": {"content": ANSWER}}}]),
        ("responses-sse", [{"output": WHOLE["responses-sse"]["output"], "status": "completed"}]),
        ("responses-sse", [{"object": "response", "status": "completed", "output": [], "output_text": ANSWER}]),
        (
            "gemini",
            [
                {"candidates": [{"content": {"parts": {"text": ANSWER}}, "finishReason": "STOP"}]},
                {"candidates": [None]},
            ],
        ),
    ],
)
def test_lists_of_nothing_and_other_shapes_leave_the_answer_whole(dialect: str, frames: list[dict[str, Any]]) -> None:
    end = [b"[DONE]"] if dialect == "chat" else []
    events = decode(dialect, [*(json.dumps(each).encode() for each in frames), *end])
    assert text_of(events) == ANSWER
    assert isinstance(events[-1], ResponseCompleted)


@pytest.mark.parametrize(
    "last",
    [
        {"choices": [{"delta": {}, "finish_reason": "stop", "usage": USAGE}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}], "x_groq": {"id": "q", "usage": USAGE}},
    ],
)
def test_counts_are_read_where_they_stand(last: dict[str, Any]) -> None:
    events = decode("chat", [json.dumps(each).encode() for each in (chat(content=ANSWER), last)])
    assert isinstance(events[-1], ResponseCompleted)
    assert events[-1].usage is not None
    assert (events[-1].usage.input_tokens, events[-1].usage.cached_tokens) == (5, 2)


@pytest.mark.parametrize("dialect", STREAMS)
@pytest.mark.parametrize("size", [1, 3, 10**6])
def test_several_frames_in_one_list_are_each_read(dialect: str, size: int) -> None:
    body = json.dumps(STREAMS[dialect], ensure_ascii=False).encode()
    for raw in (b"data: " + body + b"\r\n\r\n", body):
        splitter = SSESplitter(most=1 << 20)
        frames = [each for at in range(0, len(raw), size) for each in splitter.receive_data(raw[at : at + size])]
        assert text_of(decode(dialect, [*frames, *splitter.flush()])) == ANSWER


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (6, "6"),
        (True, "true"),
        ([{"type": "text", "text": "a"}, "b", {"text": 1}], "ab1"),
        ({"type": "text", "text": "a"}, "a"),
        ([{"type": "text", "text": {"value": "a", "annotations": []}}], "a"),
        ({"role": "model", "parts": [{"text": "a"}, {"text": "b"}]}, "ab"),
        ([], ""),
    ],
)
def test_text_is_text_in_whatever_form(content: object, text: str) -> None:
    assert text_of(decode("chat", [json.dumps(chat(content=content)).encode()])) == text


def test_a_number_is_text_as_it_was_written() -> None:
    pieces = [json.dumps(chat(content="@")).replace('"@"', number).encode() for number in ("0.005", "1.10", "6.0")]
    assert text_of(decode("chat", pieces)) == "0.0051.106.0"


def test_halves_of_a_character_in_two_pieces_are_one_and_a_lone_one_is_replaced() -> None:
    frames = [json.dumps(chat(content=text)).encode() for text in ("a\ud83c", "\udf89b", "\ud83c", "c", "\ud83c")]
    assert text_of(decode("chat", [*frames, b"[DONE]"])) == "a\U0001f389b\ufffdc\ufffd"


@pytest.mark.parametrize("cumulative", [True, False])
def test_a_message_in_each_chunk_is_its_next_piece_or_all_so_far(cumulative: bool) -> None:
    pieces = ["total", " = 0", "\n"]
    said = ["".join(pieces[: n + 1]) for n in range(3)] if cumulative else pieces
    frames = [json.dumps({"choices": [{"message": {"content": each}}]}).encode() for each in said]
    assert text_of(decode("chat", frames)) == "total = 0\n"


def test_a_last_chunk_that_repeats_the_answer_does_not_double_it() -> None:
    last = {"choices": [{"delta": {}, "message": {"content": ANSWER}, "finish_reason": "stop"}]}
    assert text_of(decode("chat", [json.dumps(each).encode() for each in [*STREAMS["chat"][:2], last]])) == ANSWER


def call(**fields: object) -> dict[str, Any]:
    return chat(tool_calls=[{"type": "function", **fields}])


def python(code: str) -> dict[str, object]:
    return {"name": "python", "arguments": json.dumps({"code": code})}


@pytest.mark.parametrize(
    "frames",
    [
        [call(id="a", function=python("a = 1")), call(id="b", function=python("b = 2"))],
        [call(index=0, id="a", function=python("a = 1")), call(index=0, id="b", function=python("b = 2"))],
        [
            call(index=None, id="a", function={"name": "python"}),
            call(function={"arguments": "a = 1"}),
            call(index="1", id="b", function=python("b = 2")),
        ],
        [
            call(index=0, id="a", function={"name": "python", "arguments": {"code": "a = 1"}}),
            call(index=1, id=2, function=python("b = 2")),
        ],
        [
            chat(tool_calls={"id": "a", "function": python("a = 1")}),
            call(id="b", custom={"name": "python", "input": "b = 2"}),
        ],
    ],
)
def test_calls_are_told_apart_by_what_there_is(frames: list[dict[str, Any]]) -> None:
    text = text_of(decode("chat", [*(json.dumps(each).encode() for each in frames), b"[DONE]"]))
    assert [line for line in text.splitlines() if "=" in line] == ["a = 1", "b = 2"]


CODE = json.dumps({"code": "a = 1"})


@pytest.mark.parametrize(
    "arguments",
    [
        [CODE[:5], CODE],  # all of it so far, in each piece
        [CODE, CODE],
        ["{}", CODE],
        [CODE + "<|call|>"],
        [CODE + "}"],
        [json.dumps(CODE)],
        ['{"code": "a = 1\n"}'],
        [json.dumps({"code": "```python\na = 1\n```"})],
        ["a = 1"],
    ],
)
def test_arguments_that_are_not_quite_json_are_read_and_never_proposed(arguments: list[str]) -> None:
    frames = [call(index=0, id="a", function={"name": "python", "arguments": each}) for each in arguments]
    text = text_of(decode("chat", [*(json.dumps(each).encode() for each in frames), b"[DONE]"]))
    assert text.strip() == "```python\na = 1\n```"


def test_two_calls_without_anything_to_tell_them_apart_are_two() -> None:
    frames = [call(function=python("a = 1")), call(function=python("b = 2"))]
    text = text_of(decode("chat", [*(json.dumps(each).encode() for each in frames), b"[DONE]"]))
    assert [line for line in text.splitlines() if "=" in line] == ["a = 1", "b = 2"]


def test_another_id_for_each_piece_of_a_call_is_no_other_call() -> None:
    pieces = [
        call(index=0, id=str(at), function={"name": "python", "arguments": CODE[at : at + 5]}) for at in (0, 5, 10)
    ]
    pieces[-1] = call(index=0, id="10", function={"name": "python", "arguments": CODE[10:]})
    text = text_of(decode("chat", [*(json.dumps(each).encode() for each in pieces), b"[DONE]"]))
    assert text.strip() == "```python\na = 1\n```"


@pytest.mark.parametrize(("finish", "reason"), [("length", "max_output_tokens"), ("tool_calls", "tool_call")])
def test_arguments_that_break_off_are_no_code(finish: str, reason: str) -> None:
    frame = call(index=0, id="a", function={"name": "python", "arguments": CODE[:12]})
    last = {"choices": [{"delta": {}, "finish_reason": finish}]}
    events = decode("chat", [json.dumps(frame).encode(), json.dumps(last).encode()])
    assert text_of(events) == ""
    assert isinstance(events[-1], ResponseIncomplete)
    assert events[-1].reason == reason


def test_python_that_begins_like_json_is_python() -> None:
    for code in ("{**a, 'b': 1}", '"""Doc."""\na = 1', "{k: v for k, v in a}"):
        frame = call(index=0, function={"name": "python", "arguments": code})
        assert code in text_of(decode("chat", [json.dumps(frame).encode(), b"[DONE]"]))


@pytest.mark.parametrize("last", [b"[done]", b"DONE", b"bye", b"<eof>"])
def test_what_follows_a_whole_answer_does_not_fail_it(last: bytes) -> None:
    frames = [json.dumps(each).encode() for each in STREAMS["chat"]]
    assert text_of(decode("chat", [*frames, last])) == ANSWER


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"error": "the worker died"}, "the worker died"),
        ({"error": {"message": {"detail": [{"loc": ["body", "x"], "msg": "no such field"}]}}}, "body.x: no such field"),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": "too hot"}}}, "too hot"),
        ({"errors": [{"message": "first"}, {"message": "second"}]}, "first; second"),
        ({"detail": "not loaded"}, "not loaded"),
        ({"code": 1234, "msg": "bad account"}, "bad account"),
        ({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}, "login fail"),
        ({"object": "error", "message": "out of memory"}, "out of memory"),
        ({"choices": [{"index": 0, "delta": {"content": ""}, "error": {"message": "upstream"}}]}, "upstream"),
        ({"choices": [{"index": 0, "delta": {}}], "error": {"message": "upstream"}}, "upstream"),
    ],
)
def test_an_error_in_whatever_form_is_quoted(frame: dict[str, Any], said: str) -> None:
    for frames in ([], STREAMS["chat"][:2]):
        with pytest.raises(RequestRefused, match=said):
            decode("chat", [json.dumps(each).encode() for each in [*frames, frame]])


@pytest.mark.parametrize("error", [None, {}, "", [], False, {"code": None, "message": ""}])
def test_an_error_that_says_nothing_is_none(error: object) -> None:
    events = decode("chat", [json.dumps({**each, "error": error}).encode() for each in STREAMS["chat"]])
    assert text_of(events) == ANSWER


def test_words_without_a_code_say_what_an_error_is() -> None:
    for said, kind in (("Model is overloaded", Overloaded), ("Rate limit reached", RateLimited)):
        with pytest.raises(kind) as caught:
            ChatDecoder().receive_data(json.dumps({"detail": said}).encode())
        assert "()" not in str(caught.value)


@pytest.mark.parametrize(
    "error",
    [{"code": 429, "message": "busy", "retryable": False}, {"code": 503, "message": "Down for good. Do not retry."}],
)
def test_what_is_not_to_be_asked_again_is_no_reason_to_wait(error: dict[str, object]) -> None:
    with pytest.raises(ProviderError) as caught:
        ChatDecoder().receive_data(json.dumps({"error": error}).encode())
    assert isinstance(caught.value, RequestRefused)


def test_a_call_in_a_response_that_is_not_streamed_is_code() -> None:
    item = {"type": "function_call", "name": "python", "arguments": {"code": "a = 1"}}
    events = decode("responses-sse", [json.dumps({**RESPONSE, "object": "response", "output": [item]}).encode()])
    assert "a = 1" in text_of(events)


@pytest.mark.parametrize("dialect", ["anthropic", "gemini"])
def test_a_mark_of_the_end_from_another_dialect_is_no_error(dialect: str) -> None:
    frames = [json.dumps(each).encode() for each in STREAMS[dialect]]
    assert text_of(decode(dialect, [*frames, b"[DONE]"])) == ANSWER
