"""A prompt → a :class:`Query` of the user's tables, and the words that were not understood. Pure.

Rules take what they understand out of a marked prompt, the most telling first; where anything is left over that says
something, the prompt was not understood, and a recipe or an honest word is better than an answer to the half of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines.namespace import Column
from spark_jupyter.server.engines.query import draw, facts
from spark_jupyter.server.engines.query.changes import Changes
from spark_jupyter.server.engines.query.conditions import Conditions
from spark_jupyter.server.engines.query.grouping import AGGREGATE, PERIOD
from spark_jupyter.server.engines.query.marked import CS, C, F, Marked, N, T, V
from spark_jupyter.server.engines.query.measuring import Measuring
from spark_jupyter.server.engines.query.model import Condition, Key, Measure, Order, Query
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.tables import Source

_DESCENDING = (
    r"(?P<desc>descending|desc|highest first|largest first|biggest first|high first|most first|best first"
    r"|newest first|latest first|oldest first|most expensive first|(?:long|heavi|tall|hott|warm|fast|stron"
    r"g|dear)est first|reversed?|(?:largest|biggest|highest|most) (?:on|at)(?: the)? top)"
)
_ASCENDING = (
    r"(?P<asc>ascending|asc|lowest first|smallest first|low first|least first|youngest first"
    r"|earliest first|(?:cheap|short|light|cold|slow|weak)est first)"
)
_WAY = rf"(?:[\s,(]*(?:{_DESCENDING}|{_ASCENDING})\)?)?"
_MADE = re.compile(r"\b([A-Za-z_]\w*)\s*=(?!=)\s*[(\w]+\s*[-+*/]")
"""A column that the prompt itself makes, and may speak of afterwards."""


class Understood(Struct, frozen=True, kw_only=True):
    """What a prompt asks, and the ``left`` words of it that nothing was made of."""

    query: Query
    left: tuple[str, ...]
    aside: tuple[str, ...] = ()
    """The columns among them that the prompt names whole and nothing uses."""


def read(prompt: str, source: Source) -> Understood:
    """What the prompt asks of the source, a table with its columns (or a file)."""
    return _Reader(prompt, source).read()


class _Reader(Measuring):
    def __init__(self, prompt: str, source: Source) -> None:
        made = [Column(name, "float64") for name in _MADE.findall(prompt)]
        self.columns = (
            *source.columns,
            *(one for one in made if one.name not in {each.name for each in source.columns}),
        )
        self.kinds = {one.name: one.kind for one in self.columns}
        self.marked = Marked(prompt, tables=source.names, columns=self.columns)
        if source.on:  # "by bike model" of a joined table: the model, not the key of the bike
            keyed = "|".join(re.escape(key) for key, value in self.marked.values.items() if value in source.on)
            self.marked.text = re.sub(rf"(?:{keyed or '(?!)'})\s+(?={C})", " ", self.marked.text)
        self.absent, self.brings = source.absent, source.brings
        self.both: Condition | None = None
        self.query = Query(table=source.name, other=source.other, on=source.on, file=source.file)
        self.conditions = Conditions(self.marked, self.columns)
        self.dates = self.conditions.dates

    def read(self) -> Understood:
        """Everything, rule after rule."""
        for rule in (
            self._save, self._function, self._options, self._facts, self._changes, self._pivot, self._join, self._sort,
            self._which, self._extreme, self._top, self._having, self._compared, self._keys, self._conditions,
            self._questions, self._measures, self._draw, self._elsewhere, self._fetch, self._rest,
        ):  # fmt: skip
            rule()
        self._consistent()
        self.query.says += [
            f"I took `{name}` for “{word}”." for name, word in self.marked.assumed if name in self._named()
        ]
        used = self._named()
        marks = [mark for mark in re.findall(C, self.marked.text) if self.marked.value(mark) not in used]
        whole = [
            self.marked.value(mark)
            for mark in marks
            if names.plain(self.marked.said.get(mark, "")) == names.plain(self.marked.value(mark))
        ]
        return Understood(query=self.query, left=tuple(self.marked.left()), aside=tuple(whole))

    def _consistent(self) -> None:
        """What does not go together is not understood: a question about the rows beside a summary of them, rows grouped by amounts."""
        query = self.query
        asks = [one for one in query.changes if one.asks]
        if asks and (query.keys or query.measures or query.plot or len(asks) > 1):
            self.marked.text += " two questions"
        exact = [one.column for one in query.conditions if one.op == "==" and not one.negated]
        if not query.either and len(exact) != len(set(exact)):
            self.marked.text += " contradiction"
        keyed = {key.column for key in query.keys if not key.period}
        if any(one.column in keyed and one.how not in ("size", "nunique") for one in query.measures):
            self.marked.text += " contradiction"
        floats = self._floats()
        if any(key.column in floats for key in query.keys if not key.period) and not query.measures:
            self.marked.text += " grouped by amounts"

    def _named(self) -> set[str | None]:
        """The columns that the query uses."""
        query, plot = self.query, self.query.plot
        conditions, keys = ([one.column for one in query.conditions], [one.column for one in query.keys])
        others = [*(one.column for one in query.measures), *(one.column for one in query.order)]
        drawn = (plot.x, plot.colour, *plot.y) if plot is not None else ()
        return {*conditions, *keys, *others, *drawn, *query.columns}

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
        made = [name for one in self.query.changes for name in one.columns if name.endswith("_group")]
        if made and self._take(
            r"\b(?:per|by)(?:\s+(?:each|group|of\s+them|one|band|class|category|bin))*(?=\s*(?:;|$|[.?!]))"
        ):
            self.query.keys.append(Key(column=made[-1]))  # "age groups …, and the mean for each"

    def _facts(self) -> None:
        self.facts = facts.read(self.marked, self.columns, self.dates)

    def _pivot(self) -> None:
        patterns: tuple[str, ...] = (
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
                rf"(?:by|x|and|vs\.?|versus|against|per)\s*(?P<c>{C}|{PERIOD})"
            ),
        )
        patterns += (
            (
                rf"(?:\bpivot\s+(?:table\s+)?(?:with|of)?\s*(?:the\s+)?)?(?P<r>{C})\s+down(?:wards)?(?:\s+the\s+side)?["
                rf"\s,]*(?:and\s+)?(?:the\s+)?"
                rf"(?P<c>{C}|(?:{PERIOD})s?)\s+across(?:\s+the\s+top)?"
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
            if taken and self._take(
                r"(?:\b(?:with|as|in|and)\s+)*\b(?:percentages?|percent|shares?|proportions?|%)\s+(?:per|by|of|across|in)\s+(?:the\s+|each\s+)*rows?\b"
            ):
                self.query.share = True
            if taken:
                self.query.keys = [Key(column=self.marked.value(found["r"]))]
                self.query.across = across
                self._take(r"\b(?:pivot(?:\s+table)?|crosstab|cross\s?tab\w*|contingency\s+table)\b")
                return

    def _join(self) -> None:
        if self.brings:
            self.query.join = "left"
            self._take(rf"\b(?:please\s+)?add\b.*\bto\s+(?:each|every|all|the)?\s*(?:the\s+)?(?:{T}|{C})")
            return
        if self.absent:
            self._take(
                r"(?:\b(?:who|that|which|have|has|had|did|are|is|were|there)\s+)*\b(?:never|without|nobody|no one|no"
                r"|not)\b(?:\s+(?:had|ever"
                rf"|have|has|a|an|any|in|visited|bought|ordered|appear\w*|the|{T}|\w+ed))*"
            )
        elif self.query.other:
            kind = self._take(r"\b(?P<kind>left|right|outer|inner|full)(?:\s+outer)?(?=\s+(?:join|merge)\b)")
            self.query.join = {"full": "outer"}.get(kind["kind"].lower(), kind["kind"].lower()) if kind else "inner"
            self._take(
                rf"\b(?:join|merge|combine|connect|link)\b(?:\s+(?:the|with|and|to|onto|on\s+to|table|tables|both|{C}(?"
                rf"=\s+(?:on|to)))|\s+{T})*(?:\s+(?:on"
                rf"|by|using|via|over)\s+(?:the\s+)?(?:column\s+)?{C})?"
            )

    def _sort(self) -> None:
        first = self._take(
            rf"(?:\band\s+|,\s*)?(?:\bthe\s+)?\b(?P<way>oldest|earliest|newest|latest|most recent|highest|lowest"
            rf"|largest|smallest|biggest|cheapest)\s+(?P<c>{C})\s+first\b"
        )
        if first:
            falling = re.fullmatch("newest|latest|most recent|highest|largest|biggest", first["way"], re.IGNORECASE)
            self.query.order.append(Order(column=self.marked.value(first["c"]), descending=falling is not None))
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
        plain = (
            self._take(rf"(?:{_DESCENDING}|{_ASCENDING})\s+(?:sorted|ordered)\b")
            or self._take(
                r"\b(?:and\s+)?(?:(?:sort|sorted|ranked)\b\s*(?:it|them|the\s+result|by\s+(?:it|that|value|size))?"
                rf"|ordered\s+by\s+(?:it|that|value|size)|order\s+(?:it|them)){_WAY}"
            )
            or self._take(rf"(?:{_DESCENDING}|{_ASCENDING})")
        )
        if plain:
            self.query.order.append(
                Order(column=None, descending=not plain["asc"] if plain["desc"] or plain["asc"] else True)
            )

    def _compared(self) -> None:
        """ "members vs casuals", "difference between men and women": groups of the column that has both."""
        pair = (
            rf"(?P<a>{V})\s*(?:vs\.?|versus|against|compared\s+(?:to|with)|and|or)\s*(?:the\s+|for\s+|of\s+)?(?P<b>{V})"
        )
        found = self.marked.find(
            rf"\b(?:compare|difference|differences|between|both|for|of|by)\b[^;]*?{pair}"
        ) or self.marked.find(pair.replace("|and|or", ""))
        if not found or not self.marked.find(rf"\b(?:{AGGREGATE}|vs|versus|compare|differ\w*|plot|chart)\b"):
            return
        shared = [one for one in self.marked.holders[found["a"]] if one in self.marked.holders[found["b"]]]
        if len(shared) != 1:
            return
        self._take(
            rf"(?:\b(?:compare|difference|between|for|of|by|both)\s+(?:the"
            rf"\s+)?)*{re.escape(found['a'])}.*?{re.escape(found['b'])}(?:\s+(?:trips|rows|people))?"
        )
        values = tuple(quoted(self.marked.value(found[one])) for one in "ab")
        self.query.keys.append(Key(column=shared[0]))
        self.both = Condition(column=shared[0], op="in", values=values)

    def _having(self) -> None:
        """ "only titles with 2 or more reviews", "customers that have at least 3 orders": of the groups, by their rows."""
        what = rf"(?P<c>{C})\s+(?:with|having|that\s+have|that\s+had|who\s+have|which\s+have)\s+"
        rows = rf"\s+(?:{T}|rows|entries|records|values|observations)"
        found = self._take(
            rf"(?:\b(?:but|only|just|for|and|where)\s+)*{what}(?P<n>{N})\s+or\s+(?P<way>more|fewer|less){rows}"
        ) or self._take(
            rf"(?:\b(?:but|only|just|for|and|where)\s+)*{what}(?P<way>at least|more than|over|at most|less than"
            rf"|fewer than)\s+(?P<n>{N}){rows}"
        )
        if found:
            key = Key(column=self.marked.value(found["c"]))
            if key not in self.query.keys:
                self.query.keys.append(key)
            sign = {
                "more": ">=",
                "at least": ">=",
                "more than": ">",
                "over": ">",
                "at most": "<=",
                "fewer": "<=",
                "less": "<=",
            }
            self.query.having = f"{sign.get(found['way'].lower(), '<')} {self.marked.value(found['n'])}"

    def _conditions(self) -> None:
        more = self._take(
            rf"(?P<k>{C}|{T})?\s*(?:who|that|which|with)\s+(?:have\s+|has\s+)?(?:\w+ed\s+|are\s+|appear\s+|occur"
            r"\s+)?(?:more than (?:once|one)|at least twice|several times|more than 1 time)(?:\s+\w+)?"
        )
        if more and (more["k"] or "").startswith("⟨c"):
            self.query.keys = [Key(column=self.marked.value(more["k"]))]
            self.query.measures = [Measure(how="repeated")]
        before = self.marked.text
        both = [self.both] if self.both else []
        self.query.conditions = [*both, *self.conditions.possessive(), *self.conditions.read()]
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

    def _draw(self) -> None:
        draw.read(self.marked, self.query, self.options, self.columns, self.dates)

    def _elsewhere(self) -> None:
        query = self.query
        about_rows = query.measures or query.keys or query.conditions or query.order or query.limit
        if about_rows or query.save or query.plot or self.marked.find(r"\b(?:only|just|rows|filter|entries|where)\b"):
            anywhere = self.conditions.elsewhere()
            query.conditions += anywhere
            sought = ", ".join(value for one in anywhere for value in one.values)
            query.says += [f"I looked for {sought} in every column of text."] if anywhere else []

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
        if self.query.conditions:
            self._take(r"\b[a-z]+s\s*\(\s*(?=;)")  # "the flops (profit below 0)"
        if self.query.conditions or self.query.order or self.query.limit or self.query.each:
            noun = (
                rf"(?:{C}|\w+s)" if not (self.query.keys or self.query.measures) else C
            )  # else it is what is to be summed up
            self._take(rf"^\W*(?:(?:which|show|all|the|list|find|get|give|me|only|keep|what|are|is)\s+)*{noun}(?=\s*;)")
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
