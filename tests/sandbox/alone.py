"""A test in a process of its own, for libraries that keep threads: of those that an earlier test began in one, a copy has none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def ran_alone(request: pytest.FixtureRequest, tmp_path: Path, library: str) -> bool:
    """Whether an earlier test has this library; then this test is run where none has, and must pass there."""
    if library not in sys.modules:
        return False
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", request.node.nodeid]
    folder = f"--basetemp={tmp_path / 'alone'}"  # or it would close pytest's own folder to others, where another test needs it open
    subprocess.run([*command, folder], cwd=request.config.rootpath, check=True)
    return True
