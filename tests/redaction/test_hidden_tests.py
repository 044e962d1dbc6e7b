"""Hidden tests of an exercise stay out of what is sent, and come back in an edit."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.dialogue import withheld_prompt
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.redaction.redactor import Redactor

CHECKS = """assert mean([1, 2]) == 1.5, "Think of halves."
### BEGIN HIDDEN TESTS
import math
assert mean([]) == 0
assert math.isnan(mean([float("nan")]))
### END HIDDEN TESTS
assert mean([4]) == 4
"""


def test_hidden_tests_are_withheld_and_what_a_student_may_read_is_not():
    redactor = Redactor(environ={})
    sent = redactor.withhold(CHECKS, where="cell 3")
    assert sent == (
        'assert mean([1, 2]) == 1.5, "Think of halves."\n### BEGIN HIDDEN TESTS\nSPARK_SECRET_1_HIDDEN_TESTS\n'
        "### END HIDDEN TESTS\nassert mean([4]) == 4\n"
    )
    assert redactor.withheld == ("hidden tests in cell 3",)
    assert redactor.restore(sent) == CHECKS
    assert redactor.withhold("import math") == "import math"


def test_an_assertion_is_withheld_in_a_traceback_too_whichever_comes_first():
    redactor = Redactor(environ={})
    trace = "----> 4 assert mean([]) == 0\nAssertionError"
    cells = (NotebookCell(id="c", source=CHECKS, error=trace),)
    prompt, known = withheld_prompt(
        redactor, Prompt(turn_id="t", text="why?", cells=cells), Surroundings(last_error=trace)
    )
    for text in (prompt.cells[0].error, known.last_error):
        assert "mean([])" not in text
        assert text.endswith("AssertionError")


def test_what_a_hidden_assertion_says_is_withheld_in_its_traceback_and_without_one():
    redactor = Redactor(environ={})
    source = (
        '### BEGIN HIDDEN TESTS\nassert mean([3]) == 3, "of one number"\nassert mean([5]) == 5, f"not {mean([5])}"\n'
    )
    trace = '----> 3 assert mean([5]) == 5, f"not {mean([5])}"\n\nAssertionError: not 4711'
    cells = (NotebookCell(id="c", source=source, error="AssertionError: of one number"),)
    prompt, known = withheld_prompt(
        redactor, Prompt(turn_id="t", text="why?", cells=cells), Surroundings(last_error=trace)
    )
    assert "of one number" not in prompt.cells[0].error
    assert "4711" not in known.last_error
    assert redactor.withhold("AssertionError: 4711 is no word of theirs").endswith("theirs")


def test_what_a_traceback_shows_around_a_hidden_test_is_withheld():
    tests = (
        "#### BEGIN HIDDEN TESTS (points: 2)\nimport math\nfor n in range(10):\n    pass\nexpected = [1, 4, 9]\nself.assertEqual(f(3), 9)\n"
        "np.testing.assert_allclose(f(v), wanted)\nif f(5) != 25: raise AssertionError\n### END HIDDEN TESTS\n"
    )
    redactor = Redactor(environ={})
    assert "expected" not in redactor.withhold(tests)
    trace = redactor.withhold(
        "      4     pass\n      5 expected = [1, 4, 9]\n----> 6 self.assertEqual(f(3), 9)\n"
        "      7 np.testing.assert_allclose(f(v), wanted)\n      8 if f(5) != 25: raise AssertionError\n"
    )
    assert trace.count("SPARK_SECRET_") == 3 + 1
    assert not any(told in trace for told in ("4, 9", "(3)", "wanted", "25"))
    own = "import math\nfor n in range(10):\n    pass\nunexpected = [1, 4, 9]"
    assert redactor.withhold(own) == own


def test_an_open_region_goes_to_the_end_and_an_empty_one_is_nothing():
    redactor = Redactor(environ={})
    assert redactor.withhold("x = 1\n### BEGIN HIDDEN TESTS\nassert x == 2\n").startswith(
        "x = 1\n### BEGIN HIDDEN TESTS\nSPARK_SECRET_"
    )
    empty = "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS\nassert x == 3"
    assert redactor.withhold(empty) == empty


OTTERS = {
    "a word": "# HIDDEN\n",
    "a configuration": '""" # BEGIN TEST CONFIG\npoints: 2\nhidden: true\nfailure_message: Odd.\n""" # END TEST CONFIG\n',
}


@pytest.mark.parametrize("mark", OTTERS.values(), ids=OTTERS)
def test_hidden_tests_in_the_source_of_otters_assignment_are_withheld(mark):
    redactor = Redactor(environ={})
    sent = redactor.withhold(f"{mark}assert mean([7, 8]) == 7.5\n")
    assert sent == f"{mark.splitlines()[0]}\nSPARK_SECRET_1_HIDDEN_TESTS\n"
    assert "7.5" not in redactor.withhold("q1 - 3 result:\n    Failed example:\n        assert mean([7, 8]) == 7.5\n")


@pytest.mark.parametrize(
    "own",
    [
        "# HIDDEN layers of the network\nlayers = [3, 4]",
        OTTERS["a configuration"].replace("true", "false") + "assert mean([7, 8]) == 7.5\nhidden: true",
        "x = 1\n# HIDDEN\nassert x == 1",
    ],
)
def test_what_only_sounds_like_otters_mark_is_sent(own):
    assert Redactor(environ={}).withhold(own) == own


def test_many_regions_take_time_in_proportion():
    redactor = Redactor(environ={})
    open_ones = "### BEGIN HIDDEN TESTS\nassert x == 2\n" * 5_000
    assert redactor.withhold(open_ones).count("SPARK_SECRET_") == 1
