"""Columns after pivot, melt, concat and the like.

Source of the rules: pandas' user guide, "Reshaping and pivot tables" and "Merge, join, concatenate and compare".
"""

from __future__ import annotations

from spark_jupyter.reality import column_values
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    Bound,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    alternatives,
    constants,
)
from spark_jupyter.reality.class_names import series_class
from spark_jupyter.reality.frame_columns import is_frame
from spark_jupyter.reality.source_definitions import Written


def cross_section(table: Table, call: Invocation) -> Table | None:
    """``xs("b1", level="branch")``: the same columns, a level less."""
    return Table(table.columns, levels=table.levels) if call.constant("axis", 1, 0) in (0, "index") else None


def pivot(table: Table, call: Invocation) -> Table | None:
    """``pivot(index=…, columns=…, values=[…])``: a level of the columns for each of the values, below it what can't be seen."""
    values, index = call.argument("values"), call.argument("index")
    named, levels = (
        constants(values[1]) if values is not None else None,
        constants(index[1]) if index is not None else None,
    )
    listed = values is not None and isinstance(values[1], Of) and values[1].kind is list
    if not named or not levels or NO_CONSTANT in (*named, *levels):
        return None
    over = call.argument("columns")
    by = constants(over[1]) if over is not None else None
    if listed:
        return _spread(table, by, named, levels)
    return column_values.spread_by(table, by, levels, call) if by else None


def _spread(
    table: Table, by: tuple[object, ...] | None, names: tuple[object, ...], levels: tuple[object, ...]
) -> Table:
    """Columns of two levels: first these names, then the values of the column ``by`` which they are spread."""
    held = table.values_of(by[0]) if by is not None and len(by) == 1 else None
    below = [(name, value) for name in names for value in (held or (NO_CONSTANT,))]
    return Table([*names, *below], levels=levels, one_level=len(levels) == 1).holding(table, but=names)


def pivot_table(table: Table, call: Invocation) -> Table | None:
    """One column for each of the values where nothing is spread over columns, else one of two levels where they are a list."""
    values, index = call.argument("values", 0), call.argument("index", 1)
    function = call.argument("aggfunc", 3)
    several = function is not None and not isinstance(function[1], Live | Written | Bound)
    if values is None or index is None or several:
        return None
    names, levels = constants(values[1]), constants(index[1])
    if not names or not levels or NO_CONSTANT in (*names, *levels):
        return None
    over = call.argument("columns", 2)
    if over is None:
        return Table(names, levels=levels, one_level=len(levels) == 1).holding(table, but=names)
    if isinstance(values[1], Of) and values[1].kind is list:
        return _spread(table, constants(over[1]), names, levels) if "margins" not in call.keywords else None
    by = constants(over[1])
    return column_values.spread_by(table, by, levels, call) if by else None


def stacked(frame: Of, table: Table, call: Invocation) -> Value | None:
    """``frame.stack()`` of columns of one level: a Series, with the columns as a level of its index."""
    series = series_class(frame.kind)
    if series is None or table.has_tuples or table.columns is None or table.levels is None or call.positional:
        return None
    if not set(call.keywords) <= {"future_stack", "dropna"}:
        return None
    levels = [*(table.levels or (None,)), table.axis_name]
    return Of(series, table=Table(None, levels=levels).holding(table))


def melt(table: Table, call: Invocation) -> Table | None:
    ids = call.argument("id_vars", 0)
    names = constants(ids[1]) if ids is not None else ()
    variable = call.constant("var_name", 2, "variable")
    value = call.constant("value_name", 3, "value")
    if names is None or NO_CONSTANT in (*names, variable, value):
        return None
    named = table.axis_name  # where the columns have a name, as behind a pivot, it is that one
    if "var_name" not in call.keywords and (
        table.columns is None or table.has_tuples or not isinstance(named, str | None)
    ):
        return None
    result = Table([*names, variable, value, "variable", *([named] if named is not None else [])], levels=())
    result.holds |= {name: table.holds[name] for name in names if name in table.holds}
    melted = call.argument("value_vars", 1)
    held = column_values.few(constants(melted[1])) if melted is not None else None
    if held is not None:
        result.holds[variable] = held
    return result


def concatenated(call: Invocation) -> Value | None:
    """``pandas.concat([…])`` of what is known to be DataFrames, or of a dict of such."""
    given = call.argument("objs", 0)
    parts = (given[1].items or (given[1].element,)) if given is not None and isinstance(given[1], Of) else ()
    each = [one for part in parts if part is not None for one in alternatives(part)]
    kinds = [item for item in each if isinstance(item, Of) and is_frame(item.kind)]
    if not kinds or len(kinds) < len(each) or given is None:
        return None
    keyed = (isinstance(given[1], Of) and given[1].kind is dict) or "keys" in call.keywords
    return Of(kinds[0].kind, table=_keyed(call, kinds) if keyed or "names" in call.keywords else _stacked(kinds))


def _keyed(call: Invocation, parts: list[Of]) -> Table | None:
    """Below each other, with their keys as a level of the index; beside each other they would be a level of the columns."""
    table, named = _stacked(parts), call.argument("names")
    if table is None or table.levels is None or call.constant("axis", 1, 0) not in (0, "index"):
        return None
    if named is None:
        return Table(table.columns, levels=[None, *table.levels])
    names = constants(named[1])
    return None if names is None or NO_CONSTANT in names else Table(table.columns, levels=[*names, *table.levels])


def _stacked(parts: list[Of]) -> Table | None:
    names: list[object] = []
    levels: list[object] = []
    for item in parts:
        if item.table is None or item.table.columns is None or item.table.levels is None:
            return None
        names += item.table.columns
        levels += item.table.levels
    return Table(names, levels=levels)
