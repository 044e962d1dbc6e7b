"""The session without sockets, threads or clocks: commands and model events in, events and actions out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spark_jupyter.exceptions import ConnectionLost, QuotaUsedUp, SessionError, TurnOver
from spark_jupyter.guardrail import syntax_check
from spark_jupyter.prompting.request_parser import parse_request
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.constants import TURN_OVER
from spark_jupyter.protocol.messages import (
    Cancel,
    Meter,
    NewConversation,
    NotesAdded,
    Problem,
    Prompt,
    Steer,
    TurnEnded,
    TurnStarted,
)
from spark_jupyter.protocol.proposal_messages import Accept, CellsChanged
from spark_jupyter.protocol.provider_messages import SelectModel
from spark_jupyter.protocol.values import Finding, NotebookCell
from spark_jupyter.providers.base import (
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    Usage,
)
from spark_jupyter.session.actions import DropRequest, InspectCell
from spark_jupyter.session.generation import Generation
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.rehearsal_feed import Rehearsed
from spark_jupyter.session.transitions import OUTCOMES, TRANSITIONS, Phase
from tests.session.play import BAD, Play


def test_every_transition_names_steps_that_exist_and_no_end_has_a_way_out():
    for (phase, _), (_, steps) in TRANSITIONS.items():
        assert phase not in OUTCOMES
        for step in steps:
            assert callable(getattr(Generation, f"_do_{step}"))


class Judge:
    """A watch that finds nothing, and keeps what it has read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, unrun: Sequence[str], earlier: Sequence[str]) -> Judge:
        return self

    def feed(self, text: str) -> list[Finding]:
        self.read.append(text)
        return []

    def flush(self) -> list[Finding]:
        return []


@pytest.fixture
def judge() -> Judge:
    return Judge()


REHEARSED = Rehearsed(rehearsal_id="t1/0", late=True)


def in_phase(phase: Phase) -> Play:
    """A turn that has come so far."""
    play = Play(rehearse="stream")
    play.prompt()
    if phase is not Phase.WAITING:
        play.text("```python\nx = 1\n")
    if phase is Phase.REHEARSING:
        play.answer("```\n")
    assert play.session.history.get("t1").generation.phase is phase
    return play


@pytest.mark.parametrize("phase", [Phase.WAITING, Phase.STREAMING, Phase.REHEARSING])
@pytest.mark.parametrize(
    ("happens", "outcome"),
    [
        (lambda play: play.say(Cancel(turn_id="t1")), "cancelled"),
        (lambda play: play.say(Steer(turn_id="t2", steers="t1", text="otherwise")), "superseded"),
        (lambda play: play.fail(QuotaUsedUp("Too many requests.")), "failed"),
        (lambda play: (play.done(), play.rehearsed(REHEARSED)), "completed"),
    ],
)
def test_whatever_happens_to_a_live_turn_ends_it_once_and_says_so(phase, happens, outcome):
    play = in_phase(phase)
    happens(play)
    if phase is Phase.REHEARSING and outcome == "failed":
        assert play.ends == [], "its request was over: no failure of it can follow"
        play.rehearsed(REHEARSED)
        outcome = "completed"
    assert play.ends == [("t1", outcome)]
    play.done()
    play.fail(QuotaUsedUp("late"))
    play.rehearsed(REHEARSED)
    assert play.ends[0] == ("t1", outcome)
    assert [turn_id for turn_id, _ in play.ends].count("t1") == 1
    if outcome != "superseded":
        assert play.session.streaming == ()
        play.prompt(turn_id="t3")
        play.answer("```python\nafter = 1\n```\n")
        play.rehearsed(Rehearsed(rehearsal_id="t3/0", late=True))
        assert play.ends[-1] == ("t3", "completed"), "the next turn is none the worse for it"


def test_a_turn_streams_into_a_cell_and_ends_completed(play):
    play.prompt()
    play.text("Here it is.\n\n```python\nx = 1\n")
    assert play.view.proposals["t1-1"].state == "streaming"
    play.answer("y = 2\n```\nDone.")
    proposal = play.view.proposals["t1-1"]
    assert (proposal.source, proposal.state) == ("x = 1\ny = 2", "ready")
    assert "Here it is." in play.view.turns["t1"].notes
    assert "Done." in play.view.turns["t1"].notes
    assert play.ends == [("t1", "completed")]
    assert InspectCell(turn_id="t1", cell_id="t1-1", source="x = 1\ny = 2") in play.actions


def test_the_view_and_the_session_agree_on_what_is_proposed(play):
    play.prompt()
    play.answer("```python\na = 1\n```\n```markdown\n# T\n```\n")
    assert tuple(play.view.proposals.values()) == play.session.store.proposals


def test_the_request_carries_prompt_variables_and_cells(play):
    cells = (NotebookCell(id="c1", source="df = 1"),)
    play.say(
        Prompt(turn_id="t1", text="plot df", cells=cells, model="other"),
        surroundings=Surroundings(variables="df: int", last_error="ZeroDivisionError"),
    )
    request = play.requests[0].request
    text = request.input[-1].text
    assert request.model == "other"
    for part in ("plot df", "df: int", "ZeroDivisionError", "id=c1", "df = 1"):
        assert part in text


def test_a_cancelled_turn_keeps_what_was_written_and_ignores_the_tail(play):
    play.prompt()
    play.text("```python\nx = 1\ny = ")
    first = play.requests[-1]
    play.say(Cancel(turn_id="t1"))
    assert DropRequest(job_id=first.job_id) in play.actions
    play.text("2\n```", request=first)
    assert play.view.proposals["t1-1"].source == "x = 1\ny = "
    assert play.view.proposals["t1-1"].state == "ready"
    assert play.ends == [("t1", "cancelled")]


def test_a_cancel_that_says_what_is_shown_takes_back_what_came_since(play):
    play.prompt()
    play.text("```python\na = 1\n```\n\n```python\nb = 2\nc = 3\n```\n\n```python\nd =")
    play.say(Cancel(turn_id="t1", shown={"t1-1": "a = 1", "t1-2": "b = 2\nc"}))
    assert [(cell.source, cell.state) for cell in play.session.store.proposals] == [
        ("a = 1", "ready"),
        ("b = 2\nc", "ready"),
    ]
    assert play.view.proposals == {one.cell_id: one for one in play.session.store.proposals}
    assert play.events[-1] == TurnEnded(turn_id="t1", outcome="cancelled")


def test_a_cell_that_was_stopped_in_a_statement_says_what_is_missing_and_does_not_run_by_itself(play):
    play.prompt()
    play.text("```python\nx = 1\nprint(x, [1, 2")
    play.say(Cancel(turn_id="t1"))
    [proposal] = play.session.store.proposals
    assert (proposal.state, proposal.may_run) == ("ready", "when-asked")
    assert proposal.unfinished == "Stopped at line 2: '[' was never closed."
    assert play.view.proposals["t1-1"].unfinished == proposal.unfinished
    play.say(Accept(cell_id="t1-1", source="x = 1\nprint(x)"))
    assert play.session.store.proposals[0].unfinished == ""


def test_a_cell_that_was_cut_and_not_gone_on_with_says_what_is_missing(play):
    play.prompt()
    play.text("```python\nimport os\nname = input()\nif name:\n    os.system(name)\n")
    play.answer("No: I can't do that.\n")
    [proposal] = play.session.store.proposals
    assert proposal.source.endswith("if name:\n")
    assert "expected an indented block" in proposal.unfinished
    assert proposal.may_run == "when-asked"


def test_a_cell_that_was_stopped_where_it_parses_lacks_nothing(play):
    play.prompt()
    play.text("```python\nx = 1\nprint(x")
    play.say(Cancel(turn_id="t1", shown={"t1-1": "x = 1\nprint"}))
    assert play.session.store.proposals[0].unfinished == ""


def test_a_cancel_does_not_bring_back_what_a_finding_has_cut(play):
    play.prompt()
    play.text(BAD)
    play.say(Cancel(turn_id="t1", shown={"t1-1": "import os\nname = input()\nos.system('ls"}))
    [proposal] = play.session.store.proposals
    assert proposal.source == "import os\nname = input()\n"


def test_what_a_cancel_leaves_is_judged_once_and_what_it_takes_back_not_again(judge, monkeypatch):
    parsed, parse = [], syntax_check.parse_python
    monkeypatch.setattr(syntax_check, "parse_python", lambda source: parsed.append(source) or parse(source))
    play = Play(guard=Guard(others=[judge]))
    play.prompt()
    play.text("```python\na = 1\nb = 2\nc = 3\n")
    judge.read.clear()
    play.say(Cancel(turn_id="t1", shown={"t1-1": "a = 1\nb ="}))
    assert "".join(judge.read) == "a = 1\nb ="
    assert parsed == ["a = 1\nb ="]
    assert play.session.store.proposals[0].unfinished == "Stopped at line 2: invalid syntax."


def test_a_finding_behind_what_is_shown_goes_with_its_line():
    play = Play(guard=Guard(severities={"command-injection": "warn"}))
    play.prompt()
    play.text(BAD)
    assert play.view.proposals["t1-1"].findings
    play.say(Cancel(turn_id="t1", shown={"t1-1": "import os\nname = input()\n"}))
    assert play.view.proposals["t1-1"].findings == ()


def test_a_cell_that_was_accepted_while_the_turn_streamed_is_not_taken_back(play):
    play.prompt()
    play.text("```python\na = 1\n```\n\n```python\nb =")
    play.say(Accept(cell_id="t1-1", source="a = 10"))
    play.say(Cancel(turn_id="t1", shown={"t1-1": "a", "t1-2": ""}))
    assert [(cell.source, cell.state) for cell in play.session.store.proposals] == [("a = 10", "accepted")]


def test_cancel_without_a_turn_stops_all_that_stream(play):
    play.prompt(turn_id="t1")
    play.prompt(turn_id="t2")
    play.say(Cancel())
    assert play.ends == [("t1", "cancelled"), ("t2", "cancelled")]


def test_cancelling_an_ended_turn_changes_nothing(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    play.say(Cancel(turn_id="t1"))
    assert play.ends == [("t1", "completed")]


def test_a_steer_goes_out_at_once_with_prompt_answer_and_instruction(play):
    play.prompt("load the file")
    play.text("```python\nimport pandas as pd\ndf = pd.read_cs")
    play.say(Steer(turn_id="t2", steers="t1", text="use polars"))
    assert play.actions[-2:] == [DropRequest(job_id=play.requests[0].job_id), play.requests[-1]]
    text = play.requests[-1].request.input[-1].text
    for part in ("load the file", "import pandas as pd", "use polars"):
        assert part in text
    assert play.ends == [("t1", "superseded")]
    assert play.view.turns["t2"].steers == "t1"
    assert play.view.proposals["t1-1"].turn_id == "t2"


def test_a_steered_answer_that_goes_on_keeps_the_whole_lines(play):
    play.prompt()
    play.text("```python\nimport math\nx = math.sq")
    play.say(Steer(turn_id="t2", steers="t1", text="cubes"))
    play.answer("```python continue\nx = 2 ** 3\n```\n")
    assert play.view.proposals["t1-1"].source == "import math\nx = 2 ** 3"
    assert play.ends == [("t1", "superseded"), ("t2", "completed")]


def test_a_steered_answer_that_begins_again_replaces_only_what_it_contradicts(play):
    play.prompt()
    play.text("```python\nimport math\nx = math.sqrt(2)\n")
    play.say(Steer(turn_id="t2", steers="t1", text="cubes"))
    before = len(play.of(CellsChanged))
    play.text("```python\nimport math\n")
    assert len(play.of(CellsChanged)) == before, "what is repeated changes nothing on screen"
    play.answer("x = 2 ** 3\n```\n")
    assert play.view.proposals["t1-1"].source == "import math\nx = 2 ** 3"


def test_the_tail_of_a_steered_request_is_never_shown(play):
    play.prompt()
    play.text("```python\nold = 1\n")
    first = play.requests[-1]
    play.say(Steer(turn_id="t2", steers="t1", text="new"))
    play.text("tail = 2\n```\n", request=first)
    play.answer("```python\nnew = 1\n```\n")
    assert play.view.proposals["t1-1"].source == "new = 1"


def test_steering_a_turn_that_has_ended_is_refused(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    with pytest.raises(TurnOver, match="ended") as caught:
        play.say(Steer(turn_id="t2", steers="t1", text="more"))
    assert caught.value.code == TURN_OVER, "a browser knows it by that, and sends the words as a prompt"
    assert "t2" not in play.view.turns


def test_a_connection_lost_before_any_text_is_tried_once_more(play):
    play.prompt()
    play.fail(ConnectionLost("gone"))
    assert [request.attempt for request in play.requests] == [1, 2]
    play.fail(ConnectionLost("gone again"))
    assert play.ends == [("t1", "failed")]


def test_a_connection_lost_in_mid_stream_fails_and_keeps_what_arrived(play):
    play.prompt()
    play.text("```python\nx = 1\n")
    play.fail(ConnectionLost("The stream broke off.", remedy="Ask again."))
    assert play.ends == [("t1", "failed")]
    assert play.view.proposals["t1-1"].source == "x = 1"
    assert play.view.proposals["t1-1"].state == "ready"
    assert play.of(Problem)[0].remedy == "Ask again."


def test_a_refusal_fails_the_turn_and_the_next_one_works(play):
    play.prompt()
    play.fail(QuotaUsedUp("The quota is used up."))
    play.prompt(turn_id="t2")
    play.answer("```python\nx = 1\n```\n")
    assert play.ends == [("t1", "failed"), ("t2", "completed")]


def test_an_incomplete_answer_says_so_and_keeps_what_arrived(play):
    play.prompt()
    play.text("```python\nx = 1\n")
    play.done(ResponseIncomplete(reason="max_output_tokens"))
    assert play.ends == [("t1", "completed")]
    assert "longer than the model may write" in play.of(TurnEnded)[0].reason


def test_an_answer_that_was_cut_for_its_length_goes_on_where_it_stopped(play):
    play.prompt()
    play.text("```python\nx = 1\nfor n in range(3):\n    x +=")
    play.done(ResponseIncomplete(reason="max_output_tokens"))
    assert play.view.turns["t1"].may_go_on
    assert play.session.history.resumable == "t1"
    play.say(Steer(turn_id="t2", steers="t1", text="Go on."))
    play.answer("```python continue\n    x += n\n```\n")
    assert play.view.proposals["t1-1"].source == "x = 1\nfor n in range(3):\n    x += n"
    assert play.view.proposals["t1-1"].turn_id == "t2"
    assert play.ends == [("t1", "completed"), ("t2", "completed")]
    assert play.session.history.resumable is None
    asked = parse_request(play.requests[-1].request.input[-1].text)
    assert "x = 1" in asked.answer
    assert "Go on." in asked.steer


def test_what_is_missing_where_an_answer_was_cut_for_its_length_is_said_and_not_found(play):
    play.prompt()
    play.text("```python\nrows = [\n    1,\n")
    play.done(ResponseIncomplete(reason="max_output_tokens"))
    proposal = play.view.proposals["t1-1"]
    assert proposal.unfinished == "Stopped at line 2: '[' was never closed (line 1)."
    assert (proposal.state, proposal.findings) == ("ready", ())
    play.say(Steer(turn_id="t2", steers="t1", text="Go on."))
    play.answer("```python continue\n    2,\n]\n```\n")
    assert play.view.proposals["t1-1"].unfinished == ""


def test_an_answer_that_ended_by_itself_or_was_decided_on_does_not_go_on(play):
    play.prompt()
    play.text("```python\nx = 1\n")
    play.done(ResponseIncomplete(reason="content_filter"))
    with pytest.raises(SessionError, match="has ended"):
        play.say(Steer(turn_id="t2", steers="t1", text="Go on."))
    play.prompt(turn_id="t3")
    play.text("```python\ny = 1\n")
    play.done(ResponseIncomplete(reason="max_output_tokens"))
    play.say(Accept(cell_id="t3-1"))
    assert play.session.history.resumable is None
    with pytest.raises(SessionError, match="has ended"):
        play.say(Steer(turn_id="t4", steers="t3", text="Go on."))


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("content_filter", "content filter"),
        ("refusal", "refused"),
        ("tool_call", "asked for a tool"),
        ("context_window", "too long for the model"),
        ("\x1b[2Jnews" * 100, "cut the answer short ("),
    ],
)
def test_why_an_answer_was_cut_is_a_sentence_of_ours(play, why, said):
    play.prompt()
    play.text("Words.\n")
    play.done(ResponseIncomplete(reason=why))
    reason = play.of(TurnEnded)[0].reason
    assert said in reason
    assert "\x1b" not in reason
    assert len(reason) < 250


def test_an_empty_prompt_is_refused(play):
    with pytest.raises(SessionError, match="empty"):
        play.prompt("  ")
    assert not play.requests


def test_a_turn_id_is_used_once(play):
    play.prompt()
    with pytest.raises(SessionError, match="already"):
        play.prompt()


def test_the_next_turn_uses_the_model_that_was_selected(play):
    play.say(SelectModel(model="other"))
    play.prompt()
    assert play.requests[0].request.model == "other"


def test_the_conversation_goes_on_from_turn_to_turn(play):
    play.prompt("first")
    play.answer("```python\nx = 1\n```\n")
    play.prompt("second", turn_id="t2")
    messages = play.requests[-1].request.input
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert messages[0] == play.requests[0].request.input[0]
    assert messages[1].text == "```python\nx = 1\n```\n"


def test_the_meter_counts_what_the_provider_reports(play):
    play.prompt()
    play.text("```python\nx = 1\n")
    play.done(ResponseCompleted(usage=Usage(input_tokens=50, output_tokens=7, cached_tokens=30)))
    meter = play.of(Meter)[-1]
    assert (meter.input_tokens, meter.output_tokens, meter.cached_tokens, meter.estimated) == (50, 7, 30, False)
    assert meter.first_token == 1


def test_the_model_is_told_once_it_is_known():
    play = Play()
    play.session.model = ""
    play.prompt()
    request = play.requests[0]
    play.session.receive_model_event(
        request.job_id, request.attempt, ResponseStarted(response_id="r", model="real"), at=1
    )
    play.drain()
    assert play.of(TurnStarted)[-1].turn.model == "real"


def test_prose_is_notes_and_never_code(play):
    play.prompt()
    play.answer("Only words.\n")
    assert play.of(NotesAdded)
    assert not play.session.store.proposals


def test_a_new_conversation_begins_with_the_next_prompt():
    play = Play()
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    play.say(NewConversation())
    play.prompt(turn_id="t2")
    assert len(play.requests[-1].request.input) == 1
    assert [turn.id for turn in play.session.turns] == ["t1", "t2"], "turns and proposals stay"
