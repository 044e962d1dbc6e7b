"""Texts in one line: whole words, and of an error what helps."""

from __future__ import annotations

import pytest

from spark_jupyter.source.abridged_text import LONGEST_ERROR, error_line, shortened


def test_a_text_that_is_too_long_ends_with_a_whole_word():
    text = "The answer says:\n" + "Response is a word " * 30
    for most in range(20, 60):
        line = shortened(text, most)
        assert len(line) <= most
        words = line.removesuffix(" …").split(" ")
        assert line.endswith(" …")
        assert words == text.split()[: len(words)]
    assert shortened("a\n  b", 10) == "a b"
    assert shortened("x" * 30, 10) == f"{'x' * 8} …"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            "ValueError: time data 'x' doesn't match. You might want to try:\n    - passing `format`;\n    - passing `dayfirst`.",
            "ValueError: time data 'x' doesn't match. You might want to try: passing `format`",
        ),
        ("ValueError: \nThe columns differ.\n\nMore of it.", "ValueError: The columns differ"),
        ("KeyError: 'a'", "KeyError: 'a'"),
        ("ValueError:", "ValueError:"),
        ("", ""),
    ],
)
def test_an_error_of_several_lines_is_told_by_what_it_says(error, line):
    assert error_line(error) == line
    assert len(error_line(error)) <= LONGEST_ERROR


def test_the_advice_of_a_long_error_follows_its_beginning():
    error = f"TypeError: {'a long word ' * 20}. Use `mean(axis=1)` instead."
    assert error_line(error).startswith("TypeError: a long word ")
    assert error_line(error).endswith(" … Use `mean(axis=1)` instead")
    assert len(error_line(error)) <= LONGEST_ERROR
