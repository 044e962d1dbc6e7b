"""Prompts of a person with a table of their own, and the No with its next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark_jupyter.protocol.prompt_offers import is_refusal, offered
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.reality.file_preview import preview_files
from tests.server.recipe_answers import ask, code_of, run

if TYPE_CHECKING:
    from pathlib import Path

CAFE = """
import pandas as pd
days = pd.date_range("2026-03-02", periods=10).repeat(2)
df = pd.DataFrame({"date": days, "product": ["tea", "latte"] * 10, "qty": range(20), "price": 2.5, "total": [1.0, 2.0] * 10})
"""


@pytest.mark.parametrize(
    "prompt",
    ["which day was the best?", "which weekday is best?", "what is the best product?", "which product is the best?"],
)
def test_the_best_is_not_guessed_and_a_no_offers_what_own_tables_are_good_for(prompt: str) -> None:
    answer = ask(prompt, CAFE)
    assert is_refusal(answer)
    assert any(one.endswith("in df") or " in df " in one for one in offered(answer))


@pytest.mark.parametrize("prompt", ["best way to sort a list", "Hello, sort a list"])
def test_politeness_and_the_best_way_say_nothing_about_what_is_asked(prompt: str) -> None:
    assert "sorted(" in code_of(ask(prompt))[-1]


def test_a_greeting_that_is_to_be_printed_is_no_politeness(capsys: pytest.CaptureFixture[str]) -> None:
    run(ask("print hello"))
    assert "hello" in capsys.readouterr().out


@pytest.mark.parametrize("prompt", ["total per product", "plot the total per product", "plot the total per day"])
def test_a_column_that_is_called_total_is_added_up(prompt: str) -> None:
    assert '["total"].sum()' in code_of(ask(prompt, CAFE))[0]


@pytest.mark.parametrize("prompt", ["sum of 1 to 10", "sum of the numbers from 1 to 100", "mean of 3 and 10"])
def test_a_number_of_the_prompt_is_not_answered_by_one_of_the_example_data(prompt: str) -> None:
    assert "DataFrame" not in "".join(code_of(ask(prompt)))
    assert "[1, 2, 3]" not in "".join(code_of(ask(prompt)))


def test_a_moving_average_over_days_counts_days_and_one_over_rows_counts_rows() -> None:
    by_days = run(ask("2 day moving average of qty", CAFE), CAFE)["df"]
    by_rows = run(ask("moving average of qty over 2 rows", CAFE), CAFE)["df"]
    assert by_days["rolling_mean"].iloc[-1] == 17.5
    assert by_rows["rolling_mean"].iloc[-1] == 18.5


def test_what_is_offered_about_a_table_is_answered() -> None:
    ideas = offered(ask("make me a sandwich", CAFE))
    assert len(ideas) == 3
    assert [idea for idea in ideas if not code_of(ask(idea, CAFE))] == []


def test_a_cleaned_table_is_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(ask("save the cleaned table as clean.csv", CAFE), CAFE)
    assert len((tmp_path / "clean.csv").read_text().splitlines()) == 21


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("add a column with the mean of qty and price", 'df["mean"] = df[["qty", "price"]].mean(axis=1)'),
        ("add a column with the sum of qty and price", 'df["sum"] = df["qty"] + df["price"]'),
        ("add a column that is qty minus price", 'df["difference"] = df["qty"] - df["price"]'),
        ("add a column both with the product of qty and price", 'df["both"] = df["qty"] * df["price"]'),
    ],
)
def test_a_new_column_is_what_was_said_and_named_so_where_it_has_no_name(prompt: str, code: str) -> None:
    assert code_of(ask(prompt, CAFE))[0].splitlines()[0] == code


def test_two_columns_are_not_multiplied_where_nothing_was_said_of_it() -> None:
    assert is_refusal(ask("add a column with qty and price", CAFE))


@pytest.mark.parametrize(
    "prompt",
    [
        "replace tea with new in product",
        "replace tea by new in the product column",
        "in product replace tea with new",
        "change the value tea to new in product",
        "recode tea as new in product",
    ],
)
def test_a_word_is_replaced_by_the_word_that_was_said(prompt: str) -> None:
    assert code_of(ask(prompt, CAFE))[0].splitlines()[0] == 'df["product"] = df["product"].replace("tea", "new")'


def test_no_text_of_the_books_example_is_looked_up_in_ones_own_table() -> None:
    assert is_refusal(ask("replace values in product", CAFE))


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("replace missing city with unbekannt", 'df["city"] = df["city"].fillna("unbekannt")'),
        ("fill missing city with unknown", 'df["city"] = df["city"].fillna("unknown")'),
        ("fill missing city with previous", None),
        ("fill missing city with interpolation", None),
        ("fill missing city with nothing", None),
        ("fill missing city with neighbours", None),
        ("fill missing city with interpolated values", None),
        ("replace the column city with town", None),
        ("set city with town", None),
        ("fill in city missing with unbekannt", 'df["city"] = df["city"].fillna("unbekannt")'),
        ("fill missing qty with unbekannt", None),
        ("fill missing values with unbekannt", None),
    ],
)
def test_a_word_fills_texts_that_are_missing_and_nothing_else(prompt: str, code: str | None) -> None:
    world = "import pandas as pd\ndf = pd.DataFrame({'city': ['Bonn', None, 'Ulm'], 'qty': [1, None, 3]})"
    assert [cell.splitlines()[0] for cell in code_of(ask(prompt, world))] == [code] * (code is not None)


def test_a_file_with_semicolons_is_read_as_such(tmp_path: Path) -> None:
    for name, row in (("eu.csv", "3;2,50"), ("us.csv", "3,2.50"), ("both.csv", "3;2.50")):
        (tmp_path / name).write_text(f"n{row[1]}price\n" + f"{row}\n" * 3)

    def code(prompt: str) -> str:
        return "\n".join(code_of(ask(prompt, files=preview_files(prompt, folder=tmp_path))))

    assert 'pd.read_csv("eu.csv", sep=";", decimal=",")' in code("load eu.csv and show its first rows")
    assert 'pd.read_csv("us.csv")' in code("load us.csv and show its first rows")
    assert 'pd.read_csv("both.csv")' in code("load both.csv and show its first rows")


@pytest.mark.parametrize("prompt", ["load the file shop orders.csv", "read shop orders.csv", 'load @"shop orders.csv"'])
def test_a_file_name_with_blanks_needs_no_quotes(prompt: str, tmp_path: Path) -> None:
    (tmp_path / "shop orders.csv").write_text("n,price\n3,2.50\n")
    answer = ask(prompt, files=preview_files(prompt, folder=tmp_path))
    assert 'pd.read_csv("shop orders.csv")' in "\n".join(code_of(answer))


SHOPS = """
import pandas as pd
df = pd.DataFrame({
    "Order Date": ["2025-01-30", "31.01.2025"] * 3, "Shop": [" Ulm", "ulm"] * 3, "Quantity": [0, 1, 2, 3, 4, 5.0], "Customer Age": range(6)
})
"""


@pytest.mark.parametrize("prompt", ["plot quantity over time", "total quantity per month"])
def test_texts_are_no_dates_and_a_no_offers_to_make_them_dates(prompt: str) -> None:
    """Sorted as texts, days of several months would be mixed up without a word."""
    answer = ask(prompt, SHOPS)
    assert not code_of(answer)
    assert "convert Order Date to dates in df" in offered(answer)
    assert "average Quantity by Shop in df and plot it" in offered(answer)


@pytest.mark.parametrize(
    ("prompt", "values"),
    [
        ("strip spaces from shop", {"Ulm", "ulm"}),
        ("make shop uppercase", {" ULM", "ULM"}),
        ("make shop lowercase", {" ulm", "ulm"}),
        ("clean shop", {"ulm"}),
    ],
)
def test_texts_of_a_column_are_changed_as_far_as_it_is_said(prompt: str, values: set[str]) -> None:
    assert set(run(ask(prompt, SHOPS), SHOPS)["df"]["Shop"]) == values


def test_my_csv_file_is_the_one_that_is_there(tmp_path: Path) -> None:
    def asked(prompt: str) -> str:
        return ask(prompt, files=preview_files(prompt, folder=tmp_path, anywhere=True))

    prompts = ("open my csv file", "read the csv file", "load csv into a dataframe", "import a csv")
    assert all("There is no such file in the working folder" in asked(prompt) for prompt in prompts)
    (tmp_path / "eu.csv").write_text("n;price\n" + "3;2,50\n" * 3)
    for prompt in prompts:
        assert code_of(asked(prompt))[0].endswith('df = pd.read_csv("eu.csv", sep=";", decimal=",")\ndf.head()')
    (tmp_path / "us.csv").write_text("n,price\n" + "3,2.50\n" * 3)
    for prompt in prompts:
        offers = offered(asked(prompt))
        assert [name for name in ("eu.csv", "us.csv") if any(name in one for one in offers)] == ["eu.csv", "us.csv"]
        assert 'pd.read_csv("us.csv")' in code_of(asked(offers[1]))[0]
    assert "eu.csv" not in asked("save the table as a csv file")


ORDERS = """
import pandas as pd
df = pd.DataFrame({
    "Order ID": [*range(1, 30), 29], "customer_id": [1, 2, 3] * 10, "order date": pd.date_range("2026-01-01", periods=30),
    "product": ["tea", "soup"] * 15, "price": range(30), "revenue": [2.5 * n for n in range(30)],
})
"""


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("the order with the highest revenue", 'df.nlargest(1, "revenue")'),
        ("which order has the highest revenue?", 'df.nlargest(1, "revenue")'),
        ("the most expensive order", 'df.nlargest(1, "price")'),
        ("show the last order", "df.tail(1)"),
        ("show the first row", "df.head(1)"),
        ("show the last orders", "df.tail(5)"),
        ("how many orders are there", "len(df)"),
        ("the latest order", 'df.nlargest(1, "order date")'),
        ("oldest order", 'df.nsmallest(1, "order date")'),
        ("top 3 orders by revenue", 'df.nlargest(3, "revenue")'),
        ("the customer with the most orders", 'df["customer_id"].value_counts().head(1)'),
    ],
)
def test_a_row_is_called_by_its_number_and_one_is_one(prompt: str, code: str) -> None:
    assert [cell.splitlines()[-1] for cell in code_of(ask(prompt, ORDERS))] == [code]


@pytest.mark.parametrize("prompt", ["the product with the highest revenue", "top product by revenue"])
def test_the_product_with_the_highest_revenue_is_asked_about_as_which_product_is(prompt: str) -> None:
    offers = offered(ask(prompt, ORDERS))
    assert len(offers) == 2
    assert all(len(code_of(ask(offer, ORDERS))) == 1 for offer in offers)


MIXED = """
import pandas as pd
df = pd.DataFrame({"day": ["2026-01-30", "31.01.2026", "02/01/2026", "02/13/2026", None], "total": ["1.234,50", "7,25", "1", "2,5", "3"]})
"""


def test_dates_in_several_formats_are_read_format_by_format() -> None:
    days = ["2026-01-30", "2026-01-31", "2026-02-01", "2026-02-13", "NaT"]
    answer = ask("convert day to dates", MIXED)
    assert list(map(str, run(answer, MIXED)["df"]["day"].dt.date)) == days
    error = "ValueError: time data '31.01.2026' doesn't match format '%Y-%m-%d'"
    cells = (NotebookCell(id="a", source='df["day"] = pd.to_datetime(df["day"])\ndf', error=error),)
    repaired = ask("fix this", MIXED, cells=cells, last_error=error)
    assert "several formats; each is read by itself" in repaired
    assert list(map(str, run(repaired, MIXED)["df"]["day"].dt.date)) == days


def test_numbers_with_decimal_commas_and_points_for_thousands_become_numbers() -> None:
    assert run(ask("convert total to a number", MIXED), MIXED)["df"]["total"].tolist() == [1234.5, 7.25, 1, 2.5, 3]


def test_a_column_that_is_called_as_the_file_is_the_column() -> None:
    cells = (NotebookCell(id="a", source='import pandas as pd\ndf = pd.read_csv("total.csv")'),)
    assert "to_numeric" in code_of(ask("convert total to a number", MIXED, cells=cells))[0]


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("how many rows are there", "len(df)"),
        ("how many rows are in data", "len(data)"),
        ("describe the table", "df.describe()"),
    ],
)
def test_a_table_in_another_order_is_meant_where_it_is_named(prompt: str, code: str) -> None:
    world = ORDERS + 'data = df.sort_values("price").reset_index(drop=True)\n'
    cells = (NotebookCell(id="a", source='df = df.copy()\ndata = df.sort_values("price").reset_index(drop=True)'),)
    assert code_of(ask(prompt, world, cells=cells)) == [code]
    changed = (*cells, NotebookCell(id="b", source='data["double"] = data["price"] * 2'))
    assert (code_of(ask(prompt, world, cells=changed)) == [code]) == ("data" in prompt), "it is a table of its own then"


@pytest.mark.parametrize("written", ["1.234,50", "1,234.50", "1234,5", "1 234,5 €", "$1,234.5"])
def test_the_recipe_for_numbers_reads_them_however_thousands_are_parted(written: str) -> None:
    world = f"import pandas as pd\ndf = pd.DataFrame({{'amount': ['{written}', 'unknown', '7']}})"
    assert run(ask("column is text but should be numeric", world), world)["df"]["amount"].tolist()[0] == 1234.5
