"""Values that the notebook has made are not suggested again."""

from __future__ import annotations

import pytest

from spark_jupyter.completions.completion import Completion
from spark_jupyter.completions.screening import NoJudge
from spark_jupyter.completions.situation import Situation
from spark_jupyter.protocol.values import NotebookCell

ABOVE = """\
import pandas as pd
rides = pd.read_csv("rides.csv")
rides = rides.dropna()
by_city = rides.groupby("city")["fare"].sum()
total = 0
fig, ax = plt.subplots()
model = LinearRegression()
by_city.plot()
plt.show()"""


def shown(before: str, *pieces: str, ended: bool = True, cell_type: str = "code") -> tuple[str, bool]:
    cell = NotebookCell(id="above", source=ABOVE, execution_count=1)
    one = Completion(Situation(before=before, above=(cell,), cell_type=cell_type), NoJudge())
    for piece in pieces:
        one.receive_text(piece)
    if ended:
        one.receive_end()
    return one.shown, one.silenced


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("", 'rides = pd.read_csv("rides.csv")'),
        ("rid", 'es = pd.read_csv("rides.csv")\nrides.head()'),
        ("x = 1\nby_", 'city = rides.groupby("city")["fare"].sum()'),
        ("by_city = ", 'rides.groupby("city")["fare"].sum()'),
    ],
)
def test_what_a_line_above_has_made_is_not_suggested_again(before, text):
    assert shown(before, text) == ("", True)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("", "rides = rides.dropna()"),
        ("", "total = 0"),
        ("", "fig, ax = plt.subplots()"),
        ("", "model = LinearRegression()"),
        ("by_", "city.plot()"),
        ("pl", "t.show()"),
        ("by_", 'city = rides.groupby("city")["fare"].mean()'),
        ("by_", 'hour = rides.groupby("hour")["fare"].sum()'),
    ],
)
def test_what_is_made_anew_or_of_itself_or_otherwise_is_suggested(before, text):
    assert shown(before, text) == (text, False)


def test_a_line_that_may_yet_become_one_is_waited_for_and_shown_where_it_does_not():
    pieces = ("city = rides.", 'groupby("', 'city")["fare"].', "mean()")
    assert shown("by_", *pieces[:3], ended=False) == ("", False)
    assert shown("by_", *pieces) == ("".join(pieces), False)


def test_in_text_a_line_is_no_code():
    text = 'by_city = rides.groupby("city")["fare"].sum()'
    assert shown("", text, cell_type="markdown") == (text, False)
