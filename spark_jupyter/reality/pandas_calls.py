"""Columns and results of pandas calls."""

from __future__ import annotations

from spark_jupyter.reality import (
    column_values,
    constant_texts,
    frame_columns,
    frame_results,
    grouped_results,
    inline_data,
    named_columns,
    query_strings,
    reshaping,
    series_results,
    static_lookup,
    table_constructors,
)
from spark_jupyter.reality.abstract_values import (
    Bound,
    Invocation,
    Of,
    Table,
    Value,
    alternatives,
    constant,
    each,
    options_of,
)
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.class_names import frame_class
from spark_jupyter.reality.return_values import result
from spark_jupyter.reality.static_lookup import class_module, class_name


def of_function(run: Run, thing: object, name: str, call: Invocation) -> Value | None:
    """The result of pandas' own functions, where the columns can be told."""
    if static_lookup.is_class(thing) and frame_columns.is_frame(thing):
        return Of(thing, exact=True, table=table_constructors.new_frame(call))
    if static_lookup.is_class(thing) and frame_columns.is_series(thing):
        return Of(thing, exact=True, table=table_constructors.new_series(call))
    if name.startswith("read_") or name == "json_normalize":
        run.outside_data = run.outside_data or inline_data.table_of_text(name, call) is None
        return _read(run, name, call)
    if name == "get_dummies" and call.positional:
        table, named = frame_columns.first_table(call.positional[0][1]), call.argument("columns")
        if table is not None and named is not None:
            run.absent_columns(named_columns.absent(named, table), table)
    if name == "get_dummies":
        return Of(frame_class(), table=column_values.dummies(call))
    if name == "crosstab":
        return Of(frame_class(), table=column_values.crossed(call))
    if name in {"date_range", "bdate_range", "period_range", "timedelta_range"}:
        return table_constructors.new_index(result(thing, None, keywords=call.keywords, name=name), call)
    if name in _CONVERTING and call.positional and "retbins" not in call.keywords:
        return _converted(name, call)
    if name in _TURNING:
        return _turned(run, name, call)
    if name == "concat":
        return reshaping.concatenated(call)
    return _merged(run, name, call) if name in _MERGING and call.positional else None


def _records_lack(run: Run, call: Invocation) -> None:
    """``record_path="lines"``, ``meta=["id"]``: keys that none of the records has."""
    known = table_constructors.normalized(Invocation(call.node, call.positional[:1]))
    for name, place in (("record_path", 1), ("meta", 2)):
        given = call.argument(name, place)
        if known is None or given is None or "errors" in call.keywords:
            continue
        for node, value in table_constructors.paths(*given):
            key = constant(value)
            if type(key) is str and not known.has(key):
                run.absent_columns([(node, key)], known)


_READERS = frozenset({"read_csv", "read_table", "read_parquet", "read_feather"})


def _read(run: Run, name: str, call: Invocation) -> Value | None:
    """The table of records, or of a file of which the call itself says which columns it reads."""
    if name == "json_normalize":
        _records_lack(run, call)
        return Of(frame_class(), exact=True, table=table_constructors.normalized(call))
    if name not in _READERS or {"chunksize", "iterator"} & call.keywords.keys():
        return None
    table = table_constructors.read(call) or inline_data.table_of_text(name, call)
    if table is None:
        return None
    dates = call.argument("parse_dates")
    if dates is not None and "names" not in call.keywords:
        run.absent_columns(named_columns.absent(dates, table, table.levels or ()), table)
    return Of(frame_class(), exact=True, table=table)


_MERGING = frozenset({"merge", "merge_asof", "merge_ordered"})


def _merged(run: Run, name: str, call: Invocation) -> Value | None:
    """``pd.merge(left, right, …)`` and its relatives, whose other places differ."""
    left = frame_columns.first_table(call.positional[0][1])
    if left is None:
        return None
    places = call.positional[1:] if name == "merge" else call.positional[1:2]
    moved = Invocation(call.node, places, call.keywords, stars=call.stars)
    run.absent_columns(_merge_uses(left, moved), left)
    by = call.keywords.get("by")
    if name == "merge_asof" and by is not None:
        run.absent_columns(named_columns.absent(by, left, left.levels or ()), left)
    return Of(frame_class(), table=frame_results.result_table("merge", left, moved, frame_class(), frame_class()))


_TURNING = {"melt": "frame", "pivot": "data", "pivot_table": "data"}


def _turned(run: Run, name: str, call: Invocation) -> Value | None:
    """``pd.melt(frame, …)`` as ``frame.melt(…)``."""
    given = call.argument(_TURNING[name], 0)
    table = frame_columns.first_table(given[1]) if given is not None else None
    if table is None or given is None:
        return None
    keywords = {key: value for key, value in call.keywords.items() if key != _TURNING[name]}
    moved = Invocation(call.node, call.positional[1:], keywords, stars=call.stars, places=call.places)
    for option in options_of(given[1]):
        check_columns(run, option, name, moved)
    return Of(frame_class(), table=frame_results.result_table(name, table, moved, frame_class(), frame_class()))


_CONVERTING = frozenset({"to_datetime", "to_timedelta", "to_numeric", "cut", "qcut"})


def _converted(name: str, call: Invocation) -> Value | None:
    """A Series gives a Series (pandas' docstrings of these); None for what else is given."""
    value = call.positional[0][1]
    own = [one for one in alternatives(value) if isinstance(one, Of) and frame_columns.is_series(one.kind)]
    if len(own) != 1 or len(alternatives(value)) != 1:
        return None
    was = own[0].table or Table(None, levels=None)
    table = Table(None, levels=was.levels, name=was.name).holding(was)
    table.held = column_values.of_choice(name, call)
    return Of(own[0].kind, table=table)


def of_method(bound: Bound, call: Invocation) -> Value | None:
    """The result of a method of a Series, groups or windows, where more is known than its annotation says."""
    receiver = bound.receiver
    if (
        not isinstance(receiver, Of)
        or not class_module(receiver.kind).startswith("pandas")
        or "inplace" in call.keywords
    ):
        return None
    method = bound.name
    if method in {"groupby", "resample", "rolling", "expanding", "ewm"}:
        results = options_of(result(bound.function, receiver, keywords=call.keywords, name=method))
        weighted = call.constant("win_type", None, None) is not None
        kinds = [one.kind for one in results if (class_name(one.kind) == "Window") is weighted]
        return grouped_results.groups_of(receiver, kinds[0], method, call) if len(kinds) == 1 else None
    if method == "from_records" and frame_columns.is_frame(receiver.kind):
        return Of(receiver.kind, exact=True, table=table_constructors.new_frame(_as_constructed(call)))
    if method in {"from_product", "from_tuples", "from_arrays"} and class_name(receiver.kind) == "MultiIndex":
        return table_constructors.new_levels(receiver.kind, call)
    if method == "from_dict" and frame_columns.is_frame(receiver.kind):
        return Of(receiver.kind, exact=True, table=table_constructors.of_dict(call))
    if method == "stack" and frame_columns.is_frame(receiver.kind) and receiver.table is not None:
        return reshaping.stacked(receiver, receiver.table, call)
    if method in {"agg", "aggregate"} and frame_columns.is_frame(receiver.kind) and receiver.table is not None:
        return frame_results.aggregated(receiver, receiver.table, call)
    if method == "eval" and frame_columns.is_frame(receiver.kind) and receiver.table is not None:
        table = frame_results.evaluated(receiver.table, call)
        return Of(receiver.kind, table=table) if table is not None else None
    if grouped_results.is_of_groups(receiver.kind):
        return grouped_results.value_of(receiver, method, call)
    if series_results.is_plain(receiver.kind):
        return series_results.value_of(receiver, method, call)
    return series_results.of_text(receiver, method, call) or constant_texts.of_labels(receiver, method, call)


def _as_constructed(call: Invocation) -> Invocation:
    """``DataFrame.from_records(rows, columns=[…])`` as ``DataFrame(rows, columns=[…])``; other places and parameters are not followed."""
    known = len(call.positional) == 1 and set(call.keywords) <= {"columns"}
    return Invocation(call.node, call.positional, call.keywords, stars=not known or call.stars)


def with_table(value: Value, bound: Bound, call: Invocation) -> Value:
    """A result with the columns that it may have."""
    source = next(
        (o for o in options_of(bound.receiver) if frame_columns.is_frame(o.kind) or frame_columns.is_grouped(o.kind)),
        None,
    )
    if source is None or source.table is None or class_module(source.kind).startswith("polars"):
        return value
    table = source.table

    def give(one: Value) -> Value:
        if not isinstance(one, Of) or source is None:
            return one
        if (
            frame_columns.is_series(one.kind)
            and frame_columns.is_frame(source.kind)
            and frame_results.is_of_columns(bound.name, call)
        ):
            # the columns may have a name, as those of a pivot
            return Of(one.kind, table=Table(table.columns, levels=None))
        return Of(
            one.kind, exact=one.exact, table=frame_results.result_table(bound.name, table, call, source.kind, one.kind)
        )

    return each(value, give)


def check_columns(run: Run, option: Of, method: str, call: Invocation) -> None:
    table = option.table
    if table is None or class_module(option.kind).startswith("polars"):
        return
    if method == "drop" and frame_columns.is_frame(option.kind) and "errors" not in call.keywords:
        dropped = call.argument("index") or (call.argument("labels", 0) if _drops_rows(call) else None)
        if dropped is not None:
            run.absent_rows(*dropped, table)
    if _is_of_labels(option) and method == "drop" and "errors" not in call.keywords:
        named = call.argument("labels", 0)
        run.absent_columns(named_columns.absent(named, table) if named is not None else (), table)
    run.absent_levels(named_columns.levels_named(method, call, table), table)
    if table.columns is None:
        return
    if class_name(option.kind) == "PlotAccessor":
        run.absent_columns(named_columns.columns_named("plot", call, table), table)
    elif frame_columns.is_frame(option.kind) or (_is_of_frames(option) and method in {"agg", "aggregate"}):
        if method in {"transform", "astype"} and frame_columns.is_grouped(option.kind):
            return
        if method in {"query", "eval"}:
            query_strings.check(run, option, call)
        uses = _merge_uses(table, call) if method == "merge" else named_columns.columns_named(method, call, table)
        run.absent_columns(uses, table)


def _drops_rows(call: Invocation) -> bool:
    return "columns" not in call.keywords and call.constant("axis", 1, 0) in (0, "index")


def _is_of_labels(index: Of) -> bool:
    """True for ``frame.columns``."""
    return class_name(index.kind) == "Index" and class_module(index.kind).startswith("pandas")


def _is_of_frames(groups: Of) -> bool:
    """True for groups or windows of a DataFrame."""
    return grouped_results.is_of_groups(groups.kind) and groups.table is not None and not groups.table.of_series


def _merge_uses(table: Table, call: Invocation) -> list[named_columns.Use]:
    """The columns that a merge names, in the left table and in the right one."""
    uses = list(named_columns.columns_named("merge", call, table))
    other = call.argument("right", 0)
    right = frame_columns.first_table(other[1]) if other is not None else None
    if right is not None and right.columns is not None:
        given = call.keywords.get("on") or call.keywords.get("right_on")
        moved = Invocation(call.node, [], {"on": given} if given is not None else {}, stars=True)
        uses += named_columns.columns_named("merge", moved, right)
    return uses
