"""Requests of OpenAI's Responses API, over WebSocket or HTTP.

Both carry the same events (OpenAI's API reference, "Streaming events" and "WebSocket mode"). Over the WebSocket a
request is a ``response.create`` event, may continue an earlier response with ``previous_response_id`` and only the
new input, may name a lane (``stream_id``), and may only warm up (``generate: false``). Over HTTP it is a body with
``stream: true``.
"""

from __future__ import annotations

from typing import ClassVar

from spark_jupyter.protocol import json_text
from spark_jupyter.providers.base import Message, ModelRequest
from spark_jupyter.providers.dialect_defaults import Common, cache_key
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.refusals import UNREADABLE
from spark_jupyter.providers.responses_events import Envelope, ResponsesDecoder, read_envelope

Json = dict[str, object]


# --- What goes out -------------------------------------------------------------------------------------------------


def _body(request: ModelRequest, new_input: tuple[Message, ...], profile: Profile) -> Json:
    body: Json = {
        "model": request.model,
        "instructions": request.instructions,
        "input": [_item(message) for message in new_input],
        "store": False,
    }
    if request.max_output_tokens is not None:
        body["max_output_tokens"] = request.max_output_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.effort is not None:
        body["reasoning"] = {"effort": request.effort}
    if request.tier is not None:
        body["service_tier"] = request.tier
    if profile.cache_key:
        body["prompt_cache_key"] = cache_key(request)
    if profile.cache_ttl:
        body["prompt_cache_options"] = {"ttl": profile.cache_ttl}
    return body


def _item(message: Message) -> Json:
    if message.role == "assistant":  # the API refuses input_text there, and parts of an output without their ids
        return {"type": "message", "role": "assistant", "content": message.text}
    images = [{"type": "input_image", "image_url": image.data_url, "detail": "auto"} for image in message.images]
    return {"type": "message", "role": message.role, "content": [*images, {"type": "input_text", "text": message.text}]}


class ResponsesOverWebSocket(Common):
    """The dialect ``responses-websocket``: each request is a ``response.create`` event."""

    path: ClassVar[str] = "/responses"

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def encode(
        self,
        request: ModelRequest,
        *,
        previous_response_id: str | None = None,
        new_input: tuple[Message, ...] | None = None,
        lane: str | None = None,
    ) -> bytes:
        body = _body(request, request.input if new_input is None else new_input, self._profile)
        body["type"] = "response.create"
        # The padding that hides the length of deltas doubles their size; the link is encrypted and ours alone.
        body["stream_options"] = {"include_obfuscation": False}
        if previous_response_id is not None:
            body["previous_response_id"] = previous_response_id
        if lane is not None:
            body["stream_id"] = lane
        if not request.generate:
            body["generate"] = False
        if self._profile.infill and request.infill is not None:
            body["infill"] = request.infill
        return json_text.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> ResponsesDecoder:
        return ResponsesDecoder(model=request.model, where=where, tier=request.tier)

    def interrupt(self, response_id: str) -> bytes:
        """See :class:`~spark_jupyter.providers.base.SocketProvider`. Codex clients send it; OpenAI's reference does not have it."""
        return json_text.encode(
            {"type": "response.interrupt", "response_id": response_id, "mode": "discard_partial_items"}
        )

    def envelope(self, data: bytes) -> Envelope | None:
        try:
            return read_envelope(data)
        except UNREADABLE:
            return None


class ResponsesOverHTTP(Common):
    """The dialect ``responses-sse``. The profile's ``stream_options`` says that its server can be asked not to pad deltas; not every
    server knows the option. ``progress`` says that it can be asked how far it has read the prompt, ``background`` that an answer may go
    on where the connection is lost: the provider keeps it for that."""

    path: ClassVar[str] = "/responses"

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def encode(self, request: ModelRequest) -> bytes:
        body = _body(request, request.input, self._profile)
        body["stream"] = True
        if self._profile.stream_options:
            body["stream_options"] = {"include_obfuscation": False}
        if self._profile.progress:
            body["return_progress"] = True
        if request.overnight is not None:
            body["stream"], body["background"], body["store"] = False, True, True
            options = {"completion_window": request.overnight.window, "continuation_id": request.overnight.work_id}
            body["background_options"] = options
            body.pop("service_tier", None)
        elif self._profile.background and request.background:
            body["background"] = body["store"] = True
        return json_text.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> ResponsesDecoder:
        return ResponsesDecoder(model=request.model, where=where, tier=request.tier)
