"""Notebooks for which this kernel was started.

Read once: a cell that changes a variable of the environment changes no author's rules.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path


@functools.cache
def notebook_of_kernel() -> str:
    """The path that Jupyter Server gave the kernel at its start; empty where there is none."""
    return os.environ.get("JPY_SESSION_NAME", "")


@functools.cache
def notebooks_run_by_program() -> tuple[str, ...]:
    """The notebooks on the command line of the program that started the kernel: nbconvert and papermill say in no other way what they
    run."""
    psutil = sys.modules.get("psutil")  # ipykernel brings it: a terminal was started for no notebook
    if psutil is None or notebook_of_kernel():
        return ()
    try:
        program = psutil.Process(os.getppid())
        line, folder = program.cmdline(), program.cwd()
    except psutil.Error:
        return ()
    return tuple(str(Path(folder, word)) for word in line if word.endswith(".ipynb"))
