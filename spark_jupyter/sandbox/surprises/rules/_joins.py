"""Joins in a cell: both tables, their keys, the result."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.table_flow import Called, Step
from spark_jupyter.sandbox.surprises.table_samples import Table

_HARMLESS: Final = frozenset(
    "merge join rename reset_index fillna fill_null sort_values sort assign with_columns drop set_index copy astype "
    "col round lower upper strip".split()
)
"""Methods beside a join that keep the number of rows."""


INDEX: Final = ""
"""Stands for the index of a table of pandas' among keys."""
_PURE: Final = frozenset(
    "rename set_index reset_index copy lazy collect drop drop_duplicates unique select to_frame".split()
)
"""Methods that are called here on a table to get one side of a join: they change nothing, and take literals."""


class Join(NamedTuple):
    """``left`` and ``right`` are the tables; ``keys`` the columns of each by which they are joined, empty where that is not known. ``rows``
    is how many come out; -1 where only the keys tell that. ``chosen`` is True where the code says ``how``."""

    left_name: str
    right_name: str
    left: Table
    right: Table
    rows: int
    how: str
    keys: tuple[list[str], list[str]]
    chosen: bool = True

    def values(self, *, right: bool = False) -> list[tuple[Any, ...]]:
        """The keys of one side, a row each; empty where they are not known whole: of plain values only."""
        table, names = (self.right, self.keys[1]) if right else (self.left, self.keys[0])
        if names == [INDEX]:
            return [(one,) for one in table.index] if table.whole and table.index is not None else []
        columns = [table.columns.get(name) for name in names]
        if not names or not table.whole or any(one is None or one.kind == "other" for one in columns):
            return []
        return list(zip(*(column.values.tolist() for column in columns if column is not None), strict=True))


def plain(value: object) -> str:
    """A key as its table shows it: numbers are counted as floats."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def joins_of(change: Change) -> Iterator[Join]:
    """The joins of two tables by name, whatever is made of them in the same statement: by pandas, polars, or SQL."""
    for step in change.steps:
        for call in step.calls:
            if call.tail in ("merge", "join"):
                found = _join(change, step, call)
                if found is not None:
                    yield found._replace(rows=_rows(change, step))
            elif call.tail in _QUERIES:
                yield from _of_query(change, step, call)


def _rows(change: Change, step: Step) -> int:
    """The rows of a join that is all that its statement does; else -1."""
    joins = [call for call in step.calls if call.tail in ("merge", "join")]
    others = [one for one in change.steps if one.target == step.target and one.column is None]
    new = (
        change.after(step.target)
        if step.target and step.column is None and len(joins) == 1 and others[-1] is step
        else None
    )
    return new.rows if new is not None and step.tails <= _HARMLESS else -1


_JOIN: Final = re.compile(r"\bjoin\b", re.IGNORECASE)
_OTHER: Final = re.compile(
    r"\b(anti|semi|right|full|cross|natural|asof|positional)\s+(?:outer\s+)?join\b|\bwhere\b[^;]*\bis\s+null\b",
    re.IGNORECASE,
)
"""Joins that do not keep the left rows, and the search for rows without a partner: losing rows is what they are for."""
_LISTED: Final = re.compile(
    r"\b()()from\s+\w+(?:\s+(?:as\s+)?\w+)?\s*,\s*(\w+)(?:\s+(?:as\s+)?(?!where\b)(\w+))?\s+where\s+"
    r"(\w+)\.(\w+)\s*=\s*(\w+)\.(\w+)()",
    re.IGNORECASE,
)
"""``from a, b where a.k = b.k``, with the groups of ``_JOINED``."""


def _table(change: Change, step: Step, name: str) -> Table | None:
    """A table as a step finds it; None where that is not known."""
    found = change.taken(name, step)
    return found if found is not None and not found.is_series else None


_QUERIES: Final = {"sql", "query", "execute", "read_sql", "read_sql_query", "sql_query"}
_FROM: Final = re.compile(
    r"\bfrom\s+(\w+)(?:\s+(?:as\s+)?(?!\b(?:left|inner|join|where|group)\b)(\w+))?", re.IGNORECASE
)
_JOINED: Final = re.compile(
    r"\b(?:(left)\s+(?:outer\s+)?|(inner)\s+)?join\s+(\w+)(?:\s+(?:as\s+)?(?!(?:on|using)\b)(\w+))?\s+"
    r"(?:on\s+\(?\s*(\w+)\.(\w+)\s*=\s*(\w+)\.(\w+)\s*\)?(?!\s+and\b)|using\s*\(\s*(\w+)\s*\))",
    re.IGNORECASE,
)


def _of_query(change: Change, step: Step, call: Called) -> Iterator[Join]:
    """The join of two tables of the kernel in a text of SQL: one with one key on each side, in a query without others."""
    text = _query_text(change, call)
    first, joined = _FROM.search(text), _JOINED.findall(text) or _LISTED.findall(text)
    if (
        first is None
        or len(joined) != 1
        or len(re.findall(r"(?i)\bselect\b", text)) != 1
        or len(_JOIN.findall(text)) > 1
        or _OTHER.search(text)
    ):
        return
    kind, _, other, alias, one, key, two, key_two, using = joined[0]
    left, right = _table(change, step, first[1]), _table(change, step, other)
    if left is None or right is None:
        return
    here, there = first[2] or first[1], alias or other
    if not using and {one, two} != {here, there}:
        return
    mine, theirs = (using, using) if using else (key, key_two) if one == here else (key_two, key)
    yield Join(first[1], other, left, right, -1, kind.lower() or "inner", ([mine], [theirs]), bool(kind))


def _query_text(change: Change, call: Called) -> str:
    """The query that a call is given: written there, or a variable."""
    first = call.node.args[0] if call.node.args else None
    if isinstance(first, ast.Name) and isinstance(value := change.namespace.get(first.id), str):
        return value
    constants = (one.value for one in ast.walk(call.node) if isinstance(one, ast.Constant))
    return next((value for value in constants if isinstance(value, str)), "")


def _join(change: Change, step: Step, call: Called) -> Join | None:
    of_module = call.receiver in ("pd", "pandas")
    receiver = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
    left = _side(change, step, receiver if not of_module else call.argument(0, "left"))
    right = _side(change, step, call.argument(1 if of_module else 0, "right", "other"))
    if left is None or right is None:
        return None
    by_index = call.tail == "join" and not left[1].polars
    said = call.text(-1, "how")
    how = said or ("left" if by_index else "inner")
    return Join(left[0], right[0], left[1], right[1], -1, how, _keys(call, left[1], right[1]), bool(said))


def _keys(call: Called, left: Table, right: Table) -> tuple[list[str], list[str]]:
    both = call.argument(-1, "on")
    if call.tail == "join" and not left.polars:
        return (_texts(both) if both is not None else [INDEX]), [INDEX]
    if both is None and call.tail == "join":
        both = call.argument(1)
    if both is not None:
        return _texts(both), _texts(both)
    sides = [call.argument(-1, "left_on"), call.argument(-1, "right_on")]
    indexed = [call.argument(-1, "left_index"), call.argument(-1, "right_index")]
    if any(sides) or any(indexed):
        mine, other = ([INDEX] if index else _texts(on) for on, index in zip(sides, indexed, strict=True))
        return mine, other
    shared = [name for name in left.columns if name in right.columns]
    return (shared, shared) if call.tail == "merge" else ([], [])


def _side(change: Change, step: Step, node: ast.expr | None) -> tuple[str, Table] | None:
    """One side of a join by its name: a variable, columns of one, or what a method without effects makes of it."""
    match node:
        case ast.Name(id=name):
            table = _table(change, step, name)
            return (name, table) if table is not None else None
        case ast.Subscript(value=value, slice=ast.List() | ast.Constant()):
            return _side(change, step, value)
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in _PURE:
            found = _side(change, step, value)
            made = found[1].after(method, *_literals(node)) if found is not None else None
            return (found[0], made) if found is not None and made is not None else None
    return None


def _literals(call: ast.Call) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call. Raises ValueError where one is no literal."""
    return [ast.literal_eval(one) for one in call.args], {
        one.arg or "": ast.literal_eval(one.value) for one in call.keywords
    }


def _texts(node: ast.expr | None) -> list[str]:
    if node is None:
        return []
    elements = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    texts = [one.value for one in elements if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return texts if len(texts) == len(elements) else []
