"""How much of an answer is shown at once."""

from __future__ import annotations

from spark_jupyter.suggest.situation import Situation
from spark_jupyter.suggest.trimming import MOST_LINES, trimmed


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
