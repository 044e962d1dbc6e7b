"""What of the session there is where no front end sends it."""

from __future__ import annotations

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

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
