"""Commands to deep work while turns go on: look at its plan, steer, pause, cancel."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.deep_messages import (
    BeginDeep,
    DeepGear,
    DirectDeep,
    EditPlan,
    SteerDeep,
)
from spark_jupyter.protocol.messages import Cancel, Prompt, Steer
from spark_jupyter.protocol.proposal_messages import ProposalChanged
from spark_jupyter.session.actions import DropRequest
from spark_jupyter.session.answer_trials import EndTry
from tests.session.deep.playing import PLAN, code

# --- a person's word ----------------------------------------------------------------------------------------------------


def test_a_plan_is_shown_first_where_a_person_wants_it_and_can_be_edited_before(play):
    play.begin(ask_first=True)
    play.says(0, PLAN)
    assert play.work.state == "planned"
    assert not play.work.running
    play.say(EditPlan(work_id="w1", steps=("Make two numbers", "Sum them up"), checks=("assert total",)))
    assert play.work.state == "planned"
    play.direct("go-on")
    assert play.asked(1).request == "Make two numbers"
    assert play.work.checks == ("assert total",)


def test_a_plan_that_waits_for_a_word_is_not_under_way(play):
    play.begin(ask_first=True)
    play.says(0, PLAN)
    play.say(BeginDeep(work_id="w2", text="another report"))
    assert [work.state for work in play.session.deep_works] == ["planned", "planning"]
    with pytest.raises(SessionError, match="Other deep work"):
        play.direct("go-on")


def test_a_plan_that_is_edited_meanwhile_keeps_what_was_done_before_the_first_difference(play):
    play.begin()
    play.says(0, PLAN)
    play.says(1, code("data = [1, 2]"))
    play.ran()
    play.say(EditPlan(work_id="w1", steps=("Load the data", "Take the mean", "Say it")))
    assert play.states == ["done", "writing", "to-do"]
    assert play.asked(2).request == "Take the mean"
    assert "data = [1, 2]" in [cell.source for cell in play.asked(2).cells]
    play.say(EditPlan(work_id="w1", steps=("Make data up", "Take the mean")))
    assert play.states == ["writing", "to-do"]
    assert play.asked(1).cells == ()


def test_a_steer_stops_the_step_and_goes_along_from_then_on(play):
    play.begin()
    play.says(0, PLAN)
    before = play.request_of(1)
    play.say(SteerDeep(work_id="w1", text="use polars"))
    assert DropRequest(job_id=before.job_id) in play.actions
    assert "use polars" in play.asked(1).steer
    play.says(1, code("data = [1, 2]"))
    play.ran()
    assert "use polars" in play.asked(2).steer


def test_a_steer_while_it_runs_ends_the_copy(play):
    play.begin()
    play.says(0, PLAN)
    play.says(1, code("data = [1, 2]"))
    play.say(SteerDeep(work_id="w1", text="use polars"))
    assert any(isinstance(action, EndTry) for action in play.actions)
    play.ran()  # of the copy that nobody waits for
    assert play.states == ["writing", "to-do"]


def test_a_pause_stops_the_step_and_the_clock_and_it_begins_anew_when_it_goes_on(play):
    play.begin()
    play.says(0, PLAN)
    play.direct("pause")
    assert play.work.state == "paused"
    elapsed = play.work.elapsed
    play.wake(after=10_000)
    play.clock = iter(range(20_000, 30_000))
    assert play.work.elapsed == elapsed
    play.direct("go-on")
    assert play.states == ["writing", "to-do"]
    play.says(1, code("data = [1, 2]"))
    play.ran()
    assert play.states == ["done", "writing"]


def test_it_is_cancelled_and_leaves_nothing(play):
    play.begin()
    play.says(0, PLAN)
    play.direct("cancel")
    assert play.work.state == "cancelled"
    assert not play.of(ProposalChanged)
    with pytest.raises(SessionError, match="ended"):
        play.direct("go-on")


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (SteerDeep(work_id="w1", text=" "), "empty"),
        (EditPlan(work_id="w1", steps=()), "no step"),
        (DirectDeep(work_id="w1", what="go-on"), "already running"),
        (DirectDeep(work_id="nobody", what="pause"), "no deep work"),
        (BeginDeep(work_id="w2", text="more"), "under way"),
        (BeginDeep(work_id="w1", text="more"), "already"),
        (Prompt(turn_id="w1", text="more"), "already"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(play, command, what):
    play.begin()
    play.says(0, PLAN)
    before = play.work
    with pytest.raises(SessionError, match=what):
        play.say(command)
    assert play.work == before


def test_an_empty_task_is_refused(play):
    with pytest.raises(SessionError, match="task is empty"):
        play.begin(" ")


# --- the fast model stays usable ------------------------------------------------------------------------------------------


def test_turns_are_prompted_steered_and_stopped_while_it_works(play):
    play.begin()
    play.says(0, PLAN)
    play.prompt("a cell", "t1")
    play.text("```python\nx = 1\n")
    play.say(Steer(turn_id="t2", steers="t1", text="y instead"))
    play.say(Cancel())
    assert play.work.state == "writing"
    assert [turn for turn, _ in play.ends] == ["t1", "t2"]
    play.says(1, code("data = [1, 2]"))
    play.ran()
    play.says(2, code("total = 3"))
    play.ran()
    assert play.work.state == "proposed"


def test_independent_steps_are_written_by_the_fast_model_at_once_and_tried_in_order(play):
    play.begin()
    play.says(0, "1. Load\n2. [alone] Mean\n3. [alone] Median\n4. Say it\n")
    play.says(1, code("data = [1, 2]"))
    play.ran()
    assert play.states == ["done", "writing", "writing", "to-do"]
    assert [play.request_of(step).request.model for step in (2, 3)] == ["m", "m"]
    assert play.request_of(2).owner.fast
    play.says(3, code("median = 1.5"))
    assert play.states == ["done", "writing", "writing", "to-do"]
    play.says(2, code("mean = 1.5"))
    assert play.tries[-1].cells == ("data = [1, 2]", "mean = 1.5")
    play.ran()
    assert play.tries[-1].cells == ("data = [1, 2]", "mean = 1.5", "median = 1.5")
    play.ran()
    assert play.request_of(4).request.model == "slow"
    play.says(4, code("print(mean)"))
    play.ran()
    assert play.work.tokens == 150 * 5


def test_a_step_that_the_fast_model_does_not_manage_is_the_deep_ones(play):
    play.begin()
    play.says(0, "1. [alone] Mean\n2. [alone] Median\n")
    play.says(1, code("mean = 1 / 0"))
    play.says(2, code("median = 1.5"))
    play.ran("ZeroDivisionError: division by zero")
    assert play.request_of(1).request.model == "slow"
    assert not play.request_of(1).owner.fast
    play.says(1, code("mean = 1.5"))
    play.ran()
    play.ran()
    assert play.proposed == ["mean = 1.5", "median = 1.5"]


def test_without_lanes_the_deep_model_writes_every_step(play):
    play.session.deep.gear = DeepGear(model="slow", lanes=0)
    play.begin()
    play.says(0, "1. [alone] Mean\n2. [alone] Median\n")
    assert play.states == ["writing", "to-do"]
    assert play.request_of(1).request.model == "slow"


def test_a_check_of_all_that_is_paused_is_made_again(play):
    play.begin(checks=("assert total == 3",))
    play.says(0, "1. Sum it up\n2. Fly to the moon")
    play.says(1, code("total = 3"))
    play.ran()
    play.says(2, "No: I have no answer to this.")
    play.direct("pause")
    assert any(isinstance(action, EndTry) for action in play.actions)
    play.direct("go-on")
    play.ran()
    assert play.work.state == "proposed"
    assert "Its checks pass." in play.log
