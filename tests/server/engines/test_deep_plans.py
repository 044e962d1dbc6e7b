"""The embedded server's deep gear: what it makes a plan of, and how slow it is."""

from __future__ import annotations

import pytest

from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import deep_plans, namespace
from spark_jupyter.server.engines.base import Pause
from spark_jupyter.server.engines.recipes import DEEP_MODEL, MODEL, RecipeEngine


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("sort sales by price", ["sort sales by price"]),
        ("drop empty rows, then sort sales and then plot price", ["drop empty rows", "sort sales", "plot price"]),
        ("First drop empty rows; finally, plot price.", ["drop empty rows", "plot price"]),
        ("A report:\n1. drop empty rows\n2. plot price\n", ["drop empty rows", "plot price"]),
        ("1. drop empty rows 2. plot price 3. count them", ["drop empty rows", "plot price", "count them"]),
        ("keep rows where x is 1. Plot price.", ["keep rows where x is 1", "Plot price"]),
        ("a report on sales: revenue by month, top 5, and a chart", ["revenue by month", "top 5", "a chart"]),
        ("Load a.csv. Plot price.", ["Load a.csv", "Plot price"]),
        ("compare cats and dogs", ["compare cats and dogs"]),
    ],
)
def test_a_task_is_taken_apart_where_a_person_has_put_it_together(task, parts):
    assert deep_plans.parts(task) == parts


def test_what_only_shows_something_may_be_written_beside_its_neighbours():
    text = deep_plans.plan("drop empty rows; plot price; count the rows; add a column total")
    assert text == "1. drop empty rows\n2. [alone] plot price\n3. [alone] count the rows\n4. add a column total\n"


def test_both_gears_answer_the_same_and_one_of_them_takes_its_time():
    asked = (Message("user", "## Request\nplot price; count the rows\n\n## Intent\nplan"),)
    engine = RecipeEngine(own_books=False)
    fast = list(engine.answer(asked, instructions="", model=MODEL))
    slow = list(engine.answer(asked, instructions="", model=DEEP_MODEL))
    assert not any(isinstance(piece, Pause) for piece in fast)
    assert isinstance(slow[0], Pause)
    assert [piece for piece in slow if not isinstance(piece, Pause)] == fast


def test_a_column_that_an_earlier_cell_gives_a_table_is_known():
    lines = "sales: DataFrame (8 × 2): price float64, quantity int64"
    known = namespace.read(lines, ["sales['revenue'] = sales['price'] * sales['quantity']", "sales['note'] = 'x'"])
    columns = known.get("sales").columns
    assert [(column.name, column.dtype) for column in columns[2:]] == [("revenue", "float64"), ("note", "")]
