"""User at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
from asyncio.trsock import TransportSocket


def is_own_peer(link: socket.socket | TransportSocket) -> bool:
    """True if this user is at the other end, as far as the system says who is. The owner of a socket's file may be another one by the time
    that it is connected to."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the socket's mode and its folder's keep others out
    _, user, _ = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return bool(user == os.getuid())
