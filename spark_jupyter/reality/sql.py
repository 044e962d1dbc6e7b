"""DuckDB's SQL on DataFrames: which columns a query names that its tables do not have, and which ones its result has.

Only one plain SELECT is read, whose tables are all variables with known columns; of any other text nothing is said. DuckDB finds variables
as tables by their names, and columns whatever their case (DuckDB's documentation, "Replacement scans", "Case sensitivity of identifiers").
"""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_jupyter.reality import report, tables
from spark_jupyter.reality.kinds import library_class
from spark_jupyter.reality.lookup import class_name
from spark_jupyter.reality.report import Rule
from spark_jupyter.reality.run import Run
from spark_jupyter.reality.values import UNKNOWN, Invocation, Of, Table, Value, constant, options_of

MAX_LENGTH = 4000
RUNNERS = frozenset({"sql", "query", "execute"})
"""What takes a query, of the module and of its connections."""
FRAMES = {"df": "pandas", "fetchdf": "pandas", "to_df": "pandas", "fetch_df": "pandas", "pl": "polars"}
"""What gives a DataFrame, of which library (DuckDB's Python API, "Result Conversion"); its signatures say ``object``."""

_TOKEN = re.compile(
    r"""\s+|--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?P<quoted>[^"]+)"|(?P<name>[^\W\d]\w*)|\d[\w.]*|::|.""", re.DOTALL
)
_REFUSED = frozenset(
    "with union intersect except pivot unpivot lateral unnest values exclude replace columns window asof positional insert create "
    "lambda struct update delete copy attach pragma set describe summarize explain grouping rollup cube sample tablesample filter".split()
)
"""Words of which more would have to be understood."""
_CLAUSES = frozenset("where group having order limit offset qualify".split())
_JOINS = frozenset("join inner left right full outer cross natural semi anti".split())
_WORDS = (
    _CLAUSES
    | _JOINS
    | frozenset(
        "select from on using as and or not in is null like ilike between case when then else end distinct all by asc desc nulls "
        "first last over within partition rows range groups unbounded preceding following current row interval cast try_cast "
        "extract date time timestamp true false exists any some similar to escape collate glob integer int bigint smallint "
        "tinyint hugeint double float real decimal numeric varchar text string char boolean bool blob uuid timestamptz year years "
        "month months day days week weeks quarter quarters hour hours minute minutes second seconds millisecond milliseconds "
        "microsecond microseconds decade century epoch dow doy isodow at zone rowid current_date current_timestamp current_time "
        "localtime localtimestamp with ordinality ignore respect trailing leading both for position substring overlay trim ties "
        "exclude no others".split()
    )
)
"""What is no column, or need not be one."""


class _Token(NamedTuple):
    text: str
    name: str
    """As a name, in small letters; "" of anything else."""
    offset: int
    depth: int
    is_quoted: bool


def check(run: Run, call: Invocation) -> Table | None:
    """Report what a query names and its tables lack; the columns of its result, None where they can't be told."""
    given = call.argument("query", 0)
    text = constant(given[1]) if given is not None else None
    if given is None or type(text) is not str or len(text) > MAX_LENGTH or call.stars:
        return None
    query = _Query.of(_tokens(text))
    named = _tables_of(run, query) if query is not None else None
    if query is None or named is None:
        return None
    for token, owner in query.absent(named):
        columns = [
            name
            for table in ([named[owner]] if owner else named.values())
            for name in table.columns or ()
            if type(name) is str
        ]
        written = text[token.offset : token.offset + len(token.text)].strip('"')
        close = report.nearest(written, columns)
        message = f"The query names a column `{written}`, which its tables do not have."
        remedy = report.with_listing(close, "The columns", columns)
        if not run.may_be_set(written):
            place = _line_of(given[0], text, token.offset)
            run.say(Rule.MISSING_COLUMN, message, place, remedy=remedy, severity="warn", wrong=written, meant=close)
    return query.result(named)


def frame_of(receiver: Value, name: str, call: Invocation) -> Value | None:
    """What ``relation.df()`` and its like give; None for other methods."""
    kind = library_class(FRAMES[name], "DataFrame") if name in FRAMES and "lazy" not in call.keywords else None
    owner = next(options_of(receiver), None)
    if kind is None:
        return None
    table = owner.table.copy() if owner is not None and owner.table is not None else None
    return Of(kind, table=table)


ALIKE = frozenset({"filter", "order", "sort", "limit", "distinct"})
"""What gives a relation of the same columns."""


def is_relation(kind: type) -> bool:
    """Whether this is DuckDB's class of what a query gives, whose columns are attributes."""
    return class_name(kind) == "DuckDBPyRelation"


def _line_of(node: ast.expr, text: str, offset: int) -> ast.expr:
    """A place at the line of a text in three quotes in which the offset is."""
    if not isinstance(node, ast.Constant) or (node.end_lineno or 0) - node.lineno != text.count("\n"):
        return node
    place = ast.copy_location(ast.Constant(value=text), node)
    place.lineno = node.lineno + text.count("\n", 0, offset)
    return place


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        part = match[0]
        if part.isspace() or part.startswith(("--", "/*")):
            continue
        depth -= part == ")"
        name = (match["quoted"] or match["name"] or "").lower()
        found.append(_Token(part, name, match.start(), depth, match["quoted"] is not None))
        depth += part == "("
    return found[:-1] if found and found[-1].text == ";" else found


def _tables_of(run: Run, query: _Query) -> dict[str, Table] | None:
    """The tables of a query by what it calls them; None where the columns of one can't be told."""
    found: dict[str, Table] = {}
    for alias, name in query.sources.items():
        value = run.look_up(name) or UNKNOWN
        options = list(options_of(value))
        table = options[0].table if len(options) == 1 and tables.is_frame(options[0].kind) else None
        if table is None or table.columns is None or table.has_tuples:
            return None
        found[alias] = table
    return found or None


class _Query:
    """One SELECT: what it selects, from which tables (``sources``: what each is called, and its variable), and what else it names."""

    def __init__(self, selected: list[_Token], sources: dict[str, str], named: list[_Token]) -> None:
        self.selected = selected
        self.sources = sources
        self._named = named
        self._items = _split(selected)
        self._aliases = {alias for item in self._items if (alias := _alias(item))}

    @classmethod
    def of(cls, tokens: list[_Token]) -> _Query | None:
        """The query that the tokens are; None where they are another one than is understood."""
        words = [token.name for token in tokens if not token.is_quoted]
        if not tokens or words[0] != "select" or words.count("select") != 1 or not _REFUSED.isdisjoint(words):
            return None
        if any(
            token.text in {"[", "{", "$", "#", ";", "-", "@"} and _is_hard(tokens, at)
            for at, token in enumerate(tokens)
        ):
            return None
        start = next((at for at, token in enumerate(tokens) if _is_word(token, "from") and token.depth == 0), None)
        if start is None:
            return None
        rest = tokens[start + 1 :]
        stop = next(
            (
                at
                for at, token in enumerate(rest)
                if token.depth == 0 and not token.is_quoted and token.name in _CLAUSES
            ),
            len(rest),
        )
        read = _sources(rest[:stop])
        if read is None:
            return None
        selected = tokens[1:start]
        selected = selected[1:] if selected and _is_word(selected[0], "distinct") else selected
        return cls(selected, read[0], [*read[1], *rest[stop:]])

    def absent(self, named: dict[str, Table]) -> Iterator[tuple[_Token, str]]:
        """The columns that no table has, or the one that they are said to be of (its name in the query, else "")."""
        known = {alias: {str(column).lower() for column in table.columns or ()} for alias, table in named.items()}
        own = set().union(*known.values()) | self._aliases | set(known)
        for part in (*self._items, self._named):
            for at, token in enumerate(part):
                if not token.name or (token.name in _WORDS and not token.is_quoted):
                    continue
                before, after = (part[at - 1] if at else None), (part[at + 1] if at + 1 < len(part) else None)
                if after is not None and after.text in {"(", ".", ":"}:
                    continue
                if before is not None and before.text == ".":
                    owner = part[at - 2].name if at > 1 else ""
                    if owner in known and token.name not in known[owner]:
                        yield token, owner
                elif not _is_renaming(part[:at]) and token.name not in own:
                    yield token, ""

    def result(self, named: dict[str, Table]) -> Table | None:
        """The columns of what the query gives."""
        columns: list[object] = []
        for item in self._items:
            texts = [token.text for token in item]
            if texts == ["*"]:
                columns += [column for table in named.values() for column in table.columns or ()]
            elif len(item) == 3 and texts[1:] == [".", "*"] and item[0].name in named:
                columns += named[item[0].name].columns or ()
            elif _alias(item) or len(item) == 1 or (len(item) == 3 and texts[1] == "."):
                if not item[-1].name:
                    return None
                written = item[-1].text.strip('"')
                columns += [
                    written,
                    *(c for table in named.values() for c in table.columns or () if str(c).lower() == item[-1].name),
                ]
            else:
                return None
        return Table(columns, one_level=True)


def _is_hard(tokens: list[_Token], at: int) -> bool:
    """Whether this sign begins what is not understood: a list, a struct, a lambda; a minus by itself does not."""
    return tokens[at].text != "-" or (at + 1 < len(tokens) and tokens[at + 1].text == ">")


def _is_word(token: _Token, word: str) -> bool:
    return token.name == word and not token.is_quoted


def _is_renaming(part: list[_Token]) -> bool:
    """Whether a name after this is another name for what stands there, or a type."""
    if not part:
        return False
    before = part[-1]
    if len(part) > 1 and part[-2].text == "::":
        return True
    ends = before.text in {")", "::"} or before.text[:1] in "'0123456789"
    return (
        ends or _is_word(before, "as") or _is_word(before, "end") or (before.name != "" and before.name not in _WORDS)
    )


def _split(tokens: list[_Token]) -> list[list[_Token]]:
    """What stands between commas."""
    items: list[list[_Token]] = [[]]
    for token in tokens:
        if token.text == "," and token.depth == 0:
            items.append([])
        else:
            items[-1].append(token)
    return [item for item in items if item]


def _alias(item: list[_Token]) -> str:
    """The name that an item is given."""
    if len(item) < 2 or not item[-1].name or item[-1].depth or item[-2].text in {".", "::"}:
        return ""
    last = item[-1]
    return last.name if _is_renaming(item[:-1]) and (last.is_quoted or last.name not in {"end", "null"}) else ""


def _sources(tokens: list[_Token]) -> tuple[dict[str, str], list[_Token]] | None:
    """The tables that a FROM clause names, and what stands in its conditions."""
    sources: dict[str, str] = {}
    conditions: list[_Token] = []
    at = 0
    while at < len(tokens):
        table = tokens[at]
        if not table.name or table.name in _WORDS:
            return None
        at += 1
        alias = table.name
        at += at < len(tokens) and _is_word(tokens[at], "as")
        if at < len(tokens) and tokens[at].name and tokens[at].name not in _WORDS:
            alias = tokens[at].name
            at += 1
        sources[alias] = table.text.strip('"')
        if at < len(tokens) and tokens[at].name in {"on", "using"}:
            at += 1
            while at < len(tokens) and not (
                tokens[at].depth == 0 and (tokens[at].name in _JOINS or tokens[at].text == ",")
            ):
                conditions.append(tokens[at])
                at += 1
        begun = at
        while at < len(tokens) and (tokens[at].name in _JOINS or tokens[at].text == ","):
            at += 1
        if at < len(tokens) and begun == at:
            return None
    return sources, conditions
