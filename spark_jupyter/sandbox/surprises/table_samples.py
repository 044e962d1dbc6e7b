"""One interface to tables and arrays of pandas, polars and numpy.

For use in the copy. No class of the user's is called, nor polars' threads. A large table is sampled: every nth row, n a prime; ``whole``
says that it was not.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import Any, Literal

Kind = Literal["number", "text", "time", "bool", "other"]

MOST_VALUES = 500_000
"""Values (rows × columns) up to which a table is looked at whole."""
SAMPLE_VALUES = 100_000
SAMPLE_ROWS = 10_000
MOST_COLUMNS = 200


class Column:
    """One column. ``values`` are floats for numbers and truth values, ``datetime64`` for times, objects for the rest."""

    def __init__(self, name: str, series: Any) -> None:
        self.name = name
        self._series = series
        self.dtype = str(series.dtype)

    @cached_property
    def kind(self) -> Kind:
        name = self.dtype.lower()
        if name.startswith(("int", "uint", "float", "decimal", "double")):
            return "number"
        if name.startswith("bool"):
            return "bool"
        if name.startswith(("datetime", "date", "timestamp")):
            return "time"
        if name.startswith(("str", "string", "utf8", "large_string")):
            return "text"
        kept = self._objects[~self.missing] if name in ("object", "category") or name.startswith("cat") else []
        return "text" if len(kept) and all(type(one) is str for one in kept) else "other"

    @cached_property
    def missing(self) -> Any:
        """A truth value for each row: nothing, or not a number."""
        import numpy as np

        if _is_polars(self._series):
            nulls = np.asarray(self._series.is_null().to_numpy(), dtype=bool)
            return nulls | np.isnan(self.values) if self.dtype.startswith("Float") else nulls
        return np.asarray(self._series.isna().to_numpy(), dtype=bool)

    @cached_property
    def values(self) -> Any:
        """All values, or those of the sample."""
        import numpy as np

        if self.kind in ("number", "bool"):
            if _is_polars(self._series):
                values = self._series.to_numpy()
                return np.array(
                    [np.nan if one is None else one for one in values] if values.dtype == object else values, float
                )
            return self._series.to_numpy(dtype="float64", na_value=np.nan)
        if self.kind == "time":
            if _is_polars(self._series):
                return self._series.to_numpy().astype("datetime64[us]")
            naive = self._series.dt.tz_localize(None) if getattr(self._series.dt, "tz", None) else self._series
            return naive.to_numpy().astype("datetime64[us]")
        return self._objects

    @property
    def present(self) -> Any:
        return self.values[~self.missing]

    @property
    def share_missing(self) -> float:
        """Of its rows, 0 where there are none."""
        return float(self.missing.mean()) if len(self.missing) else 0.0

    @property
    def is_constant(self) -> bool:
        """True if all rows have the same value, without the missing ones."""
        present = self.present
        if self.kind in ("number", "bool", "time"):
            return bool(len(present)) and bool((present == present[0]).all())
        return self.distinct == 1

    @cached_property
    def distinct(self) -> int:
        """Number of distinct values, without missing ones; values that can't be compared without the user's code count as distinct."""
        present = self.present
        if self.kind == "other" and not all(type(one) in (str, int, float, bool) for one in present):
            return len(present)
        return len(set(present.tolist()))

    @cached_property
    def _objects(self) -> Any:
        import numpy as np

        values = self._series.to_list() if _is_polars(self._series) else self._series.astype(object).tolist()
        objects = np.empty(len(values), dtype=object)
        objects[:] = values
        return objects


class Table:
    """A table, or a series as one of a single column. ``rows`` is exact; what the columns hold is of every ``every``-th row."""

    def __init__(self, frame: Any, *, rows: int, every: int) -> None:
        self._frame = frame
        self._every = every
        self.rows = rows
        self.whole = every == 1
        self.is_series = frame.__class__.__name__ == "Series"
        self.polars = _is_polars(frame)

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Its columns by name; those without a name of their own are left out, and all but the first of a name."""
        found: dict[str, Column] = {}
        if self.is_series:
            return {str(self._frame.name): Column(str(self._frame.name), self._of(self._frame))}
        for place, name in enumerate(list(self._frame.columns)[:MOST_COLUMNS]):
            if type(name) is str and name not in found:
                column = self._frame[name] if self.polars else self._frame.iloc[:, place]
                found[name] = Column(name, self._of(column))
        return found

    def _of(self, series: Any) -> Any:
        """Inspected sample of a series. A step through a whole frame of polars' would wait for its threads; one through a series does
        not."""
        return series.gather_every(self._every) if self.polars and not self.whole else series

    def after(self, method: str, args: list[Any], options: dict[str, Any]) -> Table | None:
        """The table that a method of pandas' or polars' own makes of this one; None where it is not known whole."""
        if not self.whole or not is_table(self._frame) or options.get("inplace"):
            return None
        if method in ("lazy", "collect"):
            return self
        made = getattr(self._frame, method)(*args, **options)
        return seen(made) if is_table(made) else None

    @cached_property
    def index(self) -> Any:
        """The labels of pandas' rows as objects; None for polars, where rows have none, and for an index of several levels."""
        if self.polars or type(self._frame.index).__name__ == "MultiIndex":
            return None
        return self._frame.index.to_numpy(dtype=object)

    @cached_property
    def repeats(self) -> float:
        """The share of rows that are there before already; 0 where that is not known: of a sample, of what can't be compared."""
        if not self.whole or not self.rows or any(column.kind == "other" for column in self.columns.values()):
            return 0.0
        rows = list(zip(*(column.values.tolist() for column in self.columns.values()), strict=True))
        return 1 - len({tuple(_comparable(one) for one in row) for row in rows}) / len(rows) if rows else 0.0


def is_table(value: object) -> bool:
    """True for a table or a series of pandas or polars itself, not of a subclass."""
    return any(
        type(value) is getattr(library, name, None)
        for library in (sys.modules.get("pandas"), sys.modules.get("polars"))
        if library is not None
        for name in ("DataFrame", "Series")
    )


def is_array(value: object) -> bool:
    """True for numpy's own array."""
    return type(value) is getattr(sys.modules.get("numpy"), "ndarray", None)


def seen(value: Any, *, copy: bool = False) -> Table:
    """A table as it is now. With ``copy`` it stays so whatever is written into the table later; polars' never change in place."""
    rows = len(value)
    width = max(1, min(MOST_COLUMNS, value.shape[1] if len(value.shape) == 2 else 1))
    whole = rows * width <= MOST_VALUES
    every = 1 if whole else _next_prime(-(-rows // max(100, min(SAMPLE_ROWS, SAMPLE_VALUES // width))))
    if _is_polars(value) or (whole and not copy):
        return Table(value, rows=rows, every=every)
    return Table(value.copy() if whole else value.iloc[::every].copy(), rows=rows, every=every)


def _next_prime(number: int) -> int:
    """The first prime from a number on: a step that data which repeats itself every ten or hundred rows does not fall in with."""
    while any(number % divisor == 0 for divisor in range(2, int(number**0.5) + 1)):
        number += 1
    return number


def _is_polars(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "polars"


def _comparable(value: Any) -> Any:
    """Not a number is one value."""
    return "nan" if value != value else value
