"""What becomes of summaries: names, ranks of groups, sums of each day; what sells best, how long something took."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import evidence, namespace, sentences

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


VISITS = pd.DataFrame(
    {
        "visit_id": [1, 2, 3, 4, 5],
        "arrival": pd.to_datetime(
            ["2024-04-01 23:10", "2024-04-02 08:00", "2024-06-01 05:00", "2024-07-03 12:00", "2024-07-04 13:00"]
        ),
        "patient": ["P1", "P2", "P1", "P3", "P1"],
        "sex": ["male", "female", "female", "male", "male"],
        "doctor": ["Adler", "Boyd", "Boyd", "Boyd", "Adler"],
        "complaint": ["fever", "fall", "fever", "fall", "fall"],
        "wait_minutes": [130.0, 20.0, 95.0, 10.0, 30.0],
        "temperature_c": [39.1, None, 38.5, 36.6, 37.0],
        "admitted": [True, False, True, False, True],
        "referral": ["GP", None, None, "GP", None],
    }
)


@pytest.mark.parametrize(
    ("prompt", "ids"),
    [
        ("visits with a wait over 1.5 hours", [1, 3]),
        ("patients who waited more than 2 hours", [1]),
        ("visits between 22 and 6 at night", [1, 3]),
        ("patients with a temperature above 39 or missing", [1, 2]),
        ("visits with a referral", [1, 4]),
        ("visits in spring", [1, 2]),
        ("visits in summer 2024", [3, 4, 5]),
        ("sort by doctor and wait", [5, 1, 4, 2, 3]),
        ("sort by doctor, then by wait descending", [1, 5, 3, 2, 4]),
    ],
)
def test_rows_of_a_ward_are_chosen_and_sorted_as_people_say_it(prompt: str, ids: list[int]) -> None:
    found = result(prompt, visits=VISITS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["visit_id"]) == ids


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("average temperature of admitted patients", 38.2),
        ("how many patients came more than once?", 1),
        ("difference in mean wait between males and females", 170 / 3 - 57.5),
        ("difference in median wait between Adler and Boyd", 60),
    ],
)
def test_one_number_is_asked_for_as_people_say_it(prompt: str, answer: float) -> None:
    assert result(prompt, visits=VISITS) == pytest.approx(answer)


def test_parts_quantiles_and_weekdays_of_groups() -> None:
    found = result("percentage admitted by doctor", visits=VISITS)
    assert isinstance(found, pd.Series)
    assert found.round().to_dict() == {"Adler": 100, "Boyd": 33}
    assert result("median and 90th percentile of wait", visits=VISITS) == (30, pytest.approx(116))
    days = result("visits per weekday, monday first", visits=VISITS)
    assert isinstance(days, pd.Series)
    assert list(days.index[:2]) == ["Monday", "Tuesday"]
    assert list(result("which complaints were seen in july", visits=VISITS)) == ["fall"]  # type: ignore[call-overload]


TABLES = pd.DataFrame(
    {
        "ticket": [1, 2, 3, 4, 5, 6],
        "opened": pd.to_datetime(["2024-03-02", "2024-04-10", "2024-05-05", "2024-05-20", "2024-06-01", "2024-06-03"]),
        "waiter": ["Gina", "Ivo", "Gina", "Ivo", "Ivo", "Ivo"],
        "meal": ["lunch", "dinner", "lunch", "dinner", "lunch", "lunch"],
        "guests": [2, 5, 6, 1, 4, 5],
        "bill": [30.0, 90.0, 70.0, 20.0, 55.0, 60.0],
        "rating": [4.0, 5.0, 3.0, None, 4.0, 1.0],
    }
)


@pytest.mark.parametrize(
    ("prompt", "tickets"),
    [
        ("tickets with a bill over 50 and more than 4 guests", [2, 3, 6]),
        ("tickets with a rating of 4 or 5", [1, 2, 5]),
        ("tickets with a bill of 60 or more", [2, 3, 6]),
        ("tickets from the last 7 days", [5, 6]),
        ("tickets from april to may 2024", [2, 3, 4]),
        ("tickets between march and april", [1, 2]),
    ],
)
def test_spans_of_months_days_and_amounts(prompt: str, tickets: list[int]) -> None:
    found = result(prompt, tickets=TABLES)
    assert isinstance(found, pd.DataFrame)
    assert list(found["ticket"]) == tickets


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("share of lunch and dinner", {"lunch": 67, "dinner": 33}),
        ("which waiter was seen most often", {"Ivo": 4}),
        ("total number of guests per waiter, sorted", {"Ivo": 15, "Gina": 8}),
        ("revenue per meal", {"dinner": 110, "lunch": 215}),
    ],
)
def test_parts_and_sums_of_groups(prompt: str, answer: dict[str, int]) -> None:
    found = result(prompt, tickets=TABLES)
    assert isinstance(found, pd.Series)
    assert found.round().to_dict() == answer


def test_several_summaries_need_no_commas() -> None:
    found = result("min max mean of bill by meal", tickets=TABLES)
    assert isinstance(found, pd.DataFrame)
    assert list(found.loc["lunch"]) == [30, 70, 53.75]


def test_the_last_days_are_no_last_rows() -> None:
    assert evidence.missing("tickets from the last 7 days", "tickets.tail(7)") == ["last 7 days"]
    assert not evidence.missing("the last 7 rows", "tickets.tail(7)")


RECORDS = pd.DataFrame(
    {
        "record": [1, 2, 3, 4],
        "PatientName": ["Ann", "Bo", "Cy", "Di"],
        "Age": [71, 44, 82, 60],
        "BMI": [22.0, None, 31.0, 27.0],
        "Smoker": ["yes", "no", "no", "yes"],
        "DiagnosisDate": pd.to_datetime(["2021-05-01", "2022-02-01", "2022-03-01", "2021-01-01"]),
        "SurvivalMonths": [12, 30, 3, 48],
        "Alive": [1, 0, 1, 1],
    }
)


@pytest.mark.parametrize(
    ("prompt", "records"),
    [
        ("patients over 70", [1, 3]),
        ("patients with missing BMI", [2]),
        ("survival longer than 2 years", [2, 4]),
        ("patients with an age above 50 that are not smokers", [3]),
    ],
)
def test_patients_are_rows_though_a_column_is_called_by_them(prompt: str, records: list[int]) -> None:
    found = result(prompt, records=RECORDS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["record"]) == records


def test_dates_are_no_groups_and_patients_no_column_where_they_are_counted() -> None:
    found = result("number of diagnoses per year", records=RECORDS)
    assert isinstance(found, pd.Series)
    assert list(found) == [2, 2]
    assert result("average age of patients that are alive", records=RECORDS) == 71


def test_a_price_of_all_pieces_is_not_multiplied_by_how_many_there_were() -> None:
    toys = pd.DataFrame({"toy": ["Kite", "Kite", "Doll"], "quantity": [2, 1, 5], "total_price": [20.0, 10.0, 40.0]})
    found = result("total sales per toy", toys=toys)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == {"Doll": 40, "Kite": 30}


def test_whitespace_that_is_stripped_stands_at_the_ends() -> None:
    notes = pd.DataFrame({"note": [" weekly shop ", "rent"]})
    found = result("strip the whitespace in note", notes=notes)
    assert isinstance(found, pd.DataFrame)
    assert list(found["note"]) == ["weekly shop", "rent"]


def test_a_name_that_is_a_word_too_is_taken_for_one_as_it_is_spelt() -> None:
    exams = pd.DataFrame({"technician": ["Per", "Siv", "Per"], "rate": [60.0, 70.0, 80.0]})
    found = result("average rate per technician", exams=exams)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == {"Per": 70, "Siv": 70}
    rows = result("exams by Per", exams=exams)
    assert isinstance(rows, pd.DataFrame)
    assert len(rows) == 2


def test_dates_are_not_compared_with_amounts() -> None:
    boxes = pd.DataFrame(
        {"box_id": [1, 2], "delivered": pd.to_datetime(["2024-01-01", "2024-01-02"]), "bottles": [6, 50]}
    )
    told = describe(gather({"boxes": boxes}, prompt="", time_cap=60.0), budget_tokens=4000, prompt="")
    said = sentences.understood("deliveries over 40", namespace.read(told))
    assert said is None or '"delivered"] > 40' not in said.cells[0].source
