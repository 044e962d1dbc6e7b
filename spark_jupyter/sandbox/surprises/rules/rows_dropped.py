"""Rule rows-dropped: cleaning lost over a fifth of the rows.

Also where a choice of rows left none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, percent, saw, shown

_MOST: Final = 0.2
_FEWEST_ROWS: Final = 5
_CLEANS: Final = {"dropna", "drop_duplicates", "drop_nulls", "drop_nans", "unique"}
_CHOOSES: Final = {"subset", "how", "thresh"}
_LISTS: Final = {"drop_duplicates", "unique"}
"""Under another name it is a list of what there is."""
_REDUCES: Final = frozenset(
    "head tail sample nlargest nsmallest groupby group_by agg pivot pivot_table describe limit value_counts resample "
    "sum mean count size merge join crosstab DataFrame Series slice groupby_dynamic group_by_dynamic gather_every "
    "top_k corr melt unpivot T transpose iloc".split()
)
"""Methods whose purpose is a smaller table."""


def _looks(change: Change) -> Iterator[Sighting]:
    for pair in change.pairs:
        lost = 1 - pair.new.rows / pair.old.rows if pair.old.rows >= _FEWEST_ROWS else 0.0
        if (
            lost <= _MOST
            or not pair.steps
            or pair.tails & _REDUCES
            or _is_another_table(set(pair.old.columns), set(pair.new.columns))
        ):
            continue
        meant = pair.renamed and any(map(_says_which, (step.value for step in pair.steps)))
        cleaned = [] if meant else sorted(pair.tails & (_CLEANS - _LISTS if pair.renamed else _CLEANS))
        filtered = any(map(_filters, (step.value for step in pair.steps)))
        if cleaned or (filtered and (pair.new.rows == 0 or not pair.renamed)):
            yield saw("rows-dropped", pair.name, *cleaned[:1], numbers=(lost, pair.old.rows, pair.new.rows))


def _is_another_table(old: set[str], new: set[str]) -> bool:
    """True if columns were replaced by others: those that were only added are of the same rows."""
    return bool(new - old - {"index"} and old - new)


def _says_which(value: ast.expr) -> bool:
    """True if rows are dropped for columns that are named, or by a threshold: under another name that is what was wanted."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CLEANS
        and (bool(node.args) or any(one.arg in _CHOOSES for one in node.keywords))
        for node in ast.walk(value)
    )


def _filters(value: ast.expr) -> bool:
    """True if rows are selected by a condition on their values."""
    return any(
        (
            isinstance(node, ast.Subscript)
            and any(isinstance(one, ast.Compare | ast.Call | ast.UnaryOp) for one in ast.walk(node.slice))
        )
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("query", "filter")
        )
        for node in ast.walk(value)
    )


def _says(seen: Sighting) -> str:
    lost, before, after = seen.numbers
    by = f" by {shown(seen.names[1])}" if seen.names[1:] else ""
    return f"{shown(seen.names[0])} lost {percent(lost)} of its rows{by}: {after:,.0f} of {before:,.0f} are left."


_BEFORE: Final = """import pandas as pd
import numpy as np
df = pd.DataFrame({"x": range(10), "note": [None] * 7 + ["a"] * 3, "city": list("aabbccddee")})"""
RULE: Final = Rule(
    id="rows-dropped",
    looks=_looks,
    says=_says,
    tells="A table lost more than a fifth of its rows, or a choice of rows left none.",
    remedy="Say which columns matter (subset=…), or keep the whole table under its own name.",
    bad=Case(_BEFORE, "df = df.dropna()"),
    good=Case(_BEFORE, 'df = df.dropna(subset=["x"])'),
)
