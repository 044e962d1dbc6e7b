"""Thread-based replacement for multiprocessing's semaphores.

multiprocessing makes each as a file in ``/dev/shm``, which a copy may not write. Libraries make such locks where they only use threads
(joblib, scikit-learn), and a copy has no other processes, so locks of threads serve. They have the methods of
``_multiprocessing.SemLock``.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

try:
    import _multiprocessing  # type: ignore[import-not-found]  # Python's own, which typeshed leaves out
except ImportError:  # a Python without them
    _multiprocessing = None

_RECURSIVE_MUTEX = 0


class SemLock:
    """A semaphore, or a lock that its owner can take again (``kind`` 0)."""

    SEM_VALUE_MAX = 2**31 - 1
    name = None
    handle = 0

    def __init__(self, kind: int, value: int, maxvalue: int, name: str = "", unlink: bool = True) -> None:
        self.kind, self.maxvalue = kind, maxvalue
        self._value = value
        self._changed = threading.Condition(threading.Lock())
        self._owner = 0
        self._taken = 0

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take it; whether that was possible within ``timeout`` seconds."""
        with self._changed:
            if self.kind != _RECURSIVE_MUTEX or not self._is_mine():
                wait = 0.0 if not block else timeout if timeout is None else max(0.0, timeout)
                if not self._changed.wait_for(lambda: self._value > 0, wait):
                    return False
                self._value -= 1
            self._owner = threading.get_ident()
            self._taken += 1
            return True

    def release(self) -> None:
        """Give it back. Raises what multiprocessing's own raises for one that is not taken."""
        with self._changed:
            if self.kind == _RECURSIVE_MUTEX:
                if not self._is_mine():
                    raise AssertionError("attempt to release recursive lock not owned by thread")
                self._taken -= 1
                if self._taken:
                    return
            elif self._value >= self.maxvalue:
                raise ValueError("semaphore or lock released too many times")
            else:
                self._taken = max(0, self._taken - 1)
            self._value += 1
            self._changed.notify()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def _count(self) -> int:
        return self._taken

    def _is_mine(self) -> bool:
        return self._taken > 0 and self._owner == threading.get_ident()

    def _get_value(self) -> int:
        return self._value

    def _is_zero(self) -> bool:
        return self._value == 0

    def _after_fork(self) -> None:
        """multiprocessing calls it in a process that it forked; here there is none."""


def of_threads() -> None:
    """Have multiprocessing make such locks from now on."""
    if _multiprocessing is not None:
        module: Any = _multiprocessing
        module.SemLock = SemLock


def use_threads_in_joblib() -> None:
    """Have joblib, and so scikit-learn's ``n_jobs``, work with threads: a copy starts no processes."""
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"  # for a joblib that is imported later: it then works one after another
    parallel: Any = sys.modules.get("joblib.parallel")
    threads = getattr(parallel, "ThreadingBackend", None)
    if threads is not None:
        parallel.BACKENDS.update(loky=threads, multiprocessing=threads)
        parallel.DEFAULT_BACKEND = "threading"
