"""Results of Series methods.

Source of the rules: the docstrings of pandas' Series, and its user guide, "Working with text data".
"""

from __future__ import annotations

import re

from spark_jupyter.reality import column_values, constant_texts, frame_columns
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    SCALAR,
    UNKNOWN,
    Invocation,
    Of,
    Table,
    Unknown,
    Value,
    constant,
    constants,
    either,
)
from spark_jupyter.reality.class_names import frame_class, series_class
from spark_jupyter.reality.static_lookup import class_module, class_name

_ALIKE = frozenset(
    "abs round fillna astype shift diff cumsum cumprod cummax cummin rank clip replace where mask sort_values sort_index head tail "
    "dropna drop_duplicates isna notna isnull notnull isin between copy map ffill bfill interpolate pct_change add sub mul div truediv "
    "floordiv mod pow radd rsub rmul rdiv eq ne lt le gt ge combine_first infer_objects convert_dtypes nlargest nsmallest sample "
    "truncate take duplicated mode".split()
)
"""Methods that give a Series of the same name."""
_ROWS = frozenset("head tail dropna drop_duplicates copy sort_values sort_index nlargest nsmallest sample".split())
"""Those of which the values are the same."""
_REDUCING = frozenset("sum mean min max median std var prod sem skew kurt any all idxmin idxmax item".split())
_TEXT_TABLES = frozenset({"extractall", "partition", "rpartition"})
_TEXT_EITHER = frozenset({"split", "rsplit", "extract"})


def is_plain(kind: type) -> bool:
    """True for pandas' Series."""
    return frame_columns.is_series(kind) and class_module(kind).startswith("pandas")


def table_of(series: Of) -> Table:
    """The table of a Series: its name and index, as far as known."""
    return series.table if series.table is not None else Table(None, levels=None)


def value_of(series: Of, method: str, call: Invocation) -> Value | None:
    """The result of a method; None where pandas' own annotations suffice."""
    table = table_of(series)
    if method in _ALIKE:
        alike = table.copy()
        if method in _ROWS:
            alike.holding(table).held = table.held
        if method == "map":
            alike.columns, alike.held = None, column_values.of_mapped(call)
        return Of(series.kind, table=alike)
    if method == "to_frame":
        name = call.constant("name", 0, table.name)
        made = Table(None if name is NO_CONSTANT else [0 if name is None else name], levels=table.levels)
        labels = tuple(table.columns or ())
        made.rows = labels if labels and all(type(label) is str for label in labels) else None
        return Of(frame_class(), table=made)
    if method == "reset_index":
        return _without_index(series, table, call)
    if method == "value_counts":
        name = "proportion" if "normalize" in call.keywords else "count"
        known = table.name is not NO_CONSTANT and "bins" not in call.keywords
        counts = Table(table.values() if known else None, levels=(table.name,) if known else None, name=name)
        return Of(series.kind, table=counts)
    if method in {"rename", "rename_axis"}:
        return _renamed(series, table, method, call)
    if method == "unstack":
        return Of(frame_class(), table=column_values.unstacked(table, call))
    if method == "describe":
        return Of(series.kind, table=Table(described(call), levels=(), name=table.name))
    if method == "apply":
        return either([Of(series.kind), Of(frame_class())])
    if method in _REDUCING:
        return SCALAR
    return None


_DESCRIBED = "count mean std min max unique top freq first last".split()


def described(call: Invocation) -> list[object] | None:
    """Labels of ``describe()`` for numbers, texts and dates."""
    return None if call.positional or call.keywords or call.stars else [*_DESCRIBED, "25%", "50%", "75%"]


def of_text(accessor: Of, method: str, call: Invocation) -> Value | None:
    """The result of a method of ``series.str``."""
    series, frame = series_class(frame_class()), frame_class()
    if accessor.table is None or series is None or class_name(accessor.kind) != "StringMethods":
        return None
    if accessor.table.of_labels:
        return constant_texts.of_index_text(accessor, method, call)
    if method == "extract" and call.constant("expand", None, True) is True:
        return Of(frame, table=_of_pattern(call, accessor.table))
    if method == "get_dummies":
        return Of(frame, table=column_values.split_dummies(accessor.table, call))
    if method in _TEXT_TABLES:
        return Of(frame, table=Table(None, levels=None))
    if method in _TEXT_EITHER:
        expands = call.constant("expand", None, method == "extract")
        if type(expands) is not bool:
            return either([Of(series), Of(frame)])
        if not expands and method == "extract":
            return either([Of(series), Of(frame)])
        return Of(frame) if expands else Of(series, table=accessor.table.copy())
    return UNKNOWN if method == "cat" else Of(series, table=accessor.table.copy())


def _of_pattern(call: Invocation, table: Table) -> Table:
    """A column for each group of a pattern, called as the pattern calls it, else by its number."""
    pattern = call.constant("pat", 0)
    try:
        groups = re.compile(pattern) if type(pattern) is str and len(pattern) < _PATTERN else None
    except re.error:
        groups = None
    return Table(None if groups is None else [*groups.groupindex, *range(groups.groups)], levels=table.levels)


_PATTERN = 500
"""Longer patterns are not compiled."""


def _without_index(series: Of, table: Table, call: Invocation) -> Value:
    drop = call.constant("drop", 1, False)
    if drop is True:
        return Of(series.kind, table=Table(None, levels=(), name=table.name))
    if drop is not False:
        return either([Of(series.kind), Of(frame_class())])
    name = call.constant("name", None, table.name)
    if name is NO_CONSTANT or table.levels is None or call.stars or "level" in call.keywords or call.positional:
        return Of(frame_class())
    more = [f"level_{n}" for n in range(6)]
    named = [level for level in table.levels if level is not None]
    return Of(frame_class(), table=Table([*named, "index", *more, 0 if name is None else name], levels=()))


def _renamed(series: Of, table: Table, method: str, call: Invocation) -> Value | None:
    given = call.argument("index" if method == "rename" else "mapper", 0)
    if given is None:
        return Of(series.kind)
    result = table.copy()
    name = constant(given[1])
    if method == "rename_axis":
        names = constants(given[1])
        result.levels = None if names is None or NO_CONSTANT in names else names
    elif type(name) is str:
        result.name = name
    elif isinstance(given[1], Unknown):
        result.name = NO_CONSTANT
    result.columns = None
    return Of(series.kind, table=result)
