"""The line of a magic: what it asks for."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.values import Attempts
from spark_jupyter.ui.magics.verbs import VERBS
from spark_jupyter.ui.text.magic_line import MagicLine, help_text, parse, verb_help


def parsed(line, *, cell=None):
    return parse(line, VERBS, cell=cell)


def test_attempts_their_models_checks_rounds_and_permissions_stand_before_the_prompt():
    line = "--attempts 3 --check 'assert f(3) == 5' --check 'f()' --models a,b --until-green 2 --allow files write f"
    asked = parsed(line)
    assert asked.text == "write f"
    assert asked.options.attempts == Attempts(
        count=3, models=("a", "b"), checks=("assert f(3) == 5", "f()"), until_green=2, allow=("files",)
    )


def test_without_any_of_them_nothing_races():
    assert not parsed("write f").options.attempts.races
    assert not parsed("try --allow files").options.attempts.races


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
        parsed(line)


def test_attempts_is_a_command_only_where_a_number_follows():
    assert (parsed("attempts").verb, parsed("attempts 2").number) == ("attempts", 2)
    assert parsed("attempts to parse a date").verb == "prompt"


@pytest.mark.parametrize(
    ("line", "verb"),
    [
        ("cancel", "cancel"),
        ("cancel the order in the table", "prompt"),
        ("live off", "live"),
        ("live plot of the prices", "prompt"),
        ("model small", "model"),
        ("model the prices", "prompt"),
        ("model --deep slow --effort high", "model"),
        ("provider --deep openai", "provider"),
        ("provider of the data", "prompt"),
        ("steer use polars", "steer"),
        ("edit this", "prompt"),
    ],
)
def test_a_verb_is_one_only_with_the_words_that_it_takes(line, verb):
    assert parsed(line).verb == verb


@pytest.mark.parametrize(
    ("line", "meant"), [("acept", "accept"), ("rejct", "reject"), ("cancle", "cancel"), ("undoo", "undo")]
)
def test_a_mistyped_command_is_no_prompt_and_is_told_which_one_is_near(line, meant):
    with pytest.raises(ConfigurationError, match="no command") as caught:
        parsed(line)
    assert f"Did you mean %spark {meant}?" in caught.value.remedy
    assert parsed(f"{line} the orders").verb == "prompt"
    assert parsed("plot").verb == "prompt"


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("--attemps 3 sum the prices", "Did you mean --attempts"),
        ("--atempts=3 sum the prices", "Did you mean --attempts"),
        ("deep --minuts 3 sum the prices", "Did you mean --minutes"),
        ("--colour red sum the prices", "See %spark"),
    ],
)
def test_a_mistyped_option_is_told_which_one_is_near(line, near):
    with pytest.raises(ConfigurationError, match="no option --") as caught:
        parsed(line)
    assert near in caught.value.remedy


def test_edit_is_a_verb_where_there_is_a_cell_and_no_other_is():
    assert parsed("edit make it faster", cell="x").verb == "edit"
    assert parsed("cancel", cell="x").verb == "prompt"


def test_the_help_names_every_verb():
    assert {name for name in VERBS if f"%spark {name} " in help_text(VERBS)} == VERBS.keys()


@pytest.mark.parametrize(
    ("line", "verb"),
    [
        ("suggestions", "suggestions"),
        ("suggestions off", "suggestions"),
        ("suggestions model codestral", "suggestions"),
        ("suggestions for a better name", "prompt"),
        ("suggestions model a car", "prompt"),
        ("draft on", "draft"),
        ("draft on 0.20", "draft"),
        ("draft a letter to the team", "prompt"),
    ],
)
def test_what_is_no_switch_of_suggestions_or_drafts_is_a_prompt(line, verb):
    assert parsed(line).verb == verb


def test_a_command_with_a_question_mark_asks_for_its_help():
    assert parsed("accept?") == MagicLine(verb="help", text="accept")
    assert "accept the proposals" in verb_help("accept", VERBS)
    assert parsed("accept the first one?").verb == "prompt"
    assert parsed("accept?", cell="x").verb == "prompt"


@pytest.mark.parametrize(
    ("line", "verb"),
    [
        ('both "the mean" "the median"', "both"),
        ("both 'the mean' \"the 'median'\"", "both"),
        ("both --models a,b the mean", "both"),
        ("both of the tables in one figure", "prompt"),
        ('both "a" and "b" in one figure', "prompt"),
        ("both", "prompt"),
    ],
)
def test_both_is_a_command_only_where_two_texts_or_two_models_follow(line, verb):
    assert parsed(line).verb == verb
