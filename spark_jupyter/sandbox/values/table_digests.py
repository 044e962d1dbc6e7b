"""Digests of arrays and tables, whole and row by row.

For numpy, pandas and polars; used in copies only, and only those libraries' own code runs. Sameness follows
``pandas.testing.assert_frame_equal``: types, order of rows and columns, names, frequencies and categories count; a RangeIndex is the index
of its numbers. All NaN are the same; 0.0 and -0.0 are not.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from spark_jupyter.sandbox.values.float_extraction import Floats

_CHUNK = 4 << 20
"""Elements that are looked at at once."""
_TOGETHER = 4_096
"""Arrays that are looked at as one."""


class Column:
    """A column, or an index, without the rest of its table. ``labels`` name its rows."""

    def __init__(self, values: Any, labels: Any = None) -> None:
        self.values = values
        self.labels = labels

    def __len__(self) -> int:
        return len(self.values)


class Columns:
    """``elements`` gives marks for the elements of a sequence of any objects."""

    def __init__(self, elements: Callable[[Any], list[bytes]]) -> None:
        self._elements = elements
        self._numpy: Any = sys.modules.get("numpy")
        self._pandas: Any = sys.modules.get("pandas")
        self._polars: Any = sys.modules.get("polars")
        self.floats: Floats | None = None
        """Collector of floating-point numbers, instead of digests."""
        self.called: dict[str, str] = {}
        """Columns that are told under another name."""

    # --- what it is ----------------------------------------------------------------------------------------------------

    def known(self, value: Any) -> bool:
        """True if this module describes the value."""
        return isinstance(value, Column) or self._is_numpy(value) or self._is_pandas(value) or self._is_polars(value)

    def is_table(self, value: Any) -> bool:
        """True for a table or a series that can be changed in place."""
        pandas = self._pandas
        return pandas is not None and isinstance(value, (pandas.DataFrame, pandas.Series))

    def is_frame(self, value: Any) -> bool:
        return (self._is_pandas(value) or self._is_polars(value)) and hasattr(value, "columns")

    def has_parts(self, value: Any) -> bool:
        return self.is_table(value) or self.is_frame(value)

    def has_rows(self, value: Any) -> bool:
        if isinstance(value, Column):
            return True
        if self._is_pandas(value) or self._is_polars(value):
            return not self.is_frame(value)
        return self._numpy is not None and isinstance(value, self._numpy.ndarray) and value.ndim > 0

    def parts(self, table: Any) -> Iterator[tuple[str, Column]]:
        """The index and the columns of a table, by what Python writes behind it; of a series the index."""
        if not self.is_frame(table):
            yield ".index", Column(table.index)
            return
        if self._is_polars(table):
            for name in table.columns[:150]:
                yield f"[{self._name(name)!r}]", Column(table.get_column(name))
            return
        yield ".index", Column(table.index)
        for place, name in enumerate(table.columns[:150]):
            yield f"[{self._name(name)!r}]", Column(table.iloc[:, place].array, table.index)

    # --- marks ---------------------------------------------------------------------------------------------------------

    def mark(self, value: Any) -> bytes:
        if isinstance(value, Column):
            return self._column(value.values)
        if self._is_polars(value):
            return self._of_polars(value)
        if self._is_numpy(value):
            return self._of_numpy(value)
        return self._of_pandas(value)

    def many_arrays(self, values: Any) -> list[bytes] | None:
        """Marks for many arrays of numbers, thousands at once: one by one each would take as long as a large one. None for others."""
        if self._numpy is None or {id(type(one)) for one in values} != {id(self._numpy.ndarray)}:
            return None
        marks = []
        for start in range(0, len(values), _TOGETHER):
            part = list(islice(values, start, start + _TOGETHER))
            kinds = {one.dtype for one in part}
            if len(kinds) > 1 or any(kind.hasobject for kind in kinds):
                return None
            joined = self._numpy.concatenate([one.reshape(-1) for one in part])
            marks.append(digest(str([one.shape for one in part]), self.mark(joined)))
        return marks

    def rows(self, value: Any) -> bytes:
        """Eight bytes for each row, or each element of an array."""
        values = value.values if isinstance(value, Column) else value
        if self._is_polars(values):
            return b"".join(self._elements([one])[0] for one in values.to_list())
        if self._pandas is not None and isinstance(values, (self._pandas.Series, self._pandas.Index)):
            values = values.array
        if self._is_numpy(values) and not values.dtype.hasobject:
            return self._bits(values.reshape(-1))
        plain = self._as_numpy(values)
        if plain is not None:
            return self._bits(plain)
        hashed = self._hashed(values)
        return hashed.tobytes() if hashed is not None else b"".join(self._elements([one])[0] for one in values)

    def words(self, column: Column) -> str:
        """The type of its elements; of an index also its names and its frequency."""
        values = column.values
        if self._pandas is None or not isinstance(values, self._pandas.Index):
            return str(values.dtype)[:80]
        several = isinstance(values, self._pandas.MultiIndex)
        kinds = [str(kind) for kind in (values.dtypes if several else [values.dtype])]
        told = ", ".join([*kinds, *filter(None, [getattr(values, "freqstr", "")])])
        names = ", ".join(str(self._name(name)) for name in values.names if name is not None)
        return (f"{names} ({told})" if names else told)[:80]

    def shown(self, value: Any, row: int) -> tuple[str, str]:
        """Label and content of a row."""
        values = value.values if isinstance(value, Column) else value
        if self._is_numpy(values) and values.ndim != 1:
            at = self._numpy.unravel_index(row, values.shape)
            return f"[{', '.join(map(str, at))}]", _words(values[at])
        labels = value.labels if isinstance(value, Column) else getattr(value, "index", None)
        named = labels is not None and not callable(labels) and len(labels) > row
        label = _label(labels[row]) if named and labels is not None else f"row {row}"
        one = values.iloc[row] if hasattr(values, "iloc") else values[row]
        return label, _words(one)

    # --- inside --------------------------------------------------------------------------------------------------------

    def _is_numpy(self, value: Any) -> bool:
        return self._numpy is not None and isinstance(value, (self._numpy.ndarray, self._numpy.generic))

    def _is_pandas(self, value: Any) -> bool:
        pandas = self._pandas
        if pandas is None:
            return False
        kinds = (pandas.DataFrame, pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)
        return isinstance(value, kinds)

    def _is_polars(self, value: Any) -> bool:
        polars = self._polars
        return polars is not None and isinstance(value, (polars.DataFrame, polars.Series))

    def _of_numpy(self, value: Any) -> bytes:
        numpy = self._numpy
        if isinstance(value, numpy.generic):
            if self.floats is not None and isinstance(value, numpy.float64):
                self.floats.take([float(value)])
                return digest("scalar", value.dtype.str)
            return digest("scalar", value.dtype.str, repr(value))
        ma: Any = sys.modules.get("numpy.ma")  # to load it takes 10 ms
        masked = digest(self._of_numpy(ma.getmaskarray(value))) if ma and isinstance(value, ma.MaskedArray) else b""
        plain = numpy.asarray(value)
        shape = (type(value).__name__, str(value.dtype), str(value.shape), str(value.flags.writeable))
        if plain.dtype.hasobject:
            return digest(*shape, masked, *self._elements(list(plain.reshape(-1))))
        return digest(*shape, masked, self._content(plain))

    def _content(self, array: Any) -> bytes:
        made = hashlib.blake2b(digest_size=8)
        flat = array.reshape(-1) if array.flags.c_contiguous else array.flat
        for start in range(0, array.size, _CHUNK):
            part = self._exactly(self._numpy.asarray(flat[start : start + _CHUNK]))
            if self.floats is not None and part.dtype == self._numpy.float64:
                self.floats.take_array(part)
            else:
                made.update(part.view("u1").data)
        return made.digest()

    def _exactly(self, part: Any) -> Any:
        """The same values with one kind of NaN, contiguous."""
        numpy = self._numpy
        part = numpy.ascontiguousarray(part)
        if part.dtype.kind in "fc":
            missing = numpy.isnan(part)
            if missing.any():
                part = numpy.where(missing, part.dtype.type("nan"), part)
        return part

    def _bits(self, flat: Any) -> bytes:
        part = self._exactly(flat)
        if part.dtype.itemsize == 8 and part.dtype.names is None:
            return bytes(part.view("u1").data)
        size = part.dtype.itemsize
        data = bytes(part.view("u1").data)
        if size < 8:
            wide = self._numpy.zeros((len(part), 8), dtype="u1")
            wide[:, :size] = part.view("u1").reshape(len(part), size)
            return bytes(wide.data)
        return b"".join(digest(data[at : at + size]) for at in range(0, len(data), size))

    def _of_pandas(self, value: Any) -> bytes:
        pandas = self._pandas
        if isinstance(value, pandas.Index):
            return self._index(value)
        if isinstance(value, pandas.Series):
            return digest(
                *self._named(value), repr(self._name(value.name)), self._column(value.array), self._index(value.index)
            )
        if isinstance(value, pandas.DataFrame):
            columns = [self._column(value.iloc[:, place].array) for place in range(value.shape[1])]
            return digest(*self._named(value), self._index(value.columns), self._index(value.index), *columns)
        return self._column(value)

    def _named(self, value: Any) -> tuple[str, str]:
        return type(value).__name__, repr(value.attrs) if value.attrs else ""

    def _index(self, index: Any) -> bytes:
        index = self._relabelled(index)
        names = (repr([self._name(name) for name in index.names]), str(getattr(index, "freqstr", "")))
        if isinstance(index, self._pandas.MultiIndex):
            return digest(*names, *(self._column(index.get_level_values(n).array) for n in range(index.nlevels)))
        return digest(*names, self._column(index.array))

    def _name(self, label: Any) -> Any:
        return self.called.get(label, label) if isinstance(label, str) else label

    def _relabelled(self, index: Any) -> Any:
        """With the labels by which columns are told."""
        if not self.called or isinstance(index, self._pandas.MultiIndex) or not index.isin(list(self.called)).any():
            return index
        return self._pandas.Index([self._name(label) for label in index], dtype=index.dtype, name=index.name)

    def _column(self, values: Any) -> bytes:
        if self._is_polars(values):
            return self._of_polars(values)
        if self._pandas is not None and isinstance(values, self._pandas.Index):
            return self._index(values)
        if self._is_numpy(values):
            return self._of_numpy(values)
        kind = str(values.dtype)
        if isinstance(values, self._pandas.Categorical):
            codes = self._of_numpy(self._numpy.asarray(values.codes))
            return digest("category", str(values.ordered), codes, self._index(values.categories))
        plain = self._as_numpy(values)
        if plain is not None and not plain.dtype.hasobject:
            return digest(kind, str(len(values)), self._content(plain))
        hashed = self._hashed(values)
        if hashed is not None:
            return digest(kind, str(len(values)), hashed.tobytes())
        return digest(kind, *self._elements(list(values)))

    def _as_numpy(self, values: Any) -> Any:
        """The memory of an extension array that is numpy's under another name; None for others, and for objects."""
        inner = getattr(values, "_ndarray", None)
        plain = inner if isinstance(inner, self._numpy.ndarray) else None
        return plain if plain is not None and not plain.dtype.hasobject and plain.ndim == 1 else None

    def _hashed(self, values: Any) -> Any:
        """pandas' own hashes, where all elements are of one kind: of mixed ones it takes what they print."""
        if str(getattr(values, "dtype", "object")) == "object":
            return None
        try:
            return self._pandas.util.hash_array(values, categorize=False)
        except (TypeError, AttributeError, ValueError, NotImplementedError):
            return None

    def _of_polars(self, value: Any) -> bytes:
        if isinstance(value, self._polars.DataFrame):
            marks = [self._of_polars(value.get_column(name)) for name in value.columns]
            return digest("polars", repr([self._name(name) for name in value.columns]), str(value.height), *marks)
        head = ("polars", str(value.dtype), self._name(value.name))
        if self._numpy is not None and value.dtype.is_numeric() and not value.null_count():
            return digest(*head, self._content(value.to_numpy()))
        return digest(*head, *self._elements(value.to_list()))


def digest(*parts: str | bytes) -> bytes:
    """Eight bytes that tell these parts from others."""
    made = hashlib.blake2b(digest_size=8)
    for part in parts:
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little"))
        made.update(data)
    return made.digest()


def _label(label: Any) -> str:
    text = str(label)
    return text.removesuffix(" 00:00:00")[:80]


def _words(value: Any) -> str:
    return (repr(value) if isinstance(value, str) else str(value))[:80]
