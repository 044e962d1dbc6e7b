"""Memory buffers behind arrays and tables, each once.

A table of a hundred columns is mostly one array. Only numpy's and pandas' own code runs.
"""

from __future__ import annotations

import sys
from typing import Any

from spark_jupyter.sandbox.values.torch_tensors import as_array, is_tensor


def arrays_of(value: Any) -> list[Any] | None:
    """The arrays of numpy whose memory is all that a value holds; None where it holds others, or is none of theirs."""
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is None:
        return None
    array = as_array(value) if is_tensor(value) else value
    if isinstance(array, numpy.ndarray):
        return [array]
    if pandas is None or not isinstance(array, (pandas.DataFrame, pandas.Series)):
        return None
    found = [piece for block in _blocks(array) for piece in _pieces(block)]
    return found if all(isinstance(one, numpy.ndarray) for one in found) else None


def _blocks(table: Any) -> list[Any]:
    """pandas keeps columns of one type together, in blocks that it tells of nowhere else; where it does not, column by column."""
    if table.ndim == 1:
        return [table.array]
    blocks = getattr(getattr(table, "_mgr", None), "blocks", None)
    return [block.values for block in blocks] if blocks is not None else [column.array for _, column in table.items()]


def _pieces(values: Any) -> list[Any]:
    """The numpy arrays behind pandas' extension arrays: dates, nullable types (``Int64``), wrapped numpy; others are returned as they
    are."""
    if hasattr(values, "_ndarray"):
        return [values._ndarray]
    return [values._data, values._mask] if hasattr(values, "_mask") else [values]


def root_of(value: Any) -> Any:
    """The array in whose memory one of numpy lies, itself where it has its own; None for all else."""
    numpy = sys.modules.get("numpy")
    if numpy is None or type(value) is not numpy.ndarray:
        return None
    while type(value.base) is numpy.ndarray:
        value = value.base
    return value
