"""What people say of messy tables: columns that are meant but not there, signs, yes and no, gaps, conditions, an index of dates, polars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.server.engines import namespace as names
from spark_jupyter.server.engines import sentences
from spark_jupyter.server.engines.recipes import RecipeEngine
from spark_jupyter.server.engines.request import Request

ENGINE = RecipeEngine()


@pytest.fixture(autouse=True)
def _no_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")


def deals() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Deal ID": ["D1", "D2", "D3", "D4"],
            "Closed On": ["01/15/2024", "01/20/2024", "02/03/2024", "02/28/2024"],
            "Client Name": [" zeta ag", "Zeta AG", "Mono GmbH", "Pike"],
            "Unit Price": ["$1,000.00", "$20.00", "$5.50", "$200.00"],
            "Qty": [1.0, 2.0, None, 4.0],
            "Rebate": ["10%", "0%", "5%", "20%"],
            "Paid": ["yes", "no", "yes", "no"],
        }
    )


def pupils() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Name": ["Ann Lee", "Bo Kim", "Cy Ray", "Di Fox"],
            "Room": ["7 A", "7 B", "7 A", "8 A"],
            "Gender": ["F", "M", "F", "M"],
            "Algebra": [95.0, 40.0, None, 60.0],
            "Music": [70, 90, 80, 75],
            "Cleared": [1, 0, 1, 1],
            "Age": [11, 14, 18, 40],
        }
    )


def houses() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "town": ["Ulm", "Ulm", "Bonn", "Bonn"],
            "rooms": [3, 5, 2, 4],
            "price": [300_000.0, 900_000.0, 150_000.0, 450_000.0],
            "year_built": [1995, 2001, 2004, 1991],
            "garden": [True, False, False, False],
            "listed_on": pd.to_datetime(["2023-01-02", "2023-02-01", "2023-05-01", "2023-06-01"]),
        }
    )


def hourly() -> pd.DataFrame:
    index = pd.date_range("2024-03-01", periods=48, freq="h", name="when")
    return pd.DataFrame({"load_kw": np.arange(48.0), "cost": 1.0}, index=index)


def space(variables: dict[str, Any], prompt: str) -> names.Namespace:
    return names.read(describe(gather(variables, prompt=prompt, time_cap=60), budget_tokens=4000, prompt=prompt))


def value(prompt: str, variables: dict[str, Any]) -> Any:
    """What the answer's last line is worth; none of the prompt may be left over."""
    attempt = sentences.attempt(prompt, space(variables, prompt))
    assert attempt is not None
    assert attempt.left == ()
    return run(attempt.answer.cells[0].source, variables)


def run(source: str, variables: dict[str, Any]) -> Any:
    *lines, last = source.split("\n")
    exec("\n".join(lines), variables)
    return eval(last, variables)


def replied(prompt: str, variables: dict[str, Any]) -> str:
    answer = ENGINE.reply(Request(text=prompt, namespace=space(variables, prompt)))
    return answer.notes + "\n".join(cell.source for cell in answer.cells)


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("how many rows have no qty", 1),
        ("what % of deals are from Pike", 25.0),
        ("which deals haven't been paid yet?", ["D2", "D4"]),
        ("show the deals that aren't paid", ["D2", "D4"]),
        ("top 2 clients by total spend", [1000.0, 800.0]),
        ("revenue by month", [1040.0, 800.0]),
        ("average discount", None),
    ],
)
def test_a_table_of_deals_is_asked_as_people_speak(prompt: str, answer: Any) -> None:
    if answer is None:
        assert sentences.attempt(prompt, space({"deals": deals()}, prompt)) is None
        return
    found = value(prompt, {"deals": deals()})
    found = list(found["Deal ID"]) if isinstance(found, pd.DataFrame) else found
    assert (list(found) if isinstance(found, pd.Series) else found) == answer


def test_revenue_that_no_column_has_is_said_to_be_price_times_quantity_and_drawn() -> None:
    prompt = "revenue by month as a bar chart"
    attempt = sentences.attempt(prompt, space({"deals": deals()}, prompt))
    assert attempt is not None
    assert "I took “revenue” to be `Unit Price` × `Qty`." in attempt.answer.notes
    assert 'groupby(deals["Closed On"].dt.to_period("M"))["revenue"].sum()' in attempt.answer.cells[0].source


def test_a_table_that_is_called_as_what_could_be_calculated_is_the_table() -> None:
    prompt = "sort sales by quantity descending"
    variables = {"sales": pd.DataFrame({"price": [1.0, 2.0], "quantity": [3, 9]})}
    assert list(value(prompt, variables)["quantity"]) == [9, 3]


@pytest.mark.parametrize(
    ("prompt", "column", "values"),
    [
        ("convert Unit Price to float, it has dollar signs and commas", "Unit Price", [1000.0, 20.0, 5.5, 200.0]),
        ("strip the $ from unit price and make it a number", "Unit Price", [1000.0, 20.0, 5.5, 200.0]),
        ("make the Rebate column a fraction between 0 and 1", "Rebate", [0.1, 0.0, 0.05, 0.2]),
        (
            "clean up the client names, some have spaces and different case",
            "Client Name",
            ["Zeta Ag", "Zeta Ag", "Mono Gmbh", "Pike"],
        ),
    ],
)
def test_a_column_of_deals_is_cleaned(prompt: str, column: str, values: list[Any]) -> None:
    variables: dict[str, Any] = {"deals": deals()}
    value(prompt, variables)
    assert list(variables["deals"][column]) == values


@pytest.mark.parametrize(
    ("prompt", "column", "values"),
    [
        ("add a pass/fail column: pass if Algebra is at least 50", "pass_fail", ["pass", "fail", None, "pass"]),
        ("letter grades from Algebra: A >= 90, B >= 50 else C", "letter_grades", ["A", "C", None, "B"]),
        ("split Name into first and last name", "last_name", ["Lee", "Kim", "Ray", "Fox"]),
        ("rank pupils within their room by music", "rank", [2.0, 1.0, 1.0, 1.0]),
        ("fill the gaps in Algebra by interpolation", "Algebra", [95.0, 40.0, 50.0, 60.0]),
        ("age groups 10-14, 15-18, 19+", "Age_group", ["10-14", "10-14", "15-18", "19+"]),
    ],
)
def test_a_column_of_pupils_is_made(prompt: str, column: str, values: list[Any]) -> None:
    variables: dict[str, Any] = {"pupils": pupils()}
    value(prompt, variables)
    assert [None if pd.isna(one) else one for one in variables["pupils"][column]] == values


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("age groups 10-14, 15-18, 19+ and the cleared rate for each", [0.5, 1.0, 1.0]),
        ("cleared rate by gender", [1.0, 0.5]),
        ("who has no algebra", ["Cy Ray"]),
        ("who has the highest total of Algebra and Music?", ["Ann Lee"]),
        ("missing values per column in percent", [0.0, 0.0, 0.0, 25.0, 0.0, 0.0, 0.0]),
        ("bin Music into low, mid and high and count", [2, 1, 1]),
    ],
)
def test_pupils_are_asked_about(prompt: str, answer: Any) -> None:
    found = value(prompt, {"pupils": pupils()})
    assert list(found["Name"] if isinstance(found, pd.DataFrame) else found) == answer


def test_a_difference_between_boys_and_girls_is_tested() -> None:
    prompt = "is there a significant difference in Music between boys and girls?"
    assert value(prompt, {"pupils": pupils()}).pvalue == pytest.approx(0.516, abs=0.2)


def test_a_column_of_classes_is_none_of_numbers() -> None:
    prompt = "sum of room"
    assert (
        "numbers"
        not in next(one for one in space({"pupils": pupils()}, prompt).variables[0].columns if one.name == "Room").holds
    )


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("houses in Ulm with 3+ rooms under 700k", [0]),
        ("average price by decade built", [375_000.0, 525_000.0]),
        ("how many houses were listed each quarter", [2, 2]),
        ("which town has the largest share of garden houses", [50.0]),
        ("crosstab town vs garden with percentages per row", None),
    ],
)
def test_houses_are_asked_about(prompt: str, answer: Any) -> None:
    found = value(prompt, {"houses": houses()})
    if answer is None:
        assert [float(one) for one in found.loc["Ulm"]] == [50.0, 50.0]
    else:
        assert list(found.index if isinstance(found, pd.DataFrame) else found) == answer


def test_bars_of_one_text_by_another_count_both() -> None:
    prompt = "stacked bar chart of garden by town"
    variables = {"houses": houses().assign(garden=["yes it has", "none there", "none there", "small one"])}
    attempt = sentences.attempt(prompt, space(variables, prompt))
    assert attempt is not None
    assert 'groupby(["town", "garden"]).size()' in attempt.answer.cells[0].source


def test_rows_are_counted_where_a_text_mentions_something() -> None:
    notes = pd.DataFrame({"comment": ["slow", "slow", "fine"], "id": [1, 2, 3]})
    assert value("how many comments mention slow?", {"notes": notes}) == 2


def test_a_word_that_several_columns_may_be_is_none_of_the_rows() -> None:
    flights = houses().rename(columns={"rooms": "Dep Delay", "price": "Arr Delay"})
    assert "groupby" not in replied("which weekday has the worst delays", {"flights": flights})


def test_a_variable_is_no_text_of_its_name() -> None:
    assert '"terms"' not in replied("which terms are palindromes", {"terms": ["noon", "data"]})


def test_two_values_of_one_column_at_once_are_no_answer() -> None:
    variables = {"houses": houses()}
    variables["houses"]["state"] = ["poor", "very good", "poor", "very good"]
    assert "houses[" not in replied("order state from poor to very good and show the mean price for each", variables)


@pytest.mark.parametrize(
    ("prompt", "variables"),
    [
        ("the Music of pupils in percent of their rank", {"pupils": pupils()}),
        ("is there a significant difference in Music between morning and evening?", {"pupils": pupils()}),
        ("how many rainy days were there in March?", {"weather": hourly().rename(columns={"load_kw": "rain_mm"})}),
    ],
)
def test_what_is_not_understood_in_its_operation_gets_a_no(prompt: str, variables: dict[str, Any]) -> None:
    assert replied(prompt, variables).startswith("No")


def test_an_example_is_no_answer_about_the_users_own_column() -> None:
    assert "Example data" not in replied("who has no Algebra in another table", {"pupils": pupils()})


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("daily mean load", [11.5, 35.5]),
        ("average load by hour of the day", [float(hour + 12) for hour in range(24)]),
        ("total cost in March", 48.0),
    ],
)
def test_an_index_of_dates_is_a_column_of_them(prompt: str, answer: Any) -> None:
    found = value(prompt, {"meter": hourly()})
    assert (list(found) if isinstance(found, pd.Series) else found) == answer


def test_a_window_of_days_is_one_of_time_where_the_index_is() -> None:
    assert '.rolling("2D").mean()' in replied("2 day rolling average of load_kw", {"meter": hourly()})


@pytest.mark.parametrize(
    ("prompt", "part"),
    [
        ("average fare by dock", '.group_by("dock").agg(pl.col("fare").mean()).sort("dock")'),
        ("rides per month", '.group_by(pl.col("day").dt.truncate("1mo"))'),
        ("fill null minutes with 0", 'rides.with_columns(minutes=pl.col("minutes").fill_null(0))'),
        ("rides longer than 10 minutes", 'rides.filter(pl.col("minutes") > 10)'),
        ("top 2 rides by fare", '.sort("fare", descending=True, nulls_last=True).head(2)'),
        ("rides where minutes is missing", 'rides.filter(pl.col("minutes").is_null())'),
        ("cumulative fare", "to_dict(as_series=False)"),
    ],
)
def test_a_polars_table_is_asked_in_polars(prompt: str, part: str) -> None:
    variables: dict[str, Any] = {
        "rides": pl.DataFrame(
            {
                "day": pd.date_range("2024-01-20", periods=3, freq="7D").date.tolist(),
                "dock": ["Pier", "Main", "Pier"],
                "minutes": [12, None, 7],
                "fare": [3.0, 1.0, 2.0],
            }
        )
    }
    attempt = sentences.attempt(prompt, space(variables, prompt))
    assert attempt is not None
    source = attempt.answer.cells[0].source
    assert part in source
    run(source, variables)


@pytest.mark.parametrize(
    ("prompt", "variables", "answer"),
    [
        ("solve 3x + 2y = 12 and x - y = 1", {}, (2.8, 1.8)),
        ("sort cities ignoring case and remove the duplicates", {"cities": ["b", "A", "b"]}, ["A", "b"]),
        ("what's the most expensive thing in prices", {"prices": {"a": 1.5, "b": 9.0}}, ("b", 9.0)),
        ("most common words in note", {"note": "a b a"}, [("a", 2), ("b", 1)]),
    ],
)
def test_what_is_no_table_is_asked_too(prompt: str, variables: dict[str, Any], answer: Any) -> None:
    found = value(prompt, dict(variables))
    assert found == (pytest.approx(answer) if isinstance(answer, tuple) and not isinstance(answer[0], str) else answer)


def test_lines_with_a_word_are_counted_in_each_file_of_a_folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text("ERROR x\nINFO\nERROR y\n")
    assert value("count the ERROR lines in every log file in logs", {}) == {"a.log": 2}


def test_the_tables_of_a_folder_are_put_together() -> None:
    assert 'Path("data").glob("*.csv")' in replied(
        "combine all the csv files in the data folder into one dataframe", {}
    )


def test_a_new_function_is_no_edit_of_the_cell_above() -> None:
    cell = NotebookCell(id="a", source="total = 1\ntotal")
    prompt = "write a function that takes a list of numbers and returns the moving average with window k"
    answer = ENGINE.reply(Request(text=prompt, cells=(cell,), active=cell))
    assert "total" not in "\n".join(one.source for one in answer.cells)
