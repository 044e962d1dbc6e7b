"""Dialect of Gemini's ``streamGenerateContent``.

Source of the fields: Google's API reference, "Generating content" and "Models". The stream has no mark of its end: it ends where its
body does, after a chunk with a ``finishReason``. Its count of the answer leaves out the thinking; here it is both.
"""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import quote

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
    Usage,
    tier_name,
)
from spark_jupyter.providers.dialect_defaults import Common
from spark_jupyter.providers.model_list import Listed, sound
from spark_jupyter.providers.refusals import decoded, raise_stated
from spark_jupyter.providers.tolerant_json import Characters, Tolerant, whole
from spark_jupyter.providers.tool_calls import CALLED, ToolCalls, argument_text

Json = dict[str, object]
_FOLDER = "models/"
_CALLS = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")
_FILTERS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR", "ESCALATION")
_IMAGE_FILTERS = ("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION")
_REASONS = {
    "MAX_TOKENS": "max_output_tokens",
    "CONTINUATION": "max_output_tokens",
    **dict.fromkeys(_CALLS, CALLED),
    **dict.fromkeys((*_FILTERS, *_IMAGE_FILTERS), "content_filter"),
    **dict.fromkeys(("STOP", "FINISH_REASON_UNSPECIFIED")),
}
"""Why an answer ended (``FinishReason`` of google-genai 3.6, 2026-11-27): None where it is whole."""


class Gemini(Common):
    """The dialect ``gemini``. The model is named in the address, and so is the form of the answer."""

    path: ClassVar[str] = "/models"
    base_path: ClassVar[str] = "/v1beta"

    def headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def models(self, body: bytes) -> list[Listed]:
        """See :class:`~spark_jupyter.providers.base.Dialect`. Those that make no text are left out."""
        return [
            Listed(model.name.removeprefix(_FOLDER), window=sound(model.window))
            for model in _list.decode(body).models
            if model.name and (model.methods is None or "generateContent" in model.methods)
        ]

    def endpoint(self, request: ModelRequest) -> str:
        return f"/models/{quote(request.model.removeprefix(_FOLDER), safe='')}:streamGenerateContent?alt=sse"

    def encode(self, request: ModelRequest) -> bytes:
        said = [
            {
                "role": "user" if message.role == "user" else "model",
                "parts": [*map(_image, message.images), {"text": message.text}],
            }
            for message in request.input
        ]
        body: Json = {"contents": said}
        if request.instructions:
            body["systemInstruction"] = {"parts": [{"text": request.instructions}]}
        settings: Json = {}
        if request.max_output_tokens is not None:
            settings["maxOutputTokens"] = request.max_output_tokens
        if request.temperature is not None:
            settings["temperature"] = request.temperature
        if request.effort is not None:
            settings["thinkingConfig"] = {"thinkingLevel": request.effort, "includeThoughts": True}
        if settings:
            body["generationConfig"] = settings
        if tier := tier_name(request.tier):
            body["serviceTier"] = "priority" if tier == "fast" else tier
        return json_text.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> GeminiDecoder:
        return GeminiDecoder(model=request.model, where=where)


def _image(image: Image) -> Json:
    return {"inlineData": {"mimeType": image.media_type, "data": image.data}}


class _Model(Struct, frozen=True):
    name: str = ""
    window: object = msgspec.field(default=None, name="inputTokenLimit")
    methods: list[str] | None = msgspec.field(default=None, name="supportedGenerationMethods")


class _List(Struct, frozen=True):
    models: list[_Model] = []


class _Call(Struct, frozen=True):
    name: str = ""
    args: object = None


class _Code(Struct, frozen=True):
    code: str = ""


class _Part(Struct, frozen=True, rename="camel"):
    text: str | None = None
    thought: bool | None = None
    function_call: _Call | None = None
    executable_code: _Code | None = None


class _Content(Struct, frozen=True):
    parts: list[_Part] | None = None


class _Candidate(Struct, frozen=True, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None
    index: int | None = 0


class _Usage(Struct, frozen=True, rename="camel"):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    cached_content_token_count: int | None = None


class _Feedback(Struct, frozen=True, rename="camel"):
    block_reason: str | None = None


class _Chunk(Struct, frozen=True, rename="camel"):
    candidates: list[_Candidate] | None = None
    usage_metadata: _Usage | None = None
    prompt_feedback: _Feedback | None = None
    model_version: str | None = None
    response_id: str | None = None
    error: object = None


_list = Tolerant(_List)
_chunk = Tolerant(_Chunk)


class GeminiDecoder:
    """Makes model events of one answer's chunks. Each brings the usage so far."""

    def __init__(self, *, model: str = "", where: str = "") -> None:
        self._model = model
        self._where = where
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._calls = ToolCalls()
        self._characters = Characters()
        self._count = 0
        self._started = False
        self.response_id = ""
        self.ended = False

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        if data.strip() == b"[DONE]":  # which proxies add
            return self.receive_end()
        chunk = decoded(_chunk, data, what="what is no chunk of an answer", where=self._where)
        if not chunk.candidates or chunk.error is not None:
            raise_stated(data, model=self._model, where=self._where)
        events: list[ModelEvent] = []
        if not self._started:
            self._started = True
            self.response_id = chunk.response_id or ""
            events.append(ResponseStarted(response_id=self.response_id, model=chunk.model_version or ""))
        if chunk.usage_metadata is not None:
            self._usage = _usage(chunk.usage_metadata)
        if chunk.prompt_feedback is not None and chunk.prompt_feedback.block_reason:
            self._finish = "SAFETY"
        for candidate in chunk.candidates or ():
            if not candidate.index:
                events += self._receive(candidate)
        return events

    def receive_end(self) -> list[ModelEvent]:
        """See :class:`~spark_jupyter.providers.base.Decoder`: this is where an answer ends that says why."""
        if self._finish is None or self.ended:
            return []
        self.ended = True
        events, lacks = self._calls.end()
        reason = CALLED if lacks else _REASONS.get(self._finish.upper(), "unknown")
        if reason is None:
            return [*events, ResponseCompleted(response_id=self.response_id, usage=self._usage)]
        return [*events, ResponseIncomplete(reason=reason, response_id=self.response_id, usage=self._usage)]

    def _receive(self, candidate: _Candidate) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        for part in (candidate.content and candidate.content.parts) or ():
            if part.text and part.thought:
                events.append(ReasoningDelta(whole(part.text)))
            elif part.text and (text := self._characters.receive(part.text)):
                events.append(TextDelta(text))
            self._receive_call(part)
        self._finish = candidate.finish_reason or self._finish
        return events

    def _receive_call(self, part: _Part) -> None:
        """A call comes whole, in one part."""
        self._count += 1
        if part.function_call is not None:
            self._calls.receive(self._count, part.function_call.name, argument_text(part.function_call.args))
        if part.executable_code is not None:
            self._calls.receive(self._count, "python", part.executable_code.code)


def _usage(usage: _Usage) -> Usage:
    return Usage(
        input_tokens=usage.prompt_token_count or 0,
        cached_tokens=usage.cached_content_token_count or 0,
        output_tokens=(usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        reasoning_tokens=usage.thoughts_token_count or 0,
    )
