"""Edits of the user's own code."""

from __future__ import annotations

from spark_jupyter.protocol.constants import REFUSAL
from spark_jupyter.protocol.prompt_offers import offered
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.server.engines import own_code


def test_where_an_edit_is_not_known_those_are_offered_that_would_change_the_cell() -> None:
    cell = NotebookCell(id="a", source="def tax(net: float) -> float:\n    return net * 0.19")
    answer = own_code.edit(cell, "make it sound like a pirate")
    assert answer is not None
    assert answer.notes.startswith(REFUSAL)
    assert offered(answer.notes) == ("add a docstring",)
