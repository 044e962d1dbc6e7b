"""Rule join-lost: a join lost rows or found hardly a partner.

Typical causes: another spelling, spaces, the wrong column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.rules._joins import Join, joins_of, plain
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, listed, percent, saw, shown

_LOST: Final = 0.2
"""Of an inner join that the code asks for. Who does not say which join it is does not mean to lose a single row."""
_ALONE: Final = 0.5
_FEWEST_ROWS: Final = 5


def _looks(change: Change) -> Iterator[Sighting]:
    for join in joins_of(change):
        if join.how in ("left", "inner") and join.left.rows >= _FEWEST_ROWS and join.right.rows:
            yield from _lost(join)


def _lost(join: Join) -> Iterator[Sighting]:
    left, right = join.values(), set(join.values(right=True))
    most = _LOST if join.chosen else 0.0
    if left and right:
        alone = [key for key in left if key not in right]
        share = len(alone) / len(left)
        if share > (most if join.how == "inner" else _ALONE):
            keys = (", ".join(map(plain, key)) for key in list(dict.fromkeys(alone))[:3])
            yield saw("join-lost", join.right_name, *keys, numbers=(share, join.how == "inner"))
    elif join.how == "inner" and 0 <= join.rows < (1 - most) * join.left.rows:
        yield saw("join-lost", join.right_name, numbers=(1 - join.rows / join.left.rows, True))


def _says(seen: Sighting) -> str:
    share, inner = seen.numbers
    keys = f": {listed(seen.names[1:])}" if seen.names[1:] else ""
    if inner:
        return f"The join lost {percent(share)} of rows, which have no partner in {shown(seen.names[0])}{keys}."
    return f"{percent(share)} of rows found no partner in {shown(seen.names[0])}{keys}."


_BEFORE: Final = """import pandas as pd
orders = pd.DataFrame({"id": range(8), "product": list("aabbccdd"), "n": 1})
some = pd.DataFrame({"product": ["a", "b"], "price": [1, 2]})
prices = pd.DataFrame({"product": list("abcd"), "price": [1, 2, 3, 4]})"""
RULE: Final = Rule(
    id="join-lost",
    looks=_looks,
    says=_says,
    tells="A join lost rows, or found hardly a partner for them.",
    remedy="Compare the keys of both tables: spelling, spaces, capitals, types.",
    bad=Case(_BEFORE, 'orders = orders.merge(some, on="product")'),
    good=Case(_BEFORE, 'full = orders.join(prices.set_index("product"), on="product", how="inner")'),
)
