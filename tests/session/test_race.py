"""Races without sockets, threads or forks: what is asked of the providers and of Try, and what is proposed in the end."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import RequestRefused
from spark_jupyter.prompting.answer_decoder import AnswerDecoder
from spark_jupyter.prompting.answer_items import CellOpened, Change
from spark_jupyter.prompting.conversation import Answer, Block, Note
from spark_jupyter.prompting.request_parser import parse_request
from spark_jupyter.prompting.request_text import answer_text
from spark_jupyter.protocol.messages import Meter, Prompt, TurnEnded
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import AttemptChanged, ProposalChanged, Run, RunRequested
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts, NotebookCell, Target
from spark_jupyter.session.actions import DropRequest
from spark_jupyter.session.answer_trials import EndTry
from tests.session.play import BAD, GOOD
from tests.session.races import Races, code


@pytest.fixture
def play() -> Races:
    return Races()


# --- which one is proposed ---------------------------------------------------------------------------------------------


def test_the_first_that_passes_is_proposed_and_the_others_are_dropped_at_once(play):
    play.race(checks=("assert f(3) == 5",))
    assert len({request.job_id for request in play.requests}) == 3
    play.answers(0, code("def f(x): return x"))
    play.tried(0, checks=("f(3) is 3",))
    play.answers(2, code("def f(x): retur"), whole=False)
    assert not play.of(ProposalChanged), "nothing is shown before it was tried"
    play.answers(1, "Two words.\n\n" + code("def f(x): return x + 2"))
    play.tried(1)
    assert play.sources == ["def f(x): return x + 2"]
    assert play.view.proposals["t1-1"].state == "ready"
    assert play.view.proposals["t1-1"].may_run == "freely"
    assert not play.of(TurnEnded)[0].none_passed
    assert play.states == ["failed", "passed", "lost"]
    assert play.reason(0) == "assert f(3) == 5 failed: f(3) is 3"
    assert DropRequest(job_id=play.request(2).job_id) in play.actions
    assert play.ends == [("t1", "completed")]
    assert "Two words." in play.view.turns["t1"].notes


def test_a_proposal_from_a_race_has_been_tried_already(play):
    play.race()
    play.answers(0, code("x = 1") + code("y = 2"))
    play.tried(0)
    for proposal in play.view.proposals.values():
        assert proposal.source in ("x = 1", "y = 2")
        assert play.view.trials[proposal.cell_id].source_hash == content_hash(proposal.source)
        assert play.session.store.draft(proposal.cell_id).tried == content_hash(proposal.source)
    kinds = [type(event) for event in play.events]
    assert kinds.index(TrialResult) < kinds.index(TurnEnded)


def test_what_comes_late_from_a_race_changes_nothing(play):
    play.race()
    play.answers(0, code("x = 1"))
    play.answers(1, code("x = 2"))
    play.tried(0)
    assert EndTry(owner=play.tries(1)[0].owner) in play.actions
    before = len(play.events)
    play.tried(1)
    play.answers(2, code("x = 3"))
    assert len(play.events) == before
    assert play.sources == ["x = 1"]


def test_where_none_passes_the_one_that_got_furthest_is_proposed_with_the_reason(play):
    play.race(checks=("assert f(3) == 5", "assert f(1) == 3"))
    play.answers(0, code("def f(x): oops"))
    play.tried(0, "NameError: name 'oops' is not defined")
    play.answers(1, code("def f(x): return 5"))
    play.tried(1, checks=("", "f(1) is 5"))
    assert play.ends == []
    play.answers(2, code("def f(x): return 0"))
    play.tried(2, checks=("f(3) is 0", "f(1) is 0"))
    assert play.sources == ["def f(x): return 5"]
    assert play.states == ["failed", "failed", "failed"]
    assert play.view.attempts["t1", 1].proposed
    ended = play.of(TurnEnded)[0]
    assert ended.outcome == "completed"
    assert ended.reason == "None of 3 attempts passed. Number 2 got furthest: assert f(1) == 3 failed: f(1) is 5"
    assert ended.none_passed
    assert play.view.proposals["t1-1"].may_run == "when-asked"
    play.say(Run(cell_id="t1-1"))
    assert play.of(RunRequested), "a person has asked for it"


def test_where_no_attempt_wrote_code_nothing_is_proposed(play):
    play.race(count=2)
    play.answers(0, "I can't do that.\n")
    play.answers(1, "Nor can I.\n")
    assert play.sources == []
    assert not any(attempt.proposed for attempt in play.view.attempts.values())
    assert play.of(TurnEnded)[0].reason == "None of 2 attempts wrote code, so nothing is proposed."


def test_an_answer_without_code_does_not_win(play):
    play.race(count=2)
    play.answers(0, "I can't do that.\n")
    assert play.reason(0) == "It wrote no code."
    play.answers(1, code("x = 1"))
    play.tried(1)
    assert play.sources == ["x = 1"]


def test_an_attempt_is_judged_and_corrected_as_any_turn_is(play):
    play.race(count=2)
    play.answers(0, BAD, whole=False)
    correction = play.request(0)
    assert len(play.requests) == 3
    assert "command-injection" in correction.request.input[-1].text
    play.answers(0, GOOD)
    play.tried(0)
    assert "subprocess.run" in play.sources[0]


def test_an_attempt_that_insists_on_what_is_blocked_is_never_run(play):
    play.race(count=2)
    for _ in range(3):
        play.answers(0, BAD, whole=False)
    play.answers(0, "")
    assert play.tries(0) == []
    assert play.states[0] == "failed"
    assert "blocked" in play.reason(0)
    play.answers(1, code("x = oops"))
    play.tried(1, "NameError: oops")
    assert play.sources == ["x = oops"], "what fails is better than what is dangerous"


def test_the_best_of_blocked_answers_is_proposed_blocked_and_asks_nothing_more(play):
    play.race(count=1, until_green=0, checks=("assert True == f()",))
    for _ in range(3):
        play.answers(0, BAD, whole=False)
    play.answers(0, "")
    sent = len(play.requests)
    assert play.view.proposals["t1-1"].state == "blocked"
    assert play.view.proposals["t1-1"].may_run == "when-confirmed"
    assert len(play.requests) == sent
    assert play.ends == [("t1", "completed")]


# --- what is asked -----------------------------------------------------------------------------------------------------


def test_attempts_at_one_model_differ_in_temperature(play):
    play.race(count=3)
    temperatures = [play.request(index).request.temperature for index in range(3)]
    assert temperatures[0] is None
    assert len(set(temperatures)) == 3


def test_each_of_several_models_is_asked_once(play):
    play.race(count=1, models=("a", "b", "c"))
    asked = [play.request(index).request for index in range(3)]
    assert [request.model for request in asked] == ["a", "b", "c"]
    assert {request.temperature for request in asked} == {None}
    play.answers(1, code("x = 1"))
    play.tried(1)
    assert play.view.turns["t1"].model == "b"


def test_more_attempts_than_models_ask_them_in_turn(play):
    play.race(count=3, models=("a", "b"))
    assert [play.request(index).request.model for index in range(3)] == ["a", "b", "a"]
    assert play.request(2).request.temperature is not None


def test_a_model_that_takes_no_temperature_is_asked_without(play):
    play.race(count=2)
    play.breaks(1, RequestRefused("Unsupported parameter: 'temperature' is not supported with this model."))
    assert play.request(1).request.temperature is None
    play.answers(1, code("x = 1"))
    play.tried(1)
    assert play.sources == ["x = 1"]


def test_checks_come_from_the_wish_the_prompt_and_the_answers_doctests(play):
    play.race("write f\nassert f(1) == 1", checks=("assert f(2) == 4",))
    play.answers(0, code('def f(x):\n    """Square.\n\n    >>> f(3)\n    9\n    """\n    return x * x'))
    sources = play.tries(0)[0].checks
    assert len(sources) == 3
    assert [part in source for part, source in zip(("f(2)", "f(1)", ">>> f(3)"), sources, strict=True)] == [True] * 3
    assert parse_request(play.request(0).request.input[-1].text).checks == "assert f(2) == 4"


def test_an_answer_of_several_cells_is_run_in_their_order_without_its_markdown(play):
    play.race(count=2)
    play.answers(0, code("x = 1") + "```markdown\n# T\n```\n" + code("y = x"))
    assert play.tries(0)[0].cells == ("x = 1", "y = x")
    play.tried(0)
    assert [proposal.cell_type for proposal in play.view.proposals.values()] == ["code", "markdown", "code"]


def test_an_edit_races_too_and_the_cell_is_changed_once(play):
    cell = NotebookCell(id="c1", source="x = 1")
    play.race(count=2, cells=(cell,), target=Target(edit="c1"), intent="edit")
    play.answers(0, code("x = oops"))
    play.tried(0, "NameError: oops")
    play.answers(1, "```python cell=c1\nx = 2\n```\n")
    play.tried(1)
    assert play.view.proposals["c1"].kind == "edit"
    assert play.sources == ["x = 2"]


# --- what it costs, what is told ---------------------------------------------------------------------------------------


def test_the_meter_sums_up_what_the_race_cost():
    from spark_jupyter.protocol.values import ModelInfo

    play = Races(price=lambda model: ModelInfo(id=model, input_price=1.0, output_price=10.0))
    play.race(count=2, until_green=1)
    play.answers(0, code("x = oops"))
    play.tried(0, "NameError: oops")
    play.answers(0, code("x = 1"))
    play.answers(1, code("x = "), whole=False)
    play.tried(0)
    meter = play.of(Meter)[-1]
    assert meter.turn_id == "t1"
    assert meter.output_tokens > 20, "two whole answers and a part of a third"
    assert meter.input_tokens > 200
    assert meter.estimated
    assert meter.cost == pytest.approx((meter.input_tokens + 10 * meter.output_tokens) / 1e6)


def test_only_how_attempts_stand_reaches_the_users_side_until_one_has_won(play):
    play.race()
    play.answers(0, code("x = 1"))
    assert {type(event).__name__ for event in play.events} <= {"TurnStarted", "AttemptChanged", "Meter"}
    assert [event.state for event in play.of(AttemptChanged) if event.index == 0] == ["streaming", "trying"]
    assert all(event.turn_id == "t1" for event in play.of(AttemptChanged))
    assert play.session.history.attempts[0].source == "x = 1"


@pytest.mark.parametrize("sources", [["x = 1"], ["a = '''\n```\n'''", "b = 2"], ["````\n"], ["%%bash\nls\n\nls"]])
def test_cells_written_as_an_answer_are_read_as_the_same_cells(sources):
    cells = [Block(cell_id=f"c{n}", source=source.strip("\n")) for n, source in enumerate(sources)]
    decoder = AnswerDecoder("t", target=Target(), known_cells={})
    answer = Answer((*cells, Note("Words, and\n```bash\nan open fence")))
    items = [*decoder.decode(answer_text(answer)), *decoder.flush()]
    assert sum(isinstance(item, CellOpened) for item in items) == len(cells)
    written = "".join(item.change.text for item in items if isinstance(item, Change) and hasattr(item.change, "text"))
    assert written == "".join(cell.source for cell in cells)


def test_a_race_is_what_any_wish_makes_of_a_prompt():
    assert not Attempts().races
    for wish in ({"count": 2}, {"models": ("a",)}, {"checks": ("assert f()",)}, {"until_green": 1}):
        assert Attempts(**wish).races
    assert Prompt(turn_id="t", text="x").attempts == Attempts()


@pytest.fixture
def weak() -> Races:
    """A session of a model of which three answers are wanted where they can be judged, and with something that tries them."""
    play = Races(tries=True)
    play.session.checked_attempts = 3
    return play


# --- a model that is seldom right at once --------------------------------------------------------------------------------


def test_a_weak_model_tries_several_times_where_its_answer_can_be_checked(weak):
    weak.race("write f\nassert f(1) == 1", count=1)
    assert len(weak.session.history.attempts) == 3


def test_a_weak_model_tries_several_times_for_checks_that_are_given(weak):
    weak.race(count=1, checks=("assert f(1) == 1",))
    assert len(weak.session.history.attempts) == 3


@pytest.mark.parametrize(
    "said", [{"text": "write f"}, {"text": "assert that f is fine"}, {"count": 2, "checks": ("assert f(1) == 1",)}]
)
def test_a_weak_model_tries_once_where_nothing_judges_and_as_often_as_a_person_says(weak, said):
    weak.race(**{"count": 1, **said})
    assert len(weak.session.history.attempts) == (2 if said.get("count") else 0)


def test_a_weak_model_explains_once(weak):
    weak.prompt("why does assert f(1) == 1 fail?", intent="explain")
    assert not weak.session.history.attempts
