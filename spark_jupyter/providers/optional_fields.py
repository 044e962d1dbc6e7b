"""Optional parts of requests, left out once a server refused them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from spark_jupyter.providers.base import Message, ModelRequest
from spark_jupyter.typed_decoders import decode_json

if TYPE_CHECKING:
    from spark_jupyter.providers.refusals import Refusal

_OPTIONAL = ("stream_options", "prediction", "return_progress", "prompt_cache_key", "prompt_cache_options")
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""The two names of the limit of an answer; a server knows one of them, or both."""
_REFUSING = frozenset({400, 403, 404, 422, 500, 501})
"""A server that passes on all fields fails with 500 over one that is not known further in."""
_UNNAMED = frozenset({400, 422})
"""What a server answers to a form that it does not know, whether it says what that is or not."""
_WHOLE = re.compile(
    r"\bto stream this model\b|\bstream(?:ing)?\b.{0,30}\bnot (?:supported|allowed|available|enabled)"
    r"|\bnot support stream(?:ing)?\b|'stream' does not support",
    re.IGNORECASE,
)
_INSTRUCTIONS = re.compile(
    r"\b(?:system|developer)\b'?(?: (?:role|message|prompt|instruction)s?)?.{0,10}\bnot (?:supported|allowed|available|enabled)"
    r"|\bnot support (?:the )?'?(?:system|developer)\b",
    re.IGNORECASE,
)
"""The words of refusals of a streamed answer, and of instructions beside the conversation."""


class OptionalFields:
    """Optional parts that one server refuses. A request without them has the same answer, perhaps later, whole at once or dearer."""

    def __init__(self) -> None:
        self._refused: set[str] = set()

    @property
    def is_whole(self) -> bool:
        """True if answers come whole: a model that thinks says nothing for minutes."""
        return "stream" in self._refused

    def fitted(self, request: ModelRequest) -> ModelRequest:
        """The request with its instructions before the first message, where they are refused beside it."""
        if "instructions" not in self._refused or not request.instructions:
            return request
        first, *rest = request.input
        told = structs.replace(first, text=f"{request.instructions}\n\n{first.text}")
        if first.role != "user":
            told, rest = Message("user", request.instructions), [first, *rest]
        return structs.replace(request, instructions="", input=(told, *rest))

    def without_refused(self, body: bytes) -> bytes:
        """The body of a request without what was refused before."""
        if not self._refused:
            return body
        fields = decode_json(body, dict[str, msgspec.Raw])
        for name in self._refused & fields.keys():
            value = fields.pop(name)
            if name in _RENAMED:
                fields[_RENAMED[name]] = value
        if "stream" in self._refused:
            fields["stream"] = msgspec.Raw(b"false")
            fields.pop("stream_options", None)
        return msgspec.json.encode(fields)

    def learn(self, body: bytes, refusal: Refusal) -> bool:
        """True if a refusal names a part of ``body`` that can be left out; it is, from now on."""
        if refusal.status not in _REFUSING:
            return False
        said = f"{refusal.param} {refusal.message} {refusal.code}"
        there = decode_json(body, dict[str, msgspec.Raw]).keys() - self._refused
        named = {name for name in _OPTIONAL if name in there and re.search(rf"\b{name}\b", said)}
        if not named:
            named = {name for name, other in _RENAMED.items() if name in there and name in said and other in said}
            named = {name for name in named if _RENAMED[name] not in self._refused}
        if not named and "stream" in there and (refusal.param == "stream" or _WHOLE.search(said)):
            named = {"stream"}
        if not named and _INSTRUCTIONS.search(said):
            named = {"instructions"} - self._refused
        if not named and not said.strip() and refusal.status in _UNNAMED:
            named = there & set(_OPTIONAL)
        self._refused |= named
        return bool(named)
