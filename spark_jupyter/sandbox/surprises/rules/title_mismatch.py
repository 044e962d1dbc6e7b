"""Rule title-mismatch: the title names another column than the drawn one.

It goes by the cell's source: a column counts as drawn where its name stands anywhere but in a title or a label. Only numbers are looked at:
titles name groups and periods in many ways. Where anything but tables is drawn, too, the source does not say what it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown
from spark_jupyter.sandbox.surprises.table_samples import Column, Table, is_table, seen
from spark_jupyter.source.changed_names import last_name
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import parse_python

_TITLE: Final = re.compile(r"(?:.*_)?(?:title|suptitle|[xy]label|labels)")
"""Calls and keywords whose texts are titles and labels."""
_USUAL: Final = frozenset("id index count number value total mean average sum year month week day hour".split())
"""Names that titles use in other meanings."""


def _looks(change: Change) -> Iterator[Sighting]:
    title = _words(" ".join(panel.title for panel in change.panels))
    if not title.strip():
        return
    read, texts = _read(parse_python(python_only(change.source)))
    tables = {name: seen(change.namespace[name]) for name in read if is_table(change.namespace.get(name))}
    others = [name for name in read - tables.keys() if not _draws_nothing(change.namespace.get(name))]
    if len(tables) != 1 or others:
        return
    (table,) = tables.values()
    columns = [column.name for column in _numbers(table)]
    used = {name for name in columns if any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts)}
    named = {name for name in columns if f" {_words(name).strip()} " in title} - _USUAL
    if used and len(named) == 1 and not named & used:
        yield saw("title-mismatch", *named, *sorted(used)[:1])


def _numbers(table: Table) -> list[Column]:
    return [column for column in table.columns.values() if column.kind == "number" and len(column.name) > 2]


def _words(text: str) -> str:
    """The words in lower case with one space around each, where ``unit_cost`` is two."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return f" {' '.join(words)} "


def _draws_nothing(value: object) -> bool:
    """True for what no data is drawn of."""
    of_a_figure = type(value).__module__.startswith(("matplotlib", "plotly"))
    return of_a_figure or isinstance(value, (ModuleType, FunctionType, type, str, int, float, type(None)))


def _read(tree: ast.AST) -> tuple[set[str], list[str]]:
    """The names that are read and not made here, and all texts and attributes that are in no title."""
    names: set[str] = set()
    made: set[str] = set()
    texts: list[str] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            (names if isinstance(node.ctx, ast.Load) else made).add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        elif isinstance(node, ast.Attribute):
            texts.append(node.attr)
        if isinstance(node, ast.Call) and _TITLE.fullmatch(last_name(node.func)):
            waiting.append(node.func)
        elif not (isinstance(node, ast.keyword) and _TITLE.fullmatch(node.arg or "")):
            waiting += ast.iter_child_nodes(node)
    return names - made, texts


def _says(seen_: Sighting) -> str:
    named, drawn = map(shown, seen_.names)
    return f"The title names {named}, but {drawn} is drawn."


_BEFORE: Final = """import matplotlib.pyplot as plt
import pandas as pd
plt.close("all")
df = pd.DataFrame({"city": ["a", "b", "c"], "sales": [3, 1, 2], "unit_cost": [6, 5, 8], "day": [1, 2, 3]})
trend = df["sales"].rolling(2).mean()"""
RULE: Final = Rule(
    id="title-mismatch",
    looks=_looks,
    says=_says,
    tells="The title of a plot names a column that is not drawn.",
    remedy="Draw that column, or change the title.",
    late=True,
    bad=Case(_BEFORE, 'plt.bar(df["city"], df["unit_cost"])\nplt.title("Sales by city")'),
    good=Case(_BEFORE, 'plt.bar(df["city"], df["sales"])\nplt.title("Sales by city")'),
)
