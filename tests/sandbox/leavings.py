"""Processes, threads and descriptors that a test has begun and not ended. What an earlier test left does not count."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for what must come; usually it takes a tenth of a second."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def until_ended(name: str) -> None:
    """Wait for the end of every thread of this name: one that is no longer known as running may still be about to end."""
    until(lambda: all(thread.name != name for thread in threading.enumerate()))


def children() -> set[int]:
    """The processes that are children of any thread of this one."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has just ended
            found.update(map(int, (task / "children").read_text().split()))
    return found


def descriptors() -> Counter[str]:
    """What is open, but for the history, whose thread IPython stops for every fork and starts again."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found.append(os.readlink(f"/proc/self/fd/{name}"))
    return Counter(one for one in found if "history.sqlite" not in one and not one.startswith("/proc/"))


def threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if "History" not in thread.name}


@contextmanager
def nothing_left() -> Iterator[None]:
    """What is begun within has ended soon after: processes, descriptors, threads."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("this system has no /proc")
    gc.collect()
    before = children(), descriptors(), threads()

    def new() -> tuple[object, ...]:
        return children() - before[0], descriptors() - before[1], threads() - before[2]

    yield
    gc.collect()
    with suppress(AssertionError):
        until(lambda: not any(new()))
    assert not any(left := new()), left
