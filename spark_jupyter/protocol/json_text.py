"""JSON encoder that takes any text, half characters too.

A Python text can hold lone surrogates: half of an emoji, or a byte of a file's name that is no UTF-8. UTF-8 has no place for them, so
each is sent as U+FFFD.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()
_LONE = re.compile("[\ud800-\udfff]")


def encode(value: Any) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_whole(msgspec.to_builtins(value)))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value
