"""Dialect of Ollama's ``/api/generate`` with a suffix.

The answer has one JSON object a line.

Source of the fields: Ollama's API reference, "Generate a response". The model must have a template that fills in the middle.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from spark_jupyter.protocol import json_text
from spark_jupyter.providers.base import ModelEvent, ModelRequest, Usage
from spark_jupyter.providers.dialect_defaults import Common, PlainDecoder
from spark_jupyter.providers.fim import infill_of
from spark_jupyter.providers.refusals import decoded, raise_stated
from spark_jupyter.providers.tolerant_json import Tolerant


class OllamaGenerate(Common):
    """The dialect ``generate``."""

    path: ClassVar[str] = "/generate"
    base_path: ClassVar[str] = "/api"

    def encode(self, request: ModelRequest) -> bytes:
        infill = infill_of(request)
        options = {"num_predict": request.max_output_tokens, "temperature": request.temperature}
        body: dict[str, object] = {
            "model": request.model,
            "prompt": infill.before,
            # without one Ollama would take the prompt for a question
            "suffix": infill.suffix or "\n",
            "stream": True,
            "options": {name: value for name, value in options.items() if value is not None},
        }
        return json_text.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> GenerateDecoder:
        return GenerateDecoder(model=request.model, where=where)


class _Line(Struct, frozen=True):
    response: str = ""
    thinking: str = ""
    done: bool = False
    done_reason: str = ""
    prompt_eval_count: int | None = 0
    eval_count: int | None = 0
    error: object = None


_line = Tolerant(_Line)


class GenerateDecoder(PlainDecoder):
    """Makes model events of the lines."""

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        line = decoded(_line, data, what="what is no line of a completion", where=self._where)
        if line.error is not None or not (line.response or line.thinking or line.done):
            raise_stated(data, model=self._model, where=self._where)
        usage = Usage(input_tokens=line.prompt_eval_count or 0, output_tokens=line.eval_count or 0)
        is_cut = line.done_reason == "length"
        return self._events(line.response, thinking=line.thinking, usage=usage if line.done else None, is_cut=is_cut)
