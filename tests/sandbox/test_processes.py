"""Forks of the kernel's process."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import os, threading, warnings
threading.Thread(target=threading.Event().wait, daemon=True).start()
os.register_at_fork(before=lambda: warnings.warn("os.fork() was called", RuntimeWarning, stacklevel=2))
warnings.simplefilter({action!r})
from spark_jupyter.sandbox.processes import Child, fork_quietly
for _ in range(2):
    pid = fork_quietly()
    if pid == 0:
        os._exit(0)
    assert Child(pid).take_away() == 0
"""


@pytest.mark.parametrize("action", ["default", "always", "error"])
def test_what_python_and_libraries_warn_of_each_fork_is_not_in_the_users_output(action):
    program = PROGRAM.format(action=action)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
