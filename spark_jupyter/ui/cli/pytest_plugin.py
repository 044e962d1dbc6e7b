"""Plug-in for pytest: ``--spark-replay`` tests recordings and the notebooks beside them.

pytest loads this file whenever the package is installed, so what it needs is imported with the first recording.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_ENDING = ".spark.jsonl"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    what = (
        f"test every *{_ENDING}: its requests are still known; a notebook of that name runs with it in place of a model"
    )
    parser.getgroup("spark_jupyter").addoption("--spark-replay", action="store_true", help=what)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect recordings where that was asked for."""
    if file_path.name.endswith(_ENDING) and parent.config.getoption("--spark-replay"):
        return RecordingFile.from_parent(parent, path=file_path)
    return None


class RecordingFile(pytest.File):
    """A recording, with a test of its requests and one of the notebook beside it."""

    def collect(self) -> Iterator[pytest.Item]:
        yield RequestsTest.from_parent(self, name="requests")
        if (notebook := self.path.with_name(self.path.name.removesuffix(_ENDING) + ".ipynb")).exists():
            yield NotebookTest.from_parent(self, name=notebook.name)


class ReplayError(Exception):
    """What a replay shows is not what was recorded."""


class _Test(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> object:  # type: ignore[override]
        """A sentence for what a recording shows, a traceback for faults of our own."""
        return str(excinfo.value) if isinstance(excinfo.value, ReplayError) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.name}: {self.name}"


class RequestsTest(_Test):
    """Every recorded request is known by its fingerprint: a replay finds it."""

    def runtest(self) -> None:
        from spark_jupyter.recordings.fingerprint import fingerprint
        from spark_jupyter.recordings.recording_file import load

        for number, exchange in enumerate(load(self.path).exchanges, 1):
            if fingerprint(exchange.request.ask) != exchange.request.fingerprint:
                asked = exchange.request.ask.request
                raise ReplayError(f"Request {number} ({asked[:60]!r}) is no longer found. Record it again.")


class NotebookTest(_Test):
    """The notebook runs from its top, its prompts answered from the recording alone."""

    def runtest(self) -> None:
        from spark_jupyter.server.replay.recorded_engine import NEAR_WORDS
        from spark_jupyter.ui.cli.notebook_files import read_notebook
        from spark_jupyter.ui.cli.notebook_runner import run_through

        notebook: Any = read_notebook(self.path.with_name(self.name))
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("SPARK_BASE_URL", raising=False)
            patch.delenv("SPARK_PROFILE", raising=False)
            patch.setenv("SPARK_MODEL", str(self.path))
            ran: Any
            ran, error = run_through(notebook, [str(cell["id"]) for cell in notebook["cells"]], folder=self.path.parent)
        if error:
            raise ReplayError(f"A cell fails: {error}")
        for cell in ran["cells"]:
            if NEAR_WORDS in str(cell.get("outputs", "")):
                raise ReplayError(f"The recording has no answer to exactly this: {cell['source']}")
