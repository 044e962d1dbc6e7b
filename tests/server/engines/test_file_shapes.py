"""Sentences about files that are read as they are written, lines of texts, what is saved, series, and tables that are turned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.server.engines.test_shapes import space, understood

STOCK = pd.DataFrame({"item": ["nut", "nut", "bolt"], "shop": ["A", "B", "A"], "price": [1.5, 2.0, 3.0]})
LEVEL = pd.Series([2.0, None, 4.0, 3.0], index=pd.date_range("2024-05-01", periods=4))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a_1.csv").write_text("item;price\nnut;1,5\n", encoding="utf-8")
    (tmp_path / "a_2.csv").write_text("item;price\nbolt;2,5\n", encoding="utf-8")
    (tmp_path / "more.csv").write_text("item,shop,price\npin,C,9\n", encoding="utf-8")
    (tmp_path / "log.txt").write_text("rain today\nsunny\n\nRain again\n", encoding="utf-8")
    return tmp_path


def after(prompt: str) -> Any:
    """What the last line shows."""
    return space(prompt, stock=STOCK.copy(), level=LEVEL.copy())["_"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "prompt",
    ["read a_1.csv, semicolons and decimal commas", "load a_1.csv with semicolon as separator and decimal comma"],
)
def test_a_file_is_read_as_it_is_said_to_be_written(prompt: str) -> None:
    assert after(prompt)["price"].tolist() == [1.5]


@pytest.mark.usefixtures("folder")
def test_files_of_a_pattern_become_one_table_and_each_row_knows_its_file() -> None:
    made = after("load all a_*.csv files into one table with a column saying which file, semicolons and decimal commas")
    assert made[["price", "file"]].to_numpy().tolist() == [[1.5, "a_1.csv"], [2.5, "a_2.csv"]]


@pytest.mark.usefixtures("folder")
def test_a_files_rows_are_appended() -> None:
    assert after("append more.csv to stock")["item"].tolist() == ["nut", "nut", "bolt", "pin"]


@pytest.mark.usefixtures("folder")
def test_only_lines_with_a_word_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    made = understood("read log.txt and print only the lines with rain in them", stock=STOCK)
    assert made is not None
    exec(made.code, {})
    assert capsys.readouterr().out == "rain today\n"
    assert after("number of lines with rain in log.txt, upper or lower case") == 2


@pytest.mark.usefixtures("folder")
def test_a_table_is_saved_without_row_numbers(folder: Path) -> None:
    after("save stock as stock.csv, without the row numbers")
    assert (folder / "stock.csv").read_text(encoding="utf-8").startswith("item,shop,price\n")


def test_a_word_about_a_file_that_is_not_known_makes_a_no() -> None:
    assert understood("read a_1.csv, semicolons and magic", stock=STOCK) is None
    assert understood("load all good csv files into one table", stock=STOCK) is None


def test_a_series_is_asked_in_words() -> None:
    assert after("on which date was level highest") == pd.Timestamp("2024-05-03")
    assert after("interpolate the gaps in level").tolist() == [2.0, 3.0, 4.0, 3.0]
    assert after("2 day rolling mean of level").tolist()[-1] == 3.5
    assert after("how many values of level are above 2.5") == 2


@pytest.mark.parametrize(
    "prompt",
    [
        "every shop is a column and the items are the rows, values price",
        "pivot stock with shop as columns and item as rows, price as values",
        "turn stock so that every shop is a column and item are the rows",
    ],
)
def test_values_of_a_column_become_columns(prompt: str) -> None:
    made = after(prompt)
    assert made.loc["nut"].tolist() == [1.5, 2.0]


def test_how_often_two_values_come_together_is_a_table_with_totals() -> None:
    assert after("number of rows per item and shop as a table with totals").loc["nut", "All"] == 2
