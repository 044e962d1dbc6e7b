"""Cell that a block of an answer changes."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Problem
from spark_jupyter.protocol.proposal_messages import Accept, Reject
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.session.actions import TryProposal

CELLS = (NotebookCell(id="a", source="x = 1", execution_count=1), NotebookCell(id="b", source="y = 2"))


def block(source: str, cell: str = "") -> str:
    return f"```python{f' cell={cell}' if cell else ''}\n{source}\n```\n"


def proposed(play, turn_id: str) -> list[tuple[str, str, str, str]]:
    return [(one.cell_id, one.kind, one.base, one.source) for one in play.view.of_turn(turn_id)]


OPENINGS = [
    "With duckdb: count",
    "Use these to fit",
    "Also plot the residuals",
    "Without outliers, what is the mean?",
    "no, x",
]


@pytest.mark.parametrize("text", OPENINGS)
def test_no_opening_words_change_a_cell(play, text):
    play.prompt(cells=CELLS)
    play.answer(block("z = 3"))
    play.prompt(text, turn_id="t2", cells=CELLS)
    play.answer(block("z = 4"))
    assert proposed(play, "t2") == [("t2-1", "insert", "", "z = 4")]
    assert proposed(play, "t1") == [("t1-1", "insert", "", "z = 3")]


def test_an_undecided_proposal_can_be_changed_by_its_id_where_no_client_has_its_cell(play):
    play.prompt(cells=CELLS)
    play.answer(block("z = 3"))
    play.prompt("make it four", turn_id="t2", cells=CELLS)
    asked = play.requests[-1].request.input[-1].text
    assert "### id=t1-1" in asked
    assert "## Proposed by you, not decided on\nt1-1\n" in asked
    play.answer(block("z = 4", "t1-1"))
    assert proposed(play, "t2") == [("t1-1", "edit", "z = 3", "z = 4")]
    assert play.session.store.draft("t1-1").base == "z = 3", "it is a diff"


def test_a_decided_proposal_is_no_cell_of_a_prompt_that_does_not_have_it(play):
    play.prompt(cells=CELLS)
    play.answer(block("z = 3"))
    play.say(Reject(cell_id="t1-1"))
    play.prompt("make it four", turn_id="t2", cells=CELLS)
    assert "t1-1" not in play.requests[-1].request.input[-1].text.partition("## Cells")[2]
    assert "## Proposed" not in play.requests[-1].request.input[-1].text
    play.answer(block("z = 4", "t1-1"))
    assert [kind for _, kind, _, _ in proposed(play, "t2")] == ["insert"]


def test_a_follow_up_leaves_an_accepted_cell_alone_unless_the_model_names_it(play):
    play.prompt(cells=CELLS)
    play.answer(block("z = 3"))
    play.say(Accept(cell_id="t1-1"))
    cells = (*CELLS, NotebookCell(id="t1-1", source="z = 3"))
    play.prompt("and one more", turn_id="t2", cells=cells)
    play.answer(block("z += 1"))
    assert proposed(play, "t2") == [("t2-1", "insert", "", "z += 1")]


def test_an_unknown_id_in_an_edit_of_one_cell_means_that_cell(play):
    play.prompt("faster", cells=CELLS, target=Target(edit="b"), intent="edit")
    play.answer(block("y = 3", "cell_2"))
    assert proposed(play, "t1") == [("b", "edit", "y = 2", "y = 3")]
    assert not play.of(Problem)


def test_an_unknown_id_otherwise_makes_a_new_cell_with_a_note(play):
    play.prompt("count", cells=CELLS)
    play.answer(block("z = 3", "cell_9"))
    assert proposed(play, "t1") == [("t1-1", "insert", "", "z = 3")]
    assert "cell_9" in play.of(Problem)[0].message


@pytest.mark.parametrize(("cell", "target"), [("a", Target(edit="a")), ("a", Target(after="b")), ("b", Target())])
def test_an_edit_of_a_cell_whose_beginning_is_kept_is_proven_whoever_chose_the_cell(trying, cell, target):
    trying.session.rehearse = "ready"
    trying.prompt(cells=CELLS, target=target, surroundings=Surroundings(checkpoints=("a",)))
    trying.answer(block("x = 2", cell))
    tried = [(one.cell_id, one.source) for one in trying.actions if isinstance(one, TryProposal)]
    assert tried == ([("a", "x = 2")] if cell == "a" else [])
