"""Accessors ``.str``, ``.dt`` and ``.cat`` that a column's type refuses.

The type is that of the column in the kernel, as long as nothing in the source may have changed it. Source of the rules: pandas' user guide,
"Accessors". Where only one branch reads it, the type may be what the branch was chosen by; nothing is said there.
"""

from __future__ import annotations

from spark_jupyter.reality.abstract_values import Of, Value
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.distinct_texts import LiveColumn

_REFUSED = {
    "str": ("numbers", "truth values", "dates or times"),
    "dt": ("numbers", "truth values", "texts", "objects"),
    "cat": ("numbers", "truth values", "dates or times", "texts", "objects"),
}
_REMEDIES = {
    "str": "Write `.astype(str)` before it, if its text is meant.",
    "dt": "Make dates of it first, with `pd.to_datetime`.",
    "cat": 'Write `.astype("category")` before it.',
}


def refused(run: Run, series: Value, name: str) -> tuple[str, str] | None:
    """Why a Series has no such accessor, and the remedy; None where it has one or that can't be known."""
    table = series.table if isinstance(series, Of) else None
    held = table.held if table is not None else None
    if name not in _REFUSED or not isinstance(held, LiveColumn) or run.journal is not None:
        return None
    kind = held.kind()
    if kind is None or kind[0] not in _REFUSED[name]:
        return None
    remedy = "Write `.dt` instead." if name == "str" and kind[0] == "dates or times" else _REMEDIES[name]
    return f"`{held.name}` is of type `{kind[1]}`, which has no `.{name}`.", remedy
