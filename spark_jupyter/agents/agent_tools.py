"""Tools of an agent, as plain functions with typed arguments.

They are served by :mod:`spark_jupyter.agents.mcp_server`, and by ``jupyter_server_mcp`` through its entry point. Their docstrings are what
the agent reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Literal

from pydantic import BaseModel, Field

from spark_jupyter.agents import tool_text
from spark_jupyter.agents.agent_client import AgentClient, new_id
from spark_jupyter.agents.jupyter_servers import NotebookList, RunningNotebook, running_notebooks
from spark_jupyter.agents.notebook_writer import read_file
from spark_jupyter.agents.tool_text import Content
from spark_jupyter.author_rules import rules_of
from spark_jupyter.exceptions import NotebookError, SessionError, SparkError
from spark_jupyter.policy import load_policy
from spark_jupyter.protocol.agent_messages import Inquired, ProposedCell
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.notebook import Notebook, cells_of, content_hash, raw_cells
from spark_jupyter.protocol.proposal_messages import Revert
from spark_jupyter.protocol.trial_messages import CancelTry, Try
from spark_jupyter.protocol.values import NotebookCell, Proposal

AGENT: ContextVar[str] = ContextVar("agent", default="Agent")
"""The name of the agent that calls."""
PATIENCE = 60.0
"""Seconds for the checks and the trial of what was proposed."""
ONLY_IN_A_BROWSER = "No browser shows the notebook, so nothing would delete or move a cell."
_notebooks = NotebookList()
_clients: dict[tuple[str, str], asyncio.Task[AgentClient]] = {}
"""By kernel and agent. Calls come several at a time, and all of them wait for one client."""


class Change(BaseModel):
    """A change of one cell."""

    action: Literal["insert", "edit", "delete", "move"]
    source: str = Field(default="", description="insert, edit: the whole text that the cell is to hold")
    cell_type: Literal["code", "markdown"] = "code"
    after: str | None = Field(
        default=None, description="insert, move: id of the cell above; none: below the cell before, or at the end"
    )
    cell_id: str = Field(default="", description="edit, delete, move: id of the cell")
    hash: str = Field(default="", description="edit, delete, move: hash of the cell as you read it")


async def client_of(path: str) -> AgentClient:
    """The attached client of a notebook, made at its first use. Raises :class:`~spark_jupyter.exceptions.SparkError`."""
    notebook = _notebooks.known(path)
    client = _attached(notebook) if notebook is not None else None
    if client is None or client.file is None or not client.file.is_as_read(client.notebook):
        notebook = await _notebooks.find(path)
        client = _attached(notebook) or await _attach(notebook)
        client.notebook = notebook
    rules = rules_of(await read_file(client), client.notebook.path)
    rules.above(load_policy()).refuse("agents")
    if rules.strictest_prompts == "off":
        raise NotebookError(f"The author of {client.notebook.name} allows no prompts in it, so it is off for agents.")
    return client


def _attached(notebook: RunningNotebook) -> AgentClient | None:
    task = _clients.get((notebook.kernel_id, AGENT.get()))
    if task is None or not task.done() or task.cancelled() or task.exception() or task.result().closed:
        return None
    return task.result()


async def _attach(notebook: RunningNotebook) -> AgentClient:
    key = (notebook.kernel_id, AGENT.get())
    if key not in _clients or _clients[key].done():
        _clients[key] = asyncio.create_task(AgentClient.attach(notebook, AGENT.get()))
    return await asyncio.shield(_clients[key])


async def close_clients() -> None:
    """Detach from every kernel."""
    _notebooks.forget()
    while _clients:
        task = _clients.popitem()[1]
        task.cancel()
        with suppress(asyncio.CancelledError, SparkError):
            await (await task).close()


async def present_cells(client: AgentClient) -> Inquired:
    """The notebook as it is now: of the browser that shows it, else of the file with what is proposed for it."""
    answer = await client.ask("cells", cells=cells_of(await read_file(client)))
    client.read |= {content_hash(cell.source): cell.source for cell in answer.cells}
    return answer


async def list_notebooks() -> str:
    """List the notebooks that run on this machine: their paths, the states of their kernels, and whether Spark is loaded there. The
    other tools work where it is."""
    lines = []
    for notebook in await running_notebooks():
        try:
            client = await client_of(notebook.path)
            said = f"Spark is loaded, {len(client.view.pending())} proposals wait"
        except SparkError as error:
            said = str(error)
        lines.append(f"{notebook.name}: kernel {notebook.state}. {said}")
    if lines:
        return tool_text.as_data("\n".join(lines))
    return "No notebook is running. Ask the person to open one in Jupyter."


async def read_notebook(
    notebook: str = "",
    cells: list[str] | None = None,
    start: int = 1,
    count: int = 20,
    detail: Literal["outline", "full"] = "outline",
    offset: int = 0,
) -> Content:
    """Read a notebook as it is now, unsaved changes included where it is open in a browser. Gives each cell's id and hash, which an edit
    needs. With `cells` (ids) or detail="full": source and outputs as text; of named cells also the images that were saved. A long notebook
    comes in pages of `count` cells from `start`, a long text from the character `offset` on. Credentials are replaced by placeholders."""
    client = await client_of(notebook)
    answer = await present_cells(client)
    numbered = list(enumerate(answer.cells, 1))
    if cells is not None:
        page = [(number, cell) for number, cell in numbered if cell.id in cells]
    else:
        page = numbered[max(0, start - 1) : max(0, start - 1) + max(1, count)]
    full = cells is not None or detail == "full"
    text = (
        tool_text.cells_text(page, outputs=True)
        if full
        else tool_text.outline([cell for _, cell in page], first=page[0][0] if page else 1)
    )
    source = "open in a browser" if answer.live else "its file, as no browser shows it"
    said = (
        f"{client.notebook.name}: {len(numbered)} cells ({source}).\n{tool_text.as_data(text, offset=max(0, offset))}"
    )
    if cells is None:
        return said
    return tool_text.with_images(said, _saved_outputs(await read_file(client), cells), withheld=answer.withheld)


async def kernel_variables(notebook: str = "") -> str:
    """List the variables of the notebook's kernel: types, shapes, columns with examples. Runs no code."""
    return tool_text.as_data((await (await client_of(notebook)).ask("variables")).text)


async def inspect(name: str, notebook: str = "") -> str:
    """Describe a variable, a table's column (`df.price`), or a function with its signature and docstring (`pd.DataFrame.merge`), as the
    kernel has it. Runs no code."""
    return tool_text.as_data((await (await client_of(notebook)).ask("inspect", name)).text)


async def check(code: str, notebook: str = "") -> str:
    """Check code without running it: security findings, and names, columns and arguments that do not exist in this kernel."""
    answer = await (await client_of(notebook)).ask("check", code)
    return tool_text.findings_data(answer.findings)


async def try_code(code: str, notebook: str = "") -> Content:
    """Run code in a confined copy of the kernel and report output, figures, effects, surprises and errors. Nothing of it is kept, and
    the copy has no network. Use it to look at data before you propose cells."""
    answer = await (await client_of(notebook)).ask("try", code)
    found = tool_text.findings_data(answer.findings) if answer.findings else ""
    text = "\n".join(filter(None, [found, answer.problem, tool_text.trial_text(answer)]))
    return tool_text.with_images(text, tool_text.trial_images(answer))


async def propose(summary: str, changes: list[Change], notebook: str = "") -> Content:
    """Propose changes: insert, edit, delete or move cells, several at once. The person sees them in the notebook and decides; nothing
    is changed before. Each is checked, and tried in a copy where that is possible: the answer says what was found. `summary` says in a
    sentence what they do. What concerns a cell that exists needs its hash as you read it."""
    client = await client_of(notebook)
    answer = await present_cells(client)
    if refusal := _stale(client, answer.cells, changes):
        return refusal
    if not answer.live and any(change.action in ("delete", "move") for change in changes):
        raise NotebookError(ONLY_IN_A_BROWSER, remedy="Ask the person to open it, or propose to empty the cell.")
    proposed = await proposed_cells(client, summary, tuple(map(_proposed, changes)))
    if proposed is None:
        return "The proposals were not taken in time. Call `proposals` to see whether they came."
    return await _standing(client, proposed)


async def proposed_cells(client: AgentClient, summary: str, cells: tuple[ProposedCell, ...]) -> list[Proposal] | None:
    """What became of a turn of the agent's when it was checked and tried; None where that did not end in time."""
    turn_id = new_id()
    file = await read_file(client)
    if rules_of(file, client.notebook.path).strictest_prompts != "on":
        raise NotebookError(
            f"The author of {client.notebook.name} allows hints only, so nothing can be proposed or run."
        )
    known = with_open_proposals(client, cells_of(file))
    await client.say(Prompt(turn_id=turn_id, text=summary, cells=known, proposes=cells))
    ended = await client.until(lambda: _ended(client, turn_id), turn_id, timeout=PATIENCE)
    return None if ended is None else _of_turn(client, turn_id)


async def prove(cell_id: str, notebook: str = "") -> Content:
    """Try a proposal again in a copy. An edit of a cell that ran is proven: old and new text run from the kernel as it was before the cell,
    and the results are compared by value."""
    client = await client_of(notebook)
    proposal = _proposal(client, cell_id)
    client.view.trials.pop(cell_id, None)
    await client.say(Try(cell_id=cell_id))
    await client.until(lambda: cell_id in client.view.trials, cell_id, timeout=PATIENCE)
    return await _standing(client, [proposal])


async def proposals(notebook: str = "") -> Content:
    """List what is proposed in the notebook and waits for a decision, with findings and what the copies showed."""
    client = await client_of(notebook)
    return await _standing(client, client.view.pending())


async def interrupt(notebook: str = "") -> str:
    """Stop the trials of your proposals that still run in copies. What a person runs goes on."""
    client = await client_of(notebook)
    running = [one.cell_id for one in client.view.pending() if one.trying and _is_own(client, one)]
    for cell_id in running:
        await client.say(CancelTry(cell_id=cell_id))
    return f"Stopped: {', '.join(running)}." if running else "No trial of yours is running."


async def undo(notebook: str = "") -> str:
    """Withdraw your last turn, as long as nobody has decided on its proposals."""
    client = await client_of(notebook)
    own = [one for one in client.view.pending() if _is_own(client, one)]
    if not own:
        return "None of your proposals is open. What a person accepted, a person takes back."
    return (
        "Withdrawn."
        if await withdrawn(client, own[-1].turn_id)
        else "The kernel does not answer. Call `proposals` to see what stands."
    )


async def withdrawn(client: AgentClient, turn_id: str) -> bool:
    """Withdraw an own turn; whether the session has said so in time."""
    await client.say(Revert(turn_id=turn_id))
    gone = await client.until(
        lambda: not any(one.turn_id == turn_id for one in client.view.pending()), turn_id, timeout=10
    )
    return gone is not None


TOOLS = (
    *(list_notebooks, read_notebook, kernel_variables, inspect, check, try_code, propose, prove, proposals),
    *(interrupt, undo),
)
PREFIX = "spark_"
ENTRY_POINT = [
    f"spark_jupyter.agents.jupyter_server_tools:{PREFIX}{name}" for name in (*(tool.__name__ for tool in TOOLS), "run")
]
"""For the group ``jupyter_server_mcp.tools``."""


def with_open_proposals(client: AgentClient, cells: tuple[NotebookCell, ...]) -> tuple[NotebookCell, ...]:
    """The cells of the file with the new cells that are proposed for it, so that they can be edited, too."""
    known = {cell.id for cell in cells}
    new = [one for one in client.view.pending() if one.kind == "insert" and one.cell_id not in known]
    return (*cells, *(NotebookCell(id=one.cell_id, cell_type=one.cell_type, source=one.source) for one in new))


def _stale(client: AgentClient, cells: tuple[NotebookCell, ...], changes: list[Change]) -> str:
    known = {cell.id: cell for cell in cells}
    for change in changes:
        if change.action == "insert":
            continue
        cell = known.get(change.cell_id)
        if cell is None:
            raise NotebookError(f"There is no cell {change.cell_id}.", remedy="Read the notebook again.")
        if content_hash(cell.source) != change.hash:
            return tool_text.stale_text(cell, client.read.get(change.hash))
    return ""


def _proposed(change: Change) -> ProposedCell:
    if change.action == "insert":
        return ProposedCell(source=change.source, cell_type=change.cell_type, after=change.after)
    if change.action == "edit":
        return ProposedCell(
            source=change.source, cell_type=change.cell_type, edits=change.cell_id, source_hash=change.hash
        )
    return ProposedCell(operation=change.action, after=change.after, edits=change.cell_id, source_hash=change.hash)


def _ended(client: AgentClient, turn_id: str) -> bool:
    turn = client.view.turns.get(turn_id)
    proposed = _of_turn(client, turn_id)
    return turn is not None and turn.outcome is not None and not any(one.inspecting or one.trying for one in proposed)


def _of_turn(client: AgentClient, turn_id: str) -> list[Proposal]:
    return [one for one in client.view.all_proposals if one.turn_id == turn_id]


def _is_own(client: AgentClient, proposal: Proposal) -> bool:
    turn = client.view.turns.get(proposal.turn_id)
    return turn is not None and turn.agent == client.agent


def _proposal(client: AgentClient, cell_id: str) -> Proposal:
    proposal = client.view.proposals.get(cell_id)
    if proposal is None:
        raise SessionError(f"There is no proposal for cell {cell_id}.", remedy="Call `proposals` to see what there is.")
    return proposal


def _saved_outputs(notebook: Notebook, cells: Container[str]) -> list[Mapping[str, object]]:
    """The outputs of those cells as MIME bundles."""
    outputs = [cell.get("outputs") for cell in raw_cells(notebook) if cell["id"] in cells]
    bundles = [one.get("data") for some in outputs if isinstance(some, list) for one in some if isinstance(one, dict)]
    return [bundle for bundle in bundles if isinstance(bundle, dict)]


async def hidden_text(client: AgentClient, text: str) -> str:
    """A text of the session without credentials: the kernel knows them."""
    answer = await client.ask("outputs", cells=(NotebookCell(id="text", source=text),))
    return answer.cells[0].source


async def _standing(client: AgentClient, proposed: list[Proposal]) -> Content:
    """The proposals with what their last trials showed."""
    parts, images = [], []
    for proposal in proposed:
        now = client.view.proposals.get(proposal.cell_id, proposal)
        findings = await hidden_text(client, tool_text.findings_text(now.findings)) if now.findings else ""
        parts.append(tool_text.proposal_text(now, findings))
        if now.tried:
            answer = await client.ask("result", now.cell_id)
            parts.append(tool_text.trial_text(answer))
            images += tool_text.trial_images(answer)
    return tool_text.with_images("\n".join(filter(None, parts)) or "Nothing is proposed.", images)
