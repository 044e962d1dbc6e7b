"""Database rows as a source of input.

Somebody wrote their content. They are followed into pages, where script would run, and nowhere else.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import DATABASE, Danger, Flows, Trust, Value, words

_ASKS: Final = words("execute read_sql read_sql_query fetch fetchrow fetch_all fetch_one")
_COLUMNS: Final = re.compile(r"SELECT\b(?:\s+DISTINCT\b)?(.*?)\bFROM\b", re.IGNORECASE | re.DOTALL)
_LONGEST: Final = 1_000
"""Longest part of a query that is analysed, in characters: a model may write any length."""
_NUMBER: Final = re.compile(
    r"(?:(?:COUNT|SUM|AVG|MIN|MAX|ROUND|LENGTH|DATE)\s*\(.*|"
    r"[\w.]*\b(?:\w+_)?(?:id|rowid|count|total|price|amount|quantity|created|date|at|year|age)(?:\s+AS\s+\w+)?)",
    re.IGNORECASE | re.DOTALL,
)
"""Columns without user text, by their names."""


def rows(event: Call, name: str, state: State) -> Value | None:
    """Value of a query's rows, if its columns are known and one of them may be a text. A cursor keeps it until its next query."""
    if event.tail not in _ASKS:
        return None
    asked = _COLUMNS.match((event.argument(0, "query", "sql").known_text or "").lstrip()[:_LONGEST])
    texts = asked is not None and not all(_NUMBER.fullmatch(column.strip()) for column in asked[1].split(","))
    held = tuple(flow for flow in event.receiver.flows if flow[0].label != DATABASE)
    given = ((state.origin(DATABASE, Trust.FILE), int(Danger.HTML)),) if texts else ()
    cursor = event.node.func.value if isinstance(event.node.func, ast.Attribute) else None
    if isinstance(cursor, ast.Name) and event.receiver.name.endswith("cursor()"):
        state.change(cursor.id, event.receiver.but(flows=(*held, *given)))
        return Value(name, flows=(*held, *given))
    return Value(name, flows=given) if texts else None


def in_a_page(value: Value, state: State) -> Flows:
    """Rows that go into a page unescaped."""
    return tuple(flow for flow in state.dangerous(value, Danger.HTML, Trust.FILE) if flow[0].label == DATABASE)
