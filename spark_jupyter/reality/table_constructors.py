"""Columns of tables made from dicts, records and files."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spark_jupyter.reality import column_values, dict_keys
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    constant,
    constants,
    each,
    options_of,
)
from spark_jupyter.reality.frame_columns import is_frame, is_series, pairs_of
from spark_jupyter.reality.index_labels import labels_of
from spark_jupyter.reality.relabelling import FLAT
from spark_jupyter.reality.static_lookup import class_name


def new_frame(call: Invocation) -> Table:
    """The table of ``pandas.DataFrame(…)``."""
    table = _new_frame(call)
    given = call.argument("index", 1)
    if given is not None and isinstance(given[1], Of) and given[1].kind in (list, tuple) and not call.stars:
        rows = constants(given[1])
        table.rows = None if rows is None or any(type(label) is not str for label in rows) else rows
    elif given is None and table.rows is None and call.positional and not call.stars:
        table.rows = _rows_of(call.positional[0][1])
    return table


def _rows_of(data: Value) -> tuple[object, ...] | None:
    """All labels that the rows may have of a DataFrame that is made of a dict of Series, or of dicts."""
    found: list[object] = []
    for item in (pairs_of(data) or {None: UNKNOWN}).values():
        table = item.table if isinstance(item, Of) and is_series(item.kind) else None
        labels = table.columns if table is not None else item.keys if isinstance(item, Of) else None
        if not labels or any(type(label) is not str for label in labels):
            return None
        found += labels
    return tuple(found) or None


def _new_frame(call: Invocation) -> Table:
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


def of_dict(call: Invocation) -> Table:
    """The table of ``pandas.DataFrame.from_dict(…)``."""
    orient, given = call.constant("orient", 1, "columns"), call.argument("columns", 3)
    if orient == "columns" and given is None and call.positional and not call.stars:
        return new_frame(Invocation(call.node, call.positional[:1]))
    names = labels_of(given[1]) if given is not None and isinstance(given[1], Of) else None
    return Table(None if names is None or NO_CONSTANT in names else names, levels=())


def _table_of_data(value: Value, call: Invocation) -> Table:
    if isinstance(value, Of) and issubclass(value.kind, dict) and value.keys is not None:
        if any(key is NO_CONSTANT for key in value.keys):
            return Table(None, levels=None)
        table = Table(value.keys, levels=_level_names(call), one_level=_has_one_level(call))
        if call.argument("index", 1) is None:
            table.levels = _levels_of_parts(value.items or ())
        table.holds |= column_values.of_columns(value)
        return table
    if isinstance(value, Of) and value.kind is list and value.items:
        keys: dict[object, None] = {}
        for item in value.items:
            fields = dict_keys.fields_of(item)
            if fields is None:
                return Table(None, levels=None)
            keys.update(dict.fromkeys(fields))
        known = True
        table = Table(keys if known else None, levels=_level_names(call), one_level=_has_one_level(call))
        table.holds |= column_values.of_columns(value) if known else {}
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


def _levels_of_parts(parts: tuple[Value, ...]) -> tuple[object, ...] | None:
    """Names of the index that the Series bring of which a DataFrame is made; None: any."""
    found: list[object] = []
    for part in (one for one in parts if isinstance(one, Of) and is_series(one.kind)):
        if part.table is None or part.table.levels is None:
            return None
        found += part.table.levels
    return tuple(found)


def _level_names(call: Invocation) -> tuple[object, ...] | None:
    """Names of the index: those of a list are none, those of an index object can't be seen here."""
    given = call.argument("index", 1)
    if given is None or constants(given[1]) is not None:
        return ()
    index = next(options_of(given[1]), None)
    if index is not None and class_name(index.kind) in {*FLAT, "MultiIndex"} and index.table:
        return index.table.levels
    return None


def _has_one_level(call: Invocation) -> bool:
    given = call.argument("index", 1)
    kinds = [class_name(one.kind) for one in options_of(given[1])] if given is not None else []
    return (_level_names(call) is not None and kinds != ["MultiIndex"]) or (len(kinds) == 1 and kinds[0] in FLAT)


def new_index(made: Value, call: Invocation) -> Value:
    """The index made by ``pd.date_range(…)`` and its relatives, with the name that the call gives it."""
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


def new_levels(kind: type, call: Invocation) -> Of:
    """``pd.MultiIndex.from_product([…], names=[…])``."""
    given = call.argument("names")
    names = constants(given[1]) if given is not None else None
    return Of(kind, exact=True, table=Table(None, levels=None if names is None or NO_CONSTANT in names else names))


def normalized(call: Invocation) -> Table | None:
    """The columns of ``pandas.json_normalize(…)``: the keys of the records, of those within them joined by the separator."""
    data, sep = call.argument("data", 0), call.constant("sep", 5, ".")
    if data is None or type(sep) is not str or call.stars:
        return None
    records: list[Value] | None = [data[1]]
    path = call.argument("record_path", 1)
    for name in constants(path[1]) or (None,) if path is not None and constant(path[1]) is not None else ():
        records = _below(records or [], name)
    names = _flat_names(records, sep, depth=0) if records else None
    before, meta = call.constant("record_prefix", 4, None), call.argument("meta", 2)
    if names is None or before is NO_CONSTANT or "meta_prefix" in call.keywords or len(call.positional) > 3:
        return None
    listed = [f"{before}{name}" for name in names] if before is not None else names
    of_meta = _meta_names(meta[1], sep) if meta is not None else []
    return None if of_meta is None else Table([*listed, *of_meta], one_level=True)


def paths(node: ast.expr, value: Value) -> Iterator[tuple[ast.expr, Value]]:
    """Of ``"lines"``, ``["id", ["customer", "name"]]``: the keys of the records themselves, with their places."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else ()
    if not isinstance(value, Of) or value.items is None or len(parts) != len(value.items):
        yield node, value
        return
    for part, item in zip(parts, value.items, strict=True):
        yield from list(paths(part, item))[:1]


def _below(records: list[Value], name: object) -> list[Value] | None:
    """The items of the lists under a key of the records."""
    found: list[Value] = []
    for record in _records(records):
        pairs = pairs_of(record)
        if pairs is None or name not in pairs:
            return None
        found.append(pairs[name])
    return found


def _records(values: list[Value]) -> list[Value]:
    """The records in lists of them, and those that stand alone; one of which nothing is known where a list is not seen through."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, Of) and value.kind in (list, tuple):
            found += value.items if value.items else (value.element or UNKNOWN,)
        else:
            found.append(value)
    return found


def _flat_names(records: list[Value], sep: str, *, depth: int) -> list[object] | None:
    names: dict[object, None] = {}
    for record in _records(records):
        pairs = pairs_of(record)
        if pairs is None or NO_CONSTANT in pairs or depth > _DEEPEST:
            return None
        for key, value in pairs.items():
            names[key] = None
            if isinstance(value, Of) and value.kind is dict:
                inner = _flat_names([value], sep, depth=depth + 1)
                if inner is None:
                    return None
                names.update(dict.fromkeys(f"{key}{sep}{name}" for name in inner))
            elif not (isinstance(value, Live) or (isinstance(value, Of) and value.kind in _NO_RECORDS)):
                return None  # it may be a dict
    return list(names)


_DEEPEST = 4
_NO_RECORDS = frozenset({list, tuple, str, int, float, bool})


def _meta_names(value: Value, sep: str) -> list[object] | None:
    """The columns of ``meta=["id", ["customer", "name"]]``."""
    if type(constant(value)) is str:
        return [constant(value)]
    if not isinstance(value, Of) or value.items is None:
        return None
    names: list[object] = []
    for item in value.items:
        parts = constants(item)
        if parts is None or any(type(part) is not str for part in parts):
            return None
        names.append(sep.join(map(str, parts)))
    return names


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
