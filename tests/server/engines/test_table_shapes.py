"""Sentences about groups, labels and new columns of a table: what says the same in other words is done, what is only near is not."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import namespace, sentences
from tests.server.engines.test_shapes import space, understood

QUOTES = pd.DataFrame(
    {
        "stock": ["A", "A", "A", "B", "B", "B"],
        "day": pd.to_datetime(["2024-01-03", "2024-01-01", "2024-01-02", "2024-01-01", "2024-01-02", "2024-01-03"]),
        "close": [12.0, 10.0, 11.0, 50.0, 40.0, 60.0],
        "volume": [5, 9, 7, 1, 3, 2],
    }
)
GAMES = pd.DataFrame(
    {
        "home": ["x", "y", "x", "z"],
        "away": ["y", "z", "z", "x"],
        "home_goals": [2, 1, 0, 3],
        "away_goals": [1, 1, 2, 0],
        "crowd": [100, 250, None, 400],
    }
)
PEOPLE = pd.DataFrame(
    {
        "person": ["Ann Lee", "Bo Ray", "Cy Fox", "Di Orr"],
        "team": ["red", "red", "blue", "blue"],
        "pay": [10.0, 30.0, 20.0, 60.0],
        "born": pd.to_datetime(["2000-06-01", "1990-01-15", "1985-12-31", "2001-03-03"]),
        "email": ["a@m.com", "b@w.org", "c@m.com", None],
        "code": ["x-1", "y-22", "z-3", "x-4"],
        "jan": [1, 2, 3, 4],
        "feb": [3, 2, 1, 9],
    }
)


def after(prompt: str) -> Any:
    """What the last line shows, of copies."""
    return space(prompt, quotes=QUOTES.copy(), games=GAMES.copy(), people=PEOPLE.copy())["_"]


def by_rows(table: pd.DataFrame, column: str) -> list[Any]:
    return table.sort_index()[column].tolist()


@pytest.mark.parametrize(
    "prompt",
    [
        "on which day did each stock have its highest volume",
        "the day with the highest volume for each stock",
        "which day had the highest volume per stock",
        "for each stock the day with the largest volume",
    ],
)
def test_where_each_group_has_its_highest_is_shown_with_the_group(prompt: str) -> None:
    found = after(prompt).set_index("stock")["day"].astype(str)
    assert found["A"].startswith("2024-01-01")
    assert found["B"].startswith("2024-01-02")


def test_changes_go_from_day_to_day_within_each_group_whatever_the_order_of_the_rows() -> None:
    made = after("daily returns for each stock in a new column")
    assert made.set_index(["stock", "day"]).loc[("A", pd.Timestamp("2024-01-02")), "close_return"] == pytest.approx(0.1)
    assert made.groupby("stock")["close_return"].first().notna().all()
    made = after("close of the day before as a column, per stock")
    assert made.groupby("stock")["previous_close"].sum().to_dict() == {"A": 21.0, "B": 90.0}
    made = after("add a column with the previous close per stock")
    assert made.set_index(["stock", "day"]).loc[("B", pd.Timestamp("2024-01-03")), "previous_close"] == 40


def test_a_moving_average_is_of_one_group_or_of_each() -> None:
    assert after("2 day moving average of close for B").tolist()[1:] == [45.0, 50.0]
    made = after("2 day moving average of close per stock in a new column called smooth")
    assert made[made.stock == "A"].sort_values("day")["smooth"].tolist()[1:] == [10.5, 11.5]


def test_the_change_from_the_first_to_the_last_day_is_in_percent_where_that_is_said() -> None:
    found = after("total change of close in percent per stock")
    assert found["A"] == pytest.approx(20)
    assert after("first and last close for each stock").loc["B"].tolist() == [50.0, 60.0]


def test_ranks_shares_and_means_are_those_of_the_own_group() -> None:
    assert by_rows(after("rank people by pay within team"), "pay_rank") == [2.0, 1.0, 2.0, 1.0]
    assert by_rows(after("each person's share of their team's pay in percent"), "pay_share") == [25.0, 75.0, 25.0, 75.0]
    assert after("people with pay above the average of their team")["person"].tolist() == ["Bo Ray", "Di Orr"]


def test_a_part_of_the_rows_is_counted_in_each_group() -> None:
    assert after("what percentage of people have pay above 25 per team").to_dict() == {"blue": 50.0, "red": 50.0}


@pytest.mark.parametrize(
    "prompt",
    [
        "add a column winner: home if home_goals > away_goals, away if less, otherwise draw",
        "create a column winner that is home if home_goals > away_goals, away if home_goals < away_goals, else draw",
        "new column winner: if home_goals > away_goals then home, if less then away, else draw",
    ],
)
def test_labels_follow_their_conditions(prompt: str) -> None:
    assert after(prompt)["winner"].tolist() == ["home", "draw", "away", "home"]


def test_bands_have_the_names_that_are_given_and_gaps_none() -> None:
    made = after("crowd bands: below 200 low, up to 300 mid, else high")
    assert made["crowd_group"].fillna("?").tolist() == ["low", "mid", "?", "high"]


def test_a_home_side_wins_where_its_goals_are_more() -> None:
    assert after("what percentage of games did the home team win") == 50
    assert after("how many games ended in a draw") == 1


def test_ages_are_full_years_on_the_day_that_is_said() -> None:
    assert by_rows(after("age of each person in years on 2024-06-01"), "age") == [24, 34, 38, 23]


def test_parts_of_texts_become_columns() -> None:
    assert after("email domain as a new column")["domain"].tolist()[:2] == ["m.com", "w.org"]
    assert after("how many people per email domain")["m.com"] == 2
    assert after("part of code before the dash as column series")["series"].tolist() == ["x", "y", "z", "x"]


def test_what_goes_across_a_row_is_a_column() -> None:
    assert after("row mean of jan and feb in a new column avg")["avg"].tolist() == [2.0, 2.0, 2.0, 6.5]


@pytest.mark.parametrize(
    "prompt",
    [
        "on which day did each stock have its highest volume after noon",
        "rank people by pay within team using softmax",
        "add a column winner: home if the sun shines, otherwise draw",
        "crowd bands: below 200 low, whatever high",
        "daily returns for each stock in euros",
        "seasons: jun to aug summer, and the rest as you like",
    ],
)
def test_a_word_that_has_no_place_makes_a_no(prompt: str) -> None:
    assert understood(prompt, quotes=QUOTES, games=GAMES, people=PEOPLE) is None


@pytest.mark.parametrize(
    "prompt",
    [
        "pay on 2 January",
        "age of each person on 2 January",
        "how many days until 2 January",
        "what weekday was 2 January",
    ],
)
def test_a_day_without_a_year_is_no_error(prompt: str) -> None:
    known = describe(gather({"people": PEOPLE}, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    made = sentences.attempt(prompt, namespace.read(known))
    assert made is None or "--01" not in str(made.answer)
