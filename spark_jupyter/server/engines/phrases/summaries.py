"""Summaries in a sentence: "mean of a and b per c", "how many", "share of", and what rows are grouped by. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.cursor import ARTICLES, ROWS
from spark_jupyter.server.engines.phrases.groups import Groups
from spark_jupyter.server.engines.phrases.model import Expr, Measure, col
from spark_jupyter.server.engines.phrases.vocabulary import BEGINS, BY, COUNTED_ON, HOWS
from spark_jupyter.server.engines.rewrite import quoted


class Summaries(Groups):
    """Reads summaries and groups."""

    formula: Expr | None = None
    strange_rows = False
    """Whether rows are counted by a word of which nothing is known: "draws"."""
    named_before = False
    """Whether the words left over may be what the formula in parentheses is called."""
    noun = False
    absent_read = False

    def _counted(self) -> bool:
        """ "number of rows", "how many runners", "count them", "number of distinct cities"."""
        self.skip(ARTICLES)
        if self.word("total number of", "total amount of", "sum of the number of"):
            if (name := self.tried(lambda: self.column("number"))) is not None:
                self.plan.measures.append(Measure(how="sum", what=col(name)))
                return True
            self.at -= 2  # "total number of orders"
        if not self.plan.then and self.word("average number of", "mean number of", "median number of"):
            how = "median" if self.peek(-3).text == "median" else "mean"
            name = self.tried(lambda: self.column("number"))
            if name is not None:
                self.plan.measures.append(Measure(how=how, what=col(name)))
                return True
            self.plan.then = how
            self.at += self.is_noun(self.peek()) or self.peek().kind in "tc"
            self.plan.measures.append(Measure(how="size"))
            return self.peek().text in BY
        said = self.word(
            "number of",
            "count of",
            "count",
            "counts of",
            "anzahl der",
            "anzahl",
            "counts",
            "frequency of",
            "number",
            "numbers of",
        )
        if said is None:
            return False
        if self.plan.banded and self.word("them", "each", "each group", "each of them", "each band", "the groups"):
            self.plan.keys.append(col(self.plan.banded[-1][0]))
            self.plan.measures.append(Measure(how="size"))
            return True
        self.skip((*ARTICLES, "all", "up", "how", "often"))
        if self.plan.where and self.word(
            "are left", "is left", "are that", "is that", "are those", "are there", "remain", "are they"
        ):
            self.plan.measures.append(Measure(how="size"))
            return not (self.plan.columns or self.plan.keys)
        if self.plan.derived and not self.plan.ask and self.tried(self._signed):
            return True
        distinct = self.word("distinct", "unique", "different") is not None
        name = self.tried(self.column)
        if name is not None and (distinct or (not self.plan.keys and self._plain(name))):
            self.word("values", "numbers")
            text = f"Counted once each: the different values of `{name}`."
            self.plan.measures.append(Measure(how="nunique", what=col(name)))
            if not distinct:
                self.plan.says.append(text)
            return True
        if distinct or not (self._counted_by(name) if name is not None else self._counted_rows()):
            return False
        self.plan.measures.append(Measure(how="size"))
        return True

    def _signed(self) -> bool:
        """ "how often is it negative", of the column that was made last."""
        if not self.word("is it", "it is", "is that", "are they", "times is it", "times it is", "rows where it is"):
            return False
        sign = self.of(
            {
                "negative": "< 0",
                "below zero": "< 0",
                "positive": "> 0",
                "zero": "== 0",
                "above zero": "> 0",
                "missing": "",
            }
        )
        if sign is None:
            return False
        made = f"{{r}}[{quoted(self.plan.derived[-1][0])}]"
        self.plan.ask = f"({made} {sign}).sum()" if sign else f"{made}.isna().sum()"
        return True

    def _counted_by(self, name: str) -> bool:
        """Behind "number of": a column that a condition or a group begins with."""
        known = self.columns.get(name)
        if known is None or self.kind_of(known) == "number":
            return False
        begins = self.peek().kind in "vnq" or self.peek().text in BEGINS
        if (yes := self.yes(name)) is not None and not begins:
            self.plan.where.append(yes)
        elif begins:
            self.at -= 1
        elif self.kind_of(known) != "date" and col(name) not in self.plan.keys:  # "number of diagnoses" of their dates
            self.plan.keys.append(col(name))
        return True

    def _counted_rows(self) -> bool:
        """Behind "number of": a word for the rows, or none where the sentence goes on."""
        token, after = self.peek(), self.peek(1).text
        if self.is_noun(token):
            self.strange_rows = self.strange_rows or (token.kind == "w" and token.text not in ROWS)
        elif not (
            token.kind == "w" and token.text.endswith("s") and after in ("where", "when", "that", "with", "on", "which")
        ):
            return self.ends() or token.text in COUNTED_ON or token.kind in "vc"
        self.at += 1
        return True

    def _plain(self, name: str) -> bool:
        known = self.columns.get(name)
        follows = self.peek().text
        plain = known is not None and self.kind_of(known) == "text" and not known.truth
        verb = follows in (
            "have",
            "has",
            "had",
            "are",
            "were",
            "was",
            "did",
            "do",
            "with",
            "who",
            "that",
            "which",
            "where",
            "whose",
        )
        return plain and (verb or self.ends() or (follows in ("per", "by", "each", "in") and self.peek(1).kind in "ce"))

    def _measured(self) -> bool:
        """ "mean of a and b", "average a", "min, median and max of a", "a mean"."""
        begins = self.peek(-1).text in (";", "and", ",") or self.peek().text == "and"
        self.skip((*ARTICLES, "what", "is", "was", "and"))
        hows = self._hows()
        if not hows:
            return False
        self.skip(("of", "for", "value", "values", "in", "from", *(ARTICLES - {"all", "both"})))
        if self.peek().kind == "t" and self.peek(1).text in ("to", "of", "in", "for"):
            self.at += 2
        listed = self._measurables(dates=set(hows) <= {"min", "max"})
        if not listed and self.plan.derived and self.word("it", "them", "that", "this"):
            listed = [col(self.plan.derived[-1][0])]
            self.plan.keys = []
        if not listed and self.formula is not None and self.word("it", "that"):
            listed, self.formula = [self.formula], None
            self.plan.keys = []
            self.named_before = True
        if not listed and self.formula is not None:
            before = self.at
            while (
                self.peek().kind in "wc"
                and self.peek().text not in ("per", "by", "for", "each", "sorted", "and", "then", "in")
                and self.at - before < 4
            ):
                self.at += 1
            listed, self.formula = [self.formula], None
        if not listed and begins and (self.ends() or self.peek().text in ("instead", "too", "as")):
            listed = list(
                dict.fromkeys(one.what for one in self.plan.measures if one.what is not None)
            )  # "the max too"
        if not listed and not self.plan.measures and (self.ends() or self.peek().text in BY):
            amount = (self.amount() if hows == ["sum"] else None) or self.only_number()
            listed = [col(amount)] if amount else []
        if not listed:
            return False
        self.word("values", "value")
        self.plan.measures += [Measure(how=how, what=what) for what in listed for how in hows]
        return True

    def ignored(self) -> bool:
        """ "without the missing values", "per order": what a summary does anyway."""
        if not self.plan.measures:
            return False
        if self.word("without", "ignoring", "excluding", "ignore", "not counting", "leaving out"):
            self.skip(("the", "any", "all"))
            return (
                self.word(
                    "missing values", "missing ones", "missing", "nans", "nan values", "gaps", "empty values", "nulls"
                )
                is not None
            )
        averaged = all(one.how in ("mean", "median") for one in self.plan.measures) and self.plan.keys
        return (
            bool(averaged)
            and self.word("per order", "per row", "per sale", "per visit", "per trip", "per entry", "per person")
            is not None
        )

    def _hows(self) -> list[str]:
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&", "/", "plus") and self.peek().text not in HOWS:
                return found
            self.skip(ARTICLES)
            how = self.of(HOWS) or self.tried(self._quantile)
            if how is None:
                self.at = before
                return found
            found.append(str(how))

    def _quantile(self) -> str | None:
        """ "90th percentile", "95 % quantile", "quartiles"."""
        if self.word("quartiles"):
            return "quantile([0.25, 0.5, 0.75])"
        if self.word("first quartile", "lower quartile"):
            return "quantile(0.25)"
        if self.word("third quartile", "upper quartile"):
            return "quantile(0.75)"
        number = self.kind("n")
        self.skip(("th", "%", "st", "nd", "."))
        if number is None or not self.word("percentile", "quantile", "percent quantile", "th percentile"):
            return None
        value = float(number.value)
        return f"quantile({value / 100 if value > 1 else value:g})"

    def _so_many(self) -> list[Expr]:
        """ "all three subjects": all columns of numbers, if there are so many."""
        self.skip(("all", "the", "both"))
        number = self._number()
        numeric = [one.name for one in self.columns.values() if one.kind == "number" and one.holds != "index"]
        if number is None or self.peek().kind != "w" or not self.peek().text.endswith("s") or number != len(numeric):
            return []
        self.at += 1
        return [col(name) for name in numeric]

    def _numbered_columns(self) -> list[Expr] | None:
        """ "q1 to q4": columns of one name that are numbered."""
        first = self.column("number")
        last = self.column("number") if first and self.word("to", "through", "until", "-", "–") else None
        ends = [re.fullmatch(r"(.*?)(\d+)", one) for one in (first, last) if one]
        if len(ends) < 2 or ends[0] is None or ends[1] is None or ends[0][1] != ends[1][1]:
            return None
        wanted = [f"{ends[0][1]}{number}" for number in range(int(ends[0][2]), int(ends[1][2]) + 1)]
        return [col(one) for one in wanted] if all(one in self.columns for one in wanted) else None

    def _measurables(self, *, dates: bool = False) -> list[Expr]:
        before = self.at
        if many := self._so_many():
            return many
        self.at = before
        if self.word(
            "all columns",
            "all three columns",
            "all numeric columns",
            "every column",
            "all numbers",
            "the numeric columns",
            "numeric columns",
            "each column",
            "columns",
        ):
            return [col(one.name) for one in self.columns.values() if one.kind == "number" and one.holds != "index"]
        if (
            self.peek().text in ("all", "both")
            and self.peek(1).kind == "w"
            and self.peek(1).text.endswith("s")
            and self.peek(1).text not in ROWS
        ):
            self.at += 2
            return [col(one.name) for one in self.columns.values() if one.kind == "number" and one.holds != "index"]
        found: list[Expr] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&"):
                return found
            if series := self.tried(self._numbered_columns):
                found += series
                continue
            what = self.expression()
            if what is None or what.op == "lit":
                self.at = before
                return found
            if (
                what.op == "col"
                and (known := self.columns.get(str(what.args[0]))) is not None
                and self.kind_of(known) == "date"
                and not dates
            ):
                self.at = before
                return found
            found.append(what)
