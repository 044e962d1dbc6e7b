"""The line of a magic: what it asks for."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.fronts.text.options import parse
from spark_jupyter.wire.messages import Attempts


def test_attempts_their_models_checks_rounds_and_permissions_stand_before_the_prompt():
    line = "--attempts 3 --check 'assert f(3) == 5' --check 'f()' --models a,b --until-green 2 --allow files write f"
    parsed = parse(line)
    assert parsed.text == "write f"
    assert parsed.options.attempts == Attempts(
        count=3, models=("a", "b"), checks=("assert f(3) == 5", "f()"), until_green=2, allow=("files",)
    )


def test_without_any_of_them_nothing_races():
    assert not parse("write f").options.attempts.races
    assert not parse("try --allow files").options.attempts.races


@pytest.mark.parametrize(
    "line",
    [
        "--attempts 0 x",
        "--attempts 9 x",
        "--attempts many x",
        "--until-green -1 x",
        "--until-green 11 x",
        "--check 'no python' x",
        "--models a,b,c,d,e,f,g,h,i x",
        "--allow all x",
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(line):
    with pytest.raises(ConfigurationError):
        parse(line)


def test_attempts_is_a_command_only_where_a_number_follows():
    assert (parse("attempts").verb, parse("attempts 2").number) == ("attempts", 2)
    assert parse("attempts to parse a date").verb == "prompt"
