"""Syntax tree of one cell with source positions.

IPython's own lines are left alone: where one has Python in it (``%time df = load()``), that is read in its place, everything else of it is
no code. A cell that does not parse, or that another interpreter runs, has no tree.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from msgspec import Struct

from spark_jupyter.source.masking import LONGEST, can_be_read, held_at, lines_of, masked

Node = TypeVar("Node", bound=cst.CSTNode)

_MOST_KEPT = 400
"""Most cells whose trees are kept: an edit changes one cell at a time."""


class Place(Struct, frozen=True, order=True):
    """Range from ``start`` to ``end`` of a cell's source, in characters."""

    start: int
    end: int


class Page:
    """A cell's source with its tree; None where it has none."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.broken = len(source) > LONGEST
        """True for Python that does not parse, or is far too long."""
        lines = lines_of(source)
        python, self._shifts = masked(source, lines)
        self._starts = _line_starts(source)
        self.tree: cst.Module | None = None
        self._places: dict[cst.CSTNode, Place] = {}
        self.foreign = tuple(line.text for line in lines if line.kind != "code" and not held_at(line))
        """IPython lines that were left out."""
        if lines:
            self._parse(python)

    def _parse(self, python: str) -> None:
        if not can_be_read(python):
            self.broken = True
            return
        try:
            wrapper = MetadataWrapper(cst.parse_module(python), unsafe_skip_copy=True)
        except cst.ParserSyntaxError:
            self.broken = True
            return
        self.tree = wrapper.module
        for node, span in wrapper.resolve(PositionProvider).items():
            start = self.offset(span.start.line, span.start.column)
            self._places[node] = Place(start, self.offset(span.end.line, span.end.column))
        for node, place in self._places.items():
            if (
                isinstance(node, (cst.FunctionDef, cst.ClassDef)) and node.decorators
            ):  # libcst's range begins behind them
                self._places[node] = Place(self._places[node.decorators[0]].start, place.end)

    def offset(self, line: int, column: int) -> int:
        """Convert a line (from 1) and column of the parsed text to an offset in the source."""
        if line > len(self._starts):
            return len(self.source)
        return min(self._starts[line - 1] + column + self._shifts.get(line, 0), len(self.source))

    def place(self, node: cst.CSTNode) -> Place:
        """Place of a node, without the space around it."""
        return self._places[node]

    def text(self, node: cst.CSTNode) -> str:
        place = self.place(node)
        return self.source[place.start : place.end]

    def nodes(self, *kinds: type[Node]) -> list[Node]:
        """The nodes of these kinds, in the order in which they begin."""
        found = [node for node in self._places if isinstance(node, kinds)]
        return sorted(found, key=lambda node: self._places[node].start)

    @functools.cached_property
    def statements(self) -> tuple[cst.BaseStatement, ...]:
        """The cell's own statements, those in blocks left out."""
        return () if self.tree is None else tuple(_statements(self.tree))

    def line_of(self, offset: int) -> int:
        """Line, from 1, of a character."""
        return self.source.count("\n", 0, offset) + 1

    def whole_lines(self, place: Place) -> Place:
        """Range of the whole lines around a place."""
        start = self.source.rfind("\n", 0, place.start) + 1
        end = self.source.find("\n", place.end)
        return Place(start, len(self.source) if end < 0 else end + 1)


@functools.lru_cache(maxsize=_MOST_KEPT)
def page(source: str) -> Page:
    """The page of a source. Do not change its tree: it is shared."""
    return Page(source)


def _statements(tree: cst.Module) -> Iterator[cst.BaseStatement]:
    for statement in tree.body:
        if isinstance(statement, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            yield statement


def _line_starts(source: str) -> list[int]:
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts[:-1]
