"""Suggested prompts that fit the variables and files at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.prompting.variables import Variable

MOST_IDEAS = 3
_NUMBERS = ("int", "float", "uint", "decimal")
_DATES = ("datetime", "date", "timestamp")
_DATE_NAMES = ("date", "day", "month")
"""Ends of names of columns in which dates may stand as texts."""
_TEXTS = ("str", "object", "category", "bool", "string", "cat")
_OWN = ("name", "title", "email", "address", "url", "text", "comment", "description")
"""Ends of names of columns in which each row has a text of its own: they are no groups."""
_NO_MEASURE = ("id", "key", "code", "index", "zip", "year", "quarter", "month", "week", "day", "hour")
"""Names, or ends of names, of columns whose numbers are not to be added up."""


def ideas(variables: Sequence[Variable], files: Sequence[str]) -> tuple[str, ...]:
    """Up to :data:`MOST_IDEAS` prompts: about the last tables, else the data files, else what can be begun with nothing."""
    tables = sorted((one for one in variables if one.columns and "DataFrame" in one.summary), key=lambda one: one.age)
    found = [idea for table in tables for idea in about_table(table.name, _kinds(table))]
    found += [f"show the first rows of {table.name}" for table in tables]
    found += [f"load {_said(file)} and show its first rows" for file in files if _is_name(file)]
    found += _WITH_NOTHING
    return tuple(dict.fromkeys(found))[:MOST_IDEAS]


_WITH_NOTHING = (
    "make a small table of example sales by region and month",
    "plot a sine and a cosine",
    "write a function that reads all CSV files of a folder into one table",
)


def _is_name(text: str) -> bool:
    """False for what may be a sentence: whoever made the data would speak to the model with a click of the user's."""
    return re.fullmatch(r"[\w~./-][\w .,:%#&+~€$£°/()\\-]{0,39}", text) is not None and text.count(" ") < 5


def _said(file: str) -> str:
    """A file's name as a prompt says it: in quotes where it is more than one word."""
    return file if re.fullmatch(r"[\w.-]+", file) else f'"{file}"'


def _kinds(table: Variable) -> list[tuple[str, str]]:
    columns = (column.rpartition(" ") for column in table.columns)
    return [(name.strip('"'), kind) for name, _, kind in columns]


def about_table(table: str, columns: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Prompts about a table by its columns, each with its dtype; they also mean one thing where no model answers."""
    columns = [column for column in columns if _is_name(column[0])]
    numbers = [name for name, kind in columns if _is(kind, _NUMBERS) and not name.lower().endswith(_NO_MEASURE)]
    dates = [name for name, kind in columns if _is(kind, _DATES)]
    undated = [
        name for name, kind in columns if name not in dates and re.split(r"[\W_]+", name.lower())[-1] in _DATE_NAMES
    ]
    texts = [name for name, kind in columns if _is(kind, _TEXTS) and name not in undated]
    texts.sort(key=lambda name: name.lower().endswith(_OWN))
    if numbers and dates:
        yield f"plot the average {numbers[0]} by {dates[0]} in {table}"
    if undated and _is(dict(columns)[undated[0]], _TEXTS):
        yield f"convert {undated[0]} to dates in {table}"
    if numbers and texts:
        yield f"average {numbers[0]} by {texts[0]} in {table} and plot it"
    yield f"show missing values and duplicates in {table}"
    if len(numbers) > 1:
        yield f"plot {numbers[0]} against {numbers[1]} in {table}"
    elif numbers:
        yield f"plot a histogram of {numbers[0]} in {table}"


def _is(kind: str, kinds: tuple[str, ...]) -> bool:
    return kind.lower().startswith(kinds)
