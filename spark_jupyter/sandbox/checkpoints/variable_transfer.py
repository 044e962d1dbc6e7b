"""Transfer of variables from a checkpoint's copy into the kernel.

By pickle (protocol 5), with the memory of arrays beside it. The bytes come from a confined fork of the kernel as it was before the run,
packed by our code in a process that ran nothing else, so they are trusted as the kernel is.
"""

from __future__ import annotations

import importlib
import io
import marshal
import mmap
import os
import pickle
import sys
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from spark_jupyter.class_identity import class_module, class_name
from spark_jupyter.sandbox.checkpoints.undo_messages import Packed
from spark_jupyter.sandbox.values.array_memory import root_of
from spark_jupyter.sandbox.values.snapshot import is_filled

_ALIGNED = 64
_CHUNK = 64 << 20
_MAPPED = 1 << 20
"""Bytes from which on memory is mapped: a mapping holds a descriptor as long as an array lies in it."""


class _Packer(pickle.Pickler):
    """Objects that live on in the kernel are named by their addresses; functions that a cell defined go by value."""

    def __init__(self, file: Any, *, living: Collection[int], roots: Collection[int], buffers: list[Any]) -> None:
        super().__init__(file, protocol=5, buffer_callback=buffers.append)
        self._living = living
        self._roots = roots
        self._numpy: Any = sys.modules.get("numpy")

    def persistent_id(self, value: Any) -> int | None:
        """The address of what need not be moved."""
        return id(value) if id(value) in self._living else None

    def reducer_override(self, value: Any) -> Any:
        """Reconstruction of a value whose class does not define its own."""
        if isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is value:
            return importlib.import_module, (value.__name__,)
        if isinstance(value, types.FunctionType) and value.__module__ == "__main__":
            return _function, _skeleton(value), _flesh(value), None, None, _complete
        if isinstance(value, types.CellType):  # its own object: functions share it, and one may hold itself
            return _cell, (), (value.cell_contents,) if is_filled(value) else None, None, None, _fill
        if isinstance(value, type) and class_module(value) == "__main__":
            raise pickle.PicklingError(f"class {class_name(value)}, which the run has defined anew or changed,")
        if self._numpy is not None and type(value) is self._numpy.ndarray:
            root: Any = root_of(value)
            if root is not value and id(root) in self._roots and root.flags.c_contiguous:
                start = value.__array_interface__["data"][0] - root.__array_interface__["data"][0]
                return _view, (root, value.dtype, value.shape, value.strides, start, value.flags.writeable)
        return NotImplemented


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: Any, *, living: Mapping[int, object], buffers: Sequence[Any]) -> None:
        super().__init__(file, buffers=buffers)
        self._living = living

    def persistent_load(self, address: Any) -> object:
        """Look up an object that lives on in the kernel."""
        try:
            return self._living[address]
        except KeyError:
            raise pickle.UnpicklingError("An object that was to live on is not there.") from None


def pack(namespace: Mapping[str, object], names: Sequence[str], living: Collection[int], descriptor: int) -> Packed:
    roots = [id(root) for value in namespace.values() if (root := root_of(value)) is not None]
    arrays = {*map(id, namespace.values())} | {root for root in roots if roots.count(root) > 1}
    wanted = {name: namespace[name] for name in names}
    alive = frozenset(living)

    def packed(what: object) -> tuple[memoryview, list[Any]]:
        file, buffers = io.BytesIO(), list[Any]()
        _Packer(file, living=alive, roots=arrays, buffers=buffers).dump(what)
        return file.getbuffer(), [buffer.raw() for buffer in buffers]

    try:
        body, buffers = packed(wanted)
    except Exception as error:  # what can't be pickled says so in many ways
        immovable = [(name, why) for name, value in wanted.items() if (why := _why_not(packed, value))]
        return Packed(immovable=tuple(immovable or [(name, str(error)[:200]) for name in names]))
    places, end = [], len(body)
    for buffer in buffers:
        start = -(-end // _ALIGNED) * _ALIGNED
        places.append((start, buffer.nbytes))
        end = start + buffer.nbytes
    os.ftruncate(descriptor, end)
    for (start, _), part in zip([(0, len(body)), *places], [body, *buffers], strict=True):
        for at in range(0, part.nbytes, _CHUNK):
            _write(descriptor, part[at : at + _CHUNK], start + at)
    return Packed(size=len(body), buffers=tuple(places))


def unpack(packed: Packed, descriptor: int, living: Mapping[int, object]) -> dict[str, object]:
    """The variables, by name. Their arrays are in the memory that was handed over, which is this process's alone by now."""
    size = os.fstat(descriptor).st_size
    if size < _MAPPED:
        memory = memoryview(bytearray(os.pread(descriptor, size, 0)))
    else:
        memory = memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_COPY))
    buffers = [memory[start : start + length] for start, length in packed.buffers]
    values: dict[str, object] = _Unpacker(io.BytesIO(memory[: packed.size]), living=living, buffers=buffers).load()
    return values


def _write(descriptor: int, part: memoryview, at: int) -> None:
    while part:
        written = os.pwrite(descriptor, part, at)
        part, at = part[written:], at + written


def _why_not(packed: Callable[[object], object], value: object) -> str:
    """Reason why a value can't be moved; empty if it can."""
    try:
        packed(value)
    except Exception as error:  # see above
        kind = type(value).__name__
        return f"a {kind}" if not str(error) or kind in str(error) else f"{kind}: {str(error)[:120]}"
    return ""


def _skeleton(function: types.FunctionType) -> tuple[Any, ...]:
    return marshal.dumps(function.__code__), function.__name__, function.__qualname__, function.__closure__


def _flesh(function: types.FunctionType) -> tuple[Any, ...]:
    annotations: dict[str, Any] = {}
    with suppress(Exception):  # since Python 3.14 they are evaluated when they are read
        annotations = function.__annotations__
    return function.__defaults__, function.__kwdefaults__, annotations, dict(vars(function))


def _function(code: bytes, name: str, qualified: str, closure: tuple[types.CellType, ...] | None) -> types.FunctionType:
    """A function that a cell defined, in the user's namespace."""
    made = types.FunctionType(marshal.loads(code), vars(sys.modules["__main__"]), name, None, closure)
    made.__qualname__ = qualified
    return made


def _complete(function: types.FunctionType, flesh: tuple[Any, ...]) -> None:
    function.__defaults__, function.__kwdefaults__, function.__annotations__, own = flesh
    vars(function).update(own)


def _cell() -> types.CellType:
    return types.CellType()


def _fill(cell: types.CellType, content: tuple[Any]) -> None:
    (cell.cell_contents,) = content


def _view(root: Any, dtype: Any, shape: Any, strides: Any, start: int, writeable: bool) -> Any:
    """An array in another one's memory."""
    import numpy

    view = numpy.ndarray(shape, dtype, buffer=root.view("u1").reshape(-1), offset=start, strides=strides)
    view.flags.writeable = writeable
    return view
