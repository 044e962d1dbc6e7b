"""Any bytes of a provider: each decoder gives events or one of our errors, and goes on or has ended."""

from __future__ import annotations

import json

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spark_jupyter.exceptions import ProviderError
from spark_jupyter.providers import dialects
from spark_jupyter.providers.base import ModelRequest
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.refusals import read_refusal, to_error
from spark_jupyter.providers.sse import SSESplitter

REQUEST = ModelRequest(model="m", instructions="", input=())
EVERY = {**dialects.OVER_HTTP, **dialects.OVER_WEBSOCKET}
DEEP = b"[" * 200_000

KEYS = st.sampled_from(
    [
        *("type", "error", "code", "message", "param", "status", "retry_after", "delta", "text", "content", "choices"),
        *("index", "finish_reason", "id", "model", "usage", "response", "output", "incomplete_details", "reason"),
        *("refusal", "stream_id", "input_tokens", "prompt_tokens", "object", "detail", "content_block", "stop_reason"),
        *(
            "candidates",
            "parts",
            "finishReason",
            "functionCall",
            "args",
            "usageMetadata",
            "promptTokenCount",
            "details",
        ),
        *("tool_calls", "function", "arguments", "item", "name", "retryDelay"),
    ]
)
KINDS = st.sampled_from(
    [
        *("error", "response.created", "response.completed", "response.incomplete", "response.failed", "message"),
        *(
            "response.output_text.delta",
            "response.output_text.done",
            "response.refusal.delta",
            "response.output_item.done",
        ),
        *("message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "tool_use"),
        *("text_delta", "input_json_delta", "end_turn", "STOP", "function_call"),
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | KINDS
)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=20
)
EVENTS = st.dictionaries(KEYS, JSON, max_size=8).map(lambda fields: json.dumps(fields).encode())
DATA = st.binary(max_size=200) | EVENTS | JSON.map(lambda value: json.dumps(value).encode())


@settings(max_examples=100)
@given(frames=st.lists(DATA, max_size=6))
@example(frames=[DEEP])
@example(frames=[b'{"type":"error","error":' + DEEP])
@example(frames=[b'{"type":"error","code":1' + b"0" * 5_000 + b"}"])
@example(frames=[b'{"error":{"message":"' + b"<" * 100_000 + b'"}}'])
@example(frames=[b'{"type":"response.failed","response":{"error":{"status":1e400,"retry_after":1e300}}}'])
def test_every_decoder_gives_events_or_our_error(frames: list[bytes]) -> None:
    for dialect, kind in EVERY.items():
        provider = kind(Profile(name="test"))
        decoder = provider.decoder(REQUEST, where="there")
        for frame in frames:
            if hasattr(provider, "envelope"):
                provider.envelope(frame)
            try:
                for event in decoder.receive_data(frame):
                    msgspec.json.encode(event)  # what goes on is fit for the wire
            except ProviderError as error:
                said = str(error)
                assert 0 < len(said) < 2_000, (dialect, said)  # an error may come, and need not


@settings(max_examples=100)
@given(
    body=DATA,
    status=st.integers(0, 999),
    headers=st.dictionaries(st.sampled_from(["Retry-After", "retry-after-ms", "date"]), st.text(max_size=30)),
)
@example(body=b"<" * 1_000_000, status=500, headers={})
@example(body=DEEP, status=400, headers={"Retry-After": "1e999"})
def test_a_refusal_of_any_form_becomes_one_sentence(body: bytes, status: int, headers: dict[str, str]) -> None:
    error = to_error(read_refusal(body, status=status, headers=headers), model="m", where="there")
    assert isinstance(error, ProviderError)
    assert len(str(error)) < 2_000


@settings(max_examples=100)
@given(
    pieces=st.lists(st.binary(max_size=40) | st.sampled_from([b"data: ", b"\n\n", b"\r", b":", b"data"]), max_size=30)
)
def test_a_stream_of_any_bytes_gives_events_or_our_error(pieces: list[bytes]) -> None:
    splitter = SSESplitter(most=64)
    try:
        for piece in pieces:
            splitter.receive_data(piece)
        splitter.flush()
    except ProviderError as error:
        assert "more than" in str(error)  # noqa: PT017  # the same
