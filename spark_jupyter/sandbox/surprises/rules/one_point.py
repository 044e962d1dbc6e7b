"""Rule one-point: a line or a scatter has a single point.

A line of one point is invisible where it has no marker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw


def _looks(change: Change) -> Iterator[Sighting]:
    for panel in change.panels:
        if not panel.has_more and sum(len(one.finite) for one in panel.series) == 1 and panel.series[0].kind != "bar":
            yield saw("one-point", panel.title)


def _says(seen: Sighting) -> str:
    _ = seen.names[0]
    return "The plot shows a single point."


_BEFORE: Final = """import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
plt.close("all")
df = pd.DataFrame({"day": ["a", "b", "c"], "x": [1, 2, 3], "y": [2, 3, 4]})"""
RULE: Final = Rule(
    id="one-point",
    looks=_looks,
    says=_says,
    tells="A plot shows a single point.",
    remedy="Look at what was selected or aggregated for it: one row is left.",
    late=True,
    bad=Case(_BEFORE, 'one = df[df["x"] > 2]\nplt.plot(one["x"], one["y"])'),
    good=Case(_BEFORE, 'plt.plot(df["x"], df["y"])\nplt.plot([2], [3], "o", label="here")'),
)
