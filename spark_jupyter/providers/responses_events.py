"""Events of OpenAI's Responses API as model events.

Both carry the same events (OpenAI's API reference, "Streaming events"); :mod:`.responses` has what goes out.
"""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.exceptions import ProviderError
from spark_jupyter.providers.base import (
    ModelEvent,
    Progress,
    ProviderTimed,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    TierServed,
    TokenDetails,
    Usage,
)
from spark_jupyter.providers.refusals import UNREADABLE, bad_response, raise_stated, read_refusal, to_error
from spark_jupyter.providers.tolerant_json import Characters, Tolerant, loads, whole
from spark_jupyter.providers.tool_calls import CALLED, ToolCalls, argument_text
from spark_jupyter.typed_decoders import json_decoder

Json = dict[str, object]


class _Usage(Struct, frozen=True):
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    input_tokens_details: TokenDetails | None = None
    output_tokens_details: TokenDetails | None = None


class _Part(Struct, frozen=True):
    type: str = ""
    text: str | None = None
    refusal: str | None = None


class _Item(Struct, frozen=True):
    type: str = ""
    name: str | None = None
    arguments: object = None
    code: str | None = None
    content: list[_Part] | None = None


class _IncompleteDetails(Struct, frozen=True):
    reason: str | None = None


class _Response(Struct, frozen=True):
    id: str = ""
    model: str | None = None
    output: list[_Item] | None = None
    output_text: str | None = None
    usage: _Usage | None = None
    incomplete_details: _IncompleteDetails | None = None
    error: object = None
    status: str | None = None
    service_tier: str | None = None


class _TextDelta(Struct, frozen=True, tag="response.output_text.delta"):
    delta: str = ""
    output_index: int = 0
    content_index: int = 0


class _TextDone(Struct, frozen=True, tag="response.output_text.done"):
    text: str = ""
    output_index: int = 0
    content_index: int = 0


class _RefusalDelta(Struct, frozen=True, tag="response.refusal.delta"):
    delta: str = ""
    output_index: int = 0
    content_index: int = 0


class _SummaryDelta(Struct, frozen=True, tag="response.reasoning_summary_text.delta"):
    delta: str = ""


class _ReasoningText(Struct, frozen=True, tag="response.reasoning_text.delta"):
    delta: str = ""


class _InProgress(Struct, frozen=True, tag="response.in_progress"):
    prompt_progress: Progress | None = None


class _ItemAdded(Struct, frozen=True, tag="response.output_item.added"):
    item: _Item = _Item()


class _ItemDone(Struct, frozen=True, tag="response.output_item.done"):
    item: _Item = _Item()
    output_index: int = 0


class _Times(Struct, frozen=True):
    duration_ms: float | None = None
    engine_service_total_ms: float | None = None


class _Timing(Struct, frozen=True, tag="responsesapi.websocket_timing"):
    """Not in the reference; Codex clients read it. Its figures stand in a field of their own, of either name."""

    timing: _Times | None = None
    timing_metrics: _Times | None = None

    def events(self) -> list[ModelEvent]:
        """Events of the message; none if it can't be true."""
        times = self.timing or self.timing_metrics or _Times()
        took = times.duration_ms if times.duration_ms is not None else times.engine_service_total_ms
        return [ProviderTimed(took / 1000)] if took is not None and 0 <= took < 1e9 else []


class _Created(Struct, frozen=True, tag="response.created"):
    response: _Response = _Response()


class _Completed(Struct, frozen=True, tag="response.completed"):
    response: _Response = _Response()


class _Incomplete(Struct, frozen=True, tag="response.incomplete"):
    response: _Response = _Response()


class _Failed(Struct, frozen=True, tag="response.failed"):
    response: _Response = _Response()
    error: object = None


_Known = (
    _TextDelta
    | _TextDone
    | _RefusalDelta
    | _SummaryDelta
    | _ReasoningText
    | _InProgress
    | _ItemAdded
    | _ItemDone
    | _Timing
    | _Created
    | _Completed
    | _Incomplete
    | _Failed
)
_known = json_decoder(_Known)
_any_known: Tolerant[object] = Tolerant(_Known)  # type: ignore[arg-type]
_response = Tolerant(_Response)


class Envelope(Struct, frozen=True):
    """Implements :class:`~spark_jupyter.providers.base.Envelope`: what every event has."""

    type: str = ""
    stream_id: str | None = None

    @property
    def lane(self) -> str | None:
        return self.stream_id

    @property
    def is_last(self) -> bool:
        return self.type in ("response.completed", "response.failed", "response.incomplete", "error")

    @property
    def is_cut(self) -> bool:
        """True if the response has ended before it was whole."""
        return self.type == "response.incomplete"

    @property
    def is_error(self) -> bool:
        """True if it refuses a request, or all that the socket is asked."""
        return self.type == "error"


read_envelope = Tolerant(Envelope).decode
"""Decoder of the fields that every event has. Raises what :data:`~.refusals.UNREADABLE` names."""


class ResponsesDecoder:
    """Makes model events of one response's stream. Deltas may come without the item and part events before them."""

    def __init__(self, *, model: str = "", where: str = "", tier: str | None = None) -> None:
        self._tier = tier
        self._model = model
        self._where = where
        self._pieces: list[str] = []
        self._part = (-1, -1)
        self._parts: set[tuple[int, int]] = set()
        self._refused = False
        self._calls = ToolCalls()
        self._characters = Characters()
        self.response_id = ""
        self.ended = False

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        """The model events in one event of the stream. Unknown types give none.

        Raises a :class:`~spark_jupyter.exceptions.ProviderError` for an error event and for what is not the protocol.
        """
        try:
            event = _known.decode(data)
        except UNREADABLE:
            event = self._read_other(data)
        if isinstance(event, _TextDelta):
            return self._deliver(event.delta, (event.output_index, event.content_index))
        return self._receive_rare(event)

    def receive_end(self) -> list[ModelEvent]:
        """None: a response says itself how it ends."""
        return []

    def _receive_rare(self, event: object) -> list[ModelEvent]:
        if event is None:
            return []
        if isinstance(event, _RefusalDelta):
            self._refused = True
            return self._deliver(event.delta, (event.output_index, event.content_index))
        if isinstance(event, _TextDone):
            # Where a server sends no deltas, or only the part's text at its end, nothing may be lost.
            part = (event.output_index, event.content_index)
            return [] if part in self._parts else self._deliver(event.text, part)
        if isinstance(event, _SummaryDelta | _ReasoningText):
            return [ReasoningDelta(whole(event.delta))]
        if isinstance(event, _Timing):
            return event.events()
        if isinstance(event, _ItemAdded):
            return [ReasoningDelta("")] if event.item.type == "reasoning" else []
        if isinstance(event, _ItemDone):
            self._receive_call(event.output_index, event.item)
            return []
        if isinstance(event, _InProgress):
            return [*event.prompt_progress.events()] if event.prompt_progress is not None else []
        if isinstance(event, _Created):
            self.response_id = event.response.id
            return [ResponseStarted(response_id=event.response.id, model=event.response.model or "")]
        if isinstance(event, _Failed):
            self.ended = True
            raise self._failure({"error": event.response.error or event.error})
        assert isinstance(event, _Completed | _Incomplete)
        return self._end(event)

    def _deliver(self, text: str, part: tuple[int, int]) -> list[ModelEvent]:
        text = self._characters.receive(text)
        if not text:
            return []
        if part != self._part:
            # A new message or part is a new paragraph; glued to the last one, a code fence would lose its line.
            if self._pieces and not self._pieces[-1].endswith("\n"):
                text = "\n\n" + text
            self._part = part
            self._parts.add(part)
        self._pieces.append(text)
        return [TextDelta(text)]

    def _end(self, event: _Completed | _Incomplete) -> list[ModelEvent]:
        self.ended = True
        response = event.response
        self.response_id = response.id or self.response_id
        events: list[ModelEvent] = []
        if not self._pieces:
            events += self._undelivered(response.output or []) or self._deliver(response.output_text or "", (0, 0))
        code, lacks = self._calls.end()
        events += code
        if self._tier and response.service_tier:
            events.append(TierServed(response.service_tier))
        usage = _usage(response.usage)
        if isinstance(event, _Incomplete) or self._refused or lacks:
            details = response.incomplete_details
            why = "refusal" if self._refused else CALLED if lacks else "unknown"
            reason = (details.reason if details else None) or why
            events.append(ResponseIncomplete(reason=reason, response_id=self.response_id, usage=usage))
        else:
            events.append(ResponseCompleted(response_id=self.response_id, usage=usage))
        return events

    def _receive_call(self, index: int, item: _Item) -> None:
        """A call comes whole when its item is done. What a server ran itself (``code_interpreter_call``) has its code in a field."""
        if item.type == "function_call":
            self._calls.receive(index, item.name, argument_text(item.arguments))
        elif item.type == "code_interpreter_call" and item.code:
            self._calls.receive(index, "python", item.code)

    def _undelivered(self, output: list[_Item]) -> list[ModelEvent]:
        """The text of a response whose server sent no deltas."""
        events: list[ModelEvent] = []
        for index, item in enumerate(output):
            for number, part in enumerate(item.content or []):
                if item.type == "message" and part.refusal:
                    self._refused = True
                if item.type == "message" and (part.text or part.refusal):
                    events += self._deliver(part.text or part.refusal or "", (index, number))
        return events

    def _read_other(self, data: bytes) -> object:
        """Read a malformed message as far as possible: an event, a response that was not streamed; None if unknown.

        Raises the error that it states, or that it is not JSON.
        """
        try:
            fields = loads(data)
        except UNREADABLE:
            if data.strip() == b"[DONE]":
                return None
            raise bad_response("what is not JSON", data=data, where=self._where) from None
        if not isinstance(fields, dict):
            return None
        kind = fields.get("type")
        if kind == "error" or not isinstance(kind, str):
            try:
                raise_stated(fields, model=self._model, where=self._where)
            except ProviderError:
                self.ended = True
                raise
        if kind is None and (fields.get("object") == "response" or isinstance(fields.get("output"), list)):
            response = _response.fit(fields)
            for index, item in enumerate(response.output or ()):
                self._receive_call(index, item)
            return (_Incomplete if response.status == "incomplete" else _Completed)(response)
        try:
            return _any_known.fit(fields)
        except UNREADABLE:
            return None

    def _failure(self, fields: Json) -> ProviderError:
        return to_error(read_refusal(fields), model=self._model, where=self._where)


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    return Usage.reported(
        usage.input_tokens, usage.input_tokens_details, usage.output_tokens, usage.output_tokens_details
    )
