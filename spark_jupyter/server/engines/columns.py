"""Lookup of columns by name and by kind."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from spark_jupyter.server.engines import word_forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.namespace import Column

_ID = re.compile(
    r"(^|_)(id|ids|index|idx|key|uuid|zip|zipcode|postcode|phone|lat|lon|latitude|longitude|code)$|^unnamed"
)
_FREE_TEXT = re.compile(
    r"name|title|text|comment|description|review|message|note|email|address|url|body|subject|sentence"
)
_DATE_NAME = re.compile(r"date|day|time|month|when|timestamp|created|updated|year")


def fits(column: Column, kind: str) -> bool:
    """True if the column can be of a book's ``kind`` (``"number column"`` …)."""
    if kind == "column" or not column.dtype or column.doubled:
        return not column.doubled  # recipes name their columns
    if kind == "date text column":
        return column.kind == "text" and bool(_DATE_NAME.search(column.name.lower()))
    if kind == "category column":
        return column.kind in ("text", "bool")
    return column.kind == kind.removesuffix(" column")


def may_be(column: Column, kind: str) -> bool:
    """True if it fits where it is named: rows can also be grouped by an identifier that is a number."""
    return fits(column, kind) or (kind == "category column" and is_identifier(column))


def is_identifier(column: Column) -> bool:
    """True if its name says that its numbers count nothing."""
    return bool(_ID.search(re.sub(r"(?<=[a-z])(?=[A-Z])|\W+", "_", column.name).lower()))


def likeliest(kind: str, columns: Sequence[Column]) -> list[Column]:
    """The likeliest columns of this kind; several where they are equally likely."""
    fitting = [column for column in columns if fits(column, kind)]
    least = min((_unlikely(column, kind) for column in fitting), default=0)
    return [column for column in fitting if _unlikely(column, kind) == least]


def _unlikely(column: Column, kind: str) -> int:
    name, identifier = column.name.lower(), is_identifier(column)
    if kind == "category column":
        free = bool(_FREE_TEXT.search(name)) or bool(_DATE_NAME.search(name))
        return 3 * identifier + 2 * free + (column.dtype != "category") + (column.kind == "bool")
    if kind == "text column":
        return 2 * identifier - bool(_FREE_TEXT.search(name)) + (column.dtype == "category")
    return 2 * identifier + (name == "year")


def nearest(text: str, columns: Sequence[Column]) -> Column | None:
    """The column that ``text`` names: exactly, by its words, or with a typing mistake."""
    wanted = plain(text)
    same = [one for one in columns if one.name == text] or [one for one in columns if plain(one.name) == wanted]
    if same:
        return same[0]
    stems = wanted.split()
    part = [column for column in columns if _covers(stems, plain(column.name).split())]
    if part:
        return min(part, key=lambda column: len(column.name))
    column = max(columns, key=lambda one: _likeness(text, one.name), default=None)
    return column if column and len(wanted) >= 4 and _likeness(text, column.name) >= 80 else None


def _likeness(text: str, name: str) -> float:
    """From 0 to 100: of the words as they are, or of their stems, which can differ more where the mistake is in an ending."""
    return max(fuzz.ratio(text.lower(), name.lower()), fuzz.ratio(plain(text), plain(name)))


def _covers(stems: list[str], name: list[str]) -> bool:
    """True if ``stems`` hold the name's words, or the name's beginning or end holds them all."""
    if not stems or not name:
        return False
    ends = len(name) > len(stems) and stems in (name[: len(stems)], name[-len(stems) :])
    return ends or _find(name, stems) is not None


@lru_cache(maxsize=20_000)
def plain(text: str) -> str:
    """The stems of a name's words: ``billLength_mm`` is ``bill length mm``."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(word_forms.stem(word) for word in re.findall(r"[^\W_]+", spaced.lower()))


def place(name: str, stems: Sequence[str]) -> tuple[int, bool] | None:
    """The place of a column among a prompt's stems (a word's number), and True if it is named whole; else None."""
    wanted = plain(name).split()
    if not wanted:
        return None
    at = _find(wanted, stems)
    if at is not None:
        return at, True
    if len(wanted) > 1:
        for part in (wanted[:-1], wanted[-1:], wanted[1:], wanted[:1]):
            if all(len(word) > 2 and not word_forms.is_stop(word) and word not in word_forms.WEAK for word in part):
                at = _find(part, stems)
                if at is not None:
                    return at, False
    elif len(wanted[0]) >= 5:
        for number, word in enumerate(stems):
            if word_forms.corrected(word, wanted):
                return number, False
    hinted = (number for number, word in enumerate(stems) if word_forms.HINTS.get(word, frozenset()) & {*wanted})
    return next(((number, False) for number in hinted), None)


def _find(part: Sequence[str], stems: Sequence[str]) -> int | None:
    places = range(len(stems) - len(part) + 1)
    return next((at for at in places if list(stems[at : at + len(part)]) == list(part)), None)


def shadowed(column: Column, others: Sequence[Column]) -> bool:
    """True if another mentioned column's name holds this one's words and more."""
    mine = set(plain(column.name).split())
    return any(
        mine < set(plain(other.name).split()) and other.name.lower().find(column.name.lower()) >= 0 for other in others
    )
