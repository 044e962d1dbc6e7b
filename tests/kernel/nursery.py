"""A process that has imported all that a kernel needs, and forks one wherever a test wants a fresh one: in a tenth of the time.

It is run as a program. Each line that it reads is an order in JSON: ``{"start": connection file, "environment": {…}, "folder": …}`` forks
a kernel and is answered with its process id, ``{"end": id}`` kills one and is answered when it is gone. It ends with its standard input,
and its kernels with it. The kernels are what ``python -m ipykernel_launcher`` would be, but for what is imported already.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import sys
from typing import Any

NEEDED = (
    *("ipykernel.zmqshell", "ipywidgets"),
    *("spark_jupyter.fronts.loading", "spark_jupyter.fronts.widget", "spark_jupyter.guardrail.rulebook"),
    *("spark_jupyter.connection.discover", "spark_jupyter.connection.http", "spark_jupyter.connection.websocket"),
)


def main() -> None:
    from ipykernel.kernelapp import IPKernelApp

    for name in NEEDED:
        importlib.import_module(name)
    gc.freeze()  # a collection in a kernel would write to all that is shared
    while line := sys.stdin.readline():
        order: dict[str, Any] = json.loads(line)
        if "end" in order:
            os.kill(order["end"], signal.SIGKILL)
            os.waitpid(order["end"], 0)
            print("ended", flush=True)
        elif pid := os.fork():
            print(pid, flush=True)
        else:
            nursery = os.getppid()
            become(order)
            arguments = ["-f", order["start"], f"--IPKernelApp.parent_handle={nursery}"]
            return IPKernelApp.launch_instance(arguments)  # type: ignore[no-any-return]


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


if __name__ == "__main__":
    main()
