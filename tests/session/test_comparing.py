"""Two answers that are compared: both are written and tried from one moment, and a person keeps one."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.messages import Cancel, Prompt, TurnEnded
from spark_jupyter.protocol.proof_values import Difference, Proof
from spark_jupyter.protocol.proposal_messages import Accept, ChooseAttempt, ProposalChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts, NotebookCell, Target
from spark_jupyter.session.answer_trials import AnswerTrial, EndTry, TryAnswer, TryBoth
from spark_jupyter.ui.text.words import attempt_line
from tests.session.play import BAD
from tests.session.races import Races, code

DIFFERS = Proof(verdict="differs", differences=(Difference(kind="variable", name="x", detail="1 → 2"),), summary="x")


class Comparisons(Races):
    def compare(self, text: str = "the mean", **wish: object) -> None:
        options = {name: wish.pop(name) for name in ("cells", "target", "intent") if name in wish}
        self.prompt(text, "t1", attempts=Attempts(compare=True, **wish), **options)

    @property
    def both(self) -> list[TryBoth]:
        return [action for action in self.actions if isinstance(action, TryBoth)]

    def both_tried(self, *errors: str) -> None:
        for number, answer in enumerate(self.both[-1].answers):
            error = errors[number] if errors else ""
            results = tuple(TrialResult(turn_id="t1", cell_id="", summary="ran", error=error) for _ in answer.cells)
            trial = AnswerTrial(results=results, compared=DIFFERS if number else None)
            self.session.receive_answer_trial(answer.owner, trial, at=next(self.clock))
        self.drain()

    def keep(self, index: int) -> None:
        self.say(ChooseAttempt(turn_id="t1", index=index))


@pytest.fixture
def play() -> Comparisons:
    return Comparisons()


def asked(play: Comparisons, index: int) -> str:
    return play.request(index).request.input[-1].text


@pytest.fixture
def tried(play) -> Comparisons:
    play.compare("the mean", other="the median")
    play.answers(0, "By the mean.\n\n" + code("x = mean(values)"))
    play.answers(1, "By the median.\n\n" + code("x = median(values)"))
    play.both_tried()
    return play


def test_each_answer_has_its_prompt_and_both_are_tried_when_both_are_written(play):
    play.compare("the mean", other="the median")
    assert "the mean" in asked(play, 0)
    assert "the median" not in asked(play, 0)
    assert "the median" in asked(play, 1)
    play.answers(0, code("x = 1"))
    assert not play.both, "the other is still being written"
    play.answers(1, code("x = 2"))
    assert [answer.cells for answer in play.both[0].answers] == [("x = 1",), ("x = 2",)]
    assert not any(isinstance(action, TryAnswer) for action in play.actions)


def test_edits_are_tried_with_the_place_of_their_cell_in_the_notebook(play):
    cells = (NotebookCell(id="a", source="x = 1"), NotebookCell(id="b", source="x += 1"))
    play.compare("add two", other="add three", cells=cells, target=Target(edit="b"), intent="edit")
    for index in (0, 1):
        play.answers(index, code(f"x += {index + 2}"))
    for index, answer in enumerate(play.both[0].answers):
        assert (answer.cells, answer.ids) == ((f"x += {index + 2}",), ("b",))
        assert answer.notebook == (("a", "x = 1"), ("b", "x += 1"))


def test_two_models_answer_one_prompt(play):
    play.compare("the mean", models=("a", "b"))
    assert [play.request(index).request.model for index in (0, 1)] == ["a", "b"]
    assert [play.request(index).request.temperature for index in (0, 1)] == [None, None]
    assert "the mean" in asked(play, 1)


def test_nothing_is_proposed_before_one_is_kept(tried):
    assert tried.of(TurnEnded)[0].outcome == "completed"
    assert not tried.of(ProposalChanged)
    states = [tried.view.attempts["t1", index] for index in (0, 1)]
    assert [one.state for one in states] == ["passed", "passed"]
    assert [one.prompt for one in states] == ["the mean", "the median"]
    assert [len(one.results) for one in states] == [1, 1]
    assert (states[0].compared, states[1].compared) == (None, DIFFERS)
    tried.prompt("go on", "t2")
    assert "the mean" not in "".join(message.text for message in tried.requests[-1].request.input), "nobody kept it"


def test_the_one_that_is_kept_is_an_ordinary_proposal_to_its_own_prompt(tried):
    tried.keep(1)
    assert tried.sources == ["x = median(values)"]
    assert tried.view.proposals["t1-1"].state == "ready"
    assert tried.view.trials["t1-1"].summary == "ran"
    assert tried.view.turns["t1"].prompt == "the median"
    assert tried.view.turns["t1"].notes.strip() == "By the median."
    tried.keep(0)
    assert tried.sources == ["x = mean(values)"]
    assert tried.view.turns["t1"].prompt == "the mean"
    tried.keep(1)
    tried.say(Accept(cell_id="t1-1"))
    tried.prompt("go on", "t2")
    heard = "".join(message.text for message in tried.requests[-1].request.input)
    assert "the median" in heard
    assert "the mean" not in heard


def test_the_other_one_opens_in_a_turn_of_its_own_once_one_was_decided(tried):
    tried.keep(0)
    tried.say(Accept(cell_id="t1-1"))
    for _ in range(2):
        tried.keep(1)
        opened = tried.session.turns[-1]
        assert opened.prompt == "the median"
        assert opened.outcome == "completed"
        (proposal,) = [one for one in tried.view.proposals.values() if one.turn_id == opened.id]
        assert (proposal.source, proposal.state) == ("x = median(values)", "ready")
        assert tried.view.proposals["t1-1"].state == "accepted"


def test_one_that_is_blocked_leaves_the_other_to_be_tried_alone(play):
    play.compare("the mean", other="the median")
    play.answers(0, code("x = 1"))
    for _ in range(3):
        if play.view.attempts["t1", 1].state == "streaming":
            play.answers(1, code(BAD))
    assert play.view.attempts["t1", 1].state == "failed"
    assert not play.both
    play.tried(0)
    assert play.ends == [("t1", "completed")]
    assert not play.of(ProposalChanged)
    play.keep(0)
    assert play.sources == ["x = 1"]


def test_a_failing_one_can_be_kept_but_does_not_run_by_itself(play):
    play.compare("the mean", other="the median")
    play.answers(0, code("x = 1"))
    play.answers(1, code("x = 1 / 0"))
    play.both_tried("", "ZeroDivisionError: division by zero")
    assert "ZeroDivisionError" in play.reason(1)
    play.keep(1)
    assert play.view.proposals["t1-1"].may_run == "when-asked"


def test_one_that_a_limit_of_the_copy_stopped_is_not_tried_and_has_not_failed(play):
    play.compare("the mean", other="the median")
    play.answers(0, code("x = 1"))
    play.answers(1, code("x = read()"))
    first, second = play.both[0].answers
    refused = TrialResult(
        turn_id="t1", cell_id="", error="PermissionError", refused=True, not_tried="it uses the network"
    )
    for answer, result in ((first, TrialResult(turn_id="t1", cell_id="", summary="ran")), (second, refused)):
        play.session.receive_answer_trial(answer.owner, AnswerTrial(results=(result,)), at=next(play.clock))
    play.drain()
    assert play.reason(1) == ""
    assert "2 the median: not tried" in attempt_line(play.view.attempts["t1", 1])


def test_a_cancel_ends_both_copies(play):
    play.compare("the mean", other="the median")
    play.answers(0, code("x = 1"))
    play.answers(1, code("x = 2"))
    play.say(Cancel(turn_id="t1"))
    assert {action.owner for action in play.actions if isinstance(action, EndTry)} == {
        answer.owner for answer in play.both[0].answers
    }
    assert play.ends == [("t1", "cancelled")]


def test_each_answer_must_hold_what_its_own_prompt_asserts(play):
    play.compare("f doubles: `assert f(2) == 4`", other="f triples: `assert f(2) == 6`")
    play.answers(0, code("def f(x): return 2 * x"))
    play.answers(1, code("def f(x): return 3 * x"))
    assert ["== 4" in "".join(one.checks) for one in play.both[0].answers] == [True, False]
    assert ["== 6" in "".join(one.checks) for one in play.both[0].answers] == [False, True]


def test_an_answer_is_not_compared_with_itself(play):
    for wish in ({}, {"models": ("a", "a")}, {"other": "  "}):
        with pytest.raises(SessionError, match="only one answer"):
            play.say(Prompt(turn_id="t1", text="x", attempts=Attempts(compare=True, **wish)))


def test_a_secret_in_the_second_prompt_is_withheld_and_named(play):
    play.compare("list the files", other="list them with AKIAQ3EGRZ5T7WNKXK2P")
    assert "AKIAQ3EGRZ5T7WNKXK2P" not in "".join(asked(play, index) for index in (0, 1))
    assert play.session.turns[0].withheld
