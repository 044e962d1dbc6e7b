"""Rule join-multiplied: a join made more rows than there were.

Keys that should occur once occur several times, so later sums count rows twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.rules._joins import Join, joins_of, plain
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, listed, saw, shown

_FEW: Final = 0.2
"""Of the right side's keys: where more of them occur more than once, one to many is meant."""

_LENGTHENS: Final = {"explode", "melt", "unpivot", "wide_to_long", "stack"}
"""Methods that give each key several rows: a cell that calls them for a join means one to many."""


def _looks(change: Change) -> Iterator[Sighting]:
    lengthened = {step.target for step in change.steps if step.tails & _LENGTHENS}
    for join in joins_of(change):
        if join.right_name in lengthened:
            continue
        of_itself = join.left_name == join.right_name  # the pairs of its rows are what is meant
        if join.how in ("left", "inner") and not of_itself and (join.rows < 0 or join.rows > join.left.rows):
            yield from _multiplied(join)


def _multiplied(join: Join) -> Iterator[Sighting]:
    left, right = Counter(join.values()), Counter(join.values(right=True))
    if not left or not right:
        if join.rows > join.left.rows + join.right.rows:  # more than one to many can give
            yield saw("join-multiplied", join.right_name, numbers=(join.left.rows, join.rows))
        return
    alone = 0 if join.how == "inner" else 1
    rows = join.rows if join.rows >= 0 else sum(count * (right[key] or alone) for key, count in left.items())
    if rows <= join.left.rows:
        return
    repeated = [key for key, count in right.items() if count > 1 and left[key]]
    both = [key for key in repeated if left[key] > 1]
    if both or 0 < len(repeated) <= _FEW * len(right):
        worst = sorted(both or repeated, key=lambda key: -right[key] * left[key])[:3]
        keys = (", ".join(map(plain, key)) for key in worst)
        yield saw("join-multiplied", join.right_name, *keys, numbers=(join.left.rows, rows))


def _says(seen: Sighting) -> str:
    before, after = seen.numbers
    keys = f": duplicate keys: {listed(seen.names[1:])}" if seen.names[1:] else ""
    return f"The join with {shown(seen.names[0])} made {after:,.0f} rows of {before:,.0f}{keys}."


_BEFORE: Final = """import pandas as pd
orders = pd.DataFrame({"id": range(8), "product": list("aabbccdd"), "n": 1})
prices = pd.DataFrame({"product": list("abcdda"), "price": [1, 2, 3, 4, 4, 1]})"""
RULE: Final = Rule(
    id="join-multiplied",
    looks=_looks,
    says=_says,
    tells="A join made more rows than there were, because keys occur more than once.",
    remedy='Drop duplicate keys first, or say validate="many_to_one".',
    bad=Case(_BEFORE, 'orders = orders.merge(prices, on="product")'),
    good=Case(_BEFORE, 'pairs = orders.merge(orders, on="product", suffixes=("_1", "_2"))'),
)
