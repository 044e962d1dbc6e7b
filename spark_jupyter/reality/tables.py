"""The columns of DataFrames: which ones a call names, and which ones its result may have."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from spark_jupyter.reality.lookup import class_name, module_dict
from spark_jupyter.reality.values import (
    NO_CONSTANT,
    UNKNOWN,
    Live,
    Of,
    Table,
    Value,
    alternatives,
    constant,
    constants,
    options_of,
)

MAX_COLUMNS = 20_000


@dataclass(slots=True)
class Call:
    """A call as far as it is known: ``stars`` where ``*`` or ``**`` pass on what can't be seen."""

    node: ast.Call
    positional: list[tuple[ast.expr, Value]] = field(default_factory=list)
    keywords: dict[str, tuple[ast.expr, Value]] = field(default_factory=dict)
    stars: bool = False

    def argument(self, name: str, position: int | None = None) -> tuple[ast.expr, Value] | None:
        """The argument that is passed under a name or at a position."""
        if name in self.keywords:
            return self.keywords[name]
        if position is not None and not self.stars and position < len(self.positional):
            return self.positional[position]
        return None

    def constant(self, name: str, position: int | None = None, default: object = NO_CONSTANT) -> object:
        """The constant passed there; ``default`` where nothing is passed."""
        found = self.argument(name, position)
        return default if found is None else constant(found[1])


def is_frame(kind: type) -> bool:
    """Whether this is pandas' or polars' own DataFrame class."""
    return class_name(kind) == "DataFrame" and _is_own(kind)


def is_series(kind: type) -> bool:
    """Whether this is pandas' or polars' own Series class."""
    return class_name(kind) == "Series" and _is_own(kind)


def is_grouped(kind: type) -> bool:
    """Whether this is pandas' class of a grouped DataFrame."""
    return class_name(kind) in {"DataFrameGroupBy", "DataFrameGroupByResampler"}


def _is_own(kind: type) -> bool:
    for library in ("pandas", "polars"):
        module = sys.modules.get(library)
        if type(module) is types.ModuleType and module_dict(module).get(class_name(kind)) is kind:
            return True
    return False


def live_table(frame: object) -> Table:
    """The columns of a DataFrame in the kernel, whose class is exactly pandas' or polars'."""
    try:
        labels = [label for label in islice(frame.columns, MAX_COLUMNS + 1) if _plain(label)]  # type: ignore[attr-defined]
        if len(labels) != frame.shape[1]:  # type: ignore[attr-defined]
            return Table(None, levels=None)
        first = [label[0] for label in labels if type(label) is tuple and label]
        levels = [name for name in getattr(getattr(frame, "index", None), "names", ()) if _plain(name)]
        return Table([*labels, *first], levels=levels, one_level=getattr(frame.index, "nlevels", 0) == 1)  # type: ignore[attr-defined]
    except Exception:  # a half-built DataFrame; nothing is known of it then
        return Table(None, levels=None)


def _plain(label: object) -> bool:
    return type(label) in (str, int, float, bool, type(None)) or (type(label) is tuple and all(map(_plain, label)))


# --- What a call names -------------------------------------------------------------------------------------------------

_NAMING: dict[str, tuple[tuple[str, int | None], ...]] = {
    # method: the parameters that name columns, with their positions
    "groupby": (("by", 0),),
    "sort_values": (("by", 0),),
    "drop_duplicates": (("subset", 0),),
    "duplicated": (("subset", 0),),
    "dropna": (("subset", None),),
    "set_index": (("keys", 0),),
    "pivot": (("columns", None), ("index", None), ("values", None)),
    "pivot_table": (("values", 0), ("index", 1), ("columns", 2)),
    "melt": (("id_vars", 0), ("value_vars", 1)),
    "merge": (("on", 2), ("left_on", 3)),
    "join": (("on", 1),),
    "explode": (("column", 0),),
    "nlargest": (("columns", 1),),
    "nsmallest": (("columns", 1),),
    "value_counts": (("subset", 0),),
    "drop": (("columns", None),),
    "pop": (("item", 0),),
    "plot": (("x", None), ("y", None)),
    "boxplot": (("column", 0), ("by", 1)),
    "hist": (("column", 0), ("by", 1)),
    "resample": (("on", None),),
    "rolling": (("on", None),),
    # polars
    "group_by": (("by", 0),),
    "sort": (("by", 0),),
    "select": (("exprs", 0),),
}
_KEYED = {"agg": ("func", 0), "aggregate": ("func", 0), "astype": ("dtype", 0), "transform": ("func", 0)}
_LEVELS_TOO = frozenset({"groupby", "sort_values", "merge", "join", "pivot_table", "pivot"})
_PLOT_ROLES = frozenset(
    "x y hue size style col row color weights units facet_col facet_row hover_name names values symbol line_group "
    "animation_frame path_col error_x error_y text pattern_shape".split()
)

Use = tuple[ast.expr, object]


def columns_named(method: str, call: Call, table: Table) -> Iterator[Use]:
    """The columns that a DataFrame method is given by name and that the table does not have."""
    levels: tuple[object, ...] | None = table.levels if method in _LEVELS_TOO else ()
    if levels is None:
        return
    arguments = [call.argument(name, place) for name, place in _NAMING.get(method, ())]
    if (
        method == "drop"
        and call.constant("axis", 1, 0) in (1, "columns")
        and call.constant("errors", None, "raise") == "raise"
    ):
        arguments.append(call.argument("labels", 0))
    if method == "drop" and "errors" in call.keywords:
        arguments = []
    if method == "dropna" and call.constant("axis", None, 0) not in (0, "index", "rows"):
        arguments = []
    for argument in arguments:
        if argument is not None:
            yield from _absent(argument, table, levels)
    if method in _KEYED:
        yield from _absent_keys(call.argument(*_KEYED[method]), table)
        if method in {"agg", "aggregate"}:
            yield from _absent_in_named(call, table)


def _absent(argument: tuple[ast.expr, Value], table: Table, levels: tuple[object, ...] = ()) -> Iterator[Use]:
    node, value = argument
    nodes = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    named = constants(value) or ()
    for index, column in enumerate(named):
        if type(column) is str and not table.has(column) and column not in levels:
            yield (nodes[index] if len(nodes) == len(named) else node), column


def _absent_keys(argument: tuple[ast.expr, Value] | None, table: Table) -> Iterator[Use]:
    if argument is None:
        return
    node, value = argument
    if isinstance(value, Of) and value.kind is dict and value.keys is not None:
        nodes = (
            node.keys if isinstance(node, ast.Dict) and len(node.keys) == len(value.keys) else [node] * len(value.keys)
        )
        for key_node, key in zip(nodes, value.keys, strict=True):
            if type(key) is str and not table.has(key):
                yield key_node or node, key


def _absent_in_named(call: Call, table: Table) -> Iterator[Use]:
    """``agg(total=("price", "sum"))``: the first of each pair is a column."""
    for node, value in call.keywords.values():
        if isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(value, Of) and value.items:
            column = constant(value.items[0])
            if type(column) is str and not table.has(column):
                yield node.elts[0], column


def plot_columns(call: Call) -> Iterator[tuple[ast.expr, object, Table]]:
    """Columns that a call of seaborn's or plotly's names by its roles and its ``data`` does not have."""
    data = call.argument("data") or call.argument("data_frame", 0)
    frames = [data[1]] if data is not None else [value for _, value in call.positional[:1]]
    for value in frames:
        for option in options_of(value):
            if not is_frame(option.kind) or option.table is None or option.table.levels is None:
                continue
            for role in _PLOT_ROLES & call.keywords.keys():
                for node, column in _absent(call.keywords[role], option.table, option.table.levels):
                    yield node, column, option.table


def subscript_absent(node: ast.expr, index: Value, table: Table) -> Iterator[Use]:
    """The columns that ``frame[index]`` names and the table does not have."""
    if isinstance(index, Of) and index.kind is list:
        yield from _absent((node, index), table)
        return
    column = constant(index)
    if type(column) is str and not table.has(column):
        yield node, column


# --- What a result has -------------------------------------------------------------------------------------------------

_SAME = frozenset(
    "copy head tail sample sort_values sort_index query dropna fillna drop_duplicates astype round clip ffill bfill abs "
    "infer_objects convert_dtypes replace where mask nlargest nsmallest truncate reindex_like interpolate diff shift cumsum "
    "cumprod cummax cummin rank pct_change isna isnull notna notnull explode groupby set_flags droplevel_rows take "
    "asfreq tz_localize tz_convert rename_axis map applymap transform filter sort limit rolling expanding ewm resample "
    "isin eq ne lt gt le ge pipe_same first last nth mean sum min max median std var prod count size any all quantile sem skew "
    "add sub mul div truediv floordiv mod pow radd rsub rmul rdiv group_by combine_first".split()
)


def result_table(method: str, table: Table, call: Call, receiver: type, kind: type) -> Table | None:
    """The table of what a method of a DataFrame (or GroupBy) gives; None where it can't be known."""
    if call.stars and method not in {"head", "tail", "copy", "sample"}:
        return None
    if not (
        is_frame(kind) or is_grouped(kind) or class_name(kind) in {"Rolling", "Expanding", "ExponentialMovingWindow"}
    ):
        return None
    change = _CHANGES.get(method)
    if change is not None:
        return change(table, call)
    if method not in _SAME:
        return None
    result = table.copy()
    if is_grouped(receiver) or method in {"rename_axis", "reindex"}:
        # the keys become index levels, whose names are columns of the table
        result.one_level = False
        result.levels = None if result.levels is None or table.columns is None else (*result.levels, *table.columns)
    if method in {"resample", "rename_axis", "combine_first"}:
        result.levels = None
    return None if method == "combine_first" else result


def _assign(table: Table, call: Call) -> Table:
    result = table.copy()
    result.add(*call.keywords)
    return result


def _rename(table: Table, call: Call) -> Table | None:
    mapping = call.argument("columns")
    by_axis = call.constant("axis", None, 0) in (1, "columns")
    if mapping is None and by_axis:
        mapping = call.argument("mapper", 0)
    if mapping is None:
        return table.copy() if not call.positional or not by_axis else None
    value = mapping[1]
    if not (isinstance(value, Of) and value.kind is dict and value.keys is not None and value.items is not None):
        return None
    new = [constant(item) for item in value.items]
    if table.columns is None or NO_CONSTANT in new or any(key is NO_CONSTANT for key in value.keys):
        return None
    kept = [column for column in table.columns if column not in value.keys]
    return Table([*kept, *new], levels=table.levels)


def _drop(table: Table, call: Call) -> Table | None:
    dropped = call.argument("columns")
    if dropped is None and call.constant("axis", 1, 0) in (1, "columns"):
        dropped = call.argument("labels", 0)
    if dropped is None or table.columns is None:
        return table.copy()
    names = constants(dropped[1])
    if names is None:
        return table.copy()
    return Table([column for column in table.columns if column not in names], levels=table.levels)


def _set_index(table: Table, call: Call) -> Table | None:
    keys = call.argument("keys", 0)
    names = constants(keys[1]) if keys is not None else None
    if names is None or table.columns is None or NO_CONSTANT in names:
        return Table(table.columns, levels=None)
    kept = table.columns if call.constant("drop", 1, True) is not True else [c for c in table.columns if c not in names]
    return Table(kept, levels=[*(table.levels or ()), *names])


def _reset_index(table: Table, call: Call) -> Table | None:
    if table.columns is None or table.levels is None or "names" in call.keywords:
        return None
    more = [f"level_{n}" for n in range(6)]
    return Table([*table.columns, *table.levels, "index", *more], levels=())


def _merge(table: Table, call: Call) -> Table | None:
    other = call.argument("right", 0) or call.argument("other", 0)
    if other is None:
        return None
    return merged(table, other[1], call)


def merged(table: Table, other: Value, call: Call) -> Table | None:
    """The table of a merge or join of two."""
    right = next((option.table for option in options_of(other) if option.table is not None), None)
    if right is None or right.columns is None or table.columns is None or right.levels is None or table.levels is None:
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
    both = [c for c in table.columns if c in right.columns and type(c) is str]
    names = [*table.columns, *right.columns, *(f"{c}{s}" for c in both for s in suffixes), "_merge", "key_0"]
    indicator = call.constant("indicator", None, False)
    if type(indicator) is str:
        names.append(indicator)
    return Table(names, levels=(*table.levels, *right.levels))


def _melt(table: Table, call: Call) -> Table | None:
    ids = call.argument("id_vars", 0)
    names = constants(ids[1]) if ids is not None else ()
    variable = call.constant("var_name", 2, "variable")
    value = call.constant("value_name", 3, "value")
    if names is None or NO_CONSTANT in (*names, variable, value):
        return None
    return Table([*names, variable, value, "variable"], levels=())


def _agg(table: Table, call: Call) -> Table | None:
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


_CHANGES: dict[str, Callable[[Table, Call], Table | None]] = {
    "assign": _assign,
    "rename": _rename,
    "drop": _drop,
    "set_index": _set_index,
    "reset_index": _reset_index,
    "merge": _merge,
    "join": _merge,
    "melt": _melt,
    "agg": _agg,
    "aggregate": _agg,
}
IN_PLACE = frozenset(
    "rename drop set_index reset_index sort_values sort_index dropna fillna drop_duplicates replace ffill bfill clip where mask "
    "interpolate query eval".split()
)
"""Methods that take ``inplace=True``."""


def change_in_place(method: str, table: Table, call: Call) -> None:
    """What ``inplace=True``, ``insert``, ``pop`` and ``update`` do to the table itself."""
    if method == "insert":
        column = call.constant("column", 1)
        if column is NO_CONSTANT:
            table.forget()
        else:
            table.add(column)
    if method in IN_PLACE and "inplace" in call.keywords:
        change = _CHANGES.get(method)
        changed = change(table, call) if change is not None else (None if method == "eval" else table)
        if changed is None:
            table.forget()
        elif changed.columns is not None and table.columns is not None:
            # only ever more: the call may be in a branch that does not run
            table.add(*changed.columns)
            table.levels = None if table.levels is None or changed.levels is None else (*table.levels, *changed.levels)


def new_frame(call: Call) -> Table:
    """The table of ``pandas.DataFrame(…)``."""
    given = call.argument("columns", 2)
    if given is not None:
        names = constants(given[1])
        if (
            names is None
            or any(name is NO_CONSTANT for name in names)
            or (names and type(names[0]) is str and len(names) == 1 and not isinstance(given[1], Of))
        ):
            return Table(None, levels=None)
        return Table([*names], levels=_level_names(call), one_level=plain)
    data = call.argument("data", 0)
    if data is None or call.stars:
        return Table(None if call.stars else (), levels=_level_names(call))
    return _table_of_data(data[1], call)


def _table_of_data(value: Value, call: Call) -> Table:
    if isinstance(value, Of) and value.kind is dict and value.keys is not None:
        if any(key is NO_CONSTANT for key in value.keys):
            return Table(None, levels=None)
        return Table(value.keys, levels=_level_names(call), one_level=_level_names(call) is not None)
    if isinstance(value, Of) and value.kind is list and value.items:
        keys: dict[object, None] = {}
        for item in value.items:
            if not (isinstance(item, Of) and item.kind is dict and item.keys is not None):
                return Table(None, levels=None)
            keys.update(dict.fromkeys(item.keys))
        return Table(None if any(key is NO_CONSTANT for key in keys) else keys, levels=_level_names(call))
    if isinstance(value, Of) and is_frame(value.kind) and value.table is not None:
        return value.table.copy()
    return Table(None, levels=None)


def _level_names(call: Call) -> tuple[object, ...] | None:
    """Names of the index: those of a list are none, those of an index object can't be seen here."""
    given = call.argument("index", 1)
    if given is None or constants(given[1]) is not None:
        return ()
    return None


def new_series(call: Call) -> Table | None:
    """The labels of ``pandas.Series(…)``; none that are strings where it has no index of its own."""
    given = call.argument("index", 1)
    if given is not None:
        names = constants(given[1])
        return None if names is None or NO_CONSTANT in names else Table(names)
    data = call.argument("data", 0)
    value = data[1] if data is not None else UNKNOWN
    if isinstance(value, Of) and value.kind is dict and value.keys is not None:
        return None if any(key is NO_CONSTANT for key in value.keys) else Table(value.keys)
    if isinstance(value, Of) and value.kind in (list, tuple):
        return Table(())
    return None


def concatenated(call: Call) -> Table | None:
    """The table of ``pandas.concat([…])``."""
    given = call.argument("objs", 0)
    if given is None or "keys" in call.keywords or not (isinstance(given[1], Of) and given[1].items):
        return None
    names: list[object] = []
    levels: list[object] = []
    for item in given[1].items:
        if not (isinstance(item, Of) and item.table is not None and is_frame(item.kind)):
            return None
        if item.table.columns is None or item.table.levels is None:
            return None
        names += item.table.columns
        levels += item.table.levels
    return Table(names, levels=levels)


def first_table(value: Value) -> Table | None:
    """The table of a value that is a DataFrame for certain."""
    options = alternatives(value)
    if len(options) == 1 and isinstance(options[0], Of) and is_frame(options[0].kind):
        return options[0].table
    return None


def live_value(thing: object) -> Value:
    """What is known of a variable in the kernel."""
    kind = type(thing)
    if is_frame(kind):
        return Of(kind, exact=True, table=live_table(thing))
    if is_series(kind) or kind in (list, dict, set, tuple, frozenset, bytearray):
        return Of(kind, exact=True)
    return Live(thing)
