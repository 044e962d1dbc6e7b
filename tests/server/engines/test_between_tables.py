"""Sentences about what is calculated of two tables or three: counts and sums as columns, one column times another, revenue."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tests.server.engines.test_shapes import space, understood

RIDERS = pd.DataFrame({"rider_id": [1, 2, 3], "rider": ["Ann", "Bo", "Cy"], "town": ["Ely", "York", "Ely"]})
TRIPS = pd.DataFrame(
    {
        "trip_id": [1, 2, 3, 4],
        "rider_id": [1, 1, 2, 2],
        "plan_code": ["x", "y", "x", "x"],
        "minutes": [10, 20, 30, 45],
        "units": [1, 2, 1, 3],
        "day": pd.to_datetime(["2024-01-02", "2024-03-01", "2024-01-05", "2024-02-01"]),
    }
)
PLANS = pd.DataFrame({"plan_code": ["x", "y"], "price": [2.0, 5.0], "kind": ["short", "long"]})


def of(prompt: str) -> Any:
    return space(prompt, riders=RIDERS.copy(), trips=TRIPS.copy(), plans=PLANS.copy())["_"]


@pytest.mark.parametrize(
    "prompt",
    [
        "add the number of trips to riders",
        "add the number of trips per rider to riders",
        "how many trips did each rider have",
        "add a column n_trips to riders with the number of trips of each rider",
    ],
)
def test_rows_of_another_table_are_counted_for_each(prompt: str) -> None:
    assert of(prompt).iloc[:, -1].tolist() == [2, 2, 0]


def test_a_question_for_counts_changes_no_table() -> None:
    assert "number_of_trips" not in space("how many trips did each rider have", riders=RIDERS, trips=TRIPS)["riders"]


@pytest.mark.parametrize(
    ("prompt", "values"),
    [
        ("add the total minutes of trips to riders", [30, 75, 0]),
        ("add each rider's total minutes to riders", [30, 75, 0]),
        ("add the longest minutes per rider to riders", None),
        ("add the average minutes of each rider to riders as mean_minutes", [15, 37.5]),
    ],
)
def test_sums_of_another_table_become_a_column(prompt: str, values: list[float] | None) -> None:
    if values is None:
        assert understood(prompt, riders=RIDERS, trips=TRIPS, plans=PLANS) is None
    else:
        assert of(prompt).iloc[: len(values), -1].tolist() == values


@pytest.mark.parametrize("prompt", ["add the day of the last trip to riders", "add the last day per rider to riders"])
def test_so_does_the_last_day(prompt: str) -> None:
    assert of(prompt).iloc[0, -1] == pd.Timestamp("2024-03-01")


@pytest.mark.parametrize(
    "prompt",
    [
        "add a column total to trips, price times units",
        "add a total column to trips: units * price",
        "add a column called total to trips which is units times price from plans",
        "total = units * price from plans",
    ],
)
def test_a_column_is_multiplied_by_one_of_another_table(prompt: str) -> None:
    assert of(prompt)["total"].tolist() == [2, 10, 2, 6]


@pytest.mark.parametrize(
    ("prompt", "sums"),
    [
        ("revenue by kind", {"long": 10, "short": 10}),
        ("total revenue per town", {"Ely": 12, "York": 8}),
        ("revenue per rider_id", {1: 12, 2: 8}),
    ],
)
def test_revenue_is_price_times_quantity_wherever_they_lie(prompt: str, sums: dict[object, float]) -> None:
    assert of(prompt).to_dict() == sums


@pytest.mark.parametrize(
    "prompt", ["add the number of horses to riders", "income per moon", "add units times town to trips"]
)
def test_what_is_not_there_is_not_made_up(prompt: str) -> None:
    assert understood(prompt, riders=RIDERS, trips=TRIPS, plans=PLANS) is None
