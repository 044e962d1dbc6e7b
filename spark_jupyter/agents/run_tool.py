"""Tool that runs a proposal in the kernel, after a person said yes.

The yes comes from the notebook (panel, footer, magics), from a grant, or from the person behind the agent's own client, who was shown the
very text that runs.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from spark_jupyter.agents import tool_text
from spark_jupyter.agents.agent_client import AgentClient, new_id
from spark_jupyter.agents.agent_tools import client_of, hidden_text, present_cells, proposed_cells, withdrawn
from spark_jupyter.agents.notebook_writer import CellRun, write_cell
from spark_jupyter.agents.tool_text import Content
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun, ProposedCell
from spark_jupyter.protocol.notebook import Cell, cells_of, content_hash
from spark_jupyter.protocol.values import Proposal
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.text import words

REFUSED = "The person refused to run it."
GRANT_MINUTES = 30
LONGEST_RUN = 600.0
"""Seconds for which the tool waits for the end of a cell; after that the cell runs on."""
BEGIN = 20.0
"""Seconds in which a browser begins to run a cell that it was asked to run."""
_MOST_SHOWN = 6_000
"""Characters in a question of the agent's client. About a longer text the person is asked in the notebook, where all of it can be seen."""

Answer = Literal["run it", "run it, and allow clean cells for 30 minutes", "don't run it"]
AGREED: tuple[Answer, ...] = ("run it", "run it, and allow clean cells for 30 minutes")


class AskedText(BaseModel):
    """Text that a person is asked about, with the findings that block it. ``whole``: the question shows all of it."""

    source_hash: str
    question: str
    whole: bool = True
    blocked: str = ""


class RunAnswer(BaseModel):
    """A person's answer."""

    answer: Answer = Field(description="A clean cell ran in a copy without findings and surprises")


class SecondYes(BaseModel):
    """A person's second yes to a cell that a finding blocks."""

    run_anyway: bool = Field(description="Run it although a finding blocks it")


async def asked_text(cell_id: str, notebook: str, cell_hash: str) -> AskedText:
    """The question for a person about a cell, in a text without credentials, as it passes through the agent's client.

    Raises :class:`~spark_jupyter.exceptions.SparkError`."""
    client = await client_of(notebook)
    proposal = await _runnable(client, cell_id, cell_hash)
    source = printable(await hidden_text(client, proposal.source))
    digest = content_hash(proposal.source)
    question = f"{client.agent} asks to run this cell of {client.notebook.name} ({digest}):\n\n{source}"
    blocks = [one for one in proposal.findings if one.blocks] if proposal.state == "blocked" else []
    blocked = await hidden_text(client, tool_text.findings_text(blocks)) if blocks else ""
    return AskedText(source_hash=digest, question=question, whole=len(source) <= _MOST_SHOWN, blocked=blocked)


async def is_granted(notebook: str) -> bool:
    """True if a grant may answer for the person: the session decides whether it covers the cell."""
    client = await client_of(notebook)
    return any(grant.agent == client.agent for grant in client.view.consent.grants)


async def run(cell_id: str, notebook: str = "", cell_hash: str = "", wait_seconds: int = 120) -> Content:
    """Run a proposal, or a cell of the notebook as it is (with its `cell_hash` as you read it), in the notebook's kernel. A person is
    asked, and may refuse; a grant answers for them while it is in force. Returns the outputs. Waits at most `wait_seconds` for the answer:
    call it again to wait on."""
    return await run_answered(cell_id, notebook, cell_hash, wait_seconds=float(min(max(wait_seconds, 1), 600)))


async def run_answered(
    cell_id: str,
    notebook: str,
    cell_hash: str,
    *,
    wait_seconds: float,
    answer: Answer | None = None,
    confirmed: bool = False,
    source_hash: str = "",
) -> Content:
    """As :func:`run`. ``answer`` is what a person has said already about the text with ``source_hash``; None: they are asked in the
    notebook."""
    client = await client_of(notebook)
    proposal = await _runnable(client, cell_id, cell_hash)
    if answer == "don't run it":
        return await refused(client, proposal)
    live = (await present_cells(client)).live
    own = [one for one in client.view.consent.asked if (one.agent, one.cell_id) == (client.agent, cell_id)]
    waiting = next((one for one in own if source_hash in ("", one.source_hash)), None)  # no other text was agreed to
    request_id = waiting.request_id if waiting is not None else new_id()
    run_ = CellRun(client, proposal.source)
    try:
        if waiting is None:
            await client.say(AskRun(request_id=request_id, cell_id=cell_id, source_hash=source_hash))
        if answer in AGREED:
            minutes = GRANT_MINUTES if answer == AGREED[1] else 0
            await client.say(AnswerRun(request_id=request_id, allowed=True, confirmed=confirmed, minutes=minutes))
        decided = await client.until(lambda: request_id in client.decided, request_id, timeout=wait_seconds)
        if decided is None:
            return "Nobody has answered yet. The question stands in the notebook: call `run` again to wait on."
        if not client.decided[request_id]:
            return await refused(client, proposal)
        return await _ran(client, cell_id, run_, live=live)
    finally:
        run_.close()


async def refuse(cell_id: str, notebook: str) -> str:
    """What the agent is told where a person has refused in its own client."""
    client = await client_of(notebook)
    proposal = client.view.proposals.get(cell_id)
    return await refused(client, proposal) if proposal is not None else REFUSED


async def refused(client: AgentClient, proposal: Proposal) -> str:
    """What the agent is told where a person has refused. Nothing stays of a request to run a cell as it is."""
    if proposal.operation is not None and proposal.state in ("ready", "blocked"):
        await withdrawn(client, proposal.turn_id)
    return REFUSED


async def _runnable(client: AgentClient, cell_id: str, cell_hash: str) -> Proposal:
    """The proposal to run: the one that waits for the cell, else a new one to run the cell as it is.

    Raises :class:`~spark_jupyter.exceptions.SessionError` where there is no such cell, or where it has changed since."""
    proposal = client.view.proposals.get(cell_id)
    if proposal is not None and proposal.state in ("ready", "blocked") and proposal.cell_type == "code":
        if proposal.operation is not None and proposal.operation.kind != "run":
            raise SessionError(
                f"It is proposed to {proposal.operation.kind} that cell.", remedy="Wait until a person has decided."
            )
        return proposal
    if proposal is not None and proposal.state == "accepted":
        cell_hash = cell_hash or content_hash(proposal.source)
    cells = {cell.id: cell for cell in (await present_cells(client)).cells}
    if cell_id not in cells:
        raise SessionError(f"There is no cell {cell_id}.", remedy="Read the notebook again.")
    if not cell_hash:
        raise SessionError("A cell that is not proposed is run with its hash.", remedy="Read the cell to know it.")
    if content_hash(cells[cell_id].source) != cell_hash:
        raise SessionError(tool_text.stale_text(cells[cell_id], client.read.get(cell_hash)))
    asked = ProposedCell(operation="run", edits=cell_id, source_hash=cell_hash)
    proposed = await proposed_cells(client, f"Run: {words.first_line(cells[cell_id].source)}", (asked,))
    if not proposed:
        raise SessionError("The cell could not be checked in time.", remedy="Call `run` again.")
    return client.view.proposals[cell_id]


async def _ran(client: AgentClient, cell_id: str, run_: CellRun, *, live: bool) -> Content:
    """Have the accepted cell run, and tell its outputs without credentials."""
    accepted = client.view.proposals[cell_id]
    if not live:
        await run_.start(cell_id)
    if not await run_.wait(BEGIN) and not run_.begun.is_set() and live:
        return "It was agreed to, and has not begun to run. The browser may be asleep, or the kernel busy."
    ended = await run_.wait(LONGEST_RUN)
    if not live:
        await write_cell(client, accepted, run_)
    cell: Cell = {"id": cell_id, "cell_type": "code", "source": "", "metadata": {}, "execution_count": run_.count}
    shown = await client.ask("outputs", cells=cells_of({"cells": [{**cell, "outputs": [*run_.outputs]}]}))
    outputs, error = shown.cells[0].outputs, shown.cells[0].error
    text = "\n".join(filter(None, [outputs, error]))
    head = "It failed." if error else "It ran." if ended else "It still runs; so far:"
    said = f"{head}\n{tool_text.as_data(text)}" if text else head
    return tool_text.with_images(said, [output.get("data", {}) for output in run_.outputs], withheld=shown.withheld)
