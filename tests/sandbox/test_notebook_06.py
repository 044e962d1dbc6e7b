"""notebooks/06 runs headless, and its outputs show what its text claims."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from spark_jupyter.sandbox import no_rehearsal

PATH = Path(__file__).parents[2] / "notebooks" / "06-proven-edits.ipynb"


def test_the_lesson_shows_what_it_claims(own_home):
    if reason := no_rehearsal():
        pytest.skip(reason)
    book = nbformat.read(PATH, as_version=4)
    nbformat.validate(book)
    assert not any(cell.get("outputs") for cell in book.cells), "no outputs are stored"
    NotebookClient(
        book,
        timeout=300,
        startup_timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(PATH.parent)}},
    ).execute()
    outputs = {
        cell.id: "".join(out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)
        for cell in book.cells
        if cell.cell_type == "code"
    }
    assert "same result" in outputs["try"]
    assert "result changes: total: 22.5 → 29.0" in outputs["try-careless"]
    assert "1 cell below uses `total`" in outputs["try-careless"]
    assert "to pay: 22.50 → to pay:" in outputs["rerun"]
    assert outputs["kept"] == "22.5"
    assert "counts, prices restored" in outputs["undo"]
    assert outputs["back"] == "([4.5, 2.0, 5.0, 3.5], [1, 2, 0, 4])"
    assert "Checkpoints: before" in outputs["status"]
