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
_TEXTS = ("str", "object", "category", "bool", "string", "cat")
_NO_MEASURE = ("id", "key", "code", "index", "zip", "year")
"""Names, or ends of names, of columns whose numbers are not to be added up."""


def ideas(variables: Sequence[Variable], files: Sequence[str]) -> tuple[str, ...]:
    """Up to :data:`MOST_IDEAS` prompts: about the last tables, else the data files, else what can be begun with nothing."""
    tables = sorted((one for one in variables if one.columns and "DataFrame" in one.summary), key=lambda one: one.age)
    found = [idea for table in tables for idea in _of_table(table)]
    found += [f"show the first rows of {table.name}" for table in tables]
    found += [f"load {_said(file)} and show its first rows" for file in files]
    found += _WITH_NOTHING
    return tuple(dict.fromkeys(found))[:MOST_IDEAS]


_WITH_NOTHING = (
    "make a small table of example sales by region and month",
    "plot a sine and a cosine",
    "write a function that reads all CSV files of a folder into one table",
)


def _said(file: str) -> str:
    """A file's name as a prompt says it: in quotes where it is more than one word."""
    return file if re.fullmatch(r"[\w.-]+", file) else f'"{file}"'


def _of_table(table: Variable) -> Iterator[str]:
    kinds = [
        (name.strip('"'), blank, kind) for name, blank, kind in (column.rpartition(" ") for column in table.columns)
    ]
    numbers = [name for name, _, kind in kinds if _is(kind, _NUMBERS) and not name.lower().endswith(_NO_MEASURE)]
    dates = [name for name, _, kind in kinds if _is(kind, _DATES) or name.lower() in ("date", "day", "month")]
    texts = [name for name, _, kind in kinds if _is(kind, _TEXTS) and name not in dates]
    if numbers and dates:
        yield f"plot {numbers[0]} over {dates[0]} in {table.name}"
    if numbers and texts:
        yield f"sum {numbers[0]} by {texts[0]} in {table.name} and plot it"
    yield f"show missing values and duplicates in {table.name}"
    if len(numbers) > 1:
        yield f"plot {numbers[0]} against {numbers[1]} in {table.name}"
    elif numbers:
        yield f"plot a histogram of {numbers[0]} in {table.name}"


def _is(kind: str, kinds: tuple[str, ...]) -> bool:
    return kind.lower().startswith(kinds)
