"""Conditions in a sentence: "age under 40 and not in Berlin", "missing", "before 10am", "older than 30". Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import SEXES
from spark_jupyter.server.engines.phrases.model import Expr, col, lit
from spark_jupyter.server.engines.phrases.moments import COMPARED, Moments
from spark_jupyter.server.engines.phrases.vocabulary import NUMBERS
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.rewrite import quoted

_IS = vocabulary.some("is")
_LEADS = vocabulary.some("leads")
_HINTING = re.compile(r"(?:old|young|long|short|heav|light|tall|warm|hott|cold|cool|cheap)\w*er$|more expensive")
_UNITS = vocabulary.some("units")
_MONTHS = "|".join(lexicon.MONTHS)
_PIECES = frozenset(("pieces", "units", "items"))
_PERSONS = vocabulary.some("persons")


class Predicates(Moments):
    """Reads conditions."""

    def predicate(self) -> Expr | None:
        """Conditions that are combined: "and" before "or", and what merely follows ("… with more than 40 moves") at last."""
        return self.tried(self._several)

    def _several(self) -> Expr | None:
        left = self.tried(self._either)
        while left is not None:
            right = self.tried(self._following)
            if right is None:
                return left
            left = Expr("and", (left, right))
        return left

    def _following(self) -> Expr | None:
        """A condition right behind another: with a word before it, but for "women under 40"."""
        before = self.at
        self._past_leads()
        if self.at == before:
            return self.tried(self._turned)
        self.at = before
        return self._either()

    def _either(self) -> Expr | None:
        left = self.tried(self._both)
        while left is not None:
            before = self.at
            right = self.tried(self._both) if self.word("or if", "or where", "or", "oder") else None
            if right is None:
                self.at = before
                return left
            left = Expr("or", (left, right))
        return left

    def _both(self) -> Expr | None:
        left = self._lead()
        while left is not None:
            before = self.at
            joined = self.word(
                ", and",
                ", but",
                "and that",
                "and whose",
                "and who",
                "and where",
                "and with",
                "and",
                "but",
                "&",
                ",",
                "und",
            )
            right = self.tried(self._lead) if joined else None
            if right is None:
                self.at = before
                return left
            if right == Expr("not", (left,)) or left == Expr("not", (right,)):
                return None  # "organic and not organic" are two groups
            if left.op == right.op == "eq" and left.args[0] == right.args[0] and left != right:
                return None  # so are "smokers and non-smokers"
            left = Expr("and", (left, right))
        return left

    def _lead(self) -> Expr | None:
        self._past_leads()
        return self._atom()

    def _past_leads(self) -> None:
        """Past words that lead a condition in, but for the first of "at least"."""
        while self.peek().kind in "ws" and self.peek().text in _LEADS and self.peek(1).text not in ("least", "most"):
            self.at += 1

    def _atom(self) -> Expr | None:
        if self.word("(") and (inner := self.predicate()) is not None and self.word(")"):
            return inner
        if (undone := self.tried(self.undone)) is not None:
            return undone
        if self.tried(
            lambda: self.word(
                "not",
                "no longer",
                "except",
                "except for",
                "excluding",
                "without",
                "other than",
                "outside",
                "never",
                "ohne",
            )
        ):
            denied = (
                self.tried(self._gap)
                or self.tried(self._valued)
                or self.tried(self._truth)
                or self.tried(self._compared)
                or self.tried(self._dated_bare)
            )
            return (
                Expr("not", (denied,))
                if denied is not None and denied.op not in ("notna", "ne")
                else (self._flip(denied) if denied else None)
            )
        reads = [
            self.against_average, self.of_year, self.any_gap, self.told, self._some_of, self._between, self._listed, self._missing,
            self._texts, self._mention, self._comparison, self.everywhere, self._turned, self._hint, self._equal,
            self.quarter, self.hours_between, self.took, self._dated_bare, self._clock, self._truth, self._valued,
            self._sexed, self._amount,
        ]  # fmt: skip
        for read in reads:
            if (found := self.tried(read)) is not None:
                return self._by_year(found)
        return None

    def _between(self) -> Expr | None:
        what = self.expression() or (col(self.dates[0]) if self.dates else None)
        self.skip(_IS | {"in", "from", "data"})
        if what is None or not self.word("between", "zwischen"):
            if not (self.dates and self.word("from", "between") and self.peek().kind == "d"):
                return None
            what = col(self.dates[0])
        elif what.op == "col" and self.peek().kind == "d" and what.args[0] not in self.dates:
            return None
        name = str(what.args[0]) if what.op == "col" else ""
        low = self.value(name)
        joined = self.word("and", "to", "-", "und", "until", "till")
        high = self.value(name) if joined else None
        if low is None or high is None:
            return None
        return self._span(what, low, high)

    def _comparison(self) -> Expr | None:
        what = self.expression()
        if what is None or what.op == "lit":
            return None
        name = str(what.args[0]) if what.op == "col" else ""
        self.word("in total", "values", "score", "total")
        self.skip(_IS)
        denied = self.word("not") is not None
        sign = self.of(COMPARED)
        if sign is None:
            return self._or_more(what, name)
        age = self.hinted("old") if name and self.peek(-2).text in ("older", "younger") else None
        if age is not None and self.columns[name].kind == "number" and "age" not in name.lower():
            what, name = col(age), age  # "patients older than 80" of ``patient_days``
        self.skip(("or", "equal", "to", "than", "the"))
        return self._with_sign(what, str(sign), name, denied=denied)

    def _with_sign(self, what: Expr, sign: str, name: str, *, denied: bool = False) -> Expr | None:
        value = self.value(name)
        other: Expr | None = lit(value) if value is not None else self.expression()
        if other is None or (other == what):
            return None
        if name in self.dates and other.op == "lit" and re.fullmatch(r"-?\d{1,3}(?:\.\d+)?", str(other.args[0])):
            return None  # "deliveries of more than 40 bottles" of a column ``delivered``
        self.word("in total", "or more", "or older")
        made = Expr(sign, (what, other))
        made = Expr("not", (made,)) if denied else made
        return self.tried(lambda: self._also_compared(made, what, name)) or made

    def _or_more(self, what: Expr, name: str) -> Expr | None:
        """ "a dose of 500 mg or more"."""
        self.skip(("of",))
        value = self.value(name) if self.peek().kind == "n" else None
        more = self.word("or more", "or higher", "or above", "or over", "or older", "or longer", "or larger", "and above", "and more",
                         "or greater", "or better")  # fmt: skip
        less = self.word(
            "or less", "or lower", "or below", "or under", "or younger", "or fewer", "or shorter", "or smaller"
        )
        if value is None or not (more or less):
            return None
        return Expr("ge" if more else "le", (what, lit(value)))

    def _also_compared(self, first: Expr, what: Expr, name: str) -> Expr | None:
        """Behind "ph below 6.5": "or above 8", of the same column."""
        joined = self.word("or", "and", "but")
        self.skip(_IS | {"it", "also"})
        if joined == "or" and self.word("missing", "unknown", "empty", "not recorded", "not measured", "not known"):
            return Expr("or", (first, Expr("isna", (what,))))
        sign = self.of(COMPARED) if joined else None
        value = self.value(name) if sign in ("gt", "ge", "lt", "le", "ne") else None
        if value is None or not (self.ends() or self.peek().text in ("and", "or", "sorted", "per", "by", "grouped")):
            return None
        return Expr("or" if joined == "or" else "and", (first, Expr(str(sign), (what, lit(value)))))

    def against_average(self) -> Expr | None:
        """ "above average in maths", "amount below the mean"."""
        name = self.tried(lambda: self.column("number"))
        self.skip(_IS)
        sign = self.of(
            {one: meant for one, meant in COMPARED.items() if meant in ("gt", "lt")}
            | {"better than": "gt", "worse than": "lt"}
        )
        self.skip(("the", "class", "overall", "general", "group", "its", "their"))
        how = self.of({"average": "mean", "mean": "mean", "median": "median", "averages": "mean"}) if sign else None
        if how is None:
            return None
        if name is None:
            if not self.word("in", "of", "for"):
                return None
            self.skip(("the",))
            name = self.column("number")
        elif self.word("of", "in"):
            return None
        return Expr(str(sign), (col(name), Expr(str(how), (col(name),)))) if name else None

    def _some_of(self) -> Expr | None:
        """ "any overtime" of a column of numbers: more than none."""
        if not self.word("any", "some", "non-zero", "nonzero"):
            return None
        name = self.column("number")
        return Expr("gt", (col(name), lit("0"))) if name and not self.columns[name].flag else None

    def any_gap(self) -> Expr | None:
        """ "with a missing value": in whatever column."""
        self.skip(("with", "have", "has", "that", "having"))
        if not self.word(
            "a missing value",
            "missing value",
            "any missing value",
            "any missing values",
            "missing values",
            "at least one missing value",
            "gaps",
            "nans",
        ):
            return None
        if self.peek().text in ("in", "of", "per") or self.peek().kind == "c":
            return None
        return Expr("rows", ("{t}.isna().any(axis=1)",))

    def everywhere(self) -> Expr | None:
        """ "at least 10 points in all three topics": of every column of numbers."""
        sign = self.of(COMPARED)
        number = self.kind("n") if sign in ("gt", "ge", "lt", "le") else None
        if number is None:
            return None
        self.skip(("points", "marks", "percent", "%", *_UNITS))
        how = self.of(
            {
                "in all": "all",
                "in every": "all",
                "in each": "all",
                "per": "all",
                "in any": "any",
                "in at least one": "any",
                "in one": "any",
            }
        )
        if how is None:
            return None
        self.skip(("of", "the", "their"))
        many = self.of(NUMBERS)
        numeric = [one.name for one in self.columns.values() if one.kind == "number" and one.holds != "index"]
        if self.peek().kind != "w" or len(numeric) < 2 or many not in (None, len(numeric)):
            return None
        self.at += 1
        columns = ", ".join(map(quoted, numeric))
        return Expr("rows", (f"{{t}}[[{columns}]].{sign}({number.value}).{how}(axis=1)",))

    def _turned(self) -> Expr | None:
        """ "more than 4 goals", "at least 3 Zimmer", "below 50 in maths"."""
        sign = self.of(COMPARED)
        number = self.kind("n") if sign in ("gt", "ge", "lt", "le", "eq") else None
        if number is None:
            return None
        said = [one.value.lower() if one.kind == "t" else one.text for one in map(self.peek, range(-6, -2))]
        before = [one for one in said if one not in _IS and one not in ("who", "that")]
        person = bool(before) and (before[-1] in SEXES or before[-1] in _PERSONS)
        unit = self.tried(self.measured_in)
        self.skip(("in", "of", "the", *_UNITS))
        what = col(unit) if unit else self.tried(self.expression)
        if what is None and self.word(*_PIECES) and (sold := self.quantity()):
            return Expr(str(sign), (col(sold), lit(number.value)))
        if what is None and person and (age := self.hinted("old")):
            return Expr(str(sign), (col(age), lit(number.value)))
        if what is None or what.op == "lit":
            return None
        self.word("in total", "min", "minimum")
        return Expr(str(sign), (what, lit(number.value)))

    def _hint(self) -> Expr | None:
        """ "older than 30", "18 or older", "built before 1950"."""
        said = self.peek()
        sign = None
        if said.kind == "n" and (more := self.of_ahead()):
            name = self.hinted("old") if more[1] else None
            if name is not None:
                self.at += 3
                return Expr(more[0], (col(name), lit(said.value)))
        if said.kind == "w" and self.peek(1).text == "than" and _HINTING.match(said.text):
            sign = COMPARED.get(f"{said.text} than")
            self.at += 2
        elif said.kind == "w" and self.hinted(said.text) and self.columns:
            self.at += 1
            sign = self.of(COMPARED)
        if sign is None:
            return None
        name = self.hinted(said.text)
        if name is None:
            return None
        value = self.value(name)
        return Expr(str(sign), (col(name), lit(value))) if value else None

    def _amount(self) -> Expr | None:
        """ "orders over 2000": of the one column that says what something costs, where none is named."""
        at = -2 if self.peek(-1).text in _IS else -1
        if self.peek(at).kind == "v" and self.peek(at - 1).text in ("with", "whose", "has", "have", "where", "a", "an"):
            return None  # "bikes with battery below 20": the word before is what is compared, though it is a value too
        self.skip(("worth", "costing", "of"))
        sign = self.of(COMPARED)
        self.skip(("$", "€", "£"))
        number = self.kind("n") if sign in ("gt", "ge", "lt", "le") else None
        if number is None:
            return None
        self.skip(("$", "€", "£", "euro", "euros", "dollars", "eur", "usd"))
        if self.peek().kind in "cv" or (self.peek().kind == "w" and self.peek().text in _UNITS | _PIECES):
            return None
        name = self.amount() or self.only_number()
        if name is None:
            return None
        self.plan.says.append(f"I compared `{name}`.")
        return Expr(str(sign), (col(name), lit(number.value)))

    def of_ahead(self) -> tuple[str, bool] | None:
        """Behind a number: "or older", "or younger"; and whether ages are meant."""
        if self.peek(1).text not in ("or", "and"):
            return None
        return {"older": ("ge", True), "over": ("ge", True), "younger": ("le", True), "under": ("le", True)}.get(
            self.peek(2).text
        )

    def _equal(self) -> Expr | None:
        """A column and a number: "q1 is 5", "Zimmer = 2"."""
        name = self.column()
        said = (
            self.word(
                "is not",
                "are not",
                "!=",
                "is",
                "are",
                "=",
                "==",
                "equals",
                "was",
                "equal to",
                "is equal to",
                "is exactly",
            )
            if name
            else None
        )
        if name is None or said is None:
            return None
        found = self.values(name)
        if not found:
            return self._same_as(name, "not" in said or said == "!=")
        if len(found) > 1:
            made = Expr("isin", (col(name), *map(lit, found)))
            return Expr("not", (made,)) if "not" in said or said == "!=" else made
        return Expr("ne" if "not" in said or said == "!=" else "eq", (col(name), lit(found[0])))

    def _same_as(self, name: str, differs: bool) -> Expr | None:
        """ "start is the same as end", "sender equals receiver": another column of its kind."""
        self.skip(("the", "same", "as", "to", "equal"))
        other = self.column(self.columns[name].kind)
        if other is None or other == name:
            return None
        return Expr("ne" if differs else "eq", (col(name), col(other)))

    def _compared(self) -> Expr | None:
        return self._comparison() or self._turned()
