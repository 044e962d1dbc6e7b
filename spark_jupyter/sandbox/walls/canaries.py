"""Canaries: one attempt at each wall, in a real copy.

Native code makes the attempts, so the result is what holds on this system.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from spark_jupyter.sandbox.kernel_trials import KernelTrials
from spark_jupyter.session.answer_trials import TryAnswer
from spark_jupyter.session.job_owners import TurnOwner

_FIRST = """
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
outside = {outside!r}.encode()
"""

CANARIES = {
    "network": "assert libc.socket(2, 2, 0) < 0\nassert libc.socket(1, 1, 0) < 0",
    "programs": "made = libc.fork()\nmade == 0 and os._exit(0)\nassert made < 0",
    "other processes": (
        "limits = (ctypes.c_ulong * 2)()\nlibc.prlimit(0, 7, None, limits)\n"
        "assert libc.kill(os.getppid(), 0) < 0\nassert libc.prlimit(os.getppid(), 7, limits, None) < 0"
    ),
    "shared memory": "made = libc.shmget(0, 4096, 0o1600)\nmade >= 0 and libc.shmctl(made, 0, None)\nassert made < 0",
    "writes": "assert libc.open(outside, os.O_WRONLY) < 0\nassert libc.chmod(outside, 0o600) < 0",
    "reads": "assert libc.open(outside, os.O_RDONLY) < 0",
    "terminal": "assert libc.open(b'/dev/tty', os.O_RDWR) < 0\nassert libc.ioctl(0, 0x5412, b'x') < 0",
    "limits": (
        "of_memory = resource.getrlimit(resource.RLIMIT_AS)\nassert of_memory[1] != resource.RLIM_INFINITY\n"
        "assert libc.setrlimit(resource.RLIMIT_AS, (ctypes.c_ulong * 2)(*of_memory)) < 0"
    ),
}
"""Source for each wall that raises unless the wall refuses it."""


def broken_walls(trials: KernelTrials) -> tuple[str, ...]:
    """The names of the walls that do not hold here."""
    here, usual = os.getcwd(), os.path.realpath(tempfile.gettempdir())
    elsewhere = "/var/tmp" if os.path.commonpath([here, usual]) == here else usual  # the working folder may be read
    with tempfile.TemporaryDirectory(prefix="spark-canary-", dir=elsewhere) as folder:
        file = Path(folder, "file")
        file.touch()
        first = _FIRST.format(outside=str(file))
        checks = tuple(first + source for source in CANARIES.values())
        trial = asyncio.run(trials.try_answer(TryAnswer(owner=TurnOwner("canaries"), cells=("0",), checks=checks)))
    if trial.problem or len(trial.checks) < len(CANARIES):
        return tuple(CANARIES)
    return tuple(name for name, error in zip(CANARIES, trial.checks, strict=True) if error)
