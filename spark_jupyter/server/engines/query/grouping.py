"""By what rows are grouped, and which of the groups or rows are wanted: "per month", "which customer bought the most", "top 3". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.marked import C, N, T
from spark_jupyter.server.engines.query.model import Key, Measure, Order

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.marked import Marked
    from spark_jupyter.server.engines.query.model import Query

AGGREGATE = "|".join(sorted(lexicon.AGGREGATES, key=len, reverse=True))
PERIOD = "|".join(sorted(lexicon.PERIODS, key=len, reverse=True))
_PERSON = re.compile(
    r"name|student|customer|employee|person|player|user|patient|member|author|driver|teacher|seller|client"
    r"|agent|guest|rider|runner|artist|listener|worker|nurse|doctor|coach|owner|buyer|host|guide|pupil|child|artist"
)
_RATED = r"(?:best|worst|highest|lowest)[ -]rated"


def _falls(way: str) -> bool:
    """Whether the first ones are those with the least."""
    least = rf"{lexicon.FEW}|(?:worst|lowest)[ -]rated"
    return bool(re.fullmatch(least, way) or re.match(r"cold|cheap|young|earl|low|small|short|light|slow", way))


class Grouping:
    """Takes the groups and the first ones of an order out of a marked prompt, into a query."""

    columns: tuple[Column, ...]
    kinds: dict[str, str]
    marked: Marked
    query: Query
    dates: list[str]
    options: dict[str, Any]

    def _take(self, pattern: str) -> re.Match[str] | None:
        return self.marked.take(pattern)

    def _which(self) -> None:
        """Which group has the most: "which customer bought the most units", "who has the highest points"."""
        verb = (
            r"(?:\s+(?:has|have|had|did|got|do|does|made|bought|sold|ordered|spent|earns?|earned|with|is|are|was|were"
            r"|there|brought|scored|paid|visited|caused))*"
        )
        many = rf"(?:the\s+)?(?P<way>{lexicon.MANY}|{lexicon.FEW})"
        found = self._take(
            rf"\b(?:which|what|in\s+which)\s+(?P<k>{C}|{PERIOD})(?:\s+of\s+(?:the\s+)?(?:day|week|month|year))?(?:"
            rf"\s+{C}s?)?{verb}\s+{many}\s+"
            rf"(?P<how>{AGGREGATE}\b)?\s*(?:of\s+)?(?P<c>{C}|{T}|rows|entries|orders|\w+)(?:\s+(?P<d>{C}))?"
        )
        if not found:
            found = self._take(rf"(?P<k>\bwho){verb}\s+{many}\s+(?P<how>{AGGREGATE}\b)?\s*(?:of\s+)?(?P<c>{C}|{T}|\w+)")
        if not found:
            found = self._take(
                rf"(?P<k>{C})\s+with\s+{many}\s+(?P<how>{AGGREGATE}\b)?\s*(?:of\s+)?(?P<c>{C}|{T}|rows|entries)(?!"
                r"\s+per)"
            )
        if not found:
            found = self._take(
                rf"\b(?:in\s+)?which\s+(?P<k>{PERIOD})\s+(?:did|do|has|have|had|were|was|are|is)?\s*(?:the\s+)?"
                rf"(?P<way>most|fewest|least)(?:\s+(?!{C})\w+)*?(?:\s+(?P<c>{C}))?(?P<how>)(?=\s*(?:;|\?|$))"
            )
        if not found:
            found = self._take(
                rf"\b(?P<k>who)\s+(?:(?!has\b|have\b|with\b|is\b|are\b)[a-z]+\s+)(?:the\s+)?(?P<way>most|least)(?:\s+(?"
                rf":often|times|frequently|{T}))?"
                r"(?P<how>(?!))?(?P<c>(?!))?(?=\s*(?:;|\?|$|,|only\b|top\b))"
            )
        if not found:
            found = self._take(
                rf"\b(?:the\s+)?(?P<way>busiest|most\s+(?:common|frequent|popular|visited|used))\s+(?P<k>{C}|(?:{PERIOD})\b)"
                rf"(?P<how>(?!))?(?P<c>(?!))?"
            )
        key = self._key(found["k"]) if found else None
        if not found or key is None:
            self.marked.text += " which" if found else ""
            return
        self._most_of(found, key)

    def _most_of(self, found: re.Match[str], key: Key) -> None:
        """The group ``key`` that has the most of what a match names."""
        column = self.marked.value(found["c"]) if (found["c"] or "").startswith("⟨c") else None
        how = lexicon.AGGREGATES.get((found["how"] or "").lower(), "sum")
        if column is None and lexicon.parts_of(found["c"] or "", [*self.kinds]):
            self.marked.text += f" {found['c']} contradiction"  # of which of several columns is not known
        if re.fullmatch(r"(?:share|percentage|proportion|part|fraction)s?", found["c"] or "", re.IGNORECASE):
            self.query.share = True
        if (
            found["how"] and column is None and how not in ("size", "sum")
        ):  # "the longest average visit": of what it speaks
            column = lexicon.hinted(found["way"].lower(), [one.name for one in self.columns if one.kind == "number"])
            if column is None:
                self.marked.text = f"{self.marked.text} {found['way']} {found['how']}"
        dated = self.marked.value(found["d"]) if "d" in found.re.groupindex and found["d"] else None
        if dated in self.dates and key.period:
            key = Key(column=dated, period=key.period)
        if column in self.dates and self.kinds.get(column) != "number":
            key, column = (Key(column=column, period=key.period) if key.period else key), None
        self.query.keys.append(key)
        self.query.measures.append(Measure(how=how, column=column) if column else Measure(how="size"))
        self.query.order = [Order(column=None, descending=not re.fullmatch(lexicon.FEW, found["way"], re.IGNORECASE))]
        top = self._take(rf"\b(?:only\s+)?(?:the\s+)?top\s+(?P<n>{N})(?=\s*(?:;|$|[.?!]))")
        self.query.limit = int(float(self.marked.value(top["n"]))) if top else 1
        if column:
            self.query.says.append(f"“{found['way'].capitalize()}” is by the {how} of `{column}`.")

    def _extreme(self) -> None:
        """The row with the most, of all or of each group: "hottest day per station", "row with the highest price"."""
        per = rf"(?:\s+(?:per|by)\s+(?P<k>{C}))"
        found = self._take(
            rf"\b(?:the\s+)?(?P<way>best|worst|{lexicon.MANY}|{lexicon.FEW})\s+(?P<c>{C})\s+(?:{T}|{C}|(?!per\b|by"
            rf"\b)[a-z]+)(?:\s+(?:of|in))?{per}"
        ) or (
            self._take(
                rf"\b(?:the\s+)?(?:row|day|date|entry|record|{T}|\w+)?\s*(?:with\s+)?(?:the\s+)?(?P<way>{lexicon.MANY}"
                rf"|{lexicon.FEW})\s+(?P<c>{C}){per}(?=[^;]*\brow\b)"
            )
            if self.marked.find(r"\brow\b")
            else None
        )
        found = found or self._take(
            rf"\b(?:the\s+)?(?P<way>\w+est|most expensive|latest|newest|{_RATED})\s+(?:(?!per\b|by\b)\w+|{C}|{T})(?:\s+(?:of"
            rf"|in|on))?{per}"
        )
        if not found:
            self._single()
            return
        way = found["way"].lower()
        column = (
            self.marked.value(found["c"])
            if "c" in found.re.groupindex
            else lexicon.hinted(re.split(r"[ -]", way)[-1], [*self.kinds])
        )
        if column is None:
            return
        falling = _falls(way)
        self.query.keys = [Key(column=self.marked.value(found["k"]))]
        self.query.each = True
        self.query.order = [Order(column=column, descending=not falling)]

    def _single(self) -> None:
        """The one row that has the most or least of what an adjective speaks of: "longest film", "cheapest tea in Ulm"."""
        pattern = rf"\b(?:the\s+)?(?P<way>\w+est|most expensive|{_RATED})\s+(?:single\s+)?(?:{T}|(?!⟨|first\b)[a-z]+)(?!s?\s+first\b)"
        named = (
            rf"\b(?:the\s+)?(?P<way>best|worst|{lexicon.MANY}|{lexicon.FEW})\s+(?P<c>{C})\s+"
            rf"(?:{T}|(?!per\b|by\b|of\b)[a-z]+)(?=\s*(?:;|\?|$))"
        )
        found = self.marked.find(named)
        if found and self.kinds.get(self.marked.value(found["c"])) == "number":
            self._take(named)
            self.query.order = [
                Order(column=self.marked.value(found["c"]), descending=not _falls(found["way"].lower()))
            ]
            self.query.limit = 1
            return
        found = self.marked.find(pattern)
        if found and re.search(rf"{N}\s+$", self.marked.text[: found.start()]):
            return
        column = lexicon.hinted(re.split(r"[ -]", found["way"].lower())[-1], [*self.kinds]) if found else None
        if (
            found is None
            or column is None
            or re.match(r"(?:high|low|larg|small|great|big)est$", found["way"], re.IGNORECASE)
        ):
            return
        self._take(pattern)
        self.query.order = [Order(column=column, descending=not _falls(found["way"].lower()))]
        self.query.limit = 1

    def _key(self, said: str) -> Key | None:
        """What rows are grouped by: a column, a period of the column of dates, or the people ("who")."""
        word = said.strip().lower()
        if said.startswith("⟨c"):
            return Key(column=self.marked.value(said))
        if word == "who":
            named = next(
                (one.name for one in self.columns if one.kind == "text" and _PERSON.search(one.name.lower())), None
            )
            return Key(column=named) if named else None
        period = lexicon.PERIODS.get(word) or lexicon.PERIODS.get(word.removesuffix("s"))
        years = [one.name for one in self.columns if one.kind == "number" and "year" in one.name.lower()]
        spoken = [name for name in self.marked.names(self.marked.text) if name in years]
        if period in ("decade", "Y") and (
            spoken or (period == "decade" and years and not self.dates)
        ):  # "by decade built"
            year = (spoken or years)[0]
            marks = "|".join(re.escape(mark) for mark, name in self.marked.values.items() if name == year)
            self.marked.text = (
                re.sub(rf"(?:\bthey\s+were\s+)?(?:{marks})", " ", self.marked.text) if spoken else self.marked.text
            )
            return Key(column=year, period=period if period == "decade" else "")
        return Key(column=self.dates[0], period=period) if period and self.dates else None

    def _keys(self) -> None:
        part = rf"(?:the\s+)?(?:{C}|(?:{PERIOD})\b)"
        found = self._take(
            rf"\b(?:per|by|each|every|split by|broken down by)\s+(?P<all>{part}(?:\s*(?:,|and|,\s*and|&|\+|x|by"
            rf"|per)\s*{part})*)"
        )
        while found:
            for said in re.findall(rf"{C}|\b(?:{PERIOD})\b", found["all"], re.IGNORECASE):
                key = self._key(said)
                if key is not None and key not in self.query.keys:
                    self.query.keys.append(key)
            found = self._take(rf"\b(?:per|by|each|every)\s+(?P<all>{part}(?:\s*(?:,|and)\s*{part})*)")
        periodic = self._take(
            r"\b(?P<p>daily|weekly|monthly|quarterly|yearly|annual|annually|hourly)\b(?!\s+(?:values?|data|rows|readings|measurements)\b)"
        )
        if periodic and (key := self._key(periodic["p"])):
            self.query.keys.append(key)
        for key in self.query.keys if periodic or not found else ():
            if key.period:  # "were sold per quarter", of sold_on
                said = "|".join(
                    re.escape(mark)
                    for mark, name in self.marked.values.items()
                    if name == key.column and mark[1] == "c"
                )
                self.marked.text = re.sub(
                    rf"\b(?:were|was|are|is|been|got)\s+(?:{said or '(?!)'})", " ", self.marked.text
                )
        of_them = [key for key in self.query.keys if key.period]
        dated = [key for key in self.query.keys if key.column in self.dates and not key.period]
        if of_them and dated:  # "by month of order_date"
            self.query.keys = [key for key in self.query.keys if key not in dated]

    def _summed(self, entity: str, column: str) -> bool:
        """Whether "top 3 artists by seconds" is of sums: of texts that stand in several rows, and of amounts."""
        text = self.kinds.get(entity) == "text" and entity not in self.dates
        return (
            text
            and self.kinds.get(column) == "number"
            and not re.search(r"price|rate|rating|score|age|height|temp", column.lower())
        )

    def _top(self) -> None:
        number = rf"(?P<n>{N}|\b(?:two|three|four|five|ten)\b)"
        way = (
            rf"(?P<way>top|first|last|best|bottom|{lexicon.MANY}|{lexicon.FEW}|cheapest|most expensive|oldest"
            rf"|youngest|newest|latest|biggest|fastest|slowest|hottest|coldest|heaviest|tallest|{_RATED})"
        )
        found = self._take(
            rf"(?<!at )\b{way}\s+{number}(?!\s+\w+est\b|\s+most\b)(?:\s+(?:rows|entries|records|{T}|{C}|\w+s))?(?:"
            rf"\s*(?:by|with|per|of|in)\s+(?:the"
            rf"\s+)?(?:(?P<more>highest|most|lowest|largest|biggest|smallest)\s+)?(?P<how>{AGGREGATE}\b)?\s*"
            rf"(?P<c>{C}))?"
        )
        found = found or self._take(
            rf"(?:\bthe\s+)?(?:\btop\s+)?{number}\s+{way}\b\s*(?:rows|entries|{T})?(?:\s*(?:by\s+)?(?P<how>{AGGREGATE}\b)?\s*"
            rf"(?P<c>{C}))?"
        )
        if not found:
            return
        way_said = found["way"].lower()
        hint = lexicon.hinted(re.split(r"[ -]", way_said)[-1], [*self.kinds])
        named = self.marked.names(found[0])
        if not (
            found["c"] or hint or named or self.query.keys or way_said in ("first", "last", "top", "bottom", "best")
        ):
            self.marked.text = f"{self.marked.text} {way_said}"  # of what they are the most is not known
            return
        self.query.limit = int(float(words.digits(self.marked.value(found["n"]))))
        column = self.marked.value(found["c"]) if found["c"] else None
        entity = next((name for name in named if name != column), None)
        if way_said in ("first", "last") and column is None:
            self.query.says.append("") if way_said == "first" else self.query.order.append(
                Order(column="", descending=True)
            )
            return
        falling = re.fullmatch(f"bottom|cheapest|youngest|fastest|coldest|{lexicon.FEW}", way_said) is not None
        column = column or hint
        if found["how"] and entity and column:
            self.query.keys.append(Key(column=entity))
            self.query.measures.append(Measure(how=lexicon.AGGREGATES[found["how"].lower()], column=column))
            self.query.order = [Order(column=None, descending=not falling)]
        elif entity and column and not self.query.keys and self._summed(entity, column):
            self.query.keys.append(Key(column=entity))
            self.query.measures.append(Measure(how="sum", column=column))
            self.query.order = [Order(column=None, descending=not falling)]
            self.query.says.append(f"By the sum of `{column}`.")
        elif self.query.keys or (entity and column is None) or (column and self.kinds.get(column) == "text"):
            key = entity or column
            if key and not self.query.keys:
                self.query.keys.append(Key(column=key))
            self.query.order = [Order(column=None, descending=not falling)]
        else:
            if entity and self.kinds.get(entity) == "number" and column is None:
                column = entity
            self.query.order.append(Order(column=column, descending=not falling))
