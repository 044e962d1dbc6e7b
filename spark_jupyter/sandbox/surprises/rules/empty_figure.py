"""Rule empty-figure: a plot was drawn with nothing in it.

The selection was empty, or all of its values are missing; the same of one of several series.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown

if TYPE_CHECKING:
    from spark_jupyter.sandbox.surprises.figure_panels import Panel


def _looks(change: Change) -> Iterator[Sighting]:
    empty = [panel for panel in change.panels if _is_empty(panel)]
    if empty:
        yield saw("empty-figure", numbers=(len(empty), len(change.panels)))
    for panel in change.panels:
        if panel not in empty:
            missing = [one.label for one in panel.series if len(one.y) and not len(one.finite)]
            yield from (saw("empty-figure", label) for label in missing if label)


def _is_empty(panel: Panel) -> bool:
    if panel.has_more:
        return False
    return not any(len(one.finite) and (one.kind != "bar" or one.finite.any()) for one in panel.series)


def _says(seen: Sighting) -> str:
    if seen.names:
        return f"In the plot all values of {shown(seen.names[0])} are missing."
    empty, count = seen.numbers
    return "The plot shows no data." if count == 1 else f"{empty:.0f} of {count:.0f} plots show no data."


_BEFORE: Final = """import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
plt.close("all")
df = pd.DataFrame({"x": [1, 2, 3], "y": [2, 3, 4], "gap": [np.nan] * 3})"""
RULE: Final = Rule(
    id="empty-figure",
    looks=_looks,
    says=_says,
    tells="A plot was drawn in which there is nothing.",
    remedy="Look at what was selected for it: how many rows are left, and which values are missing.",
    late=True,
    bad=Case(_BEFORE, 'few = df[df["x"] > 9]\nplt.plot(few["x"], few["y"])'),
    good=Case(_BEFORE, 'plt.plot(df["x"], df["y"])'),
)
