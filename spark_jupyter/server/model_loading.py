"""Start of a model's process, and its limits: time to load, memory.

A model file has a program in it, its chat template, which need not end and may take whatever memory there is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spark_jupyter.source.credential_names import names_a_credential

LOADING = 600.0
"""Seconds that loading may take."""


def started() -> subprocess.Popen[bytes]:
    """A process that waits for its order on its standard input. It needs no credentials: the file is somebody else's."""
    harmless = {name: text for name, text in os.environ.items() if not names_a_credential(name)}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "spark_jupyter.server.engines.llama_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**harmless, "OMP_WAIT_POLICY": "passive"},  # threads that wait take no core from the kernel
    )


@contextmanager
def watched(process: subprocess.Popen[bytes], given_up: Callable[[], bool]) -> Iterator[None]:
    """Kill the process where this context lasts for too long, or it is given up meanwhile."""
    loaded, last = threading.Event(), time.monotonic() + LOADING

    def watch() -> None:
        while not loaded.wait(0.05):
            if given_up() or time.monotonic() > last:
                process.kill()
                return

    threading.Thread(target=watch, name="spark-model-loading", daemon=True).start()
    try:
        yield
    finally:
        loaded.set()


def limit_memory(most: int) -> None:
    """Have this process take so many bytes at most, files that it maps aside; 0 for no limit. Linux alone limits that."""
    if most and sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
