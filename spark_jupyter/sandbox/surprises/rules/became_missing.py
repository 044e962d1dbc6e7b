"""Rule became-missing: a filled column has hardly any values now.

Typical causes: a map without the key, a parse that read nothing, a reindex by the wrong labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change, Pair
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, about, percent, saw, shown

_MOST: Final = 0.5
_BEFORE: Final = 0.1
_FEWEST_ROWS: Final = 4
_MEANT: Final = ("nan", "None", "NA", "NaT", "null")
_EMPTIES: Final = frozenset(
    "shift diff pct_change rolling where mask resample asfreq reindex unstack pivot expanding align when cut nullify "
    "explode json_normalize merge join extract".split()
)
"""Methods that leave rows without a value on purpose; a join has rules of its own."""


def _looks(change: Change) -> Iterator[Sighting]:
    for pair in change.pairs:
        if min(pair.old.rows, pair.new.rows) >= _FEWEST_ROWS and pair.new.rows >= pair.old.rows:
            yield from _columns(change, pair)


def _columns(change: Change, pair: Pair) -> Iterator[Sighting]:
    for name, column in pair.new.columns.items():
        known = pair.old.columns.get(name)
        before = known.share_missing if known is not None else _origin(change, pair, name)
        if before is None and known is None and _is_empty(pair, name) and not _meant(pair, name):
            yield saw("became-missing", name, numbers=(1.0,))
        if before is None or before > _BEFORE or column.share_missing < _MOST or _meant(pair, name):
            continue
        yield saw("became-missing", name, numbers=(column.share_missing, before, not pair.new.whole, known is None))


def _is_empty(pair: Pair, name: str) -> bool:
    """True for a column that the cell wrote and that has no value at all: nothing matched, or nothing could be read."""
    return (
        pair.new.whole and pair.new.columns[name].share_missing == 1 and any(step.column == name for step in pair.steps)
    )


def _origin(change: Change, pair: Pair, name: str) -> float | None:
    """Missing share of the single column that a new one was made of."""
    step = next((step for step in reversed(pair.steps) if step.column == name), None)
    if step is None or any(change.taken(other, step) is not None for other in step.names - {pair.name}):
        return None
    named = [one for one in pair.old.columns if f"'{one}'" in step.mentions]
    return pair.old.columns[named[0]].share_missing if len(named) == 1 else None


def _meant(pair: Pair, name: str) -> bool:
    """True if the cell removes values on purpose."""
    steps = pair.of_column(name)
    if any("Series(dtype" in step.mentions for step in steps):
        return True  # a column that is filled later
    words = {
        word for step in steps for word in step.mentions.replace("(", " ").replace(")", " ").replace(".", " ").split()
    }
    return bool(pair.tails & _EMPTIES) or any(one.strip(",:[]{}") in _MEANT for one in words)


def _says(seen: Sighting) -> str:
    if len(seen.numbers) == 1:
        return f"{shown(seen.names[0])} has no value in any row."
    after, before, sampled, fresh = seen.numbers
    was = "it was made of one with" if fresh else "was"
    return f"{shown(seen.names[0])} is missing in {about(sampled)}{percent(after)} of rows ({was} {percent(before)})."


_BEFORE_CASE: Final = """import pandas as pd
df = pd.DataFrame({"city": ["Oslo", "Rome", "Bonn", "Lima"] * 5, "price": ["1,5", "2,5", "3,5", "4"] * 5})"""
RULE: Final = Rule(
    id="became-missing",
    looks=_looks,
    says=_says,
    tells="A column that had values has hardly any now.",
    remedy="Look at which values found no match or could not be read.",
    bad=Case(_BEFORE_CASE, 'df["city"] = df["city"].map({"oslo": 1, "rome": 2})'),
    good=Case(_BEFORE_CASE, 'df["city"] = df["city"].map({"Oslo": 1, "Rome": 2, "Bonn": 3, "Lima": 4})'),
)
