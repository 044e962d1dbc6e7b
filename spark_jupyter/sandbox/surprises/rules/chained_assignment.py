"""Rule chained-assignment: a value was written into a copy, so nothing changed.

``df[rows]["x"] = 1``, ``df["x"][rows] = 1`` and ``df["x"].fillna(0, inplace=True)`` write into a table that nobody holds: always where the
first step chooses rows, and since pandas 3 (copy on write) in every case.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown
from spark_jupyter.source.lexer import python_only

_IN_PLACE: Final = {
    *("fillna", "replace", "drop", "dropna", "drop_duplicates", "sort_values", "sort_index", "rename", "reset_index"),
    *("clip", "mask", "where", "interpolate", "ffill", "bfill", "set_index", "rename_axis", "query", "eval"),
}
_CHOOSERS: Final = {"loc", "iloc"}


def _looks(change: Change) -> Iterator[Sighting]:
    try:
        tree = ast.parse(python_only(change.source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in _run_at_once(tree):
        for name, text in _written_into_copies(node):
            if _is_lost(change.namespace.get(name), node):
                yield saw("chained-assignment", name, text)


def _run_at_once(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes outside of functions and classes."""
    ahead: list[ast.AST] = [tree]
    while ahead:
        node = ahead.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            ahead += ast.iter_child_nodes(node)


def _written_into_copies(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The variable whose part is written into, and the part as text."""
    match node:
        case ast.Assign(targets=targets):
            parts = [target.value for target in targets if isinstance(target, ast.Subscript)]
        case ast.AugAssign(target=ast.Subscript(value=part)):
            parts = [part]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=part, attr=method)) as call) if method in _IN_PLACE:
            parts = [part] if _asks_in_place(call) else []
        case _:
            return
    for part in parts:
        if isinstance(part, ast.Attribute) and part.attr in _CHOOSERS:
            part = part.value  # df["x"].loc[rows] = 1
        if isinstance(part, ast.Subscript) and (name := _table(part.value)):
            yield name, ast.unparse(part)[:60]


def _table(node: ast.expr) -> str:
    """The variable of ``df[…]`` and ``df.loc[…]``."""
    if isinstance(node, ast.Attribute) and node.attr in _CHOOSERS:
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _asks_in_place(call: ast.Call) -> bool:
    return any(
        one.arg == "inplace" and isinstance(one.value, ast.Constant) and one.value.value is True
        for one in call.keywords
    )


def _is_lost(table: Any, node: ast.AST) -> bool:
    """Whether pandas hands out a copy there."""
    import sys

    pandas = sys.modules.get("pandas")
    if pandas is None or type(table) is not pandas.DataFrame:
        return False
    if int(pandas.__version__.partition(".")[0]) >= 3:
        return True
    written = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    part = written.value if isinstance(written, ast.Subscript) else None
    return isinstance(part, ast.Subscript) and isinstance(
        part.slice, ast.Compare | ast.BoolOp | ast.BinOp | ast.UnaryOp
    )


def _says(seen: Sighting) -> str:
    table, part = map(shown, seen.names)
    return f"{table} is unchanged: {part} is a copy, and what is written into it is lost."


_BEFORE: Final = """import pandas as pd
df = pd.DataFrame({"mass": [3000.0, 4000.0, None, 9000.0], "sex": ["m", None, "f", "m"]})
rows = {"a": {"b": 1}}"""
RULE: Final = Rule(
    id="chained-assignment",
    looks=_looks,
    says=_says,
    tells="A value was written into a copy of a part of a table, so the table is unchanged.",
    remedy='Choose rows and column in one step: df.loc[rows, "column"] = value, or assign the result.',
    bad=(
        Case(_BEFORE, 'df[df["mass"] > 5600]["mass"] = None'),
        Case(_BEFORE, 'df["mass"][df["mass"] > 5600] = None'),
        Case(_BEFORE, 'df["sex"].fillna("unknown", inplace=True)'),
        Case(_BEFORE, 'df.loc[df["mass"] > 5600]["mass"] = 0'),
        Case(_BEFORE, 'df[["sex"]].dropna(inplace=True)'),
    ),
    good=(
        Case(_BEFORE, 'df.loc[df["mass"] > 5600, "mass"] = None'),
        Case(_BEFORE, 'df["sex"] = df["sex"].fillna("unknown")'),
        Case(_BEFORE, 'heavy = df[df["mass"] > 3500].copy()\nheavy["mass"] = heavy["mass"] / 1000'),
        Case(_BEFORE, 'rows["a"]["b"] = 2'),
        Case(_BEFORE, 'df.sort_values("mass", inplace=True)'),
    ),
)
