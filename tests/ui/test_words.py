"""The words of all fronts: one of them says what the others say."""

from __future__ import annotations

import io
from typing import NamedTuple

import pytest
from msgspec import structs

from spark_jupyter.protocol.messages import Meter, Models, Problem, TurnEnded, TurnStarted
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Findings, ProposalChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Aside, Effect, Finding, ModelInfo, Output, Proposal, Turn
from spark_jupyter.session.deep import plan
from spark_jupyter.ui.terminal import TerminalView
from spark_jupyter.ui.text import words
from spark_jupyter.ui.text.deep_text import plan_text
from spark_jupyter.ui.text.html_rendering import proposal_html, turn_html
from spark_jupyter.ui.text.status_text import model_text, models_text, status_text
from tests.session.play import Play

FINDING = Finding(rule="weak-hash", severity="warn", line=3, message="MD5 is broken.", remedy="Use SHA-256.", cwe=327)
TRIAL = TrialResult(
    turn_id="t1",
    cell_id="t1-1",
    summary="ran in a copy",
    outputs=(Output(kind="stdout", text="\x1b[31mred\x1b[0m\n"),),
    effects=(Effect(kind="file", action="written", name="a\x07.txt", refused=True),),
    error="ValueError: no",
)
EVENTS = (
    TurnStarted(turn=Turn(id="t1", prompt="p")),
    ProposalChanged(proposal=Proposal(cell_id="t1-1", turn_id="t1", source="x = 1")),
    Findings(turn_id="t1", cell_id="t1-1", findings=(FINDING,)),
    ProposalChanged(proposal=Proposal(cell_id="t1-1", turn_id="t1", state="ready", findings=(FINDING,))),
    TRIAL,
    TurnEnded(turn_id="t1", outcome="cancelled", reason="You stopped it."),
)


def in_a_terminal() -> list[str]:
    out = io.StringIO()
    view = TerminalView(out)
    for event in EVENTS:
        view.receive(event)
    view.draw(live=False)
    return out.getvalue().splitlines()


def as_a_notebooks_text() -> list[str]:
    view = TurnView()
    view.receive_all(EVENTS)
    return words.turn_text(view, view.turns["t1"]).splitlines()


@pytest.mark.parametrize("front", [in_a_terminal, as_a_notebooks_text])
def test_findings_tries_and_outcomes_are_told_alike(front):
    lines = front()
    assert "  ▲ line 3: MD5 is broken. [weak-hash CWE-327] Use SHA-256." in lines
    at = lines.index("ran in a copy")
    assert lines[at + 1 : at + 4] == ["  | red", "  written file a\ufffd.txt (refused)", "  ✗ ValueError: no"]
    assert lines[-1].startswith("stopped.")


HINTS = tuple(Finding(rule="file-mode", severity="hint", line=line, message="Others may run it.") for line in (2, 5))


def test_hints_take_one_line_wherever_findings_are_told():
    lines = words.finding_lines((HINTS[0], FINDING, HINTS[1]))
    assert lines == [words.finding_line(FINDING), "· 2 hints: file-mode in line 2, file-mode in line 5"]
    out = io.StringIO()
    view = TerminalView(out)
    for event in (*EVENTS[:2], Findings(turn_id="t1", cell_id="t1-1", findings=HINTS), *EVENTS[-1:]):
        view.receive(event)
    view.draw(live=False)
    assert [line for line in out.getvalue().splitlines() if "file-mode" in line] == [f"  {lines[1]}"]


def test_what_is_told_aside_is_a_line_in_every_front_and_counts_as_no_finding():
    aside = Aside(line=2, message="Unknown package: <b>magic</b>.", page="p")
    ready = Proposal(cell_id="t1-1", turn_id="t1", state="ready", asides=(aside,))
    line = "· line 2: Unknown package: <b>magic</b>."
    out = io.StringIO()
    terminal, view = TerminalView(out), TurnView()
    for event in (*EVENTS[:2], ProposalChanged(proposal=ready), ProposalChanged(proposal=ready), *EVENTS[-1:]):
        terminal.receive(event)
        view.receive(event)
    terminal.draw(live=False)
    assert out.getvalue().splitlines().count(f"  {line}") == 1
    assert f"  {line}" in words.turn_text(view, view.turns["t1"]).splitlines()
    html = proposal_html(view, view.proposals["t1-1"], 1)
    assert "Unknown package: &lt;b&gt;magic" in html
    assert "▲" not in html


def test_of_a_rehearsal_that_nobody_asked_for_there_is_a_line():
    rehearsed = TrialResult(turn_id="t", cell_id="c", summary="runs", outputs=TRIAL.outputs, rehearsed=True)
    assert words.trial_lines(rehearsed) == ["runs"]


def test_what_can_be_said_to_proposals_is_what_fits_them():
    ready = Proposal(cell_id="c", turn_id="t", state="ready")
    edit = Proposal(cell_id="d", turn_id="t", state="blocked", kind="edit")
    assert words.decision_magics([ready]) == ["%spark accept", "%spark run", "%spark reject"]
    assert words.decision_magics([ready, edit], attempts=2)[2:] == ["%spark diff", "%spark reject", "%spark attempts N"]
    assert words.decision_magics([Proposal(cell_id="c", turn_id="t", state="accepted")], attempts=2) == []


def test_a_failure_is_not_told_twice_and_another_end_says_why():
    failed = TurnEnded(turn_id="t", outcome="failed", reason="Nobody listens.")
    assert words.outcome_text(failed) == "failed."
    cancelled = TurnEnded(turn_id="t", outcome="cancelled", reason="You stopped it.")
    assert words.outcome_text(cancelled) == "stopped. You stopped it."


def test_a_refusal_is_not_told_as_success():
    ended = TurnEnded(turn_id="t", outcome="completed")
    assert words.outcome_text(ended, notes="No: I have no answer to this.") == "no answer."
    assert words.outcome_text(ended, notes="None of them is missing.") == "completed."


@pytest.mark.parametrize(
    ("tried", "said"),
    [(None, ""), (content_hash("x = 1"), "Exactly as it was tried."), ("0", "Edited since it was tried.")],
)
def test_a_source_is_told_from_the_one_that_was_tried(tried, said):
    assert words.since_the_try(Proposal(cell_id="c", turn_id="t", source="x = 1", tried=tried)) == said


def test_a_second_yes_is_asked_for_with_the_reason():
    blocking = Finding(rule="r", severity="block", line=1, message="It deletes files.")
    said = words.not_run([Proposal(cell_id="c", turn_id="t", state="blocked", findings=(FINDING, blocking))])
    assert said == "Not run, because a finding blocks it: It deletes files. Use --yes to run it anyway."


def test_how_far_the_prompt_is_read_is_said_until_something_is_written() -> None:
    assert words.meter_text(Meter(turn_id="t", reading_tokens=1800, read_tokens=720)) == "reading 1,800 tokens, 40 %"
    assert "reading" not in words.meter_text(Meter(turn_id="t", output_tokens=1, reading_tokens=1800))
    assert words.meter_text(Meter(turn_id="t")) == ""
    counted = Meter(turn_id="t", output_tokens=9, input_tokens=1800, cached_tokens=1500, estimated=False)
    assert "1,500 of 1,800 input tokens cached" in words.meter_text(counted)


def test_before_there_is_a_link_nobody_is_said_to_answer() -> None:
    assert model_text("", None) == words.NOT_CONNECTED
    assert model_text("m", None) == "Model: m."


def test_a_model_that_costs_nothing_is_called_free():
    dear = ModelInfo(id="dear", input_price=1.0, output_price=4.0)
    own = ModelInfo(id="own", input_price=0.0, output_price=0.0)
    said = models_text(Models(models=(dear, own, ModelInfo(id="unknown")), selected="own"))
    assert said.splitlines() == ["  dear  $1 in, $4 out per million tokens", "* own  free", "  unknown"]


UNSEEN = "\x1b]52;c;b3duZWQ=\x07\u202e\U000e0041"


def drives_a_terminal(text: str) -> bool:
    return any(character in text for character in UNSEEN if character not in "]52;c;b3duZWQ=")


class Chosen(NamedTuple):
    model: str
    banner: str
    tiers: tuple[str, ...] = ()


def test_what_status_and_the_list_of_models_say_drives_no_terminal() -> None:
    play = Play()
    play.prompt(f"list {UNSEEN}")
    play.text(f"```python\nx = '{UNSEEN}'\n```\n")
    assert not drives_a_terminal(status_text(play.session, None))
    assert not drives_a_terminal(model_text(UNSEEN, None))
    assert not drives_a_terminal(status_text(play.session, Chosen("m", f"The model {UNSEEN} answers.")))
    listed = Models(models=(ModelInfo(id=f"m{UNSEEN}"),), selected="")
    assert not drives_a_terminal(models_text(listed, files=[UNSEEN]))


def test_a_cell_is_known_by_its_first_line_that_says_something() -> None:
    assert words.first_line("# a\nimport pandas as pd\n\n%matplotlib inline\n  total = 1\n") == "total = 1"
    assert words.first_line("\nimport pandas as pd\n") == "import pandas as pd"
    assert words.first_line("") == "empty cell"


def test_a_plan_that_a_model_wrote_drives_no_terminal() -> None:
    written = plan.read(f"1. Load {UNSEEN}\n2. [alone] Draw\n\nChecks:\n- assert x != '{UNSEEN}'\n")
    assert not drives_a_terminal(plan_text(written))
    mine = plan.read("1. Load it\n- assert x == 1\n")
    assert plan.read(plan_text(mine)) == mine


def test_a_repair_is_said_beside_the_state():
    proposal = Proposal(cell_id="c", turn_id="t", state="ready", repairs=1)
    assert words.standing(proposal).endswith("repaired once")
    assert "repaired" not in words.standing(structs.replace(proposal, state="accepted"))


def test_the_reason_of_a_failed_turn_is_told_once():
    view = TurnView()
    view.receive(TurnStarted(turn=Turn(id="t", prompt="p")))
    view.receive(Problem(code="connection_refused", message="Nobody listens.", remedy="Start it.", turn_id="t"))
    view.receive(TurnEnded(turn_id="t", outcome="failed", reason="Nobody listens. Start it."))
    for text in (words.turn_text(view, view.turns["t"]), turn_html(view, view.turns["t"])):
        assert text.count("Nobody listens.") == 1
        assert "(failed)" in text
    view.problems.clear()
    assert "(failed) Nobody listens. Start it." in words.turn_text(view, view.turns["t"])


def test_emphasis_in_notes_loses_its_asterisks():
    said = words.plain_prose("Choose *Connect…* or **now**: `a*b*c`, 2 * 3 * 4, *args and **kwargs")
    assert said == "Choose Connect… or now: `a*b*c`, 2 * 3 * 4, *args and **kwargs"
