"""Sentences of one shape: what says the same in other words is understood, what is only near is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import namespace
from spark_jupyter.server.engines.phrases import shapes, turning

STAYS = pd.DataFrame(
    {
        "guest": ["Kim  ", "lee", "Ana", "BO ", "Cy", "Di"],
        "room": ["double", "single", "double", "suite", "single", "double"],
        "sex": ["F", "M", "F", "M", "M", "F"],
        "nights": [2, 1, 5, 3, 2, 7],
        "bill": [220.0, 80.5, 510.0, 900.0, 160.0, np.nan],
        "before": [5.1, 4.8, 6.2, 5.5, 5.9, 6.1],
        "after": [5.6, 4.9, 6.6, 5.4, 6.3, 6.8],
        "deposit": ["$1,200", "$300", "$ 450", "$2,000", "$0", "$75"],
        "arrival": ["2024-03-01", "2024-03-05", "2024-04-11", "2024-04-20", "2024-05-02", "2024-05-09"],
        "departure": ["2024-03-03", "2024-03-06", "2024-04-16", "2024-04-23", "2024-05-04", "2024-05-16"],
        "email": ["k@mail.com", "l@work.org", "a@mail.com", "b@uni.edu", "c@work.org", "d@mail.com"],
        "breakfast": ["yes", "no", "yes", "yes", "no", "yes"],
    }
)
THINGS: dict[str, Any] = {
    "pupils": ["Ann", "Ben", "Cleo"], "heights": [142, 150, 138], "readings": [12.5, None, 14.0],
    "poem": "Roses are red, violets are blue.", "line": "ann; Ben ;CLEO", "capitals": {"France": "Paris", "Italy": "Rome"},
    "prices": {"pens": 1.5, "pads": 4.0}, "order": [{"name": "pens", "count": 3}, {"name": "pads", "count": 1}], "messy": ["  Ann ", "BEN"],
}  # fmt: skip


def understood(prompt: str, **variables: object) -> shapes.Made | None:
    known = describe(gather(variables, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    return shapes.understood(prompt, namespace.read(known))


def space(prompt: str, **variables: object) -> dict[str, Any]:
    """What is there when the sentence's code has run; ``_`` is the value of its last line."""
    made = understood(prompt, **variables)
    assert made is not None
    *lines, last = made.code.split("\n")
    held: dict[str, Any] = dict(variables)
    exec("\n".join(lines), held)
    try:
        held["_"] = eval(last, held)
    except SyntaxError:
        exec(made.code, held)
    return held


def of_stays(prompt: str) -> Any:
    return space(prompt, stays=STAYS.copy())["_"]


WELCH = stats.ttest_ind(STAYS.nights[STAYS.room == "single"], STAYS.nights[STAYS.room == "double"], equal_var=False)
PAIRED = stats.ttest_rel(STAYS.before, STAYS.after)


@pytest.mark.parametrize(
    ("prompt", "p"),
    [
        ("do a t test to see if nights differs between single and double", WELCH.pvalue),
        ("are nights significantly higher for single than for double?", WELCH.pvalue),
        ("compare nights of single and double with a t-test", WELCH.pvalue),
        ("is nights different between single and double? do a t-test", WELCH.pvalue),
        ("is there a significant difference in nights between single and double (t-test)", WELCH.pvalue),
        ("Is there a difference in nights between single and double?", WELCH.pvalue),
        ("welch t-test single vs double in nights", WELCH.pvalue),
        ("paired t test before vs after", PAIRED.pvalue),
        ("are before and after significantly different? paired t-test", PAIRED.pvalue),
        ("is nights normally distributed?", stats.shapiro(STAYS.nights).pvalue),
        ("does before follow a normal distribution", stats.shapiro(STAYS.before).pvalue),
        (
            "are room and breakfast independent?",
            stats.chi2_contingency(pd.crosstab(STAYS.room, STAYS.breakfast)).pvalue,
        ),
        (
            "one-way anova of nights across room",
            stats.f_oneway(*(one for _, one in STAYS.groupby("room").nights)).pvalue,
        ),
    ],
)
def test_a_question_of_statistics_names_its_columns_in_any_order(prompt: str, p: float) -> None:
    assert of_stays(prompt).pvalue == pytest.approx(p)


@pytest.mark.parametrize(
    "prompt",
    [
        "t-test of guest between single and double",
        "is nights different between single and Paris",
        "chi square test of bill and before",
        "95% confidence interval of guest",
        "is guest normally distributed?",
        "anova of room by nights",
        "t-test of nights between single and double and email it to Kim",
        "clean the bill",
        "turn guest into a number",
        "guest is messy, delete them",
        "why is the bill so high",
        "why does nights - before fail",
        "extract the domain from room",
    ],
)
def test_what_does_not_fit_the_columns_or_says_more_has_no_shape(prompt: str) -> None:
    assert understood(prompt, stays=STAYS) is None


def test_a_condition_of_a_test_chooses_its_rows() -> None:
    women = STAYS[STAYS.sex == "F"]
    assert of_stays("paired t-test before vs after for the women").pvalue == pytest.approx(
        stats.ttest_rel(women.before, women.after).pvalue
    )


@pytest.mark.parametrize(
    ("prompt", "guests"),
    [
        ("guest is a mess: trim it and use title case", ["Kim", "Lee", "Ana", "Bo", "Cy", "Di"]),
        ("clean up guest, strip the spaces and make it lower case", ["kim", "lee", "ana", "bo", "cy", "di"]),
        ("guest names are inconsistent, make them all upper case without spaces", ["KIM", "LEE", "ANA", "BO", "CY", "DI"]),
    ],
)  # fmt: skip
def test_texts_are_cleaned_as_is_said(prompt: str, guests: list[str]) -> None:
    assert list(of_stays(prompt)["guest"]) == guests


@pytest.mark.parametrize(
    "prompt",
    [
        "deposit is stored as text, convert it to numbers",
        "turn deposit into a number",
        "make deposit numeric",
        "deposit in stays is text, make it a number",
        "strip the dollar sign from deposit and make it a number",
    ],
)
def test_numbers_in_texts_become_numbers(prompt: str) -> None:
    assert list(of_stays(prompt)["deposit"]) == [1200, 300, 450, 2000, 0, 75]


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("what share of bill is missing?", 100 / 6),
        ("percentage of missing values in bill", 100 / 6),
        ("how much of the bill data is missing", 100 / 6),
        ("how many rows have at least one gap", 1),
        ("number of rows with missing values", 1),
    ],
)
def test_gaps_are_told_as_a_share_or_counted_by_rows(prompt: str, value: float) -> None:
    assert of_stays(prompt) == pytest.approx(value)


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("marks in long format: pupil, subject, points", ["pupil", "subject", "points"]),
        ("bring marks into long format with pupil, topic and result", ["pupil", "topic", "result"]),
        ("turn marks into long format", ["pupil", "variable", "value"]),
        ("melt marks keeping pupil", ["pupil", "variable", "value"]),
    ],
)
def test_a_wide_table_becomes_long_with_the_names_that_are_said(prompt: str, names: list[str]) -> None:
    marks = pd.DataFrame({"pupil": ["Ann", "Ben"], "maths": [3, 5], "art": [4, 1]})
    found = space(prompt, marks=marks)["_"]
    assert list(found.columns) == names
    assert list(found[names[-1]]) == [3, 5, 4, 1]


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("put pupils and heights into a dictionary", {"Ann": 142, "Ben": 150, "Cleo": 138}),
        ("make a dict with pupils as keys and heights as values", {"Ann": 142, "Ben": 150, "Cleo": 138}),
        ("readings without None", [12.5, 14.0]),
        ("replace None in readings with 0", [12.5, 0, 14.0]),
        ("drop the None from readings and convert the rest to fahrenheit", [54.5, 57.2]),
        ("split line at the semicolons, strip spaces and lower case", ["ann", "ben", "cleo"]),
        ("strip the spaces from messy and make them lower case", ["ann", "ben"]),
        ("who has the lowest height?", "Cleo"),
        ("who has the best height? 1 is the best", "Cleo"),
        ("total cost of order using prices", 8.5),
        ("what does order cost with prices", 8.5),
        ("average of heights without numpy", 430 / 3),
        ("square every number in heights with a for loop", [20164, 22500, 19044]),
        ("swap keys and values of capitals", {"Paris": "France", "Rome": "Italy"}),
        ("why does sum(readings) fail", 26.5),
        ("how often does each word appear in poem", [("are", 2), ("roses", 1), ("red", 1), ("violets", 1), ("blue", 1)]),
    ],
)  # fmt: skip
def test_lists_dictionaries_and_texts_are_asked_about(prompt: str, value: object) -> None:
    assert space(prompt, **THINGS)["_"] == value


@pytest.mark.parametrize(
    "prompt",
    [
        "count the words in poem",
        "why does sum(heights) fail",
        "plot the capitals",
        "a function that sorts the pupils",
        "function that checks if a password was leaked",
        "put pupils and readings and heights into a dictionary",
        "who has the best weight",
        "square every other number in heights",
    ],
)
def test_what_is_near_to_a_shape_of_things_has_none(prompt: str) -> None:
    assert understood(prompt, **THINGS) is None


def test_a_loop_numbers_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    made = understood("print every pupil with its number", **THINGS)
    assert made is not None
    exec(made.code, dict(THINGS))
    assert capsys.readouterr().out == "1 Ann\n2 Ben\n3 Cleo\n"


def test_a_function_that_is_known_by_what_it_does_is_written() -> None:
    held: dict[str, Any] = {}
    made = understood("write a function that checks whether a word is a palindrome")
    assert made is not None
    exec(made.code, held)
    assert (held["is_palindrome"]("Level"), held["is_palindrome"]("python")) == (True, False)


def test_bars_have_the_names_below_and_the_colour_that_is_said() -> None:
    made = understood("plot heights as bars with the pupils below, red", **THINGS)
    assert made is not None
    assert 'ax.bar(pupils, heights, color="red")' in made.code


@pytest.mark.parametrize(
    ("said", "further", "both"),
    [
        ("sort prices by value from high to low", "and the other way round", "sort prices by value ascending"),
        ("sort prices by value", "in reverse", "sort prices by value descending"),
        (
            "square every mark in marks with a for loop",
            "now with a list comprehension",
            "square every mark in marks with a list comprehension",
        ),
        ("mean of marks", "the other way round", None),
        ("sort prices by value", "and reverse the text", None),
    ],
)
def test_a_follow_up_turns_the_form_of_what_was_asked(said: str, further: str, both: str | None) -> None:
    assert turning.turned(said, further) == both


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("second element of pupils", "Ben"),
        ("every second pupil", ["Ann", "Cleo"]),
        ("join pupils with commas", "Ann, Ben, Cleo"),
        ("is Ben in pupils", True),
        ("index of Cleo in pupils", 2),
        ("replace Ben with Bo in pupils", ["Ann", "Bo", "Cleo"]),
        ("longest pupil name", "Cleo"),
        ("total of readings ignoring None", 26.5),
        ("first letters of pupils", ["A", "B", "C"]),
        ("count vowels in poem", 12),
        ("difference between max and min of heights", 12),
        ("sort pupils by heights", ["Cleo", "Ann", "Ben"]),
    ],
)
def test_elements_are_found_counted_and_replaced(prompt: str, value: object) -> None:
    assert space(prompt, **THINGS)["_"] == value


@pytest.mark.parametrize(
    "prompt",
    ["every pupil", "replace Ben in pupils", "which pupils have heights", "the longest reading", "join heights with commas"],
)  # fmt: skip
def test_a_sentence_of_elements_that_lacks_something_is_none(prompt: str) -> None:
    made = understood(prompt, **THINGS)
    assert made is None


def test_types_standard_errors_and_flags_of_columns() -> None:
    assert list(of_stays("what type does each column have").index) == list(STAYS.columns)
    assert of_stays("standard error of the mean of before") == pytest.approx(STAYS.before.sem())
    assert list(of_stays("convert breakfast to 0 and 1")["breakfast"]) == [1, 0, 1, 1, 0, 1]
    assert list(of_stays("duplicated rooms")["room"]) == ["double", "single", "double", "single", "double"]
