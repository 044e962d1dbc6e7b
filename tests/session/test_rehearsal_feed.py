"""Rehearsal of an answer and its consequences, with a copy that is played by hand."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.request_parser import parse_request
from spark_jupyter.protocol.messages import Cancel, Meter, Prompt, Steer, TurnEnded
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Accept
from spark_jupyter.protocol.trial_messages import TrialResult, Try
from spark_jupyter.protocol.values import Attempts, Finding, NotebookCell, Target
from spark_jupyter.providers.base import ResponseIncomplete
from spark_jupyter.session.rehearsal_feed import (
    AwaitRehearsal,
    BeginRehearsal,
    EndRehearsal,
    FinishRehearsal,
    Rehearsed,
    RehearseEnd,
    RehearseStatement,
)
from tests.session.play import BAD, Play

TWO = "```python\nx = 1\ny = x.foo\nz = 3\n```\n\n```python\nprint(z)\n```\n"


class Rehearsal(Play):
    """A play with a copy that is played by hand, too."""

    def __init__(self, mode: str = "stream", **options: object) -> None:
        super().__init__(rehearse=mode, **options)

    @property
    def steps(self) -> list[tuple[object, ...]]:
        """What the copies are asked, in short."""
        found: list[tuple[object, ...]] = []
        for action in self.actions:
            match action:
                case RehearseStatement(cell_id=cell_id, text=text, line=line):
                    found.append((cell_id, line, text))
                case RehearseEnd(cell_id=cell_id, source=source):
                    found.append(("end", cell_id, source))
                case BeginRehearsal() | FinishRehearsal() | EndRehearsal() | AwaitRehearsal():
                    found.append((type(action).__name__.removesuffix("Rehearsal").lower(), action.rehearsal_id))
        return found

    @property
    def copy(self) -> str:
        """The id of the last copy."""
        return next(one.rehearsal_id for one in reversed(self.actions) if isinstance(one, BeginRehearsal))

    def say_rehearsed(self, copy: str = "", **what: object) -> None:
        self.session.receive_rehearsal(Rehearsed(rehearsal_id=copy or self.copy, **what), at=next(self.clock))
        self.drain()

    def wrong(self, cell_id: str = "t1-1", line: int = 2, *, copy: str = "", rule: str = "missing-attribute") -> None:
        finding = Finding(rule=rule, severity="block", line=line, message="No foo.", remedy="bar", origin="rehearsal")
        self.say_rehearsed(copy, cell_id=cell_id, finding=finding)

    def ran(self, cell_id: str = "t1-1") -> None:
        source = self.view.proposals[cell_id].source
        result = TrialResult(turn_id="t1", cell_id=cell_id, source_hash=content_hash(source), summary="ran in a copy")
        self.say_rehearsed(cell_id=cell_id, result=result)


@pytest.fixture
def play() -> Rehearsal:
    return Rehearsal()


def test_a_statement_is_handed_over_as_soon_as_it_is_complete(play):
    play.prompt()
    play.text("Words.\n\n```python\nx = 1\nfor n in range(3):\n")
    assert play.steps == [("begin", "t1/0"), ("t1-1", 1, "x = 1")]
    play.text("    x += n\n\n    # more\n    print(x)\nvalues = [\n    1,\n")
    assert play.steps[-1] == ("t1-1", 2, "for n in range(3):\n    x += n\n\n    # more\n    print(x)")
    play.text('    2]\ntext = """a\n\nb"""\nx')
    assert play.steps[-2:] == [("t1-1", 7, "values = [\n    1,\n    2]"), ("t1-1", 10, 'text = """a\n\nb"""')]
    play.answer("\n```\n")
    source = play.view.proposals["t1-1"].source
    assert play.steps[-4:] == [
        ("t1-1", 13, "x"),
        ("end", "t1-1", source),
        ("finish", "t1/0"),
        ("await", "t1/0"),
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_statements_are_the_same_for_every_cut_of_the_text(play, size):
    code = (
        "@cache\ndef f(a,\n      b=2):\n    return a\n\nif f(1):\n    %time f(2)\nelse:\n    f(3)\n!ls\nx = await f(4)"
    )
    answer = f"```python\n{code}\n```\n"
    play.prompt()
    for start in range(0, len(answer), size):
        play.text(answer[start : start + size])
    play.done()
    assert [step for step in play.steps if step[0] == "t1-1"] == [
        ("t1-1", 1, "@cache\ndef f(a,\n      b=2):\n    return a"),
        ("t1-1", 6, "if f(1):\n    %time f(2)\nelse:\n    f(3)"),
        ("t1-1", 10, "!ls"),
        ("t1-1", 11, "x = await f(4)"),
    ]


def test_a_cell_that_a_magic_takes_whole_is_rehearsed_whole(play):
    play.prompt()
    play.answer("```python\n%%time\nx = 1\ny = 2\n```\n")
    assert [step for step in play.steps if step[0] == "t1-1"] == [("t1-1", 1, "%%time\nx = 1\ny = 2")]


def test_markdown_and_prose_make_no_copy(play):
    play.prompt()
    play.answer("Words.\n\n```markdown\n# Title\n```\n")
    assert play.steps == []
    assert play.ends == [("t1", "completed")]


def test_the_turn_ends_when_its_last_cell_was_rehearsed_and_the_proposal_is_tried(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    assert play.ends == []
    assert play.view.proposals["t1-1"].state == "ready", "nobody waits for it but the end of the turn"
    play.ran()
    assert play.ends == [("t1", "completed")]
    draft = play.session.store.draft("t1-1")
    assert draft.tried == content_hash("x = 1")
    assert play.view.trials["t1-1"].summary == "ran in a copy"


def test_the_models_speed_does_not_count_the_time_of_the_rehearsal(play):
    play.prompt()  # at 100 s; the text comes at 101 s, its end at 102 s
    play.answer("```python\nx = 1\n```\n")
    for _ in range(50):
        next(play.clock)
    play.ran()
    assert play.of(Meter)[-1].elapsed == 2


def test_the_turn_does_not_wait_for_what_takes_its_time(play):
    play.prompt()
    play.answer("```python\nx = slow()\n```\n")
    play.say_rehearsed(late=True)
    assert play.ends == [("t1", "completed")]
    play.ran()
    assert play.view.trials["t1-1"].summary == "ran in a copy", "it is shown when it has run"


def test_what_does_not_run_cuts_the_stream_and_the_model_gets_the_error(play):
    play.prompt()
    play.text("Words.\n\n```python\nx = 1\ny = x.foo\nz = 3\nprint(")
    play.wrong()
    assert len(play.requests) == 2
    correction = play.requests[-1].request.input[-1].text
    assert "No foo." in correction
    assert "bar" in correction
    assert "y = x.foo" in correction
    assert parse_request(correction).answer == "Words.\n\n```python\nx = 1\n"
    assert play.view.proposals["t1-1"].source == "x = 1\n"
    assert play.steps[-1] == ("end", "t1/0") or ("end", "t1/0") in play.steps
    play.text("```python continue\ny = x.bar\n```\n")
    assert play.steps[-4:-1] == [("begin", "t1/1"), ("t1-1", 1, "x = 1"), ("t1-1", 2, "y = x.bar")]
    play.done()
    play.ran()
    assert play.ends == [("t1", "completed")]
    assert play.view.proposals["t1-1"].source == "x = 1\ny = x.bar"


def test_what_does_not_run_in_a_cell_that_is_whole_takes_back_what_came_after_it(play):
    play.prompt()
    play.text(TWO)
    assert set(play.view.proposals) == {"t1-1", "t1-2"}
    play.wrong()
    assert parse_request(play.requests[-1].request.input[-1].text).answer == "```python\nx = 1\n"
    assert set(play.view.proposals) == {"t1-1"}
    play.answer("```python continue\ny = x.bar\n```\n\n```python\nprint(y)\n```\n")
    assert [play.view.proposals[one].source for one in ("t1-1", "t1-2")] == ["x = 1\ny = x.bar", "print(y)"]


def test_an_error_after_the_last_token_is_corrected_too(play):
    play.prompt()
    play.answer(TWO)
    assert play.ends == []
    play.wrong()
    assert len(play.requests) == 2
    play.answer("```python continue\ny = x.bar\n```\n")
    play.ran()
    assert play.ends == [("t1", "completed")]
    assert play.view.proposals["t1-1"].state == "ready"


def test_after_two_corrections_the_proposal_stays_blocked_and_nothing_is_waited_for(play):
    play.prompt()
    for _ in range(2):
        play.text("```python\nx = 1\ny = x.foo\n")
        play.wrong()
    play.answer("```python\nx = 1\ny = x.foo\n```\n")
    assert play.ends == [("t1", "completed")]
    play.wrong()
    assert play.view.proposals["t1-1"].state == "blocked"
    assert len(play.requests) == 3


def test_what_was_accepted_is_not_taken_back(play):
    play.prompt()
    play.text(TWO)
    play.say(Accept(cell_id="t1-2"))
    play.wrong()
    assert len(play.requests) == 1
    assert play.view.proposals["t1-1"].state == "blocked"


def test_what_a_dropped_copy_still_says_is_not_looked_at(play):
    play.prompt()
    play.text("```python\nx = 1\ny = x.foo\n")
    play.wrong()
    play.text("```python\nx = 1\n")
    play.wrong(copy="t1/0")
    assert len(play.requests) == 2


def test_text_with_a_blocking_finding_is_never_run(play):
    play.prompt()
    for _ in range(3):
        play.text(BAD)
    play.done()
    assert play.view.proposals["t1-1"].state == "blocked"
    assert not any("os.system" in str(step[-1]) for step in play.steps)
    assert play.ends == [("t1", "completed")]


def test_a_rule_that_the_user_demoted_does_not_cut():
    from spark_jupyter.session.guard import Guard

    play = Rehearsal(guard=Guard(severities={"missing-attribute": "warn"}))
    play.prompt()
    play.text(TWO)
    play.wrong()
    assert len(play.requests) == 1
    assert [finding.severity for finding in play.view.proposals["t1-1"].findings] == ["warn"]


def test_when_the_model_begins_again_another_copy_runs_what_stands_now(play):
    play.prompt()
    play.text("```python\nx = 1\ny = 2\nz = 3\n")
    play.say(Steer(turn_id="t2", steers="t1", text="otherwise"))
    assert play.steps[-1] == ("end", "t1/0")
    play.text("```python\nx = 1\ny = 20\nz")
    assert ("end", "t2/1") in play.steps, "it had begun with what stood"
    assert play.steps[-3:] == [("begin", "t2/2"), ("t1-1", 1, "x = 1"), ("t1-1", 2, "y = 20")]


def test_cancel_ends_the_copy(play):
    play.prompt()
    play.text("```python\nx = 1\n")
    play.say(Cancel())
    assert play.steps[-1] == ("end", "t1/0")
    assert play.ends == [("t1", "cancelled")]


@pytest.mark.parametrize("command", [Cancel(), Steer(turn_id="t2", steers="t1", text="otherwise")])
def test_a_turn_that_waits_for_its_rehearsal_can_be_cancelled_and_steered(play, command):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    play.say(command)
    assert play.steps[-1] == ("end", "t1/0")
    assert [outcome for turn, outcome in play.ends] == ["cancelled" if isinstance(command, Cancel) else "superseded"]
    assert play.view.proposals["t1-1"].source == "x = 1"


def test_a_newer_turn_ends_the_copy_of_the_older_one(play):
    play.prompt()
    play.answer("```python\nx = 1\n```\n")
    play.prompt(turn_id="t2")
    assert play.steps[-1] == ("end", "t1/0")
    assert play.ends == [("t1", "completed")]


def test_a_try_by_hand_ends_the_copy_where_it_has_not_come_to_that_cell(play):
    play.prompt()
    play.answer("```python\nx = slow()\n```\n")
    play.say(Try(cell_id="t1-1", allow=("files",)))
    assert ("end", "t1/0") in play.steps
    assert [event.outcome for event in play.of(TurnEnded)] == ["completed"]


def test_an_edit_is_not_rehearsed_nor_what_follows_it(play):
    cell = NotebookCell(id="c1", source="a = 1", execution_count=1)
    play.prompt(cells=(cell,), target=Target(after="c1"))
    play.answer("```python cell=c1\na = 2\n```\n\n```python\nprint(a)\n```\n")
    assert play.steps == []
    assert play.ends == [("t1", "completed")]


def test_an_edit_of_a_cell_that_never_ran_is_rehearsed_with_what_follows_it(play):
    cells = (NotebookCell(id="c0", source="b = 0", execution_count=1), NotebookCell(id="c1", source="a = 1"))
    play.prompt(cells=cells, target=Target(edit="c1"))
    play.answer("```python cell=c1\na = 2\nc = a + b\n```\n\n```python\nprint(a)\n```\n")
    assert [step for step in play.steps if step[0] == "c1"] == [("c1", 1, "a = 2"), ("c1", 2, "c = a + b")]
    assert any(step[1:] == (1, "print(a)") for step in play.steps)


@pytest.mark.parametrize(
    ("unrun", "rehearsed"),
    [
        ("frame = load()", False),
        ("import numpy as np\nframe['a'] = 1", False),
        ("frame.insert(0, 'a', 1)", False),
        ("def frame(): pass", False),
        ("frame = load(", False),
        ("frame.loc[0].update(other)", False),
        ("frame.pop('a')", False),
        ("frame.dropna(inplace=True)", False),
        ("frame.to_pickle('frame.pkl')", True),
        ("frame.assign(a=1)['a'].str.strip().drop_duplicates()", True),
        ("frame.set_index('a').plot.bar()", True),
        ("other = frame", True),
        ("%%spark\nplot frame = 1", True),
        ("%spark plot frame\nother = 2", True),
        ("# frame = 1", True),
    ],
)
def test_what_an_earlier_cell_would_define_that_has_not_been_run_is_not_judged(play, unrun, rehearsed):
    play.prompt(cells=(NotebookCell(id="c1", source=unrun),))
    play.answer("```python\nx = 1\nframe.head()\n```\n")
    assert [step[-1] for step in play.steps if step[0] == "t1-1"] == ["x = 1", *(["frame.head()"] if rehearsed else [])]
    assert (("end", "t1/0") in play.steps) is not rehearsed
    assert bool(play.ends) is not rehearsed


@pytest.mark.parametrize(
    ("unrun", "written", "rehearsed"),
    [
        ("import pandas as pd\nold = pd.DataFrame()", "import pandas as pd\nnew = pd.DataFrame()", True),
        ("from math import pi", "from math import pi, e\nprint(pi, e)", True),
        ("frame = load()", "frame = [1]\nlen(frame)", True),
        ("frame = load()", "frame = frame[1:]\nlen(frame)", False),
        ("import pandas as pd", "x = 1\npd.DataFrame()", False),
        ("%pip install rare\nimport rare", "import rare\nrare.x", False),
    ],
)
def test_what_a_new_cell_binds_itself_is_not_awaited_of_one_above_that_has_not_been_run(
    play, unrun, written, rehearsed
):
    play.prompt(cells=(NotebookCell(id="c1", source=unrun),))
    play.answer(f"```python\n{written}\n```\n")
    sent = [step[-1] for step in play.steps if step[0] == "t1-1"]
    assert (sent == written.split("\n")) is rehearsed


def test_a_cell_that_was_cut_in_the_middle_is_not_rehearsed_to_its_end(play):
    play.prompt()
    play.text("```python\nx = 1\nrows = [\n    1,\n")
    play.done(ResponseIncomplete(reason="max_output_tokens"))
    assert [step[-1] for step in play.steps if step[0] == "t1-1"] == ["x = 1"]
    assert play.ends == [("t1", "completed")]


def test_cells_below_and_cells_that_were_run_are_no_matter(play):
    cells = (
        NotebookCell(id="c1", source="frame = load()", execution_count=3),
        NotebookCell(id="c2", source="x = 1"),
        NotebookCell(id="c3", source="frame = other()"),
    )
    play.prompt(cells=cells, target=Target(after="c2"))
    play.answer("```python\nframe.head()\n```\n")
    assert ("t1-1", 1, "frame.head()") in play.steps


def test_ready_rehearses_whole_cells_shows_it_and_cuts_nothing():
    play = Rehearsal("ready")
    play.prompt()
    play.text("```python\nx = 1\ny = x.foo\n")
    assert play.steps == []
    play.answer("```\n")
    assert play.steps[:3] == [("begin", "t1/0"), ("t1-1", 1, "x = 1"), ("t1-1", 2, "y = x.foo")]
    assert play.ends == [("t1", "completed")], "nothing is waited for"
    play.wrong()
    assert play.view.proposals["t1-1"].state == "ready"
    play.ran()
    assert "t1-1" in play.view.trials


@pytest.mark.parametrize("options", [{"mode": "off"}, {"mode": "stream", "race": True}])
def test_off_and_races_rehearse_nothing(options):
    play = Rehearsal(options["mode"])
    play.prompt(attempts=Attempts(count=2) if options.get("race") else Attempts())
    play.text("```python\nx = 1\n```\n")
    assert play.steps == []


def test_a_prompt_that_never_gets_an_answer_makes_no_copy(play):
    play.say(Prompt(turn_id="t1", text="x"))
    play.say(Cancel())
    assert play.steps == []
