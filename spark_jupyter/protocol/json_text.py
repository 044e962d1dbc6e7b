"""JSON encoder that takes any text, half characters too.

A Python text can hold lone surrogates: half of an emoji, or a byte of a file's name that is no UTF-8. UTF-8 has no place for them, so
each is sent as U+FFFD.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from spark_jupyter.typed_decoders import convert

_encoder = msgspec.json.Encoder()
_LONE = re.compile("[\ud800-\udfff]")
Message = TypeVar("Message", bound=Struct)


def encode(value: Any) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_whole(msgspec.to_builtins(value)))


def whole(message: Message) -> Message:
    """The message with U+FFFD for each half character, as every client and every file will have it."""
    try:
        _encoder.encode(message)
    except UnicodeEncodeError:
        return convert(_whole(msgspec.to_builtins(message)), type(message))
    return message


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value
