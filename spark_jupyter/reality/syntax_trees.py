"""Fast traversal of syntax trees.

:func:`ast.walk` asks for fields one by one, which is slower.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable


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
