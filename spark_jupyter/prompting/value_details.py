"""Details of one value, for a prompt that points at it.

As in :mod:`spark_jupyter.prompting.kernel_context` no code of the user's runs: values of other classes than Python's, NumPy's, pandas' and
polars' own are named by their class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

from spark_jupyter.class_identity import class_name, is_one_of
from spark_jupyter.prompting import kernel_context, variables

SAMPLE_ROWS = 5
"""Rows of a table that are shown."""
SAMPLE_VALUES = 12
"""Values of a column, items of a container."""
LOOKED_AT = 100_000
"""Rows that are counted through for missing values."""

_SHORT = 60
_TEXT = 600
"""Characters of a text that a prompt points at."""
_OWN = (str, int, float, bool, complex, bytes, type(None), date, datetime, time, timedelta)


def describe(name: str, value: object, *, label: str = "") -> str | None:
    """``value`` in a few lines; with ``label``, that column of it. None where it has no such column."""
    kind = variables.table_kind(value)
    value = variables.without_attrs(value) if kind in ("DataFrame", "Series") else value
    if label:
        return _column(f"{name}[{label!r}]", value, label) if kind == "DataFrame" else None
    line = variables.variable(name, value).line(columns=0)
    if kind == "DataFrame":
        return "\n".join([line, *_columns(value)])
    if kind == "Series":
        return f"{line}: {_values(value, SAMPLE_VALUES)}"
    if kind == "ndarray":
        return f"{line}: {_array_values(value)}".removesuffix(": ")
    return "\n".join([line, *_items(value)])


def _columns(frame: Any) -> list[str]:
    labels = list(frame.columns)[: variables.MAX_COLUMNS]
    lines = [f"  {_shown(label)} {_series_line(_at(frame, place), SAMPLE_ROWS)}" for place, label in enumerate(labels)]
    more = frame.shape[1] - len(labels)
    return [*lines, f"  … {more} more columns"] if more > 0 else lines


def _column(name: str, frame: Any, label: str) -> str | None:
    places = [place for place, one in enumerate(frame.columns) if type(one) is str and one == label]
    return f"{name}: {_series_line(_at(frame, places[0]), SAMPLE_VALUES)}" if places else None


def _at(frame: Any, place: int) -> Any:
    return frame.iloc[:, place] if hasattr(frame, "iloc") else frame.to_series(place)


def _series_line(series: Any, count: int) -> str:
    """The dtype, the first values, how many are missing."""
    dtype = variables.dtype_name(series.dtype)
    return f"{dtype}: {_values(series, count)}" if variables.knows_dtype(series.dtype) else dtype


def _values(series: Any, count: int) -> str:
    if not variables.knows_dtype(series.dtype):
        return "…"
    head = series.head(count)
    text = _listed(head.tolist() if hasattr(head, "tolist") else head.to_list())
    text += ", …" if series.shape[0] > count else ""
    looked = series.head(LOOKED_AT)
    missing = int(looked.isna().sum()) if hasattr(looked, "isna") else int(looked.null_count())
    among = "" if series.shape[0] <= LOOKED_AT else f" of the first {LOOKED_AT:,}"
    return f"{text}; {missing:,} missing{among}" if missing else text


def _array_values(array: Any) -> str:
    if array.dtype.kind not in "biufcMm" or not array.size:
        return ""
    values = _listed(array.flat[:SAMPLE_VALUES].tolist())
    return f"{values}, …" if array.size > SAMPLE_VALUES else values


def _items(value: object) -> list[str]:
    """List the content of a plain container or a text."""
    kind = type(value)
    if kind is dict:
        pairs = list(value.items())[:SAMPLE_VALUES]  # type: ignore[attr-defined]  # a dict
        return [f"  {_shown(key)}: {_shown(item)}" for key, item in pairs]
    if kind is list or kind is tuple:
        return [f"  {_listed(value[:SAMPLE_VALUES])}"] if value else []  # type: ignore[index]  # a sequence
    return [f"  {_shown(value, _TEXT)}"] if is_one_of(kind, _OWN) else []


def _listed(items: Iterable[object]) -> str:
    return ", ".join(map(_shown, items))


def _shown(value: object, most: int = _SHORT) -> str:
    """A plain value as it is written, short; any other by its class."""
    if is_one_of(type(value), _OWN):
        text = repr(value) if not isinstance(value, (date, time, timedelta)) else str(value)
    elif variables.is_librarys(value):
        text = str(value)
    elif type(value) is tuple:
        text = f"({_listed(value[:SAMPLE_VALUES])})"
    else:
        text = class_name(type(value))
    return text if len(text) <= most else text[: most - 1] + "…"


def tables(namespace: Mapping[str, object]) -> dict[str, frozenset[str]]:
    """The tables of a kernel by their names, each with its columns."""
    known = ((name, columns(value)) for name, value in tuple(namespace.items()) if not name.startswith("_"))
    return {name: frozenset(labels) for name, labels in known if labels}


def columns(value: object) -> list[str]:
    """The names of a table's columns; none where the value is no table."""
    if variables.table_kind(value) != "DataFrame":
        return []
    return [label for label in value.columns if type(label) is str]  # type: ignore[attr-defined]  # a table


def names(namespace: Mapping[str, object]) -> tuple[list[str], list[str]]:
    """The user's names: of values, tables before others; of functions and classes, and then of modules. The youngest first."""
    known = sorted(
        kernel_context.gather(namespace, time_cap=0.0).variables, key=lambda variable: (variable.rank, variable.age)
    )
    return [one.name for one in known if one.rank < variables.CALLABLE], [
        one.name for one in known if one.rank >= variables.CALLABLE
    ]
