"""Tables that are made of something else: of a dict, of records, of a file whose columns the call names."""

from __future__ import annotations

from spark_jupyter.reality import contents
from spark_jupyter.reality.labels import labels_of
from spark_jupyter.reality.lookup import class_name
from spark_jupyter.reality.tables import is_frame
from spark_jupyter.reality.values import NO_CONSTANT, UNKNOWN, Invocation, Of, Table, Value, constants, each, options_of


def new_frame(call: Invocation) -> Table:
    """The table of ``pandas.DataFrame(…)``."""
    given = call.argument("columns", 2)
    if given is not None:
        names = labels_of(given[1]) if isinstance(given[1], Of) else None
        if names is None or NO_CONSTANT in names:
            return Table(None, levels=None)
        return Table(names, levels=_level_names(call), one_level=_has_one_level(call))
    data = call.argument("data", 0)
    if data is None or call.stars:
        return Table(None if call.stars else (), levels=_level_names(call))
    return _table_of_data(data[1], call)


def _table_of_data(value: Value, call: Invocation) -> Table:
    if isinstance(value, Of) and value.kind is dict and value.keys is not None:
        if any(key is NO_CONSTANT for key in value.keys):
            return Table(None, levels=None)
        table = Table(value.keys, levels=_level_names(call), one_level=_has_one_level(call))
        table.holds |= contents.of_columns(value)
        return table
    if isinstance(value, Of) and value.kind is list and value.items:
        keys: dict[object, None] = {}
        for item in value.items:
            if not (isinstance(item, Of) and item.kind is dict and item.keys is not None):
                return Table(None, levels=None)
            keys.update(dict.fromkeys(item.keys))
        known = not any(key is NO_CONSTANT for key in keys)
        table = Table(keys if known else None, levels=_level_names(call), one_level=_has_one_level(call))
        table.holds |= contents.of_columns(value) if known else {}
        return table
    if isinstance(value, Of) and is_frame(value.kind) and value.table is not None:
        return value.table.copy()
    if isinstance(value, Of) and value.kind is list and value.element is not None:
        if not isinstance(value.element, Of):
            return Table(None, levels=None)
        table = _table_of_data(Of(list, items=(value.element,)), call)
        table.holds.clear()  # of the other dicts in the list it is not known
        return table
    return Table(None, levels=None)


def _level_names(call: Invocation) -> tuple[object, ...] | None:
    """Names of the index: those of a list are none, those of an index object can't be seen here."""
    given = call.argument("index", 1)
    if given is None or constants(given[1]) is not None:
        return ()
    index = next(options_of(given[1]), None)
    return index.table.levels if index is not None and class_name(index.kind) in _FLAT and index.table else None


_FLAT = frozenset({"DatetimeIndex", "RangeIndex", "PeriodIndex", "TimedeltaIndex"})
"""Classes of an index of one level."""


def _has_one_level(call: Invocation) -> bool:
    given = call.argument("index", 1)
    kinds = [class_name(one.kind) for one in options_of(given[1])] if given is not None else []
    return _level_names(call) is not None or (len(kinds) == 1 and kinds[0] in _FLAT)


def new_index(made: Value, call: Invocation) -> Value:
    """What ``pd.date_range(…)`` and its relatives give: an index whose name the call says."""
    name = call.constant("name", None, None)
    known = name is not NO_CONSTANT and not call.stars
    return each(
        made,
        lambda one: (
            Of(one.kind, table=Table(None, levels=(() if name is None else (name,)) if known else None))
            if isinstance(one, Of)
            else one
        ),
    )


def read(call: Invocation) -> Table | None:
    """The columns of a file that is read, where the call names them."""
    for name in ("usecols", "columns", "names"):
        given = call.argument(name)
        names = constants(given[1]) if given is not None and isinstance(given[1], Of) else None
        if names is not None and all(type(column) is str for column in names):
            return Table(names, levels=None)
    return None


def new_series(call: Invocation) -> Table | None:
    """The labels and the name of ``pandas.Series(…)``."""
    table = _labels_of_new(call)
    if table is not None:
        table.name = call.constant("name", 3, None)
    return table


def _labels_of_new(call: Invocation) -> Table | None:
    """The labels of ``pandas.Series(…)``; none that are strings where it has no index of its own."""
    given = call.argument("index", 1)
    if given is not None:
        names = labels_of(given[1])
        return None if names is None or NO_CONSTANT in names else Table(names)
    data = call.argument("data", 0)
    value = data[1] if data is not None else UNKNOWN
    if isinstance(value, Of) and value.kind is dict and value.keys is not None:
        return None if any(key is NO_CONSTANT for key in value.keys) else Table(value.keys)
    if isinstance(value, Of) and value.kind in (list, tuple):
        return Table(())
    return None
