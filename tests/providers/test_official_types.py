"""Requests as the vendors' own SDKs type them, and the SDKs' own events as answers.

The types are those of ``anthropic``, ``google-genai`` and ``openai``: a field that they do not have, or of another type, fails. They take
seconds to load, so each test does it by itself, and not every process that collects tests.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import structs

from spark_jupyter.protocol.values import Image
from spark_jupyter.providers import dialects
from spark_jupyter.providers.base import (
    Message,
    ModelEvent,
    ModelRequest,
    Overnight,
    ResponseCompleted,
    ResponseIncomplete,
    TierServed,
    Usage,
)
from spark_jupyter.providers.profile import Profile

PICTURES = tuple(
    Image(media_type=kind, data="aGk=", width=4, height=4, name="p")  # type: ignore[arg-type]
    for kind in ("image/png", "image/jpeg", "image/gif", "image/webp")
)
REQUEST = ModelRequest(
    model="m",
    instructions="Be short.",
    input=(Message("user", "hello"), Message("assistant", "yes?"), Message("user", "what is this?", PICTURES)),
    max_output_tokens=100,
    effort="high",
    tier="fast",
)
PROFILES: dict[str, Profile] = {
    "anthropic": Profile(name="a", cache_ttl="1h"),
    "gemini": Profile(name="g"),
    "chat": Profile(
        name="c", cache_key=True, prediction=True, stream_options=True, max_tokens_field="max_completion_tokens"
    ),
    "responses-sse": Profile(name="r", cache_key=True, cache_ttl="12h", stream_options=True, background=True),
}
PARAMETERS = {
    "anthropic": "anthropic.types.message_create_params:MessageCreateParamsStreaming",
    "chat": "openai.types.chat.completion_create_params:CompletionCreateParamsStreaming",
    "responses-sse": "openai.types.responses.response_create_params:ResponseCreateParamsStreaming",
}


def body(dialect: str, request: ModelRequest = REQUEST) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(dialects.OVER_HTTP[dialect](PROFILES[dialect]).encode(request))
    return sent


def events(dialect: str, *frames: Mapping[str, Any], tier: str | None = None) -> list[ModelEvent]:
    request = ModelRequest(model="m", instructions="", input=(), tier=tier)
    decoder = dialects.OVER_HTTP[dialect](PROFILES[dialect]).decoder(request)
    got = [event for frame in frames for event in decoder.receive_data(json.dumps(frame).encode())]
    return got if decoder.ended else [*got, *decoder.receive_end()]


def misfits_of(sent: object, dialect: str) -> list[str]:
    """The places at which a request is not what the vendor's SDK says."""
    return misfits(sent, pkgutil.resolve_name(PARAMETERS[dialect]))


def misfits(value: object, kind: Any, at: str = "") -> list[str]:
    """The places at which a value is not what a type of an SDK says."""
    if get_origin(kind) in (Required, NotRequired, Annotated):
        return misfits(value, get_args(kind)[0], at)
    if hasattr(kind, "__total__"):
        fields = get_type_hints(kind, include_extras=True)
        if not isinstance(value, dict):
            return [f"{at} is no {kind.__name__}"]
        lacking = [
            f"{at}.{name} is missing"
            for name, its in fields.items()
            if get_origin(its) is Required and name not in value
        ]
        unknown = [f"{at}.{name} is unknown" for name in value if name not in fields]
        return (
            lacking
            + unknown
            + [each for name in value if name in fields for each in misfits(value[name], fields[name], f"{at}.{name}")]
        )
    if get_origin(kind) is Literal:
        return [] if value in get_args(kind) else [f"{at} is {value!r}"]
    if get_origin(kind) in (Union, UnionType):
        found = [misfits(value, each, at) for each in get_args(kind)]
        return min(found, key=len) if all(found) else []
    if isinstance(value, list) and get_args(kind):
        return [each for n, one in enumerate(value) for each in misfits(one, get_args(kind)[0], f"{at}[{n}]")]
    origin = get_origin(kind) or kind
    kinds = {float: (int, float), dict: dict, list: list}.get(origin, origin)
    return (
        [] if kinds is Any or (isinstance(kinds, type | tuple) and isinstance(value, kinds)) else [f"{at} is {value!r}"]
    )


@pytest.mark.parametrize("dialect", PARAMETERS)
def test_a_request_with_images_tier_and_cache_is_what_the_sdk_types(dialect: str) -> None:
    sent = body(dialect)
    assert misfits_of(sent, dialect) == []
    assert "aGk=" in json.dumps(sent)


def test_a_misfit_is_found() -> None:
    sent = body("anthropic")
    sent["messages"][-1]["content"][0]["source"]["media_type"] = "image/bmp"
    assert misfits_of(sent, "anthropic") != []
    assert misfits_of({**body("chat"), "service_tire": "fast"}, "chat") == [".service_tire is unknown"]


def test_a_request_for_the_night_is_what_the_sdk_types() -> None:
    overnight = Overnight(window="8h", work_id="w", key="k")
    sent = body("responses-sse", structs.replace(REQUEST, overnight=overnight))
    assert sent.pop("stream") is False
    assert misfits_of({**sent, "stream": True}, "responses-sse") == []


def test_a_request_with_images_and_tier_is_what_google_types() -> None:
    from google.genai.types import Content, GenerationConfig, ServiceTier

    sent = body("gemini")
    said = [
        Content.model_validate(each) for each in sent.pop("contents")
    ]  # its types take no field that they do not know
    pictures = [part.inline_data for part in said[-1].parts or [] if part.inline_data is not None]
    assert [(each.mime_type, each.data) for each in pictures] == [(one.media_type, b"hi") for one in PICTURES]
    assert Content.model_validate(sent.pop("systemInstruction")).parts
    GenerationConfig.model_validate(sent.pop("generationConfig"))
    assert ServiceTier(sent.pop("serviceTier")) is ServiceTier.PRIORITY
    assert sent == {}


def test_counts_and_tier_are_read_from_anthropics_own_events() -> None:
    from anthropic.types import Message as AnthropicMessage
    from anthropic.types import RawMessageDeltaEvent, RawMessageStartEvent, RawMessageStopEvent
    from anthropic.types import Usage as AnthropicUsage

    counts = AnthropicUsage(
        input_tokens=5, cache_read_input_tokens=7, cache_creation_input_tokens=11, output_tokens=0, speed="fast"
    )
    start = RawMessageStartEvent(
        type="message_start",
        message=AnthropicMessage(
            id="a",
            type="message",
            role="assistant",
            model="m",
            content=[],
            stop_reason=None,
            stop_sequence=None,
            usage=counts,
        ),
    )
    end = RawMessageDeltaEvent.model_validate(
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}
    )
    got = events(
        "anthropic",
        start.model_dump(),
        end.model_dump(),
        RawMessageStopEvent(type="message_stop").model_dump(),
        tier="fast",
    )
    assert TierServed("fast") in got
    usage = Usage(input_tokens=23, cached_tokens=7, cache_written_tokens=11, output_tokens=3)
    assert got[-1] == ResponseCompleted(response_id="a", usage=usage)


def test_counts_and_tier_are_read_from_openais_own_events() -> None:
    from openai.types.chat import ChatCompletionChunk
    from openai.types.responses import Response, ResponseCompletedEvent, ResponseUsage

    details = {"cached_tokens": 2, "cache_write_tokens": 3}
    chunk = ChatCompletionChunk.model_validate(
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "service_tier": "priority",
            "choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13, "prompt_tokens_details": details},
        }
    )
    usage = Usage(input_tokens=9, cached_tokens=2, cache_written_tokens=3, output_tokens=4)
    got = events("chat", chunk.model_dump(), tier="fast")
    assert TierServed("priority") in got
    assert got[-1] == ResponseCompleted(response_id="c", usage=usage)
    counts = ResponseUsage.model_validate(
        {
            "input_tokens": 9,
            "input_tokens_details": details,
            "output_tokens": 4,
            "output_tokens_details": {"reasoning_tokens": 1},
            "total_tokens": 13,
        }
    )
    response = Response.construct(
        id="r", model="m", status="completed", output=[], service_tier="priority", usage=counts
    )
    done = ResponseCompletedEvent.construct(type="response.completed", sequence_number=1, response=response)
    got = events("responses-sse", done.model_dump(), tier="fast")
    assert got == [
        TierServed("priority"),
        ResponseCompleted(response_id="r", usage=structs.replace(usage, reasoning_tokens=1)),
    ]


def test_only_a_whole_answer_of_google_counts_as_whole() -> None:
    from google.genai.types import FinishReason, GenerateContentResponse

    ends = {}
    for finish in FinishReason:
        answer = GenerateContentResponse.model_validate(
            {"candidates": [{"content": {"parts": [{"text": "x"}]}, "finish_reason": finish}], "response_id": "g"}
        )
        (*_, end) = events("gemini", answer.model_dump(mode="json", by_alias=True, exclude_none=True))
        ends[finish] = type(end)
    whole = {FinishReason.STOP, FinishReason.FINISH_REASON_UNSPECIFIED}
    assert ends == {finish: ResponseCompleted if finish in whole else ResponseIncomplete for finish in FinishReason}
