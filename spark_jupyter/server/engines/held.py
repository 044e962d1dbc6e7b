"""Values that cells compare a table's columns with: an earlier prompt named them, and the kernel tells those of the last one. Pure."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def compared(cells: Sequence[str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The texts that ``cells`` compare a column with, by the table's name and the column's: ``visits["dept"] == "ENT"``."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for source in cells:
        try:
            tree = ast.parse(re.sub(r"(?m)^\s*[%!].*$", "", source))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            for place, value in _of(node):
                found[place] = tuple(dict.fromkeys((*found.get(place, ()), value)))
    return found


def _of(node: ast.AST) -> Iterator[tuple[tuple[str, str], str]]:
    match node:
        case ast.Compare(
            left=ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(column))),
            ops=[ast.Eq() | ast.NotEq()],
            comparators=[ast.Constant(value=str(value))],
        ):
            yield (table, column), value
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(column))), attr="isin"
            ),
            args=[ast.List(elts=listed)],
        ):
            for one in listed:
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield (table, column), one.value
        case _:
            pass
