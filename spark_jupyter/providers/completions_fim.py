"""Dialect of DeepSeek's completions with a suffix (fill in the middle).

Source of the fields: DeepSeek's API reference, "Create FIM completion (beta)": at most 4,096 tokens of output, without thinking.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from spark_jupyter.providers.base import ModelRequest
from spark_jupyter.providers.fim import FillInMiddle, infill_of


class Completions(FillInMiddle):
    """The dialect ``completions``."""

    path: ClassVar[str] = "/completions"
    base_path: ClassVar[str] = "/beta"

    def encode(self, request: ModelRequest) -> bytes:
        infill = infill_of(request)
        body: dict[str, object] = {
            "model": request.model,
            "prompt": infill.before,
            "suffix": infill.suffix or None,
            "max_tokens": request.max_output_tokens,
            "temperature": request.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        return msgspec.json.encode({name: value for name, value in body.items() if value is not None})
