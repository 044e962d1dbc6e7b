"""Assignments to ``columns`` and ``index``, and transposition."""

from __future__ import annotations

from spark_jupyter.reality.abstract_values import NO_CONSTANT, Of, Table, Value, constants
from spark_jupyter.reality.frame_columns import is_frame, is_plain_label, is_series, row_labels
from spark_jupyter.reality.static_lookup import class_name


def rename_all(frame: Of, names: Value) -> None:
    """``frame.columns = [...]``."""
    listed = constants(names)
    if isinstance(names, Of) and names.table is not None:  # made of other labels, one by one
        listed = None if names.table.columns is None else tuple(names.table.columns)
    known = listed is not None and all(map(is_plain_label, listed)) and isinstance(names, Of)
    if frame.table is not None:
        of_rows = set(frame.table.levels or ()) - set(frame.table.columns or ())
        frame.table.holds = {name: held for name, held in frame.table.holds.items() if name in of_rows}
    if not known:
        if frame.table is not None:
            frame.table.forget()
    elif frame.table is None:
        frame.table = Table(listed, levels=None)
    else:
        frame.table.columns, frame.table.has_tuples, frame.table.axis_name = dict.fromkeys(listed or ()), False, None


def relabelled(owner: Of, axis: str, labels: Value, *, certain: bool) -> None:
    """``frame.columns = …``, ``frame.index = …``."""
    if axis == "columns" and certain and is_frame(owner.kind):
        rename_all(owner, labels)
    elif axis == "index" and owner.table is not None and is_frame(owner.kind):
        set_index_of(owner.table, labels, certain=certain)
    elif owner.table is not None:
        owner.table.forget()


def set_index_of(table: Table, index: Value, *, certain: bool) -> None:
    """``frame.index = …``: its rows are called otherwise, its columns are what they were."""
    for level in table.levels or ():
        if table.columns is None or level not in table.columns:
            table.holds.pop(level, None)
    table.rows, table.levels, table.one_level = None, None, False
    listed = constants(index) if isinstance(index, Of) else None
    if not certain or not isinstance(index, Of):
        return
    if listed is not None or index.kind is range:
        table.levels, table.one_level = (), True
        table.rows = listed if listed and all(type(label) is str for label in listed) else None
    elif is_series(index.kind) and index.table is not None and index.table.name is not NO_CONSTANT:
        table.levels, table.one_level = (index.table.name,), True
        table.holds.pop(index.table.name, None)  # the index may hold something else than the column of that name
        rows = index.table.values()
        table.rows = rows if rows and all(type(label) is str for label in rows) else None
    elif class_name(index.kind) in FLAT:
        table.one_level = True


FLAT = frozenset({"DatetimeIndex", "RangeIndex", "PeriodIndex", "TimedeltaIndex"})
"""Classes of an index of one level."""


def turned(table: Table) -> Table:
    """``frame.T``: what the rows are called are the columns."""
    result = Table(row_labels(table), levels=(table.axis_name,), one_level=not table.has_tuples)
    result.axis_name = table.levels[0] if table.levels and len(table.levels) == 1 else None
    columns = tuple(table.columns or ())
    result.rows = columns if columns and all(type(label) is str for label in columns) else None
    return result
