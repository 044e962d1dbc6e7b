"""What becomes of summaries in a sentence: their names, the rank of each group, amounts of groups of which nobody says how they are
summed up, and what goes on from the sums of each day. Pure.
"""

from __future__ import annotations

import re

from msgspec import structs

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES, NUMBERED
from spark_jupyter.server.engines.phrases.emit import Emitter
from spark_jupyter.server.engines.phrases.having import Having
from spark_jupyter.server.engines.phrases.model import Expr, Measure, Order, col, lit, names
from spark_jupyter.server.engines.phrases.summing import called
from spark_jupyter.server.engines.phrases.vocabulary import HOWS
from spark_jupyter.server.engines.rewrite import quoted

_EARNED = ("revenue", "revenues", "sales", "turnover", "takings", "income", "spending", "expenses")
_PERIODS = {"daily": "D", "weekly": "W", "monthly": "M", "quarterly": "Q", "yearly": "Y", "annual": "Y"}
_NAMED = vocabulary.listed("results_named")
_NO_NAMES = vocabulary.some("results_no_names") | vocabulary.some("noise")
_SUMMED = re.compile(
    r"(?:^|[\W_])(?:units?|qty|quantit\w+|amounts?|revenues?|sales?|turnover|costs?|expenses?|spend\w*|spent|totals?|visits?|views|clicks|goals|"
    r"seats|beds|nights|points|profits?|fees?|budget|rain\w*|volume|kwh|usage|consumption|donations?|payments?|orders|items|tickets|hours|minutes|steps|"
    r"calories|sold|pieces|impressions|conversions|passengers|visitors|guests|deaths|cases|births|downloads|emissions?)(?:$|[\W_])",
    re.IGNORECASE,
)
"""Columns of which those of a group are added up where nobody says how."""
_AVERAGED = re.compile(
    r"(?:^|[\W_])(?:prices?|rates?|rating|score|age|temp\w*|marks?|grades?|height|weight|pressure|speed|length|width|bmi|salary|wage|"
    r"humidity|pulse|bpm|pct|percent|duration|ph|mass|depth|density|concentration|expression|level|income|glucose|cholesterol|delay)"
    r"(?:$|[\W_])",
    re.IGNORECASE,
)
"""Columns of which the mean is taken: their sum says nothing."""


class Results(Having):
    """Reads what becomes of summaries."""

    def _result(self) -> bool:
        reads = (
            self._difference_of_groups,
            self._names_given,
            self._rank_of_groups,
            self._of_periods,
            self.how_many_have,
        )
        return any(self.tried(read) for read in reads)

    def _names_given(self) -> bool:
        """ "mean and max of amount per store, call them avg and top", "total amount as revenue"."""
        if not self.plan.measures or self.plan.picture is not None or self.plan.share or self.plan.scale:
            return False
        self.skip((",", ";", "("))
        said = self.word(*_NAMED)
        given = self._some_names() if said else []
        self.word(")")
        measures = self.plan.measures
        if len(given) == len(measures):
            self.plan.measures = [structs.replace(one, name=name) for one, name in zip(measures, given, strict=True)]
            return True
        if len(given) != 1 or said not in ("as", "named", "called"):
            return False
        self.plan.measures[-1] = structs.replace(measures[-1], name=given[0])
        return True

    def _some_names(self) -> list[str]:
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&", "/"):
                return found
            token = self.peek()
            name = token.value if token.kind in "wq" else self.marked.said.get(token.mark, token.value)
            if (
                token.kind not in "wcvq"
                or token.text in _NO_NAMES
                or not name.isidentifier()
                or self.peek(1).text in ("chart", "plot", "graph", "of")
            ):
                self.at = before
                return found
            self.at += 1
            found.append(name)

    def _difference_of_groups(self) -> bool:
        """ "difference in mean length between males and females": of the first, less the other's."""
        self.skip(ARTICLES)
        if not self.word("difference in", "difference of", "difference between", "how much differs"):
            return False
        self.skip(ARTICLES)
        how = self.of(HOWS)
        self.skip(("of", "the"))
        what = self.column("number") if how else None
        if what is None or not self.word("between", "of", "for"):
            return False
        first = self._sexed() or self._valued_alone()
        second = (self._sexed() or self._valued_alone()) if first and self.word("and", "vs", "versus") else None
        self.at += self.is_noun(self.peek())
        if first is None or second is None or names(first) != names(second):
            return False
        emit = Emitter(self.columns, polars=False)
        parts = [f"{{r}}.loc[{emit.source(one, '{r}')}, {quoted(what)}].{called(str(how))}" for one in (first, second)]
        self.plan.ask = " - ".join(parts)
        return True

    def _valued_alone(self) -> Expr | None:
        """One value, though others may follow: "between Nord and Sol"."""
        token = self.peek()
        holders = self.marked.holders.get(token.mark, ()) if token.kind == "v" else ()
        if len(holders) != 1:
            return None
        self.at += 1
        return Expr("eq", (col(holders[0]), lit(quoted(token.value))))

    def _rank_of_groups(self) -> bool:
        """ "rank the stores by total amount", "ranking of cashiers by number of receipts"."""
        self.skip(("give", "show", *ARTICLES))
        if not self.word("rank", "ranking of", "ranking", "rank of") or self.plan.measures or self.plan.keys:
            return False
        self.skip(("of", *ARTICLES))
        key = self.tried(lambda: self.column("text", "bool"))
        if key is None or not self.word("by", "according to", "based on", "on", "in terms of", "per"):
            return False
        self.skip(("their", "the"))
        how = self.of(HOWS)
        self.skip(("of", "the"))
        if how is None and self.word("number of", "count of", "how many", "how often", "frequency", "number"):
            self.at += self.is_noun(self.peek())
            measure = Measure(how="size")
        else:
            what = self.expression() or (col(amount) if how == "sum" and (amount := self.amount()) else None)
            if what is None or what.op == "lit" or (how is None and self._unique_key(key)):
                return False
            measure = Measure(how=str(how or self._how_usual(what) or "sum"), what=what)
        self.plan.keys.append(col(key))
        self.plan.measures.append(measure)
        self.plan.ranked = True
        rising = self.tried(self._way) is False
        self.plan.order.append(Order(what=None, descending=not rising))
        return True

    def _of_periods(self) -> bool:
        """ "7 day moving average of daily sales", "cumulative monthly revenue": of the sums of each day, or month."""
        self.skip(("show", "add", "calculate", *ARTICLES))
        window = self.kind("n")
        if window is not None:
            self.skip(("-",))
            while self.peek().text in ("day", "days", "week", "weeks", "month", "months", "-") and self._rolls_ahead():
                self.at += 1  # "day" may be a column as well
        how = self.of(vocabulary.mapping("steps"))
        if how is None or self.plan.measures or self.plan.step is not None:
            return False
        if (window is not None) != str(how).startswith("rolling"):
            return False
        self.skip(("of", "the", "for"))
        period = self.of(_PERIODS)
        self.skip(("total", "sum", "of", "the"))
        counts = self.word("number of", "count of") is not None
        if counts:
            self.at += self.is_noun(self.peek())
        what = None if counts else self.expression()
        counts = counts or (what is None and self.peek().kind == "t" and bool(self.kind("t")))
        if not counts and (what is None or what.op == "lit" or self._how_usual(what) == "mean"):
            return False
        if period is None and self.word("per", "by", "for each"):
            period = self.of({"day": "D", "date": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y"})
        elif period is None and counts:
            period = "D" if self.word("over time", "over the time") else None
        key = self._period(str(period), None) if period else None
        if key is None or not self.dates:
            return False
        self.plan.keys.append(key)
        self.plan.measures.append(Measure(how="size") if what is None else Measure(how="sum", what=what))
        kind, _, roll = str(how).partition(" ")
        self.plan.then = f"rolling({window.value}).{roll}" if window is not None else kind
        return True

    def _rolls_ahead(self) -> bool:
        return any(self.peek(number).text in ("rolling", "moving", "running") for number in range(4))

    def _how_usual(self, what: Expr) -> str | None:
        """How the numbers of a group are summed up where nobody says; None where neither is usual."""
        listed = names(what)
        if any(name in listed and said.lower() in _EARNED for name, said in self.marked.assumed):
            return "sum"  # "revenue per week" of a column ``price``
        if any(NUMBERED.search(name) for name in listed):
            return None
        if any(_AVERAGED.search(name) for name in listed):
            return "mean"
        return "sum" if any(_SUMMED.search(name) for name in listed) or what.op == "mul" else None

    def _one_of(self, name: str) -> bool:
        """Whether a column of numbers is said in the singular: "guest" of ``guests``."""
        said = [one.text for one in self.tokens if one.kind == "c" and one.value == name]
        return self.kind_of(self.columns[name]) == "number" and f"{said[0] if said else ''}s" == name.lower()

    def once_each(self) -> None:
        """ "list the lakes where pike were caught": no lake again and again; of "patients who waited" the rows."""
        plan = self.plan
        other = (
            plan.measures
            or plan.keys
            or plan.order
            or plan.limit
            or plan.derived
            or plan.picture
            or plan.ask
            or plan.save
        )
        if other or len(plan.columns) != 1 or not plan.where:
            return
        name = plan.columns[0]
        asked = self.tokens[0].text in ("which", "what", "list")
        if not asked and any(one.value == name and self.says_whose(one) for one in self.tokens):
            plan.columns = []
        if self._unique_key(name):
            return
        plural = any(one.kind == "c" and one.value == name and one.text == f"{name.lower()}s" for one in self.tokens)
        if not plural or self.columns[name].kind != "text":
            return
        person = f"{name.lower()}s" in vocabulary.some("persons")
        if self.tokens[0].text in ("which", "what") or (self.tokens[0].text == "list" and not person):
            plan.ask, plan.columns = f"{{r}}[{quoted(name)}].dropna().unique()", []
        elif person:
            plan.columns = []

    def in_order(self) -> None:
        """ "best selling items": all in order, where no number of them is said."""
        if self.several and self.plan.limit == 1 and not self.plan.within and self.plan.picture is None:
            self.plan.limit = None

    def summed_as_usual(self) -> None:
        """ "units sold per item", "age by ward": sums, or means, of columns that stand before "per" alone."""
        plan = self.plan
        other = (
            plan.measures
            or plan.derived
            or plan.each
            or plan.step
            or plan.part
            or plan.share
            or plan.picture
            or plan.ask
            or plan.save
        )
        if not (plan.keys and plan.columns) or other or self.noun or any(one.what is not None for one in plan.order):
            return
        if any(self._one_of(str(one.args[0])) for one in plan.keys if one.op == "col"):
            return  # "bill per guest": that is divided
        hows = {self._how_usual(col(name)) for name in plan.columns}
        how = hows.pop()
        if hows or how is None or any(self.kind_of(self.columns[name]) != "number" for name in plan.columns):
            return
        plan.measures = [Measure(how=how, what=col(name)) for name in plan.columns]
        plan.says.append(f"By the {how} of `{'`, `'.join(plan.columns)}`.")
        plan.columns = []
