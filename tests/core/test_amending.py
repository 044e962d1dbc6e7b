"""Which requests go on from the last answer."""

from __future__ import annotations

import pytest

from spark_jupyter.core.amending import goes_on


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
