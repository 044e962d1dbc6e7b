"""Dialect of chat completions, which almost every server speaks.

Source of the fields: OpenAI's API reference, "Chat completions / Streaming"; ``reasoning_content`` (vLLM,
llama.cpp, DeepSeek) and ``reasoning`` (Groq, Ollama, Cerebras) are what servers call the thinking that they show.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from msgspec import Struct

from spark_jupyter.exceptions import BadResponse
from spark_jupyter.protocol import json_text
from spark_jupyter.providers.base import (
    Message,
    ModelEvent,
    ModelRequest,
    Progress,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    TierServed,
    TokenDetails,
    Usage,
)
from spark_jupyter.providers.dialect_defaults import Common, cache_key
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.refusals import bad_response, decoded, raise_stated
from spark_jupyter.providers.tolerant_json import Characters, Tolerant, name_in, scalar_text, text_in, whole
from spark_jupyter.providers.tool_calls import CALLED, ToolCalls, argument_text

Json = dict[str, object]
_REASONS = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "max_output_tokens"),
    **dict.fromkeys(("content_filter", "safety"), "content_filter"),
    **dict.fromkeys(("error", "network_error", "insufficient_system_resource"), "error"),
}
_REPEATED = 4
"""Characters of the answer that a message must begin with to be taken for a repetition of it."""


class ChatCompletions(Common):
    """The dialect ``chat``. The profile says whether its server takes predicted outputs (``prediction``) and what it calls the limit
    (``max_tokens_field``), and whether it tells how far it has read a prompt (``progress``)."""

    path: ClassVar[str] = "/chat/completions"

    def __init__(self, profile: Profile) -> None:
        self._prediction = profile.prediction
        self._max_tokens_field = profile.max_tokens_field
        self._progress = profile.progress
        self._cache_key = profile.cache_key

    def encode(self, request: ModelRequest) -> bytes:
        messages: list[Json] = [{"role": "system", "content": request.instructions}] if request.instructions else []
        messages += [{"role": message.role, "content": _content(message)} for message in request.input]
        body: Json = {"model": request.model, "messages": messages, "stream": True}
        body["stream_options"] = {"include_usage": True}
        if request.max_output_tokens is not None:
            body[self._max_tokens_field] = request.max_output_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.effort is not None:
            body["reasoning_effort"] = request.effort
        if request.tier is not None:
            body["service_tier"] = request.tier
        if self._cache_key:
            body["prompt_cache_key"] = cache_key(request)
        if request.prediction and self._prediction:
            body["prediction"] = {"type": "content", "content": request.prediction}
        if self._progress:
            body["return_progress"] = True
        return json_text.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> ChatDecoder:
        return ChatDecoder(model=request.model, where=where, tier=request.tier)


def _content(message: Message) -> object:
    """Plain text where there are no images: not every server takes parts."""
    if not message.images:
        return message.text
    images = [{"type": "image_url", "image_url": {"url": image.data_url}} for image in message.images]
    return [*images, {"type": "text", "text": message.text}]


class _Function(Struct, frozen=True):
    name: str | None = None
    arguments: object = None


class _Custom(Struct, frozen=True):
    name: str | None = None
    input: str | None = None


class _Call(Struct, frozen=True):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    custom: _Custom | None = None


class _Delta(Struct, frozen=True):
    """A piece of the answer. What servers call the thinking that they show differs; the first that is there is taken."""

    content: object = None
    reasoning_content: object = None
    reasoning: object = None
    reasoning_text: object = None
    thinking: object = None
    thinking_content: object = None
    thought: object = None
    reasoning_details: object = None
    thinking_blocks: object = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None

    @property
    def thought_text(self) -> str:
        """The thinking, from the first field that has any."""
        told = self.reasoning_content or self.reasoning or self.reasoning_text or self.thinking or self.thinking_content
        return text_in(told or self.thought or self.reasoning_details or self.thinking_blocks)


class _Usage(Struct, frozen=True):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    prompt_tokens_details: TokenDetails | None = None
    completion_tokens_details: TokenDetails | None = None


class _Groq(Struct, frozen=True):
    """Where Groq has the counts of a stream."""

    usage: _Usage | None = None


class _Choice(Struct, frozen=True):
    delta: _Delta | str | None = None
    message: _Delta | str | None = None
    text: object = None
    content: object = None
    finish_reason: object = None
    index: int | None = 0
    usage: _Usage | None = None
    error: object = None


class _Chunk(Struct, frozen=True):
    choices: list[_Choice] | None = None
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None
    x_groq: _Groq | None = None
    service_tier: str | None = None
    prompt_progress: Progress | None = None
    error: object = None
    kind: str | None = msgspec.field(default=None, name="object")


_chunk = Tolerant(_Chunk)


class ChatDecoder:
    """Makes model events of one completion's chunks. Usage may come with the last chunk or in one of its own after it. The older
    completions have ``text`` in place of a ``delta``, a server that does not stream a ``message``."""

    def __init__(self, *, model: str = "", where: str = "", tier: str | None = None) -> None:
        self._tier = tier
        self._served = ""
        self._model = model
        self._where = where
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._refused = False
        self._calls = ToolCalls()
        self._characters = Characters()
        self._pieces: list[str] = []
        self._answers = False
        self._index: int | None = None
        self.response_id = ""
        self.started = False
        self.ended = False

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        """The model events in the data of one server-sent event.

        Raises a :class:`~spark_jupyter.exceptions.ProviderError` for an error and for what is not the protocol.
        """
        if data.strip().strip(b'"').upper() == b"[DONE]":
            if self.started and not self._answers:
                raise bad_response("a stream without an answer", where=self._where)
            return self._finished()
        try:
            chunk = decoded(_chunk, data, what="what is no chunk of a completion", where=self._where)
        except BadResponse:
            if self._finish is None:
                raise
            return self._finished()  # the answer is whole: what follows is none of it
        if not chunk.choices or chunk.error is not None or chunk.kind == "error":
            raise_stated(data, model=self._model, where=self._where)
        return self._receive_chunk(chunk)

    def receive_end(self) -> list[ModelEvent]:
        """The last event, where the stream ends after a finish reason (some servers send no ``[DONE]``)."""
        return self._finished() if self._finish is not None else []

    def _finished(self) -> list[ModelEvent]:
        """The last event; none where nothing had begun, or it has come before."""
        if self.ended or (self._finish is None and not self._answers):
            return []
        self.ended = True
        rest = self._characters.flush()
        events: list[ModelEvent] = [TextDelta(rest)] if rest else []
        code, lacks = self._calls.end()
        events += code
        if self._tier and self._served:
            events.append(TierServed(self._served))
        reason = (
            "refusal"
            if self._refused
            else _REASONS.get((self._finish or "stop").lower()) or (CALLED if lacks else None)
        )
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
        self._served = chunk.service_tier or self._served
        told = (chunk.usage, (chunk.x_groq or _Groq()).usage, *(each.usage for each in chunk.choices or ()))
        if (usage := next(filter(None, told), None)) is not None:
            self._usage = _usage(usage)
        for choice in chunk.choices or ():
            self._index = choice.index or 0 if self._index is None else self._index
            if (choice.index or 0) == self._index:  # one was asked for: some gateways call it the second
                events += self._receive_choice(choice)
        ends = chunk.kind == "chat.completion" if chunk.choices else chunk.usage is not None  # in a chunk of its own
        if ends and self._answers:
            self._finish = self._finish or "stop"
        return events

    def _receive_choice(self, choice: _Choice) -> list[ModelEvent]:
        self._answers = True
        events: list[ModelEvent] = []
        if choice.delta is not None:
            events += self._receive_delta(choice.delta)
        if choice.message is not None and not events:
            events += self._receive_message(choice.message)
        if choice.text is not None or choice.content is not None:
            events += self._deliver(scalar_text(choice.text) or text_in(choice.content))
        if choice.finish_reason is not None and (reason := name_in(choice.finish_reason)) not in ("", "null", "none"):
            self._finish = reason
        if choice.error:
            raise_stated({"error": choice.error}, model=self._model, where=self._where)
        return events

    def _receive_delta(self, delta: _Delta | str) -> list[ModelEvent]:
        if isinstance(delta, str):
            return self._deliver(delta)
        events: list[ModelEvent] = []
        if thought := delta.thought_text:
            events.append(ReasoningDelta(whole(thought)))
        if isinstance(delta.content, str):
            events += self._deliver(delta.content)
        elif delta.content is not None:
            for is_thought, text in _parts(delta.content):
                events += [ReasoningDelta(whole(text))] if is_thought else self._deliver(text)
        if delta.refusal:
            self._refused = True
            events.append(TextDelta(whole(delta.refusal)))
        for call in delta.tool_calls or ():
            self._receive_call(call)
        if delta.function_call is not None:
            self._calls.receive("function_call", delta.function_call.name, argument_text(delta.function_call.arguments))
        return events

    def _receive_message(self, message: _Delta | str) -> list[ModelEvent]:
        """A message is the whole answer, or all of it so far, or in some servers its next piece."""
        if isinstance(message, str):
            message = _Delta(content=message)
        text = "".join(text for is_thought, text in _parts(message.content) if not is_thought)
        said = "".join(self._pieces)
        if len(said) >= _REPEATED and text.startswith(said):
            return self._deliver(text[len(said) :])
        return self._receive_delta(message)

    def _deliver(self, text: str) -> list[ModelEvent]:
        text = self._characters.receive(text)
        if not text:
            return []
        self._pieces.append(text)
        return [TextDelta(text)]

    def _receive_call(self, call: _Call) -> None:
        function, custom = call.function or _Function(), call.custom or _Custom()
        name = function.name or custom.name
        said = argument_text(function.arguments) or custom.input
        if not (name or said or call.id):
            return
        key = self._calls.key(call.index, call.id, is_new=bool(name))
        self._calls.receive(key, name, said)


def _parts(content: object) -> list[tuple[bool, str]]:
    """The pieces of a content, and of each whether it is thought."""
    if isinstance(content, str):
        return [(False, content)]
    if not isinstance(content, list | dict):
        return [(False, scalar_text(content))]
    return [(_is_thought(part), text_in(part)) for part in (content if isinstance(content, list) else [content])]


def _is_thought(part: object) -> bool:
    if not isinstance(part, dict):
        return False
    return part.get("thought") is True or any(word in str(part.get("type")) for word in ("think", "thought", "reason"))


def _usage(usage: _Usage) -> Usage:
    return Usage.reported(
        usage.prompt_tokens, usage.prompt_tokens_details, usage.completion_tokens, usage.completion_tokens_details
    )
