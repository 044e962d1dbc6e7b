"""Rule became-constant: a varied column has one value now.

Typical causes: a constant given to the whole column instead of some rows, fractions cut to whole numbers, a mask that fits everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change, Pair
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, about, saw, shown

_FEWEST_ROWS: Final = 5
_FEWEST_BEFORE: Final = 3


def _looks(change: Change) -> Iterator[Sighting]:
    for pair in change.pairs:
        if pair.new.rows != pair.old.rows or pair.new.rows < _FEWEST_ROWS:
            continue
        for name, column in pair.new.columns.items():
            known = pair.old.columns.get(name)
            if known is None or column.share_missing > 0.5 or not column.is_constant or _meant(pair, name):
                continue
            if known.distinct >= _FEWEST_BEFORE:
                yield saw("became-constant", name, numbers=(known.distinct, not pair.new.whole))


def _meant(pair: Pair, name: str) -> bool:
    """True if the cell assigns a constant to a column of a copy, as in a scenario; in the table itself the column would be lost."""
    values = [step.value for step in pair.of_column(name)]
    calls = [call for step in pair.steps for call in step.calls if call.tail == "assign"]
    values += [keyword.value for call in calls for keyword in call.node.keywords if keyword.arg == name]
    return pair.renamed and any(isinstance(value, ast.Constant | ast.UnaryOp | ast.Name) for value in values)


def _says(seen: Sighting) -> str:
    distinct, sampled = seen.numbers
    return f"{shown(seen.names[0])} has one value in all rows{' of a sample' * bool(sampled)} (had {about(sampled)}{distinct:,.0f})."


_BEFORE: Final = """import pandas as pd
import numpy as np
df = pd.DataFrame({"share": [0.1, 0.25, 0.5, 0.75, 0.9, 0.3], "city": list("abcdef")})"""
RULE: Final = Rule(
    id="became-constant",
    looks=_looks,
    says=_says,
    tells="A column that had many values has one value in all rows.",
    remedy="Look at the expression that is assigned to the column: it gives the same value for each row.",
    bad=Case(_BEFORE, 'df["share"] = df["share"].astype(int)'),
    good=Case(_BEFORE, 'df["share"] = (df["share"] * 100).astype(int)'),
)
