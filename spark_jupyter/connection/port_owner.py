"""Owner of a listening port on this machine.

A server of another user is not offered by itself.
"""

from __future__ import annotations

import os
from pathlib import Path

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTENS = "0A"


def is_ours(port: int) -> bool:
    """True if all that listens on this TCP port belongs to this user. False where the system does not say (only Linux does)."""
    owners = {owner for table in _TABLES for owner in listeners(_read(table), port)}
    return bool(owners) and owners == {os.getuid()}


def listeners(table: str, port: int) -> set[int]:
    """The users whose sockets listen on a port, by a table like ``/proc/net/tcp`` (proc_net_tcp.rst of the kernel's documentation): its
    second field is the local address, the fourth the state, the eighth the user."""
    rows = [line.split() for line in table.splitlines()[1:]]
    return {int(row[7]) for row in rows if row[3] == _LISTENS and int(row[1].rpartition(":")[2], 16) == port}


def _read(table: str) -> str:
    try:
        return Path(table).read_text(encoding="ascii")
    except OSError:
        return ""  # another system, or no IPv6
