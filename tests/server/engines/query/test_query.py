"""What a sentence asks of the user's tables: none of it is dropped in silence, and the right table is taken."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.protocol.offers import offered
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import namespace as names
from spark_jupyter.server.engines import request, sentences
from spark_jupyter.server.engines.recipes import RecipeEngine


@pytest.fixture(autouse=True)
def _no_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")


def parts() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "plant": ["Ost", "West", "Ost", "Nord", "West"],
            "made_on": ["2024-01-15", "2024-01-16", "2024-02-01", "2024-02-20", "2024-03-05"],
            "weight_g": [510.0, 480.0, 530.0, 505.0, None],
            "defects": [1, 0, 4, 2, 0],
        }
    )


def space() -> dict[str, Any]:
    return {"parts": parts()}


def namespace(variables: dict[str, Any], *cells: str) -> names.Namespace:
    return names.read(describe(gather(variables), budget_tokens=4000), cells)


def made(prompt: str, variables: dict[str, Any] | None = None) -> str:
    attempt = sentences.attempt(prompt, namespace(space() if variables is None else variables))
    assert attempt is not None
    assert attempt.left == ()
    return attempt.answer.cells[0].source


def value(prompt: str, variables: dict[str, Any] | None = None) -> Any:
    variables = space() if variables is None else variables
    *lines, last = made(prompt, variables).split("\n")
    exec("\n".join(lines), variables)
    return eval(last, variables)


@pytest.mark.parametrize(
    ("prompt", "rows"),
    [
        ("plant is Ost and defects above 2", [2]),
        ("plant is Ost or defects below 1", [0, 1, 2, 4]),
        ("parts from West or Nord with at most 1 defects", [1, 4]),
        ("parts made after 2024-01-16 and before 2024-03-01", [2, 3]),
        ("defects between 1 and 2, plant not West", [0, 3]),
        ("weight_g is missing", [4]),
        ("rows without weight", [4]),
        ("made in february 2024 with more than 3 defects", [2]),
        ("plant starts with O", [0, 2]),
        ("no defects", [1, 4]),
        ("heavier than 500 and plant = 'Ost'", [0, 2]),
        ("remove the rows where defects > 3 and plant is Ost", [0, 1, 3, 4]),
    ],
)
def test_of_several_conditions_none_is_dropped(prompt: str, rows: list[int]) -> None:
    assert list(value(prompt).index) == rows


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("mean defects per plant, highest first", {"Ost": 2.5, "Nord": 2.0, "West": 0.0}),
        ("how many parts per plant", {"Nord": 1, "Ost": 2, "West": 2}),
        ("Anzahl pro plant", {"Nord": 1, "Ost": 2, "West": 2}),
        ("which plant has the most defects", {"Ost": 5}),
        ("top 2 plants by total defects", {"Ost": 5, "Nord": 2}),
        ("share of each plant in the total defects", {"Nord": 200 / 7, "Ost": 500 / 7, "West": 0.0}),
    ],
)
def test_groups_are_summed_up_as_asked(prompt: str, expected: dict[str, float]) -> None:
    assert value(prompt).to_dict() == pytest.approx(expected)


def test_a_date_that_is_stored_as_text_is_converted_first() -> None:
    variables = space()
    assert list(value("number of parts per month", variables)) == [2, 2, 1]
    assert variables["parts"]["made_on"].dtype.kind == "M"


def test_a_sentence_that_asks_for_a_function_gets_one() -> None:
    variables = space()
    exec(made("a function that returns the mean defects of a plant", variables), variables)
    assert variables["mean_defects"]("Ost") == 2.5


def test_a_formula_makes_a_column() -> None:
    assert list(value("new column rate = defects / weight_g * 1000")["rate"].round(2))[:2] == [1.96, 0.0]


def test_a_title_and_a_number_of_bins_reach_the_picture() -> None:
    source = made("histogram of weight with 12 bins and title Weights of parts")
    assert "bins=12" in source
    assert 'plt.title("Weights of parts")' in source


def test_words_that_nothing_is_made_of_are_told() -> None:
    attempt = sentences.attempt("mean defects per plant by wavelet", namespace(space()))
    assert attempt is not None
    assert attempt.left == ("wavelet",)
    assert any("wavelet" in doubt for doubt in attempt.answer.doubts)


# --- which table ------------------------------------------------------------------------------------------------------


def leftover() -> dict[str, Any]:
    table = parts()
    return {
        "parts": table,
        "costs": pd.DataFrame({"plant": ["Ost"], "cost": [1.0]}),
        "sub": table[table["plant"] == "Ost"],
    }


def test_of_several_tables_the_one_is_taken_that_has_the_columns() -> None:
    assert value("mean cost per plant", leftover()).to_dict() == {"Ost": 1.0}


def test_what_a_loop_left_behind_comes_last() -> None:
    assert "parts.groupby" in made("mean defects per plant", leftover())
    table = parts()
    loop = namespace({"parts": table, "each": table.copy()}, "for name, each in parts.groupby('plant'):\n    pass")
    attempt = sentences.attempt("mean defects per plant", loop)
    assert attempt is not None
    assert "parts.groupby" in attempt.answer.cells[0].source


def test_a_table_that_is_named_is_taken_even_so() -> None:
    assert "sub.groupby" in made("mean defects per plant in sub", leftover())


def test_columns_of_two_tables_are_joined_by_what_they_share() -> None:
    assert value("total defects by cost", leftover()).to_dict() == {1.0: 5}


def test_another_table_that_would_do_is_offered() -> None:
    twins = {"first_half": parts(), "second_half": parts()}
    attempt = sentences.attempt("mean defects per plant", namespace(twins))
    assert attempt is not None
    assert offered(attempt.answer.notes) == ("mean defects per plant, from first_half",)
    again = sentences.attempt(offered(attempt.answer.notes)[0], namespace(twins))
    assert again is not None
    assert "first_half.groupby" in again.answer.cells[0].source
    assert again.left == ()


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quotes", ['""', "''", "“”", "``"])
def test_a_file_in_quotes_may_have_spaces_and_brackets_in_its_name(quotes: str) -> None:
    asked = f"mean of Umsatz by Region in {quotes[0]}Sales 2024 (final).csv{quotes[1]}"
    answer = RecipeEngine(()).answer((Message("user", f"## Request\n{asked}"),), instructions="", model="m")
    text = "".join(str(piece) for piece in answer)
    assert 'read_csv("Sales 2024 (final).csv"' in text
    assert "example" not in text.lower()
    assert "isin" not in text


def test_a_file_of_the_users_is_read_and_never_written(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("a;b\n1;2\n")
    variables: dict[str, Any] = {}
    answer = RecipeEngine().reply(request.Request(text="load data.csv"))
    assert len(answer.cells) == 1
    exec(answer.cells[0].source, variables)
    assert list(variables["df"].columns) == ["a", "b"]
    assert (tmp_path / "data.csv").read_text() == "a;b\n1;2\n"


@pytest.mark.parametrize(
    "prompt", ["what is the capital of france", "translate parts to spanish", "write a thesis on parts"]
)
def test_what_asks_nothing_of_a_table_is_left_alone(prompt: str) -> None:
    attempt = sentences.attempt(prompt, namespace(space()))
    assert attempt is None or (attempt.left and not attempt.telling)


def test_names_of_the_users_are_not_overwritten() -> None:
    variables = space() | {"chosen": 1}
    source = made("plant is Ost", variables)
    assert re.search(r"^chosen\b", source, re.MULTILINE) is None


def test_an_answer_from_a_book_takes_the_right_table_too_and_offers_the_others() -> None:
    twins = {"first_half": parts(), "second_half": parts(), "sub": parts().head(1)}
    answer = RecipeEngine().reply(request.Request(text="first look at the table", namespace=namespace(twins)))
    assert "second_half" in answer.cells[0].source
    assert offered(answer.notes) == ("first look at the table, from first_half",)


@pytest.mark.parametrize(
    ("prompt", "rows"),
    [
        ("only West or Ost with more than 1 defects", [2]),
        ("plants heavier than 500 g", [0, 2, 3]),
        ("parts with a weight above 500 in Nord", [3]),
        ("defects at most 1 and plant is not Ost", [1, 4]),
    ],
)
def test_units_articles_and_values_of_no_column_are_understood(prompt: str, rows: list[int]) -> None:
    assert list(value(prompt).index) == rows


def test_a_column_of_truth_values_is_a_condition_and_hours_are_of_the_column_of_dates() -> None:
    table = pd.DataFrame(
        {
            "at": pd.date_range("2024-01-01", periods=24, freq="h"),
            "load": range(24),
            "night": [h < 6 for h in range(24)],
        }
    )
    assert value("mean load when night", {"table": table}) == 2.5
    assert value("mean load when not night", {"table": table}) == 14.5
    assert list(value("load between 8 and 9 o'clock", {"table": table}).load) == [8, 9]


def test_what_is_in_a_variable_is_answered_in_notes() -> None:
    asked = request.Request(text="what is in parts?", namespace=namespace(space()))
    answer = RecipeEngine().reply(asked)
    assert answer.cells == ()
    assert "`weight_g`: float64" in answer.notes
    assert "5 rows" in answer.notes
