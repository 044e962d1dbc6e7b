"""Effects of a finding: the answer is cut and corrected, a cell is blocked, a model that insists is stopped."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting.request_parser import parse_request
from spark_jupyter.protocol.messages import Cancel, Steer
from spark_jupyter.protocol.proposal_messages import Accept, Findings, Run, RunRequested
from spark_jupyter.protocol.values import Finding, NotebookCell, Target
from spark_jupyter.reality import Checker
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.session.guard import Guard
from tests.session.play import BAD, GOOD, Play


def test_a_half_line_at_which_the_user_stopped_is_no_invention_but_a_danger_all_the_same():
    play = Play(
        guard=Guard(
            others=[lambda unrun, earlier: Checker({}, unrun=unrun, earlier=earlier, patience=0.0, patience_at_end=0.0)]
        )
    )
    play.prompt()
    play.text("```python\nx = 1\nvalue_2 = 2\n")
    play.say(Cancel(turn_id="t1", shown={"t1-1": "x = 1\nval"}))
    assert play.session.store.proposals[0].source == "x = 1\nval"
    assert play.session.store.proposals[0].findings == ()
    assert play.inspections()[-1].unfinished
    play.prompt(turn_id="t2")
    play.text("```python\nimport os\nos.system(input())")
    play.say(Cancel(turn_id="t2"))
    assert play.session.store.proposals[1].state == "blocked"


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


def test_a_cell_whose_cut_statement_is_not_written_anew_is_unfinished(play):
    play.prompt()
    play.text(BAD)
    play.answer("I can't do that in another way.\n")
    proposal = play.view.proposals["t1-1"]
    assert proposal.unfinished == "The removed statement was not rewritten. Continue, or write it yourself."
    assert play.ends == [("t1", "completed")]
    assert not any(one.unfinished for one in play.session.store.proposals if one.cell_id != "t1-1")


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
    assert not play.session.store.proposals[0].inspecting


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


# --- where an answer begins again ----------------------------------------------------------------------------------------

LIST = 'wanted = ["a", "invented"]\n'
USE = "x = 1\nframe[wanted].sum()\n"


class Columns:
    """A judge that knows that there is no column of that name, where it is used."""

    def __init__(self) -> None:
        self.lines = 0

    def feed(self, text: str) -> list[Finding]:
        before, self.lines = self.lines, self.lines + text.count("\n")
        at = [n for n, line in enumerate(text.split("\n"), before + 1) if line.startswith("frame[wanted]")]
        return [
            Finding(
                rule="missing-column", severity="block", line=n, message="No such.", origin="reality", wrong="invented"
            )
            for n in at
        ]

    def flush(self) -> list[Finding]:
        return []


@pytest.fixture
def columns() -> Play:
    play = Play(guard=Guard(others=[lambda unrun, earlier: Columns()]))
    play.prompt()
    return play


def test_what_was_made_wrong_above_is_written_again_from_there(columns):
    columns.text(f"```python\ny = 0\n{LIST}{USE}print(")
    asked = columns.requests[-1].request.input[-1].text
    assert parse_request(asked).answer == "```python\ny = 0\n"
    assert "wanted = [" in parse_request(asked).steer
    assert columns.view.proposals["t1-1"].source == "y = 0\n"
    columns.answer("```python continue\nwanted = ['a']\nprint(1)\n```\n")
    assert columns.view.proposals["t1-1"].source == "y = 0\nwanted = ['a']\nprint(1)"


def test_also_where_it_was_made_in_an_earlier_cell_of_the_answer(columns):
    columns.text(f"```python\ny = 0\n{LIST}```\n\nThen.\n\n```python\nz = 3\n```\n\n```python\n{USE}print(")
    asked = columns.requests[-1].request.input[-1].text
    assert parse_request(asked).answer == "```python\ny = 0\n"
    assert list(columns.view.proposals) == ["t1-1"]
    assert [event.cut for event in columns.of(Findings) if event.cut] == ["frame[wanted].sum()"]
    columns.answer("```python continue\nwanted = ['a']\n```\n\n```python\nprint(wanted)\n```\n")
    assert [one.source for one in columns.view.of_turn("t1")] == ["y = 0\nwanted = ['a']", "print(wanted)"]
    assert columns.ends == [("t1", "completed")]


def test_a_cell_that_was_accepted_meanwhile_stays_and_the_statement_at_fault_is_cut(columns):
    columns.text(f"```python\n{LIST}```\n\n```python\n")
    columns.say(Accept(cell_id="t1-1"))
    columns.text(USE)
    assert columns.view.proposals["t1-1"].source == LIST.strip()
    assert columns.view.proposals["t1-2"].source == "x = 1\n"
