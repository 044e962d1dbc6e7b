"""Expressions in a sentence: "qty * unit_price", "the average of a and b", "revenue minus cost". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.model import Expr, col, lit
from spark_jupyter.server.engines.phrases.unnamed import Unnamed

if TYPE_CHECKING:
    from collections.abc import Callable


_PRODUCTS = vocabulary.mapping("products")
_SUMS = vocabulary.mapping("sums")
PARTS = vocabulary.mapping("parts")
PERIODS = vocabulary.mapping("periods")


class Values(Unnamed):
    """Reads expressions."""

    def expression(self) -> Expr | None:
        """A sum of products; one column where that is all."""
        return self.tried(lambda: self._chain(_SUMS, lambda: self._chain(_PRODUCTS, self._operand)))

    def _chain(self, signs: dict[str, str], part: Callable[[], Expr | None]) -> Expr | None:
        left = part()
        while left is not None:
            before = self.at
            sign = self.of(signs)
            right = part() if sign else None
            compared = sign == "div" and self.tokens[before].text == "over" and right is not None and right.op == "lit"
            if right is None or compared or (sign == "div" and right.op == "lit" and right.args == ("0",)):
                self.at = before
                return left
            left = Expr(sign, (left, right))
        return left

    def _operand(self) -> Expr | None:
        return self.tried(self._bare)

    def _bare(self) -> Expr | None:
        self.skip(ARTICLES)
        if self.word("("):
            inner = self.expression()
            return inner if inner is not None and self.word(")") else None
        found = self._phrase() or self.tried(self._absolute)
        if found is not None:
            return found
        if (number := self.kind("n")) is not None:
            if self.word("%", "percent"):
                return lit(f"{float(number.value) / 100:g}")
            return lit(number.value)
        name = self.glossed() or self.column() or self.like_table()
        if name is None:
            return None
        known = self.columns.get(name)
        if known is not None and self.kind_of(known) == "text":
            return None
        found = col(name)
        if self.word("squared", "²", "** 2"):
            return Expr("pow", (found, lit("2")))
        return found

    def _absolute(self) -> Expr | None:
        """ "abs(log2fc)", "absolute log2fc", "|log2fc|"."""
        barred = self.word("|") is not None
        if not barred and not self.word(
            "abs of",
            "abs value of",
            "abs",
            "absolute value of",
            "absolute values of",
            "absolute",
            "the absolute value of",
        ):
            return None
        what = self._operand()
        if what is None or what.op == "lit" or (barred and not self.word("|")):
            return None
        return Expr("abs", (what,))

    def glossed(self) -> str | None:
        """ "revenue (amount)": a word, and the column that is meant by it."""
        if (
            self.peek().kind not in "wc"
            or self.peek(1).text != "("
            or self.peek(2).kind != "c"
            or self.peek(3).text != ")"
        ):
            return None
        self.at += 4
        return self.peek(-2).value

    def like_table(self) -> str | None:
        """The one column of numbers that is called by the table's name: "the load" of ``load_kw``."""
        token = self.peek()
        if token.kind != "t" or self.is_verb_ahead():
            return None
        stem = token.value.lower().rstrip("s")
        found = [
            name
            for name, one in self.columns.items()
            if self.kind_of(one) == "number"
            and re.split(r"[\W_]+", name.lower())[0].rstrip("s") == stem
            and not re.search(r"(?:^|_)(?:id|no|nr|number|code)$", name.lower())
        ]
        if len(found) != 1:
            return None
        self.at += 1
        return found[0]

    def is_verb_ahead(self) -> bool:
        """Whether a verb follows that rows have: "sales that", "loads with"."""
        return self.peek(1).text in ("that", "which", "with", "where", "who", "in", "from", "between", "per", "by")

    def _phrase(self) -> Expr | None:
        """ "difference between a and b", "length of name", "mean of a and b", "hour of when"."""
        if self.word("order value", "order values", "order amount", "basket value", "sale value", "order size"):
            amount = self.amount()
            return col(amount) if amount else None
        for read in (self._pair, self._row_mean, self._length, self._part, self.duration):
            if (found := self.tried(read)) is not None:
                return found
        return None

    def duration(self) -> Expr | None:
        """How long something took; read by :class:`~.times.Times`."""
        return None

    def _pair(self) -> Expr | None:
        how = self.of(
            {"difference": "sub", "ratio": "div", "product": "mul", "quotient": "div", "absolute difference": "sub"}
        )
        if how is None or not self.word("between", "of", "from"):
            return None
        first = self._operand()
        if first is None or not self.word("and", "to", "over", "by", "/", "with", ","):
            return None
        second = self._operand()
        if second is None or all(one.op == "col" and one.args[0] in self.dates for one in (first, second)):
            return None  # of two dates it has a unit
        return Expr(how, (first, second))

    def _row_mean(self) -> Expr | None:
        how = self.of({"average": "rowmean", "mean": "rowmean", "sum": "add", "total": "add"})
        if how is None or not self.word("of", "between"):
            return None
        listed = self.numbers()
        if len(listed) < 2:
            return None
        return self.across(str(how), listed)

    def across(self, how: str, listed: list[str]) -> Expr:
        """The sum, or the mean, of several columns in each row."""
        parts = tuple(col(one) for one in listed)
        if how in ("rowmean", "mean"):
            return Expr("rowmean", parts)
        total = parts[0]
        for one in parts[1:]:
            total = Expr("add", (total, one))
        return total

    def numbers(self) -> list[str]:
        """Columns of numbers, one after the other: "a, b and c"."""
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&", "+") and not self._another():
                return found
            self.skip(ARTICLES)
            name = self.glossed() or self.column("number", "bool", "")
            if name is None:
                self.at = before
                return found
            found.append(name)

    def _another(self) -> bool:
        """Whether a column follows without a comma: "maths english and science"."""
        ahead = 0
        while self.peek(ahead).kind == "c":
            ahead += 1
        return ahead > 0 and self.peek(ahead).text in ("and", ",") and self.peek(ahead + 1).kind == "c"

    def _length(self) -> Expr | None:
        how = self.of(
            {
                "length of": "strlen",
                "number of characters in": "strlen",
                "number of letters in": "strlen",
                "number of words in": "words",
            }
        )
        self.skip(ARTICLES)
        name = self.column("text") if how else None
        return Expr(str(how), (col(name),)) if name else None

    def _part(self) -> Expr | None:
        part = self.of(PARTS)
        if part is None or not self.word("of", "from", "in"):
            return None
        self.skip(ARTICLES)
        name = self.column("date")
        return Expr("part", (col(name), part)) if name else None

    # --- what rows are grouped by ---------------------------------------------------------------------------------------

    def key(self) -> Expr | None:
        """A column, or a period of the dates."""
        return self.tried(self._key)

    def _key(self) -> Expr | None:
        self.skip(ARTICLES)
        self.word("calendar")
        if self.dates and self.word(
            "weekday vs weekend",
            "weekend vs weekday",
            "weekdays vs weekends",
            "weekdays and weekends",
            "weekday and weekend",
            "weekends and weekdays",
            "weekday versus weekend",
        ):
            return Expr("ge", (Expr("part", (col(self.dates[0]), "dayofweek")), lit("5")))
        if self.dates and self.said("clock hour"):  # "hour of the day", whatever columns there are
            return self._period("hour", None)
        period = self.of(PERIODS)
        if period is not None:
            self.word("of day", "of the day", "name", "of the week", "of week")
            named = self.tried(self._dated)
            return self._period(str(period), named)
        said = self.peek().text
        name = self.column()
        if name is None:
            return None
        self.word("type", "types", "group", "groups", "team", "name", "names", "column")
        known = self.columns.get(name)
        if (
            known is not None
            and known.kind == "text"
            and name.lower() == f"{said}s"
            and said not in ("serie", "specie")
        ):
            self.listed.add(name)  # "per skill" of a column "skills": its texts are lists
        return col(name)

    def _dated(self) -> str | None:
        self.word("of", "from", "in")
        self.skip(ARTICLES)
        return self.column()

    def _period(self, period: str, named: str | None) -> Expr | None:
        if period == "decade" or (period == "Y" and not self.dates):
            years = [
                one.name
                for one in self.columns.values()
                if one.kind == "number" and re.search(r"year|jahr|built|released|published|founded", one.name.lower())
            ]
            name = named or (years[0] if len(years) == 1 else None)
            if name is None or self.columns[name].kind != "number":
                return None
            return Expr("mul", (Expr("floor", (col(name), lit("10"))), lit("10"))) if period == "decade" else col(name)
        name = named if named in self.dates else (self.dates[0] if self.dates and named is None else None)
        if name is None:
            return None
        return (
            Expr("part", (col(name), period)) if period in ("hour", "weekday") else Expr("period", (col(name), period))
        )

    def keys(self) -> list[Expr]:
        """Keys, one after the other."""
        if (
            self.peek().kind == "w" and self.peek(1).text == "(" and self.peek(2).kind == "c"
        ):  # "per route (from and to)"
            before = self.at
            self.at += 2
            inner = self.keys()
            if inner and self.word(")"):
                return inner
            self.at = before
        found: list[Expr] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&", "x", "per", *(() if self.plan.limit else ("by",))):
                return found
            key = self.key()
            if key is None:
                self.at = before
                return found
            found.append(key)
