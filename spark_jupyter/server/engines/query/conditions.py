"""Conditions in a sentence: "region is north and revenue above 500", "older than 30", "in March 2024". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import compared, lexicon, moments
from spark_jupyter.server.engines.query.condition_makers import COMPARISONS, ConditionMakers
from spark_jupyter.server.engines.query.marked import VALUE, VALUES, WORD, C, D, N, Q, T, V
from spark_jupyter.server.engines.query.model import Condition
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_IS = r"(?:\s+(?:is|are|was|were|be|being|has|have|of|must be|should be|equals?|equal to))?"
_COMPARED = "|".join(f"(?:{pattern})" for pattern, _ in COMPARISONS)
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


class Conditions(ConditionMakers):
    """Takes the conditions out of a marked prompt. ``columns`` are the table's; ``wanted`` says of which type one is."""

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
            (
                (
                    rf"{_LEAD}(?P<op>at least|at most|more than|fewer than|less than|over|under)\s+(?P<v>{N})\s+(?P<c>{C})(?="
                    rf"\s+(?:{_COMPARED})\s*{N})"
                ),
                self._compared,
            ),
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
                    rf"(?:(?:\b(?:where|when|while|if|only|and|that are|who are|who|which|that|but)|{T})\s+)+(?:(?:is|are"
                    rf"|was|were|works?|working|been|has|have|had)\s+)*(?P<not>not\s+)?(?:(?:yet|been|being|already|ever)\s+)*"
                    rf"(?P<c>{C})(?=\s*(?:;|$|[,.?]|and\b|or\b|with\b|but\b|per\b|by\b|yet\b|to\b|so\b))(?:\s+(?:yet|so far)\b)?"
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
            (
                (
                    rf"{_LEAD}(?:\b(?:cost|costs|costing|priced|earning|worth|sold|for)\s+)*(?P<op>{_COMPARED})\s*(?:[$€£]\s*)?(?P<v>{N})"
                    r"(?:\s*(?:[$€£]|dollars?|euros?|pounds?))?(?=\s*(?:;|$|[,.?]|and\b|or\b))"
                ),
                self._money,
            ),
            (
                (
                    rf"(?:\b(?:of|the|all|only|just|number|list|show|which|that|are|is)\s+)+"
                    rf"(?P<not>not\s+|non[- ]?|un)?(?P<c>{C})\s+(?:{T}|(?!⟨)[a-z]+s)"
                    r"(?=\s*(?:;|$|[,.?]|and\b|or\b|are\b|is\b|there\b|in\b|by\b|per\b|with\b))"
                ),
                self._true,
            ),
        )
        for pattern, make in rules:
            while (found := self.marked.find(pattern)) is not None:
                yearless = any(self.marked.value(mark).startswith("--") for mark in re.findall(D, found[0]))
                condition = None if yearless else make(found)
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
            if self.found and not re.search("⟨|[A-Z]", found["v"]):
                continue  # a word of which nothing is known, beside conditions that are understood
            self.marked.take(pattern)
            conditions.append(Condition(column=None, op="in", values=self._values(found["v"], None)))
        return conditions
