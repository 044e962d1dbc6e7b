"""Possible values of a column, and the columns that methods make of them.

They are known of what the source lists, of what makes few of many (``cut`` with labels, ``where``, ``select``), and of columns of texts
of small tables in the kernel. Like the columns themselves they are only ever more than there are. ``pivot``, ``crosstab``, ``unstack`` and
``get_dummies`` make a column of each.
"""

from __future__ import annotations

from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    Held,
    Invocation,
    Of,
    Table,
    Value,
    constant,
    constants,
    options_of,
)
from spark_jupyter.reality.distinct_texts import AT_MOST
from spark_jupyter.reality.frame_columns import is_series, pairs_of

_PLAIN = (str, int, bool)


def few(values: object) -> tuple[object, ...] | None:
    """Different plain values, if there are few."""
    if not isinstance(values, tuple) or not all(type(value) in _PLAIN or value is None for value in values):
        return None
    found = tuple(dict.fromkeys(value for value in values if value is not None))
    return found if len(found) <= AT_MOST else None


def of_display(value: Value) -> Held | None:
    """Values of a column made of a list, a constant or a Series."""
    if isinstance(value, Of) and value.kind not in (list, tuple):
        return value.table.held if value.table is not None else None
    return few(constants(value))


def of_columns(value: Of) -> dict[object, Held]:
    """The same for the columns of a DataFrame that is made of a dict of columns, or of a list of dicts."""
    if value.kind is dict:
        columns = pairs_of(value) or {}
        return {name: held for name, item in columns.items() if (held := of_display(item)) is not None}
    rows = [pairs_of(item) for item in value.items or ()]
    if not rows or any(row is None for row in rows):
        return {}
    listed: dict[object, list[object]] = {}
    for row in rows:
        for name, item in (row or {}).items():
            listed.setdefault(name, []).append(constant(item))
    return {name: held for name, items in listed.items() if (held := few(tuple(items))) is not None}


def of_choice(name: str, call: Invocation) -> Held | None:
    """Values of ``np.where(mask, "a", "b")``, ``np.select(masks, ["a", "b"], default="c")`` and ``pd.cut(…, labels=[…])``."""
    if name == "where" and len(call.positional) == 3:
        return few(tuple(constant(value) for _, value in call.positional[1:]))
    if name == "select":
        chosen = call.argument("choicelist", 1)
        listed = constants(chosen[1]) if chosen is not None else None
        return few((*listed, call.constant("default", 2, 0))) if listed is not None else None
    if name in {"cut", "qcut"}:
        labels = call.argument("labels", 3 if name == "cut" else 2)
        return few(constants(labels[1])) if labels is not None and isinstance(labels[1], Of) else None
    return None


def of_mapped(call: Invocation) -> Held | None:
    """Values of ``series.map({"a": "x"})``."""
    given = call.argument("arg", 0) or call.argument("func", 0)
    pairs = pairs_of(given[1]) if given is not None else None
    return few(tuple(constant(item) for item in pairs.values())) if pairs else None


# --- What is turned into columns -----------------------------------------------------------------------------------------


def unstacked(table: Table, call: Invocation) -> Table | None:
    """The columns of ``series.unstack()``: what the level that becomes columns holds."""
    levels = table.levels
    if levels is None or len(levels) < 2:
        return None
    level = call.constant("level", 0, -1)
    place = levels.index(level) if level in levels else level
    if type(place) is not int or not -len(levels) <= place < len(levels):
        return None
    name = levels[place]
    held = table.values_of(name)
    if held is None:
        return None
    rest = [other for other in levels if other != name]
    result = Table(held, levels=rest, one_level=len(rest) == 1).holding(table)
    result.axis_name = name
    return result


def crossed(call: Invocation) -> Table | None:
    """The columns of ``pd.crosstab(rows, columns)``."""
    given = [call.argument("index", 0), call.argument("columns", 1)]
    tables = [next((one.table for one in options_of(part[1])), None) if part is not None else None for part in given]
    if any(table is None for table in tables) or "colnames" in call.keywords:
        return None
    rows, columns = tables
    held = columns.values() if columns is not None else None
    if rows is None or columns is None or held is None:
        return None
    name = None if rows.name is NO_CONSTANT or "rownames" in call.keywords else rows.name
    result = Table([*held, *_margins(call)], levels=None if name is None else (name,), one_level=True)
    result.axis_name = columns.name
    return result


def _margins(call: Invocation) -> tuple[object, ...]:
    if call.constant("margins", None, False) is False:
        return ()
    return (call.constant("margins_name", None, "All"),)


def spread_by(table: Table, names: tuple[object, ...], levels: tuple[object, ...], call: Invocation) -> Table | None:
    """The columns of a pivot of one column by what another one holds."""
    held = table.values_of(names[0]) if len(names) == 1 else None
    if held is None:
        return None
    result = Table([*held, *_margins(call)], levels=levels, one_level=len(levels) == 1).holding(table)
    if "margins" in call.keywords:
        result.holds = {name: values for name, values in result.holds.items() if name not in levels}
    result.axis_name = names[0]
    return result


def dummies(call: Invocation) -> Table | None:
    """The columns of ``pd.get_dummies(frame, columns=[…])``, or of one of a Series."""
    data = call.argument("data", 0)
    source = next((one for one in options_of(data[1]) if one.table is not None), None) if data is not None else None
    if source is None or source.table is None:
        return None
    table, separator, prefix = source.table, call.constant("prefix_sep", 2, "_"), call.argument("prefix", 1)
    if is_series(source.kind):
        text = call.constant("prefix", 1, None)
        held = table.values()
        if held is None or text is NO_CONSTANT or call.stars:
            return None
        return Table([value if text is None else f"{text}{separator}{value}" for value in held], levels=table.levels)
    given = call.argument("columns", 4)
    names = constants(given[1]) if given is not None else table.columns and tuple(table.columns)
    if table.columns is None or not names or type(separator) is not str or "dummy_na" in call.keywords:
        return None
    prefixes = dict(zip(names, _prefixes(prefix, names) or (), strict=False))
    made: list[object] = []
    for name in names:
        held = table.values_of(name)
        if held is None or name not in prefixes:
            return None
        made += [f"{prefixes[name]}{separator}{value}" for value in held]
    return Table([*(c for c in table.columns if given is None or c not in names), *made], levels=table.levels)


def split_dummies(table: Table, call: Invocation) -> Table | None:
    """The columns of ``series.str.get_dummies(sep="|")``: the parts of the texts that it holds."""
    held, separator = table.values(), call.constant("sep", 0, "|")
    if held is None or type(separator) is not str or not separator or any(type(text) is not str for text in held):
        return None
    parts = [part for text in held for part in str(text).split(separator)]
    return Table(parts, levels=table.levels)


def _prefixes(given: tuple[object, Value] | None, names: tuple[object, ...]) -> tuple[object, ...] | None:
    if given is None:
        return names
    pairs = pairs_of(given[1])
    listed = tuple(constant(pairs[name]) for name in names if name in pairs) if pairs else constants(given[1])
    if listed is None or NO_CONSTANT in listed:
        return None
    single = type(constant(given[1])) is str
    return listed * len(names) if single else listed if len(listed) == len(names) else None
