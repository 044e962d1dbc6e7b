"""Fit of a model's text to the code around the cursor."""

from __future__ import annotations

import pytest

from spark_jupyter.completions.situation import Situation
from spark_jupyter.completions.stitching import begun, ended, without_open_string
from tests.proportion import assert_in_proportion


def stitched(text: str, before: str, after: str = "") -> str:
    situation = Situation(before=before, after=after)
    return ended(begun(text, situation, ended=True), situation)


@pytest.mark.parametrize(
    ("before", "said", "kept"),
    [
        ("x = df.gro", "x = df.groupby('a')", "upby('a')"),
        ("x = df.gro", "df.groupby('a')", "upby('a')"),
        ("x = df.gro", "groupby('a')", "upby('a')"),
        ("x = df.", ".head()", "head()"),
        ("x = df.", "head()", "head()"),
        ("imp", "import numpy as np", "ort numpy as np"),
        ("y = 1\nx = df.", "y = 1\nx = df.head()", "head()"),
        ("y = 1\nz = 2\n", "z = 2\nw = 3", "w = 3"),
        ("total = ", "= 5", "5"),
        ("total = ", "total = 5", "5"),
        ('df["', '"city"]', 'city"]'),
        ('name = "', '"', '"'),
        ("if x ", "== 3:", "== 3:"),
        ("    retu", "    return x", "rn x"),
        ("for x in xs:\n\tprin", "\tprint(x)\n\tx", "t(x)\n\tx"),
        ("for x in xs:\n    total += x\n    prin", "    total += x\n    print(x)", "t(x)"),
        ("the", " there", " there"),
        ("print(", "(1, 2)", "(1, 2)"),
        ("a = b", " + c", " + c"),
        ("x = a or ", "a and b", "a and b"),
    ],
)
def test_what_stands_before_the_cursor_is_not_said_again(before, said, kept):
    assert stitched(said, before) == kept


@pytest.mark.parametrize(
    ("before", "said", "after", "kept"),
    [
        ("df.groupby(", "'city')", ")", "'city'"),
        ("df.groupby(", "['a', 'b'])", ")", "['a', 'b']"),
        ("print(len(", "x))", "))", "x"),
        ("print(len(", "x)", ")", "x)"),
        ('df["', 'city"]', '"]', "city"),
        ("x = f(", "a, b) + g(c", ")", "a, b) + g(c"),
        ("x = ", "1 + total", " + total", "1"),
        ("x = 1\n", "y = 2\nprint(x)", "\nprint(x)", "y = 2"),
        ("x = 1\n", "y = 2\nz = 3", "\nprint(x)", "y = 2\nz = 3"),
        ("foo(", "bar()", ")", "bar()"),
    ],
)
def test_what_stands_behind_the_cursor_is_not_said_again(before, said, after, kept):
    assert stitched(said, before, after) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("```python\nx = 1\n```", "x = 1"),
        ("```\nx = 1\ny = 2\n```\nThat is all.", "x = 1\ny = 2"),
        ('```\nx = """\n~~~\n"""\n```\n', 'x = """\n~~~\n"""'),
        ('~~~py\nx = """\n```\n"""\n~~~', 'x = """\n```\n"""'),
        ("x = 1", "x = 1"),
        ("<|cursor|>x = 1", "x = 1"),
        ("x = 1<|cursor|>\ny", "x = 1"),
        ("x = 1\r\ny = 2", "x = 1\ny = 2"),
    ],
)
def test_fences_and_marks_around_it_go(said, kept):
    assert stitched(said, "") == kept


@pytest.mark.parametrize("cut", range(1, len("```python\n")))
def test_what_may_become_a_fence_is_waited_for(cut):
    assert begun("```python\n"[:cut], Situation(before=""), ended=False) == ""


@pytest.mark.parametrize(
    ("before", "said", "kept"),
    [
        ("def f():\n    ", "    return 1", "return 1"),
        ("for x in xs:", "\n    total += x", "\n    total += x"),
        ("def f():\n    for x in xs:", "\n    total += x", "\n        total += x"),
        ("def f():\n    ", "for x in xs:\n    total += x", "for x in xs:\n        total += x"),
        ("def f():\n    ", "a = 1\nb = 2", "a = 1\n    b = 2"),
        ("def f():\n    ", "return 1\n\nprint(f())", "return 1\n\nprint(f())"),
        ("x =", " 1", " 1"),
        ("x = ", " 1", "1"),
    ],
)
def test_lines_stand_as_far_in_as_the_cursor(before, said, kept):
    assert stitched(said, before) == kept


@pytest.mark.parametrize(
    ("before", "said", "after", "kept"),
    [
        ("", 'print(x)\nname = "Al', "", "print(x)"),
        ("x = ", 'f("abc', "", "f("),
        ('df["', "ci", '"]', "ci"),
        ("s = ", '"""many\nlines', "", '"""many\nlines'),
        ("s = ", "'it''s'", "", "'it''s'"),
    ],
)
def test_it_does_not_end_in_the_middle_of_a_string(before, said, after, kept):
    assert stitched(said, before, after) == kept


@pytest.mark.parametrize(
    ("before", "said", "after", "kept"),
    [
        ("df.", "head(5", "", "head(5)"),
        ("print(df.", "head(5", ")", "head(5)"),
        ("df[", "len(df", "]", "len(df)"),
        ("xs = ", "[\n    1,\n    2,", "", "[\n    1,\n    2,]"),
        ("x = ", "f(a +", "", "f(a +"),
        ("df['", "a'].sum(", "", "a'].sum()"),
        ("f(x", ").head(", "", ").head()"),
        ("x = ", "f(  # why", "", "f(  # why"),
    ],
)
def test_it_closes_the_brackets_that_it_opens(before, said, after, kept):
    assert stitched(said, before, after) == kept


@pytest.mark.parametrize(
    "text", ["x = df.groupby('a').sum()\nx.plot()", "```python\nfor a in b:\n    print('c', a)\n```"]
)
def test_however_it_is_cut_nothing_fails_and_what_is_kept_only_grows(text):
    situation = Situation(before="y = 1\n")
    kept = [begun(text[:cut], situation, ended=False) for cut in range(len(text) + 1)]
    whole = begun(text, situation, ended=True)
    assert all(whole.startswith(one.rstrip("`\n")) for one in kept)


def test_a_string_that_nothing_closes_is_found_in_the_time_of_its_line():
    assert without_open_string("f(1, 'a' + 'abc", "x = ", "") == "f(1, 'a' +"
    assert without_open_string("abc", "x = 'a", "") == ""
    assert_in_proportion(lambda size: without_open_string("'" + "a" * size, "x = ", ""), 4_000)
