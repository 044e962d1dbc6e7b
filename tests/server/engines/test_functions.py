"""Functions that are known by what they do: each does what it says, and a prompt that asks for more than it does is not one for it."""

from __future__ import annotations

from typing import Any

import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import namespace
from spark_jupyter.server.engines.phrases.shapes import functions

OWN: dict[str, Any] = {"temps": [10.0, 20.0]}


def source(prompt: str) -> str:
    """What is written for the prompt; empty where nothing is."""
    known = describe(gather(OWN, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    made = functions.understood(prompt, namespace.read(known))
    return made.code if made else ""


def test_each_known_function_does_what_is_said_of_it() -> None:
    for one in functions.known():
        held: dict[str, Any] = {}
        exec(one.source.replace("{n}", one.n), held)
        for call, value in one.tries:
            assert eval(call, held) == eval(value), call


@pytest.mark.parametrize(
    ("prompt", "call", "value"),
    [
        ("write a function that checks if an email address is valid", "is_valid_email('a@b.org')", True),
        ("a function to compute the median without any libraries", "median([4, 1, 2, 3])", 2.5),
        ("def a method which tells whether a number is prime or not", "is_prime(13)", True),
        ("write a function fahrenheit_to_celsius with a docstring", "fahrenheit_to_celsius(212)", 100),
        ("Please write a function word_count(sentence) that counts how often each word occurs", "word_count('a b a')['a']", 2),
        ("i need a function that splits a list into chunks of 3", "chunks([1, 2, 3, 4])", [[1, 2, 3], [4]]),
        ("function that counts how many times a letter appears in a word", "count_letter('a', 'Anna')", 2),
        ("write a function which returns the factorial of a number using recursion", "factorial(5)", 120),
        ("write a function called central that returns the median of a list", "central([3, 1, 2])", 2),
        ("implement binary search", "binary_search([1, 3, 5], 5)", 2),
    ],
)  # fmt: skip
def test_a_function_is_known_by_the_words_that_ask_for_it(prompt: str, call: str, value: object) -> None:
    held: dict[str, Any] = {}
    exec(source(prompt), held)
    assert eval(call, held) == value


def test_it_is_called_with_what_the_prompt_tells() -> None:
    assert source("function to convert celsius to fahrenheit, try it with 5 and 6").endswith(
        "for value in [5, 6]:\n    print(value, to_fahrenheit(value))"
    )
    assert source("function from celsius to fahrenheit and apply it to temps").endswith(
        "[to_fahrenheit(one) for one in temps]"
    )
    assert source("write a function that takes a list and returns the mean and use it on temps").endswith("mean(temps)")
    assert "assert is_leap_year(1900) == False" in source("function that checks for a leap year, with some tests")


@pytest.mark.parametrize(
    "prompt",
    [
        "write a function that returns the median of each column",
        "write a function that checks if a word is a palindrome and counts its vowels",
        "write a function that returns the sum of all numbers above 10",
        "write a function that converts celsius to kelvin",
        "write a function that converts a list of celsius temperatures to fahrenheit",
        "write a function that counts words without the stop words",
        "write a function add(a, b, c)",
        "draw the median as a function of the year",
    ],
)
def test_what_asks_for_more_or_for_something_else_is_not_answered_with_a_known_function(prompt: str) -> None:
    assert source(prompt) == ""
