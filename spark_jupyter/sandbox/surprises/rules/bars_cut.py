"""Rule bars-cut: the axis of bars does not begin at zero.

A bar says its value by its length, so that a cut one exaggerates differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw


def _looks(change: Change) -> Iterator[Sighting]:
    for panel in change.panels:
        if panel.cut_bars:
            yield saw("bars-cut", numbers=(panel.cut_bars,))


def _says(seen: Sighting) -> str:
    (start,) = seen.numbers
    return (
        f"The axis of the bars begins at {start:,.4g}, not at zero: their lengths do not show how the values compare."
    )


_BEFORE: Final = """import matplotlib.pyplot as plt
import pandas as pd
plt.close("all")
df = pd.DataFrame({"name": ["a", "b", "c"], "n": [96, 98, 99], "from": [3, 4, 5]})"""
RULE: Final = Rule(
    id="bars-cut",
    looks=_looks,
    says=_says,
    tells="The axis of bars does not begin at zero.",
    remedy="Let it begin at zero, or draw points instead of bars.",
    late=True,
    bad=Case(_BEFORE, 'plt.bar(df["name"], df["n"])\nplt.ylim(95, 100)'),
    good=Case(_BEFORE, 'plt.bar(df["name"], df["n"])'),
)
