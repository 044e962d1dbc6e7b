"""Columns that are said with more words than their names, or with others."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.server.engines.answered import listed, result, sources

TRIPS = pd.DataFrame(
    {
        "trip_id": [1, 2, 3, 4],
        "start_time": pd.to_datetime(["2024-06-03", "2024-06-04", "2024-06-08", "2024-06-10"]),
        "start_stop": ["Mill", "Mill", "Dock", "Mill"],
        "end_stop": ["Dock", "Mill", "Dock", "Dock"],
        "duration_min": [10.0, 20.0, 30.0, 40.0],
        "rider": ["member", "casual", "member", "member"],
    }
)
TRIALS = pd.DataFrame(
    {
        "subject": ["a", "a", "b", "b"],
        "shown": ["word", "sign", "word", "sign"],
        "rt_ms": [500, 600, 700, 900],
        "correct": [1, 0, 1, 1],
    }
)
PUPILS = pd.DataFrame(
    {
        "pupil": ["Al", "Bo", "Cy", "Di"],
        "gender": ["f", "m", "m", "m"],
        "house": ["Oak", "Elm", "Oak", "Oak"],
        "bus": ["yes", "no", "yes", "no"],
        "art": [70.0, None, 50.0, None],
    }
)


@pytest.mark.parametrize("prompt", ["average trip duration per rider", "mean duration of the trips by rider"])
def test_whose_a_column_is_needs_no_word(prompt: str) -> None:
    assert listed(prompt, trips=TRIPS) == {"casual": 20, "member": pytest.approx(80 / 3)}


def test_initials_stand_for_words() -> None:
    assert listed("average reaction time per subject", trials=TRIALS) == {"a": 550, "b": 800}


@pytest.mark.parametrize(
    ("prompt", "counts"),
    [
        ("how many trips started at each stop?", {"Dock": 1, "Mill": 3}),
        ("number of trips that end at each stop", {"Dock": 3, "Mill": 1}),
    ],
)
def test_what_is_done_at_a_place_says_which_of_two_columns_is_meant(prompt: str, counts: dict[str, int]) -> None:
    assert listed(prompt, trips=TRIPS) == counts


def test_two_columns_share_the_noun_that_is_said_once() -> None:
    found = result("remove trips where start and end stop are the same", trips=TRIPS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["trip_id"]) == [1, 4]


def test_accuracy_is_the_mean_of_what_was_correct() -> None:
    assert listed("accuracy of each subject in percent", trials=TRIALS) == {"a": 50, "b": 100}


def test_men_and_women_are_told_by_their_column() -> None:
    found = listed("how many boys and girls are in each house", pupils=PUPILS)
    assert sorted(found.values(), key=str) == [1, 1, 2]


def test_what_somebody_takes_is_a_column_of_yes_and_no() -> None:
    assert listed("how many pupils of each house take the bus", pupils=PUPILS) == {"Oak": 2}


def test_no_mark_is_a_mark_that_is_missing() -> None:
    found = result("pupils with no art mark", pupils=PUPILS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["pupil"]) == ["Bo", "Di"]


def test_days_of_the_week_come_in_their_order() -> None:
    assert list(listed("trips per weekday, Monday to Sunday", trips=TRIPS)) == ["Monday", "Tuesday", "Saturday"]


def test_monday_to_friday_are_five_days_and_not_both_at_once() -> None:
    found = result("trips from Monday to Friday", trips=TRIPS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["trip_id"]) == [1, 2, 4]


@pytest.mark.parametrize(
    "prompt",
    [
        "table with one row per subject and the mean rt for each shown as columns",
        "mean rt_ms per subject with shown as columns",
    ],
)
def test_what_is_to_stand_in_columns_does(prompt: str) -> None:
    found = result(prompt, trials=TRIALS)
    assert isinstance(found, pd.DataFrame)
    assert found.loc["b", "sign"] == 900


def test_a_new_column_is_not_called_new_column() -> None:
    found = result("i need a new column speed (60 / duration_min)", trips=TRIPS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["speed"]) == [6, 3, 2, 1.5]


@pytest.mark.parametrize("prompt", ["bikes with battery below 20", "bikes whose battery is below 20"])
def test_what_is_compared_is_no_value_beside_a_price(prompt: str) -> None:
    repairs = pd.DataFrame({"bike": ["a", "b"], "fault": ["battery", "chain"], "cost": [10.0, 30.0]})
    assert not any("cost" in one for one in sources(prompt, repairs=repairs))


STOPS = pd.DataFrame({"stop": ["Mill", "Dock"], "district": ["North", "South"]})


def test_a_key_may_be_said_with_what_it_is_the_key_of() -> None:
    found = result("add district of the start stop to trips", trips=TRIPS, stops=STOPS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["district"]) == ["North", "North", "South", "North"]
    assert listed("number of trips per district of the end stop", trips=TRIPS, stops=STOPS) == {"North": 1, "South": 3}


def test_which_of_two_keys_is_meant_is_not_guessed() -> None:
    assert not sources("add district to trips", trips=TRIPS, stops=STOPS)


@pytest.mark.parametrize("prompt", ["2 most common start stops", "top 2 start stops"])
def test_the_commonest_values_of_a_column_are_counted(prompt: str) -> None:
    assert listed(prompt, trips=TRIPS, stops=STOPS) == {"Mill": 3, "Dock": 1}


def test_rows_are_drawn_of_the_table_that_is_called_so() -> None:
    found = result("pick 2 pupils at random", trips=TRIPS, pupils=PUPILS)
    assert isinstance(found, pd.DataFrame)
    assert len(found) == 2
    assert "house" in found


def test_one_column_may_equal_another() -> None:
    found = result("trips where the start stop is the same as the end stop", trips=TRIPS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["trip_id"]) == [2, 3]


def test_stripped_texts_keep_the_spaces_inside() -> None:
    bills = pd.DataFrame({"note": [" weekly shop ", "gym"], "paid": [10, 20]})
    found = result("strip the whitespace in note", bills=bills)
    assert isinstance(found, pd.DataFrame)
    assert list(found["note"]) == ["weekly shop", "gym"]


def test_months_by_their_names_keep_the_order_of_the_rows() -> None:
    costs = pd.DataFrame({"month": ["Jan", "Feb", "Mar"], "ads": [3, 1, 2]})
    assert list(listed("total ads per month", costs=costs)) == ["Jan", "Feb", "Mar"]


def test_who_is_older_is_told_by_the_age() -> None:
    falls = pd.DataFrame({"ward": ["a", "a", "b"], "age": [84, 58, 91], "patient_days": [90, 95, 70]})
    found = result("falls of patients older than 80", falls=falls)
    assert isinstance(found, pd.DataFrame)
    assert list(found["age"]) == [84, 91]
