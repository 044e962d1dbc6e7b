"""Thinking in an answer's text leaves nothing behind: no note, no cell, nothing in the conversation."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.turn_view import TurnView
from tests.prompting.test_thinking_filter import ANSWER, THOUGHT
from tests.session.play import Play


@pytest.mark.parametrize("kind", THOUGHT)
def test_what_a_model_thinks_is_in_no_cell_and_no_note_and_is_not_sent_again(kind: str) -> None:
    play = Play()
    play.prompt()
    for line in THOUGHT[kind].splitlines(keepends=True):
        play.text(line)
    play.done()
    view = TurnView()
    for event in play.events:
        view.receive(event)
    assert [(one.source, one.state) for one in view.of_turn("t1")] == [("total = 1\nprint(total)", "ready")]
    assert view.turns["t1"].notes.strip() == "Here it is."
    play.prompt(turn_id="t2")
    assert play.requests[-1].request.input[1].text.strip() == ANSWER.strip()
