"""Kernels and commands for tests, forked from a process that has imported all they need (see program.py)."""

from __future__ import annotations

import atexit
import functools
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Literal

from tests.nursery.launch import fork

IPYTHON = "ipython"
"""In place of a command of ``spark-jupyter``."""
HERE = Path(__file__).parent


class Nursery:
    """The process that forks them."""

    def __init__(
        self, what: Literal["kernels", "commands", "agents"] = "kernels", *, errors: int | None = None
    ) -> None:
        """``errors``: the file descriptor of where kernels write what is for a terminal."""
        self._folder = tempfile.TemporaryDirectory(prefix="nursery-")
        self.place = str(Path(self._folder.name) / "socket")
        program = [sys.executable, "-P", str(HERE / "program.py"), what, self.place]
        self._process = subprocess.Popen(program, stdin=subprocess.PIPE, stderr=errors)

    @property
    def command(self) -> list[str]:
        """What Jupyter is to start as a kernel: the ``argv`` of a kernelspec."""
        return [*self._launch, "{connection_file}"]

    def spark(self, *arguments: object) -> list[str]:
        """What is to be started for ``spark-jupyter`` with these arguments."""
        self.wait()
        return [*self._launch, *map(str, arguments)]

    def ipython(self, *options: str) -> list[str]:
        """What is to be started for IPython in a terminal, with these options."""
        return self.spark(IPYTHON, *options)

    def script(self, path: Path, *arguments: object) -> list[str]:
        """What is to be started for this file of Python, with these arguments."""
        return self.spark(path, *arguments)

    @property
    def _launch(self) -> list[str]:
        return [sys.executable, "-I", "-S", str(HERE / "launch.py"), self.place]

    def wait(self) -> None:
        """Until it forks kernels."""
        deadline = time.monotonic() + 240
        while not Path(self.place).exists():
            assert time.monotonic() < deadline, "the nursery did not start"
            time.sleep(0.01)

    def start(self, connection_file: str) -> ForkedKernel:
        """A kernel in the environment and the folder of this process."""
        self.wait()
        return ForkedKernel(*fork(self.place, connection_file))

    def close(self) -> None:
        """End it, and its kernels."""
        self._process.communicate(timeout=60)
        self._folder.cleanup()


@functools.cache
def _nursery_of(what: Literal["commands", "agents"]) -> Nursery:
    """One of this process. It ends with the process."""
    made = Nursery(what)
    atexit.register(made.close)
    return made


def commands() -> Nursery:
    """The nursery of this process's commands."""
    return _nursery_of("commands")


def agents() -> Nursery:
    """The nursery of scripts that are agents, by the SDK of the Agent Client Protocol."""
    return _nursery_of("agents")


class ForkedKernel:
    """A kernel from the nursery."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self._connection = connection
        self._pid = pid

    def interrupt(self) -> None:
        os.killpg(self._pid, signal.SIGINT)

    def end(self) -> None:
        """Kill it; it is gone then."""
        self._connection.shutdown(socket.SHUT_WR)
        self._connection.recv(1)
        self._connection.close()
