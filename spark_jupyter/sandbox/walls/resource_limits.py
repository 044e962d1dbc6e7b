"""Hard resource limits of a copy, which it can't raise again."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

from spark_jupyter.sandbox.copy_protocol import Order

_THREADS = 512
"""So many threads a copy may have (Linux does not hold that for root)."""
_DESCRIPTORS = 1_024
"""So many more files a copy may have open than the kernel: what waits in a pipe or a pair of sockets is memory that nothing else limits."""
_GRACE = 5
"""Seconds of processor time between the signal that tells of the limit and the end."""


def lower(order: Order, *, used: int) -> None:
    """Limit this process. ``used`` is the address space that it has already, in bytes; 0: not known, and then not limited."""
    limits = order.limits
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_CPU, int(limits.seconds * (os.cpu_count() or 1)) + 60, grace=_GRACE)
    _lower(
        resource.RLIMIT_NOFILE, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], _highest_descriptor() + _DESCRIPTORS)
    )
    if "files" not in order.allow:
        _lower(resource.RLIMIT_FSIZE, limits.file)
    if used:
        _lower(resource.RLIMIT_AS, used + limits.memory)
    with suppress(OSError, ValueError, IndexError):  # the limit counts the user's threads, which are no more than all
        running = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
        _lower(resource.RLIMIT_NPROC, running + _THREADS)


def _highest_descriptor() -> int:
    folder = next((path for path in ("/proc/self/fd", "/dev/fd") if os.path.isdir(path)), "")
    return max(map(int, os.listdir(folder)), default=0) if folder else 0


def _lower(which: int, value: int, *, grace: int = 0) -> None:
    _, hard = resource.getrlimit(which)
    if hard == resource.RLIM_INFINITY or value + grace <= hard:
        resource.setrlimit(which, (value, value + grace))
