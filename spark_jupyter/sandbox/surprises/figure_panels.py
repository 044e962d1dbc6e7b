"""Panels of the figures that a cell drew, the same for matplotlib and plotly.

A panel is one pair of axes. What takes a layout (tick labels, legends) is asked of matplotlib when a rule wants it: that costs some
50 ms of the processor for each figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

MOST_PANELS = 40
_MOST_POINTS = 20_000
_STEPS = 8
"""Points between two of a line, for what lies over it."""
_BEST = 0.3
"""Share of the data over which a legend may lie that matplotlib has placed."""
_TOUCH = 2.0
"""Pixels by which texts may touch."""


class Series(NamedTuple):
    """A line, the points of a scatter, or bars of one colour. ``x`` are numbers, or the texts of categories."""

    kind: Literal["line", "points", "bar"]
    x: Sequence[Any]
    y: Any
    label: str

    @property
    def finite(self) -> Any:
        """The values that can be seen."""
        return self.y[np.isfinite(self.y)]


def panels_of(figures: Iterable[Any]) -> list[Panel]:
    """The panels of figures of either library in which something was drawn."""
    found: list[Panel] = []
    for figure in figures:
        if is_plotly(figure):
            found += _plotly_panels(figure)
        else:
            found += [MatplotlibPanel(axes) for axes in figure.axes if _is_drawn(axes)]
    return found[:MOST_PANELS]


def is_plotly(value: object) -> bool:
    return any(
        kind.__module__ == "plotly.basedatatypes" and kind.__name__ == "BaseFigure" for kind in type(value).__mro__
    )


def _is_drawn(axes: Any) -> bool:
    """Axes with both names and nothing in them were drawn from no rows, by seaborn."""
    drawn = axes.has_data() or axes.containers or (axes.get_xlabel() and axes.get_ylabel())
    return bool(drawn) and axes.get_label() != "<colorbar>"


# --- matplotlib ------------------------------------------------------------------------------------------------------


class MatplotlibPanel:
    """Axes of matplotlib, which seaborn and pandas draw in, too.

    ``has_more``: something is drawn besides the series; ``slices``: of a pie."""

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._bars = [one for one in axes.containers if type(one).__name__ == "BarContainer"]
        lines = [line for line in axes.lines if line.get_transform() == axes.transData]
        points = [one for one in axes.collections if type(one).__name__ == "PathCollection"]
        self.series: tuple[Series, ...] = (
            *(Series("line", *_floats(line.get_xydata()), _label(line)) for line in lines),
            *(Series("points", *_floats(one.get_offsets()), _label(one)) for one in points),
            *(self._bar_series(one) for one in self._bars),
        )
        wedges = [one for one in axes.patches if type(one).__name__ == "Wedge"]
        self.slices = len(wedges)
        bars = sum(map(len, self._bars))
        shapes = sum(map(_is_visible, axes.collections)) - sum(map(_is_visible, points))
        self.has_more = bool(
            len(axes.patches) > bars or shapes or axes.images or axes.tables or (not self.series and axes.texts)
        )
        titles = [axes.get_title(where) for where in ("center", "left", "right")]
        main = axes.figure.get_suptitle() if len(axes.figure.axes) == 1 else ""
        self.title = " ".join(filter(None, [*titles, main]))
        self.is_log = "log" in (axes.get_xscale(), axes.get_yscale())
        legend = axes.get_legend()
        self.legend_entries = len(legend.get_texts()) if legend is not None else 0

    def _bar_series(self, container: Any) -> Series:
        lies = getattr(container, "orientation", "vertical") == "horizontal"
        sizes = [bar.get_width() if lies else bar.get_height() for bar in container]
        places = [bar.get_y() if lies else bar.get_x() for bar in container]
        return Series("bar", places, np.asarray(sizes, float), _label(container))

    @property
    def cut_bars(self) -> float:
        """The beginning of the axis of bars that stand on zero; 0 where that is seen."""
        if self.is_log or not self._bars:
            return 0.0
        lies = getattr(self._bars[0], "orientation", "vertical") == "horizontal"
        feet = [bar.get_x() if lies else bar.get_y() for container in self._bars for bar in container]
        low, high = sorted(self._axes.get_xlim() if lies else self._axes.get_ylim())
        stands = bool(feet) and min(map(abs, feet)) == 0 and all(np.isfinite(feet))
        return float(low if low > 0 else high if high < 0 else 0.0) if stands else 0.0

    @property
    def text_axis(self) -> list[str]:
        """The texts along x where they are categories, in their order."""
        axis = self._axes.xaxis
        if (known := getattr(axis.units, "_mapping", None)) is not None:
            return list(map(str, known))
        formatter, lines = axis.get_major_formatter(), [one for one in self.series if one.kind == "line"]
        if type(formatter).__name__ != "FuncFormatter" or not lines:
            return []
        places = np.asarray(lines[0].x, float)  # pandas counts the rows, and writes the texts beside them
        counted = (places == np.arange(len(places))).all()
        texts = [str(formatter(place)) for place in places[:_MOST_POINTS]] if counted else []
        return [text for text in texts if text]  # of many every nth

    @cached_property
    def _renderer(self) -> Any:
        figure = self._axes.figure.get_figure(root=True)
        if not getattr(figure, "_spark_laid_out", False):
            figure.draw_without_rendering()
            figure._spark_laid_out = True
        return figure.canvas.get_renderer()

    def _labels(self, axis: Any) -> list[Any]:
        self._renderer  # noqa: B018  # laid out
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        labels = [label for tick in ticks for label in (tick.label1, tick.label2)]
        return [label for label in labels if label.get_visible() and label.get_text().strip()]

    @property
    def crowded(self) -> int:
        """Number of tick labels on an axis where they overlap; else 0."""
        for axis in (self._axes.xaxis, self._axes.yaxis) if self._axes.name == "rectilinear" else ():
            labels = self._labels(axis) if axis.get_visible() else []
            pairs = list(pairwise(labels))
            bad = sum(self._overlap(one, other, across=axis is self._axes.xaxis) for one, other in pairs)
            if bad and bad >= len(pairs) / 3:
                return len(labels)
        return 0

    def _overlap(self, one: Any, other: Any, *, across: bool) -> bool:
        """True if two neighbouring labels overlap. Of slanted ones the distance between their lines of text counts."""
        box, next_box = one.get_window_extent(self._renderer), other.get_window_extent(self._renderer)
        angle = np.deg2rad(one.get_rotation() % 180)
        if across and 0 < angle < np.pi:
            apart = abs(next_box.x1 - box.x1) if angle != np.pi / 2 else abs(next_box.x0 - box.x0)
            height = one.get_fontsize() * one.figure.dpi / 72
            return bool(apart * np.sin(angle) < height * 0.75)
        if across:
            return bool(min(box.x1, next_box.x1) - max(box.x0, next_box.x0) > _TOUCH)
        return bool(min(box.y1, next_box.y1) - max(box.y0, next_box.y0) > min(box.height, next_box.height) * 0.4)

    @property
    def cut_texts(self) -> list[str]:
        """Texts that reach beyond the figure's edge, which a file of it does not show."""
        axes, figure = self._axes, self._axes.figure.get_figure(root=True)
        texts = [*self._labels(axes.xaxis), *self._labels(axes.yaxis), axes.xaxis.label, axes.yaxis.label, axes.title]
        edge, found = figure.bbox, []
        for text in texts:
            box = text.get_window_extent(self._renderer)
            out = max(edge.x0 - box.x0, box.x1 - edge.x1, edge.y0 - box.y0, box.y1 - edge.y1)
            if text.get_text().strip() and out > 2 * _TOUCH:
                found.append(text.get_text())
        return found

    @property
    def hidden(self) -> float:
        """Share of the data that the legend lies over."""
        legend = self._axes.get_legend()
        if legend is None or not legend.get_visible() or self._axes.name != "rectilinear":
            return 0.0
        box = legend.get_window_extent(self._renderer)
        inner = self._axes.bbox
        if box.x0 >= inner.x1 or box.x1 <= inner.x0 or box.y0 >= inner.y1 or box.y1 <= inner.y0:
            return 0.0
        shares = [self._share_in(box, one) for one in self.series if one.kind != "bar"]
        shares += [self._ends_in(box, bars) for bars in self._bars if len(bars)]
        share = max(shares, default=0.0)
        placed_by_itself = getattr(legend, "_loc_real", 1) == 0  # "best" hides as little as it can
        return 0.0 if placed_by_itself and share < _BEST else share

    def _ends_in(self, box: Any, bars: Any) -> float:
        """Share of the bars whose ends are hidden: over their middle a legend hides nothing."""
        lies = getattr(bars, "orientation", "vertical") == "horizontal"
        boxes = [bar.get_window_extent(self._renderer) for bar in bars]
        ends = [(one.x1, (one.y0 + one.y1) / 2) if lies else ((one.x0 + one.x1) / 2, one.y1) for one in boxes]
        return float(sum(box.x0 < x < box.x1 and box.y0 < y < box.y1 for x, y in ends) / len(ends))

    def _share_in(self, box: Any, series: Series) -> float:
        places = np.column_stack([np.asarray(series.x, float), series.y])[:_MOST_POINTS]
        places = places[np.isfinite(places).all(axis=1)]
        if series.kind == "line" and 1 < len(places) < 2_000:
            at = np.linspace(0, len(places) - 1, (len(places) - 1) * _STEPS + 1)
            whole = np.arange(len(places))
            places = np.column_stack([np.interp(at, whole, places[:, 0]), np.interp(at, whole, places[:, 1])])
        if not len(places):
            return 0.0
        x, y = self._axes.transData.transform(places).T
        return float(((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)).mean())


def _is_visible(collection: Any) -> bool:
    """True if a collection has a shape; those in three dimensions are made when it is drawn."""
    return hasattr(collection, "do_3d_projection") or any(len(path.vertices) for path in collection.get_paths())


def _floats(points: Any) -> tuple[Any, Any]:
    places: Any = np.ma.filled(np.ma.asarray(points, float), np.nan)
    return places[:, 0], places[:, 1]


def _label(artist: Any) -> str:
    label = str(artist.get_label() or "")
    return "" if label.startswith("_") else label


# --- plotly ----------------------------------------------------------------------------------------------------------


class PlotlyPanel:
    """Traces of a plotly figure that share their axes."""

    def __init__(self, layout: Any, traces: Sequence[Any]) -> None:
        self._layout = layout
        self._traces = traces
        self._x = layout[f"xaxis{(getattr(traces[0], 'xaxis', None) or 'x')[1:]}"]
        self._y = layout[f"yaxis{(getattr(traces[0], 'yaxis', None) or 'y')[1:]}"]
        drawn = [(trace, _trace_series(trace)) for trace in traces]
        self.series = tuple(series for _, series in drawn if series is not None)
        self.has_more = any(series is None for _, series in drawn)
        self.title = str(layout.title.text or "")
        self.is_log = "log" in (self._x.type, self._y.type)
        self.slices = max((len(_values(trace.values)) for trace in traces if trace.type == "pie"), default=0)
        named = [trace for trace in traces if trace.showlegend is not False and trace.name]
        self.legend_entries = len({trace.name for trace in named}) if layout.showlegend is not False else 0

    @property
    def cut_bars(self) -> float:
        bars = [trace for trace in self._traces if trace.type == "bar"]
        axis = self._x if any(trace.orientation == "h" for trace in bars) else self._y
        if not bars or self.is_log or any(trace.base is not None for trace in bars) or not axis.range:
            return 0.0
        low, high = sorted(map(float, axis.range))
        return low if low > 0 else high if high < 0 else 0.0

    @property
    def text_axis(self) -> list[str]:
        """plotly takes texts that are ISO dates as dates, unless it is told otherwise."""
        texts = dict.fromkeys(str(each) for one in self.series for each in one.x if isinstance(each, str))
        iso = all(each[:4].isdigit() and each[4:5] == "-" for each in texts)
        return list(texts) if texts and self._x.type != "date" and (self._x.type == "category" or not iso) else []

    crowded = 0
    """plotly leaves labels out before they overlap."""
    cut_texts: tuple[str, ...] = ()

    @property
    def hidden(self) -> float:
        """Only of a legend that was put inside; its size is estimated, as plotly lays it out in the browser."""
        legend = self._layout.legend
        if not self.legend_entries or None in (legend.x, legend.y) or not 0 <= legend.x < 1 or not 0 < legend.y <= 1:
            return 0.0
        wide = (60 + 7 * max(len(str(trace.name or "")) for trace in self._traces)) / (self._layout.width or 700)
        high = 20 * self.legend_entries / (self._layout.height or 450)
        left = {"right": legend.x - wide, "center": legend.x - wide / 2}.get(legend.xanchor, legend.x)
        top = {"bottom": legend.y + high, "middle": legend.y + high / 2}.get(legend.yanchor, legend.y)
        drawn = [one for one in self.series if one.kind != "bar" and len(one.y)]
        if not drawn:
            return 0.0
        counted = any(isinstance(each, str) for one in drawn for each in one.x)
        places = [(np.arange(len(one.y)) if counted else _numbers(one.x), one.y) for one in drawn]
        all_x, all_y = (np.concatenate(values) for values in zip(*places, strict=True))
        inside = [
            (abs(_unit(x, all_x) - left - wide / 2) <= wide / 2) & (abs(_unit(y, all_y) - top + high / 2) <= high / 2)
            for x, y in places
        ]
        return max(float(one.mean()) for one in inside)


Panel = MatplotlibPanel | PlotlyPanel
"""A pair of axes of either library, as the rules need it."""


def _plotly_panels(figure: Any) -> list[PlotlyPanel]:
    groups: dict[tuple[str, str], list[Any]] = {}
    for trace in figure.data:
        key = getattr(trace, "xaxis", None) or "x", getattr(trace, "yaxis", None) or "y"
        groups.setdefault(key, []).append(trace)
    return [PlotlyPanel(figure.layout, traces) for traces in groups.values()]


def _trace_series(trace: Any) -> Series | None:
    """None for what is drawn in another way."""
    if trace.type not in ("scatter", "scattergl", "bar"):
        return None
    x, y = trace.x, trace.y
    if getattr(trace, "orientation", None) == "h":
        x, y = y, x
    heights = _numbers(_values(y))
    places = _values(x) if x is not None else range(len(heights))
    if trace.type == "bar":
        return Series("bar", places, heights, str(trace.name or ""))
    lines = "lines" in (trace.mode or ("lines" if len(heights) > 20 else "lines+markers"))
    return Series("line" if lines else "points", places, heights, str(trace.name or ""))


def _values(told: Any) -> Sequence[Any]:
    return () if told is None else list(told)


def _numbers(told: Sequence[Any]) -> Any:
    try:
        return np.asarray([np.nan if each is None else each for each in told], float)
    except (TypeError, ValueError):
        return np.arange(len(told), dtype=float)  # texts or dates


def _unit(values: Any, whole: Any) -> Any:
    """The values between 0 and 1, as plotly's own range has them."""
    seen = whole[np.isfinite(whole)]
    low, high = (seen.min(), seen.max()) if len(seen) else (0.0, 1.0)
    return 0.05 + 0.9 * (values - low) / ((high - low) or 1.0)
