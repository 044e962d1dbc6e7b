"""Texts sign by sign, all names of columns at once, which columns stay, what lies between two dates, who is missing elsewhere."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tests.server.engines.test_shapes import space, understood
from tests.server.engines.test_values_and_flags import of

TEAM = pd.DataFrame(
    {
        "First Name": ["Ann", "Bo", "Cy"],
        "Last Name": ["Lee", "Orr", "Ray"],
        "Phone": ["(020) 12-34", "020 56", None],
        "skills": ["python; sql", "sql", ""],
        "sex": ["F", "female", "m"],
        "q1": [1.0, None, 3.0],
        "q2": [2.0, None, 5.0],
        "q3": [3.0, 4.0, None],
        "Height cm": [170, 180, 160],
        "Weight": [60.0, 81.0, 50.0],
        "Notes!": [None, None, "hm"],
    }
)
STAYS = pd.DataFrame(
    {
        "stay_id": [1, 2, 3],
        "guest_id": ["g1", "g1", "g3"],
        "room": ["A", "B", "A"],
        "check_in": ["2024-01-01", "2024-02-01", "2024-03-01"],
        "check_out": ["2024-01-04", "2024-02-02", "2024-03-11"],
    }
)
GUESTS = pd.DataFrame({"guest_id": ["g1", "g2"], "guest": ["Ida", "Jon"]})
ROOMS = pd.DataFrame({"room": ["A", "B"], "beds": [1, 2]})


def team(prompt: str) -> Any:
    return of(prompt, team=TEAM)


def hotel(prompt: str) -> Any:
    return space(prompt, stays=STAYS.copy(), guests=GUESTS.copy(), rooms=ROOMS.copy())["_"]


@pytest.mark.parametrize(
    "prompt",
    [
        "keep only the digits in Phone",
        "remove everything except digits from Phone",
        "clean the phone numbers so only the digits are left",
        "remove all non-numeric characters from Phone",
    ],
)
def test_only_digits_stay(prompt: str) -> None:
    assert team(prompt)["Phone"].tolist()[:2] == ["0201234", "02056"]


@pytest.mark.parametrize(
    ("prompt", "phone"),
    [
        ("remove the dashes from Phone", "(020) 1234"),
        ("remove brackets and spaces from Phone", "02012-34"),
        ("replace spaces in Phone with nothing", "(020)12-34"),
        ("replace spaces in Phone with underscores", "(020)_12-34"),
        ("remove punctuation from Phone", "020 1234"),
        ("strip dashes from Phone", "(020) 1234"),
        ("strip the spaces in Phone", "(020) 12-34"),
    ],
)
def test_signs_are_taken_out_of_texts(prompt: str, phone: str) -> None:
    assert team(prompt)["Phone"].tolist()[0] == phone


@pytest.mark.parametrize(
    ("prompt", "name", "made"),
    [
        ("combine first and last name into full name", "full_name", "Ann Lee"),
        ("add a column full name from first and last name", "full_name", "Ann Lee"),
        ("create a label column from First Name and Last Name separated by a comma", "label", "Ann, Lee"),
        ("add a column with the length of the Phone", "Phone_length", 11),
        ("extract the first skill into a new column main", "main", "python"),
        ("add bmi", "bmi", pytest.approx(20.76, abs=0.01)),
        ("mean of q1 to q3 per person as a new column", "mean", 2),
        ("add a total score of q1, q2 and q3", "sum", 6),
        ("grade = 25% q1 + 75% q3", "grade", 2.5),
    ],
)
def test_a_column_is_made_of_others(prompt: str, name: str, made: object) -> None:
    assert team(prompt)[name].tolist()[0] == made


def test_a_text_is_split_into_as_many_columns_as_it_has_parts() -> None:
    found = team("split skills at the semicolon")
    assert found["skills_1"].tolist()[0].strip() == "sql"


def test_a_column_comes_right_behind_another() -> None:
    assert list(team("reorder columns so that sex comes after First Name"))[:2] == ["First Name", "sex"]


def test_weights_that_are_no_whole_are_not_weighed() -> None:
    assert understood("grade = 25% q1 + 80% q3", team=TEAM) is None


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("rename all columns to lower case with underscores", ["first_name", "last_name"]),
        ("make the column names upper case", ["FIRST NAME", "LAST NAME"]),
        ("replace spaces in column names by underscores", ["First_Name", "Last_Name"]),
        ("add a prefix x_ to all columns", ["x_First Name", "x_Last Name"]),
        ("drop all columns except First Name and sex", ["First Name", "sex"]),
        ("drop columns with more than half missing", ["First Name", "Last Name"]),
        ("select the numeric columns", ["q1", "q2"]),
        ("keep the columns that start with q", ["q1", "q2"]),
        ("reorder columns: sex, Phone, then the rest", ["sex", "Phone"]),
    ],
)
def test_columns_are_named_and_chosen_all_at_once(prompt: str, names: list[str]) -> None:
    assert list(team(prompt))[:2] == names


def test_what_has_gaps_is_dropped_or_counted() -> None:
    assert "Notes!" not in team("drop columns with more than half missing")
    assert "q1" not in team("drop columns with missing values")
    assert team("percent missing per column in team")["q1"] == pytest.approx(100 / 3)
    assert team("number of missing values per row").tolist() == [1, 3, 2]


@pytest.mark.parametrize("prompt", ["unify the spelling of sex", "make sex consistent", "clean up the sex column"])
def test_the_sexes_are_two(prompt: str) -> None:
    assert set(team(prompt).index) == {"female", "male"}


def test_an_empty_text_becomes_a_gap_and_not_a_word() -> None:
    assert team("replace empty skills with missing")["skills"].isna().tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("prompt", "days"),
    [
        ("add a column days with the length of each stay", [3, 1, 10]),
        ("add a column for the length of each stay in days", [3, 1, 10]),
        ("how long was each stay", [3, 1, 10]),
    ],
)
def test_a_length_is_told_by_its_two_dates(prompt: str, days: list[int]) -> None:
    found = hotel(prompt)
    assert (found if isinstance(found, pd.Series) else found.iloc[:, -1]).tolist() == days


def test_lengths_are_summed_up_and_compared() -> None:
    assert hotel("average stay length per room").to_dict() == {"A": 6.5, "B": 1}
    assert hotel("stays longer than 2 days")["stay_id"].tolist() == [1, 3]
    assert hotel("flag stays over 5 days as long")["long"].tolist() == [False, False, True]


def test_three_tables_are_merged_in_a_chain() -> None:
    assert {"guest", "beds"} <= set(hotel("merge stays with guests and rooms"))


@pytest.mark.parametrize(
    "prompt",
    [
        "which guests have not booked any stay",
        "which guests have never taken a stay",
        "guests who did not pay for any stay",
    ],
)
def test_who_has_nothing_in_the_other_table_is_told_by_any_verb(prompt: str) -> None:
    assert hotel(prompt)["guest"].tolist() == ["Jon"]


@pytest.mark.parametrize("prompt", ["who never stayed", "who has not had any stay"])
def test_so_is_who_never_did(prompt: str) -> None:
    assert space(prompt, stays=STAYS, guests=GUESTS)["_"]["guest"].tolist() == ["Jon"]


def test_rows_are_counted_per_row_of_the_table_that_they_point_to() -> None:
    cars = pd.DataFrame({"plate": ["x", "y"], "brand": ["VW", "Kia"]})
    repairs = pd.DataFrame({"nr": [1, 2, 3], "plate": ["x", "x", "y"], "hours": [1, 2, 4]})
    assert space("number of repairs per car", cars=cars, repairs=repairs)["_"].to_dict() == {"x": 2, "y": 1}
    alone = space("repairs with no matching car", cars=cars.head(1), repairs=repairs)["_"]
    assert alone["nr"].tolist() == [3]


def test_letters_stand_before_their_limits() -> None:
    found = team("give letter grades for q3: A from 4, B from 2, otherwise C")
    assert found.iloc[:, -1].tolist()[:2] == ["B", "A"]
