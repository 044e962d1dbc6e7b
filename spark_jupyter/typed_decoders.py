"""Typed decoders of JSON and msgpack, built by one thread at a time.

msgspec (0.22.0) publishes the description of a Struct before its fields are filled in. A second thread that builds a decoder for the same
Struct at that moment gets one that ends the process with a segmentation fault, and with it a user's kernel. So every decoder of the package
is built here, under one lock; a decoder that is built is complete and may be used by any thread.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast, overload

import msgspec

T = TypeVar("T")

_lock = threading.RLock()
# a copy of the kernel begins neither with a lock that is held nor with half a description
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


@overload
def json_decoder(kind: type[T], *, float_hook: Callable[[str], Any] | None = None) -> msgspec.json.Decoder[T]: ...
@overload
def json_decoder(kind: Any, *, float_hook: Callable[[str], Any] | None = None) -> msgspec.json.Decoder[Any]: ...
def json_decoder(kind: Any, *, float_hook: Callable[[str], Any] | None = None) -> msgspec.json.Decoder[Any]:
    """A decoder of JSON as ``kind``, a type that msgspec knows; ``float_hook`` reads numbers with a point."""
    with _lock:
        return msgspec.json.Decoder(kind, float_hook=float_hook)


@overload
def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]: ...
@overload
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]: ...
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """A decoder of msgpack as ``kind``, a type that msgspec knows."""
    with _lock:
        return msgspec.msgpack.Decoder(kind)


@functools.cache
def _known(kind: Any) -> msgspec.json.Decoder[Any]:
    return json_decoder(kind)


def decode_json(data: bytes | str, kind: type[T]) -> T:
    """Decode JSON as ``kind``. Raises :class:`msgspec.DecodeError` for what is not JSON, or is not of that type."""
    decoded: T = _known(cast("Hashable", kind)).decode(data)
    return decoded


def convert(value: object, kind: type[T], *, strict: bool = True, from_attributes: bool = False) -> T:
    """``value``, made of plain Python objects, as ``kind``. Raises :class:`msgspec.ValidationError` where it does not fit."""
    with _lock:
        return msgspec.convert(value, kind, strict=strict, from_attributes=from_attributes)
