"""New columns in a sentence: "margin = price - cost", "cumulative sales", "a column senior that is true where …". Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.bands import Bands
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.model import Expr, Measure, Order, col, lit
from spark_jupyter.server.engines.phrases.values import PARTS
from spark_jupyter.server.engines.phrases.vocabulary import NOISE


class Deriving(Bands):
    """Reads new columns, and what goes from row to row."""

    def _derive(self) -> bool:
        return bool(
            self.tried(self._part_new)
            or self.tried(self._named_new)
            or self.tried(self._formula_new)
            or self.tried(self._flagged)
        )

    def _part_new(self) -> bool:
        """ "add a month column", "a column with the weekday of the order"."""
        led = self.word("add", "create", "make", "extract", "get", "new", "insert") is not None
        self.skip((*ARTICLES, "new", "extra"))
        told = self.word("column") is not None
        self.skip(("with", "for", "of", "containing", "called", "named", *ARTICLES) if told else ())
        if self.word("decade"):
            return led and told and self._decade()
        part = self.of(PARTS)
        if part is None or not self.dates:
            return False
        told = self.word("column") is not None or told
        name = None
        if self.word("of", "from", "out of"):
            self.skip(ARTICLES)
            name = self.tried(lambda: self.column("date"))
            if name is None:
                self.at += self.is_noun(self.peek()) or self.peek().kind in "wtc"
        if not led or not (told or self.tried(self._as_new) is not None):
            return False
        self._new(str(part), Expr("part", (col(name or self.dates[0]), str(part))))
        return True

    def _decade(self) -> bool:
        """ "a column decade from year"."""
        name = self.column("number") if self.word("from", "of", "out of") else None
        if name is None:
            return False
        self._new("decade", Expr("mul", (Expr("floor", (col(name), lit("10"))), lit("10"))))
        return True

    def _lead_in(self) -> bool:
        before = self.at
        self.skip(("please", "and", "then", ",", "now"))
        verb = self.word(
            "add",
            "create",
            "make",
            "calculate",
            "compute",
            "derive",
            "insert",
            "new",
            "get",
            "build",
            "define",
            "berechne",
            "let",
            "put",
        )
        self.skip((*ARTICLES, "new", "me", "extra", "another", "bool", "boolean", "numeric", "true/false", "flag"))
        column = self.word("column", "columns", "spalte", "variable", "feature", "field")
        self.skip(("called", "named", "with", "for", "the", ","))
        return self.at > before and bool(verb or column)

    def _name(self) -> str | None:
        """A new name: some words, or a text in quotes."""
        if (said := self.kind("q")) is not None:
            return said.value
        words_: list[str] = []
        while (
            self.peek().kind in "wcv"
            and len(words_) < 4
            and not (
                words_
                and self.peek().text
                in ("column", "as", "from", "is", "that", "which", "with", "where", "if", "when", "for", "based", "by")
            )
        ):
            token = self.peek()
            words_.append(token.value if token.kind == "w" else self.marked.said.get(token.mark, token.value))
            self.at += 1
        name = "_".join(words_)
        return (
            re.sub(r"\W+", "_", name).strip("_") or None
            if words_ and words_[0].lower() not in NOISE | {"per"}
            else None
        )

    def _named_new(self) -> bool:
        led = self._lead_in()
        name = self._name()
        if name is None:
            return False
        sign = self.word(
            "column =",
            "column from",
            "column as",
            "=",
            ":=",
            "as",
            "from",
            "defined as",
            "calculated as",
            "is",
            ":",
            "which is",
            "that is",
            "with",
            "by",
        )
        plain = sign in ("=", "column =", "column from", "column as") or (sign == "as" and bool(self.plan.derived))
        if sign is None or (not led and not plain):
            return False
        made = self._percent_of() if sign == "as" else None
        made = made or self.expression()
        if made is None or made.op in ("lit",) or (made.op == "col" and sign != "=") or not self._whole():
            return False
        self._new(name, made)
        return True

    def _percent_of(self) -> Expr | None:
        """ "margin as percent of amount", of the column that was made last."""
        if not self.plan.derived or not self.tried(
            lambda: self.word("percent of", "a percentage of", "percentage of", "% of", "share of")
        ):
            return None
        whole = self.expression()
        part = col(self.plan.derived[-1][0])
        return Expr("mul", (Expr("div", (part, whole)), lit("100"))) if whole is not None else None

    def _whole(self) -> bool:
        """Past "as a new column"; whether the formula ends here."""
        self._as_new()
        return self.ends() or self.peek().text in (
            "and",
            "per",
            "by",
            "for",
            "then",
            "sorted",
            "only",
            "where",
            "rounded",
            "to",
        )

    def _as_new(self) -> str | None:
        self.word(",") if self.peek(1).text in ("as", "than", "als") else None
        if self.word(
            "than neue column",
            "als neue column",
            "as new column",
            "as a new column",
            "in new column",
            "into a new column",
            "in a column",
            "as a column",
            "as column",
            "as an extra column",
            "in a new column",
            "as another column",
        ):
            self.skip(("called", "named"))
            return self.tried(self._name) or ""
        if self.word("as"):
            return self.tried(self._name)
        return None

    def _formula_new(self) -> bool:
        led = self._lead_in()
        before = self.at
        made = self.expression()
        if made is None or made.op in ("lit", "col"):
            return False
        if self.word(
            "as percent of", "as a percentage of", "as percentage of", "in percent of", "as a percent of", "relative to"
        ):
            whole = self.expression()
            if whole is None:
                return False
            made = Expr("mul", (Expr("div", (made, whole)), lit("100")))
        each = self.tried(self._in_each_row)
        name = self._as_new()
        lasts = made.op in ("spanned", "whole days") and (each or (before <= 1 and self.ends()))
        lasts = lasts and self.tokens[before].text not in ("days", "hours", "minutes", "weeks")
        if not led and name is None and not lasts:
            return False
        said = "_".join(
            re.sub(r"\W+", "_", self.marked.said.get(one.mark, one.text)).strip("_")
            for one in self.tokens[before : self.at]
            if one.kind == "c"
        )
        if made.op in ("spanned", "whole days"):
            some = [
                one
                for one in self.tokens[before : self.at]
                if one.kind in "wc" and one.text not in ("in", "the", "as", "a", "new", "column")
            ]
            name = name or "_".join(
                re.sub(r"\W+", "_", one.text) for one in some if not one.text.endswith(("days", "hours"))
            )
        self._new(name or f"{made.op}_{said}"[:40].strip("_"), made)
        return True

    def _in_each_row(self) -> bool:
        """ "for every student", which a formula is anyway."""
        if not self.word("per", "for every", "for each", "of each", "of every"):
            return False
        token = self.peek()
        self.at += 1
        return (
            token.text in ("row", "line")
            or token.kind == "t"
            or self.is_noun(token)
            or (
                token.kind == "c"
                and re.search(r"name|id$|^id|student|pupil|player|nr$", token.value.lower()) is not None
            )
            or (
                token.kind == "w"
                and self.peek().text in ("as", "in", ",")
                and any(one.startswith(token.text) for one in self.nouns)
            )
        )

    def _new(self, name: str, made: Expr) -> None:
        self.plan.derived.append((name, made))
        self.made[name.lower()] = name
        for word in name.lower().split("_"):
            if len(name.split("_")) == 1:
                self.made[word] = name

    def _flagged(self) -> bool:
        """ "column senior that is true where title starts with Senior", "mark titles that start with Senior in a new column senior"."""
        if self.word("mark", "flag"):
            before = self.at
            self.skip((*ARTICLES, "rows", "all"))
            what = self.predicate()
            if what is None:
                self.at = before
                self.at += self.is_noun(self.peek())
                what = self.predicate()
            if what is None or not (self.word("in", "as", "with") and self._lead_in()):
                return False
            name = self._name()
            if name is None:
                return False
            self._new(name, what)
            return True
        if not self._lead_in():
            return False
        name = self._name()
        if name is None:
            return False
        self.skip(("that", "which", "is", "says", "=", "with", "being", "as"))
        true = self.word("true", "1", "yes") is not None or (
            self.peek().kind == "n" and self.peek().value == "1" and bool(self.kind("n"))
        )
        if not self.word("if", "when", "where", "for") and not true:
            return False
        what = self.predicate()
        if what is None:
            return False
        self.skip((",", "and", "otherwise", "else", "false", "if", "not"))
        self.tried(lambda: self.kind("n"))
        self._new(name, what)
        return True

    def _stepwise(self) -> bool:
        """From row to row: running totals, changes, moving averages, ranks."""
        self.skip(("show", "add", "calculate", *ARTICLES))
        window = self.kind("n")
        if window is not None:
            self.skip("-")
            timed = self.word("day", "days", "hour", "hours", "week", "weeks", "month", "months") is not None
            if timed and any(one.holds == "index" for one in self.columns.values()):
                return False  # a span of time along the index, not so many rows
            self.skip(("rows", "row", "point", "period", "-"))
        how = self.of(vocabulary.mapping("steps"))
        if how is None or self.plan.step is not None or (window is not None) != str(how).startswith("rolling"):
            return False
        self.skip(("of", "for", "in", *ARTICLES))
        self.at += self.peek().kind == "t" and self.peek(1).kind == "c"  # "cumulative catch weight" of ``catches``
        what = self.expression()
        if what is None or what.op == "lit":
            return False
        self.plan.step = (str(how), what, window.value if window else "")
        self.skip(("over", "the") if self.peek(1).kind == "c" or self.peek(2).kind == "c" else ())
        along = self.column("date", "number") if self.peek(-1).text in ("over", "the") else None
        if along is not None:
            self.plan.order.insert(0, Order(what=col(along), descending=False))
        elif (
            self.word(
                "over time",
                "by date",
                "over the days",
                "over the year",
                "over the months",
                "over the period",
                "day by day",
            )
            and self.dates
            and self.columns[self.dates[0]].holds != "index"
        ):
            self.plan.order.insert(0, Order(what=col(self.dates[0]), descending=False))
        return True

    def grown(self) -> bool:
        """ "month over month growth of x in percent"."""
        period = self.of({
            "month over month": "M", "month-over-month": "M", "monthly": "M", "week over week": "W", "week-over-week": "W", "weekly": "W",
            "year over year": "Y", "year-over-year": "Y", "yearly": "Y", "annual": "Y",
        })  # fmt: skip
        if period is None or not self.word("growth rate", "growth", "change", "percent change", "percentage change"):
            return False
        self.skip(("of", "in", "for", "the", "total"))
        what = self.expression()
        key = self._period(str(period), None)
        if what is None or what.op == "lit" or key is None or self.plan.measures:
            return False
        self.word("in percent", "in %", "as percent", "as a percentage")
        self.plan.keys.append(key)
        self.plan.measures.append(Measure(how="sum", what=what))
        self.plan.scale, self.plan.then = "100 * ", "pct_change"
        return True

    def _over_time(self) -> bool:
        return (
            self.plan.step is not None
            and bool(self.dates)
            and self.word("over time", "over the time", "over the days") is not None
        )
