"""A follow-up or a steer changes the plan of the prompt before."""

from __future__ import annotations

import pytest

from spark_jupyter.server.engines import tables
from tests.server.engines.tables.test_questions import expected, known, run, same
from tests.server.engines.tables.worlds import WORLDS

CASES = [
    (
        "average quantity per shop",
        "only for bread",
        "sales[sales['product'] == 'bread'].groupby('shop').quantity.mean()",
    ),
    ("average quantity per shop", "by product instead", "sales.groupby('product').quantity.mean()"),
    ("average quantity per shop", "same for unit price", "sales.groupby('shop').unit_price.mean()"),
    ("average quantity per shop", "and round to 1 decimal", "sales.groupby('shop').quantity.mean().round(1)"),
    ("average quantity", "per product", "sales.groupby('product').quantity.mean()"),
    ("how many sales per product", "in percent", "sales['product'].value_counts(normalize=True) * 100"),
    ("total quantity per product", "top 2", "sales.groupby('product').quantity.sum().nlargest(2)"),
    ("sales sorted by quantity", "descending", "sales.sort_values('quantity', ascending=False)"),
    ("sales from Nord", "only the paid ones", "sales[(sales['shop'] == 'Nord') & sales.paid]"),
    ("average quantity per shop", "only paid sales please", "sales[sales.paid].groupby('shop').quantity.mean()"),
    ("sales from Nord", "how many are there?", "(sales['shop'] == 'Nord').sum()"),
    ("sales from Nord", "in january", "sales[(sales['shop'] == 'Nord') & (sales.sold_at.dt.month == 1)]"),
]


@pytest.mark.parametrize(("before", "text", "value"), CASES)
def test_the_plan_is_changed(before, text, value):
    space = WORLDS["bakery"]()
    answer = tables.amend(before, text, known(space, f"{before} {text}"))
    assert answer is not None
    (cell,) = answer.cells
    assert same(run(cell.source, space), expected({"world": "bakery", "value": value})), cell.source


@pytest.mark.parametrize(
    ("text", "method"),
    [("as a bar chart", ".plot.bar("), ("horizontal bars in red", ".plot.barh("), ("as a pie chart", ".plot.pie(")],
)
def test_the_result_is_drawn(text, method):
    answer = tables.amend("average quantity per shop", text, known(WORLDS["bakery"](), text))
    assert answer is not None
    assert method in answer.cells[0].source


def test_several_follow_ups_in_turn():
    space = WORLDS["bakery"]()
    answer = tables.amend(
        ["average quantity per shop", "only for bread", "as a bar chart"], "in green", known(space, "bread")
    )
    assert answer is not None
    assert 'color="green"' in answer.cells[0].source
    assert '== "bread"' in answer.cells[0].source


def test_what_does_not_fit_is_no_amendment():
    assert tables.amend("average quantity per shop", "with 20 bins", known(WORLDS["bakery"](), "")) is None
    assert tables.amend("tell me a joke", "as a bar chart", known(WORLDS["bakery"](), "")) is None
