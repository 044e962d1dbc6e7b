"""Run of an accepted cell, and its place in the notebook's file where no browser is open.

Where a browser shows the notebook, it runs the cell and writes it; then the outputs are only listened for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import nbformat

from spark_jupyter.agents.agent_client import AgentClient
from spark_jupyter.agents.kernel_channel import Message
from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.notebook import Cell, Notebook, content_hash, source_of
from spark_jupyter.protocol.notebook_changes import apply
from spark_jupyter.protocol.provenance import provenance, with_provenance
from spark_jupyter.protocol.values import CellChange, InsertCell, Proposal, ReplaceSource, Turn

_OUTPUTS = ("stream", "display_data", "execute_result", "error")


class CellRun:
    """Outputs of the next run of a cell's source in the kernel, whoever starts it. Make it before the run begins."""

    def __init__(self, client: AgentClient, source: str) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.count: int | None = None
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()
        self._source = source
        self._message_id = ""
        self._client = client
        self._stop = client.channel.listen(self._receive)

    async def start(self, cell_id: str) -> None:
        """Run the cell here."""
        content = {"code": self._source, "silent": False, "store_history": True, "allow_stdin": False}
        content |= {"stop_on_error": True, "user_expressions": {}}
        self._message_id = await self._client.channel.send("shell", "execute_request", content, cellId=cell_id)

    async def wait(self, timeout: float) -> bool:
        """Wait for its end for at most so many seconds; whether it has ended."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.ended.wait(), timeout)
        return self.ended.is_set()

    def close(self) -> None:
        self._stop()

    def _receive(self, message: Message) -> None:
        kind, content = message["header"]["msg_type"], message["content"]
        parent = message["parent_header"].get("msg_id", "")
        if kind == "execute_input" and not self._message_id and content["code"].rstrip() == self._source.rstrip():
            self._message_id = parent
        if not self._message_id or parent != self._message_id:
            return
        if kind == "execute_input":
            self.count = content["execution_count"]
            self.begun.set()
        elif kind in _OUTPUTS:
            self._append(nbformat.v4.output_from_msg(message))
        elif kind == "status" and content["execution_state"] == "idle" and message["channel"] == "iopub":
            self.ended.set()

    def _append(self, output: dict[str, Any]) -> None:
        last = self.outputs[-1] if self.outputs else {}
        if output["output_type"] == "stream" and last.get("name") == output.get("name"):
            last["text"] += output["text"]
        else:
            self.outputs.append(output)


async def read_file(client: AgentClient) -> Notebook:
    """The notebook's file, with an id for each cell. It is read again where it has changed."""
    if client.file is None or not client.file.is_as_read(client.notebook):
        client.file = await client.notebook.read()
    return client.file.content


async def write_cell(client: AgentClient, proposal: Proposal, run: CellRun) -> None:
    """Put an accepted cell with its outputs into the file. Raises :class:`~spark_jupyter.exceptions.NotebookError` where the cell that it
    edits has changed there."""
    notebook = await read_file(client)
    notebook = apply(notebook, [_change(client, proposal, notebook)])
    if proposal.operation is None:
        turn = client.view.turns.get(proposal.turn_id) or Turn(id=proposal.turn_id, prompt="")
        value = provenance(
            source=proposal.source,
            turn_id=turn.id,
            model=turn.model,
            prompt=turn.prompt,
            at=time.time(),
            findings=proposal.findings,
        )
        notebook = with_provenance(notebook, proposal.cell_id, value)
    cells = notebook["cells"]
    assert isinstance(cells, list)
    written = [_with_outputs(cell, proposal.cell_id, run) if isinstance(cell, dict) else cell for cell in cells]
    body = {"type": "notebook", "format": "json", "content": {**notebook, "cells": written}}
    await client.notebook.server.call("PUT", client.notebook.contents, body)


def _change(client: AgentClient, proposal: Proposal, notebook: Mapping[str, Any]) -> CellChange:
    cells: dict[str, Cell] = {cell["id"]: cell for cell in notebook["cells"]}
    cell = cells.get(proposal.cell_id)
    if cell is not None:
        if proposal.kind == "edit" and content_hash(source_of(cell)) not in map(
            content_hash, (proposal.base, proposal.source)
        ):
            raise NotebookError(f"Cell {proposal.cell_id} has changed in the file, so its edit was not written.")
        return ReplaceSource(cell_id=proposal.cell_id, source=proposal.source)
    after = client.places.get(proposal.cell_id)
    place = after if after in cells else next(reversed(cells), None)
    return InsertCell(cell_id=proposal.cell_id, cell_type=proposal.cell_type, after=place, source=proposal.source)


def _with_outputs(cell: Cell, cell_id: str, run: CellRun) -> Cell:
    if cell.get("id") != cell_id or cell.get("cell_type") != "code":
        return cell
    return {**cell, "outputs": [*run.outputs], "execution_count": run.count}
