"""Check of columns and index levels named in calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    Invocation,
    Of,
    Table,
    Value,
    constant,
    constants,
    options_of,
)
from spark_jupyter.reality.frame_columns import is_frame
from spark_jupyter.reality.syntax_trees import placed

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
}
_KEYED = {"agg": ("func", 0), "aggregate": ("func", 0), "astype": ("dtype", 0), "transform": ("func", 0)}
_LEVELS_TOO = frozenset({"groupby", "sort_values", "merge", "join", "pivot_table", "pivot"})
_PLOT_ROLES = {
    # Of seaborn's keywords `color` is a colour of matplotlib's; of plotly express' it is a column.
    "seaborn": frozenset("x y hue size style col row weights units".split()),
    "plotly": frozenset(
        "x y z color size names values symbol line_group facet_col facet_row hover_name animation_frame path_col error_x "
        "error_y text pattern_shape".split()
    ),
}

Use = tuple[ast.expr, object]


def columns_named(method: str, call: Invocation, table: Table) -> Iterator[Use]:
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
            yield from absent(argument, table, levels)
    if method in _KEYED:
        yield from _absent_keys(call.argument(*_KEYED[method]), table)
        if method in {"agg", "aggregate"}:
            yield from _absent_in_named(call, table)


_LEVELS = {
    "unstack": ("level", 0),
    "xs": ("level", 2),
    "groupby": ("level", 1),
    "droplevel": ("level", 0),
    "reset_index": ("level", 0),
}


def levels_named(method: str, call: Invocation, table: Table) -> Iterator[Use]:
    """The levels of the index that a method is given by name and that the index does not have."""
    given = call.argument(*_LEVELS[method]) if method in _LEVELS and "axis" not in call.keywords else None
    known = [level for level in table.levels or () if level is not None]
    if given is None or not known or any(type(level) is not str for level in known):
        return
    for level in constants(given[1]) or ():
        if type(level) is str and level not in known:
            yield given[0], level


def absent(argument: tuple[ast.expr, Value], table: Table, levels: tuple[object, ...] = ()) -> Iterator[Use]:
    """The columns that an argument names and the table does not have."""
    node, value = argument
    named = constants(value) or ()
    if table.has_tuples and isinstance(value, Of) and value.kind is tuple:
        yield from _absent_pair(node, named, table)
        return
    for place, column in placed(node, named):
        if type(column) is str and not table.has(column) and column not in levels:
            yield place, column


def _absent_keys(argument: tuple[ast.expr, Value] | None, table: Table) -> Iterator[Use]:
    if argument is None:
        return
    node, value = argument
    if isinstance(value, Of) and value.kind is dict and value.keys is not None:
        yield from (use for use in placed(node, value.keys) if type(use[1]) is str and not table.has(use[1]))


def _absent_in_named(call: Invocation, table: Table) -> Iterator[Use]:
    """``agg(total=("price", "sum"))``: the first of each pair is a column."""
    for node, value in call.keywords.values():
        if isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(value, Of) and value.items:
            column = constant(value.items[0])
            if type(column) is str and not table.has(column):
                yield node.elts[0], column


def plot_columns(call: Invocation, library: str) -> Iterator[tuple[ast.expr, object, Table]]:
    """Columns that a call of seaborn's or plotly's names by its roles and its ``data`` does not have."""
    data = call.argument("data") or call.argument("data_frame", 0)
    frames = [data[1]] if data is not None else [value for _, value in call.positional[:1]]
    for value in frames:
        for option in options_of(value):
            if not is_frame(option.kind) or option.table is None or option.table.levels is None:
                continue
            for role in _PLOT_ROLES[library] & call.keywords.keys():
                for node, column in absent(call.keywords[role], option.table, option.table.levels):
                    yield node, column, option.table


def subscript_absent(node: ast.expr, index: Value, table: Table) -> Iterator[Use]:
    """The columns that ``frame[index]`` names and the table does not have."""
    if isinstance(index, Of) and index.kind is list:
        yield from absent((node, index), table)
        return
    column = constant(index)
    if type(column) is str and not table.has(column):
        yield node, column
    elif isinstance(index, Of) and index.kind is tuple and table.has_tuples:
        yield from _absent_pair(node, constants(index) or (), table)


def _absent_pair(node: ast.expr, pair: tuple[object, ...], table: Table) -> Iterator[Use]:
    """``frame["price", "mean"]``: a name for each level of the columns; the lower ones of a column of its own are empty."""
    known = [column for column in table.columns or () if type(column) is tuple]
    depths = {len(column) for column in known}
    if len(pair) != 2 or depths != {2} or any(type(part) is not str for part in pair) or pair in known:
        return
    if not pair[1] and table.has(pair[0]):
        return
    (at_first, first), (at_second, second) = placed(node, pair)
    below = [column[1] for column in known if column[0] == first]
    if not below:
        yield at_first, first
    elif NO_CONSTANT not in below:
        yield at_second, second
