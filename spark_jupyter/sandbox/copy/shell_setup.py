"""Setup of the shell in a copy: loop, hooks, folders, databases, semaphores."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import sqlite3
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from spark_jupyter.sandbox.copy import font_cache
from spark_jupyter.sandbox.copy_protocol import Order

_HOOKS = frozenset({"IPython", "ipykernel", "matplotlib_inline", "matplotlib"})
"""Packages whose hooks around a cell make its output or its modules what they are."""


def prepare_shell(shell: Any, order: Order) -> asyncio.AbstractEventLoop:
    """Make the shell fit for the copy. Returns the loop in which cells run: the kernel's belongs to a thread that is not here."""
    for event, hooks in shell.events.callbacks.items():
        # Those of other extensions time, log and print what is none of the cell's.
        shell.events.callbacks[event] = [hook for hook in hooks if _root_of(hook) in _HOOKS]
    gc.callbacks.clear()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    shell.loop_runner = loop.run_until_complete
    shell.history_manager.enabled = False
    shell.system = shell.system_raw  # a pseudo-terminal would need a fork
    sys.dont_write_bytecode = True
    os.environ["TMPDIR"] = order.folder
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile.tempdir = order.folder  # type: ignore[attr-defined]
    if getattr(shell, "kernel", None) is None:
        os.environ["MPLBACKEND"] = "agg"
    if not font_cache.are_listed():
        os.environ["MPLCONFIGDIR"] = order.folder
    if "files" not in order.allow:
        protect(order.folder)
        of_threads()
    if "shell" not in order.allow:
        use_threads_in_joblib()
    read_only = "files" not in order.allow
    adopt(shell.user_ns, owner=order.owner, read_only=read_only, folder=order.folder)
    return loop


def _root_of(hook: object) -> str:
    return str(getattr(hook, "__module__", "")).partition(".")[0]


# --- SQLite in a copy: inherited connections readable, files not written ---
# SQLite opens and writes files in native code, so no audit event tells of a write. A connection's descriptor is the copy's own by then (see
# :mod:`spark_jupyter.sandbox.copy.isolation`), so neither its position nor its locks are the kernel's.
def protect(folder: str) -> None:
    """Connections made from now on do not write files outside ``folder``."""
    original = sqlite3.connect

    def connect(*args: Any, **options: Any) -> Any:
        connection = original(*args, **options)
        _make_read_only(connection, folder)
        return connection

    sqlite3.connect = sqlite3.dbapi2.connect = connect  # in the copy only


def adopt(namespace: Mapping[str, object], *, owner: int, read_only: bool, folder: str) -> None:
    """The user's connections belong to the kernel's main thread ``owner``, which is not here: they become this thread's."""
    for value in list(namespace.values()):
        if issubclass(type(value), sqlite3.Connection):
            _give_to_this_thread(value, owner)
            if read_only:
                with suppress(sqlite3.Error):  # closed, or still another thread's: then nobody can use it here
                    _make_read_only(value, folder)


def _give_to_this_thread(connection: Any, owner: int) -> None:
    """``check_same_thread`` compares a number in the object, which nothing in Python can set."""
    size = ctypes.sizeof(ctypes.c_ulong)
    count = type(connection).__basicsize__ // size
    fields = (ctypes.c_ulong * count).from_address(id(connection))
    places = [place for place in range(count) if fields[place] == owner]
    if len(places) == 1:
        fields[places[0]] = threading.get_ident()


def _make_read_only(connection: Any, folder: str) -> None:
    files = [row[2] for row in connection.execute("pragma database_list") if row[2]]
    if any(not os.path.realpath(name).startswith(folder + os.sep) for name in files):
        connection.execute("pragma query_only = 1")


# --- Thread-based replacement for multiprocessing's semaphores ---
# multiprocessing makes each as a file in ``/dev/shm``, which a copy may not write. Libraries make such locks where they only use threads
# (joblib, scikit-learn), and a copy has no other processes, so locks of threads serve. They have the methods of
# ``_multiprocessing.SemLock``.
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
