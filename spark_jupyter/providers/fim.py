"""Fill in the middle as Mistral and Inception serve it: ``/fim/completions``. Pure.

Source of the fields: Mistral's API reference, "Fill in the middle completion", whose stream is that of chat completions; Inception's,
"FIM", whose stream has ``text`` in place of ``delta``, as have the older completions (:mod:`.completions`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec
from msgspec import Struct

from spark_jupyter.exceptions import RequestRefused
from spark_jupyter.providers.base import (
    Infill,
    ModelEvent,
    ModelRequest,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    TokenDetails,
    Usage,
    bearer,
)
from spark_jupyter.providers.listing import Listed, read_models
from spark_jupyter.providers.refusals import UNREADABLE, bad_response, read_refusal, to_error

if TYPE_CHECKING:
    from spark_jupyter.providers.profile import Profile

Json = dict[str, object]
_encoder = msgspec.json.Encoder()
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter", "error": "error"}


def infill_of(request: ModelRequest) -> Infill:
    """What is to be filled in. Raises :class:`~spark_jupyter.exceptions.RequestRefused` for a request of another kind."""
    if request.infill is None:
        raise RequestRefused(
            "This model fills in what is missing in a text; it takes no prompts.",
            remedy="Use it for suggestions (%spark provider --suggest NAME), and another one with %spark provider NAME.",
        )
    return request.infill


class FillInMiddle:
    """The dialect ``fim``."""

    path: ClassVar[str] = "/fim/completions"
    base_path: ClassVar[str] = "/v1"

    def __init__(self, profile: Profile) -> None: ...

    def headers(self, key: str) -> dict[str, str]:
        """See :class:`~spark_jupyter.providers.base.Dialect`."""
        return bearer(key)

    def models(self, body: bytes) -> list[Listed]:
        """See :class:`~spark_jupyter.providers.base.Dialect`."""
        return read_models(body)

    def endpoint(self, request: ModelRequest) -> str:
        """See :class:`~spark_jupyter.providers.base.Provider`."""
        return self.path

    def encode(self, request: ModelRequest) -> bytes:
        """See :class:`~spark_jupyter.providers.base.Provider`."""
        infill = infill_of(request)
        body: Json = {"model": request.model, "prompt": infill.before, "suffix": infill.suffix, "stream": True}
        if request.max_output_tokens is not None:
            body["max_tokens"] = request.max_output_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return _encoder.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> CompletionDecoder:
        """See :class:`~spark_jupyter.providers.base.Provider`."""
        return CompletionDecoder(model=request.model, where=where)


class _Delta(Struct, frozen=True):
    content: str | None = None


class _Choice(Struct, frozen=True):
    text: str | None = None
    delta: _Delta | None = None
    finish_reason: str | None = None
    index: int = 0


class _Usage(Struct, frozen=True):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    prompt_tokens_details: TokenDetails | None = None


class _Chunk(Struct, frozen=True):
    choices: list[_Choice] | None = None
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None
    error: object = None


_chunk = msgspec.json.Decoder(_Chunk)


class CompletionDecoder:
    """Makes model events of the chunks of a completion, whichever field has the text."""

    def __init__(self, *, model: str = "", where: str = "") -> None:
        self._model = model
        self._where = where
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._id: str | None = None
        self.ended = False

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        """See :class:`~spark_jupyter.providers.base.Decoder`."""
        if data.strip() == b"[DONE]":
            return self._finished()
        try:
            chunk = _chunk.decode(data)
        except UNREADABLE:
            raise bad_response("what is no chunk of a completion", data=data, where=self._where) from None
        if chunk.error is not None:
            raise to_error(read_refusal(data), model=self._model, where=self._where)
        events: list[ModelEvent] = []
        if self._id is None:
            self._id = chunk.id or ""
            events.append(ResponseStarted(response_id=self._id, model=chunk.model or ""))
        if (usage := chunk.usage) is not None:
            self._usage = Usage.reported(
                usage.prompt_tokens, usage.prompt_tokens_details, usage.completion_tokens, None
            )
        for choice in chunk.choices or ():
            text = choice.text or (choice.delta.content if choice.delta is not None else None)
            if choice.index == 0:
                events += [TextDelta(text)] if text else []
                self._finish = choice.finish_reason or self._finish
        return events

    def receive_end(self) -> list[ModelEvent]:
        """See :class:`~spark_jupyter.providers.base.Decoder`."""
        return self._finished() if self._finish is not None else []

    def _finished(self) -> list[ModelEvent]:
        if self.ended or self._id is None:
            return []
        self.ended = True
        reason = _INCOMPLETE.get(self._finish or "stop")
        if reason is None:
            return [ResponseCompleted(response_id=self._id, usage=self._usage)]
        return [ResponseIncomplete(reason=reason, response_id=self._id, usage=self._usage)]
