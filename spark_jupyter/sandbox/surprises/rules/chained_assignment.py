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
from spark_jupyter.source.python_parser import tree_of

_IN_PLACE: Final = frozenset(
    "fillna replace drop dropna drop_duplicates sort_values sort_index rename reset_index clip mask where interpolate "
    "ffill bfill set_index rename_axis query eval".split()
)
_CHOOSERS: Final = {"loc", "iloc"}
_COPIES: Final = frozenset(
    "query head tail sample filter dropna drop_duplicates sort_values nlargest nsmallest".split()
)
"""Methods whose result is another table."""


def _looks(change: Change) -> Iterator[Sighting]:
    tree = tree_of(python_only(change.source))
    if tree is None:
        return
    for name, part in _lost_columns(tree.body):
        if _is_lost(change.namespace.get(name), part, ast.unparse(part)):
            yield saw("chained-assignment", name, ast.unparse(part)[:60])
    for node in _that_run(tree):
        for name, text in _written_into_copies(node):
            if _is_lost(change.namespace.get(name), node, text):
                yield saw("chained-assignment", name, text)
        if row := _lost_row(node):
            yield saw("chained-assignment", ast.unparse(node.iter.func.value), row)  # type: ignore[attr-defined]  # a loop over iterrows()


def _lost_columns(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """``s = df["x"]`` and ``s.fillna(0, inplace=True)``, where nothing is done with ``s`` afterwards: the table and the part."""
    made: dict[str, ast.expr] = {}
    for place, statement in enumerate(body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                made[name] = value
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) as call) if (
                method in _IN_PLACE and _asks_in_place(call)
            ):
                part = made.get(name)
                later = (node for one in body[place + 1 :] for node in ast.walk(one))
                table = _table(part.value) if isinstance(part, ast.Subscript | ast.Attribute) else ""
                if part is not None and table and not any(_is_name(node, name) for node in later):
                    yield table, part


def _that_run(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run: those outside of functions and classes, and of the functions that are called there."""
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    ahead: list[ast.AST] = [tree]
    while ahead:
        node = ahead.pop(0)
        yield node
        if isinstance(node, ast.FunctionDef):
            ahead += ast.iter_child_nodes(node) if node.name in called else ()
        elif not isinstance(node, ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            ahead += ast.iter_child_nodes(node)


def _lost_row(node: ast.AST) -> str:
    """The variable of ``for i, row in df.iterrows()`` where values are written into it and it is handed to nobody; else empty."""
    match node:
        case ast.For(
            target=ast.Tuple(elts=[_, ast.Name(id=row)]),
            iter=ast.Call(func=ast.Attribute(value=ast.Name(), attr="iterrows")),
            body=body,
        ):
            pass
        case _:
            return ""
    inside = [one for statement in body for one in ast.walk(statement)]
    parts = [one for one in inside if isinstance(one, ast.Subscript | ast.Attribute) and _is_name(one.value, row)]
    writes = any(isinstance(one.ctx, ast.Store) for one in parts)
    reads = any(isinstance(one.ctx, ast.Load) and not isinstance(one, ast.Subscript) for one in parts)
    return row if writes and not reads and sum(_is_name(one, row) for one in inside) == len(parts) else ""


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


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
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _COPIES:
            part = part.func
        if isinstance(part, ast.Subscript | ast.Attribute) and (name := _table(part.value)):
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


def _is_lost(table: Any, node: ast.AST, text: str) -> bool:
    """True if pandas returns a copy there: the part of the table that ``text`` names."""
    import sys

    pandas = sys.modules.get("pandas")
    if pandas is None or type(table) is not pandas.DataFrame:
        return False
    attribute = text.rpartition(".")[2] if not text.endswith("]") else ""
    if attribute in _COPIES:
        return True
    if attribute and attribute not in list(table.columns):
        return False  # an attribute of the table's own, as its index
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
df = pd.DataFrame({"mass": [3000.0, 4000.0, None, 9000.0], "sex": ["m", None, "f", "m"]})"""
RULE: Final = Rule(
    id="chained-assignment",
    looks=_looks,
    says=_says,
    tells="A value was written into a copy of a part of a table, so the table is unchanged.",
    remedy='Choose rows and column in one step: df.loc[rows, "column"] = value, or assign the result.',
    bad=Case(_BEFORE, 'df[df["mass"] > 5600]["mass"] = None'),
    good=Case(_BEFORE, 'df.loc[df["mass"] > 5600, "mass"] = None'),
)
