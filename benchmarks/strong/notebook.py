"""Notebook in a real kernel, driven as the browser drives it."""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.manager import KernelManager
from msgspec import structs

from spark_jupyter.protocol import messages, values
from spark_jupyter.protocol.constants import COMMANDS_TARGET, EVENTS_TARGET
from spark_jupyter.protocol.message_frames import CommandFrame, decode_event_frame, encode
from spark_jupyter.protocol.turn_view import TurnView

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PATIENCE = 120.0
"""Seconds for one turn or cell on a busy machine."""


class Notebook:
    """Cells, and what the session says of them. ``view`` is what a person would see. The server at ``url`` answers, and is recorded into
    the file ``record``; or else the recording ``replay``."""

    def __init__(self, folder: Path, url: str, *, record: Path | None = None, replay: Path | None = None) -> None:
        home = folder.parent
        environment = {
            **os.environ,
            **({"SPARK_MODEL": str(replay)} if replay else {"SPARK_BASE_URL": url, "SPARK_MODEL": "strong"}),
            "SPARK_API_KEY": "none",
            "IPYTHONDIR": str(home / "ipython"),
            "JUPYTER_CONFIG_DIR": str(home / "jupyter"),
            "JUPYTER_DATA_DIR": str(home / "data"),  # earlier conversations are kept there
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        }
        self.cells: list[values.NotebookCell] = []
        self.view = TurnView()
        self.events: list[tuple[float, messages.Event]] = []
        self._to_run: list[str] = []
        self._steer: tuple[int, messages.Steer] | None = None
        self._sequence = 0
        self._running: dict[str, list[dict[str, Any]]] = {}
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel(cwd=str(folder), env=environment)
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=_PATIENCE)
        self._execute('%load_ext spark_jupyter\n%config SparkMagics.refine = "off"', "load")
        if record is not None:
            self._execute(f"%spark record {record}", "record")
        self._connect()

    def close(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    # --- what a person does ------------------------------------------------------------------------------------------

    def run(self, source: str, cell_id: str) -> values.NotebookCell:
        """Write a cell at the end, or the text of one that is there, and run it."""
        if self._index(cell_id) is None:
            self.cells.append(values.NotebookCell(id=cell_id))
        return self._run_cell(cell_id, source)

    def ask(
        self, turn_id: str, text: str, *, steer: tuple[int, str] | None = None, **options: Any
    ) -> list[values.Proposal]:
        """Prompt below the last cell, or as ``target`` says, and wait until the answer and its rehearsals are over. ``steer``: the
        characters that are written before the answer is redirected, and the words for it; the turn that follows ends in ``-s``."""
        target = options.pop("target", values.Target(after=self.cells[-1].id if self.cells else None))
        active = target.edit or target.after
        self.say(
            messages.Prompt(
                turn_id=turn_id, text=text, target=target, cells=tuple(self.cells), active=active, **options
            )
        )
        if steer is not None:
            self._steer = (steer[0], messages.Steer(turn_id=f"{turn_id}-s", steers=turn_id, text=steer[1]))
            turn_id = f"{turn_id}-s"
        self.until(lambda: turn_id in self.view.turns and self.view.turns[turn_id].outcome is not None)
        self.until(lambda: not any(one.inspecting or one.trying for one in self.view.of_turn(turn_id)))
        if (repair := f"{turn_id}-repair") not in self.view.turns:
            return self.view.of_turn(turn_id)
        self.until(lambda: self.view.turns[repair].outcome is not None)
        self.until(lambda: not any(one.inspecting or one.trying for one in self.view.of_turn(repair)))
        return self.view.of_turn(repair)

    def ended_at(self, turn_id: str) -> float:
        """When a turn, or the repair that followed it, ended: from then on a person can accept what it proposes."""
        ids = (turn_id, f"{turn_id}-repair")
        return max(at for at, event in self.events if isinstance(event, messages.TurnEnded) and event.turn_id in ids)

    def run_proposals(self, turn_id: str) -> list[values.NotebookCell]:
        """Accept and run what a turn proposes; blocked ones with the second yes."""
        ran = []
        proposed = [*self.view.of_turn(turn_id), *self.view.of_turn(f"{turn_id}-repair")]
        for proposal in [one for one in proposed if one.state in ("ready", "blocked")]:
            if proposal.cell_type != "code":
                self.say(messages.Accept(cell_id=proposal.cell_id))
                continue
            self.say(messages.Run(cell_id=proposal.cell_id, confirmed=True))
            self.until(lambda: bool(self._to_run))
            cell_id = self._to_run.pop(0)
            current = self.view.proposals.get(cell_id, proposal)
            ran.append(self._run_cell(cell_id, current.source))
        return ran

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for it. Raises :class:`TimeoutError`."""
        end = time.monotonic() + _PATIENCE
        while not condition():
            self._pump(0.03)
            if time.monotonic() > end:
                raise TimeoutError("It did not happen in time.")

    def say(self, command: messages.Command) -> None:
        """Send a command."""
        self._sequence += 1
        self._send(CommandFrame(v=values.PROTOCOL_VERSION, seq=self._sequence, msgs=(command,)))

    # --- the wire ----------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._client.control_channel.send(self._client.session.msg("create_subshell_request", {}))
        self._subshell = self._client.get_control_msg(timeout=_PATIENCE)["content"]["subshell_id"]
        self._commands, self._events_comm = uuid.uuid4().hex, uuid.uuid4().hex
        client_id = uuid.uuid4().hex
        self._shell("comm_open", {"comm_id": self._commands, "target_name": COMMANDS_TARGET, "data": {}})
        data = {"client_id": client_id}
        self._shell("comm_open", {"comm_id": self._events_comm, "target_name": EVENTS_TARGET, "data": data})
        attach = messages.Attach(client_id=client_id, can_write=True, notebook="bench.ipynb")
        self._send(CommandFrame(v=values.PROTOCOL_VERSION, seq=0, msgs=(attach,)))
        self.until(lambda: bool(self.view.hello.provider))

    def _shell(self, kind: str, content: dict[str, Any]) -> None:
        message = self._client.session.msg(kind, content)
        message["header"]["subshell_id"] = self._subshell
        self._client.shell_channel.send(message)

    def _send(self, frame: CommandFrame) -> None:
        self._shell("comm_msg", {"comm_id": self._commands, "data": {"frame": encode(frame).decode()}})

    def _pump(self, timeout: float) -> None:
        try:
            while True:
                self._take(self._client.get_iopub_msg(timeout=timeout))
                timeout = 0.001
        except Empty:
            pass

    def _take(self, message: dict[str, Any]) -> None:
        content = message["content"]
        if message["msg_type"] == "comm_msg" and content["comm_id"] == self._events_comm:
            if "ping" in content["data"]:
                self._shell("comm_msg", {"comm_id": self._commands, "data": {"pong": 1}})
            elif "frame" in content["data"]:
                for event in decode_event_frame(content["data"]["frame"]).msgs:
                    self._receive(event)
            return
        parent = message["parent_header"].get("msg_id")
        if parent in self._running:
            self._running[parent].append(message)

    def _receive(self, event: messages.Event) -> None:
        self.events.append((time.monotonic(), event))
        self.view.receive(event)
        match event:
            case messages.RunRequested(cell_id=cell_id):
                self._to_run.append(cell_id)
            case messages.CellsChanged(changes=changes):
                for change in changes:
                    self._change(change)
                self._redirect()
            case messages.ProposalChanged(proposal=proposal):
                self._decided(proposal)
            case _:
                pass

    def _redirect(self) -> None:
        if self._steer is None:
            return
        after, steer = self._steer
        if sum(len(one.source) for one in self.view.of_turn(steer.steers)) >= after:
            self._steer = None
            self.say(steer)

    # --- cells -------------------------------------------------------------------------------------------------------

    def _index(self, cell_id: str | None) -> int | None:
        return next((place for place, cell in enumerate(self.cells) if cell.id == cell_id), None)

    def _change(self, change: values.CellChange) -> None:
        at = self._index(change.cell_id)
        proposal = self.view.proposals.get(change.cell_id)
        edited = proposal is not None and proposal.kind == "edit"
        if isinstance(change, values.InsertCell) and at is None:
            above = self._index(change.after)
            new = values.NotebookCell(id=change.cell_id, cell_type=change.cell_type, source=change.source)
            self.cells.insert(len(self.cells) if above is None else above + 1, new)
        elif at is None or edited:
            return
        elif isinstance(change, values.DeleteCell):
            del self.cells[at]
        elif isinstance(change, values.AppendSource):
            self.cells[at] = structs.replace(self.cells[at], source=self.cells[at].source + change.text)
        elif isinstance(change, values.ReplaceSource):
            self.cells[at] = structs.replace(self.cells[at], source=change.source)

    def _decided(self, proposal: values.Proposal) -> None:
        at = self._index(proposal.cell_id)
        if at is None:
            return
        if proposal.state == "accepted":
            self.cells[at] = structs.replace(self.cells[at], source=proposal.source or self.cells[at].source)
        elif proposal.kind == "insert" and proposal.state in ("rejected", "reverted"):
            del self.cells[at]

    def _run_cell(self, cell_id: str, source: str) -> values.NotebookCell:
        output, error, count = self._execute(source, cell_id)
        at = self._index(cell_id)
        assert at is not None
        self.cells[at] = structs.replace(
            self.cells[at], source=source, outputs=output[-20_000:], error=error[-4_000:], execution_count=count
        )
        return self.cells[at]

    def _execute(self, source: str, cell_id: str) -> tuple[str, str, int | None]:
        content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False, "user_expressions": {}}
        message = self._client.session.msg("execute_request", content, metadata={"cellId": cell_id})
        said = self._running[message["header"]["msg_id"]] = []
        self._client.shell_channel.send(message)
        self.until(lambda: any(one["content"].get("execution_state") == "idle" for one in said))
        texts, error, count = [], "", None
        for one in said:
            kind, content = one["msg_type"], one["content"]
            if kind == "stream":
                texts.append(content["text"])
            elif kind in ("execute_result", "display_data"):
                texts.append(content["data"].get("text/plain", "") + "\n")
            elif kind == "error":
                error = _COLOURS.sub("", "\n".join(content["traceback"]))
            elif kind == "execute_input":
                count = content["execution_count"]
        return "".join(texts).strip("\n"), error, count
