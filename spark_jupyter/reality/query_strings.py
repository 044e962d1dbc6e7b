"""Columns and variables in ``frame.query`` and ``frame.eval`` texts.

Source of the rules: pandas' user guide, "The query() Method", and the docstrings of DataFrame.query and DataFrame.eval.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from spark_jupyter.reality.abstract_values import Invocation, Of, Table, constant
from spark_jupyter.reality.check_state import Run
from spark_jupyter.source.python_parser import tree_of

_QUOTED = re.compile(r"`([^`]*)`")
_LOCAL = "_spark_local_"
_COLUMN = "_spark_column_"
_KNOWN = frozenset({"index", "columns", "Timestamp", "datetime", "inf", "Inf", "list", "tuple", "nan", "NaN"})
_LEVEL = re.compile(r"ilevel_\d+")
_LENGTH = 2000


def check(run: Run, frame: Of, call: Invocation) -> None:
    """Report the columns that the text names and the DataFrame does not have, and ``@names`` that nothing defines."""
    given, table = call.argument("expr", 0), frame.table
    text = constant(given[1]) if given is not None else None
    scoped = {"resolvers", "local_dict", "global_dict", "level"} & call.keywords.keys()
    if given is None or table is None or table.levels is None or type(text) is not str or call.stars or scoped:
        return
    quoted: list[str] = []

    def place(match: re.Match[str]) -> str:
        quoted.append(match[1])
        return f"{_COLUMN}{len(quoted) - 1}"

    tree = _parsed(_QUOTED.sub(place, text).replace("@", _LOCAL))
    if tree is None:
        return
    node = given[0]
    for name in _names(tree):
        if name.startswith(_LOCAL):
            run.use(ast.copy_location(ast.Name(id=name.removeprefix(_LOCAL), ctx=ast.Load()), node))
        else:
            column = quoted[int(name.removeprefix(_COLUMN))] if name.startswith(_COLUMN) else name
            if not _is_there(column, table):
                run.absent_columns([(node, column)], table)


def _parsed(text: str) -> ast.Module | None:
    return tree_of(text.strip()) if len(text) <= _LENGTH and _LOCAL not in _strings(text) else None


def _strings(text: str) -> str:
    """Text in quotes, where an @ marks no variable."""
    return "".join(re.findall(r"'[^']*'|\"[^\"]*\"", text))


def _names(tree: ast.Module) -> Iterator[str]:
    """The names that are read and that the text itself does not assign or call, each once."""
    nodes = list(ast.walk(tree))
    made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    seen: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            seen[node.id] = None
    yield from (name for name in seen if name not in made)


def _is_there(name: str, table: Table) -> bool:
    if table.has(name) or name in _KNOWN or _LEVEL.fullmatch(name) or name in (table.levels or ()):
        return True
    # a column that is no name may be meant by another spelling of it
    return any(type(column) is not str for column in table.columns or ())
