"""Snapshot of a value: words, change mark, kept content.

No user code is called: no ``__eq__``, ``__hash__``, ``__repr__`` or property of the user's classes. A value that can't be seen without that
is known by its identity. Everything is bounded: a large value is marked by a sample (and, in a copy, by its written pages: see
:mod:`spark_jupyter.sandbox.values.memory_pages`).
"""

from __future__ import annotations

import functools
import mmap
import sys
import types
import zlib
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Any

from msgspec import Struct

from spark_jupyter.frames.frame_kinds import kind_of
from spark_jupyter.sandbox.values.plain_values import plain_text
from spark_jupyter.sandbox.values.torch_tensors import as_array, is_module, is_tensor, tensors_of

SMALL = 1 << 20
"""Bytes of an array, or elements × 50 of a container, up to which its content is kept, so that a difference can be shown."""
LARGE = 4 << 20
"""Bytes of an array from which on it is marked by a sample."""
MOST_BYTES = 48 << 20
"""Bytes of arrays that are marked whole, in all."""
MOST_NODES = 200_000
"""Elements that are looked at, in all."""
MOST_ELEMENTS = 20_000
"""Elements of one container that are looked at."""
_DEPTH = 6
_SAMPLE = 4_096
_FEWER = 256
_SAMPLES = 1 << 15
"""Samples of one moment, scattered over memory, after which there are ``_FEWER`` of each array."""

_MOST_TEXT = 1 << 16
"""Characters of the texts in one container up to which they are read with it."""

_OF_THE_KERNEL = ("IPython.core.", "IPython.terminal.", "ipykernel.")
_SHOWN_IN_CELLS = ("IPython.core.display", "IPython.core.magic")

_ATOMS = (int, bool, complex, type(None), str, bytes, range, type(Ellipsis))


class Snapshot(Struct, frozen=True, kw_only=True):
    """One variable at one moment. ``columns`` are a table's: name → (type, mark); lazy frames have no ``rows``. ``kept`` is its
    content where it is small. ``sampled`` says that not all of it was looked at."""

    words: str
    kind: str
    identity: int
    mark: int
    columns: dict[str, tuple[str, int]] = {}
    rows: int = -1
    kept: Any = None
    sampled: bool = False


class Snapshotter:
    """Takes snapshots within one budget: make one for each moment. What holds the ``namespace`` by another name is known by identity, and
    so are the kernel's own objects: they change with every cell."""

    def __init__(self, *, keep: bool = False, namespace: object = None) -> None:
        self._keep = keep
        self._namespace = namespace
        self._bytes = MOST_BYTES
        self._nodes = MOST_NODES
        self._samples = _SAMPLES
        self._places: tuple[int, int, int, Any] = (0, 0, 0, None)
        self._marks: dict[int, int] = {}
        self._alive: list[object] = []  # an id means an object only while it lives
        self._sampled = False
        self._pandas: Any = sys.modules.get("pandas")
        self._numpy: Any = sys.modules.get("numpy")
        names = ("DataFrame", "Series") if self._pandas is not None else ()
        self._tables = tuple(kind for name in names if (kind := getattr(self._pandas, name, None)) is not None)

    def snapshot(self, value: object) -> Snapshot:
        """The snapshot of one value. One whose class has a metaclass of the user's that objects to being looked at is known by identity."""
        try:
            return self._snapshot(value)
        except BaseException:  # whatever the user's metaclass raises
            return Snapshot(words="object", kind="object", identity=id(value), mark=id(value))

    def _snapshot(self, value: object) -> Snapshot:
        self._sampled = False
        kind = type(value).__name__
        if self._table(value):
            columns = self._columns(value)
            mark = hash((tuple(columns.items()), self._index(value)))
            kept = self._kept_table(value)
            rows = len(value)  # type: ignore[arg-type]  # a DataFrame or a Series has one
        else:
            columns, rows = _plan_columns(value), -1
            mark = self.mark(value) if not columns else hash((id(value), tuple(columns.items())))
            kept = self._kept(value)
        return Snapshot(
            words=words(value), kind=kind, identity=id(value), mark=mark, columns=columns, rows=rows, kept=kept,
            sampled=self._sampled,
        )  # fmt: skip

    # --- marks -------------------------------------------------------------------------------------------------------

    def mark(self, value: object, depth: int = 0) -> int:
        """A number that is another one when the value is another one."""
        kind = type(value)
        if kind is int:
            return hash(("int", value, value.bit_length()))  # type: ignore[attr-defined]  # alone, -1 and -2 have one hash
        if kind in (float, complex):  # as Python writes them: -1.0 and -2.0 have one hash, too
            return hash((kind.__name__, repr(value)))
        if kind in _ATOMS:
            return hash((kind.__name__, value))
        known = self._marks.get(id(value))
        if known is not None:
            return known
        if value is self._namespace or self._is_of_the_kernel(value, kind):
            return id(value)
        self._nodes -= 1
        if depth > _DEPTH or self._nodes < 0:
            self._sampled = True
            return id(value)
        self._marks[id(value)] = 0  # a cycle ends here
        self._alive.append(value)
        plain = self._plain(value) if kind in (list, tuple, dict) else None
        mark = hash((kind.__name__, self._content(value, depth + 1) if plain is None else plain))
        self._marks[id(value)] = mark
        return mark

    def _is_of_the_kernel(self, value: Any, kind: type) -> bool:
        if kind is types.ModuleType:
            return vars(value) is self._namespace
        made_in = kind.__module__
        return value is sys.modules or (made_in.startswith(_OF_THE_KERNEL) and not made_in.startswith(_SHOWN_IN_CELLS))

    def _plain(self, value: Any) -> str | None:
        """A container of numbers and texts alone, as Python writes it: in one go. None of any other, or of a larger one."""
        size = len(value)
        if size > min(MOST_ELEMENTS, self._nodes):
            return None
        written = plain_text(value, levels=1, most_text=_MOST_TEXT)
        if written is not None:
            self._nodes -= size
        return written

    def _content(self, value: Any, depth: int) -> object:
        match value:
            case dict():
                items = self._some(dict.items(value), dict.__len__(value))
                own = self._attributes(value, depth) if type(value) is not dict else 0
                return own, dict.__len__(value), tuple((self.mark(k, depth), self.mark(v, depth)) for k, v in items)
            case list() | tuple() | deque():
                base: Any = next(one for one in (list, tuple, deque) if isinstance(value, one))
                size = base.__len__(value)
                own = self._attributes(value, depth) if type(value) is not base else 0
                return own, size, tuple(self.mark(one, depth) for one in self._some(base.__iter__(value), size))
            case set() | frozenset():
                base = set if isinstance(value, set) else frozenset
                size = base.__len__(value)
                return size, sum(self.mark(one, depth) for one in self._some(base.__iter__(value), size))
            case bytearray() | memoryview():
                return self._buffer(value)
            case types.FunctionType():
                return self._function(value, depth)
            case types.ModuleType():
                named = module_names(value)  # a part of a package that is loaded at its first use is no change
                return tuple((name, id(one)) for name, one in named if not isinstance(one, types.ModuleType))
            case type():
                return tuple((name, id(one)) for name, one in vars(value).items() if not name.startswith("__"))
        return self._library(value, depth)

    def _library(self, value: Any, depth: int) -> object:
        if self._numpy is not None:
            if isinstance(value, self._numpy.ndarray):
                return self._plain_array(value)
            if isinstance(value, self._numpy.generic):
                return repr(value)
            if isinstance(value, self._numpy.random.Generator):
                return repr(value.bit_generator.state)
        if self._table(value):
            return tuple(self._columns(value).items()), self._index(value)
        if self._pandas is not None and isinstance(value, self._pandas.Index):
            return self._values(value)
        if is_tensor(value):
            array = as_array(value)  # ``.data`` and numpy() write past the version
            content = None if array is None else self._array(array)
            return id(value), tuple(value.shape), str(value.dtype), value._version, content
        if is_module(value):
            return self._attributes(value, depth), tuple(self.mark(one, depth) for one in tensors_of(value))
        if type(value).__module__ == "random" and hasattr(value, "getstate"):
            return hash(value.getstate())
        return self._attributes(value, depth)

    def _attributes(self, value: object, depth: int) -> object:
        try:
            attributes = object.__getattribute__(value, "__dict__")
        except AttributeError:
            attributes = None
        if type(attributes) is not dict:
            return id(value)
        return self.mark(attributes, depth)

    def _function(self, value: types.FunctionType, depth: int) -> object:
        cells = tuple(cell.cell_contents for cell in value.__closure__ or () if is_filled(cell))
        return hash(value.__code__), self.mark(value.__defaults__ or (), depth), self.mark(cells, depth)

    def _some(self, items: Iterable[Any], size: int) -> Iterable[Any]:
        if size <= MOST_ELEMENTS:
            return items
        self._sampled = True
        return (
            islice(items, 0, None, size // (MOST_ELEMENTS // 4)) if size < 50 * MOST_ELEMENTS else islice(items, 1_000)
        )

    def _buffer(self, value: Any) -> int:
        data = memoryview(value).cast("B") if memoryview(value).contiguous else memoryview(bytes(value))
        if len(data) > LARGE or len(data) > self._bytes:
            self._sampled = True
            step = max(1, len(data) // _SAMPLE)
            return zlib.crc32(bytes(data[::step]))
        self._bytes -= len(data)
        return zlib.crc32(data)

    def _plain_array(self, value: Any) -> object:
        """The array behind one of another class, whose own methods may mean something else; a masked one is what it hides, too."""
        plain = self._numpy.ndarray
        masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
        mask = getattr(value, "_mask", None) if type(value) is masked else None
        content = self._array(plain.view(value, plain))
        return (content, self._array(mask)) if isinstance(mask, plain) and mask.ndim else content

    def _array(self, value: Any) -> object:
        shape = (dtype_text(value.dtype), value.shape)
        if value.dtype.hasobject:
            flat = value.ravel(order="K") if value.flags.forc else value.flat
            return shape, tuple(self.mark(one, _DEPTH) for one in self._some(iter(flat), value.size))
        if value.nbytes > LARGE or value.nbytes > self._bytes:
            self._sampled = True
            if not value.size:
                return shape
            count = _SAMPLE if self._samples > 0 else _FEWER
            self._samples -= count
            return shape, zlib.crc32(value.flat[self._chosen(value, count)].tobytes())
        self._bytes -= value.nbytes
        whole = value if value.flags.c_contiguous else self._numpy.ascontiguousarray(value)
        return shape, zlib.crc32(whole.reshape(-1).view("u1").data) if whole.size and whole.dtype.itemsize else 0

    def _chosen(self, array: Any, count: int) -> Any:
        """The places that are looked at in a large array: its ends, and ``count`` inside. Columns of one table have them in common."""
        size = array.size
        # a column's elements may lie a row apart
        step = max(array.itemsize, abs(array.strides[0]) if array.ndim == 1 else 0)
        if (size, step, count) != self._places[:3]:
            edge = min(size, mmap.PAGESIZE // step + 1)  # memory_pages sees whole pages only
            ends = (self._numpy.arange(edge), self._numpy.arange(size - edge, size))
            inside = self._numpy.linspace(0, size - 1, count).astype("int64")
            self._places = (size, step, count, self._numpy.concatenate((*ends, inside)))
        return self._places[3]

    # --- tables --------------------------------------------------------------------------------------------------------

    def _table(self, value: object) -> bool:
        return isinstance(value, self._tables)

    def _columns(self, table: Any) -> dict[str, tuple[str, int]]:
        series = [(str(table.name), table)] if table.ndim == 1 else [
            (str(name), column) for name, column in islice(table.items(), 200)
        ]  # fmt: skip
        return {name: (dtype_text(column.dtype), hash(self._values(column))) for name, column in series}

    def _index(self, table: Any) -> int:
        pandas = self._pandas
        if isinstance(table.index, pandas.RangeIndex):
            return hash((table.index.start, table.index.stop, table.index.step))
        return hash(self._values(table.index))

    def _values(self, column: Any) -> object:
        """The mark of a Series' or an Index's content. Only numpy's and pandas' own code runs."""
        array = column.array
        if type(array).__name__ in ("PeriodArray", "DatetimeArray", "TimedeltaArray"):
            return self._array(array._ndarray)  # their values are made again each time that somebody looks
        if type(array).__name__ == "IntervalArray":
            return self._values(array.left), self._values(array.right)
        values = column.values
        if self._numpy is not None and isinstance(values, self._numpy.ndarray):
            return self._array(values)
        size = len(column)
        if size > MOST_ELEMENTS:
            self._sampled = True
            column = column[:: max(1, size // _SAMPLE)]
        try:
            return size, int(self._pandas.util.hash_array(column.values, categorize=False).sum())
        except (TypeError, AttributeError, ValueError):
            self._sampled = True
            return size, str(array.dtype)  # of another library: what it holds is not looked into

    # --- what is kept --------------------------------------------------------------------------------------------------

    def _kept(self, value: Any) -> Any:
        if is_tensor(value):
            value = as_array(value)
        if isinstance(value, types.ModuleType):
            return dict(module_names(value))
        if not self._keep:
            return value
        if type(value) in (list, dict, set) and len(value) * 50 <= SMALL:
            return value.copy()
        if self._numpy is not None and isinstance(value, self._numpy.ndarray):
            return value.copy() if value.nbytes <= SMALL and not value.dtype.hasobject else None
        return value if type(value) in (*_ATOMS, float, tuple) else None

    def _kept_table(self, value: Any) -> Any:
        if not self._keep:
            return value
        return value.copy() if value.size * 8 <= SMALL else None


def _plan_columns(value: object) -> dict[str, tuple[str, int]]:
    """The columns of a lazy frame whose plan holds them; their values are not there."""
    kind = kind_of(type(value))
    schema = kind.schema(value) if kind is not None and kind.holds_schema else None
    return {str(name): (str(dtype), 0) for name, dtype in islice(schema or (), 200)}


_KEPT_THERE: dict[str, tuple[str, ...]] = {
    "sys": ("last_", "displayhook"),
    "matplotlib.pyplot": ("_REPL_DISPLAYHOOK", "_backend_mod", "draw_if_interactive"),  # set by the first figure
}


def module_names(module: types.ModuleType) -> list[tuple[str, object]]:
    """Members of a module, without those that Python, IPython and the module itself keep in it (``__cached__``, ``sys.last_value``)."""
    own = ("__", *_KEPT_THERE.get(str(vars(module).get("__name__")), ()))
    return [(name, one) for name, one in vars(module).items() if not name.startswith(own)]


def is_filled(cell: types.CellType) -> bool:
    """True if a variable of a closure has a value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def words(value: object) -> str:
    """A value in a few words: type, and shape or length."""
    kind = type(value).__name__
    shape = _shape(value) if type(value).__module__ != "builtins" else None
    if shape is not None:
        dtype = _dtype(value)
        size = " × ".join(str(number) for number in shape)
        return f"{kind}{f' {dtype}' if dtype else ''} ({size})"
    if type(value) in (int, float, bool, complex, type(None)):
        text = repr(value) if type(value) is not int or abs(value) < 10**50 else "…"
        return text if value is None or isinstance(value, bool) else f"{kind} {text}"
    if isinstance(value, str):
        return f"str {value[:40]!r}{'…' if str.__len__(value) > 40 else ''}"
    base: Any
    for base in (list, tuple, dict, set, frozenset, bytes, bytearray, deque):
        if isinstance(value, base):
            return f"{kind} ({base.__len__(value)})"
    if isinstance(value, types.ModuleType):
        return f"module {vars(value).get('__name__', '')}"
    if isinstance(value, (types.FunctionType, type)):
        return "function" if isinstance(value, types.FunctionType) else "class"
    return kind


def short_words(value: Any, most: int = 80) -> str:
    """A value as Python writes it where that is short, else in a few words; at most so many characters."""
    text = repr(value) if type(value) in (str, bytes, int, float, bool, type(None)) and _is_short(value) else ""
    text = text or (repr(value) if _is_number_of_numpy(value) else words(value))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _is_number_of_numpy(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__.startswith(("float", "int", "uint", "bool"))


def _is_short(value: Any) -> bool:
    return len(value) <= 200 if isinstance(value, (str, bytes)) else not isinstance(value, int) or abs(value) < 10**60


def _shape(value: object) -> tuple[int, ...] | None:
    """The shape of an array or table of a library; never asked of the user's own classes."""
    if type(value).__module__.partition(".")[0] not in ("numpy", "pandas", "polars", "torch", "scipy", "jax", "jaxlib"):
        return None
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape and all(isinstance(number, int) for number in shape):
        return tuple(shape)
    return None


def _dtype(value: object) -> str:
    if type(value).__name__ == "DataFrame":
        return ""
    return dtype_text(getattr(value, "dtype", "")).removeprefix("torch.")


def dtype_text(dtype: Any) -> str:
    """The name of a type of elements. What numpy writes it takes its time for, and there are few."""
    return _written(dtype) if type(dtype).__module__ == "numpy.dtypes" else str(dtype)


@functools.lru_cache(maxsize=256)
def _written(dtype: Any) -> str:
    return str(dtype)
