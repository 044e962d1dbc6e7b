"""A prompt → a :class:`Query` of the user's tables, and the words that were not understood. Pure.

Rules take what they understand out of a marked prompt, the most telling first; where anything is left over that says
something, the prompt was not understood, and a recipe or an honest word is better than an answer to the half of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.query import draw, facts, lexicon
from spark_jupyter.server.engines.query.changes import Changes
from spark_jupyter.server.engines.query.conditions import Conditions
from spark_jupyter.server.engines.query.marked import CS, WORD, C, F, Marked, N, T
from spark_jupyter.server.engines.query.model import Key, Measure, Order, Query

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.tables import Source

_AGGREGATE = "|".join(sorted(lexicon.AGGREGATES, key=len, reverse=True))
_PERIOD = "|".join(sorted(lexicon.PERIODS, key=len, reverse=True))
_DESCENDING = (
    r"(?P<desc>descending|desc|highest first|largest first|biggest first|high first|most first|best first"
    r"|newest first|latest first|oldest first|reversed?)"
)
_ASCENDING = (
    r"(?P<asc>ascending|asc|lowest first|smallest first|low first|least first|youngest first"
    r"|earliest first|cheapest first)"
)
_WAY = rf"(?:[\s,(]*(?:{_DESCENDING}|{_ASCENDING})\)?)?"
_PERSON = re.compile(
    r"name|student|customer|employee|person|player|user|patient|member|author|driver|teacher|seller|client"
)


class Understood(Struct, frozen=True, kw_only=True):
    """What a prompt asks, and the ``left`` words of it that nothing was made of."""

    query: Query
    left: tuple[str, ...]


def read(prompt: str, source: Source) -> Understood:
    """What the prompt asks of the source, a table with its columns (or a file)."""
    return _Reader(prompt, source).read()


class _Reader:
    def __init__(self, prompt: str, source: Source) -> None:
        self.columns: tuple[Column, ...] = source.columns
        self.kinds = {one.name: one.kind for one in self.columns}
        self.marked = Marked(prompt, tables=source.names, columns=[one.name for one in self.columns])
        self.absent = source.absent
        self.query = Query(table=source.name, other=source.other, on=source.on, file=source.file)
        self.conditions = Conditions(self.marked, self.columns)
        self.dates = self.conditions.dates

    def read(self) -> Understood:
        """Everything, rule after rule."""
        for rule in (
            self._save, self._function, self._options, self._facts, self._changes, self._pivot, self._join, self._sort, self._which,
            self._extreme, self._top, self._keys, self._conditions, self._questions, self._measures, self._draw,
            self._elsewhere, self._fetch, self._rest,
        ):  # fmt: skip
            rule()
        return Understood(query=self.query, left=tuple(self.marked.left()))

    def _take(self, pattern: str) -> re.Match[str] | None:
        return self.marked.take(pattern)

    def _numeric(self) -> list[str]:
        return [one.name for one in self.columns if one.kind == "number"]

    # --- what comes out of it, and how ----------------------------------------------------------------------------------

    def _save(self) -> None:
        found = self._take(rf"\b(?:and\s+)?(?:save|export|write|store|dump)\b(?=[^;]*{F})") and self._take(
            r"(?:\b(?:as|to|into|in)\s+)?(?:a\s+|the\s+)?(?:csv\s+|excel\s+)?(?:file\s+)?(?:called\s+|named\s+)?"
            rf"(?P<f>{F})"
        )
        if found:
            self.query.save = self.marked.value(found["f"])

    def _fetch(self) -> None:
        """The file that the table comes from is named."""
        if self.query.file:
            self._take(
                rf"(?:\b(?:load|read|open|import|from|in|of|the|file|csv|excel|into|a|table|and|use|using)\s+)*{F}(?:"
                r"\s+into\s+a\s+table)?"
            )

    def _function(self) -> None:
        found = self._take(
            r"\b(?:(?:i\s+)?(?:need|want|write|make|create|define|give me)\s+(?:me\s+)?)?(?:a\s+|as\s+a\s+|the"
            r"\s+)?function\b\s*(?:that|which|to|for|with)?\s*(?:gives?|returns?|calculates?|computes?|shows?"
            r"|gets?)?(?:\s+(?:me|back))?"
        )
        if not found:
            return
        self.query.function = True
        asked = self._take(
            r"\b(?:of|for|from|by|per|given)\s+(?:a|an|any|one|some|given|the\s+given|each)\s+(?:given\s+|certain"
            rf"\s+|single\s+)?(?P<c>{C})"
        )
        if asked:
            self.query.parameter = self.marked.value(asked["c"])

    def _options(self) -> None:
        self.options = draw.options(self.marked)
        self._take(
            r"[,;]?\s*(?:and\s+)?\b(?:ignore|ignoring|skip|skipping)\s+(?:the\s+)?(?:missing|nans?|nulls?|empty)(?:\s+values?)?"
        )

    def _changes(self) -> None:
        self.query.changes = [*Changes(self.marked, self.columns).read(), *self.facts]

    def _facts(self) -> None:
        self.facts = facts.read(self.marked, self.columns, self.dates)

    def _pivot(self) -> None:
        patterns = (
            (
                rf"(?P<r>{C})\s+(?:as|in|on|for|to)\s+(?:the\s+)?(?:rows?|index)[\s,]*(?:and\s+)?(?P<c>{C})\s+(?:as|in"
                r"|on|for|to)\s+(?:the\s+)?columns?"
            ),
            (
                rf"one\s+row\s+(?:per|for each)\s+(?P<r>{C})\s*(?:and|,)\s*(?:one\s+|a\s+)?column\s+(?:per|for each)\s+"
                rf"(?P<c>{C})"
            ),
            (
                rf"\b(?:pivot(?:\s+table)?|crosstab|cross\s?tab\w*|contingency\s+table|heat\s?map)\b[^;]*?(?P<r>{C})\s*"
                rf"(?:by|x|and|vs\.?|versus|against|per)\s*(?P<c>{C}|{_PERIOD})"
            ),
        )
        for pattern in patterns:
            found = self.marked.find(pattern)
            if found is None:
                continue
            across = self._key(found["c"])
            if across is None:
                continue
            taken = self._take(
                rf"(?P<r>{re.escape(found['r'])})\s*(?P<between>[^⟨]*?)\s*{re.escape(found['c'])}(?:\s+(?:as|in|on)\s+"
                r"(?:the\s+)?columns?)?"
            )
            if taken:
                self.query.keys = [Key(column=self.marked.value(found["r"]))]
                self.query.across = across
                self._take(r"\b(?:pivot(?:\s+table)?|crosstab|cross\s?tab\w*|contingency\s+table)\b")
                return

    def _join(self) -> None:
        if self.absent:
            self._take(
                r"(?:\b(?:who|that|which|have|has|had|did|are|is|were)\s+)*\b(?:never|without|no|not)\b(?:\s+(?:had"
                rf"|have|has|a|an|any|in|visited|bought|ordered|appear\w*|the|{T}|\w+ed))*"
            )
        elif self.query.other:
            kind = self._take(r"\b(?P<kind>left|right|outer|inner|full)(?:\s+outer)?(?=\s+(?:join|merge)\b)")
            self.query.join = {"full": "outer"}.get(kind["kind"].lower(), kind["kind"].lower()) if kind else "inner"
            self._take(
                rf"\b(?:join|merge|combine|connect|link)\b(?:\s+(?:the|with|and|to|table|tables|both|{T}))*(?:\s+(?:on"
                rf"|by|using|via|over)\s+(?:the\s+)?(?:column\s+)?{C})?"
            )

    def _sort(self) -> None:
        one = rf"(?:the\s+)?(?:column\s+)?{C}{_WAY}"
        bare = re.sub(r"\?P<\w+>", "?:", one)
        found = self._take(
            rf"\b(?:and\s+)?(?:sort|sorted|order|ordered|arrange[d]?)\b\s*(?:{T}\s*|(?:the|it|them|rows|all|table"
            rf"|result)\s+)*(?:by|on|per|after|from)?\s*(?P<all>{bare}(?:\s*(?:,|and|then|by|;)+\s*(?:then\s+)?"
            rf"(?:by\s+)?{bare})*)"
        )
        if found:
            for part in re.finditer(one, found["all"], re.IGNORECASE):
                self.query.order.append(
                    Order(column=self.marked.value(re.findall(C, part[0])[0]), descending=bool(part["desc"]))
                )
            return
        plain = self._take(
            r"\b(?:and\s+)?(?:(?:sort|sorted|ranked)\b\s*(?:it|them|the\s+result|by\s+(?:it|that|value|size))?"
            rf"|ordered\s+by\s+(?:it|that|value|size)|order\s+(?:it|them)){_WAY}"
        ) or self._take(rf"(?:{_DESCENDING}|{_ASCENDING})")
        if plain:
            self.query.order.append(
                Order(column=None, descending=not plain["asc"] if plain["desc"] or plain["asc"] else True)
            )

    # --- which rows and groups ------------------------------------------------------------------------------------------

    def _which(self) -> None:
        """Which group has the most: "which customer bought the most units", "who has the highest points"."""
        verb = (
            r"(?:\s+(?:has|have|had|did|got|made|bought|sold|ordered|spent|earns?|earned|with|is|are|was|were"
            r"|there|brought|scored|paid|visited|caused))*"
        )
        many = rf"(?:the\s+)?(?P<way>{lexicon.MANY}|{lexicon.FEW})"
        found = self._take(
            rf"\b(?:which|what|in\s+which)\s+(?P<k>{C}|{_PERIOD})(?:\s+of\s+(?:the\s+)?(?:day|week|month|year))?(?:\s+{C}s?)?{verb}\s+{many}\s+"
            rf"(?P<how>{_AGGREGATE}\b)?\s*(?:of\s+)?(?P<c>{C}|{T}|rows|entries|orders|\w+)(?:\s+(?P<d>{C}))?"
        )
        if not found:
            found = self._take(
                rf"(?P<k>\bwho){verb}\s+{many}\s+(?P<how>{_AGGREGATE}\b)?\s*(?:of\s+)?(?P<c>{C}|{T}|\w+)"
            )
        if not found:
            found = self._take(
                rf"(?P<k>{C})\s+with\s+{many}\s+(?P<how>{_AGGREGATE}\b)?\s*(?:of\s+)?(?P<c>{C}|{T}|rows|entries)(?!"
                r"\s+per)"
            )
        if not found:
            found = self._take(
                rf"\b(?:in\s+)?which\s+(?P<k>{_PERIOD})\s+(?:did|do|has|have|had|were|was|are|is)?\s*(?:the\s+)?"
                rf"(?P<way>most|fewest|least)(?:\s+(?!{C})\w+)*?(?:\s+(?P<c>{C}))?(?P<how>)(?=\s*(?:;|\?|$))"
            )
        key = self._key(found["k"]) if found else None
        if not found or key is None:
            return
        column = self.marked.value(found["c"]) if (found["c"] or "").startswith("⟨c") else None
        how = lexicon.AGGREGATES.get((found["how"] or "").lower(), "sum")
        dated = self.marked.value(found["d"]) if "d" in found.re.groupindex and found["d"] else None
        if dated in self.dates and key.period:
            key = Key(column=dated, period=key.period)
        if column in self.dates and self.kinds.get(column) != "number":
            key, column = (Key(column=column, period=key.period) if key.period else key), None
        self.query.keys.append(key)
        self.query.measures.append(Measure(how=how, column=column) if column else Measure(how="size"))
        self.query.order = [Order(column=None, descending=not re.fullmatch(lexicon.FEW, found["way"], re.IGNORECASE))]
        self.query.limit = 1
        if column:
            self.query.says.append(f"“{found['way'].capitalize()}” is by the {how} of `{column}`.")

    def _extreme(self) -> None:
        """The row with the most, of all or of each group: "hottest day per station", "row with the highest price"."""
        per = rf"(?:\s+(?:per|by)\s+(?P<k>{C}))"
        found = (
            self._take(
                rf"\b(?:the\s+)?(?:row|day|date|entry|record|{T}|\w+)?\s*(?:with\s+)?(?:the\s+)?(?P<way>{lexicon.MANY}"
                rf"|{lexicon.FEW})\s+(?P<c>{C}){per}(?=[^;]*\brow\b)"
            )
            if self.marked.find(r"\brow\b")
            else None
        )
        found = found or self._take(
            rf"\b(?:the\s+)?(?P<way>\w+est|most expensive|latest|newest)\s+(?:(?!per\b|by\b)\w+|{C}|{T})(?:\s+(?:of"
            rf"|in|on))?{per}"
        )
        if not found:
            return
        way = found["way"].lower()
        column = (
            self.marked.value(found["c"])
            if "c" in found.re.groupindex
            else lexicon.hinted(way.rpartition(" ")[2], [*self.kinds])
        )
        if column is None:
            return
        falling = re.fullmatch(lexicon.FEW, way) or re.match(r"cold|cheap|young|earl|low|small|short|light|slow", way)
        self.query.keys = [Key(column=self.marked.value(found["k"]))]
        self.query.each = True
        self.query.order = [Order(column=column, descending=not falling)]

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
        period = lexicon.PERIODS.get(word)
        return Key(column=self.dates[0], period=period) if period and self.dates else None

    def _keys(self) -> None:
        part = rf"(?:the\s+)?(?:{C}|(?:{_PERIOD})\b)"
        found = self._take(
            rf"\b(?:per|by|each|every|split by|broken down by)\s+(?P<all>{part}(?:\s*(?:,|and|,\s*and|&|\+|x|by"
            rf"|per)\s*{part})*)"
        )
        while found:
            for said in re.findall(rf"{C}|\b(?:{_PERIOD})\b", found["all"], re.IGNORECASE):
                key = self._key(said)
                if key is not None and key not in self.query.keys:
                    self.query.keys.append(key)
            found = self._take(rf"\b(?:per|by|each|every)\s+(?P<all>{part}(?:\s*(?:,|and)\s*{part})*)")
        periodic = self._take(r"\b(?P<p>daily|weekly|monthly|quarterly|yearly|annual|annually|hourly)\b")
        if periodic and (key := self._key(periodic["p"])):
            self.query.keys.append(key)
        of_them = [key for key in self.query.keys if key.period]
        dated = [key for key in self.query.keys if key.column in self.dates and not key.period]
        if of_them and dated:  # "by month of order_date"
            self.query.keys = [key for key in self.query.keys if key not in dated]

    def _top(self) -> None:
        number = rf"(?P<n>{N}|\b(?:two|three|four|five|ten)\b)"
        way = (
            rf"(?P<way>top|first|last|best|bottom|{lexicon.MANY}|{lexicon.FEW}|cheapest|most expensive|oldest"
            r"|youngest|newest|latest|biggest|fastest|slowest|hottest|coldest|heaviest|tallest)"
        )
        found = self._take(
            rf"(?<!at )\b{way}\s+{number}(?:\s+(?:rows|entries|records|{T}|{C}|\w+s))?(?:\s*(?:by|with|per|of|in)\s+(?:the"
            rf"\s+)?(?:(?P<more>highest|most|lowest|largest|biggest|smallest)\s+)?(?P<how>{_AGGREGATE}\b)?\s*"
            rf"(?P<c>{C}))?"
        )
        found = found or self._take(
            rf"(?:the\s+)?{number}\s+{way}\s*(?:rows|entries|{T})?(?:\s*(?:by\s+)?(?P<how>{_AGGREGATE}\b)?\s*"
            rf"(?P<c>{C}))?"
        )
        if not found:
            return
        words = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
        said = found["n"].lower()
        self.query.limit = words.get(said) or int(float(self.marked.value(found["n"])))
        way_said = found["way"].lower()
        named = self.marked.names(found[0])
        column = self.marked.value(found["c"]) if found["c"] else None
        entity = next((name for name in named if name != column), None)
        if way_said in ("first", "last") and column is None:
            self.query.says.append("") if way_said == "first" else self.query.order.append(
                Order(column="", descending=True)
            )
            return
        falling = re.fullmatch(f"bottom|cheapest|youngest|fastest|coldest|{lexicon.FEW}", way_said) is not None
        hint = lexicon.hinted(way_said.rpartition(" ")[2], [*self.kinds])
        column = column or hint
        if found["how"] and entity and column:
            self.query.keys.append(Key(column=entity))
            self.query.measures.append(Measure(how=lexicon.AGGREGATES[found["how"].lower()], column=column))
            self.query.order = [Order(column=None, descending=not falling)]
        elif self.query.keys or (entity and column is None) or (column and self.kinds.get(column) == "text"):
            key = entity or column
            if key and not self.query.keys:
                self.query.keys.append(Key(column=key))
            self.query.order = [Order(column=None, descending=not falling)]
        else:
            if entity and self.kinds.get(entity) == "number" and column is None:
                column = entity
            self.query.order.append(Order(column=column, descending=not falling))

    def _conditions(self) -> None:
        more = self._take(
            rf"(?P<k>{C}|{T})?\s*(?:who|that|which|with)\s+(?:have\s+|has\s+)?(?:\w+ed\s+|are\s+|appear\s+|occur"
            r"\s+)?(?:more than (?:once|one)|at least twice|several times|more than 1 time)(?:\s+\w+)?"
        )
        if more and (more["k"] or "").startswith("⟨c"):
            self.query.keys = [Key(column=self.marked.value(more["k"]))]
            self.query.measures = [Measure(how="repeated")]
        before = self.marked.text
        self.query.conditions = [*self.conditions.possessive(), *self.conditions.read()]
        if len(self.query.conditions) > 1:
            gaps = re.findall(r";\s*\bor\b\s*;", self.marked.text)
            self.query.either = bool(gaps)
            if gaps:
                self.marked.text = re.sub(r"(?<=;)\s*\bor\b\s*(?=;)", " ", self.marked.text)
        if (
            self.query.conditions
            and re.search(r"\b(?:remove|delete|drop|exclude|discard)\b", before, re.IGNORECASE)
            and not self.query.changes
        ):
            self._take(r"\b(?:remove|delete|drop|exclude|discard)\b(?:\s+(?:the|all|rows|entries))*")
            self.query.says.append("remove")

    # --- what is calculated -----------------------------------------------------------------------------------------------

    def _questions(self) -> None:
        share = self._take(
            r"\b(?:as\s+)?(?:the\s+)?(?:share|percentage|percent|proportion|fraction|part)s?\b(?:\s+of)?(?:\s+"
            r"(?:the\s+)?(?:each|every))?(?:\s+(?!⟨)\w+(?=\s*[(;]))?"
        )
        if share:
            self.query.share = True
            self._take(r"\bin\s+percent\b|\bpercent\b")
            whole = self._take(rf"(?:\b(?:of|in)\s+)?(?:the\s+)?(?:total|sum|whole|overall|all)\s+(?P<c>{C})")
            if whole:
                self.query.measures.append(Measure(how="sum", column=self.marked.value(whole["c"])))
            if not self.query.keys and (key := self._take(rf"(?P<c>{C})")):
                self.query.keys.append(Key(column=self.marked.value(key["c"])))

    def _measures(self) -> None:
        hows = rf"(?:{_AGGREGATE})(?:\s*(?:,|and|&)\s*(?:the\s+)?(?:{_AGGREGATE}))*"
        apart = r"(?:\s+(?:value\s+)?(?:of|in|for))?(?:\s+(?:the|all|my|different|distinct|unique))*\s+"
        patterns = (
            rf"\b(?P<how>{hows}){apart}(?P<c>{CS})(?!\s*(?:is|are)\b)",
            rf"(?P<c>{C})\s+(?P<how>{hows})\b(?!\s+of)",
        )
        for pattern in patterns:
            while found := self._take(pattern):
                for how in re.findall(_AGGREGATE, found["how"], re.IGNORECASE):
                    self._measure(
                        lexicon.AGGREGATES[how.lower()],
                        self.marked.names(found["c"]),
                        re.search("distinct|unique|different", found[0], re.IGNORECASE) is not None,
                    )
        if found := self._take(rf"\b(?:number|count)\b(?:\s+(?:of|the|all|rows|entries|there|are|{T}|{WORD}))*"):
            self.query.measures.append(Measure(how="size"))
        if (
            self.query.keys
            and not self.query.measures
            and not self.query.each
            and (found := self._take(rf"(?:\bthe\s+)?(?P<c>{C})(?=\s*(?:;|$))"))
        ):
            name = self.marked.value(found["c"])
            if self.kinds.get(name) == "number":
                self.query.measures.append(Measure(how="sum", column=name))
                self.query.says.append(f"I took the sum of `{name}`.")
            else:
                self.query.measures.append(Measure(how="size"))

    def _measure(self, how: str, columns: list[str], distinct: bool) -> None:
        for column in columns:
            if (
                how == "size"
                and (distinct or self.query.keys)
                and column not in [key.column for key in self.query.keys]
            ):
                self.query.measures.append(
                    Measure(how="nunique" if distinct else "size", column=column if distinct else None)
                )
            elif how == "size":
                if column not in [key.column for key in self.query.keys]:
                    self.query.keys.append(Key(column=column))
                self.query.measures.append(Measure(how="size"))
            elif how not in ("nunique",) and self.kinds.get(column) == "text" and column not in self.dates:
                if how in ("min", "max"):
                    self.query.measures.append(Measure(how=how, column=column))
                else:
                    self.query.numbers.append(column)
                    self.query.measures.append(Measure(how=how, column=column))
            else:
                self.query.measures.append(Measure(how=how, column=column))

    def _draw(self) -> None:
        draw.read(self.marked, self.query, self.options, self.columns, self.dates)

    def _elsewhere(self) -> None:
        query = self.query
        about_rows = query.measures or query.keys or query.conditions or query.order or query.limit
        if about_rows or query.save or query.plot or self.marked.find(r"\b(?:only|just|rows|filter|entries|where)\b"):
            query.conditions += self.conditions.elsewhere()

    def _rest(self) -> None:
        """Columns that are still named: those to be shown, or the noun for the rows before a condition."""
        found = self._take(
            rf"\b(?:only\s+|just\s+|show\s+|select\s+|give me\s+)?(?:the\s+)?(?:columns?\s+)(?P<c>{CS})|\b(?:select"
            rf"|show|only|just)\s+(?:me\s+)?(?:the\s+)?(?P<d>{CS})(?:\s+columns?)?(?=\s*(?:;|$|of|from|where))"
        )
        if found and not self.query.measures and not self.query.plot and not self.query.changes:
            self.query.columns = self.marked.names(found["c"] or found["d"])
        if self.query.across and not self.query.measures and (found := self._take(rf"(?P<c>{C})")):
            self.query.measures.append(Measure(how="mean", column=self.marked.value(found["c"])))
        if self.query.conditions or self.query.order or self.query.limit or self.query.each:
            self._take(
                rf"^\W*(?:(?:which|show|all|the|list|find|get|give|me|only|keep|what|are|is)\s+)*(?:{C}|\w+s)(?=\s*;)"
            )
        if self.query.changes:
            for name in [
                *(made for change in self.query.changes for made in change.columns),
                *(key.column for key in self.query.keys),
            ]:
                self.marked.text = re.sub(
                    "|".join(re.escape(k) for k, v in self.marked.values.items() if v == name and k.startswith("⟨c"))
                    or r"(?!)",
                    " ",
                    self.marked.text,
                )
