"""A Try where the system is not Linux."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from spark_jupyter.sandbox import unavailable


@pytest.fixture
def like_macos(bench, monkeypatch):
    """No /proc, no walls, no ``waitid``: what there is on macOS."""
    from spark_jupyter.sandbox import watchdog
    from spark_jupyter.sandbox.copy import isolation
    from spark_jupyter.sandbox.walls import allowed_paths, filesystem, seccomp

    for module in (isolation, allowed_paths, filesystem):
        monkeypatch.setattr(module, "PROC", "/nowhere")
    monkeypatch.setattr(filesystem, "interface", lambda: 0)
    monkeypatch.setattr(seccomp, "available", lambda: False)
    monkeypatch.setattr(watchdog.Watchdog, "_waits", lambda self: "")
    monkeypatch.delattr(os, "waitid", raising=False)
    return bench


def test_where_there_is_no_proc_and_no_landlock_what_python_does_is_refused_all_the_same(like_macos, tmp_path):
    file = tmp_path / "new.txt"
    source = f"import os\nkept = [1]\ntry:\n    open({str(file)!r}, 'w')\nexcept OSError:\n    print('refused')"
    result = like_macos.attempt(source)
    assert "".join(output.text for output in result.outputs) == "refused\n"
    assert {(e.kind, e.name, e.refused) for e in result.effects} >= {
        ("file", str(file), True),
        ("variable", "kept", False),
    }
    assert not file.exists()
    assert result.peak_memory >= 0


def test_where_there_is_no_watchdog_a_hung_copy_ends_with_its_time(like_macos):
    like_macos.given("import threading\nheld = threading.Lock(); held.acquire()")
    result = like_macos.attempt("held.acquire()", seconds=0.3)
    assert "takes more than 0.3 s" in result.not_tried
    assert "exit status 3" in like_macos.attempt("import os\nos._exit(3)").problem


def test_the_path_of_an_open_file_is_asked_of_macos_where_there_is_no_proc(monkeypatch):
    import fcntl

    from spark_jupyter.sandbox.copy import isolation

    monkeypatch.setattr(isolation, "PROC", "/nowhere")
    monkeypatch.setattr(fcntl, "F_GETPATH", 50, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda number, what, room: b"/Users/me/data.csv".ljust(len(room), b"\0"))
    assert isolation.path_of(7) == "/Users/me/data.csv"


def test_windows_says_in_a_sentence_that_nothing_can_be_tried(bench, monkeypatch):
    monkeypatch.delattr(os, "fork", raising=False)
    assert unavailable() == "This system can't copy a running process (it has no fork), so nothing can be tried here."
    assert bench.attempt("x = 1").problem == unavailable()


_WINDOWS = """
import os, sys
sys.modules |= dict.fromkeys(("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"))
del os.fork, os.forkpty, os.register_at_fork, os.memfd_create
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.history_manager.enabled = False
shell.run_line_magic("load_ext", "spark_jupyter")
for cell in sys.stdin.read().splitlines():
    shell.run_cell(cell, store_history=True)
"""
"""What Python lacks on Windows is taken away before anything is imported."""


def test_on_windows_spark_loads_reviews_and_goes_back_without_variables(tmp_path):
    cells = "x = 1\nx = 2\n%spark back\n%spark back 1\n%spark back 1 --yes\n%spark undo\n%spark review\n%spark status"
    environment = {**os.environ, "JUPYTER_DATA_DIR": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", _WINDOWS], input=cells, capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert "cell 2" in said
    assert "They were not run in a fresh copy. This system can't copy a running process" in said
    assert "The next cell has them" in said
    assert "No checkpoints are taken. This system" in said
    assert "No checkpoints. This system" in said
