"""Fast traversal of syntax trees.

:func:`ast.walk` asks for fields one by one, which is slower.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

Part = TypeVar("Part")


def nodes_of(roots: Iterable[ast.AST]) -> list[ast.AST]:
    """The nodes of trees, those of each level before what they contain, as :func:`ast.walk` gives them for one."""
    found = list(roots)
    for node in found:
        # its fields alone: bandit writes parents on nodes, also on the one Load that all trees share, which would be a circle
        has = node.__dict__
        for value in map(has.get, node._fields):
            if type(value) is list:
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def placed(node: ast.expr, parts: Sequence[Part], *, values: bool = False) -> Iterator[tuple[ast.expr, Part]]:
    """What is known of the parts of a display, each with the node that it stands at: of a dict those of its keys, or of its ``values``.
    Where the display is written otherwise, all stand at its own node."""
    shown = (node.values if values else node.keys) if isinstance(node, ast.Dict) else getattr(node, "elts", ())
    places = shown if len(shown) == len(parts) else [None] * len(parts)
    return ((place or node, part) for place, part in zip(places, parts, strict=True))
