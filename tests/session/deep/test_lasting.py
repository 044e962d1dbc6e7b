"""Deep work that takes long: its budgets, connections that are lost, what a notebook keeps of it, an answer that it takes on."""

from __future__ import annotations

import pytest
from msgspec import structs

from spark_jupyter.exceptions import AuthenticationFailed, ConnectionLost, RateLimited, SessionError
from spark_jupyter.protocol.deep_messages import (
    DeepBudget,
    DeepChanged,
    DeepStep,
    DeepWork,
    RestoreDeep,
)
from spark_jupyter.protocol.proposal_messages import CellsChanged
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.actions import SendRequest
from spark_jupyter.session.deep.deep_work import RETRIES
from spark_jupyter.ui.text.deep_text import spent_text
from tests.session.deep.playing import PLAN, DeepPlay, code

# --- budgets ------------------------------------------------------------------------------------------------------------


def test_when_its_time_is_up_what_is_done_is_proposed_with_what_is_not(play):
    play.begin(budget=DeepBudget(seconds=100))
    assert play.wakes == [100]
    play.says(0, PLAN)
    play.says(1, code("data = [1, 2]"))
    play.ran()
    play.wake(after=1000)
    assert play.work.state == "proposed"
    assert play.proposed == ["data = [1, 2]"]
    assert "Timed out after" in play.work.reason
    assert "Step 2 was not done: Sum it up" in play.work.undone[0]


def test_a_wake_that_comes_too_early_asks_for_another(play):
    play.begin(budget=DeepBudget(seconds=100))
    play.wake()
    assert play.work.state == "planning"
    assert len(play.wakes) == 2


def test_tokens_and_dollars_are_a_budget_too():
    from spark_jupyter.protocol.values import ModelInfo

    play = DeepPlay()
    play.session.jobs.deep_price = lambda model: ModelInfo(id=model, input_price=7_000.0, output_price=7_000.0)
    play.begin(budget=DeepBudget(dollars=2.0))
    play.says(0, PLAN)
    assert play.work.cost == pytest.approx(1.5, abs=1.4)
    play.says(1, code("data = [1, 2]"))
    assert "$2 is used up" in play.work.reason
    other = DeepPlay()
    other.begin(budget=DeepBudget(tokens=100))
    other.says(0, PLAN)
    assert "100 tokens" in other.work.reason
    assert other.work.state == "gave-up"


def test_what_it_has_cost_is_unknown_as_soon_as_one_price_is(play):
    play.say(RestoreDeep(works=(structs.replace(KEPT, cost=0.5),)))
    assert "$0.5" in spent_text(play.work)
    play.direct("go-on")
    play.says(1, code("data = [1, 2]"))
    assert play.work.cost is None
    assert "cost unknown" in spent_text(play.work)


# --- lost connections ----------------------------------------------------------------------------------------------------


def test_a_lost_connection_is_sought_again_after_a_rest(play):
    play.begin()
    play.says(0, PLAN)
    play.says(1, code("data = [1, 2]"))
    play.ran()
    play.breaks(2, ConnectionLost("gone"))  # nothing had come: asked once more at once
    assert play.work.state == "writing"
    play.breaks(2, ConnectionLost("gone"))
    assert play.work.state == "stalled"
    play.wake()
    assert play.states == ["done", "writing"], "what was done is not done again"
    play.says(2, code("total = 3"))
    play.ran()
    assert play.work.state == "proposed"


def test_a_provider_that_names_a_time_is_waited_for(play):
    play.begin()
    play.breaks(0, RateLimited("slow down", retry_after=17))
    assert play.work.state == "stalled"
    assert play.wakes[-1] == 17
    assert (play.work.rest, play.work.reason) == (17, "slow down"), (
        "so that who looks is told when it asks again, and why"
    )
    play.wake()
    assert (play.work.state, play.work.rest, play.work.reason) == ("planning", 0, "")


def test_it_does_not_ask_for_ever(play):
    play.begin()
    for _ in range(RETRIES):
        play.breaks(0, RateLimited("slow down"))
        play.wake()
    play.breaks(0, RateLimited("slow down"))
    assert play.work.state == "gave-up"
    assert "slow down" in play.work.reason


def test_a_refusal_ends_it_with_what_is_done(play):
    play.begin()
    play.says(0, PLAN)
    play.says(1, code("data = [1, 2]"))
    play.ran()
    play.breaks(2, AuthenticationFailed("no key"))
    assert play.work.state == "proposed"
    assert play.work.reason == "no key"


KEPT = DeepWork(
    id="w1",
    prompt="the report",
    state="trying",
    steps=(DeepStep(text="Load the data", state="done"), DeepStep(text="Sum it up", state="trying")),
    elapsed=30.0,
)


# --- a notebook that remembers ---------------------------------------------------------------------------------------------


def test_one_that_another_kernel_began_is_paused_and_goes_on_from_its_plan_when_a_person_says_so(play):
    play.say(RestoreDeep(works=(KEPT,)))
    assert play.work.state == "paused"
    assert play.states == ["to-do", "to-do"]
    assert "gone" in play.work.lost
    assert "1 step had written" in play.work.lost
    assert not [one for one in play.requests if isinstance(one, SendRequest)], "nothing is asked by itself"
    cell = NotebookCell(id="c1", source="x = 1")
    play.direct("go-on", cells=(cell,))
    assert play.asked(1).cells == (cell,)
    assert play.work.elapsed >= 30


def test_what_was_lost_is_said_until_it_goes_on_and_stays_in_its_log(play):
    play.say(RestoreDeep(works=(KEPT,)))
    assert "What 1 step had written is lost, too." in play.work.lost
    play.direct("go-on")
    assert not play.work.lost
    assert "What 1 step had written is lost, too." in play.log


def test_a_notebook_can_not_give_it_more_than_the_user_does(play):
    wide = DeepBudget(seconds=86_400, tokens=10**15)
    play.say(RestoreDeep(works=(structs.replace(KEPT, budget=wide, elapsed=-1e9, tokens=-(10**12), cost=-1e6),)))
    assert play.work.budget == play.session.deep.gear.budget
    assert (play.work.elapsed, play.work.tokens, play.work.cost) == (0.0, 0, 0.0)
    play.say(RestoreDeep(works=(structs.replace(KEPT, id="w2", budget=DeepBudget(seconds=60, dollars=1.0)),)))
    assert (play.session.deep_works[-1].budget.seconds, play.session.deep_works[-1].budget.dollars) == (60, 1.0)


def test_one_that_is_over_is_told_and_nothing_else(play):
    done = DeepWork(id="w1", prompt="the report", state="proposed")
    play.say(RestoreDeep(works=(done,)))
    assert play.session.deep_works == (done,)
    assert play.of(DeepChanged) == [DeepChanged(work=done)]


def test_what_is_known_already_stays_as_it_is(play):
    play.begin()
    before = play.work
    play.say(RestoreDeep(works=(KEPT,)))
    assert play.work == before


# --- an answer that is handed up ---------------------------------------------------------------------------------------------


def test_it_takes_on_a_fast_answer_and_its_own_is_a_diff_against_that(play):
    play.prompt("the mean", "t1")
    play.answer(code("mean = 1"))
    play.begin("", hands_up="t1")
    assert play.work.prompt == "the mean"
    asked = play.asked(0)
    assert "t1-1" in asked.request
    assert [(cell.id, cell.source) for cell in asked.cells] == [("t1-1", "mean = 1")]
    play.says(0, "1. Take the mean")
    play.says(1, "```python cell=t1-1\nmean = sum(data) / len(data)\n```\n")
    play.ran()
    (proposal,) = play.view.of_turn("w1")
    assert (proposal.kind, proposal.base) == ("edit", "mean = 1")
    assert "-mean = 1\n+mean = sum(data) / len(data)" in play.work.compared


def test_a_turn_that_streams_or_is_unknown_can_not_be_handed_up(play):
    with pytest.raises(SessionError, match="no turn"):
        play.begin(hands_up="t9")
    play.prompt("the mean", "t1")
    with pytest.raises(SessionError, match="still streaming"):
        play.begin(hands_up="t1")


def test_nothing_of_it_is_in_a_frame_before_it_is_proposed(play):
    play.begin()
    play.says(0, PLAN)
    play.says(1, code("data = [1, 2]"))
    assert not play.of(CellsChanged)
