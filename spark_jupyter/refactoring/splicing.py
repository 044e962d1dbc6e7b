"""Replacement of source pieces by parser positions."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

Place = tuple[int, int]
"""Line (from 1) and byte column, as the parser counts."""


class Better(NamedTuple):
    """A new text of the whole cell, with a description of the change."""

    source: str
    words: str


class Splice(NamedTuple):
    """``text`` in place of what stands from ``start`` to ``end``."""

    start: Place
    end: Place
    text: str = ""


def begin(node: ast.stmt | ast.expr | ast.keyword) -> Place:
    return node.lineno, node.col_offset


def end(node: ast.stmt | ast.expr | ast.keyword) -> Place:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def spliced(source: str, splices: Iterable[Splice]) -> str | None:
    """Apply the splices, which do not overlap; None if a comment would be lost."""
    data, lines = source.encode(), source.encode().split(b"\n")

    def offset(place: Place) -> int:
        return sum(len(one) + 1 for one in lines[: place[0] - 1]) + place[1]

    for one in sorted(set(splices), reverse=True):
        first, last = offset(one.start), offset(one.end)
        if b"#" in data[first:last]:
            return None
        data = data[:first] + one.text.encode() + data[last:]
    return data.decode()


def without_keyword(call: ast.Call, keyword: ast.keyword) -> Splice:
    """Remove a keyword of a call with its comma."""
    others = sorted([*map(end, call.args), *(end(one) for one in call.keywords if one is not keyword)])
    before = [place for place in others if place <= begin(keyword)]
    if before:
        return Splice(before[-1], end(keyword))
    after = sorted(begin(one) for one in call.keywords if begin(one) > begin(keyword))
    return Splice(begin(keyword), after[0] if after else end(keyword))
