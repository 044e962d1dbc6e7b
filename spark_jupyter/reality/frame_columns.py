"""Columns of DataFrames and their changes."""

from __future__ import annotations

import types
from io import StringIO
from itertools import islice
from typing import Any

from spark_jupyter.frames import frame_kinds, frame_methods
from spark_jupyter.reality import subplots
from spark_jupyter.reality.abstract_values import (
    MAX_COLUMNS,
    NO_CONSTANT,
    UNKNOWN,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    alternatives,
    either,
    options_of,
)
from spark_jupyter.reality.class_names import is_bunch, numpy_class, series_class
from spark_jupyter.reality.distinct_texts import of_live
from spark_jupyter.reality.private_texts import is_private
from spark_jupyter.reality.source_definitions import Instance
from spark_jupyter.reality.static_lookup import class_module, class_name, is_plain_class, is_trusted, loaded, root


def is_frame(kind: type) -> bool:
    """True for pandas' and polars' own DataFrame classes."""
    return class_name(kind) == "DataFrame" and _is_own(kind)


def is_relation(kind: type) -> bool:
    """True for DuckDB's class of query results, whose columns are attributes."""
    return class_name(kind) == "DuckDBPyRelation"


def is_series(kind: type) -> bool:
    """True for pandas' and polars' own Series classes."""
    return class_name(kind) == "Series" and _is_own(kind)


def is_grouped(kind: type) -> bool:
    """True for pandas' class of a grouped DataFrame."""
    return class_name(kind) in {"DataFrameGroupBy", "DataFrameGroupByResampler"}


def is_lazy(kind: type) -> bool:
    """True for lazy and distributed frames but polars' own (:mod:`spark_jupyter.reality.lazy_frames`)."""
    return root(class_module(kind)) in frame_methods.DIALECTS and frame_kinds.kind_of(kind) is not None


def _is_own(kind: type) -> bool:
    return any(loaded(library, class_name(kind)) is kind for library in ("pandas", "polars"))


def _lazy_table(row: frame_kinds.FrameKind, frame: object) -> Table:
    """The columns of a lazy frame in the kernel; its levels are the columns that filters and sorts may name as well."""
    try:
        schema = row.schema(frame)
        known = None if schema is None else list(islice(schema, MAX_COLUMNS + 1))
        types = {name: str(kind) for name, kind in known or ()}
        table = Table(None if known is None else types, levels=row.hidden(frame))
        table.types = types if table.columns is not None and known and len(types) == len(known) else None
        return table
    except Exception:  # a connection that is gone, a file that is not there
        return Table(None, levels=None)


def live_table(frame: object) -> Table:
    """The columns of a frame in the kernel, whose class is exactly a library's."""
    row = frame_kinds.kind_of(type(frame))
    if row is not None:
        return _lazy_table(row, frame)
    try:
        labels = [label for label in islice(frame.columns, MAX_COLUMNS + 1) if is_plain_label(label)]  # type: ignore[attr-defined]
        if len(labels) != frame.shape[1]:  # type: ignore[attr-defined]
            return Table(None, levels=None)
        if class_module(type(frame)).startswith("polars"):
            return Table(labels)
        first = [label[0] for label in labels if type(label) is tuple and label]
        levels = [name for name in getattr(getattr(frame, "index", None), "names", ()) if is_plain_label(name)]
        table = Table([*labels, *first], levels=levels, one_level=getattr(frame.index, "nlevels", 0) == 1)  # type: ignore[attr-defined]
        table.holds |= of_live(frame, labels)
        table.axis_name = getattr(frame.columns, "name", None)  # type: ignore[attr-defined]
        return table
    except Exception:  # a half-built DataFrame; nothing is known of it then
        return Table(None, levels=None)


def is_plain_label(label: object) -> bool:
    """True if a label is a plain constant, or a tuple of them."""
    kind = type(label)
    return any(kind is one for one in (str, int, float, bool, type(None))) or (
        type(label) is tuple and all(map(is_plain_label, label))
    )


def column_of(frame: Of, name: object) -> Value:
    """``frame[name]``: a Series; where ``name`` or the columns can't be seen it may also be several columns of that name."""
    series = series_class(frame.kind)
    table = frame.table
    if series is None:
        return UNKNOWN
    below = (
        [column[1] for column in table.columns or () if type(column) is tuple and column[0] == name] if table else []
    )
    if table is not None and below:
        known = None if NO_CONSTANT in below else below
        return Of(frame.kind, table=Table(known, levels=table.levels))
    if table is not None and table.columns is not None and not table.has_tuples and type(name) is str:
        column = Table(None, levels=table.levels, name=name).holding(table)
        column.held = table.holds.get(name)
        return Of(series, table=column)
    return either([Of(series), Of(frame.kind)])


def row_labels(table: Table) -> tuple[object, ...] | None:
    """All labels that the rows of a DataFrame may have: those that it was made with, or what the one level of its index holds. None:
    any, also where some are no texts, as numbers count rows."""
    rows = table.rows
    if rows is None and table.one_level and table.levels is not None and len(table.levels) == 1:
        rows = table.values_of(table.levels[0]) if table.levels[0] is not None else None
    return rows if rows and all(type(label) is str for label in rows) else None


def may_add_row(table: Table, label: object) -> None:
    """``frame.loc[label] = …``: there may be a row of this label from now on, of any where it is no plain text."""
    table.rows = (*table.rows, label) if table.rows is not None and type(label) is str else None
    for level in table.levels or ():
        table.holds.pop(level, None)


def row_table(table: Table) -> Table:
    """The labels of a row; its name is the row's own label, which can't be seen."""
    return Table(table.columns, levels=None, name=NO_CONSTANT)


def first_table(value: Value) -> Table | None:
    """The table of a value that is a DataFrame for certain."""
    options = alternatives(value)
    if len(options) == 1 and isinstance(options[0], Of):
        kind = options[0].kind
        return options[0].table if is_frame(kind) or kind is frame_kinds.loaded_class("polars", "LazyFrame") else None
    return None


CONTAINER_ITEMS = 50
"""Of a longer list or dict in the kernel the DataFrames are not followed."""
CONTAINER_DEPTH = 4
CONTAINER_LEFT = 2000
"""Things in lists and dicts in lists and dicts of one variable that are looked at."""
Tables = dict[int, tuple[object, Of]]
"""The live DataFrames that were met, by their id (they are kept, so that it stays theirs): one value for each, whichever way it
is reached, as its table may change."""


def pairs_of(value: Value) -> dict[object, Value] | None:
    """The items of a dict of which all are known."""
    if not isinstance(value, Of) or not issubclass(value.kind, dict) or value.keys is None or value.items is None:
        return None
    return dict(zip(value.keys, value.items, strict=True)) if all(map(is_plain_label, value.keys)) else None


def live_value(
    thing: object, met: Tables | None = None, depth: int = 0, left: list[int] | None = None, *, name: str = ""
) -> Value:
    """The abstract value of what is called so in the kernel. ``left``: how much more of its contents may be looked at."""
    kind = type(thing)
    if is_private(name, thing):
        return Of(kind, exact=True)
    if not is_plain_class(kind) or (issubclass(kind, type) and not is_plain_class(thing)):  # type: ignore[arg-type]
        return UNKNOWN
    if is_frame(kind) or frame_kinds.kind_of(kind) is not None:
        known = met.get(id(thing)) if met is not None else None
        frame = known[1] if known is not None else Of(kind, exact=True, table=live_table(thing))
        if met is not None:
            met[id(thing)] = (thing, frame)
        return frame
    if kind in (list, tuple, dict) and met is not None:
        return _container(thing, met, depth, left if left is not None else [CONTAINER_LEFT])
    if met is not None and (is_bunch(kind) or class_name(kind) == "Pipeline"):
        return _of_parts(thing, met, depth)
    if is_series(kind) and met is not None:
        met[id(thing)] = (thing, Of(kind, exact=True, table=_future_column(thing)))
    if kind is numpy_class("ndarray") and thing.dtype.hasobject:  # type: ignore[attr-defined]
        return _objects(thing)
    if is_series(kind) or kind is numpy_class("ndarray") or kind in (list, dict, set, tuple, frozenset, bytearray):
        return Of(kind, exact=True)
    return Live(thing)


def _of_parts(thing: Any, met: Tables, depth: int) -> Value:
    """A pipeline of scikit-learn's with its steps, or a result that is a dict with what it holds."""
    if id(thing) in met:
        return met[id(thing)][1]
    kind = type(thing)
    try:
        pairs = list(dict.items(thing)) if is_bunch(kind) else _steps(thing)
    except Exception:  # half-built, or changed just now
        return Live(thing)
    if (
        not 0 < len(pairs) <= CONTAINER_ITEMS
        or depth >= CONTAINER_DEPTH
        or any(type(name) is not str for name, _ in pairs)
    ):
        return Live(thing)
    known = Of(kind, exact=True, keys=tuple(name for name, _ in pairs), items=(UNKNOWN,) * len(pairs))
    met[id(thing)] = (thing, known)
    known.items = tuple(live_value(part, met, depth + 1) for _, part in pairs)
    return known


def _steps(pipeline: Any) -> list[tuple[object, object]]:
    """The steps of a pipeline that has nothing of its own but what it was made with and what fitting sets."""
    own = {name for name in vars(pipeline) if not name.startswith("_") and not name.endswith("_")}
    plain = is_trusted(type(pipeline)) and own <= {"steps", "transform_input", "memory", "verbose"}
    return [(name, step) for name, step in pipeline.steps] if plain else []


def _objects(array: Any) -> Value:
    """An array of objects in the kernel: what ``plt.subplots`` gives, where they are all of one class."""
    kinds = {type(item) for item in islice(array.flat, CONTAINER_ITEMS + 1)} if array.size <= CONTAINER_ITEMS else set()
    (kind,) = kinds if len(kinds) == 1 else (object,)
    value: Value = (
        Of(kind, exact=True) if is_plain_class(kind) and root(class_module(kind)) == "matplotlib" else UNKNOWN
    )
    for _ in range(array.ndim):
        value = subplots.array_of(value)
    return value


def _future_column(series: object) -> Table:
    """The column that a Series in the kernel becomes where tables are made of it."""
    try:
        return Table([series.name])  # type: ignore[attr-defined]
    except Exception:  # half-built
        return Table(None)


def _container(thing: object, met: Tables, depth: int, left: list[int]) -> Of:
    """A list or dict in the kernel, with what is in it where that is DataFrames."""
    assert isinstance(thing, list | tuple | dict)
    nothing = Of(type(thing), exact=True)
    left[0] -= len(thing)
    if not 0 < len(thing) <= CONTAINER_ITEMS or depth >= CONTAINER_DEPTH or left[0] < 0:
        return nothing
    try:
        keys = tuple(thing) if isinstance(thing, dict) else None
        values = list(thing.values()) if isinstance(thing, dict) else list(thing)
    except RuntimeError:  # the kernel changed it just now
        return nothing
    if keys is not None and not all(map(is_plain_label, keys)):
        return nothing
    items = tuple(_item(value, met, depth, left) for value in values)
    found = Of(type(thing), exact=True, items=items, keys=keys)
    if holds_tables(found) or kind_of_keys(found):
        return found
    return Of(list, exact=True, element=_alike(items)) if keys is None and type(thing) is list else nothing


def _item(value: object, met: Tables, depth: int, left: list[int]) -> Value:
    if type(value) is str:
        return Of(str, exact=True)
    if type(value) is types.FunctionType:
        return Live(value)
    if is_frame(type(value)) or type(value) in (list, tuple, dict):
        return live_value(value, met, depth + 1, left)
    if is_series(type(value)):
        live_value(value, met)  # nothing more is known of it here
    return UNKNOWN


def alike(one: Value, other: Value) -> Value:
    """One value for what may be either; of two dicts one with the keys of both."""
    if isinstance(one, Of) and isinstance(other, Of) and kind_of_keys(one) and kind_of_keys(other):
        return _alike((one, other))
    return either([one, other])


def _alike(values: tuple[Value, ...]) -> Value:
    """One value for all items of a list: of dicts one with the keys of all, so that what is not among them is missing in each."""
    if values and all(isinstance(value, Live) for value in values):
        return either(values)
    parts = [value for value in values if isinstance(value, Of)]
    if len(parts) < len(values) or not parts:
        return UNKNOWN
    if all(part.kind is str for part in parts):
        return parts[0]
    if all(part.kind is list and part.exact for part in parts):
        elements = [part.element for part in parts if part.element is not None]
        return Of(list, exact=True, element=_alike(tuple(elements)) if len(elements) == len(parts) else None)
    if not all(kind_of_keys(part) for part in parts):
        return UNKNOWN
    found: dict[object, list[Value]] = {}
    for part in parts:
        for key, value in (pairs_of(part) or {}).items():
            found.setdefault(key, []).append(value)
    return Of(dict, exact=True, items=tuple(_alike(tuple(each)) for each in found.values()), keys=tuple(found))


def kind_of_keys(value: Of) -> bool:
    """True for a dict whose keys are names, so that a name that is not among them is a mistake."""
    return value.kind is dict and value.keys is not None and all(type(key) is str for key in value.keys)


def holds_tables(value: Value) -> bool:
    """True if there are DataFrames in this list or dict."""
    return isinstance(value, Of) and any(
        isinstance(item, Of) and (item.table is not None or holds_tables(item))
        for item in (*(value.items or ()), *(alternatives(value.element) if value.element is not None else ()))
    )


def let_go(value: Value) -> None:
    """The DataFrames in this list or dict may be changed where it can't be followed: any column may be there."""
    for option in options_of(value):
        if option.kind is StringIO:
            option.forget_items()  # it may have been read of
        for item in (*(option.items or ()), *([option.element] if option.element is not None else [])):
            for one in options_of(item):
                if one.table is not None:
                    one.table.forget()
                elif one is not option:
                    let_go(one)


def may_change(call: Invocation) -> None:
    """An unknown function may add columns to a DataFrame and items to a list that it is given."""
    for _, value in [*call.positional, *call.keywords.values()]:
        let_go(value)
        for one in alternatives(value):
            if isinstance(one, Instance):
                one.forget()
        for option in options_of(value):
            if option.table is not None:
                option.table.forget()
            if option.kind in (list, dict, set):
                option.forget_items()


def grows(value: Value) -> None:
    """``value += …``, ``value |= …``: a list or dict is changed in place."""
    for option in options_of(value):
        if option.kind in (list, dict, set):
            let_go(option)
            option.forget_items()
