"""What people ask of ordinary tables in their first hour: flags of 0 and 1, parts of one, dates and money as text, the first ones."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.conversation import Question
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.request_text import question_text
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import namespace, phrases, request, sentences
from spark_jupyter.server.engines.compose import EXAMPLE
from spark_jupyter.server.engines.recipes import RecipeEngine

SHIP = pd.DataFrame(
    {
        "PassengerId": [1, 2, 3, 4, 5],
        "Survived": [1, 0, 1, 0, 0],
        "Pclass": [1, 1, 2, 3, 3],
        "Sex": ["female", "female", "male", "male", "male"],
        "Age": [20.0, 30.0, 40.0, 50.0, None],
    }
)
ORDERS = pd.DataFrame(
    {"order_id": [7, 8, 9], "discount": [0.1, 0.2, 0.25], "quantity": [9, 2, 6], "unit_price": [5.0, 9.0, 2.0]}
)
STAFF = pd.DataFrame(
    {"person": ["Ann", "Bo", "Cy"], "hired": ["2018-03-01", "2021-07-15", "2020-01-10"], "pay": ["$10", "$30", None]}
)


def result(prompt: str, **tables: pd.DataFrame) -> object:
    """What the sentence's code gives; the table as it is then, where the code ends with it."""
    told = describe(gather(tables, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    said = phrases.understood(prompt, namespace.read(told))
    assert said is not None, prompt
    space: dict[str, object] = {name: table.copy() for name, table in tables.items()}
    *lines, last = said.code.split("\n")
    exec("\n".join(lines), space)
    return eval(last, space)


@pytest.mark.parametrize(
    ("prompt", "number"),
    [
        ("how many passengers survived?", 2),
        ("how many passengers did not survive", 3),
        ("what is the average age of the survivors", 30),
        ("what percentage of women survived", 50),
        ("percentage of passengers who survived", 40),
    ],
)
def test_a_column_of_0_and_1_says_yes_and_no(prompt: str, number: float) -> None:
    assert result(prompt, ship=SHIP) == pytest.approx(number)


def test_a_rate_of_a_column_of_0_and_1_is_its_mean_and_a_part_of_a_name_names_it() -> None:
    found = result("survival rate by class", ship=SHIP)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == {1: 0.5, 2: 1.0, 3: 0.0}


def test_percent_of_a_column_of_parts_are_parts_and_pieces_are_its_quantity() -> None:
    found = result("orders with a discount above 10% and more than 5 pieces", orders=ORDERS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["order_id"]) == [9]


def test_dates_as_text_are_compared_with_a_year_by_theirs() -> None:
    found = result("who was hired before 2020", staff=STAFF)
    assert isinstance(found, pd.DataFrame)
    assert list(found["person"]) == ["Ann"]


def test_money_as_text_is_made_a_number_before_its_gaps_are_filled() -> None:
    found = result("fill the missing pay with the mean", staff=STAFF)
    assert isinstance(found, pd.DataFrame)
    assert list(found["pay"]) == [10, 30, 20]


SOLD = pd.DataFrame(
    {
        "product": ["a", "b", "a", "b", "c"],
        "region": ["N", "N", "S", "S", "S"],
        "quantity": [5, 1, 2, 3, 9],
        "order_id": [1, 2, 3, 4, 5],
    }
)


@pytest.mark.parametrize(
    ("prompt", "firsts"),
    [
        ("best selling product in each region", {("a", "N"): 5, ("c", "S"): 9}),
        ("top 2 products per region by quantity", {("a", "N"): 5, ("b", "N"): 1, ("c", "S"): 9, ("b", "S"): 3}),
    ],
)
def test_the_first_ones_of_each_group_are_of_each_group(prompt: str, firsts: dict[tuple[str, str], int]) -> None:
    found = result(prompt, orders=SOLD)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == firsts


def test_a_month_is_no_row_that_could_be_the_wettest() -> None:
    days = pd.DataFrame({"date": pd.to_datetime(["2024-01-01", "2024-02-01"]), "rain_mm": [4.0, 9.0]})
    prompt = "which month was the wettest?"
    told = describe(gather({"days": days}, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    made = sentences.attempt(prompt, namespace.read(told))
    assert made is None or made.left


PRICED = pd.DataFrame(
    {
        "order_id": [1, 2, 3, 4],
        "order_date": pd.to_datetime(["2024-01-05", "2024-01-20", "2024-02-01", "2024-02-09"]),
        "product": ["a", "b", "a", "b"],
        "quantity": [1, 2, 3, 1],
        "unit_price": [10.0, 5.0, 2.0, 50.0],
    }
)
CLIENTS = pd.DataFrame({"client_id": [1], "signup": ["2024-01-01"]})


@pytest.mark.parametrize(
    ("prompt", "numbers"), [("revenue by month", [20.0, 56.0]), ("top 1 products by revenue per month", [50.0, 10.0])]
)
def test_a_revenue_that_no_column_holds_is_price_times_quantity_of_the_table_that_has_both(
    prompt: str, numbers: list[float]
) -> None:
    found = result(prompt, clients=CLIENTS, orders=PRICED)
    assert isinstance(found, pd.Series)
    assert list(found) == numbers


MARKS = pd.DataFrame({"student": ["Ana", "Ben", "Cleo"], "math": [88.0, None, 54.0], "absences": [2, 10, 7]})
STOCK = pd.DataFrame(
    {
        "Product": ["Lamp", "Desk"],
        "In Stock": [3, 4],
        "Price (EUR)": ["19,99", "20,01"],
        "Last Sold": ["2023-12-24", "2024-04-12"],
    }
)
WARD = pd.DataFrame({"id": [1, 2, 3], "age": [70, 40, 66], "weight_kg": [60.0, 70.0, 80.0]})


def test_who_lacks_something_is_not_missing() -> None:
    found = result("which students are missing a math grade?", marks=MARKS)
    assert isinstance(found, pd.DataFrame)
    assert list(found["student"]) == ["Ben"]


def test_how_many_of_a_column_have_something_is_a_number() -> None:
    assert result("how many students have more than 5 absences", marks=MARKS) == 2


def test_what_did_not_happen_in_a_year_has_another_date() -> None:
    found = result("products that were not sold in 2024", stock=STOCK)
    assert isinstance(found, pd.DataFrame)
    assert list(found["Product"]) == ["Lamp"]


def test_a_price_is_found_in_the_name_of_its_column_also_where_it_is_text() -> None:
    assert result("average price", stock=STOCK) == pytest.approx(20)


def test_persons_over_a_number_are_older() -> None:
    assert result("how many patients are over 65", patients=WARD) == 2


def test_a_unit_that_the_column_has_not_is_not_passed_over() -> None:
    prompt = "average weight in pounds"
    told = describe(gather({"patients": WARD}, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    assert phrases.understood(prompt, namespace.read(told)) is None


def test_growth_that_is_not_understood_is_not_taken_of_something_else() -> None:
    prompt = "monthly growth of quantity per product"
    told = describe(gather({"orders": PRICED}, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    made = sentences.attempt(prompt, namespace.read(told))
    assert made is None or made.left
    grown = result("growth of quantity", orders=PRICED)
    assert isinstance(grown, pd.DataFrame)
    assert grown.iloc[1, -1] == 1.0


def test_growth_from_month_to_month_is_of_what_the_months_have() -> None:
    found = result("month over month growth of quantity in percent", orders=PRICED)
    assert isinstance(found, pd.Series)
    assert found.iloc[-1] == pytest.approx(100 / 3)


CLINIC = pd.DataFrame(
    {
        "Full Name": ["Ann Lee", "Bo Day"],
        "Age": [25, 61],
        "Blood Pressure": ["118/76", "145/92"],
        "on_diet": [True, False],
    }
)


def test_a_column_is_split_at_what_stands_between_and_into_numbers_where_that_is_said() -> None:
    found = result("split Blood Pressure into systolic and diastolic as integers", clinic=CLINIC)
    assert isinstance(found, pd.DataFrame)
    assert list(found["systolic"]) == [118, 145]
    plain = result("split Blood Pressure into systolic and diastolic", clinic=CLINIC)
    assert isinstance(plain, pd.DataFrame)
    assert list(plain["diastolic"]) == ["76", "92"]
    named = result("split Full Name into first and last name", clinic=CLINIC)
    assert isinstance(named, pd.DataFrame)
    assert list(named["first_name"]) == ["Ann", "Bo"]


def test_bands_that_are_to_be_counted_are_counted_and_not_the_rows() -> None:
    found = result("label age as young (<30), middle (30 to 59) and old (60+) and count them", clinic=CLINIC)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == {"young": 1, "old": 1}


def test_with_a_column_of_yes_and_no_is_a_condition_behind_a_superlative() -> None:
    flats = pd.DataFrame({"flat": [1, 2, 3], "rent": [700, 500, 600], "balcony": [True, False, True]})
    found = result("2 cheapest flats with a balcony", flats=flats)
    assert isinstance(found, pd.DataFrame)
    assert list(found["flat"]) == [3, 1]


ANSWERS = pd.DataFrame(
    {
        "person": ["a", "b", "c", "d"],
        "age_group": ["18-24", "18-24", "25-34", "50+"],
        "q1": [1, 2, 3, 4],
        "q2": [2, 2, 2, 2],
        "q3": [4, 4, 4, 0],
        "submitted": pd.to_datetime(["2024-01-01 08:00", "2024-01-02 08:30", "2024-01-09 12:00", "2024-01-13 09:00"]),
    }
)


@pytest.mark.parametrize(
    ("prompt", "numbers"),
    [
        ("mean of q1 to q3", [2.5, 2.0, 3.0]),
        ("percentage of rows per age_group", [50.0, 25.0, 25.0]),
        ("submissions per week", [2, 2]),
        ("what hour of the day is the busiest?", [2]),
        ("average q1 on weekdays vs weekends", [2.0, 4.0]),
    ],
)
def test_columns_that_are_numbered_parts_of_all_and_times_are_read_as_people_say_them(
    prompt: str, numbers: list[float]
) -> None:
    found = result(prompt, answers=ANSWERS)
    assert isinstance(found, pd.Series)
    assert list(found) == numbers


def test_where_one_column_alone_holds_numbers_it_is_meant() -> None:
    scores = pd.DataFrame({"student": ["a", "b", "a"], "subject": ["Maths", "Maths", "Art"], "score": [50, 70, 90]})
    low = result("show me the maths results below 55", marks=scores)
    assert isinstance(low, pd.DataFrame)
    assert list(low["student"]) == ["a"]
    means = result("average per subject", marks=scores)
    assert isinstance(means, pd.Series)
    assert means.to_dict() == {"Art": 90, "Maths": 60}


PEOPLE = [
    {"name": "Ann", "age": 31, "city": "Rome"},
    {"name": "Bob", "age": 25, "city": "Oslo"},
    {"name": "Cy", "age": 43, "city": "Rome"},
]


def test_records_of_which_two_keys_are_named_are_a_table_and_no_example_takes_their_place() -> None:
    prompt = "average age per city"
    told = describe(gather({"people": PEOPLE}, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    answer = RecipeEngine().reply(
        request.read([Message("user", question_text(Question(request=prompt, variables=told)))])
    )
    assert "DataFrame(people)" in answer.cells[-1].source


def test_an_example_is_no_answer_about_columns_that_are_the_users() -> None:
    told = "clubs: list (3) of dict: fee int, town str"
    prompt = "merge fee and town tables"
    answer = RecipeEngine().reply(
        request.read([Message("user", question_text(Question(request=prompt, variables=told)))])
    )
    assert not any(EXAMPLE in cell.source for cell in answer.cells)
