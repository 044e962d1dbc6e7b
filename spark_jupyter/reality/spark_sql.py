"""Texts of SQL for lazy frames and for Spark's session: missing columns and result columns."""

from __future__ import annotations

import ast
import itertools

from spark_jupyter.frames import frame_kinds
from spark_jupyter.reality import sql_queries
from spark_jupyter.reality.abstract_values import Invocation, Live, Of, Table, Value, constant
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.select_statements import tokens_of


def of_session(run: Run, session: Value, call: Invocation) -> Value | None:
    """The result of ``spark.sql``: its tables are views that the cell makes, or that an earlier one made."""
    kind = frame_kinds.loaded_class("pyspark.sql.dataframe", "DataFrame")
    given = call.argument("sqlQuery", 0)
    if kind is None or given is None:
        return None
    text = constant(given[1])
    tokens = tokens_of(text) if type(text) is str and len(text) <= sql_queries.MAX_LENGTH else []
    begins = {"from", "join", ","}
    names = {token.name for before, token in itertools.pairwise(tokens) if (before.name or before.text) in begins}
    views = {name: Table(columns) for name in names - run.registered.keys() if (columns := _view(session, name))}
    return Of(kind, table=result(run, given[0], text, "{}", views))


def _view(session: Value, name: str) -> list[str]:
    return frame_kinds.spark_view(session.thing, name) if isinstance(session, Live) and name else []


def result(run: Run, node: ast.expr, text: object, template: str, known: dict[str, Table]) -> Table | None:
    """The result of a text of SQL; None where it can't be told. Spark quotes names with backticks and texts with double quotes."""
    if type(text) is not str or '"' in text or "`" in text:
        return None
    return sql_queries.check_text(run, node, template.format(text), known)
