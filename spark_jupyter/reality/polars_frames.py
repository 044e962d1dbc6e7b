"""Columns of polars frames and of their methods.

A table holds what a frame may have, or more; what is not in it is certainly missing. Source of the rules: the docstrings of polars 2.1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality import frame_columns, named_columns
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Bound,
    Invocation,
    Of,
    Table,
    Value,
    constant,
    constants,
)
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.polars_expressions import ALL, Expression
from spark_jupyter.reality.static_lookup import class_module, class_name
from spark_jupyter.reality.syntax_trees import placed

_GROUPS = frozenset({"GroupBy", "LazyGroupBy", "DynamicGroupBy", "RollingGroupBy"})
_SAME = frozenset(
    "filter head tail limit first last sample sort unique drop_nulls drop_nans fill_null fill_nan slice gather_every reverse shift clone "
    "rechunk cast set_sorted top_k bottom_k interpolate explode lazy collect cache remove sum mean median min max std var quantile "
    "null_count clear shrink_to_fit vstack extend merge_sorted inspect".split()
)
_OF_GROUPS = frozenset("sum mean median min max first last head tail all quantile n_unique".split())
_TAKES_EXPRESSIONS = frozenset(
    "select select_seq with_columns with_columns_seq filter remove sort group_by agg top_k bottom_k partition_by unique drop_nulls "
    "drop_nans explode get_column drop".split()
)


def value_of(run: Run, bound: Bound, call: Invocation) -> Value | None:
    """Check what a call of a frame's method names, and say what it gives; None where that is not known better here."""
    receiver = bound.receiver
    frame = receiver if isinstance(receiver, Of) and class_module(receiver.kind).startswith("polars") else None
    if frame is None or frame.table is None or frame.table.columns is None:
        return None
    if is_frame(frame.kind):
        return _of_frame(run, frame, bound.name, call)
    if class_name(frame.kind) in _GROUPS:
        return _of_groups(run, frame, bound.name, call)
    return None


def is_frame(kind: type) -> bool:
    return kind in (loaded_class("polars", "DataFrame"), loaded_class("polars", "LazyFrame"))


def made(name: str, call: Invocation) -> Value | None:
    """The result of polars' own functions and classes, and of Dask's ``concat``, where its columns can be told."""
    if name == "concat":
        table, kinds = _concatenated(call)
        return Of(kinds.pop(), table=table) if table is not None and len(kinds) == 1 else None
    frame = loaded_class("polars", "DataFrame" if name != "LazyFrame" else name)
    if frame is None:
        return None
    if name in {"DataFrame", "LazyFrame"}:
        table = _new_table(call)
        return Of(frame, exact=True, table=table) if table is not None else None
    return None


def _new_table(call: Invocation) -> Table | None:
    data, schema = call.argument("data", 0), call.argument("schema", 1)
    given = schema or data
    if call.stars or given is None or not isinstance(given[1], Of):
        return None
    if given[1].kind is dict and given[1].keys is not None and NO_CONSTANT not in given[1].keys:
        return Table(given[1].keys)
    names = constants(given[1]) if schema is not None else None
    return None if names is None or NO_CONSTANT in names else Table(names)


def _concatenated(call: Invocation) -> tuple[Table | None, set[type]]:
    given = call.argument("items", 0)
    items = given[1].items if given is not None and isinstance(given[1], Of) else None
    names: list[object] = []
    kinds: set[type] = set()
    for item in items or ():
        if not (isinstance(item, Of) and item.table is not None and item.table.columns is not None):
            return None, kinds
        names += item.table.columns
        kinds.add(item.kind)
    return (Table(names) if items else None), kinds


# --- Methods -----------------------------------------------------------------------------------------------------------


def _of_frame(run: Run, frame: Of, method: str, call: Invocation) -> Value | None:
    table = frame.table
    assert table is not None
    run.absent_columns(_uses(run, method, call, table), table)
    if method in {"insert_column", "replace_column", "hstack", "drop_in_place"}:
        table.forget()
        return None
    kind = {"lazy": loaded_class("polars", "LazyFrame"), "collect": loaded_class("polars", "DataFrame")}.get(
        method, frame.kind
    )
    if method in _GROUPING:
        return _grouped(run, frame, method, call)
    result = _table_after(run, method, call, table)
    return Of(kind, table=result) if kind is not None and result is not None else None


def _uses(run: Run, method: str, call: Invocation, table: Table) -> Iterator[named_columns.Use]:
    """The columns that a call names and the table does not have."""
    if method == "drop" and call.constant("strict", None, True) is not True:
        return
    if method == "get_column" and "default" in call.keywords:
        return
    if method in _TAKES_EXPRESSIONS or method == "group_by_dynamic":
        named = [node for name, (node, _) in call.keywords.items() if _names_columns(method, name)]
        for node in [*(node for node, _ in call.positional), *named]:
            yield from _absent_in(run, node, table)
    if method in {"join", "join_asof"}:
        yield from _absent_in_join(run, call, table)
    if method in {"unpivot", "pivot"}:
        for name, place in (("on", 0), ("index", None), ("values", None)):
            argument = call.argument(name, place)
            if argument is not None:
                yield from _absent_in(run, argument[0], table)
    if method == "rename" and call.constant("strict", None, True) is True and call.positional:
        node, value = call.positional[0]
        yield from (use for use in placed(node, _keys(value)) if type(use[1]) is str and not table.has(use[1]))


def _names_columns(method: str, keyword: str) -> bool:
    """True if a keyword's value names or makes columns: in some methods every keyword that is no option names a new column."""
    makes = method in {"select", "select_seq", "with_columns", "with_columns_seq", "agg", "group_by"}
    return (makes and keyword != "maintain_order") or keyword in {"by", "subset", "group_by"}


def _keys(value: Value) -> tuple[object, ...]:
    return (value.keys or ()) if isinstance(value, Of) and value.kind is dict else ()


def _absent_in(run: Run, node: ast.expr, table: Table) -> Iterator[named_columns.Use]:
    for place, name in Expression(run).reads(node, strings=True):
        if not table.has(name):
            yield place, name


def _absent_in_join(run: Run, call: Invocation, table: Table) -> Iterator[named_columns.Use]:
    other = call.argument("other", 0)
    right = frame_columns.first_table(other[1]) if other is not None else None
    sides = {"on": (table, right), "left_on": (table,), "right_on": (right,)}
    for name, columns in sides.items():
        given = call.argument(name, 1 if name == "on" else None)
        for side in columns if given is not None else ():
            if side is not None and side.columns is not None:
                yield from _absent_in(run, given[0], side)  # type: ignore[index]


def _table_after(run: Run, method: str, call: Invocation, table: Table) -> Table | None:
    if method in _SAME:
        return table.copy()
    if method in {"select", "select_seq", "with_columns", "with_columns_seq"}:
        names = _made(run, call)
        if names is None:
            return None
        kept = table.columns or () if method.startswith("with") or ALL in names else ()
        return Table([*kept, *(name for name in names if name is not ALL)])
    if method == "drop":
        dropped = [name for _, value in call.positional for name in constants(value) or ()]
        return Table([name for name in table.columns or () if name not in dropped])
    if method == "with_row_index":
        return Table([call.constant("name", 0, "index"), *(table.columns or ())])
    if method == "rename":
        return _renamed(table, call)
    if method in {"join", "join_asof"}:
        return _joined(table, call)
    if method == "unpivot":
        return _unpivoted(table, call)
    return None


def _made(run: Run, call: Invocation) -> list[object] | None:
    """The names of the columns that expressions make, :data:`ALL` for any that is there; None where they can't be told."""
    names: list[object] = [name for name in call.keywords if name != "maintain_order"]
    for node, _ in call.positional:
        more = Expression(run).names(node)
        if more is None:
            return None
        names += more
    return None if call.stars else names


def _renamed(table: Table, call: Invocation) -> Table | None:
    mapping = call.positional[0][1] if call.positional else UNKNOWN
    new = [constant(item) for item in mapping.items or ()] if isinstance(mapping, Of) else []
    old = _keys(mapping)
    if not old or NO_CONSTANT in (*new, *old):
        return None
    return Table([*(name for name in table.columns or () if name not in old), *new])


def _joined(table: Table, call: Invocation) -> Table | None:
    other = call.argument("other", 0)
    right = frame_columns.first_table(other[1]) if other is not None else None
    if call.constant("how", None, "inner") in {"semi", "anti"}:
        return table.copy()
    suffix = call.constant("suffix", None, "_right")
    if right is None or right.columns is None or type(suffix) is not str:
        return None
    return Table([*(table.columns or ()), *right.columns, *(f"{name}{suffix}" for name in right.columns)])


def _unpivoted(table: Table, call: Invocation) -> Table | None:
    index = call.argument("index")
    kept = constants(index[1]) if index is not None else ()
    made = (call.constant("variable_name", None, "variable"), call.constant("value_name", None, "value"))
    if kept is None or NO_CONSTANT in (*kept, *made):
        return None
    return Table([*kept, *made])


# --- Groups ------------------------------------------------------------------------------------------------------------


_GROUPING = {"group_by": "GroupBy", "group_by_dynamic": "DynamicGroupBy", "rolling": "RollingGroupBy"}
"""The methods of a DataFrame that make groups, and the classes of these; those of a LazyFrame are all of one."""


def _grouped(run: Run, frame: Of, method: str, call: Invocation) -> Value | None:
    """Groups, with what they are made by among the columns."""
    assert frame.table is not None
    kind = _group_class("LazyGroupBy" if class_name(frame.kind) == "LazyFrame" else _GROUPING[method])
    keys = _made(run, call) if method == "group_by" else list(frame.table.columns or ())
    if kind is None or keys is None:
        return None
    table = Table([*(frame.table.columns or ()), *(key for key in keys if key is not ALL)])
    table.keys = tuple(table.columns or ()) if ALL in keys else tuple(keys)
    if method != "group_by":
        table.keys = (*table.keys, "_lower_boundary", "_upper_boundary")
    return Of(kind, table=table)


def _group_class(name: str) -> type | None:
    return loaded_class("polars.dataframe.group_by", name) or loaded_class("polars.lazyframe.group_by", name)


def _of_groups(run: Run, groups: Of, method: str, call: Invocation) -> Value | None:
    table = groups.table
    assert table is not None
    kind = loaded_class("polars", "LazyFrame" if class_name(groups.kind) == "LazyGroupBy" else "DataFrame")
    if kind is None:
        return None
    if method == "agg":
        run.absent_columns(_uses(run, method, call, table), table)
        names = _made(run, call)
        if names is None:
            return Of(kind)
        more = table.columns or () if ALL in names else ()
        return Of(kind, table=Table([*(table.keys or ()), *more, *(name for name in names if name is not ALL)]))
    if method in _OF_GROUPS:
        return Of(kind, table=table.plain())
    if method == "len":
        return Of(kind, table=Table([*(table.keys or ()), call.constant("name", 0, "len")]))
    return None
