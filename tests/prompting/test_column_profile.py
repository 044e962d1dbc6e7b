"""What is told of a column of text: its kind, and values only where the prompt has them."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.column_profile import phrases, told
from spark_jupyter.prompting.kernel_context import gather


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["2024-01-03", "2024-12-31 08:15"], "dates"),
        (["03/02/2024", "15/02/2024"], "dates, day first"),
        (["02/15/2024", "03/02/2024"], "dates, month first"),
        (["03/02/2024", "04/05/2024"], "dates"),
        (["31.12.2024", "01.02.2024"], "dates, day first"),
        (["$1,200", "$35.50", "n/a"], "numbers"),
        (["-54,20", "2.450,00"], "numbers, decimal comma"),
        (["2024-01-03", "soon"], ""),
        (["Y", "N", "Y"], "truth 'Y' 'N'"),
        (["no", "yes"], "truth 'yes' 'no'"),
        (["Yes", "no", "Y", "yes"], "truth 'Y' 'Yes' 'yes' or 'no'"),
        (["yes ", "no", "no"], "truth 'yes ' 'no'"),
        (["Ito, Ken", "Moss, Lea"], "names, last first"),
        (["10 A", "10 B", "11 A"], ""),
        (["1.2 kg", "3 kg"], "numbers"),
        (["", " "], ""),
        ([], ""),
    ],
)
def test_a_column_of_texts_is_told_by_what_they_are(texts: list[str], said: str) -> None:
    assert told(texts, frozenset()) == said


def test_only_values_that_the_prompt_has_are_told_as_the_table_spells_them() -> None:
    assert told(["Casual", "Member", "secret"], phrases("trips by casual riders")) == "has 'Casual'"
    assert told(["Bo Lind", "Cy Park"], phrases("films of bo lind")) == "has 'Bo Lind'"
    assert told(["IT", "HR"], phrases("is it true")) == ""
    assert told(["IT", "HR"], phrases("people in IT")) == "has 'IT'"
    assert told(["woman", "member"], phrases("members only")) == "has 'member'"


def test_a_value_that_could_be_read_as_something_else_is_not_told() -> None:
    assert told(["x'); import os", "a\nb"], phrases("x'); import os a b")) == ""


def test_without_a_prompt_no_column_is_looked_into() -> None:
    frame = pd.DataFrame({"city": ["Ulm", "Bonn"], "n": [1, 2]})
    assert "Ulm" not in describe(gather({"df": frame}), budget_tokens=100)
    assert "city str(has 'Ulm')" in describe(
        gather({"df": frame.astype({"city": "object"})}, prompt="only ulm", time_cap=60), budget_tokens=100
    ).replace("object(", "str(")


def test_gaps_of_numbers_and_an_index_of_dates_are_told() -> None:
    index = pd.date_range("2024-01-01", periods=2, name="day")
    frame = pd.DataFrame({"load": [1.0, None], "cost": [1.0, 2.0]}, index=index)
    line = describe(gather({"meter": frame}, prompt="load", time_cap=60), budget_tokens=100, prompt="load")
    assert line == "meter: DataFrame (2 × 2), index day of dates: load float64(gaps), cost float64"


def test_a_name_of_the_prompt_that_stands_in_values_is_told_and_the_values_are_not() -> None:
    assert told(["George Orwell", "Jane Austen"], phrases("books by Orwell")) == "in it 'Orwell'"
    assert told(["George Orwell", "Jane Austen"], phrases("books by orwell")) == ""


def test_a_value_is_told_where_the_prompt_has_it_as_a_verb_of_the_past() -> None:
    assert told(["sell", "buy"], phrases("who sold most")) == "has 'sell'"


def test_numbers_that_are_yes_and_no_and_parts_of_one_are_told() -> None:
    frame = pd.DataFrame(
        {
            "churned": [0, 1, 1],
            "discount": [0.1, None, 0.25],
            "none": [0, 0, 0],
            "qty": [0, 1, 2],
            "rate": [0.5, 1.0, 0.0],
        }
    )
    line = describe(gather({"df": frame}, prompt="churned", time_cap=60), budget_tokens=100, prompt="churned")
    assert line == (
        "df: DataFrame (3 × 5): churned int64(0 or 1), discount float64(gaps, 0 to 1), none int64, qty int64, rate float64(0 to 1)"
    )
