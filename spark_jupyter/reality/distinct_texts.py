"""Columns of a table in the kernel: their texts and their types.

They are looked up in the kernel when they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from spark_jupyter.class_identity import class_name
from spark_jupyter.reality.abstract_values import Held
from spark_jupyter.reality.private_texts import is_private

AT_MOST = 100
"""More different values than this make no columns."""
_ROWS = 5000
"""Of longer tables it is not looked up."""
_COLUMNS = 300


def of_live(frame: object, columns: list[object]) -> dict[object, Held]:
    """What looks up the columns of a DataFrame in the kernel, which is exactly pandas'."""
    if len(columns) > _COLUMNS:
        return {}
    return {name: LiveColumn(frame, name) for name in columns if type(name) is str}


@dataclass(frozen=True, slots=True, eq=False)
class LiveColumn:
    """A column of a DataFrame in the kernel. Called, it gives all its texts; None where it is no column of few texts."""

    frame: object
    name: str

    def __call__(self) -> tuple[object, ...] | None:
        texts = _texts(self.frame, self.name) if len(self.frame) <= _ROWS else None  # type: ignore[arg-type]
        return None if texts is None or any(is_private(self.name, text) for text in texts) else texts

    def kind(self) -> tuple[str, str] | None:
        """What it holds, and the name of its type: ``("numbers", "int64")``; None of rarer types."""
        try:
            dtype = self.frame[self.name].dtype  # type: ignore[index]
        except Exception:  # the kernel changed it just now, or several columns are called so
            return None
        named = class_name(type(dtype))
        held = _OF_EXTENSIONS.get(named)
        if held is None and (named.endswith("DType") or named.startswith(("Int", "UInt", "Float"))):
            held = _OF_LETTERS.get(dtype.kind)
        return None if held is None else (held, str(dtype))


_OF_LETTERS = {
    "i": "numbers",
    "u": "numbers",
    "f": "numbers",
    "c": "numbers",
    "b": "truth values",
    "O": "objects",
} | dict.fromkeys("mM", "dates or times")
"""What numpy's kinds of types hold (its documentation, ``dtype.kind``)."""
_OF_EXTENSIONS = {
    "StringDtype": "texts",
    "CategoricalDtype": "categories",
    "BooleanDtype": "truth values",
} | dict.fromkeys(("DatetimeTZDtype", "PeriodDtype"), "dates or times")
"""The same of pandas' own types, by the names of their classes."""


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
