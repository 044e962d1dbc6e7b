"""Joins in a cell: both tables, their keys, the result."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.table_flow import Called, Step
from spark_jupyter.sandbox.surprises.table_samples import Table

_HARMLESS: Final = {
    *(
        "merge",
        "join",
        "rename",
        "reset_index",
        "fillna",
        "fill_null",
        "sort_values",
        "sort",
        "assign",
        "with_columns",
        "drop",
    ),
    *("set_index", "copy", "astype", "col", "round", "lower", "upper", "strip"),
}
"""What may stand beside a join without a change of the number of rows."""


class Join(NamedTuple):
    """``left`` and ``right`` are the tables; ``keys`` the columns of each by which they are joined, empty where that is not known."""

    result: str
    left_name: str
    right_name: str
    left: Table
    right: Table
    new: Table
    how: str
    keys: tuple[list[str], list[str]]

    def values(self, *, right: bool = False) -> list[tuple[Any, ...]]:
        """The keys of one side, a row each; empty where they are not known whole: of plain values only."""
        table, names = (self.right, self.keys[1]) if right else (self.left, self.keys[0])
        columns = [table.columns.get(name) for name in names]
        if not names or not table.whole or any(one is None or one.kind == "other" for one in columns):
            return []
        return list(zip(*(column.values.tolist() for column in columns if column is not None), strict=True))


def joins_of(change: Change) -> Iterator[Join]:
    """The joins whose result has a name, and is nothing but the join."""
    for step in change.steps:
        calls = [call for call in step.calls if call.tail in ("merge", "join")]
        others = [one for one in change.steps if one.target == step.target and one.column is None]
        if not step.target or step.column is not None or len(calls) != 1 or len(others) != 1:
            continue
        new = change.after(step.target)
        if new is not None and step.tails <= _HARMLESS and (found := _join(change, step, calls[0], new)) is not None:
            yield found


def _join(change: Change, step: Step, call: Called, new: Table) -> Join | None:
    of_module = call.receiver in ("pd", "pandas")
    left = call.receiver if not of_module else _name(call.argument(0, "left"))
    right = _name(call.argument(1 if of_module else 0, "right", "other"))
    first, other = change.taken(left), change.taken(right)
    if first is None or other is None or first.is_series or other.is_series:
        return None
    how = call.text(-1, "how") or ("left" if call.tail == "join" and not first.polars else "inner")
    return Join(step.target, left, right, first, other, new, how, _keys(call, first, other))


def _keys(call: Called, left: Table, right: Table) -> tuple[list[str], list[str]]:
    both = call.argument(-1, "on")
    if both is None and call.tail == "join" and left.polars:
        both = call.argument(1)
    if both is not None:
        return _texts(both), _texts(both)
    mine, other = call.argument(-1, "left_on"), call.argument(-1, "right_on")
    if mine is not None and other is not None:
        return _texts(mine), _texts(other)
    given = {keyword.arg for keyword in call.node.keywords}
    if call.tail == "merge" and not given & {"left_index", "right_index", "left_on", "right_on"}:
        shared = [name for name in left.columns if name in right.columns]
        return shared, shared
    return [], []


def _name(node: ast.expr | None) -> str:
    """A table by its name, or columns of one."""
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.id if isinstance(node, ast.Name) else ""


def _texts(node: ast.expr) -> list[str]:
    elements = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    texts = [one.value for one in elements if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return texts if len(texts) == len(elements) else []
