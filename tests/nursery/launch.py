"""What Jupyter starts as a kernel: it has the nursery fork one, passes signals on to it, and ends with it, as it with this.

It is run as a program, with the path of the nursery's socket and a connection file. It imports little: it is to start at once.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress


def fork(place: str, connection_file: str) -> tuple[socket.socket, int]:
    """A kernel in the environment and the folder of this process: the connection that it lives with, and its process id."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(place)
    order = {"start": connection_file, "environment": dict(os.environ), "folder": os.getcwd()}
    connection.sendall(json.dumps(order).encode() + b"\n")
    return connection, int(connection.recv(32))


def main(place: str, connection_file: str) -> None:
    connection, pid = fork(place, connection_file)

    def pass_on(number: int, _: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(pid, number)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, pass_on)
    connection.recv(1)  # nothing comes: it is closed


if __name__ == "__main__":
    main(*sys.argv[1:])
