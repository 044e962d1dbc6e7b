"""Reader of the facts at the beginning of a GGUF model file.

Source: ggml's description of the format ("GGUF", version 3): magic, version, counts, then keys with typed values, little-endian. The
file is somebody else's: every length is checked before it is believed, and nothing but the beginning is read.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO, NamedTuple

from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError

_MOST_KEYS = 10_000
_LONGEST_NAME = 2**16
_LONGEST_TEXT = 2**24
_LONGEST_LIST = 2**22
_LONGEST_HEADER = 2**26
"""Bytes: those of the largest vocabularies take 2**24, and each million of texts a second."""
_MOST_TENSORS = 100_000
_MOST_DIMENSIONS = 8
_ALIGNMENT = 32
"""Of the tensors' data, in bytes, where the file does not say."""
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_TEXT, _LIST = 8, 9

BYTES_OF_A_KEY = 2
"""Keys and values are kept as 16-bit floats."""


class Marks(NamedTuple):
    """The tokens between which a model was trained to fill in a text."""

    prefix: str
    suffix: str
    middle: str


FILLING = (
    Marks("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    Marks("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    Marks("<fim-prefix>", "<fim-suffix>", "<fim-middle>"),
    Marks("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
    Marks("<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"),
    Marks("▁<PRE>", "▁<SUF>", "▁<MID>"),
    Marks("<PRE>", "<SUF>", "<MID>"),
)
"""The marks by which llama.cpp, too, knows a model of that kind (Qwen's, StarCoder's, Granite's, DeepSeek's, GLM's, CodeLlama's)."""
_FILLING = frozenset(mark for marks in FILLING for mark in marks)

OVERHEAD = 200 * 2**20
"""Bytes that a process with the library takes before it has a model: measured, 170 MB to 250 MB."""


class Model(Struct, frozen=True, kw_only=True):
    """Facts about a model before it is loaded. ``trained`` is its window in tokens, ``size`` the file's in bytes, ``of_a_token`` the
    bytes that the cache of keys and values takes for each token of context. ``marks`` are there where it was trained to fill in."""

    name: str
    trained: int
    vocabulary: int
    size: int
    of_a_token: int
    marks: Marks | None = None

    def memory(self, *, context: int, lanes: int, batch: int) -> int:
        """About how many bytes it takes to run with ``lanes`` of so much ``context``, reading prompts in batches of so many tokens."""
        return OVERHEAD + self.size + context * lanes * self.of_a_token + 2 * batch * self.vocabulary * 4


class _Texts(NamedTuple):
    """A list of texts: how many there are, and which of them are marks."""

    size: int
    marks: frozenset[str]


class _Unreadable(Exception):
    """The file is not what it says it is."""


def examine(path: Path) -> Model:
    """Read the beginning of a file. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where there is no model in it."""
    try:
        with path.open("rb") as file:
            fields = _read(file, path.stat().st_size)
        return _model(fields, path)
    except OSError as error:
        raise ConfigurationError(
            f"{path} can't be read: {error.strerror}.", remedy="Give the path of a GGUF file."
        ) from None
    except (_Unreadable, struct.error, UnicodeDecodeError, KeyError, TypeError, ValueError, ZeroDivisionError):
        raise ConfigurationError(
            f"{path} is no GGUF file with a language model, or is not whole.",
            remedy="Give a file that ends in .gguf, downloaded to its end.",
        ) from None


def _model(fields: dict[str, object], path: Path) -> Model:
    architecture = fields["general.architecture"]

    def number(key: str, default: int | None = None) -> int:
        value = fields.get(f"{architecture}.{key}", default)
        if isinstance(value, list):  # another one for each layer
            value = max(value)
        if not isinstance(value, int) or not 0 < value < 2**31:
            raise _Unreadable
        return value

    heads = number("attention.head_count")
    size = number("embedding_length") // heads
    keys = number("attention.key_length", size) + number("attention.value_length", size)
    tokens = fields.get("tokenizer.ggml.tokens")
    words = tokens if isinstance(tokens, _Texts) else _Texts(0, frozenset())
    return Model(
        name=path.stem,
        trained=number("context_length"),
        vocabulary=words.size,
        size=path.stat().st_size,
        of_a_token=number("block_count") * number("attention.head_count_kv", heads) * keys * BYTES_OF_A_KEY,
        marks=next((marks for marks in FILLING if words.marks.issuperset(marks)), None),
    )


def _read(file: BinaryIO, size: int) -> dict[str, object]:
    magic, version, tensors, count = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF" or version not in (2, 3) or count > _MOST_KEYS or tensors > _MOST_TENSORS:
        raise _Unreadable
    fields: dict[str, object] = {}
    for _ in range(count):
        key = _text(file, _LONGEST_NAME)
        fields[key] = _value(file, _number(file, "<I"))
        if file.tell() > _LONGEST_HEADER:
            raise _Unreadable
    last = max((_offset(file) for _ in range(tensors)), default=None)
    alignment = fields.get("general.alignment", _ALIGNMENT)
    if not isinstance(alignment, int):
        raise _Unreadable
    if last is not None and -(-file.tell() // alignment) * alignment + last >= size:
        raise _Unreadable  # its download was broken off: the last tensor does not even begin
    return fields


def _offset(file: BinaryIO) -> int:
    """The place of a tensor, in bytes behind the beginning of all of them."""
    _text(file, _LONGEST_NAME)
    dimensions = _number(file, "<I")
    if dimensions > _MOST_DIMENSIONS:
        raise _Unreadable
    file.read(8 * dimensions + 4)  # its dimensions and its type
    return _number(file, "<Q")


def _value(file: BinaryIO, kind: int) -> object:
    """A value; of a list of numbers the numbers where there are few of them, else how many there are; of texts as little."""
    if kind in _NUMBERS:
        return _number(file, _NUMBERS[kind])
    if kind == _TEXT:
        return _text(file, _LONGEST_TEXT)
    if kind != _LIST:
        raise _Unreadable
    inner, count = _number(file, "<I"), _number(file, "<Q")
    if count > _LONGEST_LIST or inner == _LIST:
        raise _Unreadable
    if inner == _TEXT:
        texts = (_text(file, _LONGEST_NAME) for _ in range(count))
        return _Texts(count, frozenset(text for text in texts if text in _FILLING))
    form = _NUMBERS[inner]
    data = file.read(count * struct.calcsize(form))
    return [number for (number,) in struct.iter_unpack(form, data)] if count <= _MOST_KEYS else count


def _number(file: BinaryIO, form: str) -> int:
    (number,) = struct.unpack(form, file.read(struct.calcsize(form)))
    return number  # type: ignore[no-any-return]  # struct does not say what its formats give


def _text(file: BinaryIO, longest: int) -> str:
    length = _number(file, "<Q")
    if length > longest:
        raise _Unreadable
    data = file.read(length)
    if len(data) != length:
        raise _Unreadable
    return data.decode()
