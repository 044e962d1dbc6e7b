"""SQL on DataFrames: missing columns and result columns.

sqlglot reads the text. Tables are variables with known columns, files, and what the query names itself (WITH, subqueries); where one
can't be told, nothing is said. DuckDB finds variables as tables by their names, and columns whatever their case (DuckDB's documentation,
"Replacement scans").
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from functools import lru_cache

import sqlglot
from sqlglot import exp

from spark_jupyter.frames import frame_kinds
from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality import file_reads, findings, frame_columns
from spark_jupyter.reality.abstract_values import (
    UNKNOWN,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    constant,
    options_of,
)
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule

_MAX_LENGTH = 4000
_KEPT = 64
"""Queries: a cell is checked again as it grows and when it is whole."""
_MAX_DEPTH, _MAX_JOINS, _MAX_BRACKETS = 12, 12, 30
"""Parentheses in parentheses, joins, square brackets: with each more sqlglot may take twice as long."""
_BEGINNINGS = ("select", "with", "from", "(")
"""Other statements have other results; of those that it does not know sqlglot would write a warning into the log."""
_READER = re.compile(r"(?i)(read_csv|read_csv_auto|read_parquet|parquet_scan)\(")
"""Functions that read a file as a table: DuckDB's documentation, "Reading data files"."""
_PSEUDO = frozenset({"rowid", "user"})
"""Names that are no column of a table, and a value all the same."""
_NOT_UNDERSTOOD = (
    exp.Lambda,
    exp.Comprehension,
    exp.Columns,
    exp.Unnest,
    exp.Lateral,
    exp.Values,
    exp.Pivot,
)
"""Parts of a query that name what is no column, or make columns that nobody can tell."""


@lru_cache(_KEPT)
def parsed(text: str, dialect: str) -> exp.Query | None:
    """The query that a text is, which nobody changes; None where it is something else, or is not understood."""
    if not text.lstrip().lower().startswith(_BEGINNINGS) or len(text) > _MAX_LENGTH or text.count("[") > _MAX_BRACKETS:
        return None
    depths = itertools.accumulate((one == "(") - (one == ")") for one in text)
    if max(depths) > _MAX_DEPTH or text.lower().count("join") > _MAX_JOINS:
        return None
    try:
        statements = sqlglot.parse(text, dialect=dialect)
    except Exception:  # of what is no SQL it raises errors of many kinds: IndexError, ValueError, RecursionError
        return None
    return statements[0] if len(statements) == 1 and isinstance(statements[0], exp.Query) else None


def columns_in(text: str, dialect: str) -> list[str]:
    """The columns that the text of an expression names."""
    query = parsed(f"select {text} from frame_", dialect)
    if not isinstance(query, exp.Select) or query.find(*_NOT_UNDERSTOOD, exp.Subquery):
        return []
    return [one.name for one, _ in _absent(query, {"frame_": Table(())}, {})]


def check_text(
    run: Run, node: ast.expr, text: str, known: dict[str, Table], *, dialect: str = "duckdb"
) -> Table | None:
    """Report what the query at ``node`` names and its tables lack, the ``known`` ones and those that the names in it stand for; the
    columns of its result, None where they can't be told."""
    query = parsed(text, dialect)
    if query is None:
        return None
    result = _Reading(run, node, text).query(query, known, {})
    return result if result.columns is not None else None


class _Reading:
    """A query with all that is nested in it, from the inside out."""

    def __init__(self, run: Run, node: ast.expr, text: str) -> None:
        self._run = run
        self._node = node
        self._text = text

    def query(self, query: exp.Expr, known: dict[str, Table], outer: dict[str, Table]) -> Table:
        """The columns of the result. ``known``: the tables that the query itself names (WITH, subqueries) by their names in small
        letters; ``outer``: those of the query around it, by what it calls them, whose columns it may name as well."""
        if not isinstance(query, exp.Query):
            return Table(None)
        known = dict(known)
        for one in query.ctes:
            known[one.alias.lower()] = _named_anew(one, Table(None))  # it may name itself
            known[one.alias.lower()] = _named_anew(one, self.query(one.this, known, outer))
        if isinstance(query, exp.Subquery):
            return self.query(query.this, known, outer)
        if isinstance(query, exp.SetOperation):
            sides = [self.query(side, known, outer) for side in (query.this, query.expression)]
            if any(side.columns is None for side in sides):
                return Table(None)
            return Table([column for side in sides for column in side.columns or ()], one_level=True)
        return self._select(query, known, outer) if isinstance(query, exp.Select) else Table(None)

    def _select(self, select: exp.Select, known: dict[str, Table], outer: dict[str, Table]) -> Table:
        begin = select.args.get("from_")
        sources = [one.this for one in (begin, *(select.args.get("joins") or ())) if one is not None]
        tables = {one.alias_or_name.lower(): self._source(one, known, outer) for one in sources}
        parts = list(_parts(select))
        if not tables or any(table.columns is None for table in tables.values()):
            return Table(None)
        if any(isinstance(part, _NOT_UNDERSTOOD) for part in parts):
            return Table(None)
        for part in parts:
            if isinstance(part, exp.Query):
                self.query(part, known, outer | tables)
        for column, owner in _absent(select, tables, outer):
            self._report(column, [(outer | tables)[owner]] if owner else list(tables.values()))
        return _result(select, tables)

    def _source(self, source: exp.Expr, known: dict[str, Table], outer: dict[str, Table]) -> Table:
        """A table of FROM or JOIN."""
        if source.args.get("pivots"):
            return Table(None)
        if isinstance(source, exp.Subquery):
            return _named_anew(source, self.query(source, known, outer))
        if not isinstance(source, exp.Table) or source.args.get("joins") or source.db:
            return Table(None)
        table = self._table(source, known)
        return Table(None) if table is None or table.has_tuples else _named_anew(source, table)

    def _table(self, source: exp.Table, known: dict[str, Table]) -> Table | None:
        called, name = source.this, source.name.lower()
        if not isinstance(called, exp.Identifier):
            given = list(called.iter_expressions())
            is_file = _READER.match(called.sql()) and len(given) == 1 and given[0].is_string
            return file_reads.queried(self._run, given[0].name) if is_file else None
        if self._text[called.meta["start"]] == "'":
            return file_reads.queried(self._run, source.name)
        if name in known or name in self._run.registered:
            return known.get(name) or self._run.registered.get(name)
        options = list(options_of(self._run.look_up(source.name) or UNKNOWN))
        return options[0].table if len(options) == 1 and _is_table(options[0].kind) else None

    def _report(self, column: exp.Identifier, owners: list[Table]) -> None:
        columns = [name for table in owners for name in table.columns or () if type(name) is str]
        written = column.name
        close = findings.nearest(written, columns)
        message = f"The query names a column `{written}`, which its tables do not have."
        remedy = findings.with_listing(close, "The columns", columns)
        if not self._run.may_be_set(written):
            place = _line_of(self._node, self._text, column.meta["start"])
            self._run.say(
                Rule.MISSING_COLUMN, message, place, remedy=remedy, severity="warn", wrong=written, meant=close
            )


def _parts(select: exp.Select) -> Iterator[exp.Expr]:
    """All that a SELECT is made of, a nested query as one, but for its WITH and what FROM and JOIN name."""
    shut = (exp.Query, exp.With)
    for part in select.walk(prune=lambda one: one is not select and (isinstance(one, shut) or _is_source(one))):
        if part is not select and not isinstance(part, exp.With) and not _is_source(part):
            yield part


def _is_source(part: exp.Expr) -> bool:
    return part.arg_key == "this" and isinstance(part.parent, exp.From | exp.Join)


def _named_anew(named: exp.DerivedTable | exp.Table, table: Table) -> Table:
    """A table whose columns an alias names: ``t(a, b)``."""
    names = named.alias_column_names
    return Table(list(names), one_level=True) if names else table


def _absent(
    select: exp.Select, tables: dict[str, Table], outer: dict[str, Table]
) -> Iterator[tuple[exp.Identifier, str]]:
    """The columns that no table has, or the one that they are said to be of (its name in the query, else ""). Those of the query around
    this one may be named, too."""
    columns = {
        name: {str(column).lower() for column in table.columns or ()} for name, table in (outer | tables).items()
    }
    own = set().union(*columns.values(), columns, _PSEUDO, (one.alias.lower() for one in select.expressions))
    for part in _parts(select):
        if isinstance(part, exp.Column) and isinstance(part.this, exp.Identifier) and not part.db:
            owner, name = part.table.lower(), part.name.lower()
            if owner in columns and name not in columns[owner]:
                yield part.this, owner
            elif not owner and name not in own:
                yield part.this, ""
        elif isinstance(part, exp.Join):
            yield from ((one, "") for one in part.args.get("using") or () if one.name.lower() not in own)


def _result(select: exp.Select, tables: dict[str, Table]) -> Table:
    """The columns of what the query gives."""
    columns: list[object] = []
    for one in select.expressions:
        if one.is_star:
            of = (
                [tables[one.table.lower()]]
                if isinstance(one, exp.Column) and one.table.lower() in tables
                else tables.values()
            )
            columns += [column for table in of for column in table.columns or ()]
            star = one.this if isinstance(one, exp.Column) else one
            columns += [renamed.alias for renamed in star.args.get("rename") or ()]
        elif isinstance(one, exp.Alias | exp.Column):
            name = one.alias_or_name
            alike = (c for table in tables.values() for c in table.columns or () if str(c).lower() == name.lower())
            columns += [name, *alike]
        else:
            return Table(None)
    return Table(columns, one_level=True)


def _line_of(node: ast.expr, text: str, offset: int) -> ast.expr:
    """A place at the line of a text in three quotes in which the offset is."""
    if not isinstance(node, ast.Constant) or (node.end_lineno or 0) - node.lineno != text.count("\n"):
        return node
    place = ast.copy_location(ast.Constant(value=text), node)
    place.lineno = node.lineno + text.count("\n", 0, offset)
    return place


def _is_table(kind: type) -> bool:
    """True for what DuckDB takes for a table, named by its variable."""
    return (
        frame_columns.is_frame(kind) or frame_columns.is_relation(kind) or kind is loaded_class("polars", "LazyFrame")
    )


def of_spark_session(run: Run, session: Value, call: Invocation) -> Value | None:
    """The result of ``spark.sql``: its tables are views that the cell makes, or that an earlier one made."""
    kind = loaded_class("pyspark.sql.dataframe", "DataFrame")
    given = call.argument("sqlQuery", 0)
    if kind is None or given is None:
        return None
    text = constant(given[1])
    text = text if type(text) is str else ""
    query = parsed(text, "spark")
    names = {table.name.lower() for table in query.find_all(exp.Table)} - run.registered.keys() if query else ()
    views = {name: Table(columns) for name in names if (columns := _spark_view(session, name))}
    return Of(kind, table=check_text(run, given[0], text, views, dialect="spark"))


def _spark_view(session: Value, name: str) -> list[str]:
    return frame_kinds.spark_view(session.thing, name) if isinstance(session, Live) and name else []
