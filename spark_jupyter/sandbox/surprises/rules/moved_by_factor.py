"""Rule moved-by-factor: cleaning moved a column's mean by a factor.

Typical causes: a 9999 that stands for missing, a decimal comma taken away.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change, Pair
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, about, saw, shown
from spark_jupyter.sandbox.surprises.table_samples import Column

_FACTOR: Final = 3.0
_FEWEST_ROWS: Final = 5
_MENDS: Final = frozenset(
    "fillna fill_null fill_nan replace interpolate ffill bfill clip to_numeric combine_first update astype cast strip "
    "col round isna notna isnull is_null where mask median mean lit alias with_columns assign copy".split()
)
"""Methods that repair single values, or only convert the type."""


def _looks(change: Change) -> Iterator[Sighting]:
    for pair in change.pairs:
        if pair.old.rows != pair.new.rows or pair.new.rows < _FEWEST_ROWS or not pair.steps:
            continue
        for name, new in pair.new.columns.items():
            old = pair.old.columns.get(name)
            if old is None or not old.kind == new.kind == "number" or new.is_constant:
                continue  # one value in all rows is another rule's
            if _only_mends(pair, name):
                yield from _moved(name, old, new, sampled=not pair.new.whole)


def _moved(name: str, old: Column, new: Column, *, sampled: bool) -> Iterator[Sighting]:
    if not len(old.present) or not len(new.present):
        return
    before, after = float(old.present.mean()), float(new.present.mean())
    spread = float(abs(old.present).mean())
    if not spread or abs(before) < spread / 10:  # around zero every mean moves by a factor
        return
    factor = after / before
    if factor > _FACTOR or factor < 1 / _FACTOR:
        yield saw("moved-by-factor", name, numbers=(before, after, sampled))


def _only_mends(pair: Pair, name: str) -> bool:
    steps = pair.of_column(name)
    called = {tail for step in steps for tail in step.tails}
    reckons = any(isinstance(node, ast.BinOp) for step in steps for node in ast.walk(step.value))
    return bool(called) and called <= _MENDS and not reckons


def _says(seen: Sighting) -> str:
    before, after, sampled = seen.numbers
    return f"The mean of {shown(seen.names[0])} is {about(sampled)}{after:.4g} (was {before:.4g})."


_BEFORE: Final = """import pandas as pd
df = pd.DataFrame({"price": [10.0, 12.0, None, 11.0, None, 9.0], "n": [1, 2, 3, 4, 5, 6]})"""
RULE: Final = Rule(
    id="moved-by-factor",
    looks=_looks,
    says=_says,
    tells="The mean of a column moved by a factor.",
    remedy="Look at the values that changed: a placeholder for missing values counts as a number.",
    bad=Case(_BEFORE, 'df["price"] = df["price"].fillna(-999)'),
    good=Case(_BEFORE, 'df["price"] = df["price"].fillna(df["price"].median())'),
)
