"""Moments and spans of time as conditions: "after 2024-01-15", "in March", "before 10am", "hired before 2020". Pure."""

from __future__ import annotations

import re
from functools import partial

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.model import Expr, col, lit
from spark_jupyter.server.engines.phrases.times import Times
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.dates import iso
from spark_jupyter.server.engines.rewrite import quoted

COMPARED = vocabulary.mapping("compared")
_IS = vocabulary.some("is")
_TIMELY = frozenset(("after", "before", "since", "until", "from", "earlier", "later", "newer", "older"))
_SPANS = {"days": "days", "day": "days", "weeks": "weeks", "week": "weeks", "months": "months", "month": "months", "years": "years",
          "year": "years", "hours": "hours"}  # fmt: skip
_SEASONS = {"spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "fall": (9, 10, 11), "winter": (12, 1, 2)}
"""Of the northern half of the world, as weather services have them."""
_YEAR = re.compile(r"(?:19|20)\d\d")


class Moments(Times):
    """Reads conditions of time."""

    def _dated_bare(self) -> Expr | None:
        """ "after 2024-01-15", "in March 2024", "in 2023", "on weekends"."""
        if not self.dates:
            return None
        dates = col(self.dates[0])
        named = self.tried(lambda: self.column("date"))
        if named:
            dates = col(named)
            self.skip(_IS | {"in", "on", "a"})
        for read in (self._last_days, self._since_month, self._months_to, self._in_season, self._in_month):
            found = self.tried(partial(read, dates))
            if found is not None:
                return found
        if self.word("weekends", "weekend", "the weekend"):
            return Expr("ge", (Expr("part", (dates, "dayofweek")), lit("5")))
        if self.peek(-1).text in ("on", "during", "only") and self.word("weekdays", "working days", "workdays"):
            return Expr("lt", (Expr("part", (dates, "dayofweek")), lit("5")))
        timely = self.peek().text in _TIMELY
        sign = self.of(COMPARED)
        if sign is not None and (day := self.kind("d")):
            return Expr(str(sign), (dates, lit(quoted(iso(day.value)))))
        before = self.at
        self.skip(("year", "the"))
        token = self.peek()
        preceded = (
            self.peek(-1).text in ("in", "from", "of", "during", "for", "year", "since", "after", "before")
            or (sign is not None and timely)
            or named
        )
        if token.kind == "n" and re.fullmatch(r"(?:19|20)\d\d", token.value) and preceded and (timely or sign is None):
            self.at += 1
            return Expr(str(sign or "eq"), (Expr("part", (dates, "year")), lit(token.value)))
        self.at = before
        if token.kind == "d" and self.peek(-1).text in ("on", "for", "of", "from") and len(token.value) >= 8:
            self.at += 1
            start = quoted(iso(token.value))
            return self._span(dates, start, start)
        return None

    def _in_month(self, dates: Expr) -> Expr | None:
        """ "in March 2024", "in June or July"."""
        month = self.of(lexicon.MONTHS)
        if month is None:
            return None
        made = Expr("eq", (Expr("part", (dates, "month")), lit(str(month))))
        before = self.at
        second = self.of(lexicon.MONTHS) if self.word("or", "and") else None
        if second is None:
            self.at = before
        else:
            made = Expr("isin", (Expr("part", (dates, "month")), lit(str(month)), lit(str(second))))
        return self._of_year(made, dates)

    def _in_season(self, dates: Expr) -> Expr | None:
        """ "in spring 2024"."""
        season = self.of(_SEASONS)
        if season is None:
            return None
        return self._of_year(Expr("isin", (Expr("part", (dates, "month")), *(lit(str(one)) for one in season))), dates)

    def _of_year(self, made: Expr, dates: Expr) -> Expr:
        year = self._year()
        self.word("only")
        return Expr("and", (made, Expr("eq", (Expr("part", (dates, "year")), lit(year))))) if year else made

    def _months_to(self, dates: Expr) -> Expr | None:
        """ "from march to april 2024", "june to august", "between May 2023 and January 2024"."""
        between = self.word("between") is not None or self.peek(-1).text == "between"
        self.skip(("from",))
        first = self.of(lexicon.MONTHS)
        year = self._year() if first else None
        last = (
            self.of(lexicon.MONTHS)
            if first and self.word("to", "until", "till", "through", "-", *(["and"] if between else []))
            else None
        )
        if last is None:
            return None
        end = self._year()
        if end is None:
            months = [
                (int(str(first)) - 1 + number) % 12 + 1 for number in range((int(str(last)) - int(str(first))) % 12 + 1)
            ]
            return (
                Expr("isin", (Expr("part", (dates, "month")), *(lit(str(one)) for one in months)))
                if year is None
                else None
            )
        begins = f'pd.Timestamp("{year or end}-{int(str(first)):02}-01")'
        ends = f'pd.Timestamp("{end}-{int(str(last)):02}-01") + pd.DateOffset(months=1)'
        return Expr("and", (Expr("ge", (dates, lit(begins))), Expr("lt", (dates, lit(ends)))))

    def _year(self) -> str | None:
        self.skip(("of",) if _YEAR.fullmatch(self.peek(1).value) else ())
        year = self.kind("n") if _YEAR.fullmatch(self.peek().value) else None
        return year.value if year else None

    def _since_month(self, dates: Expr) -> Expr | None:
        """ "from July onwards", "after March 2024", "before June"."""
        self.skip(("in", "starting") if self.peek(1).text in ("from", "since") else ())
        sign = self.of(
            {
                "from": "ge",
                "since": "ge",
                "after": "gt",
                "before": "lt",
                "until": "le",
                "up to": "le",
                "starting in": "ge",
            }
        )
        if sign is None and self.peek(-1).text in ("from", "since"):
            sign = "ge"
        month = self.of(lexicon.MONTHS) if sign else None
        if month is None:
            return None
        year = self.kind("n") if re.fullmatch(r"(?:19|20)\d\d", self.peek().value) else None
        onwards = self.word("onwards", "onward", "on", "and later", "or later", "and after")
        if (
            self.peek(-1).text not in ("onwards", "onward", "on", "later", "after")
            and sign == "ge"
            and self.peek(-2 - bool(year)).text == "from"
        ):
            return None  # "orders from July"
        if onwards is not None and sign != "ge":
            return None
        if year is None:
            return Expr(str(sign), (Expr("part", (dates, "month")), lit(str(month))))
        start = f'pd.Timestamp("{year.value}-{int(str(month)):02}-01")'
        end = f"{start} + pd.DateOffset(months=1)"
        return {
            "ge": Expr("ge", (dates, lit(start))), "lt": Expr("lt", (dates, lit(start))),
            "gt": Expr("ge", (dates, lit(end))), "le": Expr("lt", (dates, lit(end))),
        }[str(sign)]  # fmt: skip

    def _last_days(self, dates: Expr) -> Expr | None:
        """ "in the last 30 days before 2024-04-02", "from the last 7 days" of the data, where no other day is said."""
        self.skip(("in", "the", "within", "during", "over", "of", "from"))
        number = self.kind("n") if self.word("last", "past", "previous", "latest", "most recent") else None
        unit = self.of(_SPANS) if number else None
        if unit is None or number is None:
            return None
        day = self.kind("d") if self.word("before", "until", "up to", "to") else None
        if day is None and not self.word("of the data", "in the data", "of data", "of the table"):
            if not (self.ends() or self.peek().text in ("per", "by", "and", "with", "in", "for", "sorted", "where")):
                return None
            self.plan.says.append("Counted back from the latest date in the table.")
        if day is None:
            span = f"pd.{'DateOffset' if unit in ('months', 'years') else 'Timedelta'}({unit}={number.value})"
            return Expr("gt", (dates, Expr("sub", (Expr("max", (dates,)), lit(span)))))
        end = quoted(iso(day.value))
        start = f"pd.Timestamp({end}) - pd.Timedelta({unit}={number.value})"
        return Expr("between", (dates, lit(start), lit(end)))

    def _clock(self) -> Expr | None:
        """ "before 10am", "after 18:00"."""
        sign = self.of({"before": "lt", "after": "ge", "since": "ge", "until": "lt"})
        born = bool(self.dates) and re.search(r"birth|born|dob", self.dates[0].lower()) is not None
        number = self.kind("n") if sign and self.dates and not born else None
        if number is None:
            return None
        hour = int(float(number.value))
        if self.word(":"):
            self.at += 1
        said = self.word("am", "pm", "o'clock", "uhr", "h")
        if said is None or hour > 24:
            return None
        hour += 12 if said == "pm" and hour < 12 else 0
        return Expr(str(sign), (Expr("part", (col(self.dates[0]), "hour")), lit(str(hour))))

    def of_year(self) -> Expr | None:
        """ "published before 1950", of a column that holds years."""
        years = [
            name
            for name, one in self.columns.items()
            if one.kind == "number" and name.lower() in ("year", "jahr", "yr", "built")
        ]
        if len(years) != 1 or self.dates:
            return None
        if (
            self.peek().kind == "w"
            and self.peek().text.endswith("ed")
            and self.peek(1).text in _TIMELY | {"in", "between"}
        ):
            self.at += 1
        sign = self.of({"before": "lt", "after": "gt", "since": "ge", "until": "le", "in": "eq", "from": "eq"})
        number = self.kind("n") if sign else None
        if number is None or not re.fullmatch(r"1[5-9]\d\d|20\d\d", number.value):
            return None
        if self.word("or later", "onwards", "and later"):
            sign = "ge" if sign in ("eq", "ge") else None
        return Expr(str(sign), (col(years[0]), lit(number.value))) if sign else None

    def _span(self, what: Expr, low: str, high: str) -> Expr:
        """Between two values, the whole last day included where they are dates."""
        if re.fullmatch(r'"\d{4}-\d\d-\d\d"', high):
            return Expr(
                "and",
                (Expr("ge", (what, lit(low))), Expr("lt", (what, lit(f"pd.Timestamp({high}) + pd.Timedelta(days=1)")))),
            )
        return Expr("between", (what, lit(low), lit(high)))

    def _by_year(self, made: Expr) -> Expr:
        """Dates that are compared with a year are so by theirs: "hired before 2020"."""
        what, *values = made.args if made.args else ("",)
        years = [
            one for one in values if isinstance(one, Expr) and one.op == "lit" and _YEAR.fullmatch(str(one.args[0]))
        ]
        if not years or len(years) < len(values) or not isinstance(what, Expr) or what.op != "col":
            return made
        return Expr(made.op, (Expr("part", (what, "year")), *years)) if what.args[0] in self.dates else made
