"""Values for others, yes and no spelt in several ways, columns of true and false, columns whose names end with a number."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.conversation import Question
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.request_text import question_text
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import request
from spark_jupyter.server.engines.recipes import RecipeEngine

CAMP = pd.DataFrame(
    {
        "child": ["Ida", "Jon", "Kit", "Lea", "Max"],
        "age": [7, 12, 9, 14, 11],
        "swimmer": ["Yes", "no", "Y", "N", "yes"],
        "mood": ["good", "Fair", "bad", "good", None],
        "tent": ["A", "B", "A", "C", "B"],
        "Round 1": [3.0, None, 5.0, 4.0, 2.0],
        "Round 2": [4.0, 1.0, None, 2.0, 2.0],
        "fee": ["€12", "-", "€20", "€5", "€8"],
        "likes": ["games; songs", "songs", "games", "hikes; games; songs", "hikes"],
        "stay": ["full-time", "Full time", "half", "HALF", "full-time"],
    }
)
RESULT = pd.DataFrame({"Score": [8, 6, "absent"]})


ENGINE = RecipeEngine()


def reply(prompt: str, **tables: pd.DataFrame) -> tuple[str, str]:
    """The notes and the code of an answer."""
    variables = describe(gather(tables, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    asked = request.read([Message("user", question_text(Question(request=prompt, variables=variables)))])
    answer = ENGINE.reply(asked)
    return answer.notes, "\n".join(cell.source for cell in answer.cells)


def of(prompt: str, **tables: pd.DataFrame) -> Any:
    """What the answer shows; of camps where no table is given."""
    held: dict[str, Any] = {name: table.copy() for name, table in (tables or {"camp": CAMP}).items()}
    notes, code = reply(prompt, **held)
    assert code, notes
    *lines, last = code.split("\n")
    exec("\n".join(lines), held)
    return eval(last, held)


@pytest.mark.parametrize(
    ("prompt", "children"),
    [
        ("swimmers older than 8", ["Kit", "Max"]),
        ("children who are not swimmers", ["Jon", "Lea"]),
        ("rows where swimmer is yes", ["Ida", "Kit", "Max"]),
        ("rows where swimmer is n", ["Jon", "Lea"]),
    ],
)
def test_yes_in_several_spellings_is_one_yes(prompt: str, children: list[str]) -> None:
    assert list(of(prompt)["child"]) == children


def test_groups_of_yes_in_several_spellings_are_two() -> None:
    assert of("average age by swimmer").to_dict() == {True: 9.0, False: 13.0}
    assert of("percentage of swimmers") == 60


@pytest.mark.parametrize(
    ("prompt", "values"),
    [
        ("convert swimmer to 1/0", [1, 0, 1, 0, 1]),
        ("unify the spelling of swimmer", ["yes", "no", "yes", "no", "yes"]),
        ("replace Yes, Y and yes by yes and the others by no in swimmer", ["yes", "no", "yes", "no", "yes"]),
        ("change swimmer to True and False", [True, False, True, False, True]),
    ],
)
def test_they_are_made_one(prompt: str, values: list[object]) -> None:
    assert list(of(prompt)["swimmer"]) == values


@pytest.mark.parametrize(
    ("prompt", "values"),
    [
        ("map mood to numbers: good 3, fair 2, bad 1", [3, 2, 1, 3]),
        ("encode mood as numbers: good=3, fair=2, bad=1", [3, 2, 1, 3]),
        ("turn mood into a score (good 3, fair 2, bad 1)", [3, 2, 1, 3]),
        ("in mood replace good by Fine and bad by Poor", ["Fine", "Fair", "Poor", "Fine"]),
        ("replace good and bad in mood with Fine and Poor", ["Fine", "Fair", "Poor", "Fine"]),
        ("change good to Fine and bad to Poor in mood", ["Fine", "Fair", "Poor", "Fine"]),
        ("replace good by True and bad by False in mood", [True, None, False, True]),
        ("recode mood: good -> 1, everything else -> 0", [1, 0, 0, 1]),
    ],
)
def test_values_become_others(prompt: str, values: list[object]) -> None:
    assert of(prompt)["mood"].astype(object).where(lambda held: held.notna(), None).tolist()[:4] == values


@pytest.mark.parametrize(
    "prompt", ["map mood: bright 3, dull 1", "replace in mood with Fine", "map mood to tent", "turn mood into 3 groups"]
)
def test_values_that_the_column_has_not_are_not_made_up(prompt: str) -> None:
    _, code = reply(prompt, camp=CAMP)
    assert "bright" not in code
    assert '["mood"].map(' not in code


@pytest.mark.parametrize(
    "prompt",
    [
        "set missing mood to unknown",
        "replace NaN in mood by 'unknown'",
        "fill the blanks in mood with unknown",
        "where mood is missing write unknown",
    ],
)
def test_gaps_get_what_is_said(prompt: str) -> None:
    assert list(of(prompt)["mood"])[-1] == "unknown"


@pytest.mark.parametrize(
    "prompt",
    ["replace - in fee with missing and convert to number", "convert fee to numeric and set invalid values to NaN"],
)
def test_what_is_no_number_becomes_a_gap(prompt: str) -> None:
    assert of(prompt)["fee"].fillna(0).tolist() == [12, 0, 20, 5, 8]
    assert of("convert Score to numbers, absent should become missing", result=RESULT)["Score"].fillna(0).tolist() == [
        8,
        6,
        0,
    ]


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("flag children with missing mood", "mood_missing"),
        ("add a column that says if the mood is missing", "mood_missing"),
        ("add a boolean column silent that is true if mood is missing", "silent"),
        ("mark rows where mood is missing in a new column silent", "silent"),
    ],
)
def test_a_flag_is_a_column_of_true_and_false(prompt: str, name: str) -> None:
    assert of(prompt)[name].tolist() == [False, False, False, False, True]


@pytest.mark.parametrize(
    ("prompt", "children"),
    [
        ("children who like games", ["Ida", "Kit", "Lea"]),
        ("how many children like songs", 3),
        ("rows with hikes", ["Lea", "Max"]),
    ],
)
def test_a_thing_is_found_in_texts_that_list_things(prompt: str, children: object) -> None:
    found = of(prompt)
    assert (found if isinstance(found, int) else list(found["child"])) == children


def test_spellings_become_the_words_that_are_told() -> None:
    assert of("standardize stay to full-time and half").to_dict() == {"full-time": 3, "half": 2}


def test_gaps_get_the_mean_of_a_group_that_stands_before_it() -> None:
    assert of("fill missing round 1 with the tent median")["Round 1"].tolist()[1] == 2


def test_bands_may_stand_behind_their_labels_or_be_one_number() -> None:
    labels = of("age category: small below 9, middle 9 to 12, big above 12")["age_group"].tolist()
    assert labels == ["small", "middle", "middle", "big", "middle"]
    assert of("recode age: 7-8 small, 9 nine, 10-14 big")["age_group"].tolist() == [
        "small",
        "big",
        "nine",
        "big",
        "big",
    ]


def test_a_number_is_not_taken_for_an_order() -> None:
    orders = pd.DataFrame(
        {
            "order_id": [1, 2],
            "customer_id": [7, 8],
            "product_id": [100, 101],
            "order_date": ["2024-01-05", "2024-01-20"],
        }
    )
    customers = pd.DataFrame({"customer_id": [7, 8], "name": ["Ada", "Bo"], "city": ["Rome", "Oslo"]})
    _, code = reply("how many customers ordered product 100", orders=orders, customers=customers)
    assert not code or "100" in code


def test_a_new_column_does_not_take_the_place_of_one_that_has_the_word_in_its_name() -> None:
    feed = pd.DataFrame({"kg": [40, 12], "unit_cost": [0.5, 1.0]})
    found = of("add cost = kg * unit_cost to feed", feed=feed)
    assert found["unit_cost"].tolist() == [0.5, 1.0]
    assert found["cost"].tolist() == [20, 12]


def test_bands_are_named_after_the_column_and_not_after_the_verb() -> None:
    assert "age_group" in of("bin age: 1-8 small, 9-12 medium, 13+ big")


@pytest.mark.parametrize(
    ("prompt", "column"), [("fill missing round 1 with 0", "Round 1"), ("fill missing round2 with 0", "Round 2")]
)
def test_a_column_is_not_the_one_with_the_next_number(prompt: str, column: str) -> None:
    filled = of(prompt)
    assert filled[column].isna().sum() == 0
    assert filled[["Round 1", "Round 2"]].isna().sum().sum() == 1


def test_a_new_column_may_be_called_average_or_total() -> None:
    made = of("add a column average with the mean of round 1 and round 2")
    assert made["average"].tolist() == [3.5, 1, 5, 3, 2]
    assert "sum" in of("new column sum = round 1 plus age")
    assert of("add a column total which is round 1 plus age")["total"].tolist()[0] == 10


def test_a_question_whether_it_is_numeric_converts_nothing() -> None:
    assert "to_numeric" not in reply("is the fee numeric?", camp=CAMP)[1]
