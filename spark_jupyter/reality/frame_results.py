"""Columns of new DataFrames and of method results."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Callable
from functools import partial

from spark_jupyter.reality import column_values, reshaping
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    Bound,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    constant,
    constants,
    options_of,
)
from spark_jupyter.reality.frame_columns import is_frame, is_grouped, is_series
from spark_jupyter.reality.index_labels import may_be_labels
from spark_jupyter.reality.series_results import described
from spark_jupyter.reality.source_definitions import Written
from spark_jupyter.reality.static_lookup import class_name

_SAME = frozenset(
    "copy head tail sample sort_values sort_index query dropna fillna drop_duplicates astype round clip ffill bfill abs "
    "infer_objects convert_dtypes replace where mask nlargest nsmallest truncate reindex_like interpolate diff shift cumsum "
    "cumprod cummax cummin rank pct_change isna isnull notna notnull explode groupby set_flags droplevel_rows take "
    "asfreq between_time at_time tz_localize tz_convert rename_axis map transform filter sort limit rolling expanding ewm resample "
    "isin eq ne lt gt le ge pipe_same first last nth mean sum min max median std var prod count size any all quantile sem skew "
    "add sub mul div truediv floordiv mod pow radd rsub rmul rdiv group_by combine_first applymap".split()
)


_ROWS = frozenset(
    "copy head tail sample sort_values sort_index query dropna drop_duplicates nlargest nsmallest take truncate sort filter".split()
)
"""Methods that leave out or sort rows; the columns hold what they held."""


_IN_THEIR_ROWS = frozenset("fillna astype round clip ffill bfill abs isna notna".split())
"""Methods that change values and no rows."""


def result_table(method: str, table: Table, call: Invocation, receiver: type, kind: type) -> Table | None:
    """The table of what a method of a DataFrame (or GroupBy) gives; None where it can't be known."""
    if call.stars and method not in {"head", "tail", "copy", "sample"}:
        return None
    if not (
        is_frame(kind) or is_grouped(kind) or class_name(kind) in {"Rolling", "Expanding", "ExponentialMovingWindow"}
    ):
        return None
    change = _CHANGES.get(method)
    if change is not None:
        changed = change(table, call)
        if changed is not None and (
            method in {"assign", "drop"} or (method == "rename" and set(call.keywords) == {"columns"})
        ):
            changed.rows = table.rows
        return changed
    if method not in _SAME and not (method in {"describe", "corr", "cov"} and is_frame(receiver)):
        return None
    result = table.copy()
    if method in _ROWS and is_frame(receiver):
        result.holding(table)
    if (method in _ROWS or method in _IN_THEIR_ROWS) and is_frame(receiver) and "ignore_index" not in call.keywords:
        result.rows = table.rows
    if method in {"describe", "corr", "cov"}:
        result.levels, result.one_level = (), True
        known = described(call) if method == "describe" else list(table.columns or ())
        result.rows = tuple(known) if known and all(type(label) is str for label in known) else None
    if method in {"resample", "combine_first"}:
        result.levels = None
    return None if method == "combine_first" else result


_OVER_COLUMNS = frozenset(
    "sum mean min max median std var count nunique prod any all sem skew kurt idxmin idxmax quantile".split()
)


def is_of_columns(method: str, call: Invocation) -> bool:
    """True if a method gives a Series with a label for each column."""
    plain = method != "quantile" or not call.positional or isinstance(call.positional[0][1], Live)
    return (
        method in _OVER_COLUMNS
        and "axis" not in call.keywords
        and plain
        and (method == "quantile" or not call.positional)
    )


_TEXT_METHODS = frozenset(
    {"upper", "lower", "title", "strip", "capitalize", "casefold", "swapcase", "lstrip", "rstrip"}
)


def _renamed_by(thing: object, table: Table) -> Table | None:
    """``rename(columns=str.upper)``."""
    name = getattr(thing, "__name__", "") if type(thing) is types.MethodDescriptorType else ""
    if name not in _TEXT_METHODS or getattr(thing, "__objclass__", None) is not str or table.columns is None:
        return None
    if table.has_tuples or any(type(column) is not str for column in table.columns):
        return None
    return Table([getattr(str, name)(column) for column in table.columns], levels=table.levels)


def _renamed_each(function: Written, node: ast.expr, table: Table) -> Table | None:
    """``rename(columns=lambda name: …)``, gone through for each of the columns."""
    if table.columns is None or table.has_tuples or function.enter is None or len(table.columns) > _EACH:
        return None
    named = [constant(function.enter(Invocation.of(node, Live(column)))) for column in table.columns]
    return None if NO_CONSTANT in named else Table(named, levels=table.levels)


_EACH = 15
"""Of wider tables it is not followed which name a function makes of each."""


def _affixed(table: Table, call: Invocation, *, before: bool) -> Table | None:
    """``add_prefix("q")``, ``add_suffix("_old")``."""
    text = call.constant("prefix" if before else "suffix", 0)
    if type(text) is not str or table.columns is None or table.has_tuples or "axis" in call.keywords:
        return None
    return Table([f"{text}{c}" if before else f"{c}{text}" for c in table.columns], levels=table.levels)


def evaluated(table: Table, call: Invocation) -> Table | None:
    """``eval("total = price * units")``: the columns with those that are assigned."""
    text = call.constant("expr", 0)
    if type(text) is not str:
        return None
    lines = [line for line in text.splitlines() if line.strip()]
    assigned = [re.match(r"\s*(\w+)\s*=(?!=)", line) for line in lines]
    if not lines or not all(assigned):
        return None
    result = table.copy()
    result.add(*(found[1] for found in assigned if found is not None))
    return result


def _assign(table: Table, call: Invocation) -> Table:
    result = table.copy().holding(table)
    result.add(*call.keywords)
    for name, (_, value) in call.keywords.items():
        held = column_values.of_display(value)
        if held is not None:
            result.holds[name] = held
    return result


def _rename(table: Table, call: Invocation) -> Table | None:
    mapping = call.argument("columns")
    by_axis = call.constant("axis", None, 0) in (1, "columns")
    if mapping is None and by_axis:
        mapping = call.argument("mapper", 0)
    if mapping is None:
        return table.copy() if not call.positional or not by_axis else None
    value = mapping[1]
    if isinstance(value, Bound):
        return _renamed_by(value.function, table)
    if isinstance(value, Written):
        return _renamed_each(value, mapping[0], table)
    if not (isinstance(value, Of) and value.kind is dict and value.keys is not None and value.items is not None):
        return None
    new = [constant(item) for item in value.items]
    if table.columns is None or NO_CONSTANT in new or any(key is NO_CONSTANT for key in value.keys):
        return None
    kept = [column for column in table.columns if column not in value.keys]
    result = Table([*kept, *new], levels=table.levels, one_level=table.one_level).holding(
        table, but=[*value.keys, *new]
    )
    moved = {name: table.holds[key] for key, name in zip(value.keys, new, strict=True) if key in table.holds}
    result.holds |= moved
    return result


def _drop(table: Table, call: Invocation) -> Table | None:
    dropped = call.argument("columns")
    if dropped is None and call.constant("axis", 1, 0) in (1, "columns"):
        dropped = call.argument("labels", 0)
    if dropped is None or table.columns is None:
        return table.copy()
    names = constants(dropped[1])
    if names is None:
        return table.copy()
    kept = [column for column in table.columns if column not in names]
    return Table(kept, levels=table.levels, one_level=table.one_level).holding(table, but=names)


def _set_index(table: Table, call: Invocation) -> Table | None:
    keys = call.argument("keys", 0)
    names = constants(keys[1]) if keys is not None else None
    if names is None or table.columns is None or NO_CONSTANT in names:
        return Table(table.columns, levels=None)
    kept = table.columns if call.constant("drop", 1, True) is not True else [c for c in table.columns if c not in names]
    appended = call.constant("append", 2, False) is not False
    levels = [*(table.levels or ()), *names] if appended else list(names)
    return Table(kept, levels=levels, one_level=len(names) == 1 and not appended).holding(table)


def _reset_index(table: Table, call: Invocation) -> Table | None:
    if table.columns is None:
        return None
    if call.constant("drop", 1, False) is True and "level" not in call.keywords and len(call.positional) < 2:
        return Table(table.columns, levels=(), one_level=True).holding(table, but=table.levels or ())
    if "names" in call.keywords:  # the levels get these
        given = constants(call.keywords["names"][1])
        return Table([*table.columns, *given]) if given is not None and NO_CONSTANT not in given else None
    if table.levels is None:
        return None
    more = [f"level_{n}" for n in range(6)]
    whole = "level" not in call.keywords and not call.positional
    named = [level for level in table.levels if level is not None]
    return Table([*table.columns, *named, "index", *more], levels=(), one_level=whole).holding(table)


def _merge(table: Table, call: Invocation, *, method: str = "merge") -> Table | None:
    other = call.argument("right", 0) or call.argument("other", 0)
    if other is None:
        return None
    return merged(table, other[1], call, method)


def merged(table: Table, other: Value, call: Invocation, method: str) -> Table | None:
    """The table of a merge or join of two; the rows that a merge by columns gives are numbered."""
    right = next((_joined(option) for option in options_of(other) if option.table is not None), None)
    if right is None or right.columns is None or table.columns is None or table.levels is None:
        return None
    more = () if method == "join" and call.constant("how", None, "left") == "left" else right.levels
    if more is None:
        return None
    suffixes = ("_x", "_y")
    given = call.argument("suffixes")
    if given is not None:
        named = constants(given[1])
        if named is None or NO_CONSTANT in named:
            return None
        suffixes = tuple(suffix for suffix in named if type(suffix) is str)  # type: ignore[assignment]
    if {"lsuffix", "rsuffix"} & call.keywords.keys():
        suffixes = tuple(s for s in (call.constant("lsuffix"), call.constant("rsuffix")) if type(s) is str)  # type: ignore[assignment]
    if len(table.columns) + len(right.columns) > 1000:
        return None  # suffixes upon suffixes
    both = [c for c in table.columns if c in right.columns and type(c) is str]
    names = [*table.columns, *right.columns, *(f"{c}{s}" for c in both for s in suffixes), "_merge", "key_0"]
    indicator = call.constant("indicator", None, False)
    if type(indicator) is str:
        names.append(indicator)
    numbered = method == "merge" and not {"left_index", "right_index"} & call.keywords.keys()
    levels = (*table.levels, *more)
    result = Table(names, levels=levels, one_level=numbered and all(level is None for level in levels))
    for name, held in [*table.holds.items(), *right.holds.items()]:
        if (name in table.holds and name in right.holds) or name not in both:
            result.holds[name] = held
    for name in both:
        mine, theirs = table.values_of(name), right.values_of(name)
        if mine is not None and theirs is not None:
            result.holds[name] = (*mine, *theirs)
    return result


def _joined(other: Of) -> Table | None:
    """The table that is joined: of a Series one column of its name."""
    if other.table is None or not is_series(other.kind):
        return other.table
    if type(other.table.name) is str:
        return Table([other.table.name], levels=other.table.levels)
    return Table(None, levels=None)


def _agg(table: Table, call: Invocation) -> Table | None:
    """Superset: the columns that were there and the names that are given."""
    if table.columns is None:
        return None
    levels = None if table.levels is None else (*table.levels, *table.columns)
    functions = constants(call.argument("func", 0)[1]) if call.argument("func", 0) else ()  # type: ignore[index]
    if functions is None:
        given = call.argument("func", 0)
        keys = given[1].keys if given is not None and isinstance(given[1], Of) else None
        if keys is None:
            return None
        return Table([*table.columns], levels=levels)
    return Table([*table.columns, *call.keywords], levels=levels)


def aggregated(frame: Of, table: Table, call: Invocation) -> Value | None:
    """``frame.agg(["min", "max"])``: a row for each of the functions."""
    given = call.argument("func", 0)
    names = constants(given[1]) if given is not None and isinstance(given[1], Of) and given[1].kind is list else None
    if names is None or any(type(name) is not str for name in names) or "axis" in call.keywords or table.has_tuples:
        return None
    result = Table(table.columns, levels=(), one_level=True)
    result.rows = names
    return Of(frame.kind, table=result)


def _set_axis(table: Table, call: Invocation) -> Table | None:
    """``set_axis([…], axis=1)``."""
    if call.constant("axis", None, 0) not in (1, "columns"):
        return None
    given = call.argument("labels", 0)
    names = may_be_labels(given[1]) if given is not None else None
    return None if names is None else Table(names, levels=table.levels, one_level=table.one_level)


def _rename_axis(table: Table, call: Invocation) -> Table | None:
    """``rename_axis("when")``: the index is called so. Where the columns are, what turns them gives a column of that name."""
    if "columns" in call.keywords or call.constant("axis", None, 0) in (1, "columns"):
        result = table.copy().holding(table)
        result.axis_name = call.constant("columns", None, call.constant("mapper", 0, None))
        return None if "index" in call.keywords else result
    if call.constant("axis", None, 0) not in (0, "index"):
        return None
    given = call.argument("index") or call.argument("mapper", 0)
    names = constants(given[1]) if given is not None and call.constant("axis", None, 0) in (0, "index") else None
    known = names is not None and NO_CONSTANT not in names
    return Table(table.columns, levels=names if known else None, one_level=table.one_level)


_CHANGES: dict[str, Callable[[Table, Invocation], Table | None]] = {
    "assign": _assign,
    "rename": _rename,
    "drop": _drop,
    "set_index": _set_index,
    "reset_index": _reset_index,
    "merge": _merge,
    "join": partial(_merge, method="join"),
    "melt": reshaping.melt,
    "rename_axis": _rename_axis,
    "set_axis": _set_axis,
    "add_prefix": partial(_affixed, before=True),
    "add_suffix": partial(_affixed, before=False),
    "xs": reshaping.cross_section,
    "pivot": reshaping.pivot,
    "pivot_table": reshaping.pivot_table,
    "select_dtypes": lambda table, call: table.copy(),
    "agg": _agg,
    "aggregate": _agg,
}
IN_PLACE = frozenset(
    "rename drop set_index reset_index sort_values sort_index dropna fillna drop_duplicates replace ffill bfill clip where mask "
    "interpolate query eval".split()
)
"""Methods that take ``inplace=True``."""


def change_in_place(method: str, table: Table, call: Invocation) -> None:
    """Change the table as ``inplace=True``, ``insert``, ``pop`` and ``update`` do."""
    if method == "insert":
        column = call.constant("column", 1)
        if column is NO_CONSTANT:
            table.forget()
        else:
            table.add(column)
    if method == "update":
        table.holds.clear()
    if "inplace" in call.keywords and (
        method in {"set_index", "reset_index", "rename"} or "ignore_index" in call.keywords
    ):
        table.rows = None
    if method in IN_PLACE and "inplace" in call.keywords:
        change = evaluated if method == "eval" else _CHANGES.get(method)
        changed = change(table, call) if change is not None else table
        if changed is None:
            table.forget()
        elif changed.columns is not None and table.columns is not None:
            # only ever more: the call may be in a branch that does not run
            table.add(*changed.columns)
            table.levels = None if table.levels is None or changed.levels is None else (*table.levels, *changed.levels)
