"""Messages of the Responses API, as the server reads and writes them.

Client events are Structs, server events are JSON.

Source: the Responses API over WebSocket as the official ``openai`` SDK (3.52) types it, in
``openai/types/responses/responses_client_event.py`` and ``responses_server_event.py``.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from spark_jupyter.providers.base import Infill, Message
from spark_jupyter.server.engines.base import FunctionCall
from spark_jupyter.typed_decoders import json_decoder

LANE_PATTERN = re.compile(r"[A-Za-z0-9_.-]{1,256}")
"""Names of lanes (``stream_id``)."""

STEER_ERRORS = frozenset(
    "response_not_found invalid_input steering_not_supported too_many_pending_steers response_already_completed "
    "response_not_active successor_creation_failed".split()
)
"""Error codes of ``response.steer.failed`` (the SDK's ``ResponseSteerErrorCode``)."""

Json = object
"""Any JSON value. A recursive alias would be truer, but neither msgspec nor a reader gains by it."""
ServiceTier = Literal["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"]


# --- Client events -------------------------------------------------------------------------------------------------


class Part(Struct, frozen=True):
    """A part of a message's content. This server takes text only."""

    type: str
    text: str | None = None
    refusal: str | None = None


class Item(Struct, frozen=True):
    """An item of the input; which fields count depends on ``type``."""

    type: str = "message"
    role: Literal["user", "assistant", "system", "developer"] | None = None
    content: str | list[Part] | None = None
    call_id: str | None = None
    name: str = ""
    arguments: str = ""
    output: str | list[Part] | None = None


class Reasoning(Struct, frozen=True, omit_defaults=True):
    """Taken and echoed; no engine here reasons."""

    effort: str | None = None
    summary: str | None = None


class StreamOptions(Struct, frozen=True):
    """Taken. This server never adds obfuscation, which is what a client that asks for none wants."""

    include_obfuscation: bool | None = None


class Create(Struct, frozen=True, kw_only=True, tag_field="type", tag="response.create"):
    """``response.create``. Fields that are not listed here are ignored, so that newer clients work. ``infill``, which no other server has,
    is the same request once more for an engine that fills in."""

    model: str | None = None
    input: str | list[Item] | None = None
    instructions: str | None = None
    previous_response_id: str | None = None
    store: bool | None = None
    max_output_tokens: Annotated[int, Meta(ge=1)] | None = None
    reasoning: Reasoning | None = None
    service_tier: ServiceTier | None = None
    prompt_cache_key: str | None = None
    stream_options: StreamOptions | None = None
    metadata: dict[str, str] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    background: bool | None = None
    generate: bool | None = None
    stream_id: str | None = None
    infill: Infill | None = None


class SteerMessage(Struct, frozen=True, forbid_unknown_fields=True):
    """The only kind of item that a steer takes."""

    content: str | list[Part]
    role: Literal["user"]
    type: Literal["message"] = "message"


class Steer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="response.steer"):
    """``response.steer``: these fields and no other."""

    previous_response_id: str
    input: str | list[SteerMessage]


class Interrupt(Struct, frozen=True, kw_only=True, tag_field="type", tag="response.interrupt"):
    """``response.interrupt``, as Codex clients send it: the response ends at once, and the item that is not whole is thrown away."""

    response_id: str
    mode: Literal["discard_partial_items"] = "discard_partial_items"


class RequestError(Exception):
    """A request that is refused. The attributes are those of the ``error`` event; ``kind`` is its ``type``."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        kind: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.kind = kind
        self.code = code
        self.param = param
        self.headers = headers or {}


class Envelope(Struct, frozen=True):
    """Fields of a client event that are needed before it is decoded. The fields may hold anything."""

    type: object = None
    stream_id: object = None
    previous_response_id: object = None
    input: object = None


_client_event = json_decoder(Create | Steer | Interrupt)
_envelope = json_decoder(Envelope)


def decode(data: str | bytes) -> Create | Steer | Interrupt:
    """The client event in a text frame. Raises :class:`RequestError` for what is not one."""
    try:
        event: Create | Steer | Interrupt = _client_event.decode(data)
    except msgspec.ValidationError as error:
        raise RequestError(str(error), code="invalid_value", param=_param(str(error))) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise RequestError("The frame is not valid JSON.", code="invalid_json") from error
    return event


def envelope(data: str | bytes) -> Envelope:
    """Read the envelope of a frame that :func:`decode` refused; empty if it is not a JSON object."""
    try:
        return _envelope.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return Envelope()


def _param(message: str) -> str | None:
    """The field that a validation message of msgspec is about: ``… - at `$.input[0].role``` gives ``input[0].role``."""
    found = re.search(r"`\$\.(.+?)`$", message) or re.search(r"unknown field `(.+?)`", message)
    return found.group(1) if found else None


# --- Input → messages ------------------------------------------------------------------------------------------------


class Input(Struct, frozen=True):
    """A request's input, understood: messages, instructions found among them, and the calls that it answers and makes."""

    messages: tuple[Message, ...] = ()
    instructions: tuple[str, ...] = ()
    answered: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()


def read_input(given: str | list[Item] | None) -> Input:
    """Understand an input. Raises :class:`RequestError` for items and parts that this server can't take (images,
    files …)."""
    if given is None:
        return Input()
    if isinstance(given, str):
        return Input(messages=(Message("user", given),) if given else ())
    messages: list[Message] = []
    instructions: list[str] = []
    answered: set[str] = set()
    calls: set[str] = set()
    for number, item in enumerate(given):
        where = f"input[{number}]"
        if item.type == "message":
            text = _text(item.content, f"{where}.content")
            if item.role in ("system", "developer"):
                instructions.append(text)
            elif item.role is None:
                raise RequestError("A message needs a role.", code="missing_required_parameter", param=f"{where}.role")
            else:
                messages.append(Message("assistant" if item.role == "assistant" else "user", text))
        elif item.type == "function_call":
            calls.add(item.call_id or "")
            messages.append(Message("assistant", call_text(FunctionCall(item.name, item.arguments))))
        elif item.type == "function_call_output":
            answered.add(item.call_id or "")
            messages.append(Message("user", _text(item.output, f"{where}.output")))
        elif (
            item.type != "reasoning"
        ):  # a reasoning item may be replayed, and says nothing to engines that don't reason
            raise RequestError(
                f"Items of type {item.type!r} are not supported.", code="invalid_value", param=f"{where}.type"
            )
    return Input(tuple(messages), tuple(instructions), frozenset(answered), frozenset(calls))


def read_steer(given: str | list[SteerMessage]) -> tuple[Message, ...]:
    """The messages of a steer. Raises :class:`RequestError` when there are none, or when they are not text."""
    if isinstance(given, str):
        given = [SteerMessage(given, "user")] if given else []
    if not given:
        raise RequestError("A steer needs input.", param="input")
    return tuple(Message("user", _text(item.content, f"input[{n}].content")) for n, item in enumerate(given))


def call_text(call: FunctionCall) -> str:
    return f"{call.name}({call.arguments})"


def _text(content: str | list[Part] | None, where: str) -> str:
    if content is None:
        raise RequestError("There is no content.", code="missing_required_parameter", param=where)
    if isinstance(content, str):
        return content
    texts = []
    for number, part in enumerate(content):
        text = part.refusal if part.type == "refusal" else part.text
        if part.type not in ("input_text", "output_text", "text", "refusal") or text is None:
            raise RequestError(
                f"This server takes text only, not {part.type!r}.", code="invalid_value", param=f"{where}[{number}]"
            )
        texts.append(text)
    return "".join(texts)


# --- Server events ---------------------------------------------------------------------------------------------------


class TextDelta(Struct, frozen=True, kw_only=True, tag_field="type", tag="response.output_text.delta"):
    """The one event that there are many of, so it has a Struct of its own; the others are made of dicts."""

    item_id: str
    output_index: int
    content_index: int = 0
    delta: str
    logprobs: tuple[()] = ()
    sequence_number: int
    stream_id: str | UnsetType = UNSET


_encoder = msgspec.json.Encoder()
encode = _encoder.encode


def error_event(error: RequestError, *, stream_id: str | None, sequence_number: int | None = None) -> bytes:
    details: dict[str, Json] = {
        "type": error.kind,
        "code": error.code,
        "message": error.message,
        "param": error.param,
    }
    if error.headers:
        details["headers"] = dict(error.headers)
    event: dict[str, Json] = {"type": "error", "status": error.status, "error": details}
    if sequence_number is not None:
        event["sequence_number"] = sequence_number
    if stream_id is not None:
        event["stream_id"] = stream_id
    return encode(event)


def refusal_body(error: RequestError) -> dict[str, Json]:
    """The body of an answer over HTTP that refuses a request."""
    return {"error": {"type": error.kind, "code": error.code, "message": error.message, "param": error.param}}


def text_item(item_id: str, text: str, status: str) -> dict[str, Json]:
    """An assistant's message as an output item."""
    content: list[Json] = [] if status == "in_progress" else [text_part(text)]
    return {
        "id": item_id,
        "type": "message",
        "status": status,
        "role": "assistant",
        "phase": "final_answer",
        "content": content,
    }


def text_part(text: str) -> dict[str, Json]:
    """The content part of a message."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def call_item(item_id: str, call_id: str, call: FunctionCall, status: str) -> dict[str, Json]:
    arguments = "" if status == "in_progress" else call.arguments
    return {
        "id": item_id,
        "type": "function_call",
        "status": status,
        "call_id": call_id,
        "name": call.name,
        "arguments": arguments,
    }
