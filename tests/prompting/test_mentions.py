"""Mentions in a prompt."""

from __future__ import annotations

import pandas
import polars
import pytest

from spark_jupyter.prompting import value_details
from spark_jupyter.prompting.mentions import Mention, mentions, with_quoted_names, without_marks


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plot @df", Mention("@df", "name", "df")),
        ("plot @df.price, please", Mention("@df.price", "name", "df.price")),
        ("sum @df.", Mention("@df", "name", "df")),
        ('sum @df["unit price"]', Mention('@df["unit price"]', "name", "df", "unit price")),
        ("like @cell 3, but blue", Mention("@cell 3", "cell", "3")),
        ("load @data/sales.csv.", Mention("@data/sales.csv", "name", "data/sales.csv")),
        ('load @"my sales.csv"', Mention('@"my sales.csv"', "name", "my sales.csv")),
        ("what does @error mean?", Mention("@error", "error")),
        ("what does @output mean?", Mention("@output", "output")),
    ],
)
def test_what_stands_behind_an_at_sign_is_a_mention(text, found):
    assert mentions(text) == (found,)


def test_an_address_is_no_mention_and_each_counts_once():
    assert mentions("mail a@b.org about @df and @df") == (Mention("@df", "name", "df"),)


def test_a_prompt_full_of_them_has_a_bound():
    assert len(mentions(" ".join(f"@x{n}" for n in range(1000)))) == 12


def test_without_marks_a_request_says_the_same():
    assert without_marks('plot @df.price of @"my sales.csv" by @df["a b"]') == (
        'plot df.price of "my sales.csv" by df["a b"]'
    )


def test_a_file_that_is_told_of_is_quoted_where_its_name_has_blanks():
    files = "my sales.csv: 1,234 bytes\n  a int64: '1'\nold my sales.csv: 3 bytes\nb.csv: 5 bytes"
    assert with_quoted_names("load my sales.csv and b.csv", files) == 'load "my sales.csv" and b.csv'
    assert with_quoted_names("load old my sales.csv", files) == 'load "old my sales.csv"'
    assert with_quoted_names("load 'my sales.csv'", files) == "load 'my sales.csv'"


# --- Values in detail --------------------------------------------------------------------------------------------------


class Loud:
    """A value whose code must not run for a prompt."""

    def __repr__(self) -> str:
        raise AssertionError("it was asked")

    __str__ = __len__ = __eq__ = __repr__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


def test_a_table_has_its_schema_some_values_and_what_is_missing():
    frame = pandas.DataFrame({"price": [1.5, None, 3.0], "when": pandas.to_datetime(["2024-01-15"] * 3)})
    text = value_details.describe("df", frame)
    assert text is not None
    assert text.split("\n") == [
        "df: DataFrame (3 × 2)",
        "  'price' float64: 1.5, nan, 3.0; 1 missing",
        "  'when' datetime64[us]: 2024-01-15 00:00:00, 2024-01-15 00:00:00, 2024-01-15 00:00:00",
    ]
    assert "'a' Int64: 1, None; 1 missing" in (value_details.describe("p", polars.DataFrame({"a": [1, None]})) or "")


def test_a_column_has_more_values_and_one_that_is_not_there_has_none():
    frame = pandas.DataFrame({"a": range(20)})
    assert value_details.describe("df", frame, label="a") == "df['a']: int64: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"
    assert value_details.describe("df", frame, label="b") is None


def test_no_code_of_the_users_runs():
    frame = pandas.DataFrame({"o": [Loud(), Loud()]})
    assert "Loud, Loud" in (value_details.describe("df", frame) or "")
    assert value_details.describe("x", Loud()) == "x: Loud"
    assert value_details.describe("x", [1, Loud()]) == "x: list (2) of int, Loud\n  1, Loud"


def test_a_long_value_is_short():
    assert len(value_details.describe("x", "a" * 100_000) or "") < 1_000
    assert len(value_details.describe("x", dict.fromkeys(range(1000), "a" * 100000)) or "") < 1_500


@pytest.mark.parametrize("text", ['@"@~/private.txt"', '@"a @~/b.txt" @df', '@"@"@~/c.txt""', '@"@cell 3"'])
def test_what_is_left_without_marks_points_at_nothing_also_where_one_mark_held_another(text):
    assert mentions(without_marks(text)) == ()
