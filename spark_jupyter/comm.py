"""The Jupyter comms: bytes ↔ messages, for every front end in a browser.

Two comms with distinct targets, both opened by the front end. On :data:`COMMANDS` it sends, and the kernel answers only from
the handler of what it sent; on :data:`EVENTS` the kernel sends, and the front end never does after opening. The reason is
ipykernel 7.4: a message that the kernel sends on a comm while a cell runs makes the front end's later messages on that
comm go to the main shell, behind the cell. With two comms commands stay on their subshell and work while a cell runs.

=============================  ==================================================================
front end → kernel, COMMANDS   ``{"frame": JSON of a CommandFrame}``
kernel → front end, COMMANDS   ``{"ack": seq}``, with ``"problem": JSON of a Problem`` where it was not taken
front end → kernel, EVENTS     on opening only: ``{"client_id": …}``
kernel → front end, EVENTS     ``{"frame": JSON of an EventFrame}``
=============================  ==================================================================
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from msgspec import structs

from spark_jupyter.engine import Engine
from spark_jupyter.messages import (
    PROTOCOL_VERSION,
    Attach,
    Command,
    EventFrame,
    Hello,
    Problem,
    Prompt,
    Resend,
    decode_command_frame,
    encode,
)

COMMANDS = "spark_jupyter.commands"
EVENTS = "spark_jupyter.events"


class Comm(Protocol):
    """What is used of :class:`comm.base_comm.BaseComm`."""

    comm_id: str

    def send(self, data: dict[str, Any]) -> None:
        """To the front end."""

    def close(self) -> None:
        """End it."""

    def on_msg(self, callback: Any) -> None:
        """Have messages handled."""

    def on_close(self, callback: Any) -> None:
        """Have the end handled."""


class Client:
    """One front end: a browser tab, or a widget."""

    def __init__(self, events: Comm) -> None:
        self.events = events
        self.attach: Attach | None = None
        self.unsubscribe: Callable[[], None] = lambda: None


class CommHub:
    """Connects the front ends of one kernel with its engine.

    ``subshells`` says whether the kernel can take commands while a cell runs. The client that asked last is the writer, if it can
    write cells; before anyone asked, and when it goes, it is the first that can.
    """

    def __init__(self, engine: Engine, *, subshells: bool) -> None:
        self._engine = engine
        self._subshells = subshells
        self._lock = threading.RLock()  # handlers of the two comms run in threads of their own
        self._clients: dict[str, Client] = {}
        self._early: dict[str, Attach] = {}
        self._asked_last = ""
        self._client_of: dict[str, str] = {}  # the commands comm's id → the client that attached by it

    # --- registering -------------------------------------------------------------------------------------------------

    def register(self, comm_manager: Any) -> None:
        """Take both targets."""
        comm_manager.register_target(COMMANDS, self.open_commands)
        comm_manager.register_target(EVENTS, self.open_events)

    def unregister(self, comm_manager: Any) -> None:
        """Give both targets back and close what is open."""
        comm_manager.unregister_target(COMMANDS, self.open_commands)
        comm_manager.unregister_target(EVENTS, self.open_events)
        for client_id in tuple(self._clients):
            client = self._clients[client_id]
            self._leave(client_id)
            client.events.close()

    @property
    def writer(self) -> str | None:
        """The id of the client that writes cells, None where none can."""
        able = [
            client_id
            for client_id, client in tuple(self._clients.items())
            if client.attach is not None and client.attach.can_write
        ]
        return self._asked_last if self._asked_last in able else next(iter(able), None)

    # --- comms ---------------------------------------------------------------------------------------------------------

    def open_events(self, comm: Comm, message: dict[str, Any]) -> None:
        """A front end opens the comm on which it wants its events."""
        client_id = message["content"]["data"].get("client_id", "")
        with self._lock:
            if client_id in self._clients:
                self._leave(client_id)
            client = self._clients[client_id] = Client(comm)
            early = self._early.pop(client_id, None)
        comm.on_close(lambda _: self._leave(client_id, client))
        if early is not None:
            self._attach(early)

    def open_commands(self, comm: Comm, message: dict[str, Any]) -> None:
        """A front end opens the comm on which it sends commands."""
        comm.on_msg(lambda message: self.receive_frame(comm, message["content"]["data"]))
        comm.on_close(lambda _: self._client_of.pop(comm.comm_id, None))

    def receive_frame(self, comm: Comm, data: dict[str, Any]) -> None:
        """Take in one frame of commands, and answer it."""
        try:
            frame = decode_command_frame(data.get("frame", ""))
        except msgspec.DecodeError as error:
            self._answer(comm, 0, Problem(code="protocol_error", message=f"That frame can't be read: {error}."))
            return
        if frame.v != PROTOCOL_VERSION:
            message = f"The panel speaks version {frame.v} of the protocol, the kernel version {PROTOCOL_VERSION}."
            remedy = "Install the same version of spark-jupyter for JupyterLab and for the kernel, and reload the page."
            self._answer(comm, frame.seq, Problem(code="protocol_error", message=message, remedy=remedy))
            comm.close()
            return
        problem = None
        for command in frame.msgs:
            problem = self._receive(command, comm) or problem
        self._answer(comm, frame.seq, problem)

    # --- inside --------------------------------------------------------------------------------------------------------

    def _answer(self, comm: Comm, seq: int, problem: Problem | None) -> None:
        answer: dict[str, Any] = {"ack": seq}
        if problem is not None:
            answer["problem"] = encode(problem).decode()
        comm.send(answer)

    def _receive(self, command: Command, comm: Comm) -> Problem | None:
        match command:
            case Attach(client_id=client_id):
                self._client_of[comm.comm_id] = client_id
                self._attach(command)
            case Resend(from_seq=from_seq):
                client = self._clients.get(self._client_of.get(comm.comm_id, ""))
                if client is None:
                    return Problem(code="protocol_error", message="Attach before asking for frames again.")
                self._engine.resend(lambda frame: self._send(client, frame), from_seq=from_seq)
            case _:
                if isinstance(command, Prompt):
                    self._hand_pen_to(self._client_of.get(comm.comm_id, ""))
                self._engine.submit(command)
        return None

    def _hand_pen_to(self, client_id: str) -> None:
        """Where a prompt comes from, there its cells are written: the writer so far may be a tab that crashed and never said so."""
        with self._lock:
            before, self._asked_last = self.writer, client_id
            changed = self.writer != before
        if changed:
            self._engine.say_hello()

    def _attach(self, command: Attach) -> None:
        """Give a client its events, from now on. Each comm has a subshell of its own, so the command may come before the comm that it
        needs is open: then it waits for that."""
        with self._lock:
            client = self._clients.get(command.client_id)
            if client is None:
                self._early[command.client_id] = command
                return
            client.unsubscribe()
            client.attach = command
            client.unsubscribe = self._engine.subscribe(
                lambda frame: self._send(client, frame), last_seq=command.last_seq
            )

    def _send(self, client: Client, frame: EventFrame) -> None:
        """On the engine's thread. What a Hello says of the client itself is filled in here."""
        if any(isinstance(event, Hello) for event in frame.msgs):
            writer = self._clients.get(self.writer or "") is client
            frame = structs.replace(
                frame,
                msgs=tuple(
                    structs.replace(event, writer=writer, subshells=self._subshells)
                    if isinstance(event, Hello)
                    else event
                    for event in frame.msgs
                ),
            )
        client.events.send({"frame": encode(frame).decode()})

    def _leave(self, client_id: str, client: Client | None = None) -> None:
        """A front end is gone. Where it was the writer, the next one is told that it writes now."""
        with self._lock:
            known = self._clients.get(client_id)
            if known is None or (client is not None and known is not client):
                return
            before = self.writer
            del self._clients[client_id]
            known.unsubscribe()
            heir = self.writer
        if heir is not None and heir != before:
            self._engine.say_hello()


def subshells_supported(kernel: Any) -> bool:
    """Whether this kernel runs comm handlers beside a running cell (ipykernel ≥ 7 does)."""
    return bool(getattr(kernel, "_supports_kernel_subshells", False))
