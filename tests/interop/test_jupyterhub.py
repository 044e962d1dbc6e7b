"""A real JupyterHub behind a prefix: three users, a class's model, a policy, websockets through the proxy, restarts."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from spark_jupyter.agents.agent_client import AgentClient
from spark_jupyter.agents.jupyter_servers import JupyterServer, RunningNotebook
from spark_jupyter.agents.kernel_channel import KernelChannel
from spark_jupyter.exceptions import SparkError
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread
from spark_jupyter.server.user_tokens import UserTokens
from tests.interop.conftest import ROOT, _needs, free_port
from tests.server.sockets import get
from tests.test_policy import write

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]
HUB = ROOT / ".interop" / "hub-venv"
PROXY = ROOT / ".interop" / "node_modules" / ".bin" / "configurable-http-proxy"
START = 240.0
ADMIN = "an-admin-token-of-this-test"
CONFIG = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}/lab/"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r}
c.Spawner.args = ["--allow-root"]
c.Spawner.environment = {environment!r}
c.JupyterHub.services = [{{"name": "tests", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [
    {{"name": "tests", "services": ["tests"], "scopes": ["admin:users", "admin:servers", "tokens", "access:servers"]}}
]
"""


class Hub:
    """A hub with its users' servers."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.port = free_port()
        config = folder / "jupyterhub_config.py"
        ports = {"port": self.port, "hub": free_port(), "api": free_port()}
        homes = str(folder / "homes" / "{username}")
        config.write_text(CONFIG.format(**ports, proxy=str(PROXY), homes=homes, environment=environment, token=ADMIN))
        path = f"{HUB / 'bin'}{os.pathsep}{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "JUPYTER", "IPY"))}
        self._process = subprocess.Popen(
            [HUB / "bin" / "jupyterhub", "--config", config],
            cwd=folder,
            env={**kept, "PATH": path},
            stdout=(folder / "hub.log").open("wb"),
            stderr=subprocess.STDOUT,
        )
        self.log = folder / "hub.log"
        self.until(lambda: self.call("GET", "hub/api/users") == [])

    def call(self, method: str, path: str, body: object = None, *, token: str = ADMIN) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/lab/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=START) as answer:
            return json.loads(answer.read() or "null")

    def until(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + START
        while True:
            try:
                if condition():
                    return
            except (OSError, ValueError):
                pass  # it does not answer yet
            assert time.monotonic() < deadline, self.log.read_text()[-3000:]
            assert self._process.poll() is None, self.log.read_text()[-3000:]
            time.sleep(0.2)

    def start(self, user: str) -> None:
        """Start a user's server."""
        self.call("POST", f"hub/api/users/{user}/server")
        self.until(lambda: self.call("GET", f"hub/api/users/{user}")["servers"].get("", {}).get("ready"))

    def stop(self, user: str) -> None:
        """Stop it, as culling does."""
        self.call("DELETE", f"hub/api/users/{user}/server")
        self.until(lambda: not self.call("GET", f"hub/api/users/{user}")["servers"])

    def server(self, user: str) -> JupyterServer:
        """A user's server, by a token of their own."""
        token = self.call("POST", f"hub/api/users/{user}/tokens", {})["token"]
        return JupyterServer(f"http://127.0.0.1:{self.port}/lab/user/{user}/", token)

    def close(self) -> None:
        """End the hub with its servers, kernels and proxy, which have sessions of their own."""
        started = psutil.Process(self._process.pid).children(recursive=True)
        for process in (self._process, *started):
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        for process in psutil.wait_procs(started, timeout=60)[1]:
            process.kill()
        self._process.wait(timeout=60)


async def running(server: JupyterServer, path: str = "work.ipynb") -> RunningNotebook:
    body = {"path": path, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
    session = await server.call("POST", "sessions", body)
    return RunningNotebook(server, path, session["kernel"]["id"], "idle")


async def execute(notebook: RunningNotebook, code: str) -> str:
    """What a cell prints, over a websocket through the hub's proxy."""
    channel = await KernelChannel.open(notebook.server, notebook.kernel_id)
    printed: list[str] = []
    idle = asyncio.Event()

    def listen(message: dict[str, Any]) -> None:
        printed.append(message["content"].get("text", ""))
        if (
            message["content"].get("execution_state") == "idle"
            and message["parent_header"].get("msg_type") == "execute_request"
        ):
            idle.set()  # behind all that the cell printed

    channel.listen(listen)
    try:
        done = await channel.request("shell", "execute_request", {"code": code, "silent": False}, timeout=START)
        assert done is not None, "the kernel does not answer"
        await asyncio.wait_for(idle.wait(), START)
    finally:
        await channel.close()
    return "".join(printed)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    for program in (HUB / "bin" / "jupyterhub", PROXY):
        _needs(program)
    folder = tmp_path_factory.mktemp("hub")
    [site] = (HUB / "lib").glob("python*/site-packages")
    (site / "spark_jupyter_tests.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    write(folder / "config", 'decided_by = "Physics IT"\nimages = false\nauto_run = false\nmodels = ["script"]\n')
    (folder / "config" / "jupyter_server_config.json").write_text(
        json.dumps({"ServerApp": {"jpserver_extensions": {"spark_jupyter.serverextension": True}}})
    )
    with ExitStack() as stack:
        script = ScriptEngine(
            {"models": ["script"], "answers": [{"answer": "```python\nx = 1\n```\n", "repeat": True}]}
        )
        model = stack.enter_context(serve_in_thread(engine=script))
        environment = {
            "SPARK_BASE_URL": model.url,
            "SPARK_API_KEY": model.token,
            "SPARK_MODEL": "script",
            "JUPYTER_CONFIG_PATH": str(folder / "config"),
        }
        started = Hub(folder, environment)
        stack.callback(started.close)
        for user in ("ada", "bert", "cleo"):
            started.call("POST", f"hub/api/users/{user}", {})
            started.start(user)
        yield started


def each(hub: Hub, work: Callable[[str, RunningNotebook], Awaitable[None]]) -> None:
    """Work for all users at once, each in a notebook of their own."""

    async def all_at_once() -> None:
        users = ("ada", "bert", "cleo")
        notebooks = await asyncio.gather(*(running(hub.server(user)) for user in users))
        await asyncio.gather(*map(work, users, notebooks))

    asyncio.run(all_at_once())


def test_three_users_prompt_at_once_and_the_policy_holds_for_each(hub: Hub) -> None:
    async def work(user: str, notebook: RunningNotebook) -> None:
        assert "script" in await execute(notebook, "%load_ext spark_jupyter\n%spark model")
        said = await execute(notebook, "%spark --wait add\n%spark status")
        assert "turn 1: completed" in said
        assert "policy: not allowed: auto-run, images; models: script (Physics IT" in said
        refused = await execute(notebook, "%spark images on")
        assert "not allowed by Physics IT" in refused
        client = await AgentClient.attach(notebook, "Helper")
        assert set(client.view.hello.policy.off) == {"auto_run", "images"}
        await client.close()

    each(hub, work)


def test_a_key_of_the_class_is_shown_nowhere(hub: Hub) -> None:
    async def work(user: str, notebook: RunningNotebook) -> None:
        key = (await execute(notebook, "import os; print(os.environ['SPARK_API_KEY'])")).strip()
        said = await execute(notebook, "%load_ext spark_jupyter\n%spark status\n%spark provider\n%spark forget-key")
        assert key
        assert key not in said

    each(hub, work)


def test_a_model_server_takes_the_token_that_a_users_server_has_from_the_hub(hub: Hub) -> None:
    users = UserTokens(hub=f"http://127.0.0.1:{hub.port}/lab/hub/api")
    tokens: list[str] = []

    async def work(user: str, notebook: RunningNotebook) -> None:
        tokens.append((await execute(notebook, "import os; print(os.environ['JUPYTERHUB_API_TOKEN'])")).strip())

    each(hub, work)
    with serve_in_thread(engine=ScriptEngine({"models": ["script"], "answers": []}), users=users) as info:
        statuses = [get(info, "/v1/models", {"Authorization": f"Bearer {token}"})[0] for token in (*tokens, "x" * 32)]
    assert statuses == [200, 200, 200, 401]


def test_nobody_reaches_the_kernel_of_another(hub: Hub) -> None:
    async def reach() -> None:
        own, other = hub.server("ada"), hub.server("bert")
        notebook = await running(other)
        with pytest.raises(SparkError):
            await AgentClient.attach(
                RunningNotebook(JupyterServer(other.url, own.token), "work.ipynb", notebook.kernel_id, ""), "Helper"
            )

    asyncio.run(reach())


def test_it_goes_on_after_the_kernel_and_the_server_were_restarted(hub: Hub) -> None:
    async def before() -> None:
        notebook = await running(hub.server("cleo"), "own.ipynb")
        await execute(notebook, "%load_ext spark_jupyter\n%spark --wait remember me")
        await notebook.server.call("POST", f"kernels/{notebook.kernel_id}/restart")
        said = await execute(notebook, "%load_ext spark_jupyter\n%spark conversations")
        assert "remember me" in said

    async def after() -> None:
        notebook = await running(hub.server("cleo"), "own.ipynb")
        said = await execute(
            notebook, "%load_ext spark_jupyter\n%spark conversations\n%spark --wait add one more\n%spark status"
        )
        assert "remember me" in said
        assert "completed" in said

    asyncio.run(before())
    hub.stop("cleo")
    hub.start("cleo")
    asyncio.run(after())
    with pytest.raises(urllib.error.HTTPError):  # a token of nobody
        hub.call("GET", "user/cleo/api/kernels", token="none")
