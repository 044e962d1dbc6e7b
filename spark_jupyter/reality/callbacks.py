"""Arguments of functions passed to ``apply``, ``assign``, ``pipe``, ``agg`` and ``map``.

Source of the rules: pandas' user guide, "Function application", and the docstrings of the methods.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator

from spark_jupyter.reality import frame_columns, grouped_results, rows, signatures
from spark_jupyter.reality.abstract_values import (
    SCALAR,
    UNKNOWN,
    Bound,
    Invocation,
    Live,
    Of,
    Scalar,
    Table,
    Unknown,
    Value,
    constant,
    options_of,
)
from spark_jupyter.reality.class_names import frame_class, series_class
from spark_jupyter.reality.operators import element_of, few_items, is_single
from spark_jupyter.reality.source_definitions import Written
from spark_jupyter.reality.static_lookup import class_name

_OF_SERIES = frozenset({"agg", "aggregate", "transform"})
_OF_GROUP = frozenset({"apply", "filter", "pipe"})


def entered(bound: Bound, call: Invocation) -> Value | None:
    """Go through the functions that a call of a method is given; what the call gives where that is what a function returns."""
    receiver = list(options_of(bound.receiver))
    if len(receiver) != 1 or call.stars:
        return None
    owner, method = receiver[0], bound.name
    if frame_columns.is_frame(owner.kind):
        return _of_frame(owner, method, call)
    if frame_columns.is_grouped(owner.kind) and method in _OF_GROUP:
        given = _enter_first(call, _group_of(owner, bound, call), gives=method == "pipe")
        if method == "pipe":
            return given
        return grouped_results.applied(owner, given or UNKNOWN) if method == "apply" else None
    series = series_class(frame_class())
    if method == "apply" and series is not None and class_name(owner.kind) == "SeriesGroupBy":
        return grouped_results.applied_to_one(owner, _enter_first(call, Of(series)) or UNKNOWN)
    if method == "apply" and frame_columns.is_series(owner.kind):
        single = is_single(_enter_first(call, SCALAR) or UNKNOWN)
        was = owner.table or Table(None, levels=None)
        return Of(owner.kind, table=Table(None, levels=was.levels, name=was.name)) if single else None
    if method in _OF_SERIES and not frame_columns.is_lazy(owner.kind):  # Spark's transform gives the frame
        _enter_each(call, series)
    return None


def _group_of(groups: Of, bound: Bound, call: Invocation) -> Of:
    """The DataFrame of a group; ``apply`` leaves out the columns that the groups are made by, unless an older pandas keeps them."""
    table = groups.table.copy() if groups.table is not None else None
    found = signatures.signature(bound.function) if bound.name == "apply" else None
    option = found.parameters.get("include_groups") if found is not None else None
    included = call.constant("include_groups", None, option.default if option is not None else True)
    if table is not None and table.keys is not None and table.columns is not None and included is False:
        picked = table.picked or tuple(name for name in table.columns if name not in table.keys)
        table.columns = dict.fromkeys([*picked, "name"])  # pandas says there which group it is
    return Of(frame_class(), table=table)


def given_to_builtin(name: str, call: Invocation) -> None:
    """``map``, ``filter`` and ``sorted(key=…)`` call their function with each item."""
    given = [value for _, value in call.positional]
    function, items = (given[0], given[1]) if name in {"map", "filter"} and len(given) == 2 else (None, None)
    if name in {"sorted", "min", "max"} and len(given) == 1 and "key" in call.keywords:
        function, items = call.keywords["key"][1], given[0]
    if isinstance(function, Written) and items is not None:
        _enter(function, call.node, element_of(items))


def as_selector(index: Value, node: ast.expr, frame: Of) -> Value:
    """``frame[lambda d: …]``: what the function gives; any other index as it is."""
    if isinstance(index, Written) and index.enter is not None:
        return index.enter(Invocation.of(node, Of(frame.kind, table=frame.table)))
    return index


def _of_frame(frame: Of, method: str, call: Invocation) -> Value | None:
    if method == "assign":
        _assigned(frame, call)
    elif method == "pipe":
        return _enter_first(call, frame, gives=True)
    elif method == "apply":
        row = rows.row_of(frame, call)
        by_column = "axis" not in call.keywords and len(call.positional) == 1
        series = series_class(frame.kind)
        given = _enter_first(call, row or (Of(series) if by_column and series is not None else UNKNOWN))
        return _of_rows(frame, given) if row is not None else _of_columns(frame, call, given)
    elif method in _OF_SERIES:
        _enter_each(call, series_class(frame.kind))
    return None


def _of_rows(frame: Of, given: Value | None) -> Value | None:
    """``frame.apply(f, axis=1)`` where ``f`` gives a Series of known labels: a column for each."""
    table = given.table if isinstance(given, Of) and frame_columns.is_series(given.kind) else None
    if table is None or not table.columns or not all(type(label) is str for label in table.columns):
        return None
    return Of(frame.kind, table=Table(table.columns, levels=frame.table.levels if frame.table is not None else None))


_ALIKE = frozenset({"to_datetime", "to_numeric", "to_timedelta"})


def _of_columns(frame: Of, call: Invocation, given: Value | None) -> Value | None:
    """``frame.apply(f)`` where ``f`` gives a Series for each column: the same columns."""
    function = call.positional[0][1] if call.positional else UNKNOWN
    thing = function.thing if isinstance(function, Live) else None
    converts = type(thing) is types.FunctionType and thing.__name__ in _ALIKE and "axis" not in call.keywords
    alike = isinstance(given, Of) and frame_columns.is_series(given.kind)
    if frame.table is None or not (converts or alike):
        return None
    return Of(frame.kind, table=Table(frame.table.columns, levels=frame.table.levels if converts else None))


def _assigned(frame: Of, call: Invocation) -> None:
    """Each function is given the DataFrame with what was assigned before it."""
    table = frame.table.copy() if frame.table is not None else None
    for name, (node, value) in call.keywords.items():
        if isinstance(value, Written):
            _enter(value, node, Of(frame.kind, table=table.copy() if table is not None else None))
        if table is not None:
            table.add(name)


def reduced(call: Invocation) -> Value | None:
    """``functools.reduce(f, items)``: a function of two, from item to item."""
    items = few_items(call.positional[1][1]) if len(call.positional) == 2 else None
    function = call.positional[0][1] if call.positional else UNKNOWN
    if items is None or not isinstance(function, Written) or function.enter is None:
        return None
    result = items[0]
    for item in items[1:]:
        result = function.enter(Invocation.of(call.node, result, item))
    return result


def _enter_first(call: Invocation, given: Value, *, gives: bool = False) -> Value | None:
    """The first argument is called with ``given`` and, by ``pipe``, with the rest of the arguments; what it gives."""
    if not call.positional or (isinstance(given, Unknown) and not isinstance(given, Scalar)):
        return None
    node, function = call.positional[0]
    if _collects(function):
        return SCALAR
    if not isinstance(function, Written) or function.enter is None:
        return None
    if gives:
        return function.enter(Invocation(call.node, [(node, given), *call.positional[1:]], call.keywords))
    alone = Invocation.of(node, given)
    alone.stars = bool(call.keywords) or len(call.positional) > 1
    return function.enter(alone)


def _collects(function: Value) -> bool:
    """``list``, ``len``, ``", ".join``: what makes one thing of many."""
    if isinstance(function, Bound):
        return function.name == "join" and type(constant(function.receiver)) is str
    return isinstance(function, Live) and any(function.thing is one for one in _COLLECTING)


_COLLECTING = (list, set, tuple, frozenset, str, int, float, len, sorted, sum, max, min, any, all)


def _enter_each(call: Invocation, series: type | None) -> None:
    """The functions in ``agg(f)``, ``agg([f, g])``, ``agg({"a": f})`` and ``agg(total=("a", f))`` are given a Series."""
    if series is None:
        return
    for node, value in [*call.positional[:1], *call.keywords.values()]:
        for function in _functions_in(value):
            _enter(function, node, Of(series))


def _functions_in(value: Value) -> Iterator[Written]:
    if isinstance(value, Written):
        yield value
    for option in options_of(value):
        for item in option.items or ():
            yield from _functions_in(item)


def _enter(function: Written, node: ast.expr, given: Value) -> None:
    if function.enter is not None and not isinstance(given, Unknown):
        function.enter(Invocation.of(node, given))
