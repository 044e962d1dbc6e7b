"""What becomes of summaries: names, ranks of groups, sums of each day; what sells best, how long something took."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.server.engines import namespace, sentences
from spark_jupyter.speech.budget import describe
from spark_jupyter.speech.context import gather

TICKETS = pd.DataFrame(
    {
        "no": [1, 2, 3, 4, 5, 6],
        "day": pd.to_datetime(["2024-05-01", "2024-05-01", "2024-05-02", "2024-05-03", "2024-06-03", "2024-06-04"]),
        "film": ["Ida", "Ran", "Ran", "Ran", "Ida", "Ida"],
        "hall": ["A", "A", "B", "B", "B", "B"],
        "units": [2, 1, 1, 1, 6, 4],
        "amount": [20.0, 12.0, 12.0, 50.0, 60.0, 30.0],
        "member": [True, False, True, False, False, True],
    }
)
STAYS = pd.DataFrame(
    {
        "patient_id": [11, 12, 13],
        "ward": ["ICU", "Burns", "ICU"],
        "admission_date": pd.to_datetime(["2024-01-05", "2024-02-01", "2024-02-10"]),
        "discharge_date": pd.to_datetime(["2024-02-04", "2024-02-03", "2024-02-14"]),
        "readmitted": ["Yes", "No", "No"],
    }
)


def result(prompt: str, **tables: pd.DataFrame) -> object:
    """What the sentence's code ends with, in everyday words as well."""
    told = describe(gather(tables, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    said = sentences.understood(prompt, namespace.read(told))
    assert said is not None, prompt
    space: dict[str, object] = {name: table.copy() for name, table in tables.items()}
    *lines, last = said.cells[0].source.split("\n")
    exec("\n".join(lines), space)
    return eval(last, space)


def test_summaries_are_called_as_is_said() -> None:
    found = result("mean, min and max amount per hall, call them avg, low and high", tickets=TICKETS)
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == ["avg", "low", "high"]
    assert found.loc["B", "low"] == 12
    found = result("total amount as revenue and number of tickets as n per film", tickets=TICKETS)
    assert isinstance(found, pd.DataFrame)
    assert found.loc["Ran"].to_dict() == {"revenue": 74, "n": 3}


@pytest.mark.parametrize(
    ("prompt", "column", "first"),
    [
        ("rank the films by total amount", "amount", "Ida"),
        ("ranking of halls by number of tickets", "number", "B"),
        ("rank the films by average amount", "amount", "Ida"),
    ],
)
def test_groups_are_ranked_by_what_is_summed_up(prompt: str, column: str, first: str) -> None:
    found = result(prompt, tickets=TICKETS)
    assert isinstance(found, pd.DataFrame)
    assert found.index[0] == first
    assert list(found["rank"]) == [1, 2]
    assert found[column].is_monotonic_decreasing


def test_what_goes_from_day_to_day_is_of_the_sums_of_each() -> None:
    found = result("2 day moving average of daily amount", tickets=TICKETS)
    assert isinstance(found, pd.Series)
    assert list(found)[1:] == [22, 31, 55, 45]
    assert list(result("running total of monthly amount", tickets=TICKETS)) == [94, 184]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("prompt", "sums"),
    [
        ("units per film", {"Ida": 12, "Ran": 3}),
        ("units sold per film, highest first", {"Ida": 12, "Ran": 3}),
        ("best selling films", {"Ida": 12, "Ran": 3}),
        ("which film sells best?", {"Ida": 12}),
        ("what sold the most in may", {"Ran": 3}),
        ("top 1 selling films", {"Ida": 12}),
    ],
)
def test_of_what_is_sold_pieces_are_added_up(prompt: str, sums: dict[str, int]) -> None:
    found = result(prompt, tickets=TICKETS)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == sums


def test_rows_done_by_members_are_no_groups() -> None:
    found = result("tickets by members in B", tickets=TICKETS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["no"]) == [3, 6]


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("average length of stay per ward", {"Burns": 2, "ICU": 17}),
        ("patients admitted per month", {"2024-01": 1, "2024-02": 2}),
        ("how many patients were discharged in each month", {"2024-02": 3}),
    ],
)
def test_a_stay_is_told_by_its_dates_and_admitted_is_not_readmitted(prompt: str, answer: dict[str, int]) -> None:
    found = result(prompt, stays=STAYS)
    assert isinstance(found, pd.Series)
    assert {str(key): value for key, value in found.items()} == answer


def test_the_size_of_a_number_is_taken_without_its_sign() -> None:
    genes = pd.DataFrame({"gene": ["A", "B", "C"], "log2fc": [1.5, -2.0, 0.1]})
    for prompt in ("genes with abs log2fc > 1", "genes with |log2fc| above 1", "genes with absolute log2fc over 1"):
        found = result(prompt, genes=genes)
        assert isinstance(found, pd.DataFrame)
        assert list(found["gene"]) == ["A", "B"], prompt


SHIFTS = pd.DataFrame(
    {
        "Employee": ["Noor", "Tim", "Noor", "Tim"],
        "Start Time": pd.to_datetime(["2024-05-01 08:00", "2024-05-01 20:00", "2024-05-02 09:30", "2024-05-03 21:00"]),
        "End Time": pd.to_datetime(["2024-05-01 18:00", "2024-05-02 02:00", "2024-05-02 15:30", "2024-05-04 03:00"]),
        "Hours Worked": [10, 6, 6, 6],
        "Overtime": [2, 0, 0, 1],
        "Night Shift": [False, True, False, True],
        "Wage": [200.0, 150.0, 120.0, 100.0],
        "Paid": ["yes", "no", "yes", "yes"],
    }
)


@pytest.mark.parametrize(
    ("prompt", "places"),
    [
        ("shifts with at least 10 hours or any overtime", [0, 3]),
        ("shifts without overtime", [1, 2]),
        ("night shifts with wage over 120", [1]),
        ("wage below 110 or above 160", [0, 3]),
        ("shifts between 8 and 10 in the morning", [0, 2]),
        ("unpaid shifts", [1]),
    ],
)
def test_rows_are_chosen_as_people_say_it(prompt: str, places: list[int]) -> None:
    found = result(prompt, shifts=SHIFTS)
    assert isinstance(found, pd.DataFrame)
    assert list(found.index) == places


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("employees with more than 15 hours in total", {"Noor": 16}),
        ("employees who worked more than 15 hours in total", {"Noor": 16}),
        ("employees with an average wage above 150", {"Noor": 160}),
        ("employees whose total overtime is below 2", {"Tim": 1}),
        ("who worked the most overtime?", {"Noor": 2}),
        ("how many night shifts did each employee do", {"Tim": 2}),
        ("number of shifts per hour of the day", {8: 1, 9: 1, 20: 1, 21: 1}),
        ("average time between start time and end time in hours per employee", {"Noor": 8, "Tim": 6}),
    ],
)
def test_groups_are_asked_for_as_people_say_it(prompt: str, answer: dict[object, float]) -> None:
    found = result(prompt, shifts=SHIFTS)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == answer


def test_the_first_row_of_each_group_is_the_earliest_and_no_number_of_one() -> None:
    rentals = pd.DataFrame(
        {
            "rental_id": [1, 2, 3],
            "day": pd.to_datetime(["2024-03-03", "2024-03-01", "2024-03-02"]),
            "customer": ["Bea", "Bea", "Carl"],
            "price": [9.0, 30.0, 5.0],
        }
    )
    for prompt, ids in (("first rental of each customer", [2, 3]), ("the cheapest rental", [3])):
        found = result(prompt, rentals=rentals)
        assert isinstance(found, pd.DataFrame)
        assert list(found["rental_id"]) == ids
    assert result("how much did each customer spend in total", rentals=rentals).to_dict() == {"Bea": 39, "Carl": 5}  # type: ignore[attr-defined]


def test_times_is_no_name_in_the_plural() -> None:
    pays = pd.DataFrame({"employee": ["Tim", "Noor"], "sick": [1, 2], "wage": [5.0, 9.0]})
    found = result("total sick times wage per employee", pays=pays)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == {"Noor": 18, "Tim": 5}
