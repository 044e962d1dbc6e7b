"""Which requests go on from the last answer."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.messages import Reject
from spark_jupyter.session.amending import goes_on, last_proposal


@pytest.mark.parametrize(
    "text",
    [
        "no, strip the $ first",
        "same for qty",
        "and sort it",
        "But without the index",
        "make it a bar chart",
        "instead use polars",
        "use polars instead",
        "sort them by date",
        "with a log scale",
        "not so many bins",
        "try again with 50 bins",
        "the legend too",
    ],
)
def test_a_request_that_goes_on_is_known(text):
    assert goes_on(text)


@pytest.mark.parametrize(
    "text",
    [
        "plot revenue by region",
        "load sales.csv and show the first rows",
        "now plot revenue by region",
        "write a function that sorts a list",
        "notebook title as Markdown",
        "normalise the column price",
        "android share by country",
        "samesite cookies in flask",
        "drop the rows without a price",
        "use pandas to read data.csv",
        "group by region",
        "what is in df?",
    ],
)
def test_a_request_for_something_new_does_not_go_on(text):
    assert not goes_on(text)


def test_the_last_cell_is_gone_on_from_also_behind_an_answer_in_words_alone(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    play.prompt(turn_id="t2")
    play.answer("No: I can't.")
    last = last_proposal(play.session)
    assert last is not None
    assert last.cell_id == "t1-1"
    play.prompt(turn_id="t3")
    play.answer("```python\ny = 1\n```\n")
    play.say(Reject(cell_id="t3-1"))
    assert last_proposal(play.session) is None
