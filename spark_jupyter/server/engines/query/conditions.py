"""Conditions in a sentence: "region is north and revenue above 500", "older than 30", "in March 2024". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import compared, lexicon, moments
from spark_jupyter.server.engines.query.dates import iso
from spark_jupyter.server.engines.query.marked import VALUE, VALUES, WORD, C, D, N, Q, T, V
from spark_jupyter.server.engines.query.model import Condition
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.marked import Marked

_IS = r"(?:\s+(?:is|are|was|were|be|being|has|have|of|must be|should be|equals?|equal to))?"
_COMPARISONS = (
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
_COMPARED = "|".join(f"(?:{pattern})" for pattern, _ in _COMPARISONS)
_LEAD = r"(?:\b(?:where|whose|with|having|that have|which have|and|but|if|the|an?|only|for|when|in which)\s+)*"
_UNIT = (
    r"(?:\s*(?:days?|hours?|minutes?|seconds?|years?|km|kg|g|cm|m|€|\$|euros?|dollars?|degrees?|%|percent)(?![\w-]))?"
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS = "|".join(_DAYS)
_TELLING = (
    "rated|earns?|earning|costs?|costing|took|takes?|lasts?|lasted|lasting|weighs?|weighing|priced|scored|aged|paid"
)
"""Verbs that speak of a column: "rated at least 7" of a rating."""
_YEAR = re.compile(r"(?:^|_)year$", re.IGNORECASE)
_FREE_TEXT = re.compile(r"text|comment|review|message|description|note|body|summary|content")
_NAMING = re.compile(r"title|subject|name|headline")
_NONE = r"\b(?:not|except|excluding|without|other than|but no|besides|no)\b"
_BEFORE_VALUE = (
    r"(?P<before>(?:\b(?:that|who|which|whose|where|is|are|was|were|be|in|from|of|by|for|at|with|on|only|just|all|the|a|an|among"
    r"|and|about|has|have|not|except|excluding|without|other than|but|no|besides|every|everyone|everybody|those|works?|lives?|belongs?"
    r"|to|as|show|list|me|give|get)\s+)*)"
)
_NOUN = (
    rf"(?:\s+(?!(?:{lexicon.NO_VALUE}|{'|'.join(sorted(lexicon.VOCABULARY))})\b)(?:[a-z]{{3,}}s|people|staff|ones?)\b)?"
)
"""What those are that have a value: "casual riders"."""
_MONTH = "|".join(sorted(lexicon.MONTHS, key=len, reverse=True))


class Conditions:
    """Takes the conditions out of a marked prompt. ``columns`` are the table's; ``wanted`` says of which type one is."""

    def __init__(self, marked: Marked, columns: tuple[Column, ...]) -> None:
        self.marked, self.columns = marked, {one.name: one for one in columns}
        self.found: list[tuple[int, Condition]] = []
        self.dates = [one.name for one in columns if one.kind == "date" or one.holds.startswith("dates")] or [
            one.name
            for one in columns
            if one.kind == "text" and re.search(r"date|day|time|month|_at$|_on$|joined|when", one.name.lower())
        ]

    def read(self) -> list[Condition]:
        """All that there are, in the order of the sentence as far as it matters: those of one rule in a row."""
        self._averages()
        self._moments()
        rules: tuple[tuple[str, Callable[[re.Match[str]], Condition | None]], ...] = (
            (rf"{_LEAD}\bbetween\s+(?P<a>{N})\s+(?:and|to|-)\s+(?P<b>{N})\s*(?:o'?clock|uhr|h|hours?)\b", self._hours),
            (
                rf"{_LEAD}(?P<c>{C}){_IS}\s+(?P<not>not\s+)?between\s+(?P<a>{VALUE})\s+(?:and|to|-)\s+(?P<b>{VALUE})",
                self._between,
            ),
            (rf"{_LEAD}(?:between|from)\s+(?P<a>{D})\s+(?:and|to|-|until|till|through)\s+(?P<b>{D})", self._between),
            (rf"{_LEAD}(?P<c>{C}){_IS}\s+from\s+(?P<a>⟨[nd]\d+⟩)\s+to\s+(?P<b>⟨[nd]\d+⟩)", self._between),
            (rf"{_LEAD}(?P<c>{C}){_IS}\s*(?P<op>{_COMPARED})\s*(?:the\s+)?(?P<v>⟨[ndq]\d+⟩){_UNIT}", self._compared),
            (
                (
                    rf"{_LEAD}(?P<c>{C}){_IS}\s*(?P<op>>=|<=|>|<|(?:greater|larger|higher|more|less|lower|smaller) than"
                    rf"|above|below)\s*(?:the\s+)?(?P<v>{C})"
                ),
                self._compared,
            ),
            (
                (
                    rf"{_LEAD}(?P<op>{_COMPARED})\s*(?P<v>{N})\s*(?:%|percent)?\s*(?:in\s+|of\s+)?(?P<c>{C})(?!\s*(?:=|is"
                    r"\b))"
                ),
                self._compared,
            ),
            (rf"{_LEAD}(?P<op>{_COMPARED})\s*(?P<v>{D})", self._dated),
            (
                (
                    rf"{_LEAD}(?:is\s+|are\s+|cost\s+|took\s+|takes?\s+|lasts?\s+|lasted\s+|lasting\s+)?"
                    rf"(?P<adjective>older|younger|cheaper|heavier"
                    rf"|taller|hotter|warmer|colder|longer|shorter)\s+than\s+(?P<v>{N}){_UNIT}"
                ),
                self._hinted,
            ),
            (
                (
                    rf"{_LEAD}(?:is\s+|are\s+|was\s+|were\s+|have\s+|been\s+)*\b(?P<adjective>{_TELLING})\s+(?P<op>{_COMPARED})\s*"
                    rf"(?P<v>{N}){_UNIT}"
                ),
                self._hinted,
            ),
            (
                (
                    rf"{_LEAD}(?:in|from|of|during|on|for)\s+(?:the\s+)?(?:year\s+)?(?P<month>{_MONTH})\s*(?:of\s+)?"
                    rf"(?P<v>{N})?(?!\s*{C})"
                ),
                self._month,
            ),
            (
                (
                    rf"{_LEAD}(?:in|from|during|of|since|after|before)\s+(?:the\s+year\s+|year\s+)?(?P<v>{N})(?!\s*"
                    rf"(?:[%;]|{C}(?!\s*(?:{_COMPARED}))|{T}|rows|entries|days?|weeks?|months?|years?|hours?|minutes?))"
                ),
                self._year,
            ),
            (rf"{_LEAD}on\s+(?P<v>{D})", self._day),
            (
                rf"{_LEAD}(?:on\s+|at\s+|during\s+)?(?:the\s+)?\b(?P<day>week\s?end|{_WEEKDAYS})s?\b(?:\s+only)?",
                self._weekday,
            ),
            (
                rf"{_LEAD}(?:in\s+|during\s+|of\s+|for\s+)?(?:the\s+)?\bq(?P<q>[1-4])\b(?:\s+(?:of\s+)?(?P<v>{N}))?",
                self._quarter,
            ),
            (
                (
                    rf"{_LEAD}(?P<c>{C})\s+and\s+(?P<d>{C})\s+(?:are|is|were)\s+(?P<not>not\s+)?(?:the\s+)?(?P<how>same"
                    rf"|equal|identical|different)\b"
                ),
                self._same,
            ),
            (
                (
                    rf"{_LEAD}(?:\b(?:which|that|what|who|all|the|do|does|any)\s+|{T}\s*)*\b(?:mention(?:s|ing|ed)?"
                    rf"|contain(?:s|ing)?|includ(?:es?|ing)|say(?:s|ing)?)\s+"
                    rf"(?:the\s+(?:word|text)\s+)?(?P<v>{VALUE})"
                ),
                self._mentioned,
            ),
            (
                (
                    rf"{_LEAD}(?P<c>{C}){_IS}\s+(?P<not>not\s+)?(?:contains?|containing|includes?|including|like|has)\s+"
                    rf"(?:the\s+(?:word|text)\s+)?(?P<v>{VALUE})"
                ),
                self._contains,
            ),
            (
                (
                    rf"{_LEAD}(?P<c>{C})(?:\s+(?:that|which))?{_IS}\s+(?P<how>starts?|starting|begins?|beginning"
                    rf"|ends?|ending)\s+(?:with|in|on)"
                    rf"\s+(?:the\s+(?:letter|word)\s+)?(?P<v>⟨[ndqv]\d+⟩|[^\s;,⟨⟩]+)"
                ),
                self._begins,
            ),
            (
                (
                    rf"(?:\b(?:where|when|while|if|only|and|that are|who are|who|which|that|but)\s+)+(?:(?:is|are"
                    rf"|was|were|works?|working|been)\s+)*(?P<not>not\s+)?"
                    rf"(?P<c>{C})(?=\s*(?:;|$|[,.?]|and\b|or\b|with\b|but\b|per\b|by\b))"
                ),
                self._true,
            ),
            (
                (
                    rf"{_LEAD}(?P<c>{C})\s+(?:is|are)\s+(?P<not>not\s+)?(?:missing|empty|null|nan|na|none|unknown)\b(?:\s+o"
                    rf"r\s+(?:missing|empty|null|nan|blank)\b)?"
                ),
                self._missing,
            ),
            (
                (
                    rf"{_LEAD}(?:rows|entries|records|those|⟨t\d+⟩|\w+s)\s+(?:with(?P<not>out)\s+(?:an?\s+|any\s+)?)"
                    rf"(?:missing\s+)?(?P<c>{C})"
                ),
                self._without,
            ),
            (rf"{_LEAD}no\s+(?P<c>{C})", self._none),
            (
                (
                    rf"{_LEAD}(?P<c>{C})\s*(?:is|are|was|were)?\s*(?P<not>not|!=|<>|other than|is not|not in|not equal to)"
                    rf"\s+(?:in\s+|equal to\s+|either\s+)?(?P<v>{VALUES})"
                ),
                self._equal,
            ),
            (
                (
                    rf"{_LEAD}(?P<c>{C})\s*(?:==|=|is|are|was|equals?|equal to|in|is in)\s+(?:exactly\s+|either\s+"
                    rf"|equal to\s+|one of\s+)?(?P<v>{VALUES})"
                ),
                self._equal,
            ),
            (
                (
                    rf"(?:{_LEAD}|\b)(?:on|in|of|from|at|for|with)\s+(?:the\s+)?(?P<c>{C})\s+(?P<v>(?:⟨[nqdv]\d+⟩"
                    r"|(?-i:[A-Z])[\w-]*)(?:\s*(?:,|or)\s*(?:⟨[nqd]\d+⟩|(?-i:[A-Z])[\w-]*))*)"
                ),
                self._equal,
            ),
            (rf"\b(?:where|whose|with|only|and)\s+(?P<c>{C})\s+(?P<v>{VALUES})", self._equal),
        )
        for pattern, make in rules:
            while (found := self.marked.find(pattern)) is not None:
                condition = make(found)
                if condition is None:
                    break
                self.marked.take(pattern)
                self.found.append((found.start(), condition))
        return [condition for _, condition in self.found] + self._told()

    def _moments(self) -> None:
        for pattern, make in moments.RULES if self.dates else ():
            found = self.marked.find(pattern)
            made = make(found, self.marked, self.dates[0]) if found else None
            if found and made is not None:
                self.marked.take(pattern)
                self.found.append((found.start(), made))

    def _averages(self) -> None:
        kinds = {one.name: one.kind for one in self.columns.values()}
        for pattern in compared.AVERAGES:
            found = self.marked.find(pattern)
            made = compared.condition(found, kinds, self.marked.values) if found else None
            if found and made is not None:
                self.marked.take(pattern)
                self.found.append((found.start(), made))

    def _told(self) -> list[Condition]:
        """Values that columns are known to have, wherever they stand: "casual riders", "not in IT"."""
        found = []
        some = rf"{V}(?:\s*(?:,\s*(?:or\s+|and\s+)?|/|\bor\b|\band\b|&)\s*(?:the\s+|in\s+|from\s+)?{V})*"
        while match := self.marked.take(rf"{_BEFORE_VALUE}(?P<v>{some}){_NOUN}"):
            negated = re.search(_NONE, match["before"] or "", re.IGNORECASE) is not None
            by_column: dict[str | None, list[str]] = {}
            for key in re.findall(V, match["v"]):
                holders = self.marked.holders[key]
                by_column.setdefault(holders[0] if len(holders) == 1 else None, []).append(self.marked.value(key))
            for column, values in by_column.items():
                sources = tuple(quoted(value) for value in values)
                op = "==" if len(values) == 1 and column else "in"
                found.append(Condition(column=column, op=op, values=sources, negated=negated))
        return found

    def elsewhere(self) -> list[Condition]:
        """Values of which no column is told ("only south or east", "in math"): any column of text may have them."""
        if not any(one.kind == "text" for one in self.columns.values()):
            return []
        value = rf"(?:{Q}|{WORD})"
        few = rf"{value}(?:(?:\s*,\s*|\s+or\s+|\s*,?\s+and\s+)(?:in\s+|from\s+)?{value})*"
        patterns = (
            (
                rf"(?:\bonly\s+|\bjust\s+)?(?:\b(?:in|from|for|of|only|just)\s+)(?:the\s+)?(?P<v>{few})(?:'s|\s+\w+s)?(?=\s*"
                r"(?:;|,|\?|\.|!|$|\b(?:with|and|by|who|that|sorted|per|older|as|over|rows|only)\b|⟨))"
            ),
            (
                r"^\W*(?:show\s+|only\s+|give\s+me\s+|all\s+)*(?P<v>(?-i:[A-Z])[\w-]+(?:\s+or\s+(?-i:[A-Z])[\w-]+)*)\s+(?:⟨t\d+⟩"
                r"|only)"
            ),
            rf"\b(?:only|just|all|from)\s+(?:the\s+)?(?P<v>(?!(?:{lexicon.NO_VALUE})\b)[\w-]+)\s+(?=⟨t\d+⟩)",
        )
        return self._anywhere(patterns)

    def possessive(self) -> list[Condition]:
        """ "Anna's points": any column of text may have the name."""
        return self._anywhere((r"(?P<v>(?-i:[A-Z])[\wÀ-ÿ-]+)'s\s+(?=⟨c)",))

    def _anywhere(self, patterns: Sequence[str]) -> list[Condition]:
        conditions = []
        for pattern in patterns:
            found = self.marked.find(pattern)
            if found is None or any(
                word.lower() in lexicon.VOCABULARY
                for word in re.findall(r"[\w-]+", re.sub(r"⟨\w+⟩", "", found["v"]))
                if word not in ("or", "and")
            ):
                continue
            self.marked.take(pattern)
            conditions.append(Condition(column=None, op="in", values=self._values(found["v"], None)))
        return conditions

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
        if self.columns[column].kind != "bool":
            return None
        return Condition(column=column, op="==", values=(str(not found["not"]),))

    def _operator(self, said: str) -> str:
        return next(
            op for pattern, op in _COMPARISONS if re.fullmatch(pattern.replace(r"(?=\s+⟨)", ""), said, re.IGNORECASE)
        )

    def _compared(self, found: re.Match[str]) -> Condition | None:
        column = self._column(found)
        if found["v"].startswith("⟨n") and self.columns[column].kind == "text":
            return None  # "plants heavier than 500": the number is not the plant's
        if found["v"].startswith("⟨d") and self.columns[column].kind == "number":
            return None  # "rain after 2024-06-01": the date is not the rain's
        value = self._source(found["v"], column)
        if column in self.dates and self.columns[column].kind != "number" and re.fullmatch(r"(?:19|20)\d\d", value):
            return Condition(column=column, op=f"year {self._operator(found['op'])}", values=(value,))
        return Condition(column=column, op=self._operator(found["op"]), values=(value,))

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
        if self.columns[column].kind == "number":
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
