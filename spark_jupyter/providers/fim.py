"""Dialects that fill in the middle: Mistral's, Inception's, DeepSeek's.

Source of the fields: Mistral's API reference, "Fill in the middle completion", whose stream is that of chat completions; Inception's,
"FIM", whose stream has ``text`` in place of ``delta``, as has DeepSeek's, "Create FIM completion (beta)": at most 4,096 tokens of output,
without thinking.
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
    no_suffix: ClassVar[str | None] = ""
    """The suffix where nothing follows; None: it is left out."""
    more: ClassVar[Json] = {}
    """Fields that every request has besides."""

    def encode(self, request: ModelRequest) -> bytes:
        infill = infill_of(request)
        body: Json = {
            "model": request.model,
            "prompt": infill.before,
            "suffix": infill.suffix or self.no_suffix,
            "max_tokens": request.max_output_tokens,
            "temperature": request.temperature,
            "stream": True,
            **self.more,
        }
        return json_text.encode({name: value for name, value in body.items() if value is not None})

    def decoder(self, request: ModelRequest, *, where: str = "") -> ChatDecoder:
        return ChatDecoder(model=request.model, where=where)


class Completions(FillInMiddle):
    """The dialect ``completions``."""

    path: ClassVar[str] = "/completions"
    base_path: ClassVar[str] = "/beta"
    no_suffix: ClassVar[str | None] = None
    more: ClassVar[Json] = {"stream_options": {"include_usage": True}}
