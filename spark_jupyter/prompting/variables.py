"""Summary of a kernel value in one line: type, shape, schema.

As in :mod:`spark_jupyter.prompting.kernel_context` no code of the user's runs for it.
"""

from __future__ import annotations

import functools
import re
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spark_jupyter.class_identity import class_module, class_name, is_one_of
from spark_jupyter.frames import frame_kinds
from spark_jupyter.source.credential_names import kind_of

MAX_COLUMNS = 80
"""More columns than this are counted, not listed."""
SAMPLE_ITEMS = 3
"""Items of a list or a dict that are told."""
SAMPLE = 200
"""Items of a container that are looked at for their types."""
LONGEST_SIGNATURE = 120
"""Characters of a signature with its defaults."""
TABLE, _ARRAY, _VALUE, CALLABLE, _MODULE = range(5)


class Variable(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A name in the kernel. ``summary`` is what stands before the details, ``columns`` the details of a table: its columns with their
    dtypes. ``profile`` has a longer line for each column, ``found`` the columns with words of the prompt as values; both may be empty.

    ``rank`` orders kinds by how often a request is about them (tables first, modules last); ``age`` counts from 0, the
    name that was defined last.
    """

    name: str
    summary: str
    columns: tuple[str, ...] = ()
    more_columns: int = 0
    profile: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    rank: int = _VALUE
    age: int = 0

    def entry(self) -> str:
        """The variable in a line, and in one line more for each column that is profiled."""
        if not self.profile:
            return self.line()
        more = [f"  … {self.more_columns} more columns"] if self.more_columns > 0 else []
        return "\n".join([f"{self.name}: {self.summary}", *(f"  {line}" for line in self.profile), *more])

    def line(self, *, columns: int = MAX_COLUMNS) -> str:
        """The variable in one line, with at most so many columns."""
        if not self.columns or columns <= 0:
            return f"{self.name}: {self.summary}"
        shown = ", ".join(self.columns[:columns])
        left = len(self.columns) - columns + self.more_columns if columns < len(self.columns) else self.more_columns
        return f"{self.name}: {self.summary}: {shown}" + (f", … {left} more" if left > 0 else "")


_PLAIN = (str, int, float, bool, complex, bytes, type(None))


def variable(name: str, value: object, *, age: int = 0, deep: bool = True) -> Variable:
    """A name in the kernel; with ``deep`` its value is looked into."""
    kind = type(value)
    plain = Variable(
        name=name, summary=class_name(kind), rank=_rank(kind) if _is_plain_class(kind) else _VALUE, age=age
    )
    reader = _reader(kind) if deep and _is_plain_class(kind) else None
    if reader is None:
        return plain
    try:
        found = reader(value)
        if kind_of(name) is not None:  # "tokens", "passwords": what they hold is not told
            found["summary"] = str(found["summary"]).partition(": ")[0]
        return replace(plain, **found)
    except Exception:  # a half-built table must not cost the whole context; its type is still said
        return plain


def _is_plain_class(kind: type) -> bool:
    """Return whether a class can be compared and hashed without code of a metaclass of the user's."""
    return type(kind) is type or class_module(type(kind)).split(".")[0] in ("torch", "ibis")


def is_plain(value: object) -> bool:
    """Return whether the value is exactly of one of Python's own classes whose ``repr`` says it all."""
    return is_one_of(type(value), _PLAIN)


def _rank(kind: type) -> int:
    if kind is types.ModuleType:
        return _MODULE
    if kind in (types.FunctionType, types.BuiltinFunctionType) or issubclass(kind, type):
        return CALLABLE
    name = class_name(kind)
    if name in {"DataFrame", "GeoDataFrame"} or frame_kinds.kind_of(kind) is not None:
        return TABLE
    return _ARRAY if name in {"ndarray", "Series", "Tensor"} else _VALUE


Reader = Callable[..., dict[str, object]]


def _reader(kind: type) -> Reader | None:
    """The function that may look into values of exactly this class."""
    if kind in _BUILTIN_READERS:
        return _BUILTIN_READERS[kind]
    if issubclass(kind, type):
        return _read_class
    row = frame_kinds.kind_of(kind)
    if row is not None:
        return functools.partial(_read_lazy_frame, row)
    library = _LIBRARY_READERS.get(class_name(kind))
    if library is None:
        return None
    modules, reader = library
    for module in modules:
        loaded = sys.modules.get(module)
        # the class must be the library's own object, not one that has its name
        if loaded is not None and types.ModuleType.__getattribute__(loaded, "__dict__").get(class_name(kind)) is kind:
            return reader
    return None


def _read_frame(frame: object) -> dict[str, object]:
    return _read_polars_frame(frame) if class_module(type(frame)).startswith("polars") else _read_pandas_frame(frame)


def _read_pandas_frame(frame: object) -> dict[str, object]:
    rows, width = frame.shape  # type: ignore[attr-defined]
    labels = list(islice(frame.columns, MAX_COLUMNS))  # type: ignore[attr-defined]
    dtypes = list(islice(frame.dtypes.array, MAX_COLUMNS))  # type: ignore[attr-defined]
    columns = tuple(f"{column_label(label)} {dtype_name(dtype)}" for label, dtype in zip(labels, dtypes, strict=False))
    by = _index_text(frame.index)  # type: ignore[attr-defined]
    return {"summary": f"DataFrame ({rows} × {width}){by}", "columns": columns, "more_columns": width - len(columns)}


_MOST_INDEXED = 100_000
"""Entries of an index that are looked through for one that stands there twice."""


def _index_text(index: Any) -> str:
    """Describe a table's index; empty where it only counts the rows."""
    kind = class_name(type(index))
    names = list(index.names)
    if kind == "RangeIndex" and names == [None]:
        return ""
    if kind == "MultiIndex":
        return f", index ({', '.join(_label('?' if name is None else name) for name in names)})"
    if kind == "DatetimeIndex" and type(names[0]) in (str, types.NoneType):
        return f", index {_label(names[0] or 'index')} of dates"
    if not knows_dtype(index.dtype):
        return ""
    # the objects of an index could be the user's own, and are not asked whether they are equal
    asked = dtype_name(index.dtype) != "object" and index.shape[0] <= _MOST_INDEXED
    twice = ", not unique" if asked and not index.is_unique else ""
    return f", index {_label('index' if names[0] is None else names[0])} {dtype_name(index.dtype)}{twice}"


def _read_polars_frame(frame: object) -> dict[str, object]:
    rows, width = frame.shape  # type: ignore[attr-defined]
    schema = islice(frame.schema.items(), MAX_COLUMNS)  # type: ignore[attr-defined]
    columns = tuple(f"{column_label(name)} {dtype_name(dtype)}" for name, dtype in schema)
    return {"summary": f"polars.DataFrame ({rows} × {width})", "columns": columns, "more_columns": width - len(columns)}


def _read_lazy_frame(row: frame_kinds.FrameKind, frame: object) -> dict[str, object]:
    schema = row.schema(frame)
    if schema is None:
        return {"summary": f"{row.title} ({row.use}; columns not known before it ran)"}
    told = [(column_label(name), dtype) for name, dtype in schema]
    columns = tuple(
        f"{label} {dtype if type(dtype) is str else dtype_name(dtype)}" for label, dtype in told[:MAX_COLUMNS]
    )
    count = row.partitions(frame)
    parts = f"{count} partitions, " if count is not None else ""
    return {"summary": f"{row.title} ({parts}{row.use})", "columns": columns, "more_columns": len(told) - len(columns)}


def _read_array(array: object) -> dict[str, object]:
    dtype: object = array.dtype  # type: ignore[attr-defined]
    shape = tuple(array.shape)  # type: ignore[attr-defined]
    return {"summary": f"{class_name(type(array))} {dtype_name(dtype)} {shape}"}


def _read_series(series: object) -> dict[str, object]:
    return {"summary": f"Series {dtype_name(series.dtype)} ({series.shape[0]})"}  # type: ignore[attr-defined]


def _read_sequence(items: Sequence[object] | set[object] | frozenset[object]) -> dict[str, object]:
    summary = f"{class_name(type(items))} ({len(items)})"
    kinds = _kinds(items)
    keys = _keys(items) if kinds == "dict" and type(items) is list else ()
    shown = "" if keys or type(items) not in (list, tuple) else _sample(list(islice(items, SAMPLE_ITEMS + 1)))
    return {"summary": f"{summary} of {kinds}{shown}" if kinds else summary, "columns": keys}


def _sample(items: Sequence[object]) -> str:
    """The first items as they are written; none where one is of a class that could run code, or there are none."""
    if not items or not all(map(is_plain, items)):
        return ""
    return ": " + ", ".join([*map(_plain, items[:SAMPLE_ITEMS]), *(["…"] if len(items) > SAMPLE_ITEMS else [])])


def _keys(records: Sequence[object]) -> tuple[str, ...]:
    """The keys of a list of records as columns, by its first one; none where it is no record."""
    first = records[0] if records else None
    if type(first) is not dict or not 0 < len(first) <= MAX_COLUMNS or any(type(key) is not str for key in first):
        return ()
    return tuple(f"{column_label(key)} {class_name(type(value))}" for key, value in list(first.items()))


def _read_dict(mapping: dict[object, object]) -> dict[str, object]:
    summary = f"dict ({len(mapping)})"
    keys, values = _kinds(mapping.keys()), _kinds(mapping.values())
    return {"summary": f"{summary} of {keys} to {values}{_sample_pairs(mapping)}" if keys else summary}


def _sample_pairs(mapping: dict[object, object]) -> str:
    """The first pairs as they are written; a value that is not plain by its type, one behind a credential's name not at all."""
    pairs = list(islice(mapping.items(), SAMPLE_ITEMS + 1))
    if not all(is_plain(key) for key, _ in pairs):
        return ""
    shown = [f"{_plain(key)}: {_told_value(key, value)}" for key, value in pairs[:SAMPLE_ITEMS]]
    return ": " + ", ".join([*shown, *(["…"] if len(pairs) > SAMPLE_ITEMS else [])])


def _told_value(key: object, value: object) -> str:
    if type(key) is str and kind_of(key) is not None:
        return "…"
    return _plain(value) if is_plain(value) else class_name(type(value))


def _kinds(items: Iterable[object]) -> str:
    """The types of the first items, the commonest case being one."""
    for _ in range(3):
        try:
            names = list(dict.fromkeys(class_name(type(item)) for item in islice(items, SAMPLE)))
        except RuntimeError:  # the kernel changed the container meanwhile
            continue
        return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return ""


def _read_module(module: types.ModuleType) -> dict[str, object]:
    name = types.ModuleType.__getattribute__(module, "__dict__").get("__name__", "")
    return {"summary": f"module {name}" if type(name) is str else "module"}


def _read_function(function: types.FunctionType) -> dict[str, object]:
    return {"summary": f"function {signature_text(_unwrapped(function))}"}


def _unwrapped(function: types.FunctionType) -> types.FunctionType:
    """The function behind decorators that name it (``functools.wraps``), as far as it is one of Python's."""
    for _ in range(20):
        inner = function.__dict__.get("__wrapped__")
        if type(inner) is not types.FunctionType:
            break
        function = inner
    return function


def _read_cached(function: object) -> dict[str, object]:
    """A function behind ``functools.cache``."""
    inner = getattr(function, "__wrapped__", None)
    known = signature_text(_unwrapped(inner)) if type(inner) is types.FunctionType else ""
    return {"summary": f"function {known}".rstrip(), "rank": CALLABLE}


def _read_class(kind: type) -> dict[str, object]:
    start = type.__getattribute__(kind, "__dict__").get("__init__")
    known = type(start) is types.FunctionType
    return {"summary": f"class {signature_text(_unwrapped(start), skip=1)}" if known else "class", "rank": CALLABLE}


def signature_text(function: types.FunctionType, *, skip: int = 0) -> str:
    """``(x, y=2)``: the parameters of a Python function, from its code object; ``skip`` leaves out the first ones.

    Defaults are written out only where they are plain values, because writing others would call their ``repr``; and none of them, ``y=``,
    where that is longer than :data:`LONGEST_SIGNATURE`.
    """
    whole = _signature(function, skip, defaults=True)
    return whole if len(whole) <= LONGEST_SIGNATURE else _signature(function, skip, defaults=False)


def _signature(function: types.FunctionType, skip: int, *, defaults: bool) -> str:
    code = function.__code__
    names = list(code.co_varnames)
    positional, count = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    values = function.__defaults__ or ()
    parts = []
    for index, name in enumerate(names[:positional]):
        place = index - (positional - len(values))
        parts.append(name if place < 0 else f"{name}={_plain(values[place]) if defaults else ''}")
    parts = parts[skip:]
    rest = names[count:]
    if code.co_flags & 0x04:  # inspect.CO_VARARGS
        parts.append(f"*{rest.pop(0)}")
    elif code.co_kwonlyargcount:
        parts.append("*")
    keywords = function.__kwdefaults__ or {}
    parts += [f"{n}={_plain(keywords[n]) if defaults else ''}" if n in keywords else n for n in names[positional:count]]
    if code.co_flags & 0x08:  # inspect.CO_VARKEYWORDS
        parts.append(f"**{rest.pop(0)}")
    return f"({', '.join(parts)})"


def _plain(value: object) -> str:
    if not is_plain(value):
        return "…"
    text = repr(value)
    return text if len(text) <= 40 else text[:38] + "…" + text[-1]


_BARE = re.compile(r"[^\W\d]\w*")


def column_label(label: object) -> str:
    """A column's name: quoted where it is a text with blanks or odd characters, or one that could be taken for a number; other labels
    as Python writes them, such as ``0`` or ``('x', 'max')``; for unknown objects their class in angle brackets."""
    if type(label) is str:
        return label if _BARE.fullmatch(label) and label not in ("None", "True", "False") else quoted_label(label)
    if type(label) is tuple:
        return f"({', '.join(repr(one) if type(one) is str else column_label(one) for one in label)})"
    return repr(label) if is_plain(label) or is_librarys(label) else f"<{class_name(type(label))}>"


def quoted_label(label: str) -> str:
    """A text in double quotes, as Python reads it."""
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _label(label: object) -> str:
    if type(label) is str:
        return " ".join(label.split()) if "\n" in label else label
    if type(label) is tuple:
        return "(" + ", ".join(map(_label, label)) + ")"
    return repr(label) if is_plain(label) else class_name(type(label))


def table_kind(value: object) -> str:
    """``"DataFrame"``, ``"Series"`` or ``"ndarray"`` where the value is exactly one of the libraries' own, else empty."""
    kind = type(value)
    name = class_name(kind)
    if name in ("DataFrame", "Series", "ndarray") and _is_plain_class(kind) and _reader(kind) is not None:
        return name
    return ""


def without_attrs(table: Any) -> Any:
    """A table or column without pandas' ``attrs``: a part of it would get a deep copy of them, which runs code of the user's."""
    of_pandas = class_module(type(table)).partition(".")[0] == "pandas"
    return type(table)(table) if of_pandas and table.attrs else table


def is_librarys(value: object) -> bool:
    """Return whether the value's class says that it is NumPy's, pandas' or polars' own."""
    return class_module(type(value)).split(".")[0] in {"numpy", "pandas", "polars"}


def knows_dtype(dtype: object) -> bool:
    """Return whether the dtype is a known library's; those that C made do not say whose they are."""
    kind = dtype if isinstance(dtype, type) else type(dtype)  # polars' are classes
    return class_module(kind).split(".")[0] in _KNOWN_DTYPES


_KNOWN_DTYPES = frozenset(
    {"numpy", "pandas", "polars", "torch", "pyarrow", "ibis", "duckdb", "_duckdb", "builtins", ""}
)


def dtype_name(dtype: object) -> str:
    """A dtype's own name where its class is a known library's; else the class's name."""
    if not knows_dtype(dtype):
        return class_name(type(dtype))
    return str(dtype).replace("time_unit=", "").replace(", time_zone=None", "")  # as polars writes them


_BUILTIN_READERS: dict[type, Reader] = {
    list: _read_sequence,
    tuple: _read_sequence,
    set: _read_sequence,
    frozenset: _read_sequence,
    dict: _read_dict,
    types.ModuleType: _read_module,
    types.FunctionType: _read_function,
    functools._lru_cache_wrapper: _read_cached,
}


_LIBRARY_READERS: dict[str, tuple[tuple[str, ...], Reader]] = {
    "DataFrame": (("pandas", "polars"), _read_frame),
    "Series": (("pandas", "polars"), _read_series),
    "ndarray": (("numpy",), _read_array),
    "Tensor": (("torch",), _read_array),
}
