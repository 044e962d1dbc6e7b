"""Columns of text: what they hold, and the words of a prompt in them."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.column_profile import kind_of_texts, phrases, sample, words_found


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
    assert kind_of_texts(texts) == said


def test_only_values_that_the_prompt_has_are_told_as_the_table_spells_them() -> None:
    assert words_found(["Casual", "Member", "secret"], phrases("trips by casual riders")) == "has 'Casual'"
    assert words_found(["Bo Lind", "Cy Park"], phrases("films of bo lind")) == "has 'Bo Lind'"
    assert words_found(["IT", "HR"], phrases("is it true")) == ""
    assert words_found(["IT", "HR"], phrases("people in IT")) == "has 'IT'"
    assert words_found(["A", "B"], phrases("A class with fit and predict. A plot of it: A heatmap, as I said")) == ""
    assert words_found(["A", "B"], phrases("days of shop A")) == "has 'A'"
    assert words_found(["A", "B"], phrases("'A' only")) == "has 'A'"
    assert words_found(["I", "II"], phrases("What I want is the mean")) == ""
    assert words_found(["IT", "NO"], phrases("IT people")) == "has 'IT'"
    assert words_found(["No", "Yes"], phrases("No churn, please")) == ""
    assert words_found(["woman", "member"], phrases("members only")) == "has 'member'"


def test_a_value_that_could_be_read_as_something_else_is_not_words_found() -> None:
    assert words_found(["x'); import os", "a\nb"], phrases("x'); import os a b")) == ""


def test_a_sample_shows_each_form_in_which_a_column_is_written() -> None:
    assert sample({"$1.50": 9, "$2.25": 8, "3.10 USD": 1, "n/a": 1}, 3) == ["$1.50", "3.10 USD", "n/a"]
    assert sample({"a": 2, "b": 1}, 3) == ["a", "b"]


def test_a_name_of_the_prompt_that_stands_in_values_is_told_and_the_values_are_not() -> None:
    assert words_found(["George Orwell", "Jane Austen"], phrases("books by Orwell")) == "in it 'Orwell'"
    assert words_found(["George Orwell", "Jane Austen"], phrases("books by orwell")) == ""


def test_a_value_is_told_where_the_prompt_has_it_as_a_verb_of_the_past() -> None:
    assert words_found(["sell", "buy"], phrases("who sold most")) == "has 'sell'"
