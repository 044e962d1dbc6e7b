"""OpenCode and jupyter-server-mcp with the agents' tools in a live notebook."""

from __future__ import annotations

import ast
import asyncio
import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from mcp import Client
from websockets.sync.client import connect

from spark_jupyter.protocol.notebook import content_hash
from tests.agents.conftest import START, agent_of, open_notebook
from tests.interop.conftest import OPENCODE, ROOT, _needs, free_port

__all__ = ["open_notebook"]
pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]
JUPYTER_SERVER_MCP = ROOT / ".interop" / "jupyter-server-mcp-venv" / "bin" / "python"
JUPYTER_AI = ROOT / ".interop" / "jupyter-ai-venv" / "bin" / "python"
SERVER = (sys.executable, "-m", "spark_jupyter.ui.cli.main", "mcp")
CELLS = (
    "import pandas as pd\nsales = pd.DataFrame({'region': ['north', 'south', 'north'], 'price': ['4.5', '2', None]})",
    "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n    return total / len(values)",
    "mean([1, 2, 6])",
    "print(sales.prize)",
)
Step = tuple[str, dict[str, object]] | str
"""A call of a tool, or the last word."""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    opened = open_notebook(CELLS)
    opened.run("%load_ext spark_jupyter")
    for source in CELLS[:3]:
        opened.run(source)
    return opened


class ScriptedModel(BaseHTTPRequestHandler):
    """Chat Completions of a model that says what a script has for the number of tool results so far."""

    script: tuple[Step, ...] = ()
    seen: tuple[str, ...] = ()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = [one["content"] for one in body["messages"] if one["role"] == "tool"]
        step: Step = "Agreed." if not body.get("tools") else type(self).script[len(results)]
        if body.get("tools"):
            type(self).seen = tuple(map(str, results))
        if isinstance(step, str):
            delta, reason = {"role": "assistant", "content": step}, "stop"
        else:
            named = (tool["function"]["name"] for tool in body["tools"])
            name = next(
                one for one in named if one.endswith(f"spark_{step[0]}")
            )  # an agent puts its server's name before it
            call = {"name": name, "arguments": json.dumps(step[1])}
            tools = [{"index": 0, "id": f"call_{len(results)}", "type": "function", "function": call}]
            delta, reason = {"role": "assistant", "tool_calls": tools}, "tool_calls"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for choice in ({"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": reason}):
            chunk = {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "scripted",
                "choices": [choice],
            }
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def scripted_model(*script: Step) -> Iterator[tuple[str, type[ScriptedModel]]]:
    handler = type("Scripted", (ScriptedModel,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", handler
    finally:
        server.shutdown()
        server.server_close()


def opencode_config(url: str) -> dict[str, object]:
    """OpenCode's settings for the scripted model there."""
    provider = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": url, "apiKey": "none"}}
    return {
        "provider": {"script": {**provider, "models": {"scripted": {"tool_call": True}}}},
        "model": "script/scripted",
        "small_model": "script/scripted",
        "autoupdate": False,
        "share": "disabled",
    }


def run_opencode(notebook, folder: Path, *script: Step) -> tuple[str, ...]:
    """What the tools answered OpenCode while its model followed the script."""
    with scripted_model(*script) as (url, model):
        server = {"spark": {"type": "local", "command": [*SERVER], "enabled": True, "timeout": 60_000}}
        (folder / "opencode.json").write_text(json.dumps({**opencode_config(url), "mcp": server}))
        environment = {**notebook.environment, "HOME": str(folder), "OPENCODE_DISABLE_MODELS_FETCH": "1"}
        environment = {name: value for name, value in environment.items() if not name.startswith("XDG_")}
        environment["PWD"] = str(folder)  # OpenCode looks for its settings there
        done = subprocess.run(
            [OPENCODE, "run", "Do the task."],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,  # it would read more of its prompt there
            capture_output=True,
            text=True,
            timeout=240,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    return model.seen


def insert(source: str, after: str) -> dict[str, object]:
    return {"summary": "The task.", "changes": [{"action": "insert", "source": source, "after": after}]}


def edit(number: int, source: str) -> dict[str, object]:
    change = {"action": "edit", "cell_id": f"cell-{number}", "hash": content_hash(CELLS[number - 1]), "source": source}
    return {"summary": "The task.", "changes": [change]}


TASKS: dict[str, tuple[Step, ...]] = {
    "clean": (
        ("read_notebook", {"detail": "full"}),
        ("kernel_variables", {}),
        ("propose", insert("sales['price'] = sales['price'].astype(float)\nsales = sales.dropna()", "cell-1")),
    ),
    "plot": (
        ("try_code", {"code": "sales['price'].astype(float).plot.bar()"}),
        ("propose", insert("sales['price'].astype(float).plot.bar()", "cell-1")),
    ),
    "fix": (
        ("check", {"code": CELLS[3]}),
        ("propose", edit(4, "print(sales.price)")),
    ),
    "refactor": (
        ("propose", edit(2, "def mean(values):\n    return sum(values) / len(values)")),
        ("prove", {"cell_id": "cell-2"}),
    ),
    "tests": (
        ("inspect", {"name": "mean"}),
        ("propose", insert("assert mean([1, 2, 6]) == 3\nassert mean([5]) == 5", "cell-3")),
    ),
}


def test_opencode_does_five_tasks_with_a_scripted_model(notebook, tmp_path):
    _needs(OPENCODE)
    before = notebook.saved
    answers = iter(run_opencode(notebook, tmp_path, *itertools.chain(*TASKS.values()), "Done."))
    told = {task: tuple(itertools.islice(answers, len(steps))) for task, steps in TASKS.items()}
    assert "prize" in told["fix"][0]
    assert all("not accepted yet" in said[-1] for said in told.values()), told

    async def stands() -> str:
        async with agent_of(notebook) as agent:
            return await agent("proposals")

    assert asyncio.run(stands()).count("not accepted yet") == len(TASKS)
    assert notebook.saved == before


@pytest.mark.parametrize("python", [JUPYTER_SERVER_MCP, JUPYTER_AI], ids=["alone", "jupyter-ai"])
def test_jupyter_server_mcp_has_the_tools_in_jupyter_server(open_notebook, python):
    _needs(python)
    opened = open_notebook(("rows = [1, 2, 3]",), python=str(python), options=("--MCPExtensionApp.mcp_port=0",))
    magics = "sorted(name for kind in get_ipython().magics_manager.magics.values() for name in kind)"
    before = ast.literal_eval(opened.value(magics))
    opened.run("%load_ext spark_jupyter")
    assert set(before).isdisjoint({"spark"})
    assert set(before) < set(ast.literal_eval(opened.value(magics)))
    opened.run("rows = [1, 2, 3]")
    runtime = Path(opened.environment["JUPYTER_RUNTIME_DIR"])
    deadline = time.monotonic() + START
    while not (found := list(runtime.glob("jpserver-mcp-*.json"))):
        assert time.monotonic() < deadline, "jupyter-server-mcp does not start"
        time.sleep(0.1)
    info = json.loads(found[0].read_text())

    async def work() -> None:
        async with Client(info["url"]) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert {"spark_read_notebook", "spark_try_code", "spark_propose", "spark_run"} <= tools
            read = await client.call_tool("spark_read_notebook", {"detail": "full"})
            assert "rows = [1, 2, 3]" in read.content[0].text
            tried = await client.call_tool("spark_try_code", {"code": "print(len(rows) * 14)"})
            assert "42" in tried.content[0].text
            said = await client.call_tool("spark_propose", insert("count = len(rows)", "cell-1"))
            assert "not accepted yet" in said.content[0].text

    asyncio.run(work())


PERSONA = """\
from jupyter_ai_acp_client.base_acp_persona import BaseAcpPersona
from jupyter_ai_persona_manager import PersonaDefaults

class ScriptedPersona(BaseAcpPersona):
    id = "scripted"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, executable=[{!r}, "acp"], **kwargs)

    @property
    def defaults(self):
        return PersonaDefaults(name="Scripted", description="", avatar_path="", system_prompt="")

    async def is_authed(self):
        return True
"""
"""OpenCode as jupyter-ai's own persona has it, without the look at its version, for which that waits five seconds."""


def said_in_chat(url: str, token: str) -> str:
    """The last word of a persona that was asked to do the task in jupyter-ai's chat."""
    with connect(f"{url.replace('http', 'ws', 1)}api/chat/ws/work.chat?token={token}") as chat:
        said = ""
        while "Done." not in said:
            event = json.loads(chat.recv(timeout=START))
            if "scripted" in event.get("users", {}) and not said:
                said = "…"
                task = {"id": "m1", "body": "Do the task.", "metadata": {"to_persona": "scripted"}}
                chat.send(json.dumps({"type": "client", "action": "send", **task}))
            if event["action"] == "message" and event["message"]["sender"] == "scripted":
                said = event["message"]["body"]
        return said


def test_a_persona_in_jupyter_ais_chat_works_with_the_tools(open_notebook, tmp_path, monkeypatch):
    _needs(JUPYTER_AI)
    _needs(OPENCODE)
    steps = (
        ("read_notebook", {"detail": "full"}),
        ("try_code", {"code": "print(len(rows) * 14)"}),
        ("propose", insert("count = len(rows)", "cell-1")),
    )
    with scripted_model(*steps, "Done.") as (url, model):
        (tmp_path / "opencode.json").write_text(json.dumps(opencode_config(url)))
        monkeypatch.setenv("OPENCODE_CONFIG", str(tmp_path / "opencode.json"))
        monkeypatch.setenv("OPENCODE_DISABLE_MODELS_FETCH", "1")
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        port = f"--MCPExtensionApp.mcp_port={free_port()}"  # jupyter-ai tells the agent this number, so it can't be 0
        opened = open_notebook(("rows = [1, 2, 3]",), python=str(JUPYTER_AI), options=(port,))
        opened.run("%load_ext spark_jupyter")
        opened.run("rows = [1, 2, 3]")
        personas = opened.folder / ".jupyter" / "personas"
        personas.mkdir(parents=True)
        (personas / "scripted_persona.py").write_text(PERSONA.format(str(OPENCODE)))
        assert "Done." in said_in_chat(opened.server["url"], opened.server["token"])
    read, tried, proposed = model.seen
    assert "rows = [1, 2, 3]" in read
    assert "42" in tried
    assert "not accepted yet" in proposed
    assert [cell.id for cell in opened.saved.cells] == ["cell-1"]
