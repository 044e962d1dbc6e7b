"""MCP Inspector, a client that this project did not write, lists and calls the agents' tools in a live notebook."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.agents.conftest import START, open_notebook
from tests.interop.conftest import ROOT, _needs

__all__ = ["open_notebook"]
pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]
INSPECTOR = ROOT / ".interop" / "node_modules" / ".bin" / "mcp-inspector"
SERVER = (sys.executable, "-m", "spark_jupyter.ui.cli.main", "mcp")


def test_mcp_inspector_lists_and_calls_the_tools(open_notebook):
    _needs(INSPECTOR)
    notebook = open_notebook(("x = 1", "print(x)"))
    notebook.run("%load_ext spark_jupyter")

    # It hands on no variable that is not named.
    runtime = f"JUPYTER_RUNTIME_DIR={notebook.environment['JUPYTER_RUNTIME_DIR']}"

    def inspector(*arguments: str) -> dict:
        done = subprocess.run(
            [INSPECTOR, "--cli", "-e", runtime, "--connect-timeout", f"{START * 1000:.0f}", *SERVER, *arguments],
            env=notebook.environment,
            capture_output=True,
            text=True,
            timeout=START,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return json.loads(done.stdout)

    tools = {tool["name"]: tool for tool in inspector("--method", "tools/list")["tools"]}
    assert {"read_notebook", "propose", "run"} <= tools.keys()
    assert all(tool["description"] for tool in tools.values())
    read = inspector("--method", "tools/call", "--tool-name", "read_notebook", "--tool-arg", "detail=full")
    assert "print(x)" in read["content"][0]["text"]
    named = inspector("--method", "prompts/list")["prompts"]
    assert "clean_data" in {prompt["name"] for prompt in named}
