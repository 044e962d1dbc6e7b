"""A process that has imported all that a kernel or a command needs, and forks one where a test wants a fresh one: in a tenth of the time.

It is run as a program, with what it is for ("kernels", "commands", "agents") and the path of the socket on which it listens. Each
connection is one process: a line of JSON, ``{"arguments": […], "environment": {…}, "folder": …}``, and with it the standard streams of a
command, forks it and is answered with its process id. Where the other side closes the connection the process is killed; where the process
has ended, its status is told and the connection closed. The nursery ends with its standard input, and its processes with it. They are what
``python -m ipykernel_launcher``, ``spark-jupyter`` and ``ipython`` would be, but for what is imported already.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

CONNECTIONS = (
    *(
        "anyio._backends._asyncio",
        "httpcore",
        "spark_jupyter.connection.websocket_pool",
        "spark_jupyter.connection.request_priority",
    ),
    "spark_jupyter.connection.discovery",
    "spark_jupyter.connection.http_connection",
    "spark_jupyter.connection.websocket",
)
NEEDED = {
    "kernels": (
        *("ipykernel.kernelapp", "ipykernel.zmqshell", "ipykernel.debugger", "ipywidgets", "tornado.platform.asyncio"),
        *(
            "spark_jupyter.ui.ipython_extension",
            "spark_jupyter.ui.magics.verbs",
            "spark_jupyter.ui.magics.magic_settings",
            "spark_jupyter.ui.widget",
            "spark_jupyter.guardrail.rulebook",
        ),
        *(
            "spark_jupyter.sandbox.copy.copy_main",
            "spark_jupyter.sandbox.forking",
            "spark_jupyter.sandbox.surprises.figure_capture",
        ),
        *(
            "spark_jupyter.sandbox.walls.resource_limits",
            "spark_jupyter.sandbox.checkpoints.checkpoint_process",
            "spark_jupyter.reality",
            "seccompy",
            "landlockpy",
        ),
        *(
            "spark_jupyter.sandbox.refinement_runner",
            "spark_jupyter.session.deep.escalation",
            "spark_jupyter.redaction.namespace_secrets",
        ),
        *CONNECTIONS,
    ),
    "commands": (
        *("spark_jupyter.ui.cli.main", "spark_jupyter.ui.cli.ask", "spark_jupyter.ui.cli.check"),
        *("spark_jupyter.ui.cli.review", "spark_jupyter.ui.cli.doctor", "spark_jupyter.ui.cli.notebook_runner"),
        *(
            "spark_jupyter.ui.cli.bench.bench_command",
            "spark_jupyter.sandbox.notebook_trials",
            "spark_jupyter.sandbox.restart_check",
        ),
        *(
            "spark_jupyter.review.notebook_review",
            "spark_jupyter.guardrail.rulebook",
            "spark_jupyter.session.deep.escalation",
        ),
        *(
            "spark_jupyter.sandbox.starting_state",
            "spark_jupyter.ui.ipython_extension",
            "spark_jupyter.ui.magics.verbs",
            "spark_jupyter.ui.magics.magic_settings",
            "IPython.terminal.ipapp",
            "fastjsonschema",
            "seccompy",
            "landlockpy",
        ),
        *CONNECTIONS,
    ),
    "agents": ("acp", "acp.helpers", "acp.schema"),
}


class Nursery:
    """The processes that run, by the connection of who asked for each."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._running: dict[socket.socket, int] = {}
        self._ended, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker.fileno())
        self._selector = selectors.DefaultSelector()
        for source in (listener, self._ended, sys.stdin):
            self._selector.register(source, selectors.EVENT_READ)

    def serve(self) -> dict[str, Any] | None:
        """Serve until standard input ends. In the new process: return what was ordered."""
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
                elif key.fileobj in self._running:
                    os.kill(self._running[key.fileobj], signal.SIGKILL)
                    self._selector.unregister(key.fileobj)  # it is closed when the process is gone

    def _start(self) -> dict[str, Any] | None:
        connection, _ = self._listener.accept()
        line, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
        while not line.endswith(b"\n"):
            line += connection.recv(1 << 16)
        pid = os.fork()
        if pid == 0:
            self._forget()
            os.setsid()
            connection.sendall(f"{os.getpid()}\n".encode())  # from here on signals for its group reach it
            connection.close()
            return {**json.loads(line), "streams": streams}
        for stream in streams:
            os.close(stream)
        self._running[connection] = pid
        self._selector.register(connection, selectors.EVENT_READ)
        return None

    def _forget(self) -> None:
        """Have nothing of the nursery's in a new process."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for one in (self._listener, self._ended, self._waker, *self._running):
            one.close()

    def _reap(self) -> None:
        for connection, pid in list(self._running.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._running[connection]
                with suppress(KeyError):
                    self._selector.unregister(connection)
                with suppress(OSError):  # nobody waits for it any more
                    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
                connection.close()


def become(order: dict[str, Any]) -> None:
    """This process is in the environment and the folder of the test, and has nothing of the nursery's pipes."""
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    tempfile.tempdir = None
    if "JITTER" in os.environ:  # make test-races
        sys.path.insert(0, str(Path(__file__).parents[2]))
        from tests.jitter import begin

        del sys.path[0]
        begin(os.environ["PYTEST_CURRENT_TEST"])


def run_kernel(connection_file: str, *options: str, nursery: int) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.argv = ["ipykernel_launcher", "-f", connection_file]
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(["-f", connection_file, f"--IPKernelApp.parent_handle={nursery}", *options])
    end(0)


def end(status: int) -> None:
    """End as a process does, but for taking apart all that was imported: of memory that is shared, that takes as long as the start."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def take(streams: list[int]) -> None:
    """Have the standard streams of who started this process."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)


def run_script(arguments: list[str]) -> None:
    sys.argv = arguments
    sys.path.insert(0, str(Path(arguments[0]).parent))
    runpy.run_path(arguments[0], run_name="__main__")
    end(0)


def run_command(arguments: list[str]) -> None:
    if arguments[0] == "ipython":
        from IPython import start_ipython

        start_ipython(arguments[1:])
        end(0)
    from spark_jupyter.ui.cli.main import main

    try:
        main(arguments, prog_name="spark-jupyter")
    except SystemExit as ended:
        if not isinstance(ended.code, int):
            raise
        end(ended.code)


def use_what_is_loaded_late() -> None:
    """The linters read their plugins at first use: a third of what a kernel takes to the end of its first turn."""
    from spark_jupyter.review.linters import bandit, detect_secrets

    bandit("x = 1\n")
    detect_secrets("x = 1\n")


def main(what: str, place: str) -> None:
    for name in NEEDED[what]:
        importlib.import_module(name)
    if what == "kernels":
        use_what_is_loaded_late()
    gc.freeze()  # a collection in a new process would write to all that is shared
    nursery = os.getpid()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place + ".new")
        listener.listen()
        os.rename(place + ".new", place)  # where it is, somebody listens
        order = Nursery(listener).serve()
    if order is not None:
        become(order)
        if what == "kernels":
            run_kernel(*order["arguments"], nursery=nursery)
        else:
            take(order["streams"])
            (run_script if what == "agents" else run_command)(order["arguments"])


if __name__ == "__main__":
    main(*sys.argv[1:])
