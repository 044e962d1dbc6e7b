"""Memory of the kernel and its copies, as Linux counts it.

All sizes are bytes, read from ``/proc``. Where there is none the functions return None.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from contextlib import suppress

_GROUP_LIMITS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
    ),
)
"""Of a container, in both of Linux's versions: the limit, what is used, and what of that are contents of files that it may forget."""


def free() -> int | None:
    """Memory that could be had without anybody losing any."""
    fields = _fields("/proc/meminfo")
    if "MemAvailable" not in fields:
        return None
    room = fields["MemAvailable"]
    for limit, used, stat in _GROUP_LIMITS:
        with suppress(OSError, ValueError), open(limit) as most, open(used) as now:
            left = int(most.read()) - int(now.read())  # "max", where there is no limit
            room = min(room, max(0, left + _forgettable(stat)))
    return room


def resident() -> int:
    """Resident memory of this process in bytes. Cheap: the system keeps the count."""
    with suppress(OSError), open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * mmap.PAGESIZE
    return 0


def memory_beyond(pid: int, others: Iterable[int]) -> int | None:
    """Memory that ``others``, forks of process ``pid``, use beyond what that process would use alone: all share each page (PSS), and the
    sum of the shares is the total. Walks through page tables: some milliseconds for each GB."""
    own = _fields(f"/proc/{pid}/smaps_rollup")
    if "Pss_Anon" not in own:
        return None
    shares = sum(_fields(f"/proc/{other}/smaps_rollup").get("Pss_Anon", 0) for other in others)
    return max(0, own["Pss_Anon"] + shares - own["Anonymous"])


def faulted_bytes() -> int:
    """Bytes of pages that this process was given since it began, new ones and copies of shared ones; 0 on Windows."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt * mmap.PAGESIZE


def _forgettable(path: str) -> int:
    with suppress(OSError, ValueError), open(path) as lines:
        found = {name: int(size) for name, _, size in (line.partition(" ") for line in lines)}
        return found.get("total_inactive_file", found.get("inactive_file", 0))
    return 0


def _fields(path: str) -> dict[str, int]:
    found: dict[str, int] = {}
    with suppress(OSError), open(path) as lines:
        for line in lines:
            name, _, rest = line.partition(":")
            words = rest.split()
            if len(words) == 2 and words[1] == "kB":
                found[name] = int(words[0]) * 1024
    return found
