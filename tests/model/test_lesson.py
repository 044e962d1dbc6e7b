"""notebooks/08 runs headless with the real model, and its outputs show what its text claims."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

LESSON = Path(__file__).parents[2] / "notebooks" / "08-your-own-model.ipynb"


def shown(output: nbformat.NotebookNode) -> str:
    return output.get("text", "") + output.get("data", {}).get("text/plain", "")


@pytest.mark.usefixtures("own_home", "weights")
def test_the_lesson_of_the_own_model_shows_what_it_claims() -> None:
    book = nbformat.read(LESSON, as_version=4)
    nbformat.validate(book)
    NotebookClient(book, timeout=500, startup_timeout=300, kernel_name="python3").execute()
    said = {cell.id: "".join(map(shown, cell.get("outputs", []))) for cell in book.cells}
    assert "often wrong" in said["model"]
    assert "sorted(" in said["recipe"]
    assert "a model on this machine" not in said["recipe"]
    assert "a model on this machine: check what it writes" in said["ask"]
    assert said["try"]
    assert "attempt" in said["check"]
    assert "turn 3" in said["status"]
