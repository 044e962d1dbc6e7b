"""Fixtures of the embedded server's tests: answers that write files do it in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipes' answers and their examples write where they run."""
    monkeypatch.chdir(tmp_path)
