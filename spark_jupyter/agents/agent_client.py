"""Client of one kernel's session that an agent works through.

It attaches as every client does: two comms, frames of commands, frames of events (:mod:`spark_jupyter.engine.comm`).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from spark_jupyter.agents.jupyter_servers import NotebookFile, RunningNotebook
from spark_jupyter.agents.kernel_channel import KernelChannel, Message
from spark_jupyter.exceptions import NotebookError, SessionError
from spark_jupyter.policy import load_policy
from spark_jupyter.protocol.agent_messages import ConsentChanged, Inquire, Inquired, Question
from spark_jupyter.protocol.constants import COMMANDS_TARGET, EVENTS_TARGET
from spark_jupyter.protocol.message_frames import (
    CommandFrame,
    decode_command_frame,
    decode_event_frame,
    encode,
)
from spark_jupyter.protocol.messages import Attach, Command, Event, Problem
from spark_jupyter.protocol.proposal_messages import CellsChanged
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import PROTOCOL_VERSION, InsertCell, NotebookCell
from spark_jupyter.typed_decoders import decode_json

HELLO = 30.0
"""Seconds for which a kernel may take to say what it is and to start a subshell, and the extension to answer."""
ANSWER = 120.0
"""Seconds for a question: a Try has a limit of its own below that."""
NOT_LOADED = "Spark is not loaded in the kernel of {}."

Found = TypeVar("Found")


def new_id() -> str:
    return f"a{secrets.token_hex(6)}"


class AgentClient:
    """An attached client. ``view`` is the session's state as of the last event."""

    def __init__(self, notebook: RunningNotebook, channel: KernelChannel, agent: str) -> None:
        self.notebook = notebook
        self.channel = channel
        self.agent = agent
        self.file: NotebookFile | None = None
        self.view = TurnView()
        self.places: dict[str, str | None] = {}
        """The cell above each new cell, as far as its insertion was seen."""
        self.decided: dict[str, bool] = {}
        """The answers to the runs that were asked for, by request."""
        self.read: dict[str, str] = {}
        """The sources that the agent was shown, by their hashes."""
        self._commands, self._events = secrets.token_hex(16), secrets.token_hex(16)
        self._subshell: str | None = None
        self._seq = 0
        self._answers: dict[str, Inquired] = {}
        self._problems: list[Problem] = []
        self._ended = False
        self._news = asyncio.Event()
        channel.listen(self._receive)

    @classmethod
    async def attach(cls, notebook: RunningNotebook, agent: str) -> AgentClient:
        """Attach to the session of a notebook's kernel. Raises :class:`~spark_jupyter.exceptions.NotebookError` where there is none, and
        :class:`~spark_jupyter.exceptions.PolicyError` where agents are not allowed."""
        load_policy().refuse("agents")
        client = cls(notebook, await KernelChannel.open(notebook.server, notebook.kernel_id), agent)
        try:
            await client._open()
        except BaseException:
            await client.close()
            raise
        return client

    @property
    def closed(self) -> bool:
        """True if the kernel or the connection has gone."""
        return self._ended or self.channel.closed

    async def close(self) -> None:
        with suppress(NotebookError):
            for comm in (self._commands, self._events):
                await self._send("comm_close", {"comm_id": comm, "data": {}})
        await self.channel.close()

    async def say(self, *commands: Command) -> None:
        """Send commands in one frame. Raises :class:`~spark_jupyter.exceptions.SessionError` for one that the kernel would refuse to read:
        what an agent names goes into it."""
        text = encode(CommandFrame(v=PROTOCOL_VERSION, seq=self._seq + 1, msgs=commands)).decode()
        try:
            decode_command_frame(text)
        except msgspec.DecodeError as error:
            raise SessionError(f"The request is not valid: {error}.") from None
        self._seq += 1
        await self._say_on_commands({"frame": text})

    async def ask(self, question: Question, text: str = "", cells: tuple[NotebookCell, ...] = ()) -> Inquired:
        """The answer to a question. Raises :class:`~spark_jupyter.exceptions.SessionError` where there is none."""
        request_id = new_id()
        await self.say(Inquire(request_id=request_id, question=question, text=text, cells=cells))
        answer = await self.until(lambda: self._answers.pop(request_id, None), request_id, timeout=ANSWER)
        if answer is None:
            raise SessionError(
                f"The kernel of {self.notebook.name} does not answer.", remedy="It may be busy: try again."
            )
        if answer.problem and not answer.findings:
            raise SessionError(answer.problem)
        return answer

    async def until(self, found: Callable[[], Found | None], request_id: str = "", *, timeout: float) -> Found | None:
        """What ``found()`` returns when it is not None or False; None where that does not happen in time (seconds).

        Raises :class:`~spark_jupyter.exceptions.SessionError` with the problem that the session reports of the request or turn, and
        where the kernel goes."""
        deadline = asyncio.get_running_loop().time() + timeout
        while True:
            if value := found():
                return value
            for problem in self._problems:
                if problem.turn_id == request_id and request_id:
                    self._problems.remove(problem)
                    raise SessionError(problem.message, remedy=problem.remedy)
            if self.closed:
                raise SessionError("The kernel has gone.", remedy="Call the tool again when it is back.")
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return None
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), left)

    # --- the wire ------------------------------------------------------------------------------------------------------

    async def _open(self) -> None:
        about = await self.channel.request("control", "kernel_info_request", {}, timeout=HELLO)
        if "kernel subshells" in ((about or {}).get("supported_features") or ()):
            reply = await self.channel.request("control", "create_subshell_request", {}, timeout=HELLO)
            self._subshell = (reply or {}).get("subshell_id")
        client_id = secrets.token_hex(16)
        await self._open_comm(self._events, EVENTS_TARGET, {"client_id": client_id})
        await self._open_comm(self._commands, COMMANDS_TARGET, {})
        attach = Attach(client_id=client_id, agent=self.agent, notebook=self.notebook.path)
        await self._say_on_commands({"frame": encode(CommandFrame(v=PROTOCOL_VERSION, seq=0, msgs=(attach,))).decode()})
        try:
            greeted = await self.until(lambda: self.view.hello.life or self._problems, timeout=HELLO)
        except SessionError:
            greeted = None
        if self._problems:  # the kernel's own policy
            raise SessionError(self._problems[0].message, remedy=self._problems[0].remedy)
        if not greeted:
            raise NotebookError(
                NOT_LOADED.format(self.notebook.name),
                remedy="A person loads it by opening the Spark panel of that notebook, or with %load_ext spark_jupyter.",
            )

    async def _open_comm(self, comm_id: str, target: str, data: Message) -> None:
        await self._send("comm_open", {"comm_id": comm_id, "target_name": target, "data": data})

    async def _say_on_commands(self, data: Message) -> None:
        await self._send("comm_msg", {"comm_id": self._commands, "data": data})

    async def _send(self, kind: str, content: Message) -> None:
        await self.channel.send("shell", kind, content, subshell=self._subshell)

    def _receive(self, message: Message) -> None:
        content: dict[str, Any] = message["content"]
        kind = message["header"]["msg_type"]
        ours = content.get("comm_id") in (self._commands, self._events)
        if (kind == "comm_close" and ours) or content.get("execution_state") in ("restarting", "dead"):
            self._ended = True
        elif kind == "comm_msg" and ours:
            self._take(content["data"])
        self._news.set()

    def _take(self, data: dict[str, Any]) -> None:
        if "frame" in data:
            for event in decode_event_frame(data["frame"]).msgs:
                self._follow(event)
        elif "problem" in data:
            self._problems.append(decode_json(data["problem"], Problem))
        elif "ping" in data:
            self._pong = asyncio.ensure_future(self._say_on_commands({"pong": data["ping"]}))

    def _follow(self, event: Event) -> None:
        self.view.receive(event)
        match event:
            case Inquired():
                self._answers[event.request_id] = event
            case ConsentChanged(decided=decided):
                self.decided |= decided
            case CellsChanged(changes=changes):
                self.places |= {one.cell_id: one.after for one in changes if isinstance(one, InsertCell)}
            case Problem():
                self._problems.append(event)
            case _:
                pass
