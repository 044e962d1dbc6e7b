"""Distinct texts in a column of a small table.

They are looked up in the kernel when they are asked for.
"""

from __future__ import annotations

from functools import partial

from spark_jupyter.reality.abstract_values import Held

AT_MOST = 100
"""More different values than this make no columns."""
_ROWS = 5000
"""Of longer tables it is not looked up."""
_COLUMNS = 300


def of_live(frame: object, columns: list[object]) -> dict[object, Held]:
    """Functions that look up the columns of a DataFrame in the kernel, which is exactly pandas'."""
    if len(columns) > _COLUMNS or len(frame) > _ROWS:  # type: ignore[arg-type]
        return {}
    return {name: partial(_texts, frame, name) for name in columns if type(name) is str}


def _texts(frame: object, name: object) -> tuple[object, ...] | None:
    """The texts in a column of texts; None for all other columns. Nothing is compared that is no text."""
    try:
        listed = frame[name].tolist()  # type: ignore[index]
    except Exception:  # the kernel changed it just now, or several columns are called so
        return None
    found: dict[object, None] = {}
    for value in listed:
        if type(value) is str:
            found[value] = None
        elif value is not None and not (type(value) is float and value != value):
            return None
        if len(found) > AT_MOST:
            return None
    return tuple(found) or None
