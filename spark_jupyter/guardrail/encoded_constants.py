"""Constants that code says in another encoding.

``exec(zlib.decompress(base64.b64decode("…")))`` runs what the constant says, which is judged as code that stands there. What is
larger than a limit stays unread.
"""

from __future__ import annotations

import ast
import base64
import binascii
import bz2
import codecs
import lzma
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_values import TEXT_LIMIT, Value, words

_LARGEST: Final = 1 << 20
"""Bytes of what is read, packed or not."""
_MEMORY: Final = 1 << 26
"""Bytes that LZMA may take, whose header asks for what it likes."""
_BINARY: Final[dict[str, Callable[[bytes], bytes]]] = {
    **dict.fromkeys(words("b64decode standard_b64decode decodebytes a2b_base64"), base64.b64decode),
    "urlsafe_b64decode": base64.urlsafe_b64decode,
    "b32decode": base64.b32decode,
    "b16decode": base64.b16decode,
    "b85decode": base64.b85decode,
    "a85decode": base64.a85decode,
    **dict.fromkeys(words("unhexlify a2b_hex"), binascii.unhexlify),
    "fromhex": lambda data: bytes.fromhex(data.decode()),
    "zlib.decompress": lambda data: zlib.decompressobj().decompress(data, _LARGEST),
    "gzip.decompress": lambda data: zlib.decompressobj(wbits=31).decompress(data, _LARGEST),
    "bz2.decompress": lambda data: bz2.BZ2Decompressor().decompress(data, _LARGEST),
    "lzma.decompress": lambda data: lzma.LZMADecompressor(memlimit=_MEMORY).decompress(data, _LARGEST),
}
_BY_NAME: Final = {"rot13", "rot_13", "hex", "hex_codec", "base64", "base64_codec"}
"""What ``codecs.decode`` takes beside the encodings of texts."""
_OF_TEXTS: Final = {
    "utf-8",
    "utf8",
    "ascii",
    "latin-1",
    "utf-16",
    "utf-32",
    "utf-7",
    "unicode_escape",
    "raw_unicode_escape",
}
DECODERS: Final = frozenset({*(name.rpartition(".")[2] for name in _BINARY), "bytes", "bytearray"})
_UNPACKED: Final = DECODERS - {"bytes", "bytearray"}
_ERRORS: Final = (ValueError, zlib.error, lzma.LZMAError, OSError, EOFError, LookupError)


def decoded(event: Call) -> Value | None:
    """What a constant says that is decoded here; None for anything else."""
    decode = _BINARY.get(event.name) or _BINARY.get(event.tail)
    data = event.argument(0, "data", "s", "string").const
    if event.name in ("bytes", "bytearray"):
        return _said(numbers, name=event.name) if (numbers := _numbers(event.node.args)) is not None else None
    if decode is None or not isinstance(data, str | bytes) or len(data) > _LARGEST:
        return None
    with suppress(*_ERRORS):
        said = decode(data.encode() if isinstance(data, str) else data)
        return _said(said, name=event.name) if len(said) < _LARGEST else None
    return None


def decoded_text(event: Call) -> Value | None:
    """``codecs.decode("…", "rot13")``, ``b"…".decode("utf-16")`` of a constant."""
    by_codecs = event.name == "codecs.decode"
    data, encoding = (
        (event.argument(0) if by_codecs else event.receiver).const,
        event.argument(int(by_codecs), "encoding").const,
    )
    encoding = encoding if isinstance(encoding, str) else "utf-8"
    if not isinstance(data, str | bytes) or len(data) > _LARGEST:
        return None
    if encoding.lower() not in (_BY_NAME | _OF_TEXTS if by_codecs else _OF_TEXTS):
        return None
    with suppress(*_ERRORS):
        if encoding.lower() in ("rot13", "rot_13"):
            return _said(codecs.encode(data, encoding), name=event.name) if isinstance(data, str) else None
        return _said(codecs.decode(data.encode() if isinstance(data, str) else data, encoding), name=event.name)
    return None


def joined_characters(event: Call) -> Value | None:
    """``"".join(map(chr, [104, 105]))``, ``"".join(chr(c) for c in [104, 105])``."""
    given = event.node.args[0] if event.receiver.const == "" and len(event.node.args) == 1 else None
    match given:
        case ast.Call(func=ast.Name("map"), args=[ast.Name("chr"), codes]):
            pass
        case ast.GeneratorExp() | ast.ListComp():
            match given.elt, given.generators:
                case ast.Call(func=ast.Name("chr"), args=[ast.Name(one)]), [
                    ast.comprehension(ast.Name(other), codes, [])
                ] if one == other:
                    pass
                case _:
                    return None
        case _:
            return None
    numbers = _numbers([codes])
    return _said(numbers.decode("latin-1"), name=event.name) if numbers is not None else None


def part_of(const: object, cut: ast.expr) -> Value | None:
    """``"…"[::-1]`` of a constant."""
    if not isinstance(const, str | bytes) or not isinstance(cut, ast.Slice):
        return None
    with suppress(ValueError):
        begin, end, step = (None if one is None else ast.literal_eval(one) for one in (cut.lower, cut.upper, cut.step))
        if all(one is None or isinstance(one, int) for one in (begin, end, step)) and step != 0:
            return _said(const[begin:end:step], name="")
    return None


def replaced(const: object, old: object, new: object) -> Value | None:
    """``"imp0rt".replace("0", "o")`` of constants."""
    if not (isinstance(const, str) and isinstance(old, str) and isinstance(new, str)):
        return None
    said = const.replace(old, new) if len(const) * (len(new) + 1) < _LARGEST else None
    return Value(const=said, text=said) if said is not None else None


def is_unread(code: Value, call: ast.Call) -> bool:
    """True for code of a call that is unpacked or decoded there, or put together of character codes, where it is not known."""
    if code.is_constant or code.flows:
        return False
    unpacked = any(name.rpartition(".")[2] in _UNPACKED or name == "codecs.decode" for name in code.name.split("()"))
    return unpacked or any(
        isinstance(node, ast.Name) and node.id == "chr" for part in call.args for node in ast.walk(part)
    )


def _numbers(given: list[ast.expr]) -> bytes | None:
    """The bytes that a list of numbers says."""
    listed = given[0].elts if len(given) == 1 and isinstance(given[0], ast.List | ast.Tuple) else []
    codes = [one.value for one in listed if isinstance(one, ast.Constant)]
    if not codes or len(codes) < len(listed) or not all(isinstance(one, int) and 0 <= one < 256 for one in codes):
        return None
    return bytes(one for one in codes if isinstance(one, int))


def _said(data: str | bytes, *, name: str) -> Value:
    name = f"{name}()" if name else ""
    if isinstance(data, str):
        return Value(name, const=data, text=data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Value(name, const=data, text=data[:TEXT_LIMIT].decode("latin-1"))
    return Value(name, const=text, text=text)
