"""Tolerant reading of the JSON that providers send.

Servers put numbers where texts belong, texts where numbers belong, null, and fields that nobody asked for. A frame is read as its
type says; where that fails, field by field: what does not fit is left at its default, so that no answer ends over a field that is not
needed. JSON that Python's own encoder makes (NaN, half a surrogate pair) is read too.
"""

from __future__ import annotations

import json
import re
from typing import Generic, TypeVar

import msgspec
from msgspec import inspect

from spark_jupyter.typed_decoders import json_decoder

T = TypeVar("T")
_MISSING = object()
_SURROGATE = re.compile("[\ud800-\udfff]")


class Written(float):
    """A number that remembers how it was written: a token that is digits may come as a number."""

    text: str

    def __new__(cls, text: str) -> Written:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __str__(self) -> str:
        return self.text


class Tolerant(Generic[T]):
    """A decoder of JSON frames as ``kind``, a struct whose fields have defaults, or a union of tagged ones."""

    def __init__(self, kind: type[T]) -> None:
        self._decoder = json_decoder(kind, float_hook=Written)
        self._kind = kind
        self._node: inspect.Type | None = None

    def decode(self, data: bytes) -> T:
        """Decode ``data``. Raises :class:`msgspec.DecodeError` for what is not JSON, or has nothing of the type."""
        try:
            return self._decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return self.fit(loads(data))

    def fit(self, value: object) -> T:
        """The same for JSON that is read already."""
        if self._node is None:
            self._node = inspect.type_info(self._kind)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        fitted = _fit(value if isinstance(value, dict) else {}, self._node)
        if fitted is _MISSING:
            raise msgspec.DecodeError("nothing of this type")
        return fitted  # type: ignore[return-value]


def loads(data: bytes) -> object:
    """Any JSON, as Python's own encoder writes it too. Raises :class:`msgspec.DecodeError`."""
    try:
        return json.loads(data.decode(), parse_float=Written)
    except ValueError as error:
        raise msgspec.DecodeError(str(error)) from None


def _fit(value: object, node: inspect.Type) -> object:
    match node:
        case inspect.StructType():
            return _fit_struct(value, node)
        case inspect.UnionType():
            return _fit_union(value, node)
        case inspect.ListType():
            fitted = [_fit(each, node.item_type) for each in (value if isinstance(value, list) else [value])]
            return [each for each in fitted if each is not _MISSING]
        case inspect.StrType():
            return scalar_text(value) if isinstance(value, str | int | float) else _MISSING
        case inspect.IntType() | inspect.FloatType():
            return _number(value, int if isinstance(node, inspect.IntType) else float)
        case inspect.BoolType():
            return value if isinstance(value, bool) else _MISSING
        case inspect.NoneType():
            return None if value is None else _MISSING
        case inspect.RawType():
            return msgspec.Raw(msgspec.json.encode(value))
    return value


def _fit_struct(value: object, node: inspect.StructType) -> object:
    if not isinstance(value, dict) or (node.tag is not None and value.get(node.tag_field) != node.tag):
        return _MISSING
    fields = {
        field.name: fitted
        for field in node.fields
        if field.encode_name in value and (fitted := _fit(value[field.encode_name], field.type)) is not _MISSING
    }
    try:
        built: object = node.cls(**fields)
    except TypeError:
        return _MISSING
    return built


def _fit_union(value: object, node: inspect.UnionType) -> object:
    if value is None:
        return None if any(isinstance(each, inspect.NoneType) for each in node.types) else _MISSING
    fitted = (_fit(value, each) for each in node.types if not isinstance(each, inspect.NoneType))
    return next((each for each in fitted if each is not _MISSING), _MISSING)


def _number(value: object, kind: type[int] | type[float]) -> object:
    try:
        return kind(value) if isinstance(value, int | float) else kind(float(str(value)))
    except (ValueError, OverflowError):
        return _MISSING


def scalar_text(value: object) -> str:
    """A value as the JSON wrote it; empty for null and for what is no single value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""


_TEXTS = ("text", "content", "thinking", "reasoning", "summary", "refusal", "output_text", "parts", "value")


def text_in(value: object, depth: int = 8) -> str:
    """All the text of a value: a text, a part with one, or a list of parts. Servers name the field as the part, or ``text``."""
    if depth == 0 or value is None:
        return ""
    if isinstance(value, list):
        return "".join(text_in(each, depth - 1) for each in value)
    if isinstance(value, dict):
        return text_in(next(filter(None, map(value.get, _TEXTS)), ""), depth - 1)
    return scalar_text(value)


def name_in(value: object) -> str:
    """The name that a value is, or has where it is an object; empty where it has none."""
    if isinstance(value, dict):
        found = (value.get(name) for name in ("type", "reason", "name", "code", "value", "text"))
        return next((each for each in found if isinstance(each, str) and each), "")
    return value if isinstance(value, str) else ""


class Characters:
    """Text of a stream with whole characters: halves of one may come in two pieces. A half that stays alone becomes U+FFFD."""

    def __init__(self) -> None:
        self._half = ""

    def receive(self, text: str) -> str:
        """``text`` behind the half that was held, without a half at its own end."""
        if not self._half and (text.isascii() or not _SURROGATE.search(text)):
            return text
        text = self._half + text
        self._half = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return whole(text[: len(text) - len(self._half)])

    def flush(self) -> str:
        """Return the half character that is left at the end."""
        half, self._half = self._half, ""
        return "\ufffd" if half else ""


def whole(text: str) -> str:
    """``text`` with its pairs of surrogates joined, and U+FFFD for halves."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
