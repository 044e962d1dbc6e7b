"""Launcher of a process: a nursery forks it, signals are passed on to it, and its end is this program's.

It is run as a program, with the path of the nursery's socket and what the nursery is to begin: a connection file, or the arguments of a
command. It imports little: it is to start at once.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress

PASSED_ON = (signal.SIGINT, signal.SIGTERM)


def fork(place: str, *arguments: str, streams: tuple[int, ...] = ()) -> tuple[socket.socket, int]:
    """A process in the environment and the folder of this one, with its standard ``streams``: the connection that it lives with, and its
    process id."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(place)
    order = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}
    line = json.dumps(order).encode() + b"\n"
    sent = socket.send_fds(connection, [line], list(streams))
    connection.sendall(line[sent:])
    return connection, number(connection)


def number(connection: socket.socket) -> int:
    """The next line, which is a number; 0 where there is none. No more is read: where a process ends at once its status has come, too."""
    line = b""
    while not line.endswith(b"\n") and (read := connection.recv(1)):
        line += read
    return int(line or 0)


def main(place: str, *arguments: str) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)  # until it is known to whom
    connection, pid = fork(place, *arguments, streams=(0, 1, 2))

    def pass_on(number: int, _: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(pid, number)

    for one in PASSED_ON:
        signal.signal(one, pass_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    status = number(connection)
    if status < 0:
        with suppress(OSError):  # SIGKILL is as it is
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
