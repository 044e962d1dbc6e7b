"""Setup of the shell in a copy: loop, hooks, folders, databases, semaphores."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from typing import Any

from spark_jupyter.sandbox.copy import font_cache, semaphores, sqlite_guard
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
        sqlite_guard.protect(order.folder)
        semaphores.of_threads()
    if "shell" not in order.allow:
        semaphores.use_threads_in_joblib()
    read_only = "files" not in order.allow
    sqlite_guard.adopt(shell.user_ns, owner=order.owner, read_only=read_only, folder=order.folder)
    return loop


def _root_of(hook: object) -> str:
    return str(getattr(hook, "__module__", "")).partition(".")[0]
