"""Conditions on dates that take more than one of them: months, weekdays, hours of the day, days of a year. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.marked import D, N
from spark_jupyter.server.engines.query.model import Condition
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.query.marked import Marked

    Maker = Callable[[re.Match[str], Marked, str], Condition | None]

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = "|".join(_DAYS)
_MONTH = "|".join(sorted(lexicon.MONTHS, key=len, reverse=True))
_WORDS = r"(?:\b(?:where|with|that|which|were|was|is|are|came|arrived|only|for|in|on|at|during|of|from|the|months?|a|an|either|and)\s+)*"
_HOUR = rf"(?P<n>{N})\s*(?P<part>am|pm|a\.m\.|p\.m\.|o'?clock|uhr|h\b|in\s+the\s+(?:morning|afternoon|evening))"
_SIGNS = {
    "before": "<",
    "until": "<",
    "earlier than": "<",
    "after": ">=",
    "from": ">=",
    "since": ">=",
    "later than": ">=",
}
_BEFORE_OR_AFTER = {"before": "<", "until": "<=", "till": "<=", "after": ">", "since": ">=", "from": ">="}


def _months(found: re.Match[str], marked: Marked, dates: str) -> Condition | None:
    first, last = lexicon.MONTHS[found["a"].lower()], lexicon.MONTHS[found["b"].lower()]
    if found["way"].lower() in ("or", "and", ","):
        numbers = [first, last]
    else:
        numbers = list(range(first, last + 1)) if first <= last else [*range(first, 13), *range(1, last + 1)]
    year = (marked.value(found["v"]),) if found["v"] else ()
    return Condition(column=dates, op="months", values=(f"[{', '.join(map(str, numbers))}]", *year))


def _weekdays(found: re.Match[str], marked: Marked, dates: str) -> Condition | None:
    names = [quoted(day.capitalize()) for day in re.findall(_DAY, found["days"].lower())]
    return Condition(column=dates, op="weekdays", values=(f"[{', '.join(names)}]",))


def _hour(found: re.Match[str], marked: Marked, dates: str) -> Condition | None:
    hour = int(float(marked.value(found["n"])))
    later = re.match(r"p|in\s+the\s+(?:afternoon|evening)", found["part"].lower()) is not None
    born = re.search(r"birth|born|dob", dates.lower()) is not None  # a day that has no hours
    hour += 12 if later and hour < 12 else 0
    said = re.sub(r"\s+", " ", found["way"].lower())
    return Condition(column=dates, op=f"hour {_SIGNS[said]}", values=(str(hour),)) if hour <= 24 and not born else None


def _day_of_year(found: re.Match[str], marked: Marked, dates: str) -> Condition | None:
    said = marked.value(found["d"])
    if not said.startswith("--"):
        return None
    return Condition(column=dates, op=f"md {_BEFORE_OR_AFTER[found['way'].lower()]}", values=(quoted(said[2:]),))


RULES: tuple[tuple[str, Maker], ...] = (
    (
        (
            rf"{_WORDS}(?:between\s+)?\b(?P<a>{_MONTH})\s*(?P<way>to|until|till|through|-|or|and|,)\s*(?P<b>"
            rf"{_MONTH})\b(?:\s+(?:of\s+)?(?P<v>{N}))?"
        ),
        _months,
    ),
    (rf"{_WORDS}(?P<days>(?:{_DAY})s?(?:\s*(?:,|or|and|,\s*or)\s*(?:an?\s+|on\s+)?(?:{_DAY})s?)+)\b", _weekdays),
    (rf"{_WORDS}(?P<way>before|after|until|from|since|earlier\s+than|later\s+than)\s+{_HOUR}", _hour),
    (rf"{_WORDS}(?P<way>before|until|till|after|since|from)\s+(?:the\s+)?(?P<d>{D})", _day_of_year),
)


def expression(op: str, dates: str, values: list[str]) -> str:
    """Such a condition in pandas; empty where ``op`` is none of these. ``dates`` is the accessor of the column."""
    if op == "months":
        months = f"{dates}.month.isin({values[0]})"
        return f"{months} & ({dates}.year == {values[1]})" if len(values) > 1 else months
    if op == "weekdays":
        return f"{dates}.day_name().isin({values[0]})"
    if op.startswith("hour "):
        return f"{dates}.hour {op.partition(' ')[2]} {values[0]}"
    if op.startswith("md "):
        return f'{dates}.strftime("%m-%d") {op.partition(" ")[2]} {values[0]}'
    return ""
