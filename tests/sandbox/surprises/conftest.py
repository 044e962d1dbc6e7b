"""Time that a rule always has in these tests: they are about what it sees."""

from __future__ import annotations

import pytest

from spark_jupyter.sandbox.surprises import cell_change, detection


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first figure of a process reads the fonts, which takes longer than a rule's share on a busy machine."""
    monkeypatch.setattr(detection, "_SECONDS", 60.0)
    monkeypatch.setattr(cell_change, "_BEFORE", 60.0)
