"""Replacements in a source, at the places of its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n?|\n")
"""What ends a line for Python's parser; :meth:`str.splitlines` knows more."""
_SPACE = r"(?:[\s\\]|#[^\r\n]*+)*+"
_CLOSED = re.compile(rf"(?:{_SPACE}\))*")
_OPENED = re.compile(rf"(?:{_SPACE}\))*{_SPACE}\({_SPACE}")
_COMMA = re.compile(rf"{_SPACE},?{_SPACE}")


class Splice(NamedTuple):
    """``text`` in place of the characters of a source from ``start`` to ``end``."""

    start: int
    end: int
    text: str = ""


def spliced(source: str, splices: Iterable[Splice]) -> str:
    """Apply the splices. One that is given twice, or begins inside another one, is left out."""
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
        """Remove an argument of a call with its comma, and with parentheses of its own."""
        start, end = self.span(argument)
        inside = self.end(call) - 1
        before = [other for other in map(self.end, (*call.args, *call.keywords)) if other <= start]
        if before:
            return Splice(self._past(_CLOSED, max(before), inside), self._past(_CLOSED, end, inside))
        first = self._past(_OPENED, self.end(call.func), inside)
        return Splice(first, self._past(_COMMA, self._past(_CLOSED, end, inside), inside))

    def _past(self, pattern: re.Pattern[str], start: int, limit: int) -> int:
        """The end of what stands at ``start``, and before ``limit``."""
        found = pattern.match(self._source, start, limit)
        return found.end() if found is not None else start
