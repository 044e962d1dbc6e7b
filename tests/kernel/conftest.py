"""A real ipykernel, driven as a front end drives it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pytest
import zmq
from jupyter_client import BlockingKernelClient, KernelManager
from jupyter_client.connect import port_names
from jupyter_core.paths import jupyter_runtime_dir
from msgspec import structs

from spark_jupyter.protocol.constants import COMMANDS_TARGET, EVENTS_TARGET
from spark_jupyter.protocol.message_frames import CommandFrame, decode_event_frame, encode
from spark_jupyter.protocol.messages import Attach, Command, Event
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import PROTOCOL_VERSION
from tests.nursery import Nursery

BUSY = "import time\nwhile True:\n    time.sleep(0.001)"
"""A cell that runs until it is interrupted."""


class Process(Protocol):
    """The process of a kernel."""

    def client(self) -> BlockingKernelClient: ...
    def interrupt(self) -> None: ...
    def end(self) -> None: ...


class Started:
    """A kernel that was started as Jupyter starts one."""

    def __init__(self) -> None:
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel()

    def client(self) -> BlockingKernelClient:
        return self._manager.client()

    def interrupt(self) -> None:
        self._manager.interrupt_kernel()

    def end(self) -> None:
        self._manager.shutdown_kernel(now=True)


class Forked:
    """A kernel from the nursery. It finds its own ports, and writes them into its file: those that were free when somebody chose them for
    it may be taken when it comes to them."""

    def __init__(self, nursery: Nursery) -> None:
        self._file = Path(jupyter_runtime_dir()) / f"kernel-{uuid.uuid4()}.json"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        key = {"key": uuid.uuid4().hex, "signature_scheme": "hmac-sha256"}
        place = {"transport": "tcp", "ip": "127.0.0.1", **dict.fromkeys(port_names, 0)}
        self._file.write_text(json.dumps({**key, **place, "kernel_name": ""}))
        self._kernel = nursery.start(str(self._file))

    def client(self) -> BlockingKernelClient:
        deadline = time.monotonic() + 120
        while not self._has_ports():
            assert time.monotonic() < deadline, "the kernel does not start"
            time.sleep(0.005)
        client = BlockingKernelClient(connection_file=str(self._file))
        client.load_connection_file()
        return client

    def _has_ports(self) -> bool:
        with suppress(FileNotFoundError, ValueError):  # it is writing
            told = json.loads(self._file.read_text())
            return all(told[name] for name in port_names)
        return False

    def interrupt(self) -> None:
        self._kernel.interrupt()

    def end(self) -> None:
        self._kernel.end()
        self._file.unlink(missing_ok=True)


class Kernel:
    """One kernel with its client; keeps every iopub message."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.client: BlockingKernelClient = process.client()
        self.client.context.setsockopt(zmq.RECONNECT_IVL, 5)
        self.client.start_channels()
        self.messages: list[dict[str, Any]] = []
        self._wait_ready()

    def _wait_ready(self) -> None:
        """Until it answers, and what it says to all arrives. The client's own ``wait_for_ready`` sleeps four tenths of a second besides."""
        deadline = time.monotonic() + 120
        asked: list[str] = []
        while not any(self.idle(message_id) for message_id in asked):
            assert time.monotonic() < deadline, "the kernel does not answer"
            asked.append(self.client.kernel_info())
            self.poll(timeout=0.5)
        for _ in asked:
            self.client.get_shell_msg(timeout=120)
        self.messages.clear()

    def close(self) -> None:
        self.client.stop_channels()
        self.process.end()

    def start(self, code: str, *, allow_stdin: bool = True, cell_id: str = "cell-1") -> str:
        """Begin to run a cell; its message id. With no ``cell_id`` as Jupyter console and QtConsole do."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": allow_stdin,
            "stop_on_error": True,
        }
        metadata = {"cellId": cell_id} if cell_id else {}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def start_busy(self) -> str:
        """Begin a cell that runs until it is interrupted; its message id. It runs already: an interrupt that comes while IPython tells
        others of a cell is taken in there, and the cell is run all the same."""
        message_id = self.start(f"print('busy')\n{BUSY}")
        self.until(lambda: self.of(message_id, "stream"))
        return message_id

    def complete(self, code: str) -> list[str]:
        """What Tab at the end of ``code`` offers."""
        reply: dict[str, Any] = self.client.complete(code, reply=True, timeout=120)
        matches: list[str] = reply["content"]["matches"]
        return matches

    def poll(self, timeout: float = 0.05) -> None:
        """Take in what has come."""
        from queue import Empty

        while True:
            try:
                self.messages.append(self.client.get_iopub_msg(timeout=timeout))
            except Empty:
                return
            timeout = 0.001

    def until(self, condition: Callable[[], Any], timeout: float = 120.0) -> Any:
        """Poll until ``condition()`` is true, and return it."""
        deadline = time.monotonic() + timeout
        while True:
            self.poll()
            value = condition()
            if value:
                return value
            assert time.monotonic() < deadline, f"it did not happen in time; the last messages: {self.messages[-5:]}"

    def of(self, message_id: str, kind: str) -> list[dict[str, Any]]:
        """The contents of a cell's messages of one kind."""
        return [
            message["content"]
            for message in self.messages
            if message["parent_header"].get("msg_id") == message_id and message["msg_type"] == kind
        ]

    def idle(self, message_id: str) -> bool:
        return any(content["execution_state"] == "idle" for content in self.of(message_id, "status"))

    def run(self, code: str, **options: Any) -> str:
        """Run a cell to its end; what it printed and showed. Fails where the cell raises."""
        message_id = self.start(code, **options)
        self.until(lambda: self.idle(message_id))
        errors = self.of(message_id, "error")
        assert not errors, "\n".join(errors[0]["traceback"])
        return self.text(message_id)

    def text(self, message_id: str) -> str:
        streams = "".join(content["text"] for content in self.of(message_id, "stream"))
        kinds = ("execute_result", "display_data", "update_display_data")
        contents = [content for kind in kinds for content in self.of(message_id, kind)]
        own = {_display_id(content) for content in self.of(message_id, "display_data")}
        updates = self.of(message_id, "update_display_data")
        # an update that was sent while this cell ran may be of a display that another cell opened
        shown = [content for content in contents if content not in updates or _display_id(content) in own]
        return streams + "".join(content["data"].get("text/plain", "") for content in shown)

    def payload(self, code: str) -> list[dict[str, Any]]:
        """What a cell asks the front end to do (``set_next_input``)."""
        return list(self.reply(self.start(code)).get("payload", []))

    def reply(self, message_id: str) -> dict[str, Any]:
        """The content of the reply to a request."""
        while True:
            reply = self.client.get_shell_msg(timeout=120)
            if reply["parent_header"].get("msg_id") == message_id:
                return dict(reply["content"])

    def send(self, kind: str, content: dict[str, Any], subshell: str | None = None) -> None:
        message = self.client.session.msg(kind, content)
        message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)

    def create_subshell(self) -> str:
        """As JupyterLab does for each comm target."""
        message = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(message)
        while True:
            reply = self.client.get_control_msg(timeout=120)
            if reply["msg_type"] == "create_subshell_reply":
                return str(reply["content"]["subshell_id"])


def _display_id(content: dict[str, Any]) -> str:
    return str(content.get("transient", {}).get("display_id", ""))


class FrontEnd:
    """What the labextension does on the wire: two comms on a subshell, frames of commands, frames of events."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        can_write: bool = True,
        last_seq: int = 0,
        life: str = "",
        events_last: bool = False,
        agent: str = "",
        notebook: str = "",
    ) -> None:
        self.kernel = kernel
        self.client_id = uuid.uuid4().hex
        self.subshell = kernel.create_subshell()
        self.commands, self.events = uuid.uuid4().hex, uuid.uuid4().hex
        self.seq = 0
        self._looked_at = 0  # so many of the kernel's messages
        self._frames: list[Any] = []
        self.open(self.commands, COMMANDS_TARGET, {})
        if not events_last:
            self.open(self.events, EVENTS_TARGET, {"client_id": self.client_id})
        who = Attach(client_id=self.client_id, can_write=can_write, last_seq=last_seq, life=life, agent=agent)
        attach = structs.replace(who, notebook=notebook)
        self._send(CommandFrame(v=PROTOCOL_VERSION, seq=0, msgs=(attach,)))
        if events_last:
            kernel.until(lambda: self.answers)
            self.open(self.events, EVENTS_TARGET, {"client_id": self.client_id})
        # it has threads of its own in the kernel: another one, or a cell, could come before it
        kernel.until(lambda: self.view.hello.life or self.problems)

    @property
    def problems(self) -> list[str]:
        return [answer["problem"] for answer in self.answers if "problem" in answer]

    def open(self, comm_id: str, target: str, data: dict[str, Any]) -> None:
        self.kernel.send("comm_open", {"comm_id": comm_id, "target_name": target, "data": data}, self.subshell)

    def say(self, *commands: Command, version: int = PROTOCOL_VERSION) -> None:
        self.seq += 1
        self._send(CommandFrame(v=version, seq=self.seq, msgs=commands))

    def _send(self, frame: CommandFrame) -> None:
        data = {"frame": encode(frame).decode()}
        self.kernel.send("comm_msg", {"comm_id": self.commands, "data": data}, self.subshell)

    def close(self) -> None:
        for comm_id in (self.commands, self.events):
            self.kernel.send("comm_close", {"comm_id": comm_id, "data": {}}, self.subshell)

    def _data(self, comm_id: str, first: int = 0) -> list[dict[str, Any]]:
        return [
            message["content"]["data"]
            for message in self.kernel.messages[first:]
            if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == comm_id
        ]

    @property
    def answers(self) -> list[dict[str, Any]]:
        return self._data(self.commands)

    @property
    def frames(self) -> list[Any]:
        """All that have come. Each is read once: who waits asks for them often."""
        new = self._data(self.events, self._looked_at)
        self._looked_at = len(self.kernel.messages)
        self._frames += [decode_event_frame(data["frame"]) for data in new if "frame" in data]
        return list(self._frames)

    @property
    def said(self) -> list[Event]:
        return [event for frame in self.frames for event in frame.msgs]

    @property
    def view(self) -> TurnView:
        view = TurnView()
        view.receive_all(self.said)
        return view


@pytest.fixture
def start_kernel(script_environment, nursery) -> Iterator[Callable[..., Kernel]]:
    """A fresh kernel whose provider plays these answers; ended with the test. ``alone`` starts it as Jupyter does, without the nursery."""
    running: list[Kernel] = []

    def start(answers: Sequence[dict[str, Any]], *, alone: bool = False, **options: Any) -> Kernel:
        script_environment(answers, **options)
        running.append(Kernel(Started() if alone else Forked(nursery)))
        return running[-1]

    yield start
    for kernel in running:
        kernel.close()
