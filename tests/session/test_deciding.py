"""Decisions on proposals: Accept, Reject, Revert, Run and Try."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Accept, ProposalChanged, Reject, Revert
from spark_jupyter.protocol.trial_messages import Try
from spark_jupyter.protocol.values import Hunk, NotebookCell, Target
from spark_jupyter.session.actions import TryProposal
from tests.session.play import BAD


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
    assert {p.cell_id: p.state for p in play.session.store.proposals} == {"t1-1": "reverted", "t1-2": "rejected"}


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
