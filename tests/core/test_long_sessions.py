"""What a session keeps of a long day."""

from __future__ import annotations

import gc

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.wire.constants import MOST_KEPT_TURNS
from spark_jupyter.wire.messages import Accept, Prompt, Steer, Try
from tests.core.play import Play


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
