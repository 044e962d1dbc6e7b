"""Rule empty-figure: a figure was drawn with nothing in it.

The selection was empty, or all of its values are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw


def _looks(change: Change) -> Iterator[Sighting]:
    empty = [figure for figure in change.figures if _is_empty(figure)]
    if empty:
        yield saw("empty-figure", numbers=(len(empty), len(change.figures)))


def _is_empty(figure: Any) -> bool:
    """True if something was to be drawn in the axes of a figure, and nothing is visible. Axes in which nothing was drawn at all wait for
    another cell."""
    drawn = [axes for axes in figure.axes if _artists(axes)]
    other = figure.images or figure.texts[1:] or any(axes.images or axes.tables or axes.texts for axes in figure.axes)
    return bool(drawn) and not other and not any(_shows(artist) for axes in drawn for artist in _artists(axes))


def _artists(axes: Any) -> list[Any]:
    return [*axes.lines, *axes.collections, *axes.patches]


def _shows(artist: Any) -> bool:
    import numpy as np

    if hasattr(artist, "get_xydata"):
        points = np.asarray(artist.get_xydata(), float)
        return bool(len(points) and np.isfinite(points).all(axis=1).any())
    if hasattr(artist, "do_3d_projection"):
        return True  # its paths are made when it is projected, which is when it is drawn
    if hasattr(artist, "get_offsets") and hasattr(artist, "get_paths"):
        offsets: Any = np.ma.filled(np.ma.asarray(artist.get_offsets(), float), np.nan)
        flat = type(artist).__name__ == "PathCollection"  # points of a scatter
        return bool(np.isfinite(offsets).all(axis=-1).any()) if flat else bool(artist.get_paths())
    if hasattr(artist, "get_height"):
        return bool(np.isfinite(artist.get_height()) and artist.get_height() and artist.get_width())
    return True


def _says(seen: Sighting) -> str:
    empty, count = seen.numbers
    return "The figure shows no data." if count == 1 else f"{empty:.0f} of {count:.0f} figures show no data."


_BEFORE: Final = """import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
plt.close("all")
df = pd.DataFrame({"x": [1, 2, 3], "y": [2, 3, 4], "gap": [np.nan] * 3})"""
RULE: Final = Rule(
    id="empty-figure",
    looks=_looks,
    says=_says,
    tells="A figure was drawn in which there is nothing.",
    remedy="Look at what was selected for it: how many rows are left, and which values are missing.",
    bad=(
        Case(_BEFORE, 'few = df[df["x"] > 9]\nplt.plot(few["x"], few["y"])'),
        Case(_BEFORE, 'fig, ax = plt.subplots()\nax.scatter(df["x"], df["gap"])'),
        Case(_BEFORE, 'plt.plot(df["x"], df["gap"], label="gap")\nplt.title("Nothing")'),
    ),
    good=(
        Case(_BEFORE, 'plt.plot(df["x"], df["y"])'),
        Case(_BEFORE, "fig, ax = plt.subplots()"),
        Case(_BEFORE, 'df["x"].plot.bar()'),
        Case(_BEFORE, "plt.imshow(np.zeros((3, 3)))"),
        Case(_BEFORE, 'plt.hist(df["x"])'),
        Case(_BEFORE, 'plt.subplot(projection="3d").plot_surface(*np.meshgrid([1, 2], [1, 2]), np.ones((2, 2)))'),
        Case(_BEFORE, 'fig, axes = plt.subplots(2)\naxes[0].scatter(df["x"], df["y"])'),
    ),
)
