"""What people look at first in a table that they don't know."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.server.engines.test_pictures import code, result

LEADS = pd.DataFrame(
    {
        "source": ["ad", "ad", "web", "ad", "web", "mail"],
        "room_temp": [20.0, 21.0, 20.5, 20.0, 21.0, 90.0],
        "deal_value": [5.0, None, 7.0, None, 2.0, 1.0],
    }
)
COUNTS = {"ad": 3, "web": 2, "mail": 1}


@pytest.mark.parametrize(
    "prompt",
    [
        "how often does each source appear",
        "unique sources and their counts",
        "how many different sources are there in leads and how often does each occur",
    ],
)
def test_how_often_each_value_is_there(prompt: str) -> None:
    found = result(prompt, leads=LEADS)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == COUNTS


@pytest.mark.parametrize(
    "prompt", ["is source balanced?", "class distribution of source", "are the classes in source balanced"]
)
def test_whether_classes_are_balanced_says_how_many_rows_each_has(prompt: str) -> None:
    found = result(prompt, leads=LEADS)
    assert isinstance(found, pd.DataFrame)
    assert found["rows"].to_dict() == COUNTS
    assert found.loc["ad", "percent"] == 50


@pytest.mark.parametrize(
    "prompt", ["which measurements are outliers in room_temp?", "find the outliers of room temperature"]
)
def test_outliers_are_rows_that_are_called_by_any_noun(prompt: str) -> None:
    found = result(prompt, leads=LEADS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["room_temp"]) == [90]


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("how many outliers does room_temp have", 1),
        ("how many missing values are in deal_value", 2),
        ("skewness of deal_value", LEADS["deal_value"].skew()),
        ("interquartile range of deal_value", 3.75),
        ("how much memory does leads use", LEADS.memory_usage(deep=True).sum()),
        ("what columns does leads have", list(LEADS.columns)),
        ("what is the dtype of deal_value", "float64"),
    ],
)
def test_what_is_asked_of_a_table_in_one_value(prompt: str, value: object) -> None:
    assert result(prompt, leads=LEADS) == value


def test_rows_without_a_value_are_shown_where_it_is_asked_why_it_is_missing() -> None:
    found = result("why is deal_value NaN for some leads?", leads=LEADS)
    assert isinstance(found, pd.DataFrame)
    assert list(found.index) == [1, 3]


def test_a_word_for_a_property_is_none_for_the_rows() -> None:
    assert not code("chubbiness of deal_value", leads=LEADS)


def test_a_length_in_metres_is_no_time_that_something_took() -> None:
    swings = pd.DataFrame({"length_m": [0.2, 0.4], "observer": ["Lena", "Tom"]})
    assert not code("how long did the measurements take in total", swings=swings)


COOLING = pd.DataFrame({"minute": [0, 2, 4], "temp_c": [80.0, 60.0, 39.0], "cup": ["a", "b", "a"]})


def test_the_most_and_when_is_the_whole_row() -> None:
    found = result("what was the highest temperature and when", cooling=COOLING)
    assert isinstance(found, pd.DataFrame)
    assert list(found["minute"]) == [0]


def test_the_first_time_below_a_limit_is_told() -> None:
    assert result("at which minute does the temperature fall below 40", cooling=COOLING) == 4


def test_a_rate_of_counts_is_no_mean_of_them() -> None:
    visits = pd.DataFrame({"source": ["a", "b"], "refunds": [3, 4]})
    assert "mean" not in code("refund rate per source", visits=visits)
