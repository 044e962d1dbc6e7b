"""Dialect of ``/fim/completions`` (Mistral, Inception).

Source of the fields: Mistral's API reference, "Fill in the middle completion", whose stream is that of chat completions; Inception's,
"FIM", whose stream has ``text`` in place of ``delta``, as have the older completions (:mod:`.completions_fim`).
"""

from __future__ import annotations

from typing import ClassVar

from spark_jupyter.exceptions import RequestRefused
from spark_jupyter.protocol import json_text
from spark_jupyter.providers.base import Infill, ModelRequest
from spark_jupyter.providers.chat_completions import ChatDecoder
from spark_jupyter.providers.dialect_defaults import Common

Json = dict[str, object]


def infill_of(request: ModelRequest) -> Infill:
    """Infill of a request. Raises :class:`~spark_jupyter.exceptions.RequestRefused` for a request of another kind."""
    if request.infill is None:
        raise RequestRefused(
            "This model fills in what is missing in a text; it takes no prompts.",
            remedy="Use it for suggestions (%spark suggestions provider NAME), and another one with %spark provider NAME.",
        )
    return request.infill


class FillInMiddle(Common):
    """The dialect ``fim``."""

    path: ClassVar[str] = "/fim/completions"

    def encode(self, request: ModelRequest) -> bytes:
        infill = infill_of(request)
        body: Json = {"model": request.model, "prompt": infill.before, "suffix": infill.suffix, "stream": True}
        if request.max_output_tokens is not None:
            body["max_tokens"] = request.max_output_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return json_text.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> ChatDecoder:
        return ChatDecoder(model=request.model, where=where)
