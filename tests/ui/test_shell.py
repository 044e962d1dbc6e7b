"""Cells and the last failure of a shell without a front end."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.ui.shell import Shell


def test_without_a_front_end_the_cells_are_what_was_typed() -> None:
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    told = Shell(shell)
    try:
        for typed in ("x = 1", "%time x", "files = !ls"):
            shell.run_cell(typed, store_history=True)
        assert [cell.source for cell in told.cells(all_inputs=True)] == ["x = 1", "%time x", "files = !ls"]
    finally:
        told.leave()


@pytest.fixture
def failed():
    """A shell in which the cell ``c`` has failed, and what runs another cell."""
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    told = Shell(shell)

    def run(source: str, cell_id: str) -> None:
        shell.run_cell(source, store_history=True, cell_id=cell_id)

    run("1 / 0", "c")
    yield told, run
    told.leave()


def prompt(*cells: NotebookCell, text: str = "go on", **options: object) -> Prompt:
    return Prompt(turn_id="t", text=text, cells=cells, **options)  # type: ignore[arg-type]


AS_IT_FAILED = NotebookCell(id="c", source="1 / 0\n")
OTHER = NotebookCell(id="d", source="x = 1")


def test_a_failure_is_told_while_its_cell_stands_as_it_failed(failed):
    told, run = failed
    assert told.failure_for(prompt(AS_IT_FAILED, OTHER)) is told.last_failure
    run("x = 1", "d")
    assert told.failure_for(prompt(AS_IT_FAILED, OTHER)) is told.last_failure, "another cell ran"
    assert told.failure_for(prompt(NotebookCell(id="c", source="1 / 2"), OTHER)) is None, "it was changed"
    assert told.failure_for(prompt(OTHER)) is None, "it was deleted"


def test_a_failure_is_told_no_more_when_its_cell_has_run_well(failed):
    told, run = failed
    run("1 / 2", "c")
    assert told.failure_for(prompt(AS_IT_FAILED)) is None
    run("1 / 0", "d")
    assert told.failure_for(prompt(NotebookCell(id="d", source="1 / 0"))) is told.last_failure


def test_where_only_the_inputs_are_known_a_failure_is_told_until_something_ran_well(failed):
    told, run = failed
    assert told.failure_for(prompt(NotebookCell(id="in-1", source="1 / 0"))) is told.last_failure
    assert told.failure_for(prompt()) is told.last_failure
    run("x = 1", "")
    assert told.failure_for(prompt(NotebookCell(id="in-2", source="x = 1"))) is None


def test_who_asks_for_the_failure_is_told_of_it_in_any_case(failed):
    told, run = failed
    run("x = 1", "d")
    assert told.failure_for(prompt(OTHER, text="explain @error")) is told.last_failure
    assert told.failure_for(prompt(OTHER, intent="fix", target=Target(edit="c"))) is told.last_failure
