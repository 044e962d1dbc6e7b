"""Watchdog for copies that wait for a lock for ever.

A fork keeps only the thread that forks. Code that hands work to threads which the kernel had waits in the copy for threads that are not
there. ``/proc/PID/task/*/syscall`` says what each thread waits in.
"""

from __future__ import annotations

import os
import platform

_FUTEX = {"x86_64": 202, "aarch64": 98}
_ROUNDS = 4
"""So many looks in a row, a quarter of a second apart, must find the same."""


class Watchdog:
    """Looks at one process."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._futex = str(_FUTEX.get(platform.machine(), -1))
        self._last = ""
        self._rounds = 0

    def is_stuck(self) -> bool:
        """True if it has been waiting endlessly for several looks, without using the processor."""
        now = self._waits()
        self._rounds = self._rounds + 1 if now and now == self._last else 0
        self._last = now
        return self._rounds >= _ROUNDS

    def _waits(self) -> str:
        """Kind of the endless wait for a lock in which all threads are; else empty."""
        folder = f"/proc/{self._pid}/task"
        waits = []
        try:
            for thread in os.listdir(folder):
                with open(f"{folder}/{thread}/syscall") as file:
                    words = file.read().split()
                if len(words) < 5 or words[0] != self._futex or int(words[4], 16) != 0:
                    return ""
                waits.append(" ".join(words))
        except (OSError, ValueError):
            return ""
        return "\n".join(sorted(waits))
