"""Columns that a sentence means without naming them: what something was worth, how many pieces, "at least 10 hours". Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import NUMBERED, Cursor

_UNITS = vocabulary.some("units")
_WORTH = ("amount", "total", "bill", "revenue", "turnover", "sales", "value", "price", "cost", "fare", "fee")


class Unnamed(Cursor):
    """Finds columns that are not named."""

    def measured_in(self) -> str | None:
        """The one column of numbers that is called by a unit: "at least 10 hours" of "Hours Worked"."""
        token = self.peek()
        found = [
            name
            for name, one in self.columns.items()
            if self.kind_of(one) == "number" and words.stem(token.text) in names.plain(name).split()
        ]
        if token.kind != "w" or token.text not in _UNITS or len(found) != 1:
            return None
        self.at += 1
        return found[0]

    def amount(self) -> str | None:
        """The one column that says how much something was worth."""
        numbers = [one.name for one in self.columns.values() if self.kind_of(one) == "number"]
        for word in _WORTH:
            found = [name for name in numbers if word in re.split(r"[\W_]+", name.lower())]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def only_number(self) -> str | None:
        """The one column that holds numbers and does not just number the rows: nothing else can be meant by "below 55"."""
        found = [
            one.name
            for one in self.columns.values()
            if self.kind_of(one) == "number" and not one.flag and one.holds != "index" and not NUMBERED.search(one.name)
        ]
        return found[0] if len(found) == 1 else None

    def quantity(self) -> str | None:
        """The one column that says how many pieces there were."""
        found = [
            name
            for name, one in self.columns.items()
            if self.kind_of(one) == "number" and re.search(r"(?:^|_)(?:qty|quantity|units|sold|pieces)", name.lower())
        ]
        return found[0] if len(found) == 1 else None
