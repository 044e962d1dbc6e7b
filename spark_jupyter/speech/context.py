"""What the kernel knows, put into words for a prompt: variables, schemas, the last error. What of it goes there says
:mod:`spark_jupyter.speech.budget`.

The kernel is only read. No code of the user's runs for it: no ``repr``, no property, no ``__getattr__``, no ``__len__``
of a class that is not exactly one of Python's, NumPy's, pandas', polars' or torch's own. A value of any other class is
named by its class, which is enough for a model that also sees the cells.
"""

from __future__ import annotations

import builtins
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from spark_jupyter.speech.holds import phrases, told

MAX_COLUMNS = 80
"""More columns than this are counted, not listed."""
MAX_VARIABLES = 2000
SAMPLE = 200
"""How many items of a container are looked at for the type of its items."""

MOST_TEXTS = 20
"""Columns of text of a table that are looked into, and"""
SAMPLED_ROWS = 1000
"""about how many of its rows."""
_TEXT_DTYPES = frozenset({"str", "object", "string", "category", "String"})
_MOST_LOCALS = 20
"""Names of a function that failed."""
_IPYTHON_NAMES = frozenset({"In", "Out", "exit", "quit", "get_ipython"})
_TABLE, _ARRAY, _VALUE, _CALLABLE, _MODULE = range(5)


class Variable(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A name in the kernel. ``summary`` is what stands before the details, ``columns`` the details of a table.

    ``rank`` orders kinds by how often a request is about them (tables first, modules last); ``age`` counts from 0, the
    name that was defined last.
    """

    name: str
    summary: str
    columns: tuple[str, ...] = ()
    more_columns: int = 0
    rank: int = _VALUE
    age: int = 0

    def line(self, *, columns: int = MAX_COLUMNS) -> str:
        """The variable in one line, with at most so many columns."""
        if not self.columns or columns <= 0:
            return f"{self.name}: {self.summary}"
        shown = ", ".join(self.columns[:columns])
        left = len(self.columns) - columns + self.more_columns if columns < len(self.columns) else self.more_columns
        return f"{self.name}: {self.summary}: {shown}" + (f", … {left} more" if left > 0 else "")


class KernelContext(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was read of the kernel. ``complete`` is False where time ran out before every variable was looked into."""

    variables: tuple[Variable, ...] = ()
    last_error: str = ""
    complete: bool = True


def gather(
    namespace: Mapping[str, object],
    *,
    last_error: str | BaseException | None = None,
    prompt: str = "",
    time_cap: float = 0.05,
    clock: Callable[[], float] = time.perf_counter,
) -> KernelContext:
    """Read the kernel's variables, the youngest first.

    ``last_error`` is a traceback's text, or the exception itself, of which only the stack and plain arguments are read.
    With a ``prompt`` the tables' columns of text are looked into (:mod:`spark_jupyter.speech.holds`).
    After ``time_cap`` seconds the remaining variables are given with the name of their type only. Raises nothing.
    """
    until = clock() + time_cap
    said = phrases(prompt) if prompt else frozenset()
    names = [(name, value) for name, value in _items(namespace) if _is_users(name, value)]
    variables = []
    complete = len(names) <= MAX_VARIABLES
    for age, (name, value) in enumerate(islice(reversed(names), MAX_VARIABLES)):
        in_time = clock() < until
        complete = complete and in_time
        read = variable(name, value, age=age, deep=in_time)
        if said and read.columns and read.rank == _TABLE and clock() < until:
            read = replace(read, columns=_with_texts(value, read.columns, said))
        variables.append(read)
    text = _error_text(last_error, namespace) if isinstance(last_error, BaseException) else last_error or ""
    return KernelContext(variables=tuple(variables), last_error=text, complete=complete)


def format_error(error: BaseException) -> str:
    """The traceback of ``error`` as text, without calling ``str`` or ``repr`` of a class that is not Python's own."""
    lines = ["Traceback (most recent call last):\n"]
    lines += traceback.format_list(traceback.extract_tb(error.__traceback__)[-20:])
    return "".join(lines) + f"{type_name(type(error))}: {_message(error)}"


def _error_text(error: BaseException, namespace: Mapping[str, object]) -> str:
    return format_error(error) + _values_there(error, namespace)


def _values_there(error: BaseException, namespace: Mapping[str, object]) -> str:
    """What the names of the user's innermost function held when it failed, by their types; none where no function was running."""
    found: types.FrameType | None = None
    step = error.__traceback__
    while step is not None:
        frame = step.tb_frame
        if frame.f_globals is namespace and frame.f_locals is not namespace:
            found = frame
        step = step.tb_next
    if found is None:
        return ""
    names = [(name, value) for name, value in found.f_locals.items() if not name.startswith((".", "_"))]
    lines = [variable(name, value, age=0, deep=True).line(columns=8) for name, value in names[:_MOST_LOCALS]]
    return "\n".join([f"\nValues in {found.f_code.co_name} there:", *lines]) if lines else ""


def _message(error: BaseException) -> str:
    """What an exception says. Python's own classes are asked (an OSError names its file so) where all that they hold is plain."""
    arguments = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    kind = type(error)
    if vars(builtins).get(kind.__name__) is kind:
        files = (error.filename, error.filename2) if isinstance(error, OSError) else ()
        if all(_is_plain(each) for each in (*arguments, *files)):
            return str(error)
    return ", ".join(str(each) for each in arguments if _is_plain(each))


def _items(namespace: Mapping[str, object]) -> list[tuple[str, object]]:
    """The namespace as it stands; the kernel may write to it at the same time."""
    for _ in range(5):
        try:
            return [(name, value) for name, value in list(namespace.items()) if type(name) is str]
        except RuntimeError:  # changed size during iteration
            continue
    return []


def _is_users(name: str, value: object) -> bool:
    if name.startswith("_") or name in _IPYTHON_NAMES:
        return False
    # IPython puts its own `open` there, which says that it is io's
    return not (name == "open" and type(value) is types.FunctionType and _is_ipythons(value))


def _is_ipythons(function: types.FunctionType) -> bool:
    return str(function.__globals__.get("__name__", "")).startswith("IPython")


_PLAIN = (str, int, float, bool, complex, bytes, type(None))


def type_name(kind: type) -> str:
    """A class's own name, read past any metaclass."""
    return str(type.__dict__["__name__"].__get__(kind))


def _module_name(kind: type) -> str:
    module = type.__getattribute__(kind, "__dict__").get("__module__", "")
    return module if type(module) is str else ""


def variable(name: str, value: object, *, age: int = 0, deep: bool = True) -> Variable:
    """A name in the kernel; with ``deep`` its value is looked into."""
    kind = type(value)
    plain = Variable(name=name, summary=type_name(kind), rank=_rank(kind) if _is_plain_class(kind) else _VALUE, age=age)
    reader = _reader(kind) if deep and _is_plain_class(kind) else None
    if reader is None:
        return plain
    try:
        return replace(plain, **reader(value))
    except Exception:  # a half-built table must not cost the whole context; its type is still said
        return plain


def _is_plain_class(kind: type) -> bool:
    """Whether a class can be compared and hashed without code of a metaclass of the user's."""
    return type(kind) is type or _module_name(type(kind)).split(".")[0] == "torch"


def _is_plain(value: object) -> bool:
    kind = type(value)
    return any(kind is one for one in _PLAIN)


def _rank(kind: type) -> int:
    if kind is types.ModuleType:
        return _MODULE
    if kind in (types.FunctionType, types.BuiltinFunctionType) or issubclass(kind, type):
        return _CALLABLE
    name = type_name(kind)
    if name in {"DataFrame", "LazyFrame", "GeoDataFrame"}:
        return _TABLE
    return _ARRAY if name in {"ndarray", "Series", "Tensor"} else _VALUE


Reader = Callable[..., dict[str, object]]


def _reader(kind: type) -> Reader | None:
    """The function that may look into values of exactly this class."""
    if kind in _BUILTIN_READERS:
        return _BUILTIN_READERS[kind]
    if issubclass(kind, type):
        return _read_class
    library = _LIBRARY_READERS.get(type_name(kind))
    if library is None:
        return None
    modules, reader = library
    for module in modules:
        loaded = sys.modules.get(module)
        # the class must be the library's own object, not one that has its name
        if loaded is not None and types.ModuleType.__getattribute__(loaded, "__dict__").get(type_name(kind)) is kind:
            return reader
    return None


def _read_frame(frame: object) -> dict[str, object]:
    return _read_polars_frame(frame) if _module_name(type(frame)).startswith("polars") else _read_pandas_frame(frame)


def _read_pandas_frame(frame: object) -> dict[str, object]:
    rows, width = frame.shape  # type: ignore[attr-defined]
    labels = list(islice(frame.columns, MAX_COLUMNS))  # type: ignore[attr-defined]
    dtypes = list(islice(frame.dtypes.array, MAX_COLUMNS))  # type: ignore[attr-defined]
    columns = tuple(f"{_label(label)} {dtype_name(dtype)}" for label, dtype in zip(labels, dtypes, strict=False))
    index = frame.index  # type: ignore[attr-defined]
    dated = type(index).__name__ == "DatetimeIndex" and type(index.name) in (str, types.NoneType)
    by = f", index {_label(index.name or 'index')} of dates" if dated else ""
    return {"summary": f"DataFrame ({rows} × {width}){by}", "columns": columns, "more_columns": width - len(columns)}


def _with_texts(frame: object, columns: tuple[str, ...], said: frozenset[str]) -> tuple[str, ...]:
    """The columns, with what those of text hold and which of floats have gaps."""
    found = list(columns)
    dtypes = [one.rpartition(" ")[2] for one in columns]
    texts = [number for number, dtype in enumerate(dtypes) if dtype in _TEXT_DTYPES]
    floats = [number for number, dtype in enumerate(dtypes) if dtype in ("float64", "float32")]
    for number in sorted((*texts[:MOST_TEXTS], *floats[:MOST_TEXTS])):
        try:
            note = told(_texts(frame, number), said) if number in texts else _gaps(frame, number)
        except Exception:  # a half-built table must not cost the whole context
            return columns
        found[number] += f"({note})" if note else ""
    return tuple(found)


def _gaps(frame: object, number: int) -> str:
    """Whether values of a column of floats are missing, by some rows from all over a table of pandas."""
    if _module_name(type(frame)).startswith("polars"):
        return ""
    every = slice(None, None, max(1, frame.shape[0] // SAMPLED_ROWS))  # type: ignore[attr-defined]
    return "gaps" if bool(frame.iloc[every, number].isna().any()) else ""  # type: ignore[attr-defined]


def _texts(frame: object, number: int) -> list[str]:
    """Texts of a column, of some rows from all over the table. Only what is exactly a ``str`` is taken."""
    rows = frame.shape[0]  # type: ignore[attr-defined]
    every = slice(None, None, max(1, rows // SAMPLED_ROWS))
    if _module_name(type(frame)).startswith("polars"):
        values = frame.to_series(number)[every].to_list()  # type: ignore[attr-defined]
    else:
        values = list(frame.iloc[every, number].array)  # type: ignore[attr-defined]
    return [value for value in values if type(value) is str]


def _read_polars_frame(frame: object) -> dict[str, object]:
    rows, width = frame.shape  # type: ignore[attr-defined]
    schema = islice(frame.schema.items(), MAX_COLUMNS)  # type: ignore[attr-defined]
    columns = tuple(f"{_label(name)} {dtype_name(dtype)}" for name, dtype in schema)
    return {"summary": f"polars.DataFrame ({rows} × {width})", "columns": columns, "more_columns": width - len(columns)}


def _read_array(array: object) -> dict[str, object]:
    dtype: object = array.dtype  # type: ignore[attr-defined]
    shape = tuple(array.shape)  # type: ignore[attr-defined]
    return {"summary": f"{type_name(type(array))} {dtype_name(dtype)} {shape}"}


def _read_series(series: object) -> dict[str, object]:
    return {"summary": f"Series {dtype_name(series.dtype)} ({series.shape[0]})"}  # type: ignore[attr-defined]


def _read_sequence(items: Sequence[object] | set[object] | frozenset[object]) -> dict[str, object]:
    summary = f"{type_name(type(items))} ({len(items)})"
    kinds = _kinds(items)
    keys = _keys(items) if kinds == "dict" and type(items) is list else ()
    return {"summary": f"{summary} of {kinds}" if kinds else summary, "columns": keys}


def _keys(records: Sequence[object]) -> tuple[str, ...]:
    """The keys of a list of records as columns, by its first one; none where it is no record."""
    first = records[0] if records else None
    if type(first) is not dict or not 0 < len(first) <= MAX_COLUMNS or any(type(key) is not str for key in first):
        return ()
    return tuple(f"{_label(key)} {type_name(type(value))}" for key, value in list(first.items()))


def _read_dict(mapping: dict[object, object]) -> dict[str, object]:
    summary = f"dict ({len(mapping)})"
    keys, values = _kinds(mapping.keys()), _kinds(mapping.values())
    return {"summary": f"{summary} of {keys} to {values}" if keys else summary}


def _kinds(items: Iterable[object]) -> str:
    """The types of the first items, the commonest case being one."""
    for _ in range(3):
        try:
            names = list(dict.fromkeys(type_name(type(item)) for item in islice(items, SAMPLE)))
        except RuntimeError:  # the kernel changed the container meanwhile
            continue
        return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return ""


def _read_module(module: types.ModuleType) -> dict[str, object]:
    name = types.ModuleType.__getattribute__(module, "__dict__").get("__name__", "")
    return {"summary": f"module {name}" if type(name) is str else "module"}


def _read_function(function: types.FunctionType) -> dict[str, object]:
    return {"summary": f"function {signature_text(function)}"}


def _read_class(kind: type) -> dict[str, object]:
    start = type.__getattribute__(kind, "__dict__").get("__init__")
    known = type(start) is types.FunctionType
    return {"summary": f"class {signature_text(start, skip=1)}" if known else "class", "rank": _CALLABLE}


def signature_text(function: types.FunctionType, *, skip: int = 0) -> str:
    """``(x, y=2)``: the parameters of a Python function, from its code object; ``skip`` leaves out the first ones.

    Defaults are written out only where they are plain values, because writing others would call their ``repr``.
    """
    code = function.__code__
    names = list(code.co_varnames)
    positional, count = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    defaults = function.__defaults__ or ()
    parts = []
    for index, name in enumerate(names[:positional]):
        place = index - (positional - len(defaults))
        parts.append(name if place < 0 else f"{name}={_plain(defaults[place])}")
    parts = parts[skip:]
    rest = names[count:]
    if code.co_flags & 0x04:  # inspect.CO_VARARGS
        parts.append(f"*{rest.pop(0)}")
    elif code.co_kwonlyargcount:
        parts.append("*")
    keywords = function.__kwdefaults__ or {}
    parts += [f"{n}={_plain(keywords[n])}" if n in keywords else n for n in names[positional:count]]
    if code.co_flags & 0x08:  # inspect.CO_VARKEYWORDS
        parts.append(f"**{rest.pop(0)}")
    return f"({', '.join(parts)})"


def _plain(value: object) -> str:
    if not _is_plain(value):
        return "…"
    text = repr(value)
    return text if len(text) <= 40 else text[:38] + "…" + text[-1]


def _label(label: object) -> str:
    if type(label) is str:
        return " ".join(label.split()) if "\n" in label else label
    if type(label) is tuple:
        return "(" + ", ".join(map(_label, label)) + ")"
    return repr(label) if _is_plain(label) else type_name(type(label))


def table_kind(value: object) -> str:
    """``"DataFrame"``, ``"Series"`` or ``"ndarray"`` where the value is exactly one of the libraries' own, else empty."""
    kind = type(value)
    name = type_name(kind)
    return (
        name
        if name in ("DataFrame", "Series", "ndarray") and _is_plain_class(kind) and _reader(kind) is not None
        else ""
    )


def is_librarys(value: object) -> bool:
    """Whether the value's class says that it is NumPy's, pandas' or polars' own."""
    return _module_name(type(value)).split(".")[0] in {"numpy", "pandas", "polars"}


def knows_dtype(dtype: object) -> bool:
    """Whether the dtype is a known library's; those that C made do not say whose they are."""
    kind = dtype if isinstance(dtype, type) else type(dtype)  # polars' are classes
    return _module_name(kind).split(".")[0] in {"numpy", "pandas", "polars", "torch", ""}


def dtype_name(dtype: object) -> str:
    """A dtype's own name where its class is a known library's; else the class's name."""
    return str(dtype) if knows_dtype(dtype) else type_name(type(dtype))


_BUILTIN_READERS: dict[type, Reader] = {
    list: _read_sequence,
    tuple: _read_sequence,
    set: _read_sequence,
    frozenset: _read_sequence,
    dict: _read_dict,
    types.ModuleType: _read_module,
    types.FunctionType: _read_function,
}


_LIBRARY_READERS: dict[str, tuple[tuple[str, ...], Reader]] = {
    "DataFrame": (("pandas", "polars"), _read_frame),
    "Series": (("pandas", "polars"), _read_series),
    "ndarray": (("numpy",), _read_array),
    "Tensor": (("torch",), _read_array),
}
