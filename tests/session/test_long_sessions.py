"""State that a session keeps of a long day."""

from __future__ import annotations

import gc

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.constants import MOST_KEPT_TURNS, MOST_TOLD_TURNS
from spark_jupyter.protocol.messages import Prompt, Steer
from spark_jupyter.protocol.proposal_messages import Accept, CellEdited
from spark_jupyter.protocol.trial_messages import Try
from spark_jupyter.protocol.values import NotebookCell
from tests.session.play import Play


def many(play: Play, count: int) -> None:
    for number in range(count):
        play.prompt(turn_id=f"t{number}")
        play.answer(f"```python\nx_{number} = 1\n```\n")


def prompts() -> int:
    """How many prompts, each with its notebook, are in memory."""
    gc.collect()
    return sum(type(each) is Prompt for each in gc.get_objects())  # which asks no object for its class


def test_the_notebooks_that_went_along_with_old_prompts_are_let_go():
    before = prompts()
    play = Play()
    many(play, 2 * MOST_KEPT_TURNS)
    assert prompts() - before <= MOST_KEPT_TURNS + 2


def test_an_old_turn_is_told_of_and_its_cells_are_decided_as_ever():
    play = Play(tries=True)
    many(play, MOST_KEPT_TURNS + 3)
    assert [turn.id for turn in play.session.turns] == [f"t{number}" for number in range(MOST_KEPT_TURNS + 3)]
    play.say(Try(cell_id="t0-1"))
    play.say(Accept(cell_id="t0-1"))
    assert play.view.proposals["t0-1"].state == "accepted"
    with pytest.raises(SessionError, match="has ended"):
        play.say(Steer(turn_id="new", steers="t0", text="go on"))
    with pytest.raises(SessionError, match="There is a turn"):
        play.prompt(turn_id="t0")


def test_of_turns_before_the_youngest_nothing_is_kept_but_what_nobody_has_decided_on():
    play = Play()
    many(play, 2)
    play.say(Accept(cell_id="t1-1"))
    for number in range(2, MOST_TOLD_TURNS + MOST_KEPT_TURNS + 4):
        play.prompt(turn_id=f"t{number}")
        play.answer("Words.")
    kept = [turn.id for turn in play.session.turns]
    assert "t0" in kept
    assert "t1" not in kept
    assert len(kept) <= MOST_TOLD_TURNS + MOST_KEPT_TURNS + 2
    assert [one.cell_id for one in play.session.store.proposals] == ["t0-1"]
    play.say(CellEdited(cell_id="t1-1", source="mine"))  # a cell of which nothing is known any more is the user's own
    play.say(Accept(cell_id="t0-1"))
    assert play.view.proposals["t0-1"].state == "accepted"


def test_a_cell_that_did_not_change_since_the_last_prompt_is_in_memory_once():
    play = Play()
    for turn_id in ("one", "two"):
        cells = (NotebookCell(id="a", source="".join(["x", " = 1"])), NotebookCell(id="b", source=turn_id))
        play.prompt(turn_id=turn_id, cells=cells)
        play.answer("Words.")
    first, second = (play.session.history.get(turn_id).prompt.cells for turn_id in ("one", "two"))
    assert first[0] is second[0]
    assert [cell.source for cell in second] == ["x = 1", "two"]
