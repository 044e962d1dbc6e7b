"""Replacements in a source, at the places of its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n?|\n")
"""What ends a line for Python's parser; :meth:`str.splitlines` knows more."""


class Splice(NamedTuple):
    """``text`` in place of the characters of a source from ``start`` to ``end``."""

    start: int
    end: int
    text: str = ""


def spliced(source: str, splices: Iterable[Splice]) -> str:
    """Apply the splices; those inside another one, or given twice, count once. What stands in another splice already, or twice, is made
    once."""
    parts, at = [], 0
    for splice in sorted(set(splices)):
        if splice.start < at:
            continue
        parts += [source[at : splice.start], splice.text]
        at = splice.end
    return "".join([*parts, source[at:]])


class Positions:
    """Characters of the lines and UTF-8 columns that :mod:`ast` gives."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(source)), len(source)]

    def offset(self, line: int, column: int) -> int:
        """The character at UTF-8 byte ``column`` (from 0) of ``line`` (from 1)."""
        if line >= len(self._starts):
            return len(self._source)
        start, end = self._starts[line - 1 : line + 1]
        return start + len(self._source[start:end].encode()[:column].decode(errors="ignore"))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Start and end of a node that has a position."""
        start = self.offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        end = self.offset(getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0))
        return start, end

    def start(self, node: ast.AST) -> int:
        return self.span(node)[0]

    def end(self, node: ast.AST) -> int:
        return self.span(node)[1]

    def without_argument(self, call: ast.Call, argument: ast.expr | ast.keyword) -> Splice:
        """Remove an argument of a call with its comma."""
        start, end = self.span(argument)
        others = [self.span(one) for one in (*call.args, *call.keywords) if one is not argument]
        before = [other_end for _, other_end in others if other_end <= start]
        after = [other_start for other_start, _ in others if other_start >= end]
        return Splice(max(before), end) if before else Splice(start, min(after, default=end))
