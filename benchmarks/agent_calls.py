"""Latency that an agent's tool call adds to the work itself.

    python benchmarks/agent_calls.py [--json] [--repeat 40]

A real Jupyter server with a real kernel, and the SDK's client of ``spark-jupyter mcp`` over stdio. The calls do next to no work of their
own (a number is described, a line is checked, three cells are read), so what they take beside ``direct`` is what is added: that is an
empty ``execute_request`` through the same server, the way of a client that does without Spark. ``kernel`` is a question and its answer.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from spark_jupyter.agents.agent_client import AgentClient
from spark_jupyter.agents.jupyter_servers import running_notebooks
from tests.agents.conftest import Notebook

BAR = 20.0
"""Milliseconds."""
CALLS: dict[str, dict[str, object]] = {
    "inspect": {"name": "x"},
    "check": {"code": "x + 1"},
    "kernel_variables": {},
    "read_notebook": {},
}


async def timed(call: Callable[[], Awaitable[Any]], repeat: int) -> list[float]:
    """Milliseconds of each of so many calls, after three that are not counted."""
    times = []
    for _ in range(repeat + 3):
        began = time.perf_counter()
        await call()
        times.append((time.perf_counter() - began) * 1000)
    return times[3:]


async def measure(notebook: Notebook, repeat: int) -> dict[str, dict[str, float]]:
    """The figures by tool."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "spark_jupyter.ui.cli.main", "mcp"], env=notebook.environment
    )
    figures = {}
    async with Client(command) as client:
        for tool, arguments in CALLS.items():
            times = await timed(functools.partial(client.call_tool, tool, arguments), repeat)
            figures[tool] = {"median": statistics.median(times), "p95": statistics.quantiles(times, n=20)[-1]}
    os.environ["JUPYTER_RUNTIME_DIR"] = notebook.environment["JUPYTER_RUNTIME_DIR"]
    agent = await AgentClient.attach((await running_notebooks())[0], "Bench")
    try:
        content = {"code": "", "silent": True, "store_history": False, "allow_stdin": False, "user_expressions": {}}
        ways: dict[str, Callable[[], Awaitable[Any]]] = {
            "kernel": lambda: agent.ask("inspect", "x"),
            "direct": lambda: agent.channel.request("shell", "execute_request", content, timeout=60),
        }
        for name, way in ways.items():
            figures[name] = {"median": statistics.median(await timed(way, repeat))}
    finally:
        await agent.close()
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeat", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        notebook = Notebook(Path(folder), ("x = 1", "y = 2", "print(x + y)"))
        try:
            notebook.run("%load_ext spark_jupyter")
            notebook.run("x = 1")
            figures = asyncio.run(measure(notebook, options.repeat))
        finally:
            notebook.close()
    if options.json:
        print(json.dumps(figures))
        return
    kernel, direct = (figures.pop(name)["median"] for name in ("kernel", "direct"))
    for tool, one in figures.items():
        added = one["median"] - direct
        said = "" if added <= BAR else f"  above the bar of {BAR:.0f} ms"
        print(
            f"{tool:18} median {one['median']:6.1f} ms  p95 {one['p95']:6.1f} ms  added {added:6.1f} ms"
            f"  {one['median'] / direct:4.1f} times direct{said}"
        )
    print(f"{'kernel':18} median {kernel:6.1f} ms\n{'direct':18} median {direct:6.1f} ms")


if __name__ == "__main__":
    main()
