"""Prompts that the author of a notebook limits to hints or forbids."""

from __future__ import annotations

import pytest

from spark_jupyter.engine.command_dispatcher import restricted
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.deep_messages import BeginDeep
from spark_jupyter.protocol.messages import Prompt, Steer
from spark_jupyter.protocol.proposal_messages import Accept
from spark_jupyter.protocol.values import Attempts, Target

PROMPT = Prompt(turn_id="t1", text="solve it", attempts=Attempts(count=3), target=Target(edit="c1"), intent="edit")


def test_prompts_become_hints_of_one_answer():
    asked = restricted(PROMPT, "hints")
    assert (asked.intent, asked.attempts.count, asked.text) == ("hints", 1, "solve it")


@pytest.mark.parametrize("intent", ["generate", "fix", "explain"])
def test_no_intent_is_a_way_around_hints(intent):
    assert restricted(Prompt(turn_id="t1", text="solve it", intent=intent), "hints").intent == "hints"


@pytest.mark.parametrize(("command", "policy"), [(PROMPT, "off"), (BeginDeep(work_id="w1", text="x"), "hints")])
def test_what_is_not_allowed_is_refused_with_what_to_do_instead(command, policy):
    with pytest.raises(SessionError) as refused:
        restricted(command, policy)
    assert "author of this notebook" in refused.value.message
    assert refused.value.remedy


def test_decisions_and_steers_stay():
    steer = Steer(turn_id="t2", steers="t1", text="shorter")
    assert restricted(steer, "hints") is steer
    assert restricted(Accept(cell_id="c1"), "off") == Accept(cell_id="c1")
    assert restricted(PROMPT, "on") is PROMPT
