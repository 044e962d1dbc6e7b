"""What each condition of a sentence is as a value. Pure. Which words ask for it is told in ``conditions.py``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.dates import iso
from spark_jupyter.server.engines.query.model import Condition
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.marked import Marked

COMPARISONS = (
    (
        (
            r">=|at least|on or after|not (?:less|lower|smaller|below|under)(?: than)?"
            r"|(?:from|since|starting(?: from| at)?)(?=\s+⟨)"
        ),
        ">=",
    ),
    (
        r"<=|at most|on or before|up to|not (?:more|higher|greater|above|over)(?: than)?|maximum of|until|till|through",
        "<=",
    ),
    (
        (
            r">|(?:greater|larger|higher|bigger|more|older|later|longer|heavier|taller|warmer|hotter|slower) than|above|over"
            r"|exceeds?|exceeding|after|beyond"
        ),
        ">",
    ),
    (
        r"<|(?:less|lower|smaller|fewer|younger|earlier|shorter|cheaper|colder|lighter|faster) than|below|under|before",
        "<",
    ),
)
_MONEY = re.compile(r"\b(?:price|cost|salary|income|budget|revenue|amount|value|fee|wage)s?\b")
_LARGE = 1000
"""From here on a number without a name may be one of money."""
_YEAR = re.compile(r"(?:^|_)year$", re.IGNORECASE)
_FREE_TEXT = re.compile(r"text|comment|review|message|description|note|body|summary|content")
_NAMING = re.compile(r"title|subject|name|headline")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class ConditionMakers:
    """Makes a :class:`Condition` of the place where a pattern was found in a marked prompt."""

    def __init__(self, marked: Marked, columns: tuple[Column, ...]) -> None:
        self.marked, self.columns = marked, {one.name: one for one in columns}
        self.found: list[tuple[int, Condition]] = []
        self.dates = [one.name for one in columns if one.kind == "date" or one.holds.startswith("dates")] or [
            one.name
            for one in columns
            if one.kind == "text" and re.search(r"date|day|time|month|_at$|_on$|joined|when", one.name.lower())
        ]

    def _column(self, found: re.Match[str]) -> str:
        return self.marked.value(found["c"])

    def _source(self, text: str, column: str | None) -> str:
        """Python source of a value for a column."""
        said = self.marked.value(text)
        kind = self.columns[column].kind if column in self.columns else "text"
        if text.startswith("⟨c"):
            return f"{{t}}[{quoted(said)}]"
        if text.startswith("⟨d"):
            return quoted(iso(said))
        if re.fullmatch(r"-?\d+(?:\.\d+)?", said) and (kind == "number" or text.startswith("⟨n")):
            return said
        if kind == "bool" and said.lower() in ("true", "false", "yes", "no"):
            return str(said.lower() in ("true", "yes"))
        return quoted(said)

    def _values(self, text: str, column: str | None) -> tuple[str, ...]:
        parts = re.split(r"\s*,\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+", text.strip())
        return tuple(
            self._source(re.sub(r"^(?:in|from)\s+", "", part.strip()), column) for part in parts if part.strip()
        )

    def _between(self, found: re.Match[str]) -> Condition | None:
        column = self._column(found) if "c" in found.re.groupindex else next(iter(self.dates), None)
        if column is None:
            return None
        negated = bool("not" in found.re.groupindex and found["not"])
        worded = not any(found[one].startswith(("⟨n", "⟨d")) for one in "ab")
        if worded and (column not in self.columns or self.columns[column].kind == "number" or column in self.dates):
            return None  # "difference in reading between boys and girls"
        return Condition(
            column=column,
            op="between",
            values=(self._source(found["a"], column), self._source(found["b"], column)),
            negated=negated,
        )

    def _hours(self, found: re.Match[str]) -> Condition | None:
        values = (self.marked.value(found["a"]), self.marked.value(found["b"]))
        return Condition(column=self.dates[0], op="hours", values=values) if self.dates else None

    def _true(self, found: re.Match[str]) -> Condition | None:
        column = self._column(found)
        truth = self.columns[column].truth
        if truth is not None and " or " not in self.columns[column].holds:
            return Condition(column=column, op="==", values=(quoted(truth[bool(found["not"])]),))
        if self.columns[column].kind != "bool":
            return None
        return Condition(column=column, op="==", values=(str(not found["not"]),))

    def _operator(self, said: str) -> str:
        return next(
            op for pattern, op in COMPARISONS if re.fullmatch(pattern.replace(r"(?=\s+⟨)", ""), said, re.IGNORECASE)
        )

    def _compared(self, found: re.Match[str]) -> Condition | None:
        column = self._column(found)
        if found["v"].startswith("⟨n") and self.columns[column].kind == "text" and column not in self.dates:
            return None  # "plants heavier than 500": the number is not the plant's
        if found["v"].startswith("⟨d") and self.columns[column].kind == "number":
            return None  # "rain after 2024-06-01": the date is not the rain's
        value = self._source(found["v"], column)
        if column in self.dates and self.columns[column].kind != "number" and re.fullmatch(r"(?:19|20)\d\d", value):
            return Condition(column=column, op=f"year {self._operator(found['op'])}", values=(value,))
        return Condition(column=column, op=self._operator(found["op"]), values=(value,))

    def _money(self, found: re.Match[str]) -> Condition | None:
        """ "under 700000" of the one column of money, where the number is a large one."""
        money = [
            one.name for one in self.columns.values() if one.kind == "number" and _MONEY.search(names.spaced(one.name))
        ]
        value = self.marked.value(found["v"])
        if len(money) != 1 or float(value) < _LARGE or re.fullmatch(r"(?:19|20)\d\d", value):
            return None
        self.marked.assumed.append((money[0], value))
        return Condition(column=money[0], op=self._operator(found["op"]), values=(value,))

    def _dated(self, found: re.Match[str]) -> Condition | None:
        if not self.dates:
            return None
        return Condition(column=self.dates[0], op=self._operator(found["op"]), values=(self._source(found["v"], None),))

    def _hinted(self, found: re.Match[str]) -> Condition | None:
        column = lexicon.hinted(found["adjective"], list(self.columns))
        timed = self._timed(found)
        if timed is not None and (column is None or column == timed.column):
            return timed
        if column is None:
            return None
        if "op" in found.re.groupindex:
            op = self._operator(found["op"])
        else:
            op = "<" if found["adjective"].lower() in ("younger", "cheaper", "colder", "shorter") else ">"
        return Condition(column=column, op=op, values=(self._source(found["v"], column),))

    def _timed(self, found: re.Match[str]) -> Condition | None:
        """ "longer than 3 minutes" of a column ``seconds``."""
        unit = re.search(r"(second|minute|hour)s?\s*$", found[0], re.IGNORECASE)
        seconds = {"second": 1, "minute": 60, "hour": 3600}
        named = [
            (one.name, told)
            for one in self.columns.values()
            for told in seconds
            if one.kind == "number" and re.search(rf"(?:^|_|\b){told}s?(?:_|\b|$)", one.name.lower())
        ]
        if unit is None or len(named) != 1 or found["adjective"].lower() not in ("longer", "shorter", "took", "lasted"):
            return None
        name, told = named[0]
        limit = float(self.marked.value(found["v"])) * seconds[unit[1].lower()] / seconds[told]
        return Condition(
            column=name, op="<" if found["adjective"].lower() == "shorter" else ">", values=(f"{limit:g}",)
        )

    def _month(self, found: re.Match[str]) -> Condition | None:
        if not self.dates:
            return None
        number = lexicon.MONTHS[found["month"].lower()]
        if found["v"]:
            return Condition(
                column=self.dates[0], op="within", values=(quoted(f"{self.marked.value(found['v'])}-{number:02}"),)
            )
        return Condition(column=self.dates[0], op="month", values=(str(number),))

    def _year(self, found: re.Match[str]) -> Condition | None:
        year = self.marked.value(found["v"])
        number = next(
            (one.name for one in self.columns.values() if one.kind == "number" and _YEAR.search(one.name)), None
        )
        if not (self.dates or number) or not re.fullmatch(r"(?:19|20)\d\d", year):
            return None
        first = found[0].strip().split()
        op = {"since": ">=", "after": ">", "before": "<"}.get(
            next((one for one in first if one in ("since", "after", "before")), ""), "=="
        )
        if number and not self.dates:
            return Condition(column=number, op=op, values=(year,))
        return Condition(column=self.dates[0], op=f"year {op}", values=(year,))

    def _day(self, found: re.Match[str]) -> Condition | None:
        return (
            Condition(column=self.dates[0], op="within", values=(quoted(iso(self.marked.value(found["v"]))),))
            if self.dates
            else None
        )

    def _weekday(self, found: re.Match[str]) -> Condition | None:
        if not self.dates:
            return None
        said = found["day"].lower()
        name = next((day for day in _DAYS if day.startswith(said[:3])), "") if not said.startswith("week") else ""
        return Condition(column=self.dates[0], op="weekday" if name else "weekend", values=(quoted(name.capitalize()),))

    def _quarter(self, found: re.Match[str]) -> Condition | None:
        if not self.dates:
            return None
        year = self.marked.value(found["v"]) if found["v"] else ""
        return Condition(column=self.dates[0], op="quarter", values=(found["q"], *([year] if year else [])))

    def _same(self, found: re.Match[str]) -> Condition:
        differs = (found["how"].lower() == "different") is not bool(found["not"])
        other = f"{{t}}[{quoted(self.marked.value(found['d']))}]"
        return Condition(column=self._column(found), op="!=" if differs else "==", values=(other,))

    def _mentioned(self, found: re.Match[str]) -> Condition | None:
        """ "reviews that mention great": in the column of free text, if there is one."""
        texts = [
            one.name
            for pattern in (_FREE_TEXT, _NAMING)
            for one in self.columns.values()
            if one.kind == "text" and pattern.search(one.name.lower())
        ]
        if not texts:
            return None
        return Condition(column=texts[0], op="contains", values=(quoted(self.marked.value(found["v"])),))

    def _contains(self, found: re.Match[str]) -> Condition | None:
        column = self._column(found)
        if self.columns[column].kind != "text":
            return None
        return Condition(
            column=column, op="contains", values=(quoted(self.marked.value(found["v"])),), negated=bool(found["not"])
        )

    def _begins(self, found: re.Match[str]) -> Condition:
        op = "ends" if found["how"].lower().startswith("end") else "starts"
        return Condition(column=self._column(found), op=op, values=(quoted(self.marked.value(found["v"])),))

    def _missing(self, found: re.Match[str]) -> Condition:
        op = "present" if found["not"] else "missing"
        if re.search(r"\bor\s+(?:empty|blank)|empty\s+or\b", found[0], re.IGNORECASE):
            op = "blank"
        return Condition(column=self._column(found), op=op, negated=op == "blank" and bool(found["not"]))

    def _without(self, found: re.Match[str]) -> Condition:
        return Condition(column=self._column(found), op="missing")

    def _none(self, found: re.Match[str]) -> Condition:
        column = self._column(found)
        dtype = self.columns[column].dtype.lower()
        if self.columns[column].kind == "number" and not (dtype.startswith("float") and self.columns[column].gaps):
            return Condition(column=column, op="==", values=("0",))
        return Condition(column=column, op="missing")

    def _equal(self, found: re.Match[str]) -> Condition | None:
        column = self._column(found)
        values = self._values(found["v"], column)
        negated = bool("not" in found.re.groupindex and found["not"])
        kind = self.columns[column].kind
        if kind == "number" and not all(re.fullmatch(r"-?\d+(?:\.\d+)?", value) for value in values):
            return None
        if kind == "date" or (column in self.dates and found["v"].startswith("⟨d")):
            return Condition(column=column, op="within", values=values[:1], negated=negated)
        if len(values) == 1:
            return Condition(column=column, op="!=" if negated else "==", values=values)
        return Condition(column=column, op="in", values=values, negated=negated)
