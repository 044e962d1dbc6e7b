"""Sentences about two tables whose keys have different names, and about values that are to be mended."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tests.server.engines.test_shapes import space, understood

GUESTS = pd.DataFrame({"ID": ["g1", "g2", "g3"], "Name": ["Ann", "Bo", "Cy"], "Country": ["UK", "U.K.", "FR"]})
STAYS = pd.DataFrame(
    {
        "Stay": [1, 2, 3, 3],
        "Guest": ["g1", "g1", "g2", "g2"],
        "Nights": [2, 3, 4, 4],
        "Paid": ["€1.200", "€80", "€90", "€90"],
        "Arrived": ["03/01/2024", "15/02/2024", "04/02/2024", "04/02/2024"],
        "Room": ["Sea ", "sea", "Hill", "Hill"],
        "Score": [5, 99, 4, 4],
    }
)
STAFF = pd.DataFrame(
    {
        "Emp ID": [1, 2, 3],
        "Full Name": ["Ana", "Ben", "Cal"],
        "Manager ID": [None, 1, 1],
        "Dept": ["I.T.", "it", "Sales"],
    }
)
DAYS_OFF = pd.DataFrame({"emp": [2, 2], "kind": ["sick", "holiday"], "days": [3, 5]})


def after(prompt: str) -> Any:
    """What the last line shows, of copies."""
    return space(prompt, guests=GUESTS.copy(), stays=STAYS.copy())["_"]


def of_staff(prompt: str) -> Any:
    return space(prompt, staff=STAFF.copy(), days_off=DAYS_OFF.copy())["_"]


@pytest.mark.parametrize(
    "prompt",
    [
        "which guests have never been here",
        "guests without stays",
        "guests that are not in stays",
        "guests who have no stays",
    ],
)
def test_what_the_other_table_has_not_is_found_though_the_keys_have_different_names(prompt: str) -> None:
    assert after(prompt)["Name"].tolist() == ["Cy"]


def test_who_is_meant_is_told_by_the_other_table() -> None:
    assert of_staff("who has not taken any days_off")["Full Name"].tolist() == ["Ana", "Cal"]


def test_a_column_of_the_other_table_is_brought_by_its_key() -> None:
    made = after("add the country of each guest to stays")
    assert made["Country"].tolist() == ["UK", "UK", "U.K.", "U.K."]


def test_totals_are_shown_with_the_names_of_the_other_table() -> None:
    made = of_staff("total days per person with the names from staff")
    assert made[["Full Name", "days"]].to_numpy().tolist() == [["Ben", 8]]
    made = after("how many stays per guest, with their names")
    assert dict(zip(made["Name"], made["number"], strict=True)) == {"Ann": 2, "Bo": 2}


def test_what_is_summed_up_is_grouped_by_what_the_other_table_tells() -> None:
    assert after("total nights per country").to_dict() == {"U.K.": 8, "UK": 5}


def test_tables_are_joined_by_columns_of_different_names() -> None:
    assert after("join stays with guests on guest = id")["Name"].tolist() == ["Ann", "Ann", "Bo", "Bo"]


@pytest.mark.parametrize(
    "prompt", ["add the manager's name to each row (Manager ID points to Emp ID)", "name of each employee's manager"]
)
def test_rows_that_point_to_other_rows_get_their_name(prompt: str) -> None:
    assert of_staff(prompt)["manager_name"].fillna("").tolist() == ["", "Ana", "Ana"]


def test_no_key_is_guessed() -> None:
    assert (
        understood("add the kind of each name to staff", staff=STAFF, days_off=DAYS_OFF.rename(columns={"emp": "who"}))
        is None
    )
    assert understood("guests who never complained", guests=GUESTS, stays=STAYS) is None


def test_a_value_that_stands_for_nothing_becomes_a_gap() -> None:
    assert after("99 means missing in score")["Score"].isna().tolist() == [False, True, False, False]
    assert after("replace 99 in score with missing")["Score"].isna().sum() == 1


def test_values_are_written_as_is_said_and_the_others_stay() -> None:
    assert of_staff("in Dept I.T. is IT")["IT"] == 2
    assert after("UK and U.K. are the same country, make them UK").to_dict() == {"UK": 2, "FR": 1}
    assert after("clean up the room column so sea and Sea are the same").to_dict() == {"Sea": 2, "Hill": 2}


@pytest.mark.parametrize(
    "prompt", ["turn Arrived into a real date, it's day/month/year", "convert arrived to datetime, format dd/mm/yyyy"]
)
def test_the_order_of_day_and_month_is_as_said(prompt: str) -> None:
    assert after(prompt)["Arrived"].dt.month.tolist() == [1, 2, 2, 2]


def test_dots_for_thousands_are_no_decimal_points() -> None:
    made = after("make paid a number, it has euro signs and a dot for thousands")
    assert made["Paid"].tolist() == [1200, 80, 90, 90]


def test_duplicates_go_by_the_key_that_is_said() -> None:
    assert len(after("drop duplicate stays by Stay, keep the first")) == 3
    assert len(after("show me the rows of stays that are duplicated")) == 2


def test_columns_are_put_where_they_are_to_be() -> None:
    assert after("reorder the columns so Room comes first").columns[0] == "Room"
    assert after("move Guest to the end").columns[-1] == "Guest"
