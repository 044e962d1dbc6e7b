"""DuckDB's SQL on DataFrames: missing columns and result columns.

Tables are variables with known columns, files, and what the query names itself (WITH, subqueries); where one can't be told, nothing is
said. DuckDB finds variables as tables by their names, and columns whatever their case (DuckDB's documentation, "Replacement scans").
"""

from __future__ import annotations

import ast
import re

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality import file_reads, findings, frame_columns, return_values
from spark_jupyter.reality.abstract_values import UNKNOWN, Invocation, Of, Table, Value, constant, each, options_of
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.select_statements import Select, Token, is_word, tokens_of
from spark_jupyter.reality.static_lookup import class_name

MAX_LENGTH = 4000
MAX_DEPTH = 30
"""Parentheses in parentheses."""
_RUNNERS = frozenset({"sql", "query", "execute"})
"""Functions that take a query, of the module and of its connections."""
_FRAMES = {"df": "pandas", "fetchdf": "pandas", "to_df": "pandas", "fetch_df": "pandas", "pl": "polars"}
"""Methods that give a DataFrame, and of which library (DuckDB's Python API, "Result Conversion"); their signatures say ``object``."""


def _check(run: Run, call: Invocation) -> Table | None:
    """Report what a query names and its tables lack; the columns of its result, None where they can't be told."""
    given = call.argument("query", 0)
    text = constant(given[1]) if given is not None else None
    return None if given is None or type(text) is not str or call.stars else check_text(run, given[0], text, {})


def check_text(run: Run, node: ast.expr, text: str, known: dict[str, Table]) -> Table | None:
    """Report what the query at ``node`` names and its tables lack, the ``known`` ones and those that the names in it stand for; the
    columns of its result, None where they can't be told."""
    if len(text) > MAX_LENGTH:
        return None
    tokens = tokens_of(text)
    if max((token.depth for token in tokens), default=0) > MAX_DEPTH:
        return None
    result = _Reading(run, node, text).query(tokens, known, {})
    return result if result.columns is not None else None


class _Reading:
    """A query with all that is nested in it, from the inside out."""

    def __init__(self, run: Run, node: ast.expr, text: str) -> None:
        self._run = run
        self._node = node
        self._text = text

    def query(self, tokens: list[Token], known: dict[str, Table], outer: dict[str, Table]) -> Table:
        """The columns of the result. ``known``: the tables that the query itself names (WITH, subqueries) by their names in small
        letters; ``outer``: those of the query around it, by what it calls them, whose columns it may name as well."""
        while tokens and tokens[0].text == "(" and _closing(tokens, 0) == len(tokens) - 1:
            tokens = _inside(tokens, 0)
        if tokens and is_word(tokens[0], "with"):
            known = dict(known)
            tokens = self._with(tokens, known, outer)
        parts = _united(tokens)
        if len(parts) > 1:
            parts[-1] = _without_order(parts[-1])  # an ORDER BY at the end sorts by the columns of the whole
        results = [self._select(part, known, outer) for part in parts]
        if any(result.columns is None for result in results):
            return Table(None)
        return Table([column for result in results for column in result.columns or ()], one_level=True)

    def _with(self, tokens: list[Token], known: dict[str, Table], outer: dict[str, Table]) -> list[Token]:
        """Take note of the tables of a WITH; the query behind it, or nothing where it is another one than is understood."""
        at = 1
        while at + 2 < len(tokens) and tokens[at].name and is_word(tokens[at + 1], "as") and tokens[at + 2].text == "(":
            end = _closing(tokens, at + 2)
            known[tokens[at].name] = self.query(_inside(tokens, at + 2), known, outer)
            if end + 1 >= len(tokens) or tokens[end + 1].text != ",":
                return tokens[end + 1 :]
            at = end + 2
        return []

    def _select(self, tokens: list[Token], known: dict[str, Table], outer: dict[str, Table]) -> Table:
        known = dict(known)
        plain, nested = self._without_nested(tokens, known, outer)
        select = Select.of(plain)
        named = self._tables_of(select, known) if select is not None else None
        if select is None or named is None:
            return Table(None)
        for inner in nested:
            self.query(inner, known, outer | named)
        for token, owner in select.absent(named, outer):
            self._report(token, [named[owner]] if owner else list(named.values()))
        return select.result(named) or Table(None)

    def _without_nested(
        self, tokens: list[Token], known: dict[str, Table], outer: dict[str, Table]
    ) -> tuple[list[Token], list[list[Token]]]:
        """A query in whose FROM a name stands for each query, and a number for each elsewhere; the latter."""
        plain: list[Token] = []
        nested = []
        at = 0
        while at < len(tokens):
            opened = tokens[at].text == "(" and at + 1 < len(tokens) and tokens[at + 1].name in {"select", "with"}
            is_table = bool(plain) and (
                (plain[-1].name in {"from", "join"} and not plain[-1].is_quoted) or _is_comma_of_from(plain)
            )
            name = f"({len(known)})"
            if is_table and (file := _FILE.match("".join(token.text for token in tokens[at : at + 4]))):
                known[name] = file_reads.queried(self._run, file["path"]) or Table(None)
                plain.append(tokens[at]._replace(text=name, name=name))
                at += 4 if file["reader"] else 1
                continue
            if not opened:
                plain.append(tokens[at])
                at += 1
                continue
            inner, place = _inside(tokens, at), tokens[at]
            if is_table:
                known[name] = self.query(inner, known, outer)
                plain.append(place._replace(text=name, name=name))
            else:
                nested.append(inner)
                plain.append(place._replace(text="0", name=""))
            at = _closing(tokens, at) + 1
        return plain, nested

    def _tables_of(self, select: Select, known: dict[str, Table]) -> dict[str, Table] | None:
        """The tables of a query by what it calls them; None where the columns of one can't be told."""
        found: dict[str, Table] = {}
        for alias, name in select.sources.items():
            table = known.get(name.lower())
            table = self._run.registered.get(name.lower()) if table is None else table
            if table is None:
                options = list(options_of(self._run.look_up(name) or UNKNOWN))
                table = options[0].table if len(options) == 1 and _is_table(options[0].kind) else None
            if table is None or table.columns is None or table.has_tuples:
                return None
            found[alias] = table
        return found or None

    def _report(self, token: Token, owners: list[Table]) -> None:
        columns = [name for table in owners for name in table.columns or () if type(name) is str]
        written = self._text[token.offset : token.offset + len(token.text)].strip('"')
        close = findings.nearest(written, columns)
        message = f"The query names a column `{written}`, which its tables do not have."
        remedy = findings.with_listing(close, "The columns", columns)
        if not self._run.may_be_set(written):
            place = _line_of(self._node, self._text, token.offset)
            self._run.say(
                Rule.MISSING_COLUMN, message, place, remedy=remedy, severity="warn", wrong=written, meant=close
            )


_FILE = re.compile(
    r"(?P<reader>(?:read_csv|read_csv_auto|read_parquet|parquet_scan)\()?'(?P<path>[^']+)'(?(reader)\))", re.IGNORECASE
)
"""A file as a table: DuckDB's documentation, "Reading data files"."""


def _is_table(kind: type) -> bool:
    """True for what DuckDB takes for a table, named by its variable."""
    return frame_columns.is_frame(kind) or is_relation(kind) or kind is loaded_class("polars", "LazyFrame")


def _register(run: Run, call: Invocation) -> None:
    """``connection.register("name", frame)``: queries may name the frame so."""
    name, frame = call.constant("view_name", 0), call.argument("python_object", 1)
    if type(name) is str:
        run.registered[name.lower()] = (frame_columns.first_table(frame[1]) if frame else None) or Table(None)


def _closing(tokens: list[Token], at: int) -> int:
    """The place of the parenthesis that closes the one at a place; the end where none does."""
    depth = tokens[at].depth
    return next(
        (n for n in range(at + 1, len(tokens)) if tokens[n].text == ")" and tokens[n].depth == depth), len(tokens)
    )


def _inside(tokens: list[Token], at: int) -> list[Token]:
    """The text inside a parenthesis."""
    base = tokens[at].depth + 1
    return [token._replace(depth=token.depth - base) for token in tokens[at + 1 : _closing(tokens, at)]]


def _united(tokens: list[Token]) -> list[list[Token]]:
    """The queries between UNION, INTERSECT and EXCEPT."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.depth == 0 and not token.is_quoted and token.name in {"union", "intersect", "except"}:
            parts.append([])
        elif parts[-1] or len(parts) == 1 or token.name not in {"all", "distinct", "by", "name"}:
            parts[-1].append(token)
    return parts


def _without_order(tokens: list[Token]) -> list[Token]:
    ends = (at for at, token in enumerate(tokens) if token.depth == 0 and token.name in {"order", "limit", "offset"})
    return tokens[: next(ends, len(tokens))]


def _is_comma_of_from(before: list[Token]) -> bool:
    """True if a comma between tables stands last."""
    if before[-1].text != ",":  # asked of every token
        return False
    clauses = [token.name for token in before if token.depth == before[-1].depth and token.name in _CLAUSES]
    return clauses[-1:] == ["from"]


_CLAUSES = frozenset({"select", "from", "where", "group", "having", "order", "limit", "qualify"})


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


def is_relation(kind: type) -> bool:
    """True for DuckDB's class of query results, whose columns are attributes."""
    return class_name(kind) == "DuckDBPyRelation"


def _line_of(node: ast.expr, text: str, offset: int) -> ast.expr:
    """A place at the line of a text in three quotes in which the offset is."""
    if not isinstance(node, ast.Constant) or (node.end_lineno or 0) - node.lineno != text.count("\n"):
        return node
    place = ast.copy_location(ast.Constant(value=text), node)
    place.lineno = node.lineno + text.count("\n", 0, offset)
    return place


DUCKDB = frozenset({"duckdb", "_duckdb"})


def queried(run: Run, function: object, receiver: Value | None, name: str, call: Invocation) -> Value | None:
    """The result of a query of DuckDB's, with its columns, and the DataFrames made of it."""
    if name == "register":
        _register(run, call)
    if name in _FRAMES and receiver is not None:
        return _frame_of(receiver, name, call)
    owner = next(options_of(receiver), None) if receiver is not None else None
    if name in _ALIKE and owner is not None and is_relation(owner.kind):
        return Of(owner.kind, table=owner.table)
    if name.removeprefix("module_").removeprefix("_connection_") not in _RUNNERS:
        return None
    table = _check(run, call)
    return each(
        return_values.result(function, receiver, name=name),
        lambda one: Of(one.kind, table=table) if isinstance(one, Of) else one,
    )
