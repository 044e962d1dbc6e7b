"""The user's tables as a prompt speaks of them, and the words by which columns are told that are not named. Pure but for reading those."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.query import tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_jupyter.server.engines.namespace import Column, Namespace, Variable


DATA: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("wording.toml").read_text(encoding="utf-8"))


ROWS = frozenset(
    ("one", "ones", "person", "persons", "people", "row", "rows", "entry", "entries", "record", "records", "item", "items",
     "thing", "things", "guy", "man", "woman", "of", "in", "per")
)  # fmt: skip
"""What a row may be called, and words behind which nothing is."""


class Aim(Struct, frozen=True):
    """A column of a table, and whether the most of it is meant."""

    table: str
    column: Column
    most: bool = True

    @property
    def first(self) -> str:
        """How the grammar says it."""
        return f"with the {'highest' if self.most else 'lowest'} {self.column.name}"


class Speech:
    """The user's tables, as a prompt speaks of them."""

    def __init__(self, text: str, namespace: Namespace) -> None:
        self.text = text
        self.tables = [
            one for one in namespace.of_kind("DataFrame") if not tables.is_leftover(one, namespace.of_kind("DataFrame"))
        ]
        self.named = [one for one in self.tables if self._is_named(text, one)]
        self.variables = {one.name.lower() for one in namespace.variables}
        choice = tables.choose(text, namespace)
        self.chosen = next((one for one in self.tables if choice and one.name == choice.source.name), None)

    @staticmethod
    def _is_named(text: str, table: Variable) -> bool:
        single = table.name.removesuffix("s")
        return (
            re.search(rf"(?<![\w.])(?:{re.escape(table.name)}|{re.escape(single)})(?!\w)", text, re.IGNORECASE)
            is not None
        )

    @property
    def likely(self) -> list[Variable]:
        """The tables that may be meant: those that are named, else the chosen one before the others."""
        first = [*self.named, *([self.chosen] if self.chosen and self.chosen not in self.named else [])]
        if self.chosen in self.named:
            first = [self.chosen, *(one for one in self.named if one is not self.chosen)]
        return [*first, *(one for one in self.tables if one not in first)]

    def aim(self, data: str) -> Aim | None:
        """The column that the entry of the data speaks of, in the first of the likely tables that has one."""
        kinds = [(kind.strip("<> ").split(), "<" not in kind) for kind in data.split(" | ")]
        for table in self.named or self.likely:
            for parts, most in kinds:
                found = _parted(table.columns, parts)
                if len(found) == 1:
                    return Aim(table.name, found[0], most)
                if found and table in self.named:
                    return None
        return None

    def has(self, word: str) -> bool:
        """Whether a column or a variable is called so, or nearly."""
        stem = words.stem(word.lower())
        return word.lower() in self.variables or any(
            stem in {words.stem(part) for part in names.plain(column.name).split()}
            for one in self.likely
            for column in one.columns
        )


_IN_METRES = re.compile(r"length.*[_ (](?:mm?|cm|km|ft|inch)\b", re.IGNORECASE)
"""No length of time."""


def _parted(columns: Iterable[Column], parts: list[str]) -> list[Column]:
    """The columns that have one of the parts in their name, those of the first part only."""
    listed = [
        one
        for one in columns
        if (one.kind in ("number", "date") or one.holds.startswith(("numbers", "dates")))
        and not _IN_METRES.search(one.name)
    ]
    return named_so(listed, parts)


@lru_cache(maxsize=64)
def any_of(group: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern of all that the group has, and what each stands for."""
    found = {plain(said): data for key, data in DATA[group].items() for said in key.split("|")}
    listed = "|".join(re.escape(one).replace(r"\ ", r"[\s-]+") for one in sorted(found, key=len, reverse=True))
    return re.compile(rf"(?<![\w.'-])(?:{listed})(?![\w'-])", re.IGNORECASE), found


def plain(said: str) -> str:
    return re.sub(r"[\s-]+", " ", said.lower())


def named_so(columns: Iterable[Column], parts: list[str]) -> list[Column]:
    for part in parts:
        found = [
            one for one in columns if words.stem(part) in {words.stem(own) for own in names.plain(one.name).split()}
        ]
        if found:
            return found
    return []


def is_value(said: str, speech: Speech) -> bool:
    return any(said == value.lower() for table in speech.likely for one in table.columns for value in one.values)


def dates_of(table: Variable | None) -> list[Column]:
    return [one for one in table.columns if one.kind == "date" or one.holds.startswith("dates")] if table else []
