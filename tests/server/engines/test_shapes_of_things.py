"""Sentences about lists, dictionaries, sets, arrays and nothing at all: what says the same in other words gives the same values."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import evidence, namespace, phrases, wording
from spark_jupyter.server.engines.phrases import shapes, things
from spark_jupyter.server.engines.phrases.shapes import template

THINGS: dict[str, Any] = {
    "ages": [34, 12, 57, 19], "words": ["radar", "house", "noon", "house"], "scores": {"Mia": 91, "Tom": 67, "Ada": 78, "Leo": 55},
    "cart": [{"item": "pen", "price": 1.5, "qty": 4}, {"item": "book", "price": 12.0, "qty": 1}],
    "sentence": "the cat saw the dog", "steps": ["8123", "n/a", "10,450"], "matrix": [[1, 2], [3, 5]],
    "visits": [date(2024, 2, 1), date(2023, 5, 1), date(2024, 3, 1)],
    "shop_a": {"apples", "milk"}, "shop_b": {"milk", "bread"},
    "conc": np.array([0.0, 1.0, 2.0, 4.0]), "signal": np.array([0.1, 0.3, 0.5, 0.9]), "blank": np.array([0.1, 0.1, 0.1, 0.1]),
    "reading": np.array([5.0, 5.2, 4.9, 5.1, 5.0, 4.8, 5.0, 19.0]), "plate": np.array([[1.0, 3.0], [2.0, 6.0]]),
}  # fmt: skip


def understood(prompt: str) -> shapes.Made | None:
    known = describe(gather(THINGS, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    return shapes.understood(prompt, namespace.read(known))


def value(prompt: str) -> Any:
    """The value of the last line of the sentence's code."""
    made = understood(prompt)
    assert made is not None
    *lines, last = made.code.split("\n")
    held = dict(THINGS)
    exec("\n".join(lines), held)
    return eval(last, held)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("sort ages from oldest to youngest", [57, 34, 19, 12]),
        ("average age without the smallest and the largest", 26.5),
        ("which words in words are palindromes?", ["radar", "noon"]),
        ("the two most common words in sentence", [("the", 2), ("cat", 1)]),
        (
            "give each student in scores a grade: A from 80, B from 60, otherwise C",
            {"Mia": "A", "Tom": "B", "Ada": "B", "Leo": "C"},
        ),
        ("names of everyone in scores with more than 70", ["Mia", "Ada"]),
        ("how much does everything in cart cost? price times qty", 18.0),
        ("turn steps into numbers, skip those that are not", [8123.0, 10450.0]),
        ("sum of each row of matrix", [3, 8]),
        ("column sums of matrix", [4, 7]),
        ("transpose matrix", [[1, 3], [2, 5]]),
        ("all odd numbers in matrix", [1, 3, 5]),
        ("what do both shops sell? shop_a and shop_b", {"milk"}),
        ("what is in shop_a but not in shop_b", {"apples"}),
        ("reverse each word in words", ["radar", "esuoh", "noon", "esuoh"]),
        ("make a dict from words to their length", {"radar": 5, "house": 5, "noon": 4}),
        ("group words by their first letter", {"r": ["radar"], "h": ["house", "house"], "n": ["noon"]}),
        ("add 5 points to every score", {"Mia": 96, "Tom": 72, "Ada": 83, "Leo": 60}),
        ("capitalize every word in sentence", "The Cat Saw The Dog"),
        ("read sentence backwards", "god eht was tac eht"),
        ("make a list of the squares of 1 to 5", [1, 4, 9, 16, 25]),
        ("sum of the even numbers from 1 to 10", 30),
        ("first 5 primes", [2, 3, 5, 7, 11]),
    ],
)
def test_lists_dictionaries_sets_and_ranges_are_asked_about(prompt: str, expected: object) -> None:
    assert value(prompt) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("subtract the blank from signal and call it corrected", [0.0, 0.2, 0.4, 0.8]),
        ("which reading values are more than 2 standard deviations from the mean?", [19.0]),
        ("what concentration belongs to a signal of 0.7 by the calibration line?", 3.0),
        ("column means of plate", [1.5, 4.5]),
        ("divide each row of plate by its sum", [[0.25, 0.75], [0.25, 0.75]]),
        ("replace values of reading above 10 by 0", [5.0, 5.2, 4.9, 5.1, 5.0, 4.8, 5.0, 0.0]),
        ("90th percentile of signal", 0.78),
    ],
)
def test_arrays_are_reckoned_with(prompt: str, expected: object) -> None:
    assert np.allclose(value(prompt), expected)


def test_a_line_through_points_tells_slope_intercept_and_r_squared(capsys: pytest.CaptureFixture[str]) -> None:
    value("fit a straight line to signal over conc: slope, intercept and r squared")
    slope, intercept, r2 = (float(line.split(":")[1]) for line in capsys.readouterr().out.splitlines())
    assert (round(slope, 6), round(intercept, 6), round(r2, 6)) == (0.2, 0.1, 1.0)


@pytest.mark.parametrize(
    ("prompt", "calls", "expected"),
    [
        ("make a class Student with name and grades and a method average", 'Student("Mo", [1, 2]).average()', 1.5),
        ("class Stack with push, pop and is_empty", "Stack().is_empty()", True),
        ("class Meter with a list of values, add(), mean() and __repr__", "Meter([1, 3]).mean()", 2.0),
    ],
)
def test_a_small_class_has_the_methods_that_are_named(prompt: str, calls: str, expected: object) -> None:
    made, held = understood(prompt), dict[str, Any]()
    assert made is not None
    exec(made.code, held)
    assert eval(calls, held) == expected


@pytest.mark.parametrize(
    "prompt",
    [
        "names of everyone in scores with more than 70 who are tall",
        "give each student in scores a grade: A from 80, B from 60",
        "subtract conc from reading",
        "class Robot with a name and a method dance",
        "sum of each row of ages",
        "sort words from oldest to youngest",
        "what concentration belongs to a reading of 0.7?",
    ],
)
def test_what_is_only_near_to_a_sentence_about_things_is_none(prompt: str) -> None:
    assert understood(prompt) is None


def test_every_template_is_one() -> None:
    assert all(template.compiled(text) for one in shapes._ALL for text in one.templates)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("which words appear more than once?", ["house"]),
        ("second largest value in ages", 34),
        ("who is in shop_b but not in shop_a", {"bread"}),
        ("merge shop_a and shop_b into one set", {"apples", "milk", "bread"}),
        ("how many values of reading are between 4.9 and 5.1", 5),
        ("mean difference between conc and signal", -1.3),
        ("count the ones in matrix", 1),
        ("what signal do you expect at conc 3?", 0.7),
        ("area under the curve of signal over conc", 2.0),
    ],
)
def test_what_repeats_what_is_second_and_what_lies_between_is_found(prompt: str, expected: object) -> None:
    assert value(prompt) == expected or value(prompt) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("prompt", "call", "expected"),
    [
        ("write a function that takes a list and returns the median", "median([3, 1, 2, 10])", 2.5),
        ("make a function mark(points) that returns A from 90, B from 75 and F otherwise", "mark(80)", "B"),
        ("write a function that counts how many times a letter occurs in a word", "count_letter('a', 'Anna')", 2),
    ],
)
def test_a_function_is_written_by_what_it_does(prompt: str, call: str, expected: object) -> None:
    made, held = understood(prompt), dict[str, Any]()
    assert made is not None
    exec(made.code, held)
    assert eval(call, held) == expected


def test_a_function_is_tried_with_the_values_that_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    made = understood("write a function that converts celsius to fahrenheit and try it with 0, 20 and 37")
    assert made is not None
    exec(made.code, {})
    assert capsys.readouterr().out.split() == ["0", "32.0", "20", "68.0", "37", "98.6"]


def test_what_a_list_has_that_is_divisible_by_a_number_is_chosen() -> None:
    found = things.understood("numbers in ages that are divisible by 3", namespace.read("ages: list (4) of int"))
    assert found is not None
    assert eval(found[0], dict(THINGS)) == [12, 57]


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("which words start with a vowel", 're.search("(?i)[aeiou]", one[:1])'),
        ("words that end with a consonant", "one[-1:]"),
    ],
)
def test_a_vowel_is_a_kind_of_letter(prompt: str, code: str) -> None:
    known = describe(gather(THINGS, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    made = things.understood(prompt, namespace.read(known))
    assert made is not None
    assert code in made[0]


def test_a_value_of_records_that_is_not_known_is_not_passed_over() -> None:
    records = {"keepers": [{"name": "Ida", "area": "cats"}, {"name": "Raj", "area": "birds"}]}
    for prompt, understood in (("names of the keepers of cats", False), ("names of the keepers", True)):
        known = describe(gather(records, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
        assert (phrases.understood(prompt, namespace.read(known)) is not None) == understood


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("the squares of the even numbers in ages", [34**2, 12**2]),
        ("list comprehension that gives the length of each word in words", [5, 5, 4, 5]),
        ("the two largest numbers in ages", [57, 34]),
        ("ages above the average", [34, 57]),
        ("difference between the highest and the lowest age in ages", 45),
        ("top 2 of scores", [("Mia", 91), ("Ada", 78)]),
        ("the three lowest ages", [12, 19, 34]),
        ("join words into one string separated by commas", "radar, house, noon, house"),
        ("remove all vowels from sentence", "th ct sw th dg"),
        ("make a dict of words -> length", {"radar": 5, "house": 5, "noon": 4}),
        ("count how often house is in words", 2),
        ("the earliest date in visits", date(2023, 5, 1)),
        ("which visits are in 2024", [date(2024, 2, 1), date(2024, 3, 1)]),
        ("how many days between the first and the last date in visits", 305),
    ],
)
def test_something_is_made_of_a_list(prompt: str, expected: Any) -> None:
    assert value(prompt) == expected


def test_keys_and_values_are_printed_by_the_names_of_the_prompt() -> None:
    made = understood("loop over scores and print the student and the mark")
    assert made is not None
    assert made.code == "for student, mark in scores.items():\n    print(student, mark)"


def test_how_many_different_words_are_a_number() -> None:
    prompt = "how many unique words in sentence"
    known = describe(gather(THINGS, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    made = things.understood(prompt, namespace.read(known))
    assert made is not None
    assert "len(list(dict.fromkeys(" in made[0]


def test_a_name_is_told_in_words_of_its_own() -> None:
    held = {"shoe_sizes": [38, 41, 38]}
    prompt = "how often does each shoe size occur"
    known = describe(gather(held, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    assert "shoe_sizes" in wording.plain(prompt, namespace.read(known))
    assert evidence.unlike_examples(prompt, "counts = df.value_counts()", namespace.read(known)) == ["shoe_sizes"]
