"""Labels in a list or an Index."""

from __future__ import annotations

from spark_jupyter.reality.abstract_values import NO_CONSTANT, Of, Value, constants
from spark_jupyter.reality.static_lookup import class_name


def may_be_labels(value: Value) -> tuple[object, ...] | None:
    """All labels that a list or Index may have; None: any."""
    if isinstance(value, Of) and value.table is not None:
        return None if value.table.columns is None else tuple(value.table.columns)
    named = constants(value) if isinstance(value, Of) else None
    return None if named is None or NO_CONSTANT in named else named


def labels_of(value: Value) -> tuple[object, ...] | None:
    """Labels in a list, or the columns of a DataFrame, ``frame.columns``."""
    if isinstance(value, Of) and class_name(value.kind) == "Index" and value.table is not None:
        return None if value.table.columns is None else tuple(value.table.columns)
    return constants(value)
