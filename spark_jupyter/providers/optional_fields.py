"""Optional fields of requests, left out once a server refused them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from spark_jupyter.typed_decoders import decode_json

if TYPE_CHECKING:
    from spark_jupyter.providers.refusals import Refusal

_OPTIONAL = ("stream_options", "prediction", "return_progress", "prompt_cache_key", "prompt_cache_options")
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""The two names of the limit of an answer; a server knows one of them, or both."""
_REFUSING = frozenset({400, 403, 404, 422})


class OptionalFields:
    """Optional fields that one server refuses. A request without them has the same answer, perhaps later or dearer."""

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def without_refused(self, body: bytes) -> bytes:
        """The body of a request without what was refused before."""
        if not self._refused:
            return body
        fields = decode_json(body, dict[str, msgspec.Raw])
        for name in self._refused & fields.keys():
            value = fields.pop(name)
            if name in _RENAMED:
                fields[_RENAMED[name]] = value
        return msgspec.json.encode(fields)

    def learn(self, body: bytes, refusal: Refusal) -> bool:
        """True if a refusal names a field of ``body`` that can be left out; it is, from now on."""
        if refusal.status not in _REFUSING:
            return False
        said = f"{refusal.param} {refusal.message} {refusal.code}"
        there = decode_json(body, dict[str, msgspec.Raw]).keys() - self._refused
        named = {name for name in _OPTIONAL if name in there and re.search(rf"\b{name}\b", said)}
        if not named:
            named = {name for name, other in _RENAMED.items() if name in there and name in said and other in said}
            named = {name for name in named if _RENAMED[name] not in self._refused}
        self._refused |= named
        return bool(named)
