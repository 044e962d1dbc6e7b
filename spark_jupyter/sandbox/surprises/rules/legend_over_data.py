"""Rule legend-over-data: the legend lies over a good part of a series."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, percent, saw

_MOST: Final = 0.03
"""Share of a series."""


def _looks(change: Change) -> Iterator[Sighting]:
    for panel in change.panels:
        if panel.legend_entries and (hidden := panel.hidden) > _MOST:
            yield saw("legend-over-data", numbers=(hidden,))


def _says(seen: Sighting) -> str:
    (hidden,) = seen.numbers
    return f"The legend lies over the data ({percent(hidden)} of it)."


_BEFORE: Final = """import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
plt.close("all")
x = np.arange(50)
df = pd.DataFrame({"x": x, "y": x, "z": 50 - x})"""
RULE: Final = Rule(
    id="legend-over-data",
    looks=_looks,
    says=_says,
    tells="The legend of a plot lies over its data.",
    remedy="Put it elsewhere, or beside the plot: bbox_to_anchor=(1.02, 1), loc='upper left'.",
    late=True,
    bad=Case(_BEFORE, 'df.plot(x="x", y=["y", "z"])\nplt.legend(loc="upper left")'),
    good=Case(_BEFORE, 'plt.plot(df["x"], df["y"], label="y")\nplt.legend()'),
)
