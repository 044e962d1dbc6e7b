"""Dialect of llama.cpp's ``/infill``.

The server puts the model's own marks around prefix and suffix.

Source of the fields: the README of llama.cpp's server, "POST /infill" and "POST /completion".
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


class LlamaInfill(Common):
    """The dialect ``infill``. The cells above go along as a file beside this one."""

    path: ClassVar[str] = "/infill"
    base_path: ClassVar[str] = ""

    def encode(self, request: ModelRequest) -> bytes:
        infill = infill_of(request)
        above, _, line = infill.prefix.rpartition("\n")
        body: dict[str, object] = {
            "model": request.model,
            "input_prefix": f"{above}\n" if above else "",
            "prompt": line,
            "input_suffix": infill.suffix,
            "input_extra": [{"filename": "notebook.py", "text": infill.context}] if infill.context else [],
            "cache_prompt": True,
            "stream": True,
        }
        if request.max_output_tokens is not None:
            body["n_predict"] = request.max_output_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return json_text.encode(body)

    def decoder(self, request: ModelRequest, *, where: str = "") -> InfillDecoder:
        return InfillDecoder(model=request.model, where=where)


class _Timings(Struct, frozen=True):
    cache_n: int | None = 0


class _Piece(Struct, frozen=True):
    content: str = ""
    stop: bool = False
    stop_type: str = ""
    tokens_evaluated: int | None = 0
    tokens_predicted: int | None = 0
    timings: _Timings = _Timings()
    error: object = None


_piece = Tolerant(_Piece)


class InfillDecoder(PlainDecoder):
    """Makes model events of what ``/infill`` streams."""

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        if data.strip() == b"[DONE]":
            return []
        piece = decoded(_piece, data, what="what is no piece of a completion", where=self._where)
        if piece.error is not None or not (piece.content or piece.stop):
            raise_stated(data, model=self._model, where=self._where)
        usage = Usage(
            input_tokens=piece.tokens_evaluated or 0,
            cached_tokens=piece.timings.cache_n or 0,
            output_tokens=piece.tokens_predicted or 0,
        )
        return self._events(piece.content, usage=usage if piece.stop else None, is_cut=piece.stop_type == "limit")
