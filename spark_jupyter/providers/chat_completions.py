"""Dialect of chat completions, which almost every server speaks.

Source of the fields: OpenAI's API reference, "Chat completions / Streaming"; ``reasoning_content`` (vLLM,
llama.cpp, DeepSeek) and ``reasoning`` (Groq, Ollama, Cerebras) are what servers call the thinking that they show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec
from msgspec import Struct

from spark_jupyter.providers.base import (
    ModelEvent,
    ModelRequest,
    Progress,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    TokenDetails,
    Usage,
)
from spark_jupyter.providers.dialect_defaults import Common
from spark_jupyter.providers.refusals import decoded, read_refusal, to_error
from spark_jupyter.providers.tool_calls import CALLED, ToolCalls

if TYPE_CHECKING:
    from spark_jupyter.providers.profile import Profile

Json = dict[str, object]
_encoder = msgspec.json.Encoder()
_REASONS = {"length": "max_output_tokens", "content_filter": "content_filter", "error": "error"}


class ChatCompletions(Common):
    """The dialect ``chat``. The profile says whether its server takes predicted outputs (``prediction``) and what it calls the limit
    (``max_tokens_field``), and whether it tells how far it has read a prompt (``progress``)."""

    path: ClassVar[str] = "/chat/completions"

    def __init__(self, profile: Profile) -> None:
        self._prediction = profile.prediction
        self._max_tokens_field = profile.max_tokens_field
        self._progress = profile.progress

    def encode(self, request: ModelRequest) -> bytes:
        """See :class:`~spark_jupyter.providers.base.Provider`."""
        messages = [{"role": "system", "content": request.instructions}] if request.instructions else []
        messages += [{"role": message.role, "content": message.text} for message in request.input]
        body: Json = {"model": request.model, "messages": messages, "stream": True}
        body["stream_options"] = {"include_usage": True}
        if request.max_output_tokens is not None:
            body[self._max_tokens_field] = request.max_output_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.effort is not None:
            body["reasoning_effort"] = request.effort
        if request.prediction and self._prediction:
            body["prediction"] = {"type": "content", "content": request.prediction}
        if self._progress:
            body["return_progress"] = True
        return _encoder.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> ChatDecoder:
        """See :class:`~spark_jupyter.providers.base.Provider`."""
        return ChatDecoder(model=request.model, where=where)


class _Function(Struct, frozen=True):
    name: str | None = None
    arguments: str | None = None


class _Call(Struct, frozen=True):
    index: int = 0
    function: _Function | None = None


class _Delta(Struct, frozen=True):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct, frozen=True):
    delta: _Delta | None = None
    text: str | None = None
    finish_reason: str | None = None
    index: int = 0


class _Usage(Struct, frozen=True):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    prompt_tokens_details: TokenDetails | None = None
    completion_tokens_details: TokenDetails | None = None


class _Chunk(Struct, frozen=True):
    choices: list[_Choice] | None = None
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None
    prompt_progress: Progress | None = None
    error: object = None
    kind: str | None = msgspec.field(default=None, name="object")


_chunk = msgspec.json.Decoder(_Chunk)


class ChatDecoder:
    """Makes model events of one completion's chunks. Usage may come with the last chunk or in one of its own after it. The older
    completions have ``text`` in place of a ``delta``."""

    def __init__(self, *, model: str = "", where: str = "") -> None:
        self._model = model
        self._where = where
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._refused = False
        self._calls = ToolCalls()
        self.response_id = ""
        self.started = False
        self.ended = False

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        """The model events in the data of one server-sent event.

        Raises a :class:`~spark_jupyter.exceptions.ProviderError` for an error and for what is not the protocol.
        """
        if data.strip() == b"[DONE]":
            return self._finished()
        chunk = decoded(_chunk, data, what="what is no chunk of a completion", where=self._where)
        if chunk.error is not None or chunk.kind == "error":
            raise to_error(read_refusal(data), model=self._model, where=self._where)
        return self._receive_chunk(chunk)

    def receive_end(self) -> list[ModelEvent]:
        """The last event, where the stream ends after a finish reason (some servers send no ``[DONE]``)."""
        return self._finished() if self._finish is not None else []

    def _finished(self) -> list[ModelEvent]:
        """The last event; none where nothing had begun, or it has come before."""
        if self.ended or (self._finish is None and not self.started):
            return []
        self.ended = True
        events, lacks = self._calls.end()
        reason = "refusal" if self._refused else CALLED if lacks else _REASONS.get(self._finish or "stop")
        if reason is None:
            return [*events, ResponseCompleted(response_id=self.response_id, usage=self._usage)]
        return [*events, ResponseIncomplete(reason=reason, response_id=self.response_id, usage=self._usage)]

    def _receive_chunk(self, chunk: _Chunk) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        if not self.started:
            self.started = True
            self.response_id = chunk.id or ""
            events.append(ResponseStarted(response_id=self.response_id, model=chunk.model or ""))
        if chunk.prompt_progress is not None:
            events += chunk.prompt_progress.events()
        if chunk.usage is not None:
            self._usage = _usage(chunk.usage)
        for choice in chunk.choices or ():
            if choice.index == 0:
                events += self._receive_choice(choice)
        return events

    def _receive_choice(self, choice: _Choice) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        delta = choice.delta
        if delta is not None:
            thought = delta.reasoning_content or delta.reasoning
            if thought:
                events.append(ReasoningDelta(thought))
            if delta.content:
                events.append(TextDelta(delta.content))
            if delta.refusal:
                self._refused = True
                events.append(TextDelta(delta.refusal))
            for call in delta.tool_calls or ():
                function = call.function or _Function()
                self._calls.receive(call.index, function.name, function.arguments)
        if choice.text:
            events.append(TextDelta(choice.text))
        if choice.finish_reason:
            self._finish = choice.finish_reason
        return events


def _usage(usage: _Usage) -> Usage:
    return Usage.reported(
        usage.prompt_tokens, usage.prompt_tokens_details, usage.completion_tokens, usage.completion_tokens_details
    )
