"""Checks of an answer: found in the prompt and in the answer, and reported with their values."""

from __future__ import annotations

import pytest

from spark_jupyter.session.answer_checks import asserts_in, checks_for, doctests_in, with_found_value
from tests.proportion import assert_in_proportion

DOCTEST = 'class A:\n    """No examples."""\n    def f(self):\n        """Of a method.\n\n        >>> A().f()\n        1\n        """\n'


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("Write f.\nassert f(3) == 5", ["assert f(3) == 5"]),
        ("- assert f(3)==5\n- assert f(1)==1", ["assert f(3) == 5", "assert f(1) == 1"]),
        ("Write f so that `assert f(3) == 5`.", ["assert f(3) == 5"]),
        ("```python\nx = f(\n  2)\nassert f(\n  3) == 5\n```", ["assert f(3) == 5"]),
        ("Assert that x is positive, and\nassert that y is", []),
        ("assert positive", []),
        ("I assert f(3) == 5", []),
        ("assert f(3) ==", []),
        ("assert f(3) == 5\nsee `assert f(3)==5`", ["assert f(3) == 5"]),
    ],
)
def test_only_what_is_plainly_an_assert_is_taken_from_a_prompt(prompt, found):
    assert list(asserts_in(prompt)) == found


@pytest.mark.parametrize(
    ("check", "value", "said"),
    [
        ("assert f(3) == 5", 4, "f(3) is 4"),
        ("assert 1 < f(3) < 3", 4, ""),
        ("assert f(3) == 5, 'mine'", 4, "mine"),
        ("assert f(3)", 0, ""),
    ],
)
def test_a_comparison_that_fails_says_what_it_found(check, value, said):
    with pytest.raises(AssertionError) as raised:
        exec(with_found_value(check), {"f": lambda _: value})
    assert str(raised.value) == said
    exec(with_found_value("assert f(3) == 5"), {"f": lambda _: 5})


def test_what_is_no_single_assert_runs_as_it_was_given():
    for check in ("x = 1; assert x == 2", "not python", "assert 1 == f(2)", "assert (await f()) == 1"):
        assert with_found_value(check) == check


def test_the_doctests_of_functions_and_methods_are_checks_and_cells_without_any_have_none():
    assert [check.text for check in doctests_in(DOCTEST)] == ["the doctest of A.f"]
    assert not list(doctests_in("x = 1"))
    assert not list(doctests_in("%%bash\necho '>>>'"))


def test_each_check_is_made_once_the_given_ones_first():
    checks = checks_for(given=["assert f(3) == 5"], prompt="`assert f(3)==5`\nassert g(1)", cells=[DOCTEST])
    assert [check.text for check in checks] == ["assert f(3) == 5", "assert g(1)", "the doctest of A.f"]


@pytest.mark.parametrize(
    "cell", ["#>>>\nx=" + "-" * 20_000 + "1", "a+" * 20_000 + "a", "assert f() == " + "a+" * 2_000 + "a"]
)
def test_what_nests_without_end_is_no_check_and_no_fault(cell):
    checks_for(given=(), prompt=cell, cells=[cell])


@pytest.mark.parametrize("unit", ["`", "```\n", "~~~x\n", "` ", "`a", "- ", "1", "```\nassert f(1) == 2\n"])
def test_a_prompt_of_fences_without_end_is_read_in_proportion_to_its_length(unit):
    assert_in_proportion(lambda length: asserts_in(unit * (length // len(unit))), 50_000)


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("```\nassert f(3) == 5", ["assert f(3) == 5"]),  # a fence that nothing closes
        ("````\n```\nassert f(3) == 5\n````", []),
        ("~~~\nassert f(3) == 5\n~~~\nassert f(4) == 6", ["assert f(3) == 5", "assert f(4) == 6"]),
    ],
)
def test_a_fence_ends_with_as_many_marks_as_it_began_with(prompt, found):
    assert list(asserts_in(prompt)) == found
