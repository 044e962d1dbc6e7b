"""Rule duplicates-made: rows were added that were there already.

Often because a cell ran a second time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, percent, saw, shown

_MOST: Final = 0.05
_FEWEST_ROWS: Final = 3
_FEWEST_COLUMNS: Final = 2
_ADDS: Final = {"concat", "append", "vstack", "extend"}
_MEANT: Final = {"sample", "repeat", "resample", "choice", "explode", "drop_duplicates", "unique"}


def _looks(change: Change) -> Iterator[Sighting]:
    for step in change.steps:
        new = change.after(step.target) if step.target and step.column is None else None
        if new is None or not step.tails & _ADDS or step.tails & _MEANT:
            continue
        parts = [part for name in step.names if (part := change.taken(name, step)) is not None]
        enough = new.rows >= _FEWEST_ROWS and len(new.columns) >= _FEWEST_COLUMNS
        if enough and new.repeats > _MOST and parts and not any(part.repeats or not part.whole for part in parts):
            yield saw("duplicates-made", step.target, numbers=(new.repeats,))


def _says(seen: Sighting) -> str:
    return (
        f"{percent(seen.numbers[0])} of the rows of {shown(seen.names[0])} occur twice: each part had every row once."
    )


_BEFORE: Final = """import pandas as pd
df = pd.DataFrame({"id": [1, 2, 3, 4], "x": [5, 6, 7, 8]})
new = pd.DataFrame({"id": [3, 4, 5], "x": [7, 8, 9]})
later = pd.DataFrame({"id": [5, 6], "x": [9, 10]})"""
RULE: Final = Rule(
    id="duplicates-made",
    looks=_looks,
    says=_says,
    tells="Rows are there twice that were there once.",
    remedy="Drop duplicates (drop_duplicates), or add only new rows.",
    bad=Case(_BEFORE, "df = pd.concat([df, new])"),
    good=Case(_BEFORE, "df = pd.concat([df, later], ignore_index=True)"),
)
