"""Agents in the panel and the notebook: runs, grants, permissions, deletions and moves, and the rules that go along."""

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
from spark_jupyter.protocol.notebook import content_hash
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


async def as_agent(name: str, tool: Coroutine[Any, Any, Any]) -> Any:
    """A call of a tool by the agent of that name."""
    agent_tools.AGENT.set(name)
    return await tool


def change(action: str, cell: str, source: str, **place: str) -> list[agent_tools.Change]:
    """A change of the cell that has this source."""
    return [agent_tools.Change(action=action, cell_id=cell, hash=content_hash(source), **place)]


def look(book: Notebook, name: str) -> None:
    """Nothing is cut off in a panel of usual and of small width; pictures of both."""
    for width in (380, 260):
        book.page.evaluate(PANEL_WIDTH, width)
        book.page.wait_for_function(f"() => Math.abs(document.querySelector('.spark-Panel').offsetWidth - {width}) < 3")
        assert book.page.evaluate(CUT_OFF) == []
        book.screenshot(f"{name}-{width}")
    book.page.evaluate(PANEL_WIDTH, 360)


PANEL_WIDTH = """width => {
  const split = window.jupyterapp.shell._hsplitPanel;
  const shown = split.widgets.filter(widget => widget.isVisible);
  const total = shown.reduce((sum, widget) => sum + widget.node.offsetWidth, 0);
  const panel = document.querySelector('.spark-Panel').closest('.lm-SplitPanel-child');
  const rest = shown.filter(widget => widget.node !== panel);
  const others = rest.reduce((sum, widget) => sum + widget.node.offsetWidth, 0);
  split.setRelativeSizes(
    shown.map(({ node }) => (node === panel ? width : (node.offsetWidth * (total - width)) / others))
  );
}"""
CUT_OFF = """() => [...document.querySelectorAll('.spark-AgentRuns, .spark-AgentRuns *, .spark-Rules, .spark-Rules *, .spark-Turn-head *')]
  .filter(one => one.getBoundingClientRect().right > document.querySelector('.spark-Panel').getBoundingClientRect().right)
  .map(one => one.textContent)"""


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


def test_a_run_of_a_cell_that_is_not_in_sight_is_agreed_to_there(notebook, call: Call) -> None:
    book: Notebook = notebook([code(f"x = {n}") for n in range(40)])
    content = "window.jupyterapp.shell.currentWidget.content"
    book.open_panel()
    book.box.type("s")  # loads Spark in the kernel
    book.panel.locator(".spark-Status-provider").wait_for()
    asked = call(run_tool.run(propose(book, call, "print(6 * 7)"), book.name))
    button = book.panel.get_by_role("region", name="Agents").get_by_role("button", name="Accept and run")
    button.wait_for()
    book.activate(0)
    book.page.evaluate(f"() => {content}.scrollToItem(0, 'start')")
    button.click()
    book.page.wait_for_function(f"() => {content}.activeCellIndex === 40")
    assert not asked.done()
    button.click()
    assert "42" in asked.result(60)


def test_two_agents_delete_move_and_run_cells_where_a_person_agrees(notebook, call: Call) -> None:
    sources = ["x = 1", "y = x + 1", "print(y)"]
    book: Notebook = notebook([code(source) for source in sources])
    book.open_panel()
    book.execute("%load_ext spark_jupyter")
    book.command("notebook:run-all-cells")
    book.page.wait_for_function("() => document.querySelectorAll('.jp-OutputArea-output').length === 1")
    book.panel.locator(".spark-Status-provider").wait_for()
    first, second, third = book.ids()

    def say(agent: str, summary: str, changes: list[agent_tools.Change]) -> None:
        call(as_agent(agent, agent_tools.propose(summary, changes, book.name))).result(120)

    say("Ada", "Nobody needs what this prints.", change("delete", third, sources[2]))
    say("Bob", "The number belongs below.", change("move", first, sources[0], after=second))
    ask = run_tool.run(second, book.name, content_hash(sources[1]))
    asked = call(as_agent("Bob", ask))
    agents = book.panel.get_by_role("region", name="Agents")
    notice = agents.get_by_role("alert")
    notice.get_by_text("Bob asks to run a cell.").wait_for()
    assert [book.footer(index).locator(".spark-Footer-state").inner_text() for index in range(3)] == [
        "Proposed move",
        "Proposed run",
        "Proposed deletion",
    ]
    colours = book.panel.locator(".spark-Turn[data-agent] .spark-Person").evaluate_all(
        "names => names.map(name => [name.textContent, getComputedStyle(name).borderLeftColor])"
    )
    assert [name for name, _ in colours] == ["Ada", "Bob", "Bob"]
    assert colours[0][1] != colours[1][1] == colours[2][1]
    look(book, "agents-at-once")

    notice.get_by_role("button", name="Run, and allow for 30 minutes").click()
    assert asked.result(120).startswith("It ran.")
    agents.get_by_role("timer").wait_for()
    look(book, "agents-granted")
    book.button("accept", 0).click()
    book.wait_until("(cells, ids) => cells.map(cell => cell.id).join() === ids.join()", [second, first, third])
    book.button("accept", 2).click()
    book.wait_until("(cells, ids) => cells.map(cell => cell.id).join() === ids.join()", [second, first])
    look(book, "agents-accepted")
    book.command("notebook:undo-cell-action")
    book.wait_until("(cells, ids) => cells.map(cell => cell.id).join() === ids.join()", [second, first, third])
    deletion = book.panel.locator('.spark-Turn[data-agent="Ada"]')
    deletion.get_by_text("Reverted").wait_for()
    book.activate(0)
    book.page.keyboard.press("Alt+Shift+X")
    agents.wait_for(state="detached")


def test_what_a_finding_blocks_is_asked_about_twice(notebook, call: Call) -> None:
    book: Notebook = notebook([code("x = 1")])
    book.open_panel()
    book.execute("%load_ext spark_jupyter\nran = []")
    book.panel.locator(".spark-Status-provider").wait_for()
    asked = call(run_tool.run(propose(book, call, "ran.append(1)\nprint(eval(input()))"), book.name))
    notice = book.panel.get_by_role("region", name="Agents").get_by_role("alert")
    notice.get_by_role("button", name="Accept and run").click()
    book.page.get_by_text("The guardrail blocks this cell. Run it anyway?").wait_for()
    look(book, "agents-blocked")
    notice.get_by_role("button", name="Don’t run").click()
    assert asked.result(120) == "The person refused to run it."


PROFILE = """\
import pathlib
from jupyter_core.paths import jupyter_config_dir
profiles = pathlib.Path(jupyter_config_dir(), "spark_jupyter", "profiles.toml")
profiles.parent.mkdir(mode=0o700, exist_ok=True)
profiles.write_text({!r})
profiles.chmod(0o600)
"""


def test_what_an_agent_wants_to_do_by_itself_is_allowed_once(notebook, tmp_path) -> None:
    command = [sys.executable, str(Path(__file__).parents[1] / "agents" / "scripted_agent.py"), str(tmp_path / "log")]
    profile = f'[scripted]\ntitle = "Scripted"\ndialect = "acp"\ncommand = {json.dumps(command)}\n'
    book: Notebook = notebook([code()])
    book.execute(PROFILE.format(profile))
    try:
        book.execute("%load_ext spark_jupyter\n%spark agent scripted")
        book.prompt("permission please")
        agents = book.panel.get_by_role("region", name="Agents")
        notice = agents.get_by_role("alert")
        notice.get_by_text("Scripted wants to do this by itself, outside the notebook: rm -rf 'build'").wait_for()
        assert notice.locator("pre").inner_text() == '{"command": "rm -rf build"}'
        look(book, "agent-permission")
        notice.get_by_role("button", name="Allow it once").click()
        agents.wait_for(state="detached")
        book.panel.locator('.spark-Turn[data-outcome="completed"]').get_by_text("Answer: once.").wait_for()
    finally:
        book.execute("profiles.unlink()")


@pytest.mark.own_page  # the panel keeps in JupyterLab's settings that rules are off
def test_a_projects_rules_are_chips_that_can_be_left_out(notebook, model, lab: LabServer) -> None:
    rules = lab.root / "AGENTS.md"
    rules.write_text("Use polars.\n" + "Write short cells.\n" * 2_000)
    answers = [{"match": "Use polars.", "answer": "With rules."}, {"answer": "Without rules."}]
    book: Notebook = notebook([code()], model(answers))
    chips = book.panel.locator(".spark-Rules")
    book.open_panel()
    book.box.type("s")
    chips.get_by_text("AGENTS.md").wait_for()
    assert "too long, so only its beginning goes along" in str(chips.get_attribute("title"))
    look(book, "rule-chips")
    book.prompt("two")
    book.panel.get_by_text("With rules.").wait_for()
    chips.get_by_role("button", name="Leave the project’s rules out").click()
    chips.get_by_text("Project rules are off.").wait_for()
    look(book, "rule-chips-off")
    book.prompt("three")
    book.panel.get_by_text("Without rules.").wait_for()
    chips.get_by_role("button", name="Send the project’s rules along again").click()
    chips.get_by_text("AGENTS.md").wait_for()


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
