"""Linux namespaces as a second wall, where the system grants them.

In a network and IPC namespace of its own a copy reaches nobody. A user namespace is what an ordinary user needs for the others; some
systems forbid it (several Ubuntu releases, Docker's default), so nothing relies on it. Its privileges are of no use: the system calls that
they would open are refused by the filter.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from spark_jupyter.protocol.values import Permission

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""Made before the fork: in a copy it would copy the memory that it is made in."""
_NEW_IPC, _NEW_USER, _NEW_NET = 0x08000000, 0x10000000, 0x40000000
_FORBIDDEN = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
"""If this file holds 1 (Ubuntu), the namespace is available, but without the user's own number in it."""


def enter(allowed: Collection[Permission]) -> bool:
    """Enter new ones with this process, which has one thread. Whether they were granted; nothing has changed where not."""
    with suppress(OSError):
        if _FORBIDDEN.read_text().strip() == "1":
            return False
    user, group = os.getuid(), os.getgid()
    flags = _NEW_USER | _NEW_IPC | (0 if "network" in allowed else _NEW_NET)
    if _LIBC is None or _LIBC.unshare(flags):
        return False
    with suppress(OSError):  # then the user has no number here, and is the same user all the same
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    return True
