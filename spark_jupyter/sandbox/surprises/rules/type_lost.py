"""Rule type-lost: a column lost its type or its exact numbers.

Numbers or dates became text or a mixture, or numbers were cut off or wrapped around.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change, Pair
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown
from spark_jupyter.sandbox.surprises.table_samples import Column

_EXACT: Final = 2.0**53
"""Beyond it a float64 does not hold every whole number (IEEE 754)."""
_AS_TEXT: Final = {"strftime", "map", "apply", "format", "cut", "qcut", "zfill", "to_string", "where", "get_dummies"}
_SUMMARIES: Final = {"describe", "agg", "aggregate", "transpose", "T"}
"""Calls that put several kinds of values into a column."""
_WORDS: Final = ("str", "object", "string", "category", "Utf8", "String", "Categorical")


def _looks(change: Change) -> Iterator[Sighting]:
    for pair in change.pairs:
        if not set(pair.old.columns) & set(pair.new.columns):
            continue
        for name, new in pair.new.columns.items():
            old = pair.old.columns.get(name)
            if old is None or old.dtype == new.dtype or not len(new.present):
                continue
            if old.kind == "time" and all(type(one) in (date, datetime) for one in new.present.tolist()):
                continue  # Python's own dates: another library's way to hold them
            if old.kind in ("number", "time") and new.kind in ("text", "other") and not _meant(pair, name):
                yield saw("type-lost", name, old.dtype, new.dtype, numbers=(0,))
            elif old.kind == new.kind == "number" and pair.old.rows == pair.new.rows and _wrong(old, new):
                yield saw("type-lost", name, old.dtype, new.dtype, numbers=(1,))


def _meant(pair: Pair, name: str) -> bool:
    """True if the cell converts to text, or sums up, on purpose."""
    steps = pair.of_column(name)
    called = {tail for step in steps for tail in step.tails}
    asked = "astype" in called or "cast" in called
    return bool(called & (_AS_TEXT | _SUMMARIES)) or (
        asked and any(word in step.mentions for step in steps for word in _WORDS)
    )


def _wrong(old: Column, new: Column) -> bool:
    """True if whole numbers have changed."""
    import numpy as np

    if not old.dtype.lower().startswith(("int", "uint")) or len(old.values) != len(new.values):
        return False
    both = ~old.missing & ~new.missing
    before, after = old.values[both], new.values[both]
    if new.dtype.lower().startswith("float") and bool((np.abs(before) >= _EXACT).any()):
        return True
    narrower = new.dtype.lower().lstrip("uintfloa") < old.dtype.lower().lstrip("uintfloa") or len(new.dtype) < len(
        old.dtype
    )
    return bool(
        narrower
        and not np.array_equal(before, after)
        and (np.abs(before - after) >= 1).any()
        and _same_scale(before, after)
    )


def _same_scale(before: Any, after: Any) -> bool:
    """True if most numbers are still the same: otherwise it is another calculation, and not a narrower type."""
    import numpy as np

    return bool(np.isclose(before, after, rtol=1e-3, atol=1).mean() > 0.5)


def _says(seen: Sighting) -> str:
    name, before, after = seen.names
    if seen.numbers[0]:
        return f"Numbers in {shown(name)} have changed: {shown(after)} can't hold what {shown(before)} held."
    return f"{shown(name)} became {shown(after)} (was {shown(before)})."


_BEFORE: Final = """import pandas as pd
import numpy as np
df = pd.DataFrame({"x": [1, 2, 0, 4, 70000], "day": pd.date_range("2024-01-01", periods=5), "id": [2**53 + 1, 2**53 + 3, 5, 6, 7]})"""
RULE: Final = Rule(
    id="type-lost",
    looks=_looks,
    says=_says,
    tells="A column of numbers or dates became text or a mixture, or its numbers are others than they were.",
    remedy="Keep what is missing as missing (pd.NA, NaN), and choose a type that holds every value.",
    bad=Case(_BEFORE, 'df["x"] = df["x"].replace(0, "none")'),
    good=Case(_BEFORE, 'df["x"] = df["x"].astype(str)'),
)
