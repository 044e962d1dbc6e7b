"""Subscripts: item values, named columns, assignments."""

from __future__ import annotations

import ast
import enum
from io import StringIO

from spark_jupyter.reality import (
    callbacks,
    column_values,
    dict_keys,
    findings,
    frame_columns,
    grouped_results,
    lazy_frames,
    named_columns,
)
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Either,
    Live,
    Of,
    Table,
    Unknown,
    Value,
    alternatives,
    constant,
    constants,
    either,
    options_of,
)
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.class_names import array, frame_class, numpy_class, series_class
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.frame_columns import row_table
from spark_jupyter.reality.operators import in_display, is_mask
from spark_jupyter.reality.static_lookup import class_module, class_name, members_of


def item_of(run: Run, value: Value, index: Value, node: ast.Subscript) -> Value:
    """The value of ``value[index]``."""
    options = alternatives(value)
    if isinstance(value, Of) and (frame_columns.is_lazy(value.kind) or lazy_frames.is_groups(value.kind)):
        return lazy_frames.item(run, value, index, node)
    if isinstance(index, Either) and all(constant(one) is not NO_CONSTANT for one in index.options):
        return either([item_of(run, value, one, node) for one in index.options])
    if len(options) == 1:
        return _item(run, value, index, node)
    return run.for_each(options, lambda option: _item(run, option, index, node))


def store_item(run: Run, owner: Value, index: Value, target: ast.Subscript, value: Value = UNKNOWN) -> None:
    """``owner[index] = value``: what is known of the owner changes."""
    name = constant(index)
    certain = run.journal is None and isinstance(owner, Of)
    if isinstance(owner, Unknown) and type(name) is str:
        run.labels.add(name)  # the label may be any DataFrame's column
    elif isinstance(owner, Unknown) and run.delayed:
        root = target.value
        while isinstance(root, ast.Subscript | ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            run.forget_global(root.id)
    for option in options_of(owner):
        if issubclass(option.kind, dict):
            dict_keys.put(run, option, name, value, certain=certain)
        elif option.kind is list:
            frame_columns.let_go(option)
            option.forget_items()
        elif option.table is not None:
            _store_in_table(option, option.table, index, value if certain else UNKNOWN)


def _store_in_table(owner: Of, table: Table, index: Value, value: Value) -> None:
    """``frame[index] = value``, ``frame.loc[index] = value``, ``series[index] = value``."""
    name, kind = constant(index), class_name(owner.kind)
    if frame_columns.is_frame(owner.kind) or frame_columns.is_lazy(owner.kind):
        pair = constants(index) if isinstance(index, Of) and index.kind is tuple else None
        if pair and NO_CONSTANT not in pair:
            table.add(pair, pair[0])
        else:
            _add_columns(table, index)
        held = column_values.of_display(value)
        if held is not None and name is not NO_CONSTANT:
            table.holds[name] = held
    elif kind in {"_LocIndexer", "_AtIndexer"}:
        parts = index.items if isinstance(index, Of) and index.kind is tuple and index.items else (index,)
        frame_columns.may_add_row(table, constant(parts[0]))
        column = index if owner.element is not None else _second(index)
        if column is not None:
            _add_columns(table, column)
        else:
            table.holds.clear()
    elif kind in {"_iLocIndexer", "_iAtIndexer"}:
        table.holds.clear()
    elif frame_columns.is_series(owner.kind):
        table.forget()


def _item(run: Run, value: Value, index: Value, node: ast.Subscript) -> Value:
    if not isinstance(value, Of):
        return _of_live(run, value, index, node)
    if value.items and value.kind is numpy_class("ndarray"):
        return _of_objects(value, index, node)
    if value.element is not None and value.kind in (list, tuple, dict):
        sliced = isinstance(node.slice, ast.Slice) and value.kind is not dict
        return Of(value.kind, element=value.element) if sliced else value.element
    if value.items is not None and value.kind is not StringIO:
        dict_keys.asked(value, constant(index))
        _missing_key(run, value, index, node)
        return in_display(value, constant(index), isinstance(node.slice, ast.Slice))
    name = class_name(value.kind)
    if frame_columns.is_frame(value.kind) or name == "_LocIndexer":
        frame = value if frame_columns.is_frame(value.kind) else Of(frame_class(), table=value.table)
        frame = value.element if isinstance(value.element, Of) else frame
        index = callbacks.as_selector(index, node, frame)
    if frame_columns.is_frame(value.kind):
        return _of_frame(run, value, index, node)
    if grouped_results.is_of_groups(value.kind):
        return _of_groups(run, value, index, node)
    if value.kind in (numpy_class("ndarray"), numpy_class("generic")):
        return UNKNOWN if type(constant(index)) is str else array()
    if name in {"_LocIndexer", "_iLocIndexer", "_AtIndexer", "_iAtIndexer"}:
        return _located(run, value, name, index, node)
    if value.kind in (str, bytes) or (isinstance(node.slice, ast.Slice) and value.kind in (list, tuple)):
        return Of(value.kind)
    if value.kind is tuple:
        return Of(int) if isinstance(node.value, ast.Attribute) and node.value.attr == "shape" else UNKNOWN
    return _of_series(run, value, index, node) if frame_columns.is_series(value.kind) else _of_text(value)


def _of_text(accessor: Of) -> Value:
    """``series.str[0]``: a Series of what stands there in each; of all else nothing is known."""
    kind, table = series_class(frame_class()), accessor.table
    if class_name(accessor.kind) != "StringMethods":
        return UNKNOWN
    return Of(kind, table=table.copy()) if kind is not None and table is not None and not table.of_labels else UNKNOWN


def _of_series(run: Run, value: Of, index: Value, node: ast.Subscript) -> Value:
    if value.table is not None and isinstance(node.ctx, ast.Load):
        run.absent_labels(node.slice, index, value.table)
    if isinstance(node.slice, ast.Slice) or is_mask(index) or _is_index(index):
        return Of(value.kind, table=value.table.copy() if value.table is not None else None)
    return UNKNOWN


def _of_live(run: Run, value: Value, index: Value, node: ast.Subscript) -> Value:
    if not isinstance(value, Live):
        return UNKNOWN
    if type(value.thing) is enum.EnumMeta:
        return _member(run, value.thing, constant(index), node)
    return Of(str) if type(value.thing) is str else UNKNOWN


def _member(run: Run, kind: type, name: object, node: ast.Subscript) -> Value:
    """``Colour["RED"]`` of an enumeration of the kernel."""
    members = members_of(kind)
    if type(name) is not str or not members or name in members:
        return Live(members[name]) if type(name) is str and members else UNKNOWN
    close = findings.nearest(name, members)
    message = f"Class `{class_name(kind)}` has no attribute `{name}`."
    remedy = findings.with_listing(close, "There", list(members))
    run.say(Rule.MISSING_KEY, message, node.slice, remedy=remedy, wrong=name, meant=close)
    return UNKNOWN


def _missing_key(run: Run, value: Of, index: Value, node: ast.Subscript) -> None:
    """A key that a dict whose keys are all known does not have."""
    key, keys = constant(index), value.keys
    if (
        not issubclass(value.kind, dict)
        or not value.exact
        or keys is None
        or type(key) is not str
        or not isinstance(node.ctx, ast.Load)
    ):
        return
    if key in keys or NO_CONSTANT in keys or run.may_be_set(key) or run.trusts_nothing:
        return
    names = [name for name in keys if type(name) is str]
    close = findings.nearest(key, names)
    remedy = findings.with_listing(close, "The keys", names)
    run.say(Rule.MISSING_KEY, f"The dict has no key `{key}`.", node.slice, remedy=remedy, wrong=key, meant=close)


def _of_objects(array: Of, index: Value, node: ast.Subscript) -> Value:
    """An item of an array of objects that are all alike."""
    if isinstance(node.slice, ast.Slice):
        return array
    item: Value = array
    for _ in index.items or () if isinstance(index, Of) and index.kind is tuple else (index,):
        item = item.items[0] if isinstance(item, Of) and item.items else UNKNOWN
    return item


def _of_frame(run: Run, frame: Of, index: Value, node: ast.Subscript) -> Value:
    if frame.table is not None:
        run.absent_columns(named_columns.subscript_absent(node.slice, index, frame.table), frame.table)
    series = series_class(frame.kind)
    if isinstance(index, Of) and index.kind is list:
        names = constants(index)
        listed = names is not None and NO_CONSTANT not in names and all(type(name) is str for name in names)
        if names is not None and listed and frame.table is not None and frame.table.columns is not None:
            chosen = Table(names, levels=frame.table.levels, one_level=frame.table.one_level)
            return Of(frame.kind, table=chosen.holding(frame.table))
        return _rows_of(frame)
    if isinstance(node.slice, ast.Slice) or is_mask(index) or _is_index(index):
        return _rows_of(frame)
    if class_module(frame.kind).startswith("polars"):
        return Of(series) if series is not None and type(constant(index)) is str else UNKNOWN
    return frame_columns.column_of(frame, constant(index))


def _rows_of(frame: Of) -> Of:
    """Some of its rows or columns."""
    table = frame.table
    if table is None:
        return Of(frame.kind)
    some = table.copy().holding(table)
    some.rows = table.rows
    return Of(frame.kind, table=some)


def _is_index(index: Value) -> bool:
    """True for a pandas Index: of labels, several columns."""
    return isinstance(index, Of) and class_name(index.kind) == "Index" and class_module(index.kind).startswith("pandas")


def _of_groups(run: Run, groups: Of, index: Value, node: ast.Subscript) -> Value:
    if groups.table is not None and not groups.table.of_series:
        run.absent_columns(named_columns.subscript_absent(node.slice, index, groups.table), groups.table)
    if isinstance(index, Of) and index.kind is list:
        return grouped_results.columns_of(groups, constants(index))
    return grouped_results.column_of(groups, constant(index)) if type(constant(index)) is str else UNKNOWN


def _located(run: Run, indexer: Of, name: str, index: Value, node: ast.Subscript) -> Value:
    """``frame.loc[…]``: the column in ``loc[rows, column]`` is checked; of a Series, the label."""
    if indexer.element is not None:
        return _of_series(run, indexer.element, index, node) if isinstance(indexer.element, Of) else UNKNOWN
    if name in {"_LocIndexer", "_AtIndexer"} and indexer.table and isinstance(node.ctx, ast.Load):
        _absent_rows(run, indexer.table, index, node.slice)
    if name not in {"_LocIndexer", "_AtIndexer"} or not indexer.table or not isinstance(node.slice, ast.Tuple):
        return _rows(run, indexer, name, index, node)
    column = _second(index)
    two_parts = indexer.table.one_level or isinstance(node.slice.elts[0], ast.Tuple)
    if column is not None and isinstance(node.ctx, ast.Load) and two_parts:
        run.absent_columns(named_columns.subscript_absent(node.slice.elts[1], column, indexer.table), indexer.table)
        return _columns_of_rows(indexer, index, node.slice.elts[0])
    if column is not None and isinstance(node.ctx, ast.Store):
        _add_columns(indexer.table, column)
    return UNKNOWN


def _absent_rows(run: Run, table: Table, index: Value, node: ast.expr) -> None:
    """``frame.loc[label]``, ``frame.loc[[label, label]]``, ``frame.loc[label, column]``."""
    if isinstance(node, ast.Tuple):
        parts = index.items if isinstance(index, Of) and index.kind is tuple and index.items else ()
        if len(parts) != 2 or not node.elts:
            return
        index, node = parts[0], node.elts[0]
    if type(constant(index)) is str or (isinstance(index, Of) and index.kind is list):
        run.absent_rows(node, index, table)


def _columns_of_rows(indexer: Of, index: Value, rows: ast.expr) -> Value:
    """``frame.loc[mask, columns]``: a Series, or a DataFrame where they are a list."""
    parts = index.items if isinstance(index, Of) and index.items else ()
    if len(parts) != 2 or not (isinstance(rows, ast.Slice) or is_mask(parts[0])) or indexer.table is None:
        return UNKNOWN
    names = constants(parts[1])
    if isinstance(parts[1], Of) and parts[1].kind is list and names is not None and NO_CONSTANT not in names:
        return Of(frame_class(), table=Table(names, levels=indexer.table.levels).holding(indexer.table))
    return frame_columns.column_of(Of(frame_class(), table=indexer.table), constant(parts[1]))


def _second(index: Value) -> Value | None:
    """The columns part of ``loc[rows, columns]``; None where there are not two parts."""
    parts = index.items if isinstance(index, Of) and index.kind is tuple else None
    return parts[1] if parts is not None and len(parts) == 2 else None


def _rows(run: Run, indexer: Of, name: str, index: Value, node: ast.Subscript) -> Value:
    """``frame.iloc[rows]``, ``frame.loc[mask]``: one row is a Series whose labels are the columns."""
    frame, series = frame_class(), series_class(frame_class())
    if isinstance(node.slice, ast.Tuple) or indexer.table is None or series is None:
        return UNKNOWN
    listed = isinstance(index, Of) and index.kind is list
    if isinstance(node.slice, ast.Slice) or listed or (name == "_LocIndexer" and is_mask(index)):
        return _rows_of(Of(frame, table=indexer.table))
    plain = (isinstance(node.slice, ast.Constant) or _is_of_extreme(node.slice)) and indexer.table.columns is not None
    return either([Of(series, table=row_table(indexer.table)), Of(frame, table=indexer.table)]) if plain else UNKNOWN


def _is_of_extreme(node: ast.expr) -> bool:
    """``frame["delay"].idxmax()``: a label of a row."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"idxmax", "idxmin"}
    )


def _add_columns(table: Table, index: Value) -> None:
    """``frame[index] = …``."""
    names = constants(index)
    if names is None or NO_CONSTANT in names:
        table.holds.clear()
        if not is_mask(index):
            table.forget()
    else:
        table.add(*names)
