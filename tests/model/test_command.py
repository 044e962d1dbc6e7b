"""The command line with a model file."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.usefixtures("own_home")
def test_a_model_file_is_named_on_the_command_line(weights: Path) -> None:
    command = [sys.executable, "-m", "spark_jupyter.ui.cli.main", "ask", "greet a llama", "--model", str(weights)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        for file in Path(os.environ["JUPYTER_RUNTIME_DIR"]).glob("spark-jupyter-server*.json"):
            with contextlib.suppress(ValueError, KeyError, ProcessLookupError):
                os.kill(json.loads(file.read_text())["pid"], signal.SIGTERM)
    assert "a model on this machine: check what it writes" in done.stdout, done.stderr
    assert done.returncode == 0
