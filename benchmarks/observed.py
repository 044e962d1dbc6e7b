"""What a person would see of cells that were run, as words for the checks of a list of prompts.

A check is an expression such as ``row('north', 443.08)`` or ``bars(4)``: it says what a right answer's *result* must be, not
which code or which recipe gets there. Numbers are compared as they are shown, to three digits.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import SimpleNamespace

_NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)")


def close(value: object, wanted: object) -> bool:
    """Whether two values are the same to a reader: text by letter, numbers to three digits, dates by their day."""
    if isinstance(wanted, str):
        return str(value) == wanted or str(value).startswith(f"{wanted} 00:00")
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return math.isclose(value, float(wanted), rel_tol=2e-3, abs_tol=6e-3)  # type: ignore[arg-type]


class Observed:
    """The result of cells: ``value`` of the last expression, ``shown`` text, the names ``before`` and after them, and the
    same names in a world that nothing was run in (``was``)."""

    def __init__(
        self, value: Any, shown: str, space: dict[str, Any], before: dict[str, Any], was: SimpleNamespace
    ) -> None:
        from matplotlib import pyplot

        self.shown, self.space, self.was = shown, space, was
        new = [one for name, one in space.items() if not name.startswith("_") and before.get(name) is not one]
        self.news = [value, *new]
        """The last value and all that has a new or another value."""
        self.frames = [found for one in self.news if (found := _frame(one)) is not None]
        """The tables among them; a series is a table of one column."""
        kept = {name: found for name, one in space.items() if (found := _frame(one)) is not None}
        changed = [one for name, one in kept.items() if not one.equals(_frame(getattr(was, name, None)))]
        self.tables = [*self.frames, *changed]
        """These, and the user's own that were changed in place."""
        self.axes = [one for number in pyplot.get_fignums() for one in pyplot.figure(number).axes]

    def words(self) -> dict[str, Any]:
        """The names that a check may use."""
        words = {name: getattr(self, name) for name in dir(self) if not name.startswith("_") and name != "words"}
        return {**words, "pd": pd, "np": np, "close": close, "method": method, "decorates": decorates}

    # tables
    def rows(self, count: int, *columns: str) -> bool:
        """A new table has so many rows, and these columns."""
        return any(len(one) == count and set(columns) <= set(map(str, _flat(one).columns)) for one in self.frames)

    def row(self, *wanted: object) -> bool:
        """A row of a table, or a line that was shown, has all of this, index included."""
        return any(all(any(close(value, one) for value in values) for one in wanted) for values in self._rows()) or any(
            all(_on(line, one) for one in wanted) for line in self.shown.splitlines()
        )

    def table(self, row: object, column: object, value: object) -> bool:
        """A new table has the value in the row and column of these names, or the other way round."""
        for one in self.frames:
            for turned in (one, one.T):
                for place, found in turned.stack(future_stack=True).items() if _square(turned) else ():
                    if {str(row), str(column)} <= set(map(str, place)) and close(found, value):
                        return True
        return False

    def like(self, wanted: Any, *, order: bool = False, exact: bool = False) -> bool:
        """The result is this value: a number that is shown, a sequence, or a table of as many rows that have all that the wanted
        ones have, whatever its columns are called; in this ``order``, with no more columns than the wanted one (``exact``). Shares
        may be given in percent."""
        frame = _frame(wanted)
        if frame is None and np.ndim(wanted) == 0:
            shown = [wanted, 100 * wanted] if isinstance(wanted, float | np.floating) and 0 < wanted < 1 else [wanted]
            return any(self.said(one) if isinstance(one, str) else self.near(one) for one in shown)
        if frame is None:
            return any(
                _alike(list(one), list(wanted), order=True) for one in map(_sequence, self._lists()) if one is not None
            )
        index = frame.index
        plain = isinstance(index, pd.RangeIndex) or (
            index.dtype.kind == "i" and index.name is None and index.nlevels == 1
        )
        rows = list(
            map(tuple, frame.to_numpy(dtype=object).tolist() if plain else _flat(frame).to_numpy(dtype=object).tolist())
        )
        for one in self.tables:
            if len(one) != len(frame) or (
                exact and one.shape[1] + (not isinstance(one.index, pd.RangeIndex)) > frame.shape[1] + 1
            ):
                continue
            if exact and one.shape[1] > frame.shape[1]:
                continue
            if _alike([*_flat(one).itertuples(index=False, name=None)], rows, order=order):
                return True
        return False

    def _lists(self) -> Iterable[Any]:
        yield from self.news
        for one in self.tables:
            yield from (one[name] for name in one if one.columns.is_unique)

    def column(self, name: str) -> list[Any]:
        """The values of the first new table's column of this name."""
        return next(([*one[name]] for one in self.frames if name in one), [])

    def has(self, value: object) -> bool:
        """A table has the value somewhere."""
        return any(close(found, value) for values in self._rows() for found in values)

    def counts(self, *wanted: int) -> bool:
        """A column of a new table is just these counts, in any order; or a dictionary's values are."""
        given = [list(one.values()) for one in self.news if isinstance(one, dict)]
        columns = [list(one[name]) for one in map(_flat, self.frames) for name in one]
        return any(_sorted(one) == sorted(wanted) for one in (*given, *columns))

    def counted(self, groups: int) -> bool:
        """A new table has one row for each of so many groups."""
        return any(len(one) == groups for one in self.frames)

    def sized(self, count: int) -> bool:
        """Something new, of whatever type, is so long."""
        return any(len(one) == count for one in self.news if hasattr(one, "__len__") and np.shape(one) != ())

    def scaled(self, name: str) -> bool:
        """A column whose name has ``name`` in it goes from 0 to 1; or all of an array's columns do."""
        found = [one[key] for one in self.tables for key in one if name in str(key)]
        found += [one for one in self.news if isinstance(one, np.ndarray) and one.ndim == 2]
        return any(np.allclose(np.min(one, axis=0), 0) and np.allclose(np.max(one, axis=0), 1) for one in found)

    def smoothed(self, before: Any, window: int) -> bool:
        """Something new is the moving average of ``before``, in its middle."""
        middle = np.convolve(before, np.ones(window) / window, mode="valid")
        for one in self.news:
            values = np.asarray(one, dtype=float).ravel() if isinstance(one, np.ndarray | pd.Series) else np.empty(0)
            values = values[~np.isnan(values)]
            if any(np.allclose(values[cut : cut + 200], middle[50:250]) for cut in range(40, 60) if len(values) > 300):
                return True
        return False

    def _rows(self) -> Iterable[tuple[Any, ...]]:
        for one in self.tables:
            yield from _flat(one).itertuples(index=False, name=None)

    # text and numbers
    def said(self, *wanted: str) -> bool:
        """All of this is in what was shown, as whole words."""
        return all(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", self.shown) for one in wanted)

    def first(self, wanted: object) -> bool:
        """What is shown, or a table's first row, begins with this: the answer to "which", not a list that has it too."""
        heads = [_flat(one).iloc[0].tolist() for one in self.frames if len(one)]
        begins = self.shown.strip().strip("'\"(").startswith(str(wanted))
        single = self.said(str(wanted)) and len(self.shown.split()) < 12
        return (
            begins or single or any(close(value, wanted) or str(value) == str(wanted) for one in heads for value in one)
        )

    def ordered(self, *wanted: str) -> bool:
        """These words stand in this order where they are shown for the last time."""
        places = [self.shown.rfind(one) for one in wanted]
        return -1 not in places and places == sorted(places)

    def near(self, wanted: float) -> bool:
        """The number is shown, or is a new value."""
        shown = (float(found) for found in _NUMBER.findall(self.shown))
        values = (one for one in self.news if isinstance(one, int | float | np.number))
        return any(close(one, wanted) for one in (*shown, *values))

    def number(self, low: float, high: float) -> bool:
        """A number with a fraction between these is shown, or is a new value."""
        shown = [float(found) for found in _NUMBER.findall(self.shown) if "." in found]
        values = [float(one) for one in self.news if isinstance(one, float | np.floating)]
        return any(low <= one <= high for one in (*shown, *values))

    def pvalues(self, first: Any, second: Any) -> list[float]:
        """The p values of the tests of two samples that may be meant: Student's and Welch's."""
        from scipy import stats

        return [float(stats.ttest_ind(first, second, equal_var=equal).pvalue) for equal in (True, False)]

    # code
    def gives(self, wanted: object, *arguments: object) -> bool:
        """A new function gives ``wanted`` for the arguments, or with a table of the user's before or behind them."""
        frames = [one for one in self.space.values() if isinstance(one, pd.DataFrame)]
        calls = [arguments, *((one, *arguments) for one in frames), *((*arguments, one) for one in frames)]
        functions = [one for one in self.news if callable(one) and not isinstance(one, type)]
        return any(_call(one, call, wanted) for one in functions for call in calls)

    def fitted(self, kind: str, features: int | None = None) -> bool:
        """A model of this class was fitted, with so many features."""
        models = [one for one in self.news if type(one).__name__ == kind or kind in repr(one)[:300]]
        counts = [getattr(one, "n_features_in_", None) for one in models]
        return any(count is not None and features in (None, count) for count in counts)

    # figures
    def bars(self, count: int) -> bool:
        """A plot has so many bars."""
        return any(len(one.patches) == count for one in self.axes)

    def bar(self, height: float) -> bool:
        """A bar is so high, or so long."""
        return any(close(one.get_height(), height) or close(one.get_width(), height) for one in self._patches())

    def line(self, length: int | None = None) -> bool:
        """A plot has a line, of so many points."""
        lines = [line for one in self.axes for line in one.lines]
        return any(len(line.get_xdata()) == length if length else True for line in lines)

    def dates(self) -> bool:
        """A plot's x axis is one of time, not of texts."""
        kinds = [np.asarray(line.get_xdata()).dtype.kind for one in self.axes for line in one.lines]
        held = [type(line.get_xdata()[0]).__name__ for one in self.axes for line in one.lines if len(line.get_xdata())]
        return "M" in kinds or any(name in ("Period", "Timestamp", "datetime", "date") for name in held)

    def wedges(self, count: int) -> bool:
        """A pie has so many pieces."""
        return sum(type(one).__name__ == "Wedge" for one in self._patches()) == count

    def boxes(self, count: int) -> bool:
        """A plot has so many boxes: as many as its labels, with the six lines or the patch of each."""
        labels = [[one.get_text() for one in axes.get_xticklabels() if one.get_text()] for axes in self.axes]
        drawn = [len(axes.patches) == count or len(axes.lines) >= 5 * count for axes in self.axes]
        return any(len(one) == count and full for one, full in zip(labels, drawn, strict=True))

    def scattered(self) -> bool:
        """A plot has points."""
        return any(type(one).__name__ == "PathCollection" for axes in self.axes for one in axes.collections)

    def colours(self) -> int:
        """How many colours the points of the plots have."""
        found = [one for axes in self.axes for one in axes.collections if type(one).__name__ == "PathCollection"]
        for one in found:
            one.update_scalarmappable()
        return len({tuple(colour) for one in found for colour in one.get_facecolors()})

    def errorbars(self) -> bool:
        """A plot has bars of errors."""
        return any(type(one).__name__ == "LineCollection" for axes in self.axes for one in axes.collections) or any(
            len(axes.lines) >= 1 and axes.patches for axes in self.axes
        )

    def heat(self, cells: int) -> bool:
        """A plot is a map of colours with so many cells."""
        arrays = [one.get_array() for axes in self.axes for one in (*axes.images, *axes.collections)]
        return any(one is not None and np.size(one) == cells for one in arrays)

    def title(self, text: str) -> bool:
        """A plot has this title."""
        return any(axes.get_title() == text for axes in self.axes)

    def _patches(self) -> list[Any]:
        return [one for axes in self.axes for one in axes.patches]


def method(cls: type, beginning: str) -> Callable[..., Any]:
    """The class's method whose name has this in it."""
    found: Callable[..., Any] = getattr(cls, next(name for name in dir(cls) if beginning in name))
    return found


def decorates(function: Callable[..., Any]) -> bool:
    """Whether it takes a function and gives one that does the same."""
    try:
        return bool(function(lambda: 42)() == 42)
    except Exception:  # what is no decorator may raise what it likes
        return False


def _frame(value: object) -> pd.DataFrame | None:
    if type(value).__module__.startswith("polars.dataframe"):
        return pd.DataFrame(value.to_dict(as_series=False))  # type: ignore[attr-defined]  # no pyarrow is needed so
    if isinstance(value, pd.DataFrame):
        return value
    return value.to_frame() if isinstance(value, pd.Series) else None


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with its index as columns, and every column named by a text."""
    index = frame.index.to_frame(index=False)
    plain = frame.reset_index(drop=True)
    index.columns = [str(name) for name in index.columns]
    plain.columns = ["_".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in plain.columns]
    return pd.concat([index, plain], axis=1)


def _sequence(value: Any) -> Any:
    return (
        value
        if isinstance(value, list | tuple | set | pd.Series) or (isinstance(value, np.ndarray) and value.ndim == 1)
        else None
    )


def _same(value: Any, wanted: Any) -> bool:
    if (isinstance(wanted, float | np.floating) and math.isnan(wanted)) or wanted is None or wanted is pd.NaT:
        return value is None or value is pd.NaT or (isinstance(value, float | np.floating) and math.isnan(value))
    if isinstance(wanted, bool | np.bool_ | pd.Timestamp | list):
        return bool(value == wanted)
    percent = isinstance(wanted, float | np.floating) and 0 < wanted < 1 and close(value, 100 * wanted)
    return close(value, wanted) or percent


def _holds(row: Any, wanted: Any) -> bool:
    if not isinstance(wanted, tuple):
        return _same(row, wanted)
    return all(any(_same(value, one) for value in row) for one in wanted)


def _alike(rows: list[Any], wanted: list[Any], *, order: bool) -> bool:
    """Whether each wanted row is among the rows, one for one."""
    if len(rows) != len(wanted):
        return False
    if all(_holds(row, one) for row, one in zip(rows, wanted, strict=True)):
        return True
    if order:
        return False
    left = list(rows)
    for one in wanted:
        place = next((place for place, row in enumerate(left) if _holds(row, one)), None)
        if place is None:
            return False
        del left[place]
    return True


def _square(frame: pd.DataFrame) -> bool:
    return 0 < len(frame) < 200 and frame.shape[1] < 200 and frame.columns.is_unique


def _sorted(values: Iterable[Any]) -> list[Any]:
    numbers = [one for one in values if isinstance(one, int | float | np.number) and one]
    return sorted(int(one) if float(one).is_integer() else one for one in numbers)


def _on(line: str, wanted: object) -> bool:
    if isinstance(wanted, str):
        return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", line) is not None
    return any(close(float(found), wanted) for found in _NUMBER.findall(line))


def _call(function: Callable[..., Any], arguments: tuple[object, ...], wanted: object) -> bool:
    try:
        given = function(*arguments)
        return bool(given is wanted or given == wanted if isinstance(wanted, bool) else close(given, wanted))
    except Exception:  # a call that does not fit is not the one that is meant
        return False
