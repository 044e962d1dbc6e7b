"""Fork of processes, and handles of theirs: status, end, removal."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import Protocol

from spark_jupyter.source.warning_filters import silence

_WARNED = __name__.replace(".", r"\.") + "$"
_MOMENT = 1.0
"""Seconds that a process whose pipe has ended may take to end."""


def fork_quietly() -> int:
    """``os.fork``, without the warnings that Python 3.12 and libraries with threads, such as JAX, give of each: they would stand in the
    user's output, and in the copy nothing runs but the thread that forked."""
    silence(_WARNED)
    return os.fork()


class Process(Protocol):
    """One process, from its fork until it was taken away. Only until then is its number its own."""

    pid: int

    def has_ended(self) -> bool:
        """True if it ends by itself in a moment; it is not reaped."""

    def take_away(self) -> int:
        """Wait for its end and leave no zombie; its status as of :func:`os.waitpid`. Once only."""


class Child:
    def __init__(self, pid: int) -> None:
        self.pid = pid

    def has_ended(self) -> bool:
        return ends_in_a_moment(self.pid)

    def take_away(self) -> int:
        return os.waitpid(self.pid, 0)[1]


def kill_whole(pid: int) -> None:
    """End a process that was not taken away yet, and its group where it leads one."""
    with suppress(ProcessLookupError):  # its checkpoint is gone, and it with it
        if _has_group(pid):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)


def ends_in_a_moment(pid: int) -> bool:
    """True if a child ends by itself in a moment; it is not reaped, so that its number stays its own."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        time.sleep(_MOMENT)
        return True
    until = time.monotonic() + _MOMENT
    while time.monotonic() < until:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
            return True
        time.sleep(0.005)
    return False


def is_dead(pid: int) -> bool:
    """True if an unreaped process has ended, as far as ``/proc`` tells (Linux); at once."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read(1_000).rpartition(b")")[2].split()[:1] in ([b"Z"], [b"X"])
    except OSError:
        return False


def _has_group(pid: int) -> bool:
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return False
