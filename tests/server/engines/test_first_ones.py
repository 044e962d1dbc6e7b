"""Sentences whose last words are easily passed over: in which order, one of which table, per how many of something."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import evidence, namespace, phrases

FLATS = pd.DataFrame({"city": ["Rome", "Bern", "Bern"], "price": [300.0, 200.0, 100.0], "rooms": [1, 3, 3]})
GIFTS = pd.DataFrame({"donor": ["Ann", "Bo"], "amount": [50.0, 9.0]})


@pytest.mark.parametrize(
    ("prompt", "ending"),
    [
        ("flats in Bern, cheapest first", '.sort_values("price", ascending=True)'),
        ("flats with at least 1 room, most expensive first", '.sort_values("price", ascending=False)'),
        ("is there a gift above 10", 'gifts[gifts["amount"] > 10]\nchosen'),
        ("sort flats by city and then price", '.sort_values(["city", "price"], ascending=[True, True])'),
        ("how many flats per number of rooms?", 'flats.groupby("rooms").size()'),
    ],
)
def test_every_word_of_it_counts(prompt: str, ending: str) -> None:
    told = describe(
        gather({"flats": FLATS, "gifts": GIFTS}, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt
    )
    said = phrases.understood(prompt, namespace.read(told))
    assert said is not None
    assert said.code.endswith(ending)


def test_an_order_that_is_asked_for_is_in_the_code() -> None:
    assert evidence.missing("flats in Bern, cheapest first", 'flats[flats["city"] == "Bern"]') == ["cheapest first"]
