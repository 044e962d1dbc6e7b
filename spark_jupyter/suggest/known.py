"""What can be suggested without a model: from the kernel, from what stands in the notebook, and from the recipe books. Pure.

Each source says what could follow; it is shown by itself only where that is one thing, or what this notebook has said most often. Where
somebody asks by a key, the first that was not shown yet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from spark_jupyter.source.strings import is_plain, read
from spark_jupyter.suggest.situation import Situation

Kind = str
"""Of a column, as recipe books name it: ``number column``, ``text column``, ``date column``, ``bool column``, ``column``."""


class Column(Struct, frozen=True):
    """A column of a table in the kernel."""

    name: str
    kind: Kind = "column"


class RecipeLine(Struct, frozen=True):
    """A line of a recipe book: its table's name there, and what of it stands for a column of which kind, as it is written."""

    text: str
    table: str
    columns: tuple[tuple[str, Kind], ...] = ()


class Facts(Protocol):
    """What is known of the kernel, and of the recipe books."""

    def columns(self, name: str) -> Sequence[Column]:
        """The columns of the table of that name; none where there is no such table."""
        ...

    def is_data(self, name: str) -> bool:
        """Whether the name stands for a table or a column of one."""
        ...

    def texts(self, name: str, column: str) -> Sequence[str]:
        """The different texts in a column, where they are few."""
        ...

    def keywords(self, function: str) -> Sequence[str]:
        """The keyword arguments of a function, by its dotted name."""
        ...

    def is_defined(self, name: str) -> bool:
        """Whether the kernel knows the name."""
        ...

    def has_module(self, name: str) -> bool:
        """Whether it can be imported."""
        ...

    def recipes(self) -> Sequence[RecipeLine]:
        """The lines of the recipe books that begin with a table."""
        ...


def known(situation: Situation, facts: Facts, *, asked: bool) -> Sequence[str]:
    """What may follow at the cursor, the best first; none where nothing is sure."""
    if situation.cell_type != "code" or situation.line_after.strip(" )]}\"',:"):
        return ()
    for source in (_columns, _values, _keywords, _imports, _own_lines, _recipe_lines, _next):
        found = Counter(source(situation, facts))
        if found:
            return _sure(found, situation, asked=asked)
    return ()


def _sure(found: Counter[str], situation: Situation, *, asked: bool) -> Sequence[str]:
    ranked = [text for text, _ in found.most_common() if text not in situation.other_than]
    counts = sorted(found.values(), reverse=True)
    is_sure = len(counts) == 1 or counts[0] > counts[1]
    return ranked if asked else ranked[:1] if is_sure and not situation.other_than else ()


# --- In a string ---------------------------------------------------------------------------------------------------

_SUBSCRIPT = re.compile(r"(?<![\w.])(?P<table>\w+)\[(?P<list>\[(?:[^\[\]]*,\s*)?)?[\"'](?P<typed>[^\"']*)\Z")
_BY_COLUMN = re.compile(
    r"(?<![\w.])(?P<table>\w+)\.(?:groupby|sort_values|set_index|drop_duplicates|value_counts|explode|nlargest|nsmallest|pop)"
    r"\((?:[^()]*[,\[=(]\s*)?[\"'](?P<typed>[^\"']*)\Z"
)
_COMPARED = re.compile(
    r"(?<![\w.])(?P<table>\w+)(?:\[[\"'](?P<column>[^\"']+)[\"']\]|\.(?P<name>\w+))\s*"
    r"(?:[=!]=\s*|\.isin\(\[(?:[^\[\]]*,\s*)?)[\"'](?P<typed>[^\"']*)\Z"
)


def _columns(situation: Situation, facts: Facts) -> Iterator[str]:
    """``df["``: a column of the table."""
    line = situation.line_before
    match = _SUBSCRIPT.search(line) or _BY_COLUMN.search(line)
    if match is None:
        return
    in_list = match.re is _BY_COLUMN or bool(match["list"])
    already = match[0].replace("'", '"') if in_list else ""
    for column in facts.columns(match["table"]):
        if column.name.startswith(match["typed"]) and is_plain(column.name) and f'"{column.name}"' not in already:
            yield _closed(column.name[len(match["typed"]) :], situation, bracket="" if in_list else "]")


def _values(situation: Situation, facts: Facts) -> Iterator[str]:
    """``df["city"] == "``: a text that the column holds."""
    match = _COMPARED.search(situation.line_before)
    if match is None or not match["typed"]:
        return
    for text in facts.texts(match["table"], match["column"] or match["name"]):
        if text.startswith(match["typed"]) and is_plain(text):
            yield _closed(text[len(match["typed"]) :], situation)


def _closed(text: str, situation: Situation, *, bracket: str = "") -> str:
    """With the quote, and the bracket, that are not there yet."""
    quote = read(situation.line_before).string
    after = situation.line_after
    if after.startswith(quote):
        return text
    return f"{text}{quote}{'' if after.startswith(bracket) and bracket else bracket}"


# --- Names ---------------------------------------------------------------------------------------------------------

_CALL = re.compile(r"(?P<function>(?<![\w.])[^\W\d][\w.]*)\((?P<arguments>[^()]*)\Z")


def _keywords(situation: Situation, facts: Facts) -> Iterator[str]:
    """``read_csv("a.csv", se``: a keyword argument of the function."""
    match = _CALL.search(situation.line_before)
    if match is None or read(situation.line_before).string:
        return
    typed = re.search(r"(?:\A|,\s*)([^\W\d]\w+)\Z", match["arguments"])
    if typed is None or situation.line_after.startswith("="):
        return
    given = set(re.findall(r"(\w+)\s*=", match["arguments"]))
    for name in facts.keywords(match["function"]):
        if name.startswith(typed[1]) and name not in given:
            yield f"{name[len(typed[1]) :]}="


_USUAL = {
    "np": "numpy as np",
    "pd": "pandas as pd",
    "plt": "matplotlib.pyplot as plt",
    "sns": "seaborn as sns",
    "pl": "polars as pl",
    "px": "plotly.express as px",
    "tf": "tensorflow as tf",
    "nx": "networkx as nx",
    "sp": "scipy as sp",
    "sm": "statsmodels.api as sm",
    **{name: name for name in ("json", "math", "random", "re", "os", "sys", "time", "datetime", "itertools", "torch")},
}
"""Modules, by the names under which they are used."""


def _imports(situation: Situation, facts: Facts) -> Iterator[str]:
    """``import nu``, or a first line above code: what is used and not imported."""
    line = situation.line_before
    opens = not situation.before.strip() and bool(situation.after.strip())
    match = re.fullmatch(r"import (\w*)", line)
    if match is None and not (opens and not line):
        return
    code = "\n".join([situation.before, situation.after, *(cell.source for cell in situation.above)])
    for name, module in _USUAL.items():
        is_used = re.search(rf"(?<![\w.]){name}\.\w", code) is not None
        imported = re.search(rf"(?m)^\s*(?:import|from)\b.*\b{name}\b", code) is not None
        top = module.partition(" ")[0].partition(".")[0]
        if not is_used or imported or facts.is_defined(name) or not facts.has_module(top):
            continue
        text = f"import {module}"
        if text.startswith(line):
            yield text[len(line) :]


# --- Lines ---------------------------------------------------------------------------------------------------------

_SHORTEST = 6
"""Characters of a line that say what it may become: of what is shown for the package's first two recipe books, typed key by key, 73 %
is what comes; with 4 and all lines it were 67 %."""
_LONGEST_REST = 60
"""Characters that are said again: a longer line is data, as a rule."""
_SAID_ONCE = re.compile(r"#|import\b|from\b|assert\b")
"""How lines begin that nobody wants a second time."""
_CHAIN = re.compile(r"(?:[^\W\d]\w* = )?(?P<table>[^\W\d]\w*)\.\w{2}")


def _own_lines(situation: Situation, facts: Facts) -> Iterator[str]:
    """A line that this notebook has already, or one of another table with this one's name in it."""
    typed = situation.line_before.lstrip()
    if len(typed.strip()) < _SHORTEST or situation.line_after.strip():
        return
    lines = [line.strip() for cell in situation.above if cell.cell_type == "code" for line in cell.source.split("\n")]
    lines += [line.strip() for line in situation.before.split("\n")[:-1]]
    whole = [line for line in lines if not _SAID_ONCE.match(line)]
    found = [
        line[len(typed) :] for line in whole if line.startswith(typed) and 0 < len(line) - len(typed) <= _LONGEST_REST
    ]
    yield from found or _with_this_table(
        typed, [RecipeLine(line, table) for line in whole if (table := _table_of(line))], facts
    )


def _recipe_lines(situation: Situation, facts: Facts) -> Iterator[str]:
    """A line of the recipe books, with this table's name and columns in it."""
    typed = situation.line_before.lstrip()
    if not situation.line_after.strip() and _CHAIN.match(typed):
        yield from _with_this_table(typed, facts.recipes(), facts)


def _with_this_table(typed: str, lines: Sequence[RecipeLine], facts: Facts) -> Iterator[str]:
    match = _CHAIN.match(typed)
    columns = facts.columns(match["table"]) if match is not None else ()
    if match is None or not columns:
        return
    behind = typed[match.start("table") :]
    for line in dict.fromkeys(lines):
        start = re.search(rf"(?<![\w.]){re.escape(line.table)}\.", line.text)
        if start is None:
            continue
        chain = re.sub(rf"(?<![\w.\"']){re.escape(line.table)}(?=[.\[])", match["table"], line.text[start.start() :])
        filled = _filled(chain, line, columns)
        if filled is not None and filled.startswith(behind) and len(filled) > len(behind):
            yield filled[len(behind) :]


def _filled(chain: str, line: RecipeLine, columns: Sequence[Column]) -> str | None:
    """The chain with this table's columns; None where one of them could be several."""
    for token, kind in line.columns:
        if token not in chain:
            continue
        kind = "text column" if kind == "category column" else kind
        fitting = [column.name for column in columns if kind in ("column", column.kind)]
        if len(fitting) != 1 or not is_plain(fitting[0]):
            return None
        chain = chain.replace(token, f'"{fitting[0]}"')
    return chain


def _table_of(line: str) -> str:
    match = _CHAIN.match(line)
    return match["table"] if match else ""


# --- The next cell -------------------------------------------------------------------------------------------------


def _next(situation: Situation, facts: Facts) -> Iterator[str]:
    """An empty cell below one that has just made a table: a look at it."""
    code = [cell for cell in situation.above if cell.cell_type == "code" and cell.source.strip()]
    if situation.before.strip() or situation.after.strip() or not code:
        return
    last = code[-1]
    lines = [line for line in last.source.split("\n") if line.strip()]
    made = re.match(r"([^\W\d]\w*)\s*=(?!=)", lines[-1]) if lines and last.execution_count is not None else None
    if made is None or not facts.is_data(made[1]):
        return
    looked_at = re.compile(rf"\b{made[1]}(?:\.(?:head|info|describe|sample|tail)\(|\s*$)")
    if not any(looked_at.search(cell.source) for cell in code):
        yield f"{made[1]}.head()"
