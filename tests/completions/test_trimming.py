"""Extent of a suggestion that is shown at once."""

from __future__ import annotations

import pytest

from spark_jupyter.completions.completion import MOST_LINES, trimmed
from spark_jupyter.completions.situation import Situation


def test_a_statement_is_shown_and_not_the_page_that_follows_it():
    page = "x = 1\ny = 2\n\ndef f():\n    return 1\n"
    assert trimmed(page, Situation(before="")) == ("x = 1\ny = 2", True)


def test_an_empty_line_inside_a_block_does_not_end_it():
    block = "def f():\n    a = 1\n\n    return a\n\nf()\n"
    assert trimmed(block, Situation(before="")).text == "def f():\n    a = 1\n\n    return a"


def test_it_ends_where_it_leaves_the_block_of_the_cursor():
    text = "total += x\nprint(total)\nmore()\n"
    kept, whole = trimmed(
        "total += x\nprint(total)\n".replace("\nprint", "\nprint"), Situation(before="for x in xs:\n    ")
    )
    assert (kept, whole) == ("total += x", True)
    assert trimmed(text, Situation(before="")).text == text


def test_in_the_middle_of_a_line_it_is_the_line_alone():
    assert trimmed("a, b\nc", Situation(before="x = f(", after=" + 1")) == ("a, b", True)
    assert trimmed("a,\n    b", Situation(before="x = f(", after=")")) == ("a,\n    b", False)


def test_no_more_than_a_few_lines_and_no_line_over_and_over():
    assert trimmed("\n".join(f"x{n} = {n}" for n in range(40)), Situation(before="")).text.count("\n") == MOST_LINES - 1
    assert trimmed("a = 1\nprint(a)\nprint(a)\nprint(a)\nprint(a)", Situation(before="")) == ("a = 1\nprint(a)", True)


def test_a_string_over_several_lines_is_not_cut_at_its_empty_lines():
    text = 'query = """\nselect 1\n\nfrom t\n"""\n'
    assert trimmed(text, Situation(before="")).text == text


def test_control_characters_end_it():
    assert trimmed("x = 1\x1b[31m", Situation(before="")) == ("x = 1", True)


def test_what_stands_beyond_the_edge_of_the_editor_is_left_out():
    assert trimmed("x = 1" + " " * 100 + "; y = 2", Situation(before="")) == ("x = 1", True)
    assert trimmed(" " * 100 + "; y = 2", Situation(before="x = 1")).text == ""
    assert trimmed("x = 1\n" + " " * 150 + "y = 2", Situation(before="if z:\n    ")).text == "x = 1"
    assert trimmed("x = 1\ny = [" + "1, " * 200 + "]; z = 3\n", Situation(before="")).text == "x = 1"
    assert trimmed("'" + "a" * 300 + "'; z = 3", Situation(before="x = ")).text == ""


@pytest.mark.parametrize("unseen", ["\u202e", "\u2066", "\u200b", "\U000e0041", "\ufeff"])
@pytest.mark.parametrize("kind", ["code", "markdown"])
def test_what_is_not_seen_ends_it_too(unseen, kind):
    said = f"to be read as it stands{unseen} and not otherwise"
    assert trimmed(said, Situation(before="", cell_type=kind)) == ("to be read as it stands", True)


def test_a_flag_and_a_word_that_needs_its_joiner_are_seen():
    said = "# \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert trimmed(said, Situation(before="")).text == said
