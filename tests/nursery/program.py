"""A process that has imported all that a kernel needs, and forks one wherever a test wants a fresh one: in a tenth of the time.

It is run as a program, with the path of the socket on which it listens. Each connection is one kernel: a line of JSON,
``{"start": connection file, "environment": {…}, "folder": …}``, forks it and is answered with its process id. Where the other side closes
the connection the kernel is killed; where the kernel has ended, the connection is closed here. The nursery ends with its standard input,
and its kernels with it. They are what ``python -m ipykernel_launcher`` would be, but for what is imported already.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

NEEDED = (
    *("ipykernel.zmqshell", "ipywidgets"),
    *("spark_jupyter.fronts.loading", "spark_jupyter.fronts.widget", "spark_jupyter.guardrail.rulebook"),
    *("spark_jupyter.connection.discover", "spark_jupyter.connection.http", "spark_jupyter.connection.websocket"),
)


class Nursery:
    """The kernels that run, by the connection of who asked for each."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._kernels: dict[socket.socket, int] = {}
        self._ended, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker.fileno())
        self._selector = selectors.DefaultSelector()
        for source in (listener, self._ended, sys.stdin):
            self._selector.register(source, selectors.EVENT_READ)

    def serve(self) -> dict[str, Any] | None:
        """Serve until standard input ends. In the new process of a kernel: return what was ordered."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    return None
                if key.fileobj is self._listener:
                    order = self._start()
                    if order is not None:
                        return order
                elif key.fileobj is self._ended:
                    self._ended.recv(4096)
                    self._reap()
                elif key.fileobj in self._kernels:
                    os.kill(self._kernels[key.fileobj], signal.SIGKILL)
                    self._selector.unregister(key.fileobj)  # it is closed when the kernel is gone

    def _start(self) -> dict[str, Any] | None:
        connection, _ = self._listener.accept()
        with connection.makefile() as lines:
            order: dict[str, Any] = json.loads(lines.readline())
        pid = os.fork()
        if pid == 0:
            self._forget()
            connection.close()
            return order
        self._kernels[connection] = pid
        self._selector.register(connection, selectors.EVENT_READ)
        connection.sendall(f"{pid}\n".encode())
        return None

    def _forget(self) -> None:
        """Have nothing of the nursery's in the process of a kernel."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for one in (self._listener, self._ended, self._waker, *self._kernels):
            one.close()

    def _reap(self) -> None:
        gone = {pid for pid in self._kernels.values() if os.waitpid(pid, os.WNOHANG)[0]}
        for connection, pid in list(self._kernels.items()):
            if pid in gone:
                del self._kernels[connection]
                with suppress(KeyError):
                    self._selector.unregister(connection)
                connection.close()


def become(order: dict[str, Any]) -> None:
    """This process is the leader of a session, in the environment and the folder of the test, and has nothing of the nursery's pipes."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    sys.argv = ["ipykernel_launcher", "-f", order["start"]]


def main(place: str) -> None:
    for name in NEEDED:
        importlib.import_module(name)
    from ipykernel.kernelapp import IPKernelApp

    gc.freeze()  # a collection in a kernel would write to all that is shared
    nursery = os.getpid()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place + ".new")
        listener.listen()
        os.rename(place + ".new", place)  # where it is, somebody listens
        order = Nursery(listener).serve()
    if order is not None:
        become(order)
        arguments = ["-f", order["start"], f"--IPKernelApp.parent_handle={nursery}"]
        IPKernelApp.launch_instance(arguments)


if __name__ == "__main__":
    main(sys.argv[1])
