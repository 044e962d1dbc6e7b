"""Durations: between two dates of a row, from a date to a given day, between first and last of a group. Pure.

Each rule is a pattern over a marked prompt and a function that makes a :class:`Change` of its match, as in ``changes.py``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query.dates import iso
from spark_jupyter.server.engines.query.marked import C, D, T
from spark_jupyter.server.engines.query.model import Change
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.query.making import Makers

    Maker = Callable[[re.Match[str], Makers], Change | None]

_UNIT = r"\b(?P<unit>minutes|hours|days|nights|weeks|months|years)"
_ASKS = r"(?:\b(?:number\s+of|total|calculate|compute|show|give|add|the|what|is|are|for|in|how|a|as|new|column|columns|with|of|time)\s+)*"
_OF_EACH = rf"(?:[\s,]*(?:for|of|per|by|at|on)\s+(?:the\s+|each\s+|every\s+)*(?P<k>{C}|{T}|(?!⟨)[a-z]+))?"
_STARTS = re.compile(
    (
        r"open|start|begin|arriv|admi|order|creat|from|check.?in|pick|rent|lent|loan|borrow|departure_time|sen"
        r"t|request|placed|in$|hired|signed"
    ),
    re.IGNORECASE,
)
_ENDS = re.compile(
    (
        r"clos|end|depart|discharg|ship|deliver|return|until|to$|check.?out|finish|resolv|complet|left|out$|du"
        r"e|back|drop"
    ),
    re.IGNORECASE,
)
_PARTS = {
    "minutes": "{s}.dt.total_seconds() / 60", "hours": "{s}.dt.total_seconds() / 3600", "days": "{s}.dt.days", "nights": "{s}.dt.days",
    "weeks": "{s}.dt.days / 7", "months": "{s}.dt.days / 30.44", "years": "{s}.dt.days / 365.25",
}  # fmt: skip


def dated(makers: Makers, name: str) -> str:
    """The column as dates, as source with ``{t}`` for the table."""
    column = f"{{t}}[{quoted(name)}]"
    return column if makers.columns[name].kind == "date" else f"pd.to_datetime({column}{makers.day_first(name)})"


def dates_of(makers: Makers) -> list[str]:
    """The columns of dates, in the table's order; by what they hold, else by their names."""
    told = [one.name for one in makers.columns.values() if one.kind == "date" or one.holds.startswith("dates")]
    return told


def _both_ends(makers: Makers) -> tuple[str, str] | None:
    """The columns in which a span begins and ends: told by their names, or the only two that there are."""
    dates = dates_of(makers)
    starts, ends = [one for one in dates if _STARTS.search(one)], [one for one in dates if _ENDS.search(one)]
    ends = [one for one in ends if one not in starts] or ends
    if len(starts) == 1 and len(ends) == 1 and starts != ends:
        return starts[0], ends[0]
    return (dates[0], dates[1]) if len(dates) == 2 else None


def _named(unit: str) -> str:
    return {"nights": "nights", "years": "years"}.get(unit, unit)


def _between(found: re.Match[str], makers: Makers) -> Change | None:
    first, second = (makers.marked.value(found[one]) for one in "ab")
    dates = dates_of(makers)
    if not (found["unit"] or re.search(r"\btime\b|\blong\b|\bduration\b", found.string)):
        return None
    if first not in dates or second not in dates:
        return None
    return _span(makers, first, second, (found["unit"] or "days").lower())


def _span(makers: Makers, first: str, second: str, unit: str) -> Change:
    span = f"({dated(makers, second)} - {dated(makers, first)})"
    says = f"From `{first}` to `{second}`, in {unit}."
    return makers.column(_named(unit), _PARTS[unit].format(s=span), says=says, imports=("pd",))


def _length(found: re.Match[str], makers: Makers) -> Change | None:
    ends = _both_ends(makers)
    groups = found.re.groupindex
    unit = (found["unit"] if "unit" in groups else None) or (found["unit2"] if "unit2" in groups else None) or "days"
    return _span(makers, *ends, unit.lower()) if ends else None


def _service(found: re.Match[str], makers: Makers) -> Change | None:
    """Since when somebody is there: a column of dates that says hired, joined or started."""
    began = [
        name for name in dates_of(makers) if re.search(r"hire|join|start|employed|since|entry", name, re.IGNORECASE)
    ]
    if len(began) != 1:
        return None
    unit = (found["unit"] or "years").lower()
    span = f"(pd.Timestamp.today().normalize() - {dated(makers, began[0])})"
    return makers.column(
        f"{unit}_of_service", _PARTS[unit].format(s=span), says=f"Counted from `{began[0]}` to today.", imports=("pd",)
    )


def _to_day(found: re.Match[str], makers: Makers) -> Change | None:
    dates = dates_of(makers)
    groups = found.re.groupindex
    named = makers.marked.value(found["c"]) if "c" in groups and found["c"] else None
    if named is not None and named not in dates:
        return None
    born = [one for one in dates if re.search(r"born|birth|dob", one, re.IGNORECASE)]
    aged = re.search(r"\bold\b|\bage\b", found[0], re.IGNORECASE) is not None
    chosen = named or (born[0] if aged and born else dates[0] if len(dates) == 1 else None)
    if chosen is None:
        return None
    unit = ((found["unit"] if "unit" in groups else None) or ("years" if aged else "days")).lower()
    day = found["d"]
    if day and makers.marked.value(day).startswith("--"):  # of no year
        return None
    end = (
        f"pd.Timestamp({quoted(iso(makers.marked.value(day)))})"
        if day and day.startswith("⟨")
        else 'pd.Timestamp("today")'
    )
    name = "age" if aged else unit
    whole = _PARTS[unit].format(s=f"({end} - {dated(makers, chosen)})")
    return makers.column(name, f"({whole}) // 1" if aged else whole, says=f"Counted from `{chosen}`.", imports=("pd",))


def _first_to_last(found: re.Match[str], makers: Makers) -> Change | None:
    dates = dates_of(makers)
    by = makers.marked.value(found["k"])
    if len(dates) != 1 or by not in makers.columns:
        return None
    unit = found["unit"].lower()
    lines = (f"grouped = {dated(makers, dates[0])}.groupby({{t}}[{quoted(by)}])",)
    return Change(
        lines=lines, shows=_PARTS[unit].format(s="(grouped.max() - grouped.min())"), imports=("pd",), asks=True
    )


def _since_last(found: re.Match[str], makers: Makers) -> Change | None:
    dates = dates_of(makers)
    if len(dates) != 1:
        return None
    groups = found.re.groupindex
    by = makers.marked.value(found["k"]) if "k" in groups and found["k"] and found["k"].startswith("⟨c") else None
    if by == dates[0]:
        by = None
    unit = found["unit"].lower()
    day = quoted(dates[0])
    steps = f"{{t}}.groupby({quoted(by)})[{day}].diff()" if by else f"{{t}}[{day}].diff()"
    lines = (
        f"{{t}}[{day}] = {dated(makers, dates[0])}",
        f"{{t}} = {{t}}.sort_values({day})",
        f'{{t}}["{unit}_since_last"] = {_PARTS[unit].format(s=steps)}',
    )
    return Change(lines=lines, columns=(f"{unit}_since_last",), imports=("pd",))


_EVENT = rf"(?:{T}|(?!⟨)[a-z]+)"
_LONG = (
    r"(?:\bhow\s+long\s+(?:(?:did|does|do|was|were|is|are|has|have|had|it|take|took|each|every|the|to|a|la"
    r"st|stay|stayed|lasted|per)\s*)+"
)
RULES: tuple[tuple[str, Maker], ...] = (
    (
        (rf"{_ASKS}{_UNIT}\s+(?:(?:are|there|lie|passed|is)\s+)*between\s+(?:the\s+)?(?:first|earliest)\s+and\s+"
            rf"(?:the\s+)?(?:last|latest|most\s+recent)\s+{_EVENT}\s+"
        rf"(?:for|of|per|by)\s+(?:the\s+|each\s+|every\s+)*(?P<k>{C})"),
        _first_to_last,
    ),
    (
        (rf"{_ASKS}{_UNIT}\s+(?:are\s+|there\s+|lie\s+|passed\s+)*(?:between\s+(?:(?:two|the|consecutive|success"
            rf"ive|neighbou?ring)\s+)+{_EVENT}"
        rf"|since\s+(?:the\s+)?(?:previous|last|preceding)\s+{_EVENT}|to\s+the\s+previous\s+{_EVENT})(?:\s+(?:f"
            rf"or|of|per|by|at)\s+(?:the\s+|each\s+|every\s+)*(?P<k>{C}))?"),
        _since_last,
    ),
    (
        (rf"{_ASKS}(?:{_UNIT}\s+)?(?:between|from)\s+(?:the\s+)?(?P<a>{C})\s+(?:and|to|until|till)\s+(?:the\s+)?"
            rf"(?P<b>{C})(?!\s*(?:is|are)\b)"),
        _between,
    ),
    (rf"{_ASKS}\b(?P<unit>nights)(?:\s+(?:of|for|per|in|stayed|spent)\s+(?:the\s+|each\s+|every\s+|all\s+)*(?:{_EVENT}|{C}))?", _length),
    (
        (rf"{_LONG}(?:{_EVENT}|{C})?(?:\s+(?!in\b)(?:{_EVENT}|{C}))?(?:[\s,]*in\s+(?P<unit>minutes|hours|days|ni"
            rf"ghts|weeks))?(?=\s*(?:;|\?|$)))"),
        _length,
    ),
    (
        (rf"{_ASKS}\b(?:duration|length\s+of\s+(?:the\s+)?stay|length)\s*(?:of\s+(?:the\s+|each\s+|every\s+|all\s+"
            rf")*(?:{_EVENT}))?(?:\s+in\s+{_UNIT})"),
        _length,
    ),
    (
        (rf"{_ASKS}(?:(?P<unit>days|weeks|months|years)\s+)?(?:(?:\b(?:old|age|is|was|were|are|will|be|has|have|had|b"
            rf"een|each|every|the|of|all|member|with|us)|{T}|{C}(?=\s+(?:is|was|on|at|been|be|as|today|now)))\s+)+"
        rf"(?:(?:on|at|as\s+of|by)\s+(?:the\s+)?(?=⟨d|today|now)|(?=today\b|now\b))(?P<d>{D}|today\b|now\b)(?P<c>(?!))?"),
        _to_day,
    ),
    (
        (rf"{_ASKS}\b(?:(?P<unit>years|months)\s+of\s+service|tenure|seniority|length\s+of\s+service)"
            rf"(?:\s+(?:of|for|per|by)\s+(?:the\s+|each\s+|every\s+|all\s+)*(?:{C}|{T}|(?!⟨)[a-z]+))?"),
        _service,
    ),
    (rf"{_ASKS}{_UNIT}\s+(?:(?:have|has|passed|went|gone|by)\s+)*since\s+(?:the\s+)?(?P<c>{C})(?P<d>(?!))?", _to_day),
    (rf"{_ASKS}{_UNIT}\s+(?:from|since)\s+(?:the\s+)?(?P<c>{C})\s+(?:to|until|till)\s+(?P<d>{D}|today\b|now\b)", _to_day),
    ((rf"{_ASKS}\b(?:age|ages)(?:\s+(?:of|from|in|for)\s+(?:the\s+|each\s+|every\s+|years|all\s+)*(?:{C}|{T}|(?"
            rf"!⟨)[a-z]+))?(?P<c>(?!))?(?P<d>(?!))?(?=\s*(?:;|\?|$))"), _to_day),
)  # fmt: skip
