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
    bad=(
        Case(_BEFORE, 'few = df[df["x"] > 9]\nplt.plot(few["x"], few["y"])'),
        Case(_BEFORE, 'fig, ax = plt.subplots()\nax.scatter(df["x"], df["gap"])'),
        Case(_BEFORE, 'plt.plot(df["x"], df["gap"], label="gap")\nplt.title("Nothing")'),
        Case(_BEFORE, 'plt.plot(df["x"], df["y"], label="y")\nplt.plot(df["x"], df["gap"], label="gap")'),
        Case(_BEFORE, "fig, axes = plt.subplots(2)\naxes[0].plot([1, 2, 3], [2, 4, 3])\naxes[1].bar([1, 2], [0, 0])"),
        Case(_BEFORE, 'few = df[df["x"] > 9]\nplt.bar(few["x"], few["y"])'),
    ),
    good=(
        Case(_BEFORE, 'plt.plot(df["x"], df["y"])'),
        Case(_BEFORE, "fig, ax = plt.subplots()"),
        Case(_BEFORE, 'df["x"].plot.bar()'),
        Case(_BEFORE, "plt.imshow(np.zeros((3, 3)))"),
        Case(_BEFORE, 'plt.hist(df["x"])'),
        Case(_BEFORE, 'plt.subplot(projection="3d").plot_surface(*np.meshgrid([1, 2], [1, 2]), np.ones((2, 2)))'),
        Case(_BEFORE, 'fig, axes = plt.subplots(2)\naxes[0].scatter(df["x"], df["y"])'),
        Case(_BEFORE, 'plt.plot(df["x"], df["y"])\nplt.plot([], [], label="a key for the legend")\nplt.legend()'),
    ),
)
