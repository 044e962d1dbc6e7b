"""An agent that answers in the place of a model, and works with our MCP server meanwhile, in a real kernel."""

from __future__ import annotations

import asyncio
import json
import sys

from tests.agents.conftest import agent_of
from tests.agents.test_acp_connection import SCRIPT


async def connect(opened) -> None:
    """Connect as a browser does: at the first time the server asks the kernel what it is, and a kernel that waits does not answer."""
    async with agent_of(opened) as agent:
        assert "Spark is loaded" in await agent("list_notebooks")


def test_an_agent_that_answers_has_our_tools_for_this_very_notebook(open_notebook, tmp_path):
    opened = open_notebook(("rows = [1, 2, 3]",))
    log = tmp_path / "log"
    command = json.dumps([sys.executable, str(SCRIPT), str(log)])
    folder = opened.folder / ".jupyter" / "spark_jupyter"
    folder.mkdir(parents=True)
    profile = f'[scripted]\ntitle = "Scripted"\ndialect = "acp"\ncommand = {command}\n'
    (folder / "profiles.toml").write_text(profile)
    opened.run(f"import os\nos.environ['JUPYTER_CONFIG_DIR'] = {str(folder.parent)!r}\n%load_ext spark_jupyter")
    opened.run("rows = [1, 2, 3]")
    opened.run("%spark agent scripted")
    asyncio.run(connect(opened))
    opened.run("%spark --wait tools it")

    logged = [json.loads(line) for line in log.read_text().splitlines()]
    (session,) = [value for kind, value in logged if kind == "session"]
    assert session["servers"] == ["spark"]
    said = dict(value for kind, value in logged if kind == "tool")
    assert "rows = [1, 2, 3]" in said["read_notebook"]
    assert "42" in said["try_code"]
    assert "not accepted yet" in said["propose"]
    assert said["undo"] == "Withdrawn."
    opened.run("%spark run")
    assert opened.value("answered") == "3"
    assert opened.value("'proposed' in globals()") == "False"
