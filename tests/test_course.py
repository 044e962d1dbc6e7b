"""The course in notebooks/course runs headless, answered by its recordings, as a student goes through it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from spark_jupyter.recordings.fingerprint import fingerprint
from spark_jupyter.recordings.recording_file import load
from spark_jupyter.server.replay.recorded_engine import NEAR_WORDS

pytestmark = [pytest.mark.begins_first, pytest.mark.timeout(600), pytest.mark.usefixtures("forked_kernels")]
FOLDER = Path(__file__).parents[1] / "notebooks" / "course"
LESSONS = sorted(path.name for path in FOLDER.glob("*.ipynb"))
PROMPT = "%%spark --wait\n"
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROCESSES = 10


@pytest.fixture(autouse=True)
def pictures(monkeypatch):
    """Whatever backend a test before has left, kernels draw into the notebook."""
    monkeypatch.delenv("MPLBACKEND", raising=False)


def read(name):
    book = nbformat.read(FOLDER / name, as_version=4)
    nbformat.validate(book)
    return book


def client(book):
    return NotebookClient(
        book, timeout=300, startup_timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    )


def shown(cell):
    data = [output.get("data", {}) for output in cell.outputs]
    texts = [output.get("text", "") for output in cell.outputs]
    return "".join(texts) + "".join(one.get("text/plain", "") for one in data)


def drawn(cell):
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def errors(cell):
    return [output.evalue for output in cell.get("outputs", []) if output.output_type == "error"]


def solve(book):
    """Behind the exercise and its check, as they are given out, the same with the answer of the last hint."""
    ids = [cell.id for cell in book.cells]
    given = ids.index("turn")
    hints = "\n".join(cell.source for cell in book.cells[:given] if cell.cell_type == "markdown")
    solution = nbformat.v4.new_code_cell(CODE.findall(hints)[-1], id="solved")
    check = nbformat.v4.new_code_cell(book.cells[given + 1].source, id="solved-check")
    book.cells[given + 2 : given + 2] = [solution, check]


def has_recorded_cells(book, exchanges):
    """True if each prompt of the notebook was answered with the one cell that was recorded for it."""
    prompts = [cell for cell in book.cells if cell.source.startswith(PROMPT)]
    assert [" ".join(cell.source.removeprefix(PROMPT).split()) for cell in prompts] == [
        one.request.ask.request for one in exchanges
    ]
    proposals = [
        rf"^\[1\] code[^\n]*\n{re.escape(code.strip())}$" for one in exchanges for code in CODE.findall(one.text)
    ]
    return all(
        re.search(proposal, shown(prompt), re.MULTILINE) and NEAR_WORDS not in shown(prompt)
        for prompt, proposal in zip(prompts, proposals, strict=True)
    )


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_from_its_top_and_its_exercise_can_be_solved(name):
    book = read(name)
    assert 15 <= len(book.cells) <= 25
    assert any(map(drawn, book.cells)), "no picture is stored for who reads it on a web page"
    exchanges = load(FOLDER / book.metadata.spark.recording).exchanges
    solve(book)
    client(book).execute()
    told = {cell.id: errors(cell) for cell in book.cells if errors(cell)}
    assert told.keys() == {"turn-check"}, "the check is red until the exercise is done"
    assert told["turn-check"][0].startswith("Not yet.")
    assert has_recorded_cells(book, exchanges)
    assert any(map(drawn, book.cells))


@pytest.mark.parametrize("recording", sorted(FOLDER.parent.rglob("*.spark.jsonl")), ids=lambda path: path.name)
def test_what_a_lesson_has_recorded_is_found_again(recording):
    for exchange in load(recording).exchanges:
        assert fingerprint(exchange.request.ask) == exchange.request.fingerprint, "record it again"


def test_ten_processes_at_once_replay_a_lesson_with_identical_cells():
    """A kernel each, as ten students have."""
    books = [read(LESSONS[0]) for _ in range(PROCESSES)]
    exchanges = load(FOLDER / books[0].metadata.spark.recording).exchanges

    async def run():
        await asyncio.gather(*(client(book).async_execute() for book in books))

    asyncio.run(run())
    for book in books:
        assert has_recorded_cells(book, exchanges)
