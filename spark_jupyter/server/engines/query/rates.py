"""Rates that everybody calls by a name, and what they are calculated of: "ctr" of clicks and impressions. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.namespace import Column

_COST, _SALES = ("spend", "spent", "cost", "costs", "expenses"), ("revenue", "sales", "turnover", "income")
_PAID = (*_SALES, "spent", "spend", "total")
_DONE = ("conversions", "acquisitions", "purchases", "signups", "orders", "leads")
_SEEN = ("clicks", "visits", "sessions", "visitors")
_RATES = tuple(
    (re.compile(rf"(?<![\w-])(?:{said})(?![\w-])", re.IGNORECASE), name, above, below)
    for said, name, above, below in (
        (r"ctrs?|click[- ]?through[- ]rates?", "ctr", ("clicks",), ("impressions", "views")),
        (r"cpcs?|costs? per click|cost/click", "cpc", _COST, ("clicks",)),
        (r"cpas?|cac|costs? per (?:acquisition|conversion)", "cpa", _COST, ("conversions", "acquisitions", "signups")),
        (r"costs? per lead|cpl", "cost_per_lead", _COST, ("leads",)),
        (r"cvr|conversion[- ]rates?|conv\.? rates?", "conversion_rate", _DONE, _SEEN),
        (r"sign-?up[- ]rates?", "signup_rate", ("signups",), _SEEN),
        (r"roas|return on (?:ad|advertising) spend", "roas", _SALES, _COST),
        (r"aov|average order values?", "aov", _PAID, ("orders",)),
        (r"open[- ]rates?", "open_rate", ("opens", "opened"), ("sent", "delivered", "emails", "recipients")),
    )
)  # fmt: skip

_DEFINED = re.compile(r"\s*(?:[(=]|(?:as|is|being|means)\b(?=.*[/*]|.*\b(?:divided|over|per)\b))", re.IGNORECASE)
"""The prompt says itself how it is calculated."""


def spoken_of(prompt: str, columns: Sequence[Column]) -> tuple[re.Match[str], str, str, str] | None:
    """Where the prompt speaks of a rate, the name of it, and the columns above and below the line; None where it speaks of none,
    the table has a column of that name, or not one column for each side."""
    for pattern, name, above, below in _RATES:
        found = pattern.search(prompt)
        if found is None or any(_DEFINED.match(prompt, one.end()) for one in pattern.finditer(prompt)):
            continue
        sides = _holding(columns, above), _holding(columns, below)
        if _named(columns, name, found[0]) or None in sides or sides[0] == sides[1]:
            return None
        return found, name, sides[0] or "", sides[1] or ""
    return None


def _named(columns: Sequence[Column], *said: str) -> bool:
    """Whether a column is called so already."""
    return bool({names.plain(one) for one in said} & {names.plain(one.name) for one in columns})


def _holding(columns: Sequence[Column], wanted: tuple[str, ...]) -> str | None:
    """The one column of numbers that has the first of these words in its name."""
    for word in wanted:
        found = [
            one.name
            for one in columns
            if one.kind == "number" and words.stem(word) in {words.stem(part) for part in names.plain(one.name).split()}
        ]
        if found:
            return found[0] if len(found) == 1 else None
    return None
