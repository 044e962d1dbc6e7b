"""Results of grouped, resampled and rolling data.

pandas' annotations say ``Series | DataFrame`` or nothing at all here. Source of the rules: pandas' user guide, "Group by: split-apply-
combine", and the docstrings of DataFrameGroupBy, SeriesGroupBy, Resampler and Rolling.
"""

from __future__ import annotations

from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    constant,
    constants,
    either,
)
from spark_jupyter.reality.class_names import frame_class, series_class, sibling
from spark_jupyter.reality.operators import is_single
from spark_jupyter.reality.series_results import described
from spark_jupyter.reality.source_definitions import Written
from spark_jupyter.reality.static_lookup import class_module, class_name

_REDUCED = frozenset(
    "sum mean min max median std var prod first last sem skew kurt nunique count quantile any all idxmin idxmax ohlc".split()
)
"""One row for each group."""
_KEPT = frozenset("head tail nth filter sample".split())
"""Rows as they were, with all columns."""
_LIKE_BEFORE = frozenset("cumsum cumprod cummax cummin rank shift diff pct_change ffill bfill fillna transform".split())
"""As many rows as before, with the columns that are not keys."""
_WINDOWS = frozenset(
    "Rolling Expanding ExponentialMovingWindow Window RollingGroupby ExpandingGroupby ExponentialMovingWindowGroupby".split()
)


def is_of_groups(kind: type) -> bool:
    """True for pandas' classes of data in groups or windows."""
    name = class_name(kind)
    known = name in _WINDOWS or name in {"Resampler", "DataFrameGroupBy", "SeriesGroupBy"}
    return known and class_module(kind).startswith("pandas")


def groups_of(owner: Of, kind: type, method: str, call: Invocation) -> Of:
    """The result of ``groupby``, ``resample`` and ``rolling`` of a Series, a DataFrame or groups."""
    known = owner.table or Table(None, levels=None)
    table = known.copy().holding(known)
    table.of_series = table.of_series or class_name(owner.kind) in {"Series", "SeriesGroupBy"}
    within = owner.table.keys if owner.table is not None and is_of_groups(owner.kind) else ()
    if method == "groupby":
        table.keys = _keys(call)
        table.as_index = call.constant("as_index", None, True) is True
    elif method == "resample":
        on = call.constant("on", None, None)
        own = (on,) if type(on) is str else table.levels if on is None else None
        table.keys = (*within, *own) if within is not None and own is not None else None
    elif is_of_groups(owner.kind):  # windows in groups: their keys come before the index
        table.levels = None
    return Of(kind, exact=owner.exact, table=table)


def _keys(call: Invocation) -> tuple[object, ...] | None:
    """The names of the groups' keys; None where they can't be seen."""
    given = call.argument("by", 0) or call.argument("level", 1)
    names = constants(given[1]) if given is not None else None
    if names is None or not all(type(name) is str for name in names) or call.stars:
        return None
    return names


def column_of(groups: Of, name: object) -> Value:
    """``groups[name]``, for one column."""
    known = groups.table or Table(None, levels=None)
    table = known.copy().holding(known)
    table.columns, table.name, table.of_series = None, name, True
    one = sibling(groups.kind, "SeriesGroupBy") if class_name(groups.kind) == "DataFrameGroupBy" else groups.kind
    return Of(one, table=table) if one is not None else UNKNOWN


def columns_of(groups: Of, names: tuple[object, ...] | None) -> Value:
    """``groups[[…]]``, for several."""
    known = groups.table or Table(None, levels=None)
    table = known.copy().holding(known)
    if names is not None and table.columns is not None and NO_CONSTANT not in names:
        kept = table.copy().holding(table)
        kept.columns, kept.picked = dict.fromkeys([*names, *(table.keys or ())]), names
        table = kept
    return Of(groups.kind, table=table)


def value_of(groups: Of, method: str, call: Invocation) -> Value | None:
    """The result of a method; None where pandas' own annotations suffice."""
    frame, series = frame_class(), series_class(frame_class())
    if series is None:
        return None
    table = groups.table or Table(None, levels=None)
    of_series = table.of_series or class_name(groups.kind) == "SeriesGroupBy"
    windows = class_name(groups.kind) in _WINDOWS
    if method in {"agg", "aggregate"}:
        return _aggregated(table, call, of_series=of_series, windows=windows)
    if method in {"size", "ngroup", "cumcount", "value_counts"}:
        return _counted(table, method, of_series=of_series)
    if method == "describe":
        return Of(frame, table=_described(table, call, of_series=of_series))
    if method == "apply" and not windows:
        return either([Of(series), Of(frame)])
    rows = method in _KEPT or method in _LIKE_BEFORE or windows
    if not rows and method not in _REDUCED:
        return None
    if of_series and rows:
        return Of(series, table=Table(None, levels=table.levels, name=table.name))
    if of_series and table.as_index:
        return Of(series, table=_by_key(table, table.name))
    if rows:
        return Of(frame, table=_with_keys_in_index(table) if windows else table.plain())
    return Of(frame, table=_keyed(table, [table.name] if of_series else _without_keys(table)))


def _by_key(table: Table, name: object) -> Table:
    """A Series with one value for each group: its labels are what the key holds."""
    keys = table.keys
    labels = table.values_of(keys[0]) if keys is not None and len(keys) == 1 else None
    return Table(labels, levels=keys, name=name).holding(table)


def _described(table: Table, call: Invocation, *, of_series: bool) -> Table | None:
    said = described(call)
    if said is None or of_series:
        return _keyed(table, said)
    columns = _without_keys(table)
    return (
        None if columns is None else _keyed(table, [*columns, *((column, one) for column in columns for one in said)])
    )


def applied(groups: Of, given: Value) -> Value | None:
    """The result of ``groups.apply(f)`` where ``f`` gives a Series of known labels (a column each), a DataFrame, or one value."""
    if is_single(given):
        return applied_to_one(groups, given)
    if not isinstance(given, Of) or given.table is None or groups.table is None or given.table.columns is None:
        return None
    labels = list(given.table.columns)
    if class_name(given.kind) == "Series" and labels and all(type(label) is str for label in labels):
        return Of(frame_class(), table=_keyed(groups.table, labels))
    whole = class_name(given.kind) == "DataFrame" and groups.table.as_index and not given.table.has_tuples
    return Of(frame_class(), table=Table(labels, levels=None)) if whole else None


def applied_to_one(groups: Of, given: Value) -> Value | None:
    """The same where ``f`` gives one thing for each group: a Series of them."""
    series, table = series_class(frame_class()), groups.table
    if series is None or table is None or not table.as_index or not is_single(given):
        return None
    return Of(series, table=_by_key(table, table.name if table.of_series else None))


def _without_keys(table: Table) -> list[object] | None:
    if table.columns is None or table.keys is None:
        return None if table.columns is None else list(table.columns)
    return [column for column in table.columns if column not in table.keys]


def _keyed(table: Table, columns: list[object] | None) -> Table:
    """A table with one row for each group: the keys are its index, or columns of it."""
    if columns is None or NO_CONSTANT in columns:
        return Table(None, levels=None)
    if table.keys is None:
        # the keys are something else than names of columns: what they are called can't be seen
        return Table(columns, levels=None) if table.as_index else Table(None, levels=None)
    if table.as_index:
        return Table(columns, levels=table.keys, one_level=len(table.keys) == 1).holding(table, but=columns)
    return Table([*table.keys, *columns], levels=(), one_level=True).holding(table, but=columns)


def _with_keys_in_index(table: Table) -> Table:
    result = table.plain()
    result.levels = None
    return result


def _counted(table: Table, method: str, *, of_series: bool) -> Value | None:
    frame, series = frame_class(), series_class(frame_class())
    if series is None:
        return None
    if method in {"ngroup", "cumcount"}:
        return Of(series)
    if method == "value_counts":
        keys = (*table.keys, table.name) if of_series and table.keys is not None else None
        named = keys is not None and NO_CONSTANT not in keys
        counts = Table(None, levels=keys if named else None, name="count" if named else NO_CONSTANT).holding(table)
        return Of(series, table=counts) if table.as_index else either([Of(series), Of(frame)])
    if table.as_index:
        return Of(series, table=_by_key(table, table.name if of_series else None))
    return Of(frame, table=_keyed(table, ["size"]))


def _aggregated(table: Table, call: Invocation, *, of_series: bool, windows: bool) -> Value | None:
    """``agg`` by a name, a function, a list, a dict or by named pairs."""
    frame, series = frame_class(), series_class(frame_class())
    given = call.argument("func", 0)
    if series is None or call.stars:
        return UNKNOWN
    if windows:
        table = _with_keys_in_index(table)
        table.keys = None
    if given is None:
        named = [name for name in call.keywords if name not in {"engine", "engine_kwargs"}]
        return Of(frame, table=_keyed(table, list(named))) if named else UNKNOWN
    value = given[1]
    if isinstance(value, Of) and value.kind is dict:
        return UNKNOWN if of_series else Of(frame, table=_keyed(table, _by_dict(value)))
    if isinstance(value, Of) and value.kind in (list, tuple):
        names = [_name_of(item) for item in value.items or (UNKNOWN,)]
        if of_series:
            return Of(frame, table=_keyed(table, names))
        columns = _without_keys(table)
        pairs = None if columns is None or NO_CONSTANT in names else [(c, n) for c in columns for n in names]
        return Of(frame, table=_keyed(table, None if pairs is None else [*(columns or ()), *pairs]))
    if not (type(constant(value)) is str or isinstance(value, Written | Live)):
        return UNKNOWN
    if of_series and table.as_index:
        return Of(series, table=_by_key(table, table.name))
    return Of(frame, table=_keyed(table, [table.name] if of_series else _without_keys(table)))


def _by_dict(value: Of) -> list[object] | None:
    """The columns of ``agg({"a": "sum", "b": ["min", "max"]})``: of two levels where a list is given."""
    if value.keys is None or value.items is None or NO_CONSTANT in value.keys:
        return None
    columns: list[object] = []
    deep = any(isinstance(item, Of) and item.kind in (list, tuple) for item in value.items)
    for key, item in zip(value.keys, value.items, strict=True):
        columns.append(key)
        if deep and type(constant(item)) is str:
            columns.append((key, constant(item)))
        elif deep and not (isinstance(item, Of) and item.kind in (list, tuple)):
            columns.append((key, _name_of(item)))
        if isinstance(item, Of) and item.kind in (list, tuple):
            names = [_name_of(one) for one in item.items or (UNKNOWN,)]
            if NO_CONSTANT in names:
                return None
            columns += [(key, name) for name in names]
    return columns


def _name_of(function: Value) -> object:
    """The name of a column that a function makes in a list of functions."""
    name = constant(function)
    if type(name) is str:
        return name
    if isinstance(function, Written) and function.name != "<lambda>":
        return function.name
    return NO_CONSTANT
