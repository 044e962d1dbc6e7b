"""A fix is tried by itself, and says whether the cell runs now."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.messages import TurnEnded
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import ProposalChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import NotebookCell, Output, Target
from spark_jupyter.session.actions import TryProposal
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer, left_out
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.job_owners import TurnOwner
from tests.session.play import Play


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
            {"outputs": (Output(kind="stdout", text="a 1\nb 2\ndtype: int64\n"),), "decisive": "a 1 … b 2"},
            "runs now, output a 1 … b 2",
        ),
        (
            {"summary": "ran in a copy in 1 ms: 1 new variable"},
            "runs now, no output; ran in a copy in 1 ms: 1 new variable",
        ),
        ({"error": "KeyError: 'k'", "error_line": 2}, "still fails: KeyError: 'k' (line 2)"),
        (
            {"error": "PermissionError: A Try changes no files", "refused": True, "summary": "stopped in a copy"},
            "stopped in a copy",
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


def fix_with_a_new_cell(play):
    cells = (
        NotebookCell(id="a", source="n = 3"),
        NotebookCell(id="c", source="x = 1 / 0"),
        NotebookCell(id="d", source="n"),
    )
    play.prompt("Fix the error.", intent="fix", target=Target(edit="c"), cells=cells)
    play.answer("```python cell=c\nx = 1\n```\n\n```python\nprint(x)\n```\n")
    [together] = [action for action in play.actions if isinstance(action, TryAnswer)]
    return together


def test_a_new_cell_beside_an_edit_is_tried_behind_it(trying):
    together = fix_with_a_new_cell(trying)
    assert (together.cells, together.ids, together.apart) == (("x = 1", "print(x)"), ("c", "t1-1"), True)
    assert together.notebook == (("a", "n = 3"), ("c", "x = 1 / 0"), ("t1-1", None), ("d", "n"))
    assert [action.cell_id for action in trying.actions if isinstance(action, TryProposal)] == ["c"], (
        "alone only the edit"
    )
    assert trying.view.proposals["t1-1"].trying
    results = tuple(TrialResult(turn_id="t1", cell_id="", source_hash=content_hash(one)) for one in together.cells)
    trying.session.receive_answer_trial(TurnOwner("t1"), AnswerTrial(results=results), at=9.0)
    trying.drain()
    assert trying.view.proposals["c"].trying, "it has a Try of its own"
    assert not trying.view.proposals["t1-1"].trying
    assert trying.view.proposals["t1-1"].tried == content_hash("print(x)")


@pytest.mark.parametrize(
    "trial", [AnswerTrial(), AnswerTrial(problem="The Try was cancelled.")], ids=["behind a failure", "cancelled"]
)
def test_a_new_cell_that_was_not_reached_is_no_longer_tried(trying, trial):
    fix_with_a_new_cell(trying)
    trying.session.receive_answer_trial(TurnOwner("t1"), trial, at=9.0)
    trying.drain()
    assert not trying.view.proposals["t1-1"].trying
    assert bool(trying.view.trials.get("t1-1")) == bool(trial.problem)
