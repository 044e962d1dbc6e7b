"""Slow regular expressions are known, and ``re`` itself agrees."""

from __future__ import annotations

import signal
import subprocess
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.guardrail.backtracking import growth

EXPONENTIAL = {
    r"^(a+)+$": "a",
    r"^([a-zA-Z0-9]+)+@a\.org$": "a",
    r"^(\w+|\d+|_)+$": "1",
    r"^(\s*,\s*)+$": " , ",
    r"^(a|aa)+$": "a",
    r"^(\w+\s*)*$": "a",
    r"^(x+x+)+y": "x",
    r"^([a-z.]+\.)*x$": ".",
}
POLYNOMIAL = (
    r"^[a-z.]+(?:\.[a-z]+)*$",
    r"^\s*([^:]*?)\s*:",
    r".*foo.*bar",
)
HARMLESS = (
    r"^[a-z]+(?:\.[a-z]+)*$",
    r"^\w+$",
    r"^(a|ab)*$",
    r"(\w+\s+)*x",
    r"^\d{4}-\d{2}-\d{2}$",
    r"^[\w.+-]+@[\w-]+\.[\w.-]+$",
    r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$",
    r"\s+$",
    r"<.*?>",
    r"([^,]*,)*x",
    r"^(.*?)(:\d+)?$",
    r"^(\([^)]*\)|[^(])*$",
    r"(?P<unfinished",
    r"[[a]+",
    "(" * 400,
)


@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_a_repetition_in_a_repetition_is_exponential(pattern: str) -> None:
    assert growth(pattern) == "exponential"


@pytest.mark.parametrize("pattern", POLYNOMIAL)
def test_repetitions_that_follow_each_other_are_polynomial(pattern: str) -> None:
    assert growth(pattern) == "polynomial"


@pytest.mark.parametrize("pattern", HARMLESS)
def test_others_are_left_alone(pattern: str) -> None:
    assert growth(pattern) is None


@pytest.mark.parametrize(("pattern", "piece"), EXPONENTIAL.items())
def test_what_is_said_to_be_exponential_does_not_come_to_an_end(pattern: str, piece: str) -> None:
    program = (
        "import re, signal, sys; signal.setitimer(signal.ITIMER_VIRTUAL, 0.2); "
        "re.match(sys.argv[1], sys.argv[2] * 60 + chr(10) + '!')"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program, pattern, piece], timeout=100, check=False)
    assert done.returncode == -signal.SIGVTALRM, "a fifth of a second of the processor is not enough"


@given(st.text(alphabet="ab.+*?|()[]^$\\\\sdw{}1,-&~", max_size=40))
def test_no_pattern_raises_or_warns(pattern: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        growth(pattern)
