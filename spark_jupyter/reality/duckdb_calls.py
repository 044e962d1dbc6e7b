"""Calls of DuckDB's Python API: queries, and the frames made of their results."""

from __future__ import annotations

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality import frame_columns, return_values
from spark_jupyter.reality.abstract_values import Invocation, Of, Table, Value, constant, each, options_of
from spark_jupyter.reality.check_state import Run

_RUNNERS = frozenset({"sql", "query", "execute"})
"""Functions that take a query, of the module and of its connections."""
_FRAMES = {"df": "pandas", "fetchdf": "pandas", "to_df": "pandas", "fetch_df": "pandas", "pl": "polars"}
"""Methods that give a DataFrame, and of which library (DuckDB's Python API, "Result Conversion"); their signatures say ``object``."""


def _check(run: Run, call: Invocation) -> Table | None:
    """Report what a query names and its tables lack; the columns of its result, None where they can't be told."""
    given = call.argument("query", 0)
    text = constant(given[1]) if given is not None else None
    if given is None or type(text) is not str or call.stars:
        return None
    from spark_jupyter.reality import sql_queries  # sqlglot is loaded where there is SQL

    return sql_queries.check_text(run, given[0], text, {})


def _register(run: Run, call: Invocation) -> None:
    """``connection.register("name", frame)``: queries may name the frame so."""
    name, frame = call.constant("view_name", 0), call.argument("python_object", 1)
    if type(name) is str:
        run.registered[name.lower()] = (frame_columns.first_table(frame[1]) if frame else None) or Table(None)


def _frame_of(receiver: Value, name: str, call: Invocation) -> Value | None:
    """The result of ``relation.df()`` and its like; None for other methods."""
    kind = loaded_class(_FRAMES[name], "DataFrame") if name in _FRAMES and "lazy" not in call.keywords else None
    owner = next(options_of(receiver), None)
    if kind is None:
        return None
    table = owner.table.copy() if owner is not None and owner.table is not None else None
    return Of(kind, table=table)


_ALIKE = frozenset({"filter", "order", "sort", "limit", "distinct"})
"""Methods that give a relation of the same columns."""


DUCKDB = frozenset({"duckdb", "_duckdb"})


def queried(run: Run, function: object, receiver: Value | None, name: str, call: Invocation) -> Value | None:
    """The result of a query of DuckDB's, with its columns, and the DataFrames made of it."""
    if name == "register":
        _register(run, call)
    if name in _FRAMES and receiver is not None:
        return _frame_of(receiver, name, call)
    owner = next(options_of(receiver), None) if receiver is not None else None
    if name in _ALIKE and owner is not None and frame_columns.is_relation(owner.kind):
        return Of(owner.kind, table=owner.table)
    if name.removeprefix("module_").removeprefix("_connection_") not in _RUNNERS:
        return None
    table = _check(run, call)
    return each(
        return_values.result(function, receiver, name=name),
        lambda one: Of(one.kind, table=table) if isinstance(one, Of) else one,
    )
