"""Checks and values that the rules of the grammar share."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.columns import is_identifier
from spark_jupyter.server.engines.namespace import Column
from spark_jupyter.server.engines.tables.lexicon import name_words
from spark_jupyter.server.engines.tables.table_plan import Plan, Ref, merge

if TYPE_CHECKING:
    from spark_jupyter.server.engines.tables.lexicon import Phrases, Schema

ANY_DATE = Column("", "datetime64[ns]")
"""The column of dates that a prompt means without naming it."""
MISSING = "\0missing"
"""The replacement that stands for a missing value."""
Pair = tuple[Ref, str]
_COORDINATE = re.compile(r"(^|_)(lat|lon|latitude|longitude)$")


class Amount(Struct, frozen=True):
    """A number with what stands beside it, a unit or ``%``; or an ISO date."""

    value: float | str
    unit: str = ""


def is_date(ref: Ref) -> bool:
    """True if a column has dates, also as texts."""
    return not ref.part and (
        ref.column.dtype.lower().startswith(("datetime", "date")) or ref.column.holds.startswith("dates")
    )


def is_number(ref: Ref) -> bool:
    """True if a column has numbers, also as texts; a part of a date is none."""
    return not ref.part and (ref.column.kind == "number" or ref.column.holds.startswith("numbers"))


def is_amount(ref: Ref) -> bool:
    """True if a column has numbers that say how much; those of orders, such as ``order_id``, are counted."""
    return is_number(ref) and not (is_identifier(ref.column) and not _COORDINATE.search(ref.column.name.lower()))


def is_flag(ref: Ref) -> bool:
    """True if a column says yes and no."""
    return ref.column.kind == "bool" or ref.column.flag or ref.column.truth is not None


def period(date: str) -> tuple[str, str]:
    """The first day of an ISO year, month or day, and the first one behind it; ValueError for what is no date."""
    year, *rest = (int(part) for part in date.split("-"))
    if len(rest) == 2:
        start = dt.date(year, *rest)
        return start.isoformat(), (start + dt.timedelta(days=1)).isoformat()
    month = rest[0] if rest else 12
    start, after = dt.date(year, rest[0] if rest else 1, 1), dt.date(year + month // 12, month % 12 + 1, 1)
    return start.isoformat(), after.isoformat()


def together(*plans: Plan | None) -> Plan | None:
    """All plans merged; None where they contradict each other."""
    found: Plan | None = Plan()
    for one in plans:
        found = merge(found, one) if found is not None and one is not None else None
    return found


class Names:
    """Meanings of the names of columns: ``schema`` has the columns, ``phrases`` the words of the grammar."""

    def __init__(self, schema: Schema, phrases: Phrases) -> None:
        self.schema = schema
        self._phrases = phrases

    def has_word(self, ref: Ref, terminal: str) -> bool:
        """True if a column's name has a word of the grammar's terminal, such as AGE."""
        return any(self.is_word(word, terminal) for word in name_words(ref.column.name))

    def is_word(self, word: str, terminal: str) -> bool:
        """True if the word is one of the terminal's."""
        return terminal in self._phrases.get((word.lower(),), {})

    def people(self, table: str) -> list[Ref]:
        """The columns of a table that say who it was, with somebody who is there several times."""
        every = (Ref(table, column) for column in self.schema.tables[table].columns if column.repeats)
        return [ref for ref in every if self.has_word(ref, "_PERSON")]

    def numbers(self, terminal: str) -> list[Ref]:
        """The columns of numbers that have such a word in their names."""
        every = (Ref(table.name, column) for table in self.schema.tables.values() for column in table.columns)
        return [ref for ref in every if is_number(ref) and self.has_word(ref, terminal.upper())]
