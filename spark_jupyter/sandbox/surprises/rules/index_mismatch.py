"""Rule index-mismatch: values assigned by labels that do not match.

pandas aligns by label: where the labels differ, the new column is missing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, about, listed, percent, saw, shown
from spark_jupyter.sandbox.surprises.table_flow import Step
from spark_jupyter.sandbox.surprises.table_samples import Table

_MOST: Final = 0.05
_PLAIN: Final = (
    ast.Name | ast.Subscript | ast.Attribute | ast.BinOp | ast.Constant | ast.operator | ast.expr_context | ast.Load
)


def _looks(change: Change) -> Iterator[Sighting]:
    for step in change.steps:
        table = change.after(step.target) if step.column else None
        if table is None or table.polars or step.column not in table.columns or not _is_plain(step):
            continue
        used = {name: part for name in step.names if (part := change.taken(name, step)) is not None and not part.polars}
        others = [name for name, part in used.items() if name != step.target and _other_labels(part, table)]
        column = table.columns[step.column]
        before = max((_missing(part) for part in used.values()), default=0.0)
        if others and column.share_missing - before > _MOST:
            yield saw(
                "index-mismatch",
                step.column,
                step.target,
                *sorted(others),
                numbers=(column.share_missing, not table.whole),
            )


def _is_plain(step: Step) -> bool:
    """True if the expression consists of columns and arithmetic: nothing that creates missing values by itself."""
    return not step.calls and all(isinstance(node, _PLAIN) for node in ast.walk(step.value))


def _other_labels(part: Table, table: Table) -> bool:
    mine, theirs = table.index, part.index
    if mine is None or theirs is None or not table.whole or not part.whole:
        return False
    return len(mine) != len(theirs) or bool((mine != theirs).any())


def _missing(part: Table) -> float:
    """The largest share that is missing in any column."""
    return max((column.share_missing for column in part.columns.values()), default=0.0)


def _says(seen: Sighting) -> str:
    share, sampled = seen.numbers
    column, table, *others = seen.names
    if not others:
        raise ValueError("It names no other table.")
    labels = f"the index of {shown(table)} does not match that of {listed(others)}"
    return f"{shown(column)} is missing in {about(sampled)}{percent(share)} of rows: {labels}."


_BEFORE: Final = """import pandas as pd
df = pd.DataFrame({"x": [1, 2, 3, 4]})
named = pd.Series([5, 6, 7, 8], index=list("abcd"))
rest = pd.DataFrame({"y": [5, 6, 7]}, index=[2, 3, 4])
same = pd.DataFrame({"y": [5, 6, 7, 8]})"""
RULE: Final = Rule(
    id="index-mismatch",
    looks=_looks,
    says=_says,
    tells="Values were put beside rows by labels that do not match.",
    remedy="Join by a key, or take the values by their place: .to_numpy(), reset_index(drop=True).",
    bad=Case(_BEFORE, 'df["y"] = named'),
    good=Case(_BEFORE, 'df["y"] = same["y"]'),
)
