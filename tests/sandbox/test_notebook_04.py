"""notebooks/04 runs headless, and its outputs show what its text claims."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from spark_jupyter.sandbox import unavailable
from spark_jupyter.sandbox.copy_protocol import INTERRUPTIBLE

# Nobody waits here for what never ends: two seconds show what ten do. The other cells have the time that they have for a person.
LIMIT = """\
from spark_jupyter.sandbox import Limits, forking
forking._GRACE = 60  # a busy machine takes its time to say where it stood
get_ipython().magics_manager.magics["line"]["spark"].pair.trials._limits = Limits({})
"""
PATH = Path(__file__).parents[2] / "notebooks" / "04-try-before-you-accept.ipynb"


@pytest.fixture
def outputs(own_home, tmp_path):
    """What each cell shows, by the cell's id."""
    if reason := unavailable():
        pytest.skip(reason)
    book = nbformat.read(PATH, as_version=4)
    nbformat.validate(book)
    assert not any(cell.get("outputs") for cell in book.cells), "no outputs are stored"
    shutil.copy(PATH.with_suffix(".spark.jsonl"), tmp_path)
    endless = next(index for index, cell in enumerate(book.cells) if cell.id == "try-endless")
    book.cells.insert(endless + 1, nbformat.v4.new_code_cell(LIMIT.format("")))
    book.cells.insert(endless, nbformat.v4.new_code_cell(LIMIT.format("seconds=2.0")))
    NotebookClient(
        book, timeout=300, startup_timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = {}
    for cell in book.cells:
        texts = [out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.get("outputs", [])]
        shown[cell.id] = "".join(texts)
    return shown


def test_the_lesson_shows_what_it_claims(outputs, tmp_path):
    assert "ran in a copy in" in outputs["ask"]
    assert "2.75" in outputs["try"]
    assert "2 new variables, 1 changed variable" in outputs["try"]
    assert "changed variable prices" in outputs["try"]
    assert "in place" in outputs["try"]
    assert outputs["unchanged"] == "([4.5, 2.0, 5.0, 3.5], False)"
    assert "Exactly as it was tried." in outputs["run"]
    assert outputs["changed"] == "([2.0, 3.5, 4.5, 5.0], 2.75)"
    assert "1 file refused" in outputs["try-save"]
    assert outputs["no-file"] == "False"
    assert not (tmp_path / "prices.txt").exists()
    assert "ZeroDivisionError" in outputs["try-wrong"]
    assert "(line 3)" in outputs["try-wrong"]
    if INTERRUPTIBLE:
        assert "(line " in outputs["try-endless"]  # where it stood
    assert "not tried: it takes more than" in outputs["try-endless"]
    assert "runs now, output 3.5" in outputs["fix"]
    assert "2 passed (careful)" in outputs["race"]
    assert "→ 2 passed (careful)" in outputs["attempts"]
    assert "sorted(numbers)[len(numbers) // 2]" in outputs["attempts"]
    assert "1 passed (" in outputs["green"]
    assert "did not pass" not in outputs["green"]
    assert outputs["green-ran"] == "4"
