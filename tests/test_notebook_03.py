"""notebooks/03 runs headless, and its outputs show what its text claims."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.begins_first
PATH = Path(__file__).parents[1] / "notebooks" / "03-fast-code-needs-review.ipynb"


@pytest.fixture
def outputs(own_home, forked_kernels):
    """What each cell shows, by the cell's id."""
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
    shown = {}
    for cell in book.cells:
        texts = [out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.get("outputs", [])]
        shown[cell.id] = "".join(texts)
    return shown


def test_the_lesson_shows_what_it_claims(outputs):
    assert "sql-injection" in outputs["cut"]
    assert "completed" in outputs["cut"]
    assert '+rows = db.execute("SELECT * FROM users WHERE name = ?", (name,))' in outputs["diff"]
    assert 'f"SELECT' not in outputs["diff"]
    assert "corrected 1×" in outputs["status"]
    assert "missing-attribute" in outputs["invented"]
    assert "4.5" in outputs["run-real"]
    assert "block" in outputs["check"]
    assert "CWE-502" in outputs["check"]
    assert outputs["fixed"] == "[]"
    assert "region" in outputs["reality"]
    assert "a checksum, not a password" in outputs["allow"]
