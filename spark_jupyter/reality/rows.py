"""Rows of DataFrames in loops, and DataFrames in dicts."""

from __future__ import annotations

import functools
import keyword
import types
from collections import namedtuple

from spark_jupyter.reality import frame_columns
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Bound,
    Invocation,
    Live,
    Of,
    Unknown,
    Value,
    constant,
    either,
    options_of,
)
from spark_jupyter.reality.class_names import series_class
from spark_jupyter.reality.frame_columns import row_table
from spark_jupyter.reality.static_lookup import class_module

_FIELDS = 200
"""Of a wider table the named tuples are not followed."""


_HARMLESS = frozenset({"keys", "index", "count", "append", "extend", "insert", "reverse", "clear", "update"})
"""Methods of lists and dicts that hand out nothing of what is in them."""


def iterated(bound: Bound, call: Invocation) -> Value | None:
    """The result of ``frame.iterrows()``, ``frame.itertuples()``, ``frames.values()`` and ``frames.items()``; None for other calls,
    and where it can't be told. Any other method of a list or dict may hand out the DataFrames in it."""
    receiver, method = bound.receiver, bound.name
    if isinstance(receiver, Of) and (receiver.kind is dict or frame_columns.holds_tables(receiver)):
        given = _of_dict(receiver, method, call) if receiver.kind is dict else None
        if given is None and not frame_columns.holds_tables(receiver):
            return None
        if given is None and method not in _HARMLESS:
            frame_columns.let_go(receiver)
        return given
    frame = _pandas_frame(receiver)
    if method not in {"iterrows", "itertuples"} or frame is None or call.stars:
        return None
    if method == "iterrows":
        row = _row(frame)
        item: Value = UNKNOWN if row is None else Of(tuple, exact=True, items=(UNKNOWN, row))
    else:
        item = _named_row(frame, call)
    return None if isinstance(item, Unknown) else Of(types.GeneratorType, element=item)


def row_of(receiver: Value, call: Invocation) -> Value | None:
    """The row that ``frame.apply(f, axis=1)`` gives to ``f``."""
    frame = _pandas_frame(receiver)
    by_row = call.constant("axis", 1, 0) in (1, "columns") and "raw" not in call.keywords
    return _row(frame) if frame is not None and by_row else None


def _of_dict(owner: Of, method: str, call: Invocation) -> Value | None:
    """The result of ``frames.values()`` and ``frames.items()``; None for other methods, and for too many to follow."""
    if method in {"get", "pop"} and call.positional:
        return _taken(owner, method, call)
    one = owner.element or either(owner.items or ())
    if isinstance(one, Unknown) and not (method == "items" and frame_columns.pairs_of(owner)):
        return None
    if method == "values":
        return Of(type({}.values()), exact=True, element=one)
    if method == "items":
        pairs = frame_columns.pairs_of(owner) or {}
        items = tuple(Of(tuple, exact=True, items=(Live(key), value)) for key, value in pairs.items())
        element = Of(tuple, exact=True, items=(UNKNOWN, one))
        return Of(type({}.items()), exact=True, element=element, items=items or None)
    return None


def _taken(owner: Of, method: str, call: Invocation) -> Value | None:
    """The result of ``d.get("a")`` and ``d.pop("a")`` where the dict has the key."""
    found = (frame_columns.pairs_of(owner) or {}).get(constant(call.positional[0][1])) or owner.element
    if found is None or (owner.element is not None and method == "pop"):
        return None
    return either([found, *(value for _, value in call.positional[1:])])


def _pandas_frame(receiver: Value) -> Of | None:
    options = list(options_of(receiver))
    if (
        len(options) != 1
        or not frame_columns.is_frame(options[0].kind)
        or class_module(options[0].kind).startswith("polars")
    ):
        return None
    return options[0]


def _row(frame: Of) -> Value | None:
    series, table = series_class(frame.kind), frame.table
    if series is None or table is None or table.columns is None or table.has_tuples:
        return None
    return Of(series, table=row_table(table))


def _named_row(frame: Of, call: Invocation) -> Value:
    """The named tuple that pandas makes of the columns, made the same way."""
    name, index = call.constant("name", 1, "Pandas"), call.constant("index", 0, True)
    columns = frame.table.columns if frame.table is not None else None
    if columns is None or len(columns) > _FIELDS or type(name) is not str or index is NO_CONSTANT:
        return UNKNOWN
    fields = [column for column in columns if type(column) is str]
    if len(fields) < len(columns) or any(not f.isidentifier() or keyword.iskeyword(f) or f[0] == "_" for f in fields):
        return UNKNOWN  # some are renamed by their position
    return Of(_class_of(name, (*(["Index"] if index else []), *fields)), exact=True)


@functools.lru_cache(maxsize=32)
def _class_of(name: str, fields: tuple[str, ...]) -> type:
    return namedtuple(name if name.isidentifier() else "Pandas", fields, rename=True)
