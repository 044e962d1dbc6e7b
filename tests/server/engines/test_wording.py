"""What people say around a request, and columns that they speak of without their names."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import evidence, held, namespace, sentences, wording
from spark_jupyter.server.engines.wording import following, frames

BIKES = pd.DataFrame(
    {"bike": [1, 2, 3], "brand": ["Velo", "Roda", "Velo"], "price": [400, 900, 650], "rider": ["Ann", "Bo", "Cy"]}
)
RIDERS = pd.DataFrame(
    {
        "name": ["Ann Lee", "Bo Ray", "Cy Lee"],
        "birth_date": pd.to_datetime(["1990-02-01", "1961-07-30", "2004-12-12"]),
        "salary": [31000, 45000, 28000],
        "started": pd.to_datetime(["2020-01-01", "2012-06-01", "2023-03-01"]),
        "city": ["Hull", "York", "Hull"],
        "sex": ["F", "M", "F"],
    }
)
GAMES = pd.DataFrame(
    {"home": ["A", "B"], "attendance": [9000, 21000], "day": pd.to_datetime(["2024-01-01", "2024-01-08"])}
)
DEALS = pd.DataFrame(
    {
        "symbol": ["X", "Y", "X"],
        "side": ["buy", "sell", "sell"],
        "shares": [10, 20, 5],
        "price": [2.0, 3.0, 4.0],
        "trader": ["amy", "ben", "amy"],
    }
)
LOANS = pd.DataFrame(
    {
        "title": ["Emma", "1984", "Emma"],
        "author": ["Jane Austen", "George Orwell", "Jane Austen"],
        "lent": pd.to_datetime(["2024-01-01", "2024-01-05", "2024-01-09"]),
        "returned": pd.to_datetime(["2024-01-11", None, "2024-01-10"]),
    }
)


def known(prompt: str, **variables: object) -> namespace.Namespace:
    """What the kernel would tell of the variables."""
    return namespace.read(describe(gather(variables, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt))


def result(prompt: str, **variables: Any) -> Any:
    """What the answer's code gives."""
    made = sentences.attempt(prompt, known(prompt, **variables))
    assert made is not None
    assert not made.left
    *lines, last = made.answer.cells[0].source.split("\n")
    space = {name: value.copy() for name, value in variables.items()}
    exec("\n".join(lines), space)
    return eval(last, space)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("hey, can you please show me the rows of Ann, thanks", "the rows of Ann"),
        ("quick q: i want to know the nr of games", "the number of games"),
        ("number of games per month (dates are day/month/year)", "number of games per month"),
        ("avg price per brand, ignore missing", "avg price per brand"),
        ("total price per brand, a missing one counts as 0", "total price per brand"),
        ("price per brand, highest on top", "price per brand, highest first"),
        ("rows per brand, most borrowed on top", "rows per brand, most first"),
        ("titles with night in them, upper or lower case", "titles with night in them ignoring case"),
        ("best (lowest) time per team", "lowest time per team"),
    ],
)
def test_what_is_said_around_a_request_is_left_out(said: str, plain: str) -> None:
    assert " ".join(frames.plain(said, frozenset()).split()) == plain


def test_an_explanation_that_changes_something_stays() -> None:
    for said in ("rows where the note is missing", "drop rows, the missing ones", "save it as a.csv with commas"):
        assert frames.plain(said, frozenset()) == said


def test_a_short_form_that_is_the_name_of_a_column_stays() -> None:
    assert wording.plain("nr per col", known("nr per col", t=pd.DataFrame({"nr": [1], "col": ["a"]}))) == "nr per col"


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("who is the oldest rider", "Bo Ray"),
        ("whos the youngest", "Cy Lee"),
        ("who earns the most", "Bo Ray"),
        ("the best paid rider in Hull", "Ann Lee"),
        ("who has been here the longest", "Bo Ray"),
        ("who joined last", "Cy Lee"),
    ],
)
def test_people_are_found_by_what_they_are_the_most_of(prompt: str, name: str) -> None:
    assert list(result(prompt, bikes=BIKES, riders=RIDERS)["name"]) == [name]


def test_who_did_something_the_most_is_told_by_the_value_and_not_by_all_rows() -> None:
    assert list(result("who sold the most shares", deals=DEALS).index) == ["ben"]
    assert result("how many shares did we buy", deals=DEALS) == 10


def test_a_quantity_and_a_price_make_a_value() -> None:
    assert list(result("biggest deal by value", deals=DEALS)["shares"]) == [20]
    assert result("total value per symbol (value is shares times price)", deals=DEALS).to_dict() == {
        "X": 40.0,
        "Y": 60.0,
    }


def test_a_crowd_is_how_many_came() -> None:
    assert list(result("games with more than 20k people", games=GAMES)["home"]) == ["B"]
    assert result("when was the last game", games=GAMES) == pd.Timestamp("2024-01-08")


def test_what_has_not_come_back_has_no_date_of_it() -> None:
    assert list(result("loans that have not come back yet", loans=LOANS)["title"]) == ["1984"]
    assert list(result("whats the most borrowed book", loans=LOANS).index) == ["Emma"]


def test_a_part_of_a_value_finds_its_column() -> None:
    assert list(result("loans by Orwell", loans=LOANS)["title"]) == ["1984"]


def test_a_column_of_two_words_may_be_mistyped() -> None:
    staff = pd.DataFrame({"dept": ["a", "b", "a"], "Days Off": [1, 2, 5]})
    assert result("average days of per dept", staff=staff).to_dict() == {"a": 3.0, "b": 2.0}


def test_a_year_behind_a_verb_is_that_of_its_date() -> None:
    assert list(result("riders that started after 2019", riders=RIDERS)["name"]) == ["Ann Lee", "Cy Lee"]


def test_women_are_looked_for_in_the_table_that_tells_the_sex() -> None:
    assert list(result("women in riders", bikes=BIKES.rename(columns={"rider": "riders"}), riders=RIDERS)["name"]) == [
        "Ann Lee",
        "Cy Lee",
    ]


def test_what_could_be_two_columns_is_none() -> None:
    pay = pd.DataFrame({"name": ["a", "b"], "base_salary": [1, 2], "gross_salary": [2, 1]})
    assert wording.plain("who earns the most", known("who earns the most", pay=pay)) == "who earns the most"


@pytest.mark.parametrize(
    ("said", "further", "whole"),
    [
        ("total shares of the buys per symbol", "same for the sells", "total shares of the sells per symbol"),
        ("deals of amy", "and how many are that", "number of deals of amy"),
        ("add a column worth = shares * price", "call it amount instead", "add a column amount = shares * price"),
        ("total shares per symbol", "top 3 only", "total shares per symbol, only the top 3"),
        ("average price per symbol", "same per trader", "average price per trader"),
    ],
)
def test_a_follow_up_makes_one_request_with_what_was_said_before(said: str, further: str, whole: str) -> None:
    table = known(f"{said} {further}", deals=DEALS).of_kind("DataFrame")[0]
    assert following.together(said, further, table.columns)[0] == whole


def test_the_other_side_is_told_by_columns_that_are_named_alike() -> None:
    games = known("home", games=pd.DataFrame({"home_goals": [1], "away_goals": [2]})).of_kind("DataFrame")[0]
    assert following.together("total home goals", "same for the away side", games.columns) == ["total away goals"]


def test_values_that_cells_compare_a_column_with_are_known_to_a_follow_up() -> None:
    cells = ['chosen = deals[deals["side"] == "buy"]', 'deals[deals["symbol"].isin(["X", "Y"])]', "not python ("]
    assert held.compared(cells) == {("deals", "side"): ("buy",), ("deals", "symbol"): ("X", "Y")}
    told = describe(
        gather({"deals": DEALS}, prompt="same for the sells", time_cap=60.0),
        budget_tokens=4000,
        prompt="same for the sells",
    )
    side = namespace.read(told, cells).of_kind("DataFrame")[0].column("side")
    assert side is not None
    assert set(side.values) == {"buy", "sell"}


FILMS = pd.DataFrame(
    {
        "title": ["Arrow", "Bloom", "Cinder"],
        "director": ["Park", "Said", "Reyes"],
        "genre": ["drama", "comedy", "drama"],
        "released": [1998, 2011, 2015],
        "cost_musd": [20, 12, 45],
        "gross_musd": [55, 30, 40],
        "imdb": [7.4, 6.1, 7.9],
        "oscars": [1, 0, 2],
    }
)


@pytest.mark.parametrize(
    ("prompt", "titles"),
    [
        ("best rated drama", ["Cinder"]),
        ("films from 2010 on, oldest first", ["Bloom", "Cinder"]),
        ("which films won no oscar", ["Bloom"]),
        ("profit of every film (gross minus cost), biggest on top", ["Arrow", "Bloom", "Cinder"]),
        ("who got the highest imdb", ["Cinder"]),
    ],
)
def test_films_are_found_in_everyday_words(prompt: str, titles: list[str]) -> None:
    assert list(result(prompt, films=FILMS)["title"]) == titles


def test_who_did_it_is_the_column_that_is_named_after_the_verb() -> None:
    assert list(result("who directed Bloom", films=FILMS)["director"]) == ["Said"]


def test_what_somebody_won_is_added_up() -> None:
    assert result("how many oscars did dramas win", films=FILMS) == 3


def test_the_largest_room_is_not_the_one_with_the_largest_number() -> None:
    rooms = pd.DataFrame({"room_no": [1, 2, 3], "floor": [1, 1, 2], "size_sqm": [30, 20, 10]})
    assert list(result("biggest room on each floor", rooms=rooms)["room_no"]) == [1, 3]
    bare = rooms.drop(columns="size_sqm")
    assert sentences.attempt("biggest room on each floor", known("biggest room on each floor", rooms=bare)) is None


def test_a_rate_in_groups_is_not_counted_per_number() -> None:
    homes = pd.DataFrame({"home": ["a", "b"], "residents": [2, 4]})
    use = pd.DataFrame({"home": ["a", "a", "b"], "kwh": [1.0, 2.0, 4.0]})
    prompt = "usage per resident for each home"
    assert sentences.attempt(prompt, known(prompt, use=use.rename(columns={"kwh": "usage_kwh"}), homes=homes)) is None


def test_one_line_for_each_is_not_left_out() -> None:
    assert evidence.missing("a line chart, one line per home", 'd.groupby("day").mean().plot.line()') == [
        "one line per"
    ]


@pytest.mark.parametrize(
    ("said", "further", "whole"),
    [
        ("deals that are paid", "now the unpaid ones", "deals that are not paid"),
        ("top 3 deals by price", "make that 5", "top 5 deals by price"),
        ("average price per day", "plot it as a line", "line chart of average price per day"),
    ],
)
def test_a_follow_up_turns_what_was_said(said: str, further: str, whole: str) -> None:
    assert following.together(said, further, ())[0] == whole


def test_nothing_is_answered_by_the_hour_of_a_birthday_or_by_the_order_of_texts() -> None:
    people = pd.DataFrame({"member": ["a", "b"], "dob": pd.to_datetime(["1990-01-01", "1980-01-01"])})
    stalls = pd.DataFrame({"seller": ["a", "b"], "takings": ["£980", "£1,250"]})
    for prompt, table in (
        ("members before 8 am", {"people": people}),
        ("rank the sellers by takings", {"stalls": stalls}),
    ):
        made = sentences.attempt(prompt, known(prompt, **table))
        code = made.answer.cells[0].source if made is not None else ""
        assert "hour" not in code
        assert "rank(" not in code or "to_numeric" in code


def test_who_has_not_left_is_told_by_the_date_that_is_missing() -> None:
    people = pd.DataFrame(
        {"member": ["a", "b"], "monthly_fee": [9, 8], "quit_on": pd.to_datetime(["2024-01-01", None])}
    )
    assert list(result("members that havent quit", people=people)["member"]) == ["b"]
    assert list(result("who pays the most", people=people)["member"]) == ["a"]
