"""Rule dates-as-text: the dates along an axis are text.

Text stands in the order of the rows, each as far from the next: gaps and disorder are not seen. Bars for a few periods are right so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown

_FEWEST: Final = 4
_DATE: Final = re.compile(
    r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[ T].*)?$|(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?: .*)?$"
)
_EVEN: Final = 1.5
"""Between the longest and the shortest step: months have 28 to 31 days."""


def _looks(change: Change) -> Iterator[Sighting]:
    for panel in change.panels:
        texts = panel.text_axis
        if len(texts) < _FEWEST or all(one.kind == "bar" for one in panel.series):
            continue
        days = [_day(text) for text in texts]
        known = [day for day in days if day is not None]
        if len(known) == len(texts) and (panel.crowded or not _is_even(known)):
            yield saw("dates-as-text", texts[0])


def _day(text: str) -> int | None:
    found = _DATE.match(text.strip())
    if found is None:
        return None
    year, month, day = (found[1], found[2], found[3] or "1") if found[1] else (found[6], found[5], found[4])
    try:
        return date(int(year), int(month), int(day)).toordinal()
    except ValueError:
        pass
    try:  # the month first
        return date(int(year), int(day), int(month)).toordinal()
    except ValueError:
        return None


def _is_even(days: list[int]) -> bool:
    steps = [after - before for before, after in pairwise(days)]
    return min(steps) > 0 and max(steps) <= _EVEN * min(steps)


def _says(seen: Sighting) -> str:
    return f"The dates along the axis are text (such as {shown(seen.names[0])}): they follow the order of the rows, equally far apart."


_BEFORE: Final = """import matplotlib.pyplot as plt
import pandas as pd
plt.close("all")
day = ["2024-01-03", "2024-01-09", "2024-02-20", "2024-02-21", "2024-06-01"]
df = pd.DataFrame({"day": day, "n": [3, 1, 4, 1, 5]})
months = pd.DataFrame({"month": ["2024-01", "2024-02", "2024-03", "2024-04", "2024-05"], "n": [3, 1, 4, 1, 5]})"""
RULE: Final = Rule(
    id="dates-as-text",
    looks=_looks,
    says=_says,
    tells="The dates along the axis of a plot are text, so they follow the order of the rows, equally far apart.",
    remedy="Make them dates first: pd.to_datetime.",
    late=True,
    bad=Case(_BEFORE, 'plt.plot(df["day"], df["n"])'),
    good=Case(_BEFORE, 'plt.plot(pd.to_datetime(df["day"]), df["n"])\nplt.xticks(rotation=90)'),
)
