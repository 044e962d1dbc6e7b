"""Tool that runs a proposal in the kernel, after a person said yes.

The yes comes from the notebook (panel, footer, magics), from a grant, or from the person behind the agent's own client, who was shown the
very text that runs.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from spark_jupyter.agents import tool_text
from spark_jupyter.agents.agent_client import AgentClient, new_id
from spark_jupyter.agents.agent_tools import client_of, present_cells
from spark_jupyter.agents.notebook_writer import CellRun, write_cell
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun
from spark_jupyter.protocol.notebook import Cell, cells_of, content_hash
from spark_jupyter.protocol.values import Proposal

GRANT_MINUTES = 30
LONGEST_RUN = 600.0
"""Seconds for which the tool waits for the end of a cell; it runs on behind that."""
BEGIN = 20.0
"""Seconds in which a browser begins to run a cell that it was asked to run."""
_MOST_SHOWN = 6_000

Answer = Literal["run it", "run it, and allow clean cells for 30 minutes", "don't run it"]
AGREED: tuple[Answer, ...] = ("run it", "run it, and allow clean cells for 30 minutes")


class AskedText(BaseModel):
    """Text that a person is asked about, with the findings that block it."""

    source_hash: str
    question: str
    blocked: str = ""


class RunAnswer(BaseModel):
    """A person's answer."""

    answer: Answer = Field(description="A clean cell ran in a copy without findings and surprises")


class SecondYes(BaseModel):
    """A person's second yes to a cell that a finding blocks."""

    run_anyway: bool = Field(description="Run it although a finding blocks it")


async def asked_text(cell_id: str, notebook: str) -> AskedText:
    """The question for a person about the proposal of a cell. Raises :class:`~spark_jupyter.exceptions.SparkError`."""
    client = await client_of(notebook)
    proposal = _runnable(client, cell_id)
    source = proposal.source if len(proposal.source) <= _MOST_SHOWN else f"{proposal.source[:_MOST_SHOWN]}\n… (cut)"
    digest = content_hash(proposal.source)
    question = f"{client.agent} asks to run this cell of {client.notebook.path} ({digest}):\n\n{source}"
    blocked = (
        tool_text.findings_text(one for one in proposal.findings if one.blocks) if proposal.state == "blocked" else ""
    )
    return AskedText(source_hash=digest, question=question, blocked=blocked)


async def is_granted(notebook: str) -> bool:
    """True if a grant may answer for the person: the session decides whether it covers the cell."""
    client = await client_of(notebook)
    return any(grant.agent == client.agent for grant in client.view.consent.grants)


async def run(cell_id: str, notebook: str = "", wait_seconds: int = 120) -> str:
    """Run a proposal in the notebook's kernel. A person is asked, and may refuse; a grant answers for them while it is in force. Returns
    the outputs. Waits at most `wait_seconds` for the answer: call it again to wait on."""
    return await run_answered(cell_id, notebook, wait_seconds=float(min(max(wait_seconds, 1), 600)))


async def run_answered(
    cell_id: str,
    notebook: str,
    *,
    wait_seconds: float,
    answer: Answer | None = None,
    confirmed: bool = False,
    source_hash: str = "",
) -> str:
    """As :func:`run`. ``answer`` is what a person has said already about the text with ``source_hash``; None: they are asked in the
    notebook."""
    client = await client_of(notebook)
    proposal = _runnable(client, cell_id)
    if answer == "don't run it":
        return "The person refused to run it."
    live = (await present_cells(client)).live
    waiting = next(
        (one for one in client.view.consent.asked if (one.agent, one.cell_id) == (client.agent, cell_id)), None
    )
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
            return "The person refused to run it."
        return await _ran(client, cell_id, run_, live=live)
    finally:
        run_.close()


def _runnable(client: AgentClient, cell_id: str) -> Proposal:
    proposal = client.view.proposals.get(cell_id)
    if proposal is None or proposal.state not in ("ready", "blocked", "accepted") or proposal.cell_type != "code":
        raise SessionError(f"There is no code proposed for cell {cell_id}.", remedy="Propose it first.")
    return proposal


async def _ran(client: AgentClient, cell_id: str, run_: CellRun, *, live: bool) -> str:
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
    return f"{head}\n{tool_text.as_data(text)}" if text else head
