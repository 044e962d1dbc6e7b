"""Columns in one SELECT of DuckDB's SQL.

Compound queries are taken apart in :mod:`spark_jupyter.reality.sql_queries` first.

What has more than one SELECT in it, :mod:`spark_jupyter.reality.sql_queries` takes apart before. DuckDB does not tell
capitals from small letters (DuckDB's documentation, "Case sensitivity of identifiers").
"""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_jupyter.reality.abstract_values import Table

_TOKEN = re.compile(
    r"""\s+|--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?P<quoted>[^"]+)"|(?P<name>[^\W\d]\w*)|\d[\w.]*|::|.""", re.DOTALL
)
_REFUSED = frozenset(
    "pivot unpivot lateral unnest values exclude replace columns window asof positional insert create "
    "lambda struct update delete copy attach pragma set describe summarize explain grouping rollup cube sample tablesample filter".split()
)
"""Words of which more would have to be understood."""
_CLAUSES = frozenset("where group having order limit offset qualify".split())
_JOINS = frozenset("join inner left right full outer cross natural semi anti".split())
WORDS = (
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
"""Words that are no column, or need not be one."""


class Token(NamedTuple):
    text: str
    name: str
    """As a name, in small letters; "" of anything else."""
    offset: int
    depth: int
    is_quoted: bool


def tokens_of(text: str) -> list[Token]:
    found: list[Token] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        part = match[0]
        if part.isspace() or part.startswith(("--", "/*")):
            continue
        depth -= part == ")"
        name = (match["quoted"] or match["name"] or "").lower()
        found.append(Token(part, name, match.start(), depth, match["quoted"] is not None))
        depth += part == "("
    return found[:-1] if found and found[-1].text == ";" else found


class Select:
    """One SELECT: what it selects, from which tables (``sources``: what each is called, and its variable), and what else it names."""

    def __init__(self, selected: list[Token], sources: dict[str, str], named: list[Token]) -> None:
        self.selected = selected
        self.sources = sources
        self._named = named
        self._items = _split(selected)
        self._aliases = {alias for item in self._items if (alias := _alias(item))}

    @classmethod
    def of(cls, tokens: list[Token]) -> Select | None:
        """The query that the tokens are; None where they are another one than is understood."""
        tokens, behind_stars = _without_modifiers(tokens)
        words = [token.name for token in tokens if not token.is_quoted]
        if not tokens or words[0] != "select" or words.count("select") != 1 or not _REFUSED.isdisjoint(words):
            return None
        if any(
            token.text in {"[", "{", "$", "#", ";", "-", "@"} and _is_hard(tokens, at)
            for at, token in enumerate(tokens)
        ):
            return None
        if any(is_word(one, "as") and two.text == "(" for one, two in itertools.pairwise(tokens)):
            return None  # names for what a function makes several columns of
        start = next((at for at, token in enumerate(tokens) if is_word(token, "from") and token.depth == 0), None)
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
        selected = selected[1:] if selected and is_word(selected[0], "distinct") else selected
        return cls(selected, read[0], [*behind_stars, *read[1], *rest[stop:]])

    def absent(self, named: dict[str, Table], outer: dict[str, Table]) -> Iterator[tuple[Token, str]]:
        """The columns that no table has, or the one that they are said to be of (its name in the query, else ""). Those of the query
        around this one may be named, too."""
        known = {alias: {str(column).lower() for column in table.columns or ()} for alias, table in named.items()}
        around = {str(column).lower() for table in outer.values() for column in table.columns or ()}
        own = set().union(*known.values()) | self._aliases | set(known) | around | set(outer)
        for part in (*self._items, self._named):
            for at, token in enumerate(part):
                before, after = (part[at - 1] if at else None), (part[at + 1] if at + 1 < len(part) else None)
                is_qualified = before is not None and before.text == "."  # then also a keyword is a column
                is_plain = token.is_quoted or is_qualified or token.name not in WORDS or _is_operand(part, at)
                if not token.name or not is_plain:
                    continue
                if after is not None and after.text in {"(", ".", ":"}:
                    continue
                if is_qualified:
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


def _is_hard(tokens: list[Token], at: int) -> bool:
    """True if this sign begins something that is not understood: a list, a struct, a lambda; a minus by itself does not."""
    return tokens[at].text != "-" or (at + 1 < len(tokens) and tokens[at + 1].text == ">")


def _without_modifiers(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """The tokens without what stands behind a star of all columns, as in ``* EXCLUDE (a) REPLACE (b + 1 AS b)``; the names in that."""
    kept: list[Token] = []
    moved: list[Token] = []
    at = 0
    while at < len(tokens):
        is_star = len(kept) > 1 and kept[-1].text == "*" and (kept[-2].text in {",", "."} or kept[-2].name == "select")
        if (
            not is_star
            or tokens[at].name not in {"exclude", "replace"}
            or tokens[at].is_quoted
            or at + 1 == len(tokens)
        ):
            kept.append(tokens[at])
            at += 1
            continue
        begin, depth = at + 1, tokens[at].depth
        end = begin + 1
        if tokens[begin].text == "(":
            begin += 1
            closed = (n for n in range(begin, len(tokens)) if tokens[n].text == ")" and tokens[n].depth == depth)
            end = next(closed, len(tokens))
        moved += tokens[begin:end]
        at = end + (begin > at + 1)
    return kept, moved


_OPERATORS = frozenset("( ) , = < > + - * / % |".split())
_BEFORE_OPERANDS = frozenset("by and or where on not when then else between having in".split())
_BEHIND_OPERANDS = frozenset(
    "and or asc desc between in is as then else end not nulls having order limit qualify".split()
)


def _is_operand(part: list[Token], at: int) -> bool:
    """True for ``date`` and its like where neither a type nor a value can be meant, as in ``order by date``."""
    if part[at].name not in {"date", "timestamp", "text"} or any(t.text == "::" or is_word(t, "as") for t in part[:at]):
        return False
    begins = at == 0 or part[at - 1].text in _OPERATORS or part[at - 1].name in _BEFORE_OPERANDS
    ends = at + 1 == len(part) or part[at + 1].text in _OPERATORS - {"("} or part[at + 1].name in _BEHIND_OPERANDS
    return begins and ends


def is_word(token: Token, word: str) -> bool:
    return token.name == word and not token.is_quoted


def _is_renaming(part: list[Token]) -> bool:
    """True if a name after this is an alias, or a type."""
    if not part:
        return False
    before = part[-1]
    if len(part) > 1 and part[-2].text == "::":
        return True
    ends = before.text in {")", "::"} or before.text[:1] in "'0123456789"
    return ends or is_word(before, "as") or is_word(before, "end") or (before.name != "" and before.name not in WORDS)


def _split(tokens: list[Token]) -> list[list[Token]]:
    """The parts between commas."""
    items: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == "," and token.depth == 0:
            items.append([])
        else:
            items[-1].append(token)
    return [item for item in items if item]


def _alias(item: list[Token]) -> str:
    if len(item) < 2 or not item[-1].name or item[-1].depth or item[-2].text in {".", "::"}:
        return ""
    last = item[-1]
    return last.name if _is_renaming(item[:-1]) and (last.is_quoted or last.name not in {"end", "null"}) else ""


def _sources(tokens: list[Token]) -> tuple[dict[str, str], list[Token]] | None:
    """The tables that a FROM clause names, and what stands in its conditions."""
    sources: dict[str, str] = {}
    conditions: list[Token] = []
    at = 0
    while at < len(tokens):
        table = tokens[at]
        if not table.name or table.name in WORDS:
            return None
        at += 1
        alias = table.name
        at += at < len(tokens) and is_word(tokens[at], "as")
        if at < len(tokens) and tokens[at].name and tokens[at].name not in WORDS:
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
