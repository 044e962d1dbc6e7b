"""Columns that a prompt speaks of and the table has not, though it has what they are calculated of: revenue, rates. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines.namespace import Column
from spark_jupyter.server.engines.query import lexicon, rates
from spark_jupyter.server.engines.query.marked import Marked
from spark_jupyter.server.engines.query.model import Change
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

_REVENUE = re.compile(
    r"\b(?:(?:total\s+)?(?P<plain>revenues?|turnover|spend|spending|spent)|(?P<named>(?:order|line|sales)\s+(?:value|total|amount)s?)|"
    r"(?P<sales>sales)(?!\s+(?:person|rep|team|date|id|manager)))\b",
    re.IGNORECASE,
)
_PRICE = re.compile(r"\bprices?\b")
_WHOLE = re.compile(r"\b(?:total|sum|amount|gross|net|order|line)\b")
"""A price of all pieces: multiplied by how many there were it would count them twice."""
_QUANTITY = re.compile(r"\b(?:qty|quantit\w*|units?|pieces|pcs)\b")


class Meant(Struct, frozen=True, kw_only=True):
    """The ``prompt`` in which the column has its name, the ``column``, the ``change`` that makes it, and the ``factors`` of which it
    is the product, or, as a ``rate``, the first over the second."""

    prompt: str
    column: Column
    change: Change
    factors: tuple[str, str]
    rate: bool = False


def meant(prompt: str, columns: Sequence[Column], tables: Sequence[str]) -> Meant | None:
    """The column that is meant; None where the table or one of the ``tables`` is called so, or there is not exactly one price and
    one quantity."""
    rated = _rate(prompt, columns)
    if rated is not None:
        return rated
    found = _REVENUE.search(prompt)
    if found is None or re.search(rf"\b{re.escape(found[0])}\s*(?:=|as\b)", prompt, re.IGNORECASE):
        return None
    word = (found["plain"] or found["named"] or found["sales"]).lower()
    if word in {name.lower() for name in tables}:
        return None
    listed = [one.name for one in columns]
    if any(
        lexicon.parts_of(part, listed) or names.plain(part) in map(names.plain, listed)
        for part in (word, *word.split())
    ):
        return None
    if lexicon.spoken_of(word, [one for one in columns if not _PRICE.search(names.plain(one.name))]):
        return None
    amounts = [one for one in columns if one.kind == "number" or one.holds.startswith("numbers")]
    plain = {one.name: names.spaced(one.name) for one in amounts}
    prices = [name for name, said in plain.items() if _PRICE.search(said) and not _WHOLE.search(said)]
    quantities = [one.name for one in amounts if _QUANTITY.search(names.spaced(one.name)) and one.name not in prices]
    if len(prices) != 1 or len(quantities) != 1:
        return None
    named = Marked(prompt, tables=[], columns=columns)
    if {prices[0], quantities[0]} <= set(named.names(named.text)):
        return None  # the prompt says itself how it is calculated
    new = "revenue"
    price, quantity = quoted(prices[0]), quoted(quantities[0])
    change = Change(
        lines=(f"{{t}}[{quoted(new)}] = {{t}}[{price}] * {{t}}[{quantity}]",),
        columns=(new,),
        says=f"I took “{word}” to be `{prices[0]}` × `{quantities[0]}`.",
    )
    said = f"{prompt[: found.start()]} {'total ' if word in ('spend', 'spending', 'spent') else ''}{new} {prompt[found.end() :]}"
    factors = (prices[0], quantities[0])
    return Meant(prompt=" ".join(said.split()), column=Column(new, "float64"), change=change, factors=factors)


def _rate(prompt: str, columns: Sequence[Column]) -> Meant | None:
    found = rates.spoken_of(prompt, columns)
    if found is None:
        return None
    place, name, above, below = found
    change = Change(
        lines=(f"{{t}}[{quoted(name)}] = {{t}}[{quoted(above)}] / {{t}}[{quoted(below)}]",),
        columns=(name,),
        says=f"I took “{place[0]}” to be `{above}` / `{below}`.",
    )
    said = f"{prompt[: place.start()]} {name} {prompt[place.end() :]}"
    return Meant(
        prompt=" ".join(said.split()),
        column=Column(name, "float64"),
        change=change,
        factors=(above, below),
        rate=True,
    )
