"""Hub of the clients in a browser, over two Jupyter comms.

Two comms with distinct targets (:mod:`spark_jupyter.protocol.constants`), both opened by the client. On COMMANDS_TARGET it sends, and
the kernel answers only from the handler of what it sent; on EVENTS_TARGET the kernel sends, and the client never does after opening.
The reason is ipykernel 7.4: a message that the kernel sends on a comm while a cell runs makes the client's later messages on that
comm go to the main shell, behind the cell. With two comms commands stay on their subshell and work while a cell runs.

=========================  ======================================================================
client → kernel, COMMANDS  ``{"frame": JSON of a CommandFrame}``
kernel → client, COMMANDS  ``{"ack": n}``: the number of the last frame that was taken from that
                           client; with ``"problem": JSON of a Problem`` where one was not understood
client → kernel, EVENTS    on opening only: ``{"client_id": …}``
kernel → client, EVENTS    ``{"frame": JSON of an EventFrame}``; with the number 0 it is for this client
                           alone, is not kept and can't be asked for again
kernel → client, EVENTS    ``{"ping": 1}``: are you still there?
client → kernel, COMMANDS  ``{"pong": 1}``: yes. Not acknowledged
=========================  ======================================================================

Frames of commands are taken in order and each once, whatever way and however often they come: a client sends again what was
not acknowledged. Attach and Resend come in frames with the number 0, which are not counted: to take them twice is harmless.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import structs

from spark_jupyter.author_rules import file_rules, strictest
from spark_jupyter.engine.client_registry import Clients
from spark_jupyter.engine.comm_clients import Client, Comm, Opening
from spark_jupyter.engine.completion_socket import Send, Take
from spark_jupyter.engine.engine import Engine
from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.agent_messages import CellsRequested, Inquire, TellCells
from spark_jupyter.protocol.completion_messages import Complete, Completed, DropCompletion
from spark_jupyter.protocol.constants import COMMANDS_TARGET, EVENTS_TARGET
from spark_jupyter.protocol.deep_messages import BeginDeep
from spark_jupyter.protocol.draft_messages import BeginDraft, DropDraft
from spark_jupyter.protocol.message_frames import CommandFrame, EventFrame, decode_command_frame, encode, frame_number
from spark_jupyter.protocol.messages import Attach, Command, Hello, Problem, Prompt, PromptRequested, Resend
from spark_jupyter.protocol.next_edit_messages import FindNextEdits
from spark_jupyter.protocol.provider_messages import ListMentions, SetOwnKey
from spark_jupyter.protocol.rule_messages import ListRules
from spark_jupyter.protocol.values import PROTOCOL_VERSION
from spark_jupyter.session.agent_access import as_agent
from spark_jupyter.typed_decoders import convert

PING_INTERVAL = 0.25
"""Seconds between two pings where there are several clients and a turn streams: a writer that went is replaced within a second."""
QUIET_PINGS = 8
"""Of so many pings one is sent where nothing streams: each wakes the kernel and every page."""
REQUEST_TIMEOUT = 3.0
"""Seconds for which a writer may take to send a prompt that it was asked for: a tab in the background may sleep."""


class CommHub:
    """Connects the clients of one kernel with its engine.

    ``subshells`` says whether the kernel can take commands while a cell runs. Who writes is decided by
    :class:`~spark_jupyter.engine.client_registry.Clients`.
    """

    def __init__(self, engine: Engine, *, subshells: bool) -> None:
        self._engine = engine
        self._subshells = subshells
        self._life = secrets.token_hex(4)
        self._lock = threading.RLock()  # handlers of the two comms run in threads of their own
        self._clients = Clients()
        self._early: dict[str, Attach] = {}
        self._commands: dict[str, Comm] = {}  # the open commands comms, by id
        self._client_of: dict[str, str] = {}  # a commands comm's id → the client that attached by it
        self._taken: dict[str, int] = {}  # client → the last frame that was taken; outlives its comms
        self._requested: dict[
            str, Prompt | BeginDeep | None
        ] = {}  # by turn or work; None once it was sent without the writer
        self._inquired: dict[str, tuple[Client, Inquire]] = {}  # the questions for the writer's cells, by request
        self._stop_pinging: Callable[[], None] | None = None
        self._skipped_pings = 0

    # --- registering -------------------------------------------------------------------------------------------------

    def register(self, comm_manager: Any) -> None:
        comm_manager.register_target(COMMANDS_TARGET, self.open_commands)
        comm_manager.register_target(EVENTS_TARGET, self.open_events)

    def unregister(self, comm_manager: Any) -> None:
        comm_manager.unregister_target(COMMANDS_TARGET, self.open_commands)
        comm_manager.unregister_target(EVENTS_TARGET, self.open_events)
        for client_id in self._clients.ids:
            client = self._clients.get(client_id)
            if client is not None:
                self._leave(client)
                client.events.close()
        with self._lock:
            comms = tuple(self._commands.values())
            self._commands.clear()
        for comm in comms:
            comm.close()

    def open_files(self, paths: Sequence[str]) -> None:
        """The kernel was started for these notebooks: their authors' rules count, whoever attaches."""
        with self._lock:
            self._clients.own_rules = strictest([file_rules(path) for path in paths])
            self._engine.restrict(self._clients.author_rules)

    @property
    def writer(self) -> str | None:
        """The id of the client that writes cells, None where none can."""
        with self._lock:
            client = self._clients.writer
        return client.id if client is not None else None

    @property
    def is_shown(self) -> bool:
        """Whether a page has a notebook of this kernel open. Waits for nobody, so any thread may ask."""
        clients = self._clients
        return any(one.can_write and not clients.heartbeat.is_silent(one.id) for one in clients.attached)

    def request_prompt(self, command: Prompt | BeginDeep, *, waits: bool) -> bool:
        """Have the writer send this prompt with its notebook's cells and outputs: who asks by a magic knows only the inputs that ran. Of
        the cells only the one that the prompt is about goes along. Where the writer does not send it in time, the prompt goes as it is.
        Deep work is begun so, too: as a prompt with the work's id.

        Of several notebooks, the one that has the prompt's cell sends it. False where nobody writes; and where the magic ``waits`` while
        the kernel takes no commands beside a running cell.
        """
        prompt = _prompt_of(command)
        with self._lock:
            client = self._clients.writer
            if client is None or (waits and not self._subshells):
                return False
            writers = self._clients.writers
            placed = structs.replace(command, document=client.document) if isinstance(command, Prompt) else command
            self._requested[prompt.turn_id] = placed  # or every notebook of the kernel would write it
        cells = tuple(cell for cell in prompt.cells if cell.id == prompt.active)
        for writer in writers:
            self._engine.tell(writer.receive, PromptRequested(prompt=structs.replace(prompt, cells=cells)))
        self._engine.after(REQUEST_TIMEOUT, lambda: self._send_unanswered(prompt.turn_id))
        return True

    def open_line(self, attach: Attach, send: Send) -> Take | None:
        """A client that is attached has a shorter way for ghost text, too. On the engine's thread."""
        with self._lock:
            client = self._clients.get(attach.client_id)
            if client is None or client.attach is None or attach.life != self._life:
                return None
            client.line = send
        return lambda command: self._engine.answer_here(client.receive, command)

    # --- comms ---------------------------------------------------------------------------------------------------------

    def open_events(self, comm: Comm, message: dict[str, Any]) -> None:
        """A client opens the comm on which it wants its events."""
        try:
            client_id = convert(message["content"]["data"], Opening).client_id
        except msgspec.ValidationError:
            comm.close()
            return
        with self._lock:
            if (before := self._clients.get(client_id)) is not None:
                self._leave(before)
            client = Client(client_id, comm, receive=self._send)
            self._clients.add(client)
            early = self._early.pop(client_id, None)
        comm.on_close(lambda _: self._leave(client))
        if early is not None:
            self._attach(early)

    def open_commands(self, comm: Comm, message: dict[str, Any]) -> None:
        """A client opens the comm on which it sends commands."""
        self._commands[comm.comm_id] = comm
        # Not by on_msg: it runs the hooks of cells around a message, and matplotlib's shows and closes what a running cell is drawing.
        comm.handle_msg = lambda message: self.receive(comm, message["content"]["data"])
        comm.on_close(lambda _: self._forget(comm))

    def receive(self, comm: Comm, data: object) -> None:
        """Take in what a client says. After :meth:`unregister` nothing is taken, and nothing acknowledged. Any script in the page can send
        on a comm: data that is not a message is ignored."""
        with self._lock:
            if comm.comm_id not in self._commands or not isinstance(data, dict):
                return
            self._heard(comm)
            if "pong" not in data:
                self._receive_frame(comm, str(data.get("frame", "")))

    # --- inside --------------------------------------------------------------------------------------------------------

    def _receive_frame(self, comm: Comm, text: str) -> None:
        try:
            frame = decode_command_frame(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            self._taken_next(comm, frame_number(text))  # to send it again would be of no use
            self._answer(comm, Problem(code="protocol_error", message=f"That frame can't be read: {error}."))
            return
        if frame.v != PROTOCOL_VERSION:
            message = f"The panel speaks version {frame.v} of the protocol, the kernel version {PROTOCOL_VERSION}."
            remedy = "Install the same version of spark-jupyter for JupyterLab and for the kernel, and reload the page."
            self._answer(comm, Problem(code="protocol_error", message=message, remedy=remedy))
            comm.close()
            return
        self._answer(comm, self._receive_commands(frame, comm))

    def _receive_commands(self, frame: CommandFrame, comm: Comm) -> Problem | None:
        problem = None
        if frame.seq == 0 and not all(isinstance(command, Attach | Resend) for command in frame.msgs):
            return Problem(code="protocol_error", message="Only Attach and Resend come without a number.")
        if frame.seq == 0 or self._taken_next(comm, frame.seq):
            for command in frame.msgs:
                problem = self._unwelcome(command) or self._receive(command, comm) or problem
        elif comm.comm_id not in self._client_of:
            return Problem(code="protocol_error", message="Attach before sending commands.")
        return problem

    def _unwelcome(self, command: Command) -> Problem | None:
        """The problem of an agent that attaches where agents are not allowed."""
        refused = self._engine.policy.refusal("agents") if isinstance(command, Attach) and command.agent else None
        return Problem.of(refused) if refused is not None else None

    def _taken_next(self, comm: Comm, seq: int) -> bool:
        """True if the frame is the next one of its client; then it counts as taken. Others were taken before, or come too early."""
        client_id = self._client_of.get(comm.comm_id)
        if client_id is None or seq != self._taken[client_id] + 1:
            return False
        self._taken[client_id] = seq
        return True

    def _answer(self, comm: Comm, problem: Problem | None) -> None:
        answer: dict[str, Any] = {"ack": self._taken.get(self._client_of.get(comm.comm_id, ""), 0)}
        if problem is not None:
            answer["problem"] = encode(problem).decode()
        comm.send(answer)

    def _forget(self, comm: Comm) -> None:
        with self._lock:
            self._commands.pop(comm.comm_id, None)
            self._client_of.pop(comm.comm_id, None)

    def _receive(self, command: Command, comm: Comm) -> Problem | None:
        client = self._clients.get(self._client_of.get(comm.comm_id))
        if client is not None and client.attach is not None and client.attach.agent:
            return self._receive_from_agent(command, client, client.attach.agent)
        match command:
            case Attach(client_id=client_id):
                self._client_of[comm.comm_id] = client_id
                if command.life != self._life or client_id not in self._taken:
                    self._taken[client_id] = command.next_seq - 1
                self._attach(command)
            case Resend(from_seq=from_seq):
                if client is None:
                    return Problem(code="protocol_error", message="Attach before asking for frames again.")
                self._engine.resend(client.receive, from_seq=from_seq)
            case TellCells():
                self._answer_cells(command.request_id, command)
            case ListMentions() | ListRules() | Complete() | DropCompletion() | FindNextEdits() | DropDraft():
                if client is not None:
                    self._engine.answer_alone(client.receive, command)
            case SetOwnKey() | BeginDraft():
                if client is not None:
                    self._engine.answer_alone(client.receive, structs.replace(command, by=client.person))
            case Prompt():
                self._receive_prompt(command, client)
            case _:
                self._engine.submit(client.stamped(command) if client is not None else command)
        return None

    def _receive_prompt(self, command: Prompt, client: Client | None) -> None:
        """Take a prompt of a person's, or one that the writer was asked to send for a magic or an agent: nobody knows whose that is."""
        requested = self._requested.pop(command.turn_id, command)
        if requested is None:
            return  # the writer was late: the prompt went without it
        with self._watching_pens():
            self._clients.take_pen(client)  # the present writer may be a tab that crashed without notice
        if isinstance(requested, BeginDeep):
            self._engine.submit(structs.replace(requested, cells=command.cells))
            return
        by = client.person if client is not None and requested is command else None
        prompt = structs.replace(requested, cells=command.cells) if requested.proposes else command
        document = client.document if client is not None else ""
        self._engine.submit(structs.replace(prompt, by=by, document=document))

    def _receive_from_agent(self, command: Command, client: Client, agent: str) -> Problem | None:
        """The cells of an open notebook are the writer's to say: it is asked for them where an agent proposes or reads."""
        try:
            command = as_agent(command, agent)
        except SparkError as error:
            return Problem.of(error)
        if isinstance(command, Prompt) and self.request_prompt(command, waits=False):
            return None
        if not isinstance(command, Inquire):
            self._engine.submit(command)
            return None
        writer = self._clients.writer if command.question == "cells" else None
        if writer is None:
            self._engine.answer_alone(client.receive, command)
            return None
        self._inquired[command.request_id] = (client, command)
        self._engine.tell(writer.receive, CellsRequested(request_id=command.request_id))
        self._engine.after(REQUEST_TIMEOUT, lambda: self._answer_cells(command.request_id))
        return None

    def _answer_cells(self, request_id: str, told: TellCells | None = None) -> None:
        """Answer an agent with the writer's cells; None stands for those of the file, because the writer sleeps."""
        with self._lock:
            client, question = self._inquired.pop(request_id, (None, None))
        if client is None or question is None:
            return
        if told is not None:
            question = structs.replace(question, cells=told.cells, live=True)
        self._engine.answer_alone(client.receive, question)

    def _send_unanswered(self, requested: str) -> None:
        """On the engine's thread: the writer has had its time."""
        with self._lock:
            command = self._requested.get(requested)
            if command is not None:
                self._requested[requested] = None
        if command is not None:
            self._engine.submit(command)

    @contextmanager
    def _watching_pens(self) -> Iterator[None]:
        """Whatever happens inside: where another client writes after it, everybody is told."""
        with self._lock:
            before = self._clients.settled()
            yield
            after = self._clients.settled()
        if any(before.get(document) != client_id for document, client_id in after.items()):
            self._engine.say_hello()

    def _heard(self, comm: Comm) -> None:
        with self._watching_pens():
            self._clients.heartbeat.answered(self._client_of.get(comm.comm_id, ""))

    def _ping_clients(self) -> None:
        """On the engine's thread, every :data:`PING_INTERVAL` while there are several; where nothing streams, most are left out."""
        self._skipped_pings += 1
        if not self._engine.streams and self._skipped_pings < QUIET_PINGS:
            return
        self._skipped_pings = 0
        with self._watching_pens():
            attached = self._clients.attached
            self._clients.heartbeat.ping(client.id for client in attached)
        for client in attached:
            client.events.send({"ping": 1})
        if len(attached) < 2 and self._stop_pinging is not None:
            self._stop_pinging()
            self._stop_pinging = None

    def _attach(self, command: Attach) -> None:
        """Give a client its events, from now on. Each comm has a subshell of its own, so the command may come before the comm that it
        needs is open: then it waits for that."""
        with self._lock:
            client = self._clients.get(command.client_id)
            if client is None:
                self._early[command.client_id] = command
                return
            client.unsubscribe()
            with self._watching_pens():
                self._clients.attach(client, command)
            self._engine.restrict(self._clients.author_rules)
            self._engine.enter(command.notebook)
            last_seq = command.last_seq if command.life == self._life else 0  # another life has other frames
            client.unsubscribe = self._engine.subscribe(client.receive, last_seq=last_seq)
            if len(self._clients.ids) > 1 and self._stop_pinging is None:
                self._stop_pinging = self._engine.repeat(self._ping_clients, every=PING_INTERVAL)

    def _send(self, client: Client, frame: EventFrame) -> None:
        """On the engine's thread. What a Hello says of the client itself is filled in here."""
        short = frame.seq == 0 and frame.msgs and all(isinstance(event, Completed) for event in frame.msgs)
        if short and client.line is not None and client.line(frame):
            return
        if any(isinstance(event, Hello) for event in frame.msgs):
            with self._lock:
                policy = self._engine.policy_info(client.person)
                frame = self._clients.introduced(
                    frame, client, subshells=self._subshells, life=self._life, policy=policy
                )
        client.events.send({"frame": encode(frame).decode()})

    def _leave(self, client: Client) -> None:
        """A client is gone. Where it was the writer, the next one is told that it writes now."""
        with self._watching_pens():
            self._clients.remove(client)
        client.unsubscribe()


def subshells_supported(kernel: Any) -> bool:
    """True if this kernel runs comm handlers beside a running cell (ipykernel ≥ 7 does)."""
    return bool(getattr(kernel, "_supports_kernel_subshells", False))


def _prompt_of(command: Prompt | BeginDeep) -> Prompt:
    if isinstance(command, Prompt):
        return command
    return Prompt(turn_id=command.work_id, text=command.text, target=command.target, cells=command.cells)
