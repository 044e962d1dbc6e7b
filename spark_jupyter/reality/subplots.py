"""Results of matplotlib's ``subplots``.

A figure, and its Axes, alone or in an array. Source of the rules: the docstring of matplotlib.pyplot.subplots
(``squeeze``).
"""

from __future__ import annotations

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality.abstract_values import UNKNOWN, Invocation, Of, Value
from spark_jupyter.reality.class_names import numpy_class
from spark_jupyter.reality.static_lookup import class_module, root


def subplots(call: Invocation, *, with_figure: bool) -> Value:
    """``plt.subplots(…)``, or ``figure.subplots(…)``."""
    figure, axes = loaded_class("matplotlib.figure", "Figure"), loaded_class("matplotlib.axes", "Axes")
    if figure is None or axes is None or call.stars or {"subplot_kw", "projection", "polar"} & call.keywords.keys():
        return UNKNOWN
    shown = _shaped(Of(axes, exact=True), call)
    return Of(tuple, exact=True, items=(Of(figure), shown)) if with_figure else shown


def _shaped(one: Value, call: Invocation) -> Value:
    sizes = [call.constant("nrows", 0, 1), call.constant("ncols", 1, 1)]
    squeezed = call.constant("squeeze", None, True)
    if type(squeezed) is not bool or (squeezed and not all(type(size) is int and size > 0 for size in sizes)):
        return UNKNOWN
    depth = sum(size != 1 for size in sizes) if squeezed else 2
    for _ in range(depth):
        one = array_of(one)
    return one


def array_of(item: Value) -> Value:
    """An array of objects that are all alike."""
    kind = numpy_class("ndarray")
    return Of(kind, exact=True, items=(item,)) if kind is not None else UNKNOWN


def flattened(array: Of) -> Value:
    """``axes.flat``, ``axes.ravel()``, ``axes.flatten()``."""
    item: Value = array
    while isinstance(item, Of) and item.kind is array.kind and item.items:
        item = item.items[0]
    return array_of(item)


def of_pandas(call: Invocation) -> Value | None:
    """``frame.plot(…)``, ``frame.plot.bar(…)``: Axes, or several where it is asked for."""
    axes = loaded_class("matplotlib.axes", "Axes")
    several = call.stars or not {"subplots", "by", "backend", "ax"}.isdisjoint(call.keywords)
    return Of(axes) if axes is not None and not several else None


_PARTS = {"figure": "Figure", "fig": "Figure", "ax": "Axes", "axes": "Axes"}


def of_grid(receiver: Of, name: str) -> Value | None:
    """The figure and the Axes of one of seaborn's grids (the docstrings of the properties of FacetGrid and JointGrid)."""
    if root(class_module(receiver.kind)) != "seaborn" or name not in _PARTS:
        return None
    kind = loaded_class("matplotlib.figure" if _PARTS[name] == "Figure" else "matplotlib.axes", _PARTS[name])
    if kind is None:
        return None
    return array_of(array_of(Of(kind))) if name == "axes" else Of(kind)
