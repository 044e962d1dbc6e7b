"""An agent's run in the panel: who asks, every answer to it, and a grant that counts down."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from spark_jupyter.agents import agent_tools, run_tool
from tests.browser.lab import Notebook, code
from tests.browser.server import LabServer

Call = Callable[[Coroutine[Any, Any, str]], "Future[str]"]


@pytest.fixture
def call(lab: LabServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Calls an agent's tools, which wait for a person, in a thread of their own."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(lab.runtime))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield lambda tool: asyncio.run_coroutine_threadsafe(tool, loop)
    asyncio.run_coroutine_threadsafe(agent_tools.close_clients(), loop).result(60)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def propose(book: Notebook, call: Call, source: str) -> str:
    """Propose a cell at the end; returns its id."""
    change = agent_tools.Change(action="insert", source=source)
    call(agent_tools.propose("Add a cell", [change], book.name)).result(120)
    book.wait_until("(cells, source) => cells.some(cell => cell.source === source)", source)
    return book.ids()[book.sources().index(source)]


def test_a_run_that_an_agent_asks_for_is_refused_agreed_to_or_granted_for_a_while(notebook, call: Call) -> None:
    book: Notebook = notebook([code("x = 1")])
    book.activate(0)
    book.command("notebook:run-cell")
    book.open_panel()
    book.box.type("s")  # loads Spark in the kernel
    book.panel.locator(".spark-Status-provider").wait_for()
    agents = book.panel.get_by_role("region", name="Agents")
    assert agents.count() == 0

    def ask(source: str) -> Future[str]:
        return call(run_tool.run(propose(book, call, source), book.name))

    refused = ask("print(x + 1)")
    notice = agents.get_by_role("alert")
    notice.get_by_text("Agent asks to run a cell.").wait_for()
    turn = book.panel.locator(".spark-Turn")
    assert turn.locator(".spark-Turn-prompt").inner_text().split() == ["Agent", "Add", "a", "cell"]
    assert turn.get_by_role("button", name="Edit prompt").count() == 0  # nobody here has written it
    book.screenshot("agent-asks", contrast=True)
    notice.get_by_role("button", name="Go to it").click()
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 1")
    notice.get_by_role("button", name="Don’t run").click()
    assert refused.result(60) == "The person refused to run it."
    agents.wait_for(state="detached")
    book.button("reject", 1).click()

    agreed = ask("print(x + 2)")
    notice.get_by_role("button", name="Accept and run").click()
    assert "3" in agreed.result(60)
    assert book.output(1).strip() == "3"
    agents.wait_for(state="detached")

    granted = ask("print(x + 3)")
    notice.get_by_role("button", name="Run, and allow for 30 minutes").click()
    assert "4" in granted.result(60)
    grant = agents.locator("[data-grant]")
    assert re.fullmatch(r"(29|30):\d\d", grant.get_by_role("timer").inner_text())
    book.screenshot("agent-granted")
    assert "5" in ask("print(x + 4)").result(60)  # nobody is asked
    assert book.output(3).strip() == "5"
    grant.get_by_role("button", name="Revoke").click()
    agents.wait_for(state="detached")
    asked = ask("print(x + 5)")
    notice.get_by_role("button", name="Don’t run").click()
    assert asked.result(60) == "The person refused to run it."


PROFILE = """\
import pathlib
from jupyter_core.paths import jupyter_config_dir
profiles = pathlib.Path(jupyter_config_dir(), "spark_jupyter", "profiles.toml")
profiles.parent.mkdir(mode=0o700, exist_ok=True)
profiles.write_text({!r})
profiles.chmod(0o600)
"""


def test_an_agents_mode_is_chosen_beside_its_model(notebook, tmp_path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, str(Path(__file__).parents[1] / "agents" / "scripted_agent.py"), str(log)]
    profile = f'[scripted]\ntitle = "Scripted"\ndialect = "acp"\ncommand = {json.dumps(command)}\n'
    book: Notebook = notebook([code()])
    book.execute(PROFILE.format(profile))
    try:
        book.execute("%load_ext spark_jupyter\n%spark agent scripted")
        book.open_panel()
        mode = book.panel.get_by_label("Mode", exact=True)
        mode.wait_for()
        assert mode.locator("option").all_inner_texts() == ["ask", "plan"]
        assert book.panel.get_by_label("Model", exact=True).input_value() == "small"
        book.screenshot("agent-mode", contrast=True)
        mode.select_option("plan")
        book.prompt("plot it")
        book.wait_state("ready", 0)
        assert ["mode", "plan"] in [json.loads(line) for line in log.read_text().splitlines()]
    finally:
        book.execute("profiles.unlink()")
