"""Agents as clients of a real kernel: what they may say, and the cells of a notebook that another client shows."""

from __future__ import annotations

import json
from pathlib import Path

from spark_jupyter.protocol.agent_messages import CellsRequested, Inquire, Inquired, ProposedCell, TellCells
from spark_jupyter.protocol.messages import Prompt, PromptRequested
from spark_jupyter.protocol.proposal_messages import Accept
from spark_jupyter.protocol.values import NotebookCell
from tests.kernel.conftest import FrontEnd
from tests.nursery import agents

CELLS = (NotebookCell(id="first", source="x = 1"), NotebookCell(id="second", source="y = 2  # not saved yet"))


def of(front: FrontEnd, kind: type) -> list:
    return [event for event in front.said if isinstance(event, kind)]


def test_an_agent_reads_and_proposes_on_what_the_browser_shows_and_decides_nothing(start_kernel):
    kernel = start_kernel([])
    kernel.run("%load_ext spark_jupyter")
    browser, agent = FrontEnd(kernel), FrontEnd(kernel, agent="Helper")
    kernel.until(lambda: browser.view.hello.writer)
    kernel.until(lambda: agent.view.hello.life)
    assert not agent.view.hello.writer

    agent.say(Inquire(request_id="q1", question="cells", cells=CELLS[:1]))
    asked = kernel.until(lambda: of(browser, CellsRequested))
    browser.say(TellCells(request_id=asked[0].request_id, cells=CELLS))
    answer = kernel.until(lambda: of(agent, Inquired))[0]
    assert answer.live
    assert [cell.source for cell in answer.cells] == [cell.source for cell in CELLS]
    assert not of(browser, Inquired)

    proposes = (ProposedCell(source="z = x + y"),)
    agent.say(Prompt(turn_id="t1", text="Adds.", proposes=proposes, agent="Somebody Else"))
    requested = kernel.until(lambda: of(browser, PromptRequested))[0].prompt
    browser.say(Prompt(turn_id=requested.turn_id, text=requested.text, proposes=requested.proposes, cells=CELLS))
    kernel.until(lambda: agent.view.turns.get("t1") and agent.view.turns["t1"].outcome)
    assert agent.view.turns["t1"].agent == "Helper"

    agent.say(Accept(cell_id="t1-1"))
    kernel.until(lambda: any("can't say Accept" in answer.get("problem", "") for answer in agent.answers))
    assert browser.view.proposals["t1-1"].state != "accepted"


def test_a_browser_that_sleeps_leaves_the_cells_of_the_file(start_kernel):
    kernel = start_kernel([])
    kernel.run("%load_ext spark_jupyter")
    browser, agent = FrontEnd(kernel), FrontEnd(kernel, agent="Helper")
    kernel.until(lambda: browser.view.hello.writer)
    agent.say(Inquire(request_id="q1", question="cells", cells=CELLS[:1]))
    answer = kernel.until(lambda: of(agent, Inquired))[0]
    assert not answer.live
    assert [cell.id for cell in answer.cells] == ["first"]


def updates(kernel) -> str:
    """What displays were changed to."""
    kinds = ("display_data", "update_display_data")
    found = [one["content"]["data"] for one in kernel.messages if one["msg_type"] in kinds]
    return "".join(data.get("text/plain", "") for data in found)


def install_scripted_agent(own_home, log: Path) -> None:
    """A profile of the user's for the scripted agent."""
    script = Path(__file__).parents[1] / "agents/scripted_agent.py"
    profiles = own_home / "jupyter_config_dir/spark_jupyter/profiles.toml"
    profiles.parent.mkdir(parents=True)
    command = agents().script(script, log)
    profiles.write_text(f'[scripted]\ntitle = "Scripted"\ndialect = "acp"\ncommand = {json.dumps(command)}\n')


def test_an_agent_answers_and_asks_in_a_cell(start_kernel, own_home, tmp_path):
    install_scripted_agent(own_home, tmp_path / "log")
    kernel = start_kernel([{"answer": "no", "repeat": True}])
    kernel.run("%load_ext spark_jupyter")
    listed = kernel.run("%spark agent")
    assert "scripted  Scripted\n" in listed
    assert "claude-code  Claude Code" in listed
    assert "Agent: Scripted, with its own account." in kernel.run("%spark agent scripted")
    assert "x = 1" in kernel.run("%spark --wait plot it")
    kernel.start("%spark permission please")
    kernel.until(lambda: "Asks for your permission" in updates(kernel))
    assert "Scripted may: `rm -rf 'build'`" in kernel.run("%spark allow")
    kernel.until(lambda: "Answer: once." in updates(kernel))
