"""Provider output reaches the session in pieces that are judged in a moment."""

from __future__ import annotations

import pytest

from spark_jupyter.connection.frame_inbox import MOST_AT_ONCE
from spark_jupyter.engine.action_runner import pause_after, pieces
from spark_jupyter.engine.broadcast import FRAME_INTERVAL
from spark_jupyter.providers.base import ResponseCompleted, TextDelta


@pytest.mark.parametrize(
    "text", ["x\n" * 5_000, "x" * 5_000, "\n" * 300, "a\nb", "line of some words\n" * 500 + "tail"]
)
def test_however_much_comes_a_piece_is_short_and_of_few_lines(text):
    found = [event.text for event in pieces([TextDelta(text[:7]), TextDelta(text[7:])]) if isinstance(event, TextDelta)]
    assert "".join(found) == text
    assert all(piece and len(piece) <= 1_024 and piece.count("\n") <= 64 for piece in found)


@pytest.mark.parametrize(
    ("rate", "seconds"), [(250, FRAME_INTERVAL), (1_000, FRAME_INTERVAL), (5_000, FRAME_INTERVAL), (20_000, 0.0)]
)
def test_what_comes_next_gathers_where_all_that_had_come_was_taken(rate, seconds):
    came = max(1, round(rate * FRAME_INTERVAL))
    assert pause_after([TextDelta("x")] * min(came, MOST_AT_ONCE)) == seconds


def test_what_is_no_text_waits_for_nothing():
    assert pause_after([ResponseCompleted()]) == 0.0
