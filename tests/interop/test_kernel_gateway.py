"""Kernels on another machine: a Jupyter server whose kernels a kernel gateway runs, in a second process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from spark_jupyter.agents.agent_client import AgentClient
from spark_jupyter.agents.jupyter_servers import JupyterServer
from spark_jupyter.line_proxy import NO_LINE
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread
from tests.interop.conftest import ROOT, _end, _needs, _run, _wait_for, free_port
from tests.interop.test_jupyterhub import execute, running

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]
GATEWAY = ROOT / ".interop" / "gateway-venv" / "bin" / "jupyter-kernelgateway"
TOKEN = "a-token-of-this-test"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A Jupyter server with Spark's extension, and no kernel of its own."""
    _needs(GATEWAY)
    folder = tmp_path_factory.mktemp("gateway")
    kernel = folder / "there" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}))
    with ExitStack() as stack:
        answers = [{"answer": "```python\nx = 1\n```\n", "repeat": True}]
        model = stack.enter_context(serve_in_thread(engine=ScriptEngine({"models": ["script"], "answers": answers})))
        there = _start(
            stack,
            [str(GATEWAY), "--KernelGatewayApp.ip=127.0.0.1", "--KernelGatewayApp.list_kernels=True"],
            "KernelGatewayApp",
            "api/kernelspecs",
            folder / "there",
            SPARK_BASE_URL=model.url,
            SPARK_API_KEY=model.token,
            SPARK_MODEL="script",
        )
        extension = "--ServerApp.jpserver_extensions={'spark_jupyter.serverextension': True}"
        command = [
            sys.executable,
            "-m",
            "jupyter_server",
            "--allow-root",
            f"--IdentityProvider.token={TOKEN}",
            extension,
        ]
        here = _start(
            stack,
            [*command, "--no-browser", f"--gateway-url={there}", f"--ServerApp.root_dir={folder}"],
            "ServerApp",
            "api/status",
            folder / "here",
        )
        yield JupyterServer(here, TOKEN)


def _start(stack: ExitStack, command: list[str], app: str, path: str, folder: Path, **environment: str) -> str:
    """Start a server with files of its own; its address, when it answers."""
    folder.mkdir(exist_ok=True)
    port = free_port()
    places = {f"JUPYTER_{what}": str(folder / what.lower()) for what in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")}
    places |= {"JUPYTER_PATH": str(folder), "IPYTHONDIR": str(folder / "ipython")}
    process: subprocess.Popen[bytes] = _run(
        [*command, f"--{app}.port={port}", f"--{app}.port_retries=0"], folder / "log", {**places, **environment}
    )
    stack.callback(_end, process)
    _wait_for(f"http://127.0.0.1:{port}/{path}", process, folder / "log")
    return f"http://127.0.0.1:{port}/"


def test_prompts_agents_and_a_restart_work_with_a_kernel_elsewhere(server: JupyterServer) -> None:
    async def work() -> None:
        notebook = await running(server)
        said = await execute(notebook, "%load_ext spark_jupyter\n%spark --wait add\n%spark status")
        assert "turn 1: completed" in said
        client = await AgentClient.attach(notebook, "Helper")
        assert [turn.outcome for turn in client.view.turns.values()] == ["completed"]
        await client.close()
        await server.call("POST", f"kernels/{notebook.kernel_id}/restart")
        assert "turn 1: completed" in await execute(
            notebook, "%load_ext spark_jupyter\n%spark --wait add\n%spark status"
        )

    asyncio.run(work())


def test_the_short_way_to_the_kernel_ends_with_a_code_that_says_there_is_none(server: JupyterServer) -> None:
    """Suggestions then go by the comms, as everything else does."""
    notebook = asyncio.run(running(server, "other.ipynb"))
    address = server.url.replace("http", "ws", 1) + f"spark/line/{notebook.kernel_id}"
    with (
        connect(address, additional_headers={"Authorization": f"token {TOKEN}"}) as line,
        pytest.raises(ConnectionClosed) as closed,
    ):
        line.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == NO_LINE
