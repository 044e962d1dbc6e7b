"""OpenCode, over ACP in the place of a model: it asks a scripted model on loopback, and its answer becomes proposals."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from spark_jupyter.agents.acp_connection import AgentConnection
from spark_jupyter.engine.engine import Engine
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.providers.profile import Profile
from spark_jupyter.routing.link import Link
from tests.agents.conftest import START
from tests.conftest import Watched
from tests.interop.conftest import OPENCODE, _needs

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]

TASKS = {
    "clean": "orders = [order for order in [1, None, 3] if order is not None]",
    "plot": "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()",
    "fix": "total = sum([1, 2, 3])",
    "refactor": "def total_of(values):\n    return sum(values)",
    "write tests": "assert sum([1, 2]) == 3",
}


class ScriptedModel(BaseHTTPRequestHandler):
    """Chat completions: the code of the last task that the messages name, in two pieces."""

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        task = max(TASKS, key=lambda one: asked.rfind(f"{one} it"))
        answer = f"Done.\n\n```python\n{TASKS[task]}\n```\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for text, reason in ((answer[:20], None), (answer[20:], None), ("", "stop")):
            choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": reason}
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "script", "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """An engine whose prompts OpenCode answers, with its files in a temporary home."""
    _needs(OPENCODE)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), ScriptedModel) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = {"baseURL": f"http://127.0.0.1:{server.server_port}/v1", "apiKey": "none"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"script": {}}}
        config = {
            "provider": {"local": provider},
            "model": "local/script",
            "small_model": "local/script",
            "autoupdate": False,
        }
        (tmp_path / "opencode.json").write_text(json.dumps(config))
        profile = Profile(name="opencode", title="OpenCode", dialect="acp", command=(str(OPENCODE), "acp"))

        async def connect():
            return Link(connection=AgentConnection(profile, tmp_path), model="", provider="OpenCode", is_agent=True)

        engine = Engine(connect)
        yield Watched(engine)
        engine.close()
        server.shutdown()


def test_opencode_does_five_tasks_whose_cells_are_proposed(watched):
    for number, (task, code) in enumerate(TASKS.items()):
        turn_id = f"t{number}"
        watched.engine.say(Prompt(turn_id=turn_id, text=f"{task} it"))
        ended = watched.wait(turn_id, timeout=START)
        assert ended is not None, task
        assert ended.outcome == "completed", ended.reason
        proposed = watched.engine.read(lambda session, turn=turn_id: session.store.of_turn(turn))
        assert [draft.source for draft in proposed] == [code]
