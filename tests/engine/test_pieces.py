"""What a provider says goes to the session in pieces that are judged in a moment."""

from __future__ import annotations

import pytest

from spark_jupyter.engine.action_runner import pieces
from spark_jupyter.providers.base import TextDelta


@pytest.mark.parametrize(
    "text", ["x\n" * 5_000, "x" * 5_000, "\n" * 300, "a\nb", "line of some words\n" * 500 + "tail"]
)
def test_however_much_comes_a_piece_is_short_and_of_few_lines(text):
    found = [event.text for event in pieces([TextDelta(text[:7]), TextDelta(text[7:])]) if isinstance(event, TextDelta)]
    assert "".join(found) == text
    assert all(piece and len(piece) <= 1_024 and piece.count("\n") <= 64 for piece in found)
