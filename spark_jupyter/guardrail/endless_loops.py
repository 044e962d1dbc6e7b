"""Exit detection for open ``while`` loops.

The body is read line by line, as the text comes.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

_HARMLESS: Final = frozenset({"print", "append"})
_CONDITION: Final = (ast.Compare, ast.Name, ast.Constant, ast.expr_context, ast.cmpop)
_WAY_OUT: Final = (
    ast.Break,
    ast.Return,
    ast.Raise,
    ast.Assert,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
    ast.Subscript,
    ast.Attribute,
    ast.Delete,
    ast.Match,
)
"""Nodes that may leave a loop or change its condition: a subscript or an attribute may raise."""


@dataclass(slots=True, eq=False, repr=False)
class OpenLoop:
    """A ``while`` whose condition only compares names of one function and constants."""

    header: ast.While
    indent: int
    line: int
    names: frozenset[str]
    has_body: bool = False

    def can_end(self, body: Sequence[ast.stmt]) -> bool:
        """True if this line of the body may end the loop; a line that does not parse may."""
        return not body or any(self._can_end(statement) for statement in body)

    def _can_end(self, statement: ast.stmt) -> bool:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in self.names:
                return True
            if isinstance(node, ast.Call):
                if not (isinstance(node.func, ast.Name) and node.func.id in _HARMLESS):
                    return True
            elif isinstance(node, _WAY_OUT):
                return True
        return False


class Loops:
    """Tracker of the open loops of a cell."""

    def __init__(self) -> None:
        self._open: list[OpenLoop] = []

    def leave(self, indent: int) -> list[OpenLoop]:
        """Close the loops that a line at this indent ends; return those that nothing in them could end."""
        left = []
        while self._open and indent <= self._open[-1].indent:
            loop = self._open.pop()
            if loop.has_body:
                left.append(loop)
        return left

    def enter(self, body: Sequence[ast.stmt], indent: int, line: int, known: Container[str]) -> None:
        """Process a line. ``known`` are the names of the function that it is in: others may be changed from outside."""
        self._open = [loop for loop in self._open if not loop.can_end(body)]
        for loop in self._open:
            loop.has_body = True
        if body and isinstance(body[0], ast.While):
            names = _names_of(body[0].test)
            if names and all(name in known for name in names):
                self._open.append(OpenLoop(body[0], indent, line, names))


def _names_of(test: ast.expr) -> frozenset[str]:
    """Names that a condition compares; none if it contains anything but names and constants."""
    nodes = list(ast.walk(test))
    if not all(isinstance(node, _CONDITION) for node in nodes):
        return frozenset()
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))
