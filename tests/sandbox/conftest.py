"""Tries of a shell in a process of its own kind: the tests' one."""

from __future__ import annotations

import asyncio
import atexit
import importlib
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.sandbox import KernelTrials, Limits, unavailable
from tests.sandbox import attacks
from tests.sandbox.attempts import Attempt, as_nobody
from tests.sandbox.leavings import until_ended
from tests.sandbox.rehearsed import RehearsedCells

# Nothing of a test's shell is kept: its history stays in memory. IPython's long tracebacks, which read a library's whole source again in
# each copy, are left to the real kernels of tests/kernel.
OF_THE_TEST = Config({"HistoryManager": {"hist_file": ":memory:"}, "InteractiveShell": {"xmode": "Plain"}})


@pytest.fixture
def warning(monkeypatch) -> Iterator[None]:
    """Warnings are shown once for each line, as outside of pytest."""

    def show(message, category, filename, lineno, file=None, line=None) -> None:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))

    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("default")
        monkeypatch.setattr(warnings, "showwarning", show)
        yield


class Bench:
    """A shell and its Tries."""

    def __init__(self) -> None:
        self.shell = InteractiveShell(config=OF_THE_TEST)
        self.trials = KernelTrials(self.shell)

    def close(self) -> None:
        """End the Tries, and let the shell go: what it would do at the process's end collects all garbage, once for each shell."""
        self.trials.close()
        atexit.unregister(self.shell.atexit_operations)
        self.shell.history_manager.close()

    def given(self, source: str) -> None:
        """Run something in the kernel itself."""
        self.shell.run_cell(source).raise_error()

    def attempt(self, source: str, *, allow: tuple[str, ...] = (), **limits: float) -> TrialResult:
        """Try a source."""
        bounds = Limits(**{"seconds": 60.0} | limits)  # type: ignore[arg-type]
        return asyncio.run(self.trials.run(source, turn_id="t", cell_id="c", allow=allow, limits=bounds))  # type: ignore[arg-type]

    def changes(self, source: str) -> dict[str, str]:
        """The variables that a source would make, change and delete: name → how."""
        result = self.attempt(source)
        assert not result.error, result.error
        assert not result.problem, result.problem
        return {
            effect.name: " ".join(part for part in (effect.action, effect.before, effect.after, effect.detail) if part)
            for effect in result.effects
            if effect.kind == "variable"
        }

    def printed(self, source: str, **options: float) -> str:
        result = self.attempt(source, **options)
        assert not result.error, result.error
        assert not result.problem, result.problem
        return "".join(output.text for output in result.outputs if output.kind == "stdout")


@pytest.fixture
def bench() -> Iterator[Bench]:
    if reason := unavailable():
        pytest.skip(reason)
    made = Bench()
    yield made
    made.close()


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder of the test's own that an ordinary user may enter. Pytest's is in one that each run which begins closes to others."""
    with tempfile.TemporaryDirectory(prefix="sandbox-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


@pytest.fixture(params=["as we are", "as an ordinary user"])
def attempt(request, bench, tmp_path, monkeypatch) -> Attempt:
    """Try a source that begins with the attacks' prelude, in a folder that is not the test's own."""
    folder = tmp_path / "working"
    folder.mkdir()
    for path in (folder, tmp_path):
        path.chmod(0o755)
    monkeypatch.chdir(folder)
    ordinary = request.param != "as we are"
    if ordinary and os.getuid():
        pytest.skip("that is who we are")
    bench.attempt("1")
    for name in ("encodings.idna", "getpass", "resource"):  # an ordinary user may not be able to read root's Python
        importlib.import_module(name)

    def run(source: str, **options: object) -> TrialResult:
        whole = attacks.prelude() + source
        options.setdefault("seconds", 60)
        return as_nobody(lambda: bench.attempt(whole, **options)) if ordinary else bench.attempt(whole, **options)

    return run


@pytest.fixture
def stage(bench) -> Iterator[RehearsedCells]:
    made = RehearsedCells(bench)
    yield made
    made.rehearsals.close()
    until_ended("spark-rehearsal")
