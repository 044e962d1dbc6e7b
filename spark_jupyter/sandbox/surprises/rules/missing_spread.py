"""Rule missing-spread: a result is missing wherever one of its inputs is.

``a + b`` has no value where either has none, so a total has more gaps than its parts, and ``price * (1 - discount)`` none where no discount
is known, which mostly says that there was none; a mean by numpy of values with a gap is no number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, listed, percent, saw, shown
from spark_jupyter.sandbox.surprises.table_flow import Step
from spark_jupyter.sandbox.surprises.table_samples import Column
from spark_jupyter.source.python_parser import body_of

_MOST: Final = 0.1
_MORE: Final = 0.05
_FEWEST_ROWS: Final = 5
_REDUCES: Final = frozenset("mean sum std var max min median average percentile quantile corrcoef dot".split())


def _looks(change: Change) -> Iterator[Sighting]:
    for pair in change.pairs:
        if pair.new.rows != pair.old.rows or pair.new.rows < _FEWEST_ROWS:
            continue
        made = dict(one for step in pair.steps for one in _made(step))
        for name, value in made.items():
            column, added, changes = pair.new.columns.get(name), _columns(value), _changes(value)
            parts = [one for part in added or changes if (one := pair.old.columns.get(part)) is not None]
            if column is not None and parts and name not in (*added, *changes):
                yield from _spread(column, parts, fewest=1 if changes else 2)
    for step in change.steps:
        if step.column is None and _is_no_number(change, step):
            yield saw("missing-spread", step.target)


def _spread(column: Column, parts: list[Column], *, fewest: int) -> Iterator[Sighting]:
    """Find at least so many parts with gaps where the column has all of them; of several more than of each."""
    with_gaps = [one for one in parts if one.share_missing]
    share = column.share_missing
    most = max((one.share_missing for one in with_gaps[1:] and with_gaps), default=0.0)
    if len(with_gaps) >= fewest and share >= _MOST and share - most >= _MORE:
        missing = with_gaps[0].missing
        for one in with_gaps[1:]:
            missing = missing | one.missing
        if (missing == column.missing).all():
            yield saw("missing-spread", column.name, *(one.name for one in with_gaps[:4]), numbers=(share,))


def _made(step: Step) -> Iterator[tuple[str, ast.expr]]:
    """The columns that a step gives values: with the expression."""
    if step.column:
        yield step.column, step.value
    for call in step.calls:
        if call.tail in ("assign", "with_columns", "select"):
            for keyword in call.node.keywords:
                yield keyword.arg or "", keyword.value
            for one in call.node.args:
                for node in one.elts if isinstance(one, ast.List | ast.Tuple) else [one]:
                    if (
                        isinstance(node, ast.Call)
                        and isinstance(node.func, ast.Attribute)
                        and node.func.attr == "alias"
                    ):
                        yield str(getattr(node.args[0], "value", "")), node.func.value
        elif call.tail == "eval":
            match _parsed(call.text(0, "expr") or ""):
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    yield name, value


def _changes(value: ast.expr) -> list[str]:
    """The columns by which a product is changed: of ``a * (1 - b)`` it is ``b``, for which nothing often stands for none."""
    ahead, found = [value.body if isinstance(value, ast.Lambda) else value], []
    while ahead:
        match ahead.pop():
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                ahead += [right, left]
            case ast.BinOp(left=ast.Constant(value=1), op=ast.Add() | ast.Sub(), right=right):
                part: list[str] = []
                _collect(right, part)
                found += part
    return found


def _columns(value: ast.expr) -> list[str]:
    """The columns that an expression is the sum of, or a mean or a difference beside that; empty where it is anything else."""
    match value:
        case ast.Lambda(body=body):
            return _columns(body)
        case ast.Call(func=ast.Attribute(attr="apply"), args=[ast.Lambda(body=body), *_]):
            return _columns(body)
        case ast.Call(func=ast.Attribute(attr="eval"), args=[ast.Constant(value=str(text))]):
            made = _parsed(text)
            return _columns(made.value) if isinstance(made, ast.Expr) else []
        case ast.Call(func=ast.Attribute(attr="sum" | "mean", value=ast.Subscript(slice=ast.List(elts=names)))) if (
            _keeps_gaps(value)
        ):
            return [one.value for one in names if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        case ast.Call(func=ast.Attribute(attr="sum_horizontal" | "mean_horizontal"), args=names) if _keeps_gaps(value):
            return [one.value for one in names if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    found: list[str] = []
    added = _collect(value, found)
    return found if added else []


def _collect(value: ast.expr, found: list[str]) -> bool:
    """Collect the columns of a sum into ``found``; whether one is added to another. Clears ``found`` where it is no sum."""
    ahead, added = [value], False
    while ahead:
        match ahead.pop():
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                added = added or isinstance(op, ast.Add)
                ahead += [right, left]
            case ast.Call(func=ast.Attribute(value=left, attr="add"), args=[right], keywords=[]):
                added = True
                ahead += [right, left]
            case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=ast.Constant()):
                ahead.append(left)
            case ast.BinOp(left=ast.Constant(), op=ast.Mult(), right=right):
                ahead.append(right)
            case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str(column))):
                found.append(column)
            case ast.Call(func=ast.Attribute(attr="col"), args=[ast.Constant(value=str(column))]):
                found.append(column)
            case ast.Attribute(value=ast.Name(), attr=column) | ast.Name(id=column):
                found.append(column)
            case ast.Constant():
                pass
            case _:
                found.clear()
                return False
    return added


def _keeps_gaps(call: ast.Call) -> bool:
    """True if a sum over columns is told not to skip what is missing."""
    return any(
        one.arg in ("skipna", "ignore_nulls") and isinstance(one.value, ast.Constant) and one.value.value is False
        for one in call.keywords
    )


def _parsed(text: str) -> ast.stmt | None:
    """The one statement of a text; None where it is none."""
    body = body_of(text)
    return body[0] if len(body) == 1 else None


def _is_no_number(change: Change, step: Step) -> bool:
    """True if a figure that numpy made of an array is NaN because one of its values is NaN."""
    value = change.namespace.get(step.target)
    kind = type(value).__name__
    if not (kind == "float" or kind.startswith("float")) or value == value or not step.tails & _REDUCES:
        return False
    arrays = [change.array(name) for name in step.names]
    return any(
        one is not None and one.dtype.kind == "f" and 0 < (one != one).mean() < 1
        for one in arrays
        if one is None or one.size
    )


def _says(seen: Sighting) -> str:
    name, *parts = seen.names
    if not parts:
        return f"{shown(name)} is not a number, because one of the values that it is made of is missing."
    where = f"wherever one of {listed(parts)} is" if parts[1:] else f"wherever {listed(parts)} is"
    return f"{shown(name)} is missing in {percent(seen.numbers[0])} of rows: {where}."


_BEFORE: Final = """import numpy as np
import pandas as pd
df = pd.DataFrame({"a": [1.0, None, 3, 4, 5, 6, 7, 8], "b": [1.0, 2, None, 4, 5, 6, 7, 8], "c": range(8)})
values = df["a"].to_numpy()"""
RULE: Final = Rule(
    id="missing-spread",
    looks=_looks,
    says=_says,
    tells="A sum or a product is missing wherever one of its inputs is.",
    remedy="If a gap counts as nothing: fill it first, or use sum(axis=1), fill_null or numpy's nan functions.",
    bad=Case(_BEFORE, 'df["total"] = df["a"] + df["b"] + df["c"]'),
    good=Case(_BEFORE, 'df["total"] = df[["a", "b", "c"]].sum(axis=1)'),
)
