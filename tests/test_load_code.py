"""The code that loads the extension unasked runs no file of the working folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_jupyter.protocol.constants import LOAD_EXTENSION

PROGRAM = """
import sys
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
shell = InteractiveShell(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))
sys.path.insert(0, "")
before = sys.path[:]
result = shell.run_cell(sys.argv[1], silent=True)
assert sys.path == before and not {"sys", "before", "is_here"} & set(shell.user_ns)
print(type(result.error_in_exec).__name__, sys.modules["spark_jupyter"].__file__)
"""


@pytest.mark.parametrize(
    "path", ["", os.pathsep + "/nonexistent", ".", "{here}"], ids=["none", "an empty part", "a dot", "the folder"]
)
def test_a_file_of_the_working_folder_is_not_loaded_in_place_of_ours(tmp_path, path):
    planted = "raise SystemExit('the planted file ran')\n"
    for name in ("spark_jupyter", "msgspec"):
        (tmp_path / f"{name}.py").write_text(planted)
    environ = {**os.environ, "PYTHONPATH": path.format(here=tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, LOAD_EXTENSION],
        cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "the planted file ran" not in done.stdout + done.stderr
    assert done.stdout.split()[0] == "NoneType", done.stdout + done.stderr
    assert "spark_jupyter/__init__.py" in done.stdout.replace(os.sep, "/")


def test_the_folder_in_which_the_package_is_developed_is_no_other(tmp_path):
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, LOAD_EXTENSION],
        cwd=root, env={**os.environ, "HOME": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.split()[0] == "NoneType", done.stdout + done.stderr
