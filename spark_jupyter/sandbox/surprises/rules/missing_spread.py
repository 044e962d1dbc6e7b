"""Rule missing-spread: a sum is missing wherever one of its inputs is.

``a + b`` has no value where either has none, so a total has more gaps than its parts; a mean by numpy of values with a gap is no number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, listed, percent, saw, shown
from spark_jupyter.sandbox.surprises.table_flow import Step

_MOST: Final = 0.1
_MORE: Final = 0.05
_FEWEST_ROWS: Final = 5
_REDUCES: Final = {
    "mean",
    "sum",
    "std",
    "var",
    "max",
    "min",
    "median",
    "average",
    "percentile",
    "quantile",
    "corrcoef",
    "dot",
}


def _looks(change: Change) -> Iterator[Sighting]:
    for pair in change.pairs:
        if pair.new.rows != pair.old.rows or pair.new.rows < _FEWEST_ROWS:
            continue
        for name, column in pair.new.columns.items():
            added = _added(pair.of_column(name), name)
            gaps = {one: pair.old.columns[one].share_missing for one in added if one in pair.old.columns}
            with_gaps = [one for one, share in gaps.items() if share]
            if len(gaps) == len(added) > 1 and len(with_gaps) > 1 and name not in gaps:
                share = column.share_missing
                if share >= _MOST and share - max(gaps.values()) >= _MORE:
                    yield saw("missing-spread", name, *with_gaps[:4], numbers=(share,))
    for step in change.steps:
        if step.column is None and _is_no_number(change, step):
            yield saw("missing-spread", step.target)


def _added(steps: list[Step], name: str) -> list[str]:
    """The columns that a column is the plain sum of; empty where it is anything else."""
    own = [step for step in steps if step.column == name]
    found: list[str] = []
    ahead: list[ast.expr] = [own[-1].value] if len(own) == 1 else []
    while ahead:
        match ahead.pop():
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                ahead += [right, left]
            case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str(column))):
                found.append(column)
            case ast.Attribute(value=ast.Name(), attr=column):
                found.append(column)
            case _:
                return []
    return found


def _is_no_number(change: Change, step: Step) -> bool:
    """Whether a figure that numpy made of an array is no number since one of its values is none."""
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
        return f"{shown(name)} is no number, since one of the values that it is made of is missing."
    return f"{shown(name)} is missing in {percent(seen.numbers[0])} of rows: wherever one of {listed(parts)} is."


_BEFORE: Final = """import numpy as np
import pandas as pd
df = pd.DataFrame({"a": [1.0, None, 3, 4, 5, 6, 7, 8], "b": [1.0, 2, None, 4, 5, 6, 7, 8], "c": range(8)})
values = df["a"].to_numpy()"""
RULE: Final = Rule(
    id="missing-spread",
    looks=_looks,
    says=_says,
    tells="A sum is missing wherever one of its inputs is.",
    remedy="If a gap counts as nothing: fill it first, or use sum(axis=1), fill_null or numpy's nan functions.",
    bad=(
        Case(_BEFORE, 'df["total"] = df["a"] + df["b"] + df["c"]'),
        Case(_BEFORE, 'df["total"] = df.a + df.b'),
        Case(_BEFORE, "average = values.mean()"),
        Case(_BEFORE, "top = np.max(values)"),
    ),
    good=(
        Case(_BEFORE, 'df["total"] = df[["a", "b", "c"]].sum(axis=1)'),
        Case(_BEFORE, 'df["total"] = df["a"].fillna(0) + df["b"].fillna(0)'),
        Case(_BEFORE, 'df["ratio"] = df["a"] / df["b"]'),
        Case(_BEFORE, 'df["total"] = df["a"] + df["c"]'),
        Case(_BEFORE, "average = np.nanmean(values)"),
    ),
)
