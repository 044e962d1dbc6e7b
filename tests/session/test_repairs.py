"""Repairs of new cells that failed in their copy."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import ConnectionLost
from spark_jupyter.prompting.request_parser import parse_request
from spark_jupyter.protocol.messages import Cancel
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Accept, ProposalChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding
from tests.session.test_rehearsal_feed import Rehearsal

SECRET = "the customer is Ada"
BROKEN = "```python\nx = 1\ny = x / 0\n```\n"
RIGHT = "```python\nx = 1\ny = x / 2\n```\n"


class Repairs(Rehearsal):
    def __init__(self, repairs: int = 2, **options: object) -> None:
        super().__init__(**options)
        self.session.repairs = repairs

    def failed(self, cell_id: str = "t1-1", error: str = f"ZeroDivisionError: {SECRET}", **fields: object) -> None:
        source = self.view.proposals[cell_id].source
        result = TrialResult(
            turn_id="t1", cell_id=cell_id, source_hash=content_hash(source), error=error, error_line=2, **fields
        )
        self.say_rehearsed(cell_id=cell_id, result=result)


@pytest.fixture
def play() -> Repairs:
    play = Repairs()
    play.prompt("divide")
    return play


def test_a_new_cell_that_failed_is_repaired_before_the_turn_ends(play):
    play.answer(BROKEN)
    play.failed()
    assert play.ends == []
    asked = play.requests[-1].request.input[-1].text
    assert "ZeroDivisionError" in asked
    assert "y = x / 0" in parse_request(asked).steer, "the statement that failed is quoted"
    assert "line 2" in asked
    assert SECRET not in asked, "what the code raised may be anybody's text"
    play.answer(RIGHT)
    play.ran()
    assert play.ends == [("t1", "completed")]
    proposal = play.view.proposals["t1-1"]
    assert (proposal.source, proposal.state, proposal.repairs) == ("x = 1\ny = x / 2", "ready", 1)
    assert proposal.may_run == "freely"
    assert [(one.kind, one.requests) for one in play.of(Meter)[-1].extra] == [("repair", 1)]


def test_what_still_fails_after_two_repairs_stays_as_it_is(play):
    for _ in range(3):
        play.answer(BROKEN)
        play.failed()
    assert len(play.requests) == 3
    assert play.ends == [("t1", "completed")]
    proposal = play.view.proposals["t1-1"]
    assert (proposal.source, proposal.state, proposal.repairs) == ("x = 1\ny = x / 0", "ready", 2)
    assert proposal.may_run == "when-asked"
    assert play.view.trials["t1-1"].error


def test_a_failure_known_before_the_answer_is_whole_is_repaired_at_its_end(play):
    play.text(BROKEN)
    play.failed()
    assert len(play.requests) == 1, "the answer goes on"
    play.answer("```python\nprint(1)\n```\n")
    play.say_rehearsed(late=True)  # the copy runs nothing behind what failed
    assert len(play.requests) == 2
    play.answer(f"{RIGHT}\n```python\nprint(1)\n```\n")
    play.ran("t1-1")
    play.ran("t1-2")
    assert play.ends == [("t1", "completed")]
    assert [one.repairs for one in play.view.of_turn("t1")] == [1, 0]


@pytest.mark.parametrize(
    "what",
    [{"refused": True}, {"problem": "Its time was up."}, {"not_tried": "it needs the network"}, {"error": ""}],
    ids=["refused", "problem", "not tried", "ran"],
)
def test_only_an_error_of_the_code_is_repaired(play, what):
    play.answer(BROKEN)
    play.failed(**what)
    assert len(play.requests) == 1
    assert play.ends == [("t1", "completed")]


def test_a_repair_is_told_what_the_checks_say_of_the_cell(play):
    play.answer(BROKEN)
    finding = Finding(
        rule="missing-column", severity="warn", line=2, message="There is no `zz`.", remedy="Did you mean `z`?"
    )
    play.session.receive_findings("t1", "t1-1", (finding,), at=next(play.clock))
    play.failed()
    assert "- line 2, missing-column: There is no `zz`. Did you mean `z`?" in play.requests[-1].request.input[-1].text


@pytest.mark.parametrize("late", [False, True])
def test_a_repair_of_which_nothing_is_left_leaves_the_answer_before_it(play, late):
    play.answer(BROKEN)
    if late:
        play.say_rehearsed(late=True)
    play.failed()
    play.answer("```python\n__import__('os').system('rm -rf / --no-preserve-root')\n```\n")
    play.answer("There is no other way.\n")
    assert play.view.proposals["t1-1"].source == "x = 1\ny = x / 0"
    play.failed()
    play.answer(RIGHT)
    play.ran()
    assert play.view.proposals["t1-1"].source == "x = 1\ny = x / 2"


def test_repairs_can_be_switched_off():
    play = Repairs(repairs=0)
    play.prompt("divide")
    play.answer(BROKEN)
    play.failed()
    assert len(play.requests) == 1
    assert play.ends == [("t1", "completed")]


def test_a_cut_for_what_a_copy_raised_counts_as_a_repair(play):
    play.text("```python\nx = 1\ny = x.foo\n")
    play.wrong()
    play.answer("```python continue\ny = 2\n```\n")
    play.ran()
    assert play.view.proposals["t1-1"].repairs == 1
    assert play.of(ProposalChanged)[-1].proposal.repairs == 1


def test_a_repair_that_can_not_be_asked_for_leaves_the_answer(play):
    play.answer(BROKEN)
    play.failed()
    play.fail(ConnectionLost("The connection broke off."))
    play.fail(ConnectionLost("The connection broke off."))
    assert play.ends == [("t1", "completed")]
    assert play.view.proposals["t1-1"].source == "x = 1\ny = x / 0"
    assert "repair" in play.view.turns["t1"].reason


def test_a_repair_can_be_cancelled(play):
    play.answer(BROKEN)
    play.failed()
    play.say(Cancel(turn_id="t1"))
    assert play.ends == [("t1", "cancelled")]
    assert play.view.proposals["t1-1"].source == "x = 1\ny = x / 0"


def test_a_steer_takes_the_repairs_along(play):
    from spark_jupyter.protocol.messages import Steer

    play.answer(BROKEN)
    play.failed()
    play.say(Steer(turn_id="t2", steers="t1", text="by three"))
    play.answer("```python\nx = 1\ny = x / 3\n```\n")
    play.ran()
    assert play.view.proposals["t1-1"].repairs == 1


def test_a_failure_known_after_the_end_of_the_turn_is_repaired_by_a_turn_that_steers_it(play):
    play.answer(BROKEN)
    play.say_rehearsed(late=True)
    assert play.ends == [("t1", "completed")]
    assert play.view.proposals["t1-1"].trying, "the copy still runs it"
    assert play.view.proposals["t1-1"].may_accept == "freely"
    play.failed()
    assert not play.view.proposals["t1-1"].trying
    assert "ZeroDivisionError" in play.requests[-1].request.input[-1].text
    turn = play.view.turns["t1-repair"]
    assert (turn.steers, turn.outcome) == ("t1", None)
    play.answer(RIGHT)
    play.ran()
    assert play.ends[-1] == ("t1-repair", "completed")
    proposal = play.view.proposals["t1-1"]
    assert (proposal.source, proposal.state, proposal.repairs) == ("x = 1\ny = x / 2", "ready", 1)
    assert [(one.kind, one.requests) for one in play.of(Meter)[-1].extra] == [("repair", 1)]


def test_late_failures_are_repaired_twice_at_most(play):
    for _ in range(3):
        play.answer(BROKEN)
        play.say_rehearsed(late=True)
        play.failed()
    assert len(play.requests) == 3
    assert play.ends[-1] == ("t1-repair-repair", "completed")
    assert play.view.proposals["t1-1"].may_run == "when-asked"


@pytest.mark.parametrize("meanwhile", ["accepted", "prompted", "cancelled"])
def test_a_late_failure_of_what_a_person_has_left_behind_is_not_repaired(play, meanwhile):
    play.answer(BROKEN)
    play.say_rehearsed(late=True)
    match meanwhile:
        case "accepted":
            play.say(Accept(cell_id="t1-1"))
        case "prompted":
            play.prompt("something else", turn_id="t2")
        case "cancelled":
            play.session.end_rehearsal_of("t1-1", at=9.0)
            play.drain()
            assert not play.view.proposals["t1-1"].trying
    asked = len(play.requests)
    play.say_rehearsed("t1/0", cell_id="t1-1", result=TrialResult(turn_id="t1", cell_id="t1-1", error="ValueError"))
    assert len(play.requests) == asked


def test_a_copy_that_ends_without_a_result_is_no_longer_shown_as_running(play):
    play.answer(RIGHT)
    play.say_rehearsed(late=True)
    assert play.view.proposals["t1-1"].trying
    play.say_rehearsed(late=True, over=True)
    assert not play.view.proposals["t1-1"].trying
