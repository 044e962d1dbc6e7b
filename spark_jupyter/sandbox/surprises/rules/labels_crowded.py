"""Rule labels-crowded: tick labels overlap, or are cut in the saved file.

More than 30 of them are more than can be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown

_MOST: Final = 30
_MOST_SLICES: Final = 12
_MOST_ENTRIES: Final = 20
_MOST_BARS: Final = 60
"""Categories of which plotly still writes most beside their bars."""


def _looks(change: Change) -> Iterator[Sighting]:
    for panel in change.panels:
        bars = {each for one in panel.series if one.kind == "bar" for each in one.x if isinstance(each, str)}
        if panel.slices > _MOST_SLICES or panel.legend_entries > _MOST_ENTRIES or len(bars) > _MOST_BARS:
            yield saw("labels-crowded", "many", numbers=(max(panel.slices, panel.legend_entries, len(bars)),))
        elif crowded := panel.crowded:
            yield saw("labels-crowded", "many" if crowded > _MOST else "overlap", numbers=(crowded,))
        elif "savefig" in change.source and not any(
            word in change.source for word in ("bbox_inches", "tight", "constrained")
        ):
            yield from (saw("labels-crowded", "cut", text) for text in panel.cut_texts[:1])


def _says(seen: Sighting) -> str:
    kind, *texts = seen.names
    if kind == "cut":
        return f"{shown(texts[0])} is cut at the edge of the saved figure."
    (count,) = seen.numbers
    if kind == "many":
        return f"The plot has {count:.0f} labels, more than can be read."
    return "Labels of the plot overlap."


_BEFORE: Final = """import matplotlib.pyplot as plt
import pandas as pd
plt.close("all")
df = pd.DataFrame({"city": [f"A longer name {n}" for n in range(12)], "n": range(12)})
many = pd.DataFrame({"code": [f"code {n}" for n in range(80)], "n": range(80)})"""
RULE: Final = Rule(
    id="labels-crowded",
    looks=_looks,
    says=_says,
    tells="Labels of a plot overlap, are cut, or are too many to be read.",
    remedy="Turn the labels, draw the bars sideways, show fewer of them, or make the figure larger.",
    late=True,
    bad=Case(_BEFORE, 'plt.bar(df["city"], df["n"])'),
    good=Case(_BEFORE, 'plt.barh(df["city"], df["n"])'),
)
