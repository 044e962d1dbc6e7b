"""The same model in other quantisations, for ``make bench-model``: llama.cpp's own routines (``ggml_quantize_chunk``, which the library of
``xllamacpp`` exports) write each matrix of a GGUF file again. What was lost in the file's own quantisation stays lost: this is for
speed."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import struct
from collections import Counter
from pathlib import Path
from typing import BinaryIO, NamedTuple

from spark_jupyter.server.engines import gguf

KINDS = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7, "Q8_0": 8}
"""Numbers of ``enum ggml_type``. Those whose blocks are of 256 numbers (Q4_K and its like) do not fit the rows of small models."""
_NAMES = {number: name for name, number in KINDS.items()}
_ALIGNMENT = 32


class _Tensor(NamedTuple):
    name: bytes
    shape: tuple[int, ...]
    kind: str
    offset: int

    @property
    def count(self) -> int:
        return math.prod(self.shape)


class _Library:
    """The part of ggml that is needed here."""

    def __init__(self) -> None:
        found = importlib.util.find_spec("xllamacpp")
        assert found is not None
        assert found.submodule_search_locations is not None
        self._ggml = ctypes.CDLL(str(next(Path(found.submodule_search_locations[0]).glob("*.so"))))
        self._ggml.ggml_quantize_chunk.restype = ctypes.c_size_t
        self._ggml.ggml_row_size.restype = ctypes.c_size_t

    def size(self, tensor: _Tensor, kind: str) -> int:
        rows = tensor.count // tensor.shape[0]
        return int(rows * self._ggml.ggml_row_size(KINDS[kind], ctypes.c_int64(tensor.shape[0])))

    def convert(self, data: bytes, tensor: _Tensor, kind: str) -> bytes:
        floats = (ctypes.c_float * tensor.count)()
        reads = getattr(self._ggml, f"dequantize_row_{tensor.kind.lower()}")
        reads(data, floats, ctypes.c_int64(tensor.count))
        made = ctypes.create_string_buffer(self.size(tensor, kind))
        length = ctypes.c_int64(tensor.shape[0])
        rows = ctypes.c_int64(tensor.count // tensor.shape[0])
        self._ggml.ggml_quantize_chunk(KINDS[kind], floats, made, ctypes.c_int64(0), rows, length, None)
        return made.raw


def requantise(file: Path, kind: str, into: Path) -> Path:
    """Write ``file`` once more into the folder ``into``, with its matrices in ``kind``; returns the new file. What the file keeps more
    exactly than most of its matrices stays as it is."""
    library = _Library()
    made = into / f"{file.stem.rpartition('.')[0] or file.stem}.{kind}.gguf"
    with file.open("rb") as source, made.open("wb") as target:
        header, tensors = _read(source)
        begin = _aligned(source.tell())
        usual = Counter(tensor.kind for tensor in tensors if len(tensor.shape) > 1).most_common(1)[0][0]
        kinds = [kind if tensor.kind == usual else tensor.kind for tensor in tensors]
        target.write(header)
        offset = 0
        for tensor, new in zip(tensors, kinds, strict=True):
            target.write(_described(tensor, KINDS[new], offset))
            offset += _aligned(library.size(tensor, new))
        for tensor, new in zip(tensors, kinds, strict=True):
            target.write(b"\0" * (_aligned(target.tell()) - target.tell()))
            source.seek(begin + tensor.offset)
            data = source.read(library.size(tensor, tensor.kind))
            target.write(data if new == tensor.kind else library.convert(data, tensor, new))
    return made


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


def _read(file: BinaryIO) -> tuple[bytes, list[_Tensor]]:
    """All before the description of the tensors, which stays as it is, and that description."""
    _, _, count, keys = struct.unpack("<4sIQQ", file.read(24))
    for _ in range(keys):
        gguf._text(file, gguf._LONGEST_NAME)
        gguf._value(file, gguf._number(file, "<I"))
    end = file.tell()
    tensors = [_tensor(file) for _ in range(count)]
    after = file.tell()
    file.seek(0)
    header = file.read(end)
    file.seek(after)
    return header, tensors


def _tensor(file: BinaryIO) -> _Tensor:
    name = gguf._text(file, gguf._LONGEST_NAME).encode()
    shape = tuple(gguf._number(file, "<Q") for _ in range(gguf._number(file, "<I")))
    return _Tensor(name, shape, _NAMES[gguf._number(file, "<I")], gguf._number(file, "<Q"))


def _described(tensor: _Tensor, kind: int, offset: int) -> bytes:
    shape = struct.pack(f"<I{len(tensor.shape)}Q", len(tensor.shape), *tensor.shape)
    return struct.pack("<Q", len(tensor.name)) + tensor.name + shape + struct.pack("<IQ", kind, offset)
