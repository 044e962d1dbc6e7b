"""Dialect of Anthropic's Messages API.

Source of the fields: Anthropic's API reference, "Messages", "Streaming messages", "Errors" and "Prompt caching". The input that it
reports leaves out what was read from its cache or written to it; here it is all of them.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from msgspec import Struct

from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.values import Image
from spark_jupyter.providers.base import (
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    TierServed,
    Usage,
    tier_name,
)
from spark_jupyter.providers.dialect_defaults import Common
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.refusals import decoded, raise_stated
from spark_jupyter.providers.tolerant_json import Characters, Tolerant, whole
from spark_jupyter.providers.tool_calls import CALLED, ToolCalls, argument_text

VERSION = "2023-06-01"
"""Of the API; Anthropic has kept it since."""
LONGEST = 32_000
"""Tokens that an answer may have where nobody says; the field must be sent, and all models since Claude 4 take so many."""
_FAST_MODE = "fast-mode-2026-02-01"
"""The beta that some models ask for where the speed is said (Anthropic's documentation, "Fast mode")."""
_REASONS = {
    "max_tokens": "max_output_tokens",
    "model_context_window_exceeded": "context_window",
    "refusal": "refusal",
    "pause_turn": "paused",
}


class AnthropicMessages(Common):
    """The dialect ``anthropic``. The profile's ``max_output_tokens`` says how long an answer may be where the request does not."""

    path: ClassVar[str] = "/messages"

    def __init__(self, profile: Profile) -> None:
        self._longest = profile.max_output_tokens or LONGEST
        ttl = {"ttl": profile.cache_ttl} if profile.cache_ttl else {}
        self._cached = {"cache_control": {"type": "ephemeral", **ttl}}

    def headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def encode(self, request: ModelRequest) -> bytes:
        """See :class:`~spark_jupyter.providers.base.Provider`. The instructions, the conversation before this turn and the turn are kept in
        its cache."""
        said = [message for message in request.input if message.text.strip()]
        ends = {len(said) - 1, max((at for at, each in enumerate(said) if each.role == "assistant"), default=-1)}
        body: dict[str, object] = {
            "model": request.model,
            "max_tokens": request.max_output_tokens or self._longest,
            "messages": [
                {
                    "role": each.role,
                    "content": [
                        *map(_image, each.images),
                        {"type": "text", "text": each.text, **(self._cached if at in ends else {})},
                    ],
                }
                for at, each in enumerate(said)
            ],
            "stream": True,
        }
        if request.instructions.strip():
            body["system"] = [{"type": "text", "text": request.instructions, **self._cached}]
        if tier_name(request.tier):
            body["speed"] = request.tier
        if request.effort is not None:  # a model that thinks takes no temperature
            body["thinking"] = {"type": "adaptive"}
            body["output_config"] = {"effort": request.effort}
        elif request.temperature is not None:
            body["temperature"] = min(request.temperature, 1.0)
        return json_text.encode(body)

    def request_headers(self, request: ModelRequest) -> dict[str, str]:
        return {"anthropic-beta": _FAST_MODE} if tier_name(request.tier) else {}

    def decoder(self, request: ModelRequest, *, where: str = "") -> AnthropicDecoder:
        return AnthropicDecoder(model=request.model, where=where, tier=request.tier)


def _image(image: Image) -> dict[str, object]:
    source = {"type": "base64", "media_type": image.media_type, "data": image.data}
    return {"type": "image", "source": source}


class _Usage(Struct, frozen=True):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None
    speed: str | None = None


class _Delta(Struct, frozen=True):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class _Block(Struct, frozen=True):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    name: str | None = None
    input: object = None


class _Message(Struct, frozen=True):
    id: str = ""
    model: str | None = None
    usage: _Usage | None = None
    content: list[_Block] | None = None
    stop_reason: str | None = None


class _Event(Struct, frozen=True):
    type: str = ""
    index: int | None = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None


_event = Tolerant(_Event)
_whole = Tolerant(_Message)


class AnthropicDecoder:
    """Makes model events of one message's stream. Usage comes in parts, each of which replaces what was said before."""

    def __init__(self, *, model: str = "", where: str = "", tier: str | None = None) -> None:
        self._tier = tier
        self._model = model
        self._where = where
        self._counts = _Usage()
        self._stop: str | None = None
        self._calls = ToolCalls()
        self._characters = Characters()
        self._blocks = 0
        self.response_id = ""
        self.ended = False

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        if data.strip() == b"[DONE]":  # which proxies add
            return self.receive_end()
        event = decoded(_event, data, what="what is no event of a message", where=self._where)
        if event.usage is not None:
            self._count(event.usage)
        match event.type:
            case "message_start":
                return self._start(event.message or _Message())
            case "content_block_start":
                return self._begin_block(event.index or 0, event.content_block or _Block())
            case "content_block_delta":
                return self._receive_delta(event.index or 0, event.delta or _Delta())
            case "message_delta":
                self._stop = (event.delta and event.delta.stop_reason) or self._stop
            case "message_stop":
                return self._finish()
            case "message":
                return self._receive_whole(decoded(_whole, data, what="what is no message", where=self._where))
            case "error" | "":
                raise_stated(data, model=self._model, where=self._where)
        return []

    def receive_end(self) -> list[ModelEvent]:
        """The last events, where a proxy leaves out the mark of the end."""
        return self._finish() if self._stop is not None and not self.ended else []

    def _receive_whole(self, message: _Message) -> list[ModelEvent]:
        """A message that was not streamed."""
        events = self._start(message)
        for index, block in enumerate(message.content or ()):
            events += self._begin_block(index, block)
            if block.type == "tool_use":
                self._calls.receive(index, None, argument_text(block.input))
        self._stop = message.stop_reason or "end_turn"
        return [*events, *self._finish()]

    def _start(self, message: _Message) -> list[ModelEvent]:
        self.response_id = message.id
        if message.usage is not None:
            self._count(message.usage)
        return [ResponseStarted(response_id=message.id, model=message.model or "")]

    def _begin_block(self, index: int, block: _Block) -> list[ModelEvent]:
        if block.type in ("thinking", "redacted_thinking"):
            return [ReasoningDelta(whole(block.thinking or ""))]
        if block.type == "tool_use":
            self._calls.receive(index, block.name, None)
        if block.type != "text":
            return []
        self._blocks += 1
        # Another block of text is a new paragraph; glued to the last one, a code fence would lose its line.
        text = ("\n\n" if self._blocks > 1 else "") + (block.text or "")
        text = self._characters.receive(text)
        return [TextDelta(text)] if text else []

    def _receive_delta(self, index: int, delta: _Delta) -> list[ModelEvent]:
        if delta.type == "thinking_delta":
            return [ReasoningDelta(whole(delta.thinking or delta.text or ""))]
        if delta.text and (text := self._characters.receive(delta.text)):
            return [TextDelta(text)]
        if delta.type == "input_json_delta":
            self._calls.receive(index, None, delta.partial_json)
        return []

    def _count(self, usage: _Usage) -> None:
        told = {name: value for name, value in msgspec.structs.asdict(usage).items() if value is not None}
        self._counts = msgspec.structs.replace(self._counts, **told)

    def _finish(self) -> list[ModelEvent]:
        if self.ended:
            return []
        self.ended = True
        events, lacks = self._calls.end()
        counts = self._counts
        cached, written = counts.cache_read_input_tokens or 0, counts.cache_creation_input_tokens or 0
        usage = Usage(
            input_tokens=(counts.input_tokens or 0) + cached + written,
            cached_tokens=cached,
            cache_written_tokens=written,
            output_tokens=counts.output_tokens or 0,
        )
        if self._tier and counts.speed:
            events.append(TierServed(counts.speed))
        reason = CALLED if lacks else _REASONS.get(self._stop or "")
        if reason is None:
            return [*events, ResponseCompleted(response_id=self.response_id, usage=usage)]
        return [*events, ResponseIncomplete(reason=reason, response_id=self.response_id, usage=usage)]
