"""A real Jupyter server with a real kernel on loopback, and a real MCP client of the command ``spark-jupyter mcp``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from jupyter_client import BlockingKernelClient
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, Implementation

from spark_jupyter.agents import agent_client, jupyter_servers, kernel_channel, run_tool
from spark_jupyter.agents.mcp_server import make_server
from tests.servers import end_servers, python_module

START = 240.0
"""Seconds for which a server or a kernel may take to start on a slow machine."""


class Notebook:
    """A notebook with a kernel that has loaded Spark, on a server of its own."""

    def __init__(
        self,
        folder: Path,
        cells: Sequence[str],
        *,
        secret: str = "",
        python: str = sys.executable,
        options: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.path = "work.ipynb"
        self._write(cells)
        self._runtime = Path(tempfile.mkdtemp(prefix="spark-"))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "OPENAI_"))}
        self.environment = {**kept, "JUPYTER_RUNTIME_DIR": str(self._runtime), "HOME": str(folder)}
        self.environment |= {"SPARK_TEST_API_KEY": secret} if secret else {}
        self._process = subprocess.Popen(
            python_module(
                "jupyter_server",
                *options,
                "--ServerApp.port=0",
                f"--ServerApp.root_dir={folder}",
                "--KernelManager.transport=ipc",  # a port that was free may be taken when the kernel comes to it
                "--no-browser",
                "--allow-root",
                python=python,
            ),
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.server = self._wait()
        session = self.call(
            "POST", "sessions", {"path": self.path, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
        )
        self._kernel = BlockingKernelClient(
            connection_file=str(self._runtime / f"kernel-{session['kernel']['id']}.json")
        )
        self._kernel.load_connection_file()
        self._kernel.start_channels()
        self._kernel.kernel_info(reply=True, timeout=START)

    def run(self, code: str) -> None:
        """Run code in the kernel, as a person does."""
        reply = self._kernel.execute(code, reply=True, timeout=START)
        assert reply["content"]["status"] == "ok", reply["content"]

    def value(self, expression: str) -> str:
        """What an expression has as its value in the kernel."""
        reply = self._kernel.execute("", user_expressions={"it": expression}, reply=True, timeout=START)
        return str(reply["content"]["user_expressions"]["it"].get("data", {}).get("text/plain", "missing"))

    def call(self, method: str, path: str, body: object = None) -> Any:
        """An answer of the server's API."""
        request = urllib.request.Request(
            f"{self.server['url']}api/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.server['token']}"},
        )
        with urllib.request.urlopen(request, timeout=START) as answer:
            return json.loads(answer.read() or "null")

    @property
    def saved(self) -> Any:
        """The notebook on disk, validated."""
        notebook = nbformat.read(self.folder / self.path, as_version=4)
        nbformat.validate(notebook)
        return notebook

    def close(self) -> None:
        """End the server with its kernels."""
        self._kernel.stop_channels()
        children = psutil.Process(self._process.pid).children(recursive=True)
        for process in (self._process, *children):
            process.kill()  # a server that is asked to end waits for its kernels, and they for it
        self._process.wait(timeout=START)
        end_servers(self._runtime)

    def _write(self, cells: Sequence[str]) -> None:
        notebook = nbformat.v4.new_notebook()
        for number, source in enumerate(cells, 1):
            # The first cell that the kernel ran loads Spark.
            cell = nbformat.v4.new_code_cell(source, id=f"cell-{number}", execution_count=number + 1)
            notebook.cells.append(cell)
        nbformat.write(notebook, self.folder / self.path)

    def _wait(self) -> dict[str, Any]:
        deadline = time.monotonic() + START
        file = self._runtime / f"jpserver-{self._process.pid}.json"
        while True:
            try:
                self.server = json.loads(file.read_text())
                self.call("GET", "status")
                return self.server
            except (OSError, ValueError):
                assert time.monotonic() < deadline, "the Jupyter server does not start"
                assert self._process.poll() is None, "the Jupyter server has ended"
                time.sleep(0.1)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel and a server may take their time to answer on a busy machine."""
    for module, name in (
        (agent_client, "HELLO"),
        (jupyter_servers, "TIMEOUT"),
        (kernel_channel, "TIMEOUT"),
        (run_tool, "BEGIN"),
    ):
        monkeypatch.setattr(module, name, 120.0)


@pytest.fixture(scope="module")
def open_notebook(tmp_path_factory) -> Iterator[Callable[..., Notebook]]:
    """A notebook with these cells, in a kernel of its own; closed with the module."""
    opened: list[Notebook] = []

    def start(cells: Sequence[str], **options: Any) -> Notebook:
        opened.append(Notebook(tmp_path_factory.mktemp("notebook"), cells, **options))
        return opened[-1]

    yield start
    for notebook in opened:
        notebook.close()


class Agent:
    """An agent's client. Its tools' answers are text."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: object) -> str:
        """The text that a tool answers with; also where it refuses."""
        result = await self.client.call_tool(tool, arguments)
        return "\n".join(part.text for part in result.content if part.type == "text")


Answers = Callable[[str], dict[str, object] | None]
"""What a person answers to a question; None: no."""


@asynccontextmanager
async def agent_of(
    notebook: Notebook, *, person: Answers | None = None, mode: str = "auto", as_command: bool = False
) -> AsyncIterator[Agent]:
    """An agent that works in the notebook. ``person`` answers what its client asks; None: it can't ask. ``as_command``: through the
    command in a process of its own, else through the same server in this one."""

    async def ask(_: object, params: Any) -> ElicitResult:
        content = person(params.message) if person is not None else None
        return ElicitResult(action="decline") if content is None else ElicitResult(action="accept", content=content)

    command = StdioServerParameters(
        command=sys.executable, args=["-m", "spark_jupyter.ui.cli.main", "mcp"], env=notebook.environment
    )
    info = Implementation(name="helper", version="1", title="Helper")
    asking = {} if person is None else {"elicitation_callback": ask}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_RUNTIME_DIR", notebook.environment["JUPYTER_RUNTIME_DIR"])
        server = command if as_command else make_server()
        async with Client(server, client_info=info, mode=mode, **asking) as client:
            yield Agent(client)
