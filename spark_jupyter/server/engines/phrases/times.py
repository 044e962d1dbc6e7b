"""Times in a sentence: quarters, hours of the day from when to when, how long something took. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.mentions import Mentions
from spark_jupyter.server.engines.phrases.model import Expr, col, lit
from spark_jupyter.server.engines.query.dates import iso
from spark_jupyter.server.engines.rewrite import quoted

_QUARTERS = vocabulary.mapping("quarters")
_LASTING = sorted(vocabulary.listed("lasting"), key=len, reverse=True)
_ENDS = re.compile(
    r"(?:^|[\W_])(?:end|discharg|return|finish|deliver|arriv|clos|check_?out|complet|resolv|due|to$|until|left|ship)",
    re.I,
)
_SECONDS = {"minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800}
_UNITS = {f"{unit}{ending}": f"{unit}s" for unit in ("minute", "hour", "day", "week") for ending in ("", "s")}


class Times(Mentions):
    """Reads times."""

    def quarter(self) -> Expr | None:
        """ "in the second quarter of 2024", "Q2"."""
        named = self.tried(lambda: self.column("date"))
        self.skip(("in", "during", "from", "of", "the", "is", "was", "were"))
        said = self.of(_QUARTERS)
        if said is None or not self.dates:
            return None
        dates = col(named or self.dates[0])
        made = Expr("eq", (Expr("part", (dates, "quarter")), lit(str(said))))
        before = self.at
        self.skip(("of", "in"))
        year = self.kind("n")
        if year is None or not re.fullmatch(r"(?:19|20)\d\d", year.value):
            self.at = before
            return made
        return Expr("and", (made, Expr("eq", (Expr("part", (dates, "year")), lit(year.value)))))

    def hours_between(self) -> Expr | None:
        """ "from 10 to 16h", "between 8 and 18 o'clock"."""
        if not self.dates or not (self.word("from", "between") or self.peek(-1).text in ("from", "between")):
            return None
        self._hour_sign()
        first = self.kind("n")
        self._hour_sign()
        second = self.kind("n") if first and self.word("to", "and", "-", "until", "till") else None
        if first is None or second is None:
            return None
        low, high = (int(float(one.value)) for one in (first, second))
        if self.word("in the afternoon", "in the evening", "pm", "p.m") and high <= 12:
            low, high = low + 12 * (low < 12), high + 12 * (high < 12)
        elif not (self._hour_sign() or self.word("in the morning", "am", "a.m", "at night", "in the night")):
            return None
        if 24 >= low > high >= 0:  # past midnight
            hour = Expr("part", (col(self.dates[0]), "hour"))
            return Expr("or", (Expr("ge", (hour, lit(str(low)))), Expr("lt", (hour, lit(str(high))))))
        if not 0 <= low < high <= 24:
            return None
        return Expr(
            "between", (Expr("part", (col(self.dates[0]), "hour")), lit(str(low)), lit(str(high - (high == 24))))
        )

    def _hour_sign(self) -> bool:
        return self.word(": 00 h", ": 00", "h", "o'clock", "uhr", "hours", "hrs") is not None

    def _dated_columns(self) -> list[str]:
        return [name for name in self.columns if name in self.dates]

    def duration(self) -> Expr | None:
        """ "days between a and b", "days from 2024-03-01 to germination", "delivery time in hours"."""
        self.skip(ARTICLES)
        unit = self.of(_UNITS)
        if unit is None and (passed := self.tried(self._passed)) is not None:
            return passed
        if unit is not None:
            if not self.word("from", "between", "since"):
                return None
            start = self._moment()
            end = self._moment() if start is not None and self.word("to", "and", "until", "till") else None
            return self._spanned(start, end, str(unit)) if start is not None and end is not None else None
        dated = self._dated_columns()
        if len(dated) != 2 or not self._lasting():
            return None
        self.word("in") if self.peek(1).text in _UNITS else None
        unit = self.of(_UNITS)
        return self._spanned(col(dated[0]), col(dated[1]), str(unit or "days"))

    def _passed(self) -> Expr | None:
        """ "difference between end and start in minutes": from the one that comes first to the other."""
        if not self.word(
            "difference between", "time between", "difference of", "gap between", "time from", "difference from"
        ):
            return None
        first = self.column("date")
        second = self.column("date") if first and self.word("and", "to", "until", "till", "minus") else None
        if first is None or second is None:
            return None
        unit = _UNITS.get(self.peek(1).text) if self.peek().text == "in" else None
        self.at += 2 * (unit is not None)
        start, end = (second, first) if _ENDS.search(first) and not _ENDS.search(second) else (first, second)
        return self._spanned(col(start), col(end), str(unit or "days"))

    def _lasting(self) -> bool:
        if self.said(*_LASTING):  # "length of stay", whatever the table is called
            return True
        return self.peek().kind in "wcv" and self.peek(1).text in ("time", "times", "duration") and self._past(2)

    def _past(self, number: int) -> bool:
        self.at += number
        return True

    def _moment(self) -> Expr | None:
        self.skip(ARTICLES)
        if (day := self.kind("d")) is not None:
            return lit(f"pd.Timestamp({quoted(iso(day.value))})")
        if self.word("today", "now"):
            return lit("pd.Timestamp.today()")
        name = self.column("date")
        return col(name) if name else None

    def _spanned(self, start: Expr, end: Expr, unit: str) -> Expr | None:
        if start.op == end.op == "lit":
            return None
        return Expr("whole days" if unit == "days" and "lit" in (start.op, end.op) else "spanned", (
            Expr("sub", (end, start)), lit(f'pd.Timedelta({unit}=1)'),
        ))  # fmt: skip

    def took(self) -> Expr | None:
        """ "took more than 3 days to arrive", of two columns of dates."""
        dated = self._dated_columns()
        if len(dated) != 2 or not self.word(
            "took", "take", "takes", "lasted", "needed", "stayed", "lasting", "taking", "for"
        ):
            return None
        sign = self.of(vocabulary.mapping("compared"))
        number = self.kind("n") if sign else None
        unit = self.of(_UNITS) if number else None
        if number is None or unit is None:
            return None
        if self.word("to") and self.peek().kind in "wcv":
            self.at += 1
        gap = Expr("sub", (col(dated[1]), col(dated[0])))
        return Expr(str(sign), (gap, lit(f"pd.Timedelta({unit}={number.value})")))
