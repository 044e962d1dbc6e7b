"""Rule flat-series: a much larger series on its axis flattens another.

Only one that varies by itself counts: a threshold is meant to be flat.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown

if TYPE_CHECKING:
    from spark_jupyter.sandbox.surprises.figure_panels import Series

_FLAT: Final = 0.02
"""Of the height of all: some 5 pixels of a usual figure."""
_VARIES: Final = 0.1
"""Standard deviation, as a part of the mean."""
_FEWEST: Final = 3


def _looks(change: Change) -> Iterator[Sighting]:
    for panel in change.panels:
        drawn = [one for one in panel.series if len(one.finite) >= _FEWEST]
        if len(drawn) > 1 and not panel.is_log:
            large = max(drawn, key=_height)
            flat = [one for one in drawn if _height(one) < _FLAT * _height(large) and _varies(one)]
            if flat:
                yield saw("flat-series", flat[0].label, large.label)


def _varies(series: Series) -> bool:
    return series.kind == "bar" or bool(series.finite.std() > _VARIES * abs(series.finite.mean()) > 0)


def _height(series: Series) -> float:
    low = min(0.0, series.finite.min()) if series.kind == "bar" else series.finite.min()
    return float(series.finite.max() - low)


def _says(seen: Sighting) -> str:
    flat, large = seen.names
    if flat and large:
        return f"{shown(flat)} looks flat in the plot, as {shown(large)} is so much larger on the same axis."
    return "A series looks flat in the plot, as another one is so much larger on the same axis."


_BEFORE: Final = """import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
plt.close("all")
day = np.arange(30)
df = pd.DataFrame({"day": day, "sales": 90_000 + 9_000 * np.sin(day), "rate": 0.5 + 0.3 * np.cos(day), "mean": 90_000.0})"""
RULE: Final = Rule(
    id="flat-series",
    looks=_looks,
    says=_says,
    tells="One of several series looks flat in a plot, as another is so much larger on the same axis.",
    remedy="Give it an axis or a plot of its own, or scale both.",
    late=True,
    bad=Case(_BEFORE, 'df.plot(x="day", y=["sales", "rate"])'),
    good=Case(_BEFORE, 'ax = df.plot(x="day", y="sales")\ndf.plot(x="day", y="rate", ax=ax.twinx())'),
)
