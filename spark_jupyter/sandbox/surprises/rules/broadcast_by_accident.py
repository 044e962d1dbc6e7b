"""Rule broadcast-by-accident: a row and a column gave every pair.

``y - y_hat`` of shapes (n,) and (n, 1) has n × n values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown

_MEANT: Final = re.compile(
    r"None|newaxis|reshape|outer|meshgrid|expand_dims|broadcast|ogrid|keepdims|\.T\b|cdist|atleast_2d"
)
_FEWEST: Final = 3


def _looks(change: Change) -> Iterator[Sighting]:
    if _MEANT.search(change.source):
        return
    for step in change.steps:
        for node in ast.walk(step.value):
            if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
                yield from _combined(change, node.left, node.right)


def _combined(change: Change, left: ast.expr, right: ast.expr) -> Iterator[Sighting]:
    names = [one.id for one in (left, right) if isinstance(one, ast.Name)]
    arrays = [change.array(name) for name in names]
    if len(arrays) != 2 or any(array is None for array in arrays):
        return
    shapes = sorted((array.shape for array in arrays), key=len)
    (length, *_), (rows, *width) = shapes[0] or (0,), shapes[1] or (0,)
    if len(shapes[0]) == 1 and width == [1] and length == rows >= _FEWEST:
        yield saw("broadcast-by-accident", *names, numbers=(length,))


def _says(seen: Sighting) -> str:
    count = seen.numbers[0]
    return (
        f"{shown(seen.names[0])} and {shown(seen.names[1])} were combined to {count:,.0f} × {count:,.0f} values: "
        f"one has the shape ({count:.0f},), the other ({count:.0f}, 1)."
    )


_BEFORE: Final = """import numpy as np
y = np.arange(20.0)
guess = y.reshape(-1, 1)
other = y + 1"""
RULE: Final = Rule(
    id="broadcast-by-accident",
    looks=_looks,
    says=_says,
    tells="A row and a column were combined, which gave a value for every pair of theirs.",
    remedy="Give both the same shape: .ravel() makes one dimension of two.",
    bad=Case(_BEFORE, "error = y - guess"),
    good=Case(_BEFORE, "error = y - other"),
)
