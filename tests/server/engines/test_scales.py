"""Questionnaires and texts that were typed: scales, codes for nothing, labels, names of columns, several columns at once."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.server.engines.answered import listed, result, sources

ANSWERS = pd.DataFrame(
    {
        "id": [1, 2, 3],
        "q1": [1, 99, 5],
        "q2": [2, 4, 99],
        "q3": [5, 1, 3],
        "level": ["jun", " Junior", "Senior"],
        "age": ["21", "26 years", "30y"],
    }
)
CLASSES = pd.DataFrame(
    {"Name ": ["Novak, Petra", "Diaz, Luis", "Diaz, Luis "], "Quiz 1": ["14", "abs", "12"], "Quiz 2": ["abs", "9", "8"]}
)


def table(prompt: str, **tables: pd.DataFrame) -> pd.DataFrame:
    found = result(prompt, **tables)
    assert isinstance(found, pd.DataFrame), found
    return found


@pytest.mark.parametrize(
    "prompt", ["99 means no answer, set it to missing in q1 to q3", "replace 99 with NaN in q1, q2 and q3"]
)
def test_a_code_for_nothing_becomes_a_gap_in_each_of_the_columns(prompt: str) -> None:
    assert table(prompt, survey=ANSWERS)[["q1", "q2", "q3"]].isna().sum().tolist() == [1, 1, 0]


def test_a_scale_is_turned_round() -> None:
    assert table("reverse code q3 (scale is 1 to 5)", survey=ANSWERS)["q3"].tolist() == [1, 5, 3]


def test_texts_become_the_label_that_they_are_short_for() -> None:
    found = table("clean level so there is only junior and senior", survey=ANSWERS)
    assert found["level"].str.lower().tolist() == ["junior", "junior", "senior"]


def test_the_number_is_taken_out_of_a_text() -> None:
    assert table("get the number out of age", survey=ANSWERS)["age"].astype(float).tolist() == [21, 26, 30]


def test_names_of_columns_lose_their_spaces() -> None:
    assert table("strip the spaces from the column names of classes", classes=CLASSES).columns[0] == "Name"


def test_both_columns_become_numbers_and_what_is_none_is_missing() -> None:
    found = table("replace abs by missing and make both quiz columns numeric", classes=CLASSES)
    assert found[["Quiz 1", "Quiz 2"]].sum().tolist() == [26, 17]


def test_rows_are_there_once_whatever_the_spaces() -> None:
    assert len(table("delete duplicate names in classes, watch out for spaces", classes=CLASSES)) == 2


def test_values_are_counted_whatever_their_case() -> None:
    faults = pd.DataFrame({"fault": ["Lock", " lock", "chain"], "cost": [1, 2, 3]})
    assert listed("count the faults, ignore upper/lower case and spaces", repairs=faults) == {"lock": 2, "chain": 1}


def test_a_function_has_the_formula_that_is_told() -> None:
    (code,) = sources("function that turns points into a mark with 1 + 5 * points / 40")
    space: dict[str, object] = {}
    exec(code, space)
    (made,) = [one for name, one in space.items() if callable(one) and not name.startswith("_")]
    assert made(40) == 6


def test_a_file_is_read_with_the_sign_that_stands_between() -> None:
    (code,) = sources("read parents.csv, it's separated by semicolons")
    assert 'sep=";"' in code
