"""Request to the kernel to run a cell, for the widget.

A handler of a button runs in a subshell's thread, where user code must never run and whose prints belong to no cell. So this is one more
client of the kernel, in the same process: the code waits behind the running cell, can be interrupted, counts in the history, and its
outputs come back as messages.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from msgspec import Struct

INTERVAL = 0.1
"""Seconds between two reports of the outputs."""
MOST_TEXT = 200_000
"""Characters of an output stream that are kept: its end. A loop that prints for ever must not fill the browser."""

Outputs = tuple[dict[str, Any], ...]
"""As in nbformat: the outputs of a cell."""


class Job(Struct, frozen=True, kw_only=True):
    """A source to run. ``begin`` is called when its turn has come, ``show`` gets the outputs so far, ``end`` is told whether it
    ended well; all in the worker's thread."""

    source: str
    begin: Callable[[], None]
    show: Callable[[Outputs], None]
    end: Callable[[bool], None]


class Collected:
    """iopub messages → the outputs of a cell."""

    def __init__(self) -> None:
        self._outputs: list[dict[str, Any]] = []
        self._places: dict[str, int] = {}  # display id → which output
        self._clear_next = False

    @property
    def outputs(self) -> Outputs:
        return tuple(self._outputs)

    def receive(self, message: dict[str, Any]) -> None:
        """Take in one message; kinds that show nothing change nothing."""
        kind, content = message["msg_type"], message["content"]
        if kind == "clear_output":
            if content.get("wait"):
                self._clear_next = True
            else:
                self._clear()
        elif kind == "stream":
            self._stream(content["name"], content["text"])
        elif kind == "update_display_data":
            self._update(content)
        elif kind in ("display_data", "execute_result", "error"):
            self._add(kind, content)

    def _clear(self) -> None:
        self._outputs, self._places, self._clear_next = [], {}, False

    def _stream(self, name: str, text: str) -> None:
        if self._clear_next:
            self._clear()
        last = self._outputs[-1] if self._outputs else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            text = last["text"] + text
            self._outputs.pop()
        self._outputs.append({"output_type": "stream", "name": name, "text": text[-MOST_TEXT:]})

    def _add(self, kind: str, content: dict[str, Any]) -> None:
        if self._clear_next:
            self._clear()
        display_id = content.get("transient", {}).get("display_id")
        if display_id:
            self._places[display_id] = len(self._outputs)
        self._outputs.append({"output_type": kind, **{key: content[key] for key in content if key != "transient"}})

    def _update(self, content: dict[str, Any]) -> None:
        place = self._places.get(content.get("transient", {}).get("display_id", ""))
        if place is not None:
            self._outputs[place] = self._outputs[place] | {"data": content["data"], "metadata": content["metadata"]}


class OwnKernel:
    """The kernel that this process is, as a client sees it. One cell after the other, in the order in which they are asked for."""

    def __init__(self, connection_file: Callable[[], str] | None = None) -> None:
        self._connection_file = connection_file or _own_connection_file
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def run(self, job: Job) -> None:
        """Have a source run when its turn comes. Returns at once."""
        self._jobs.put(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="spark-run", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Run nothing more and listen no more. What runs is not interrupted. Idempotent."""
        self._closed.set()
        self._jobs.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    def _work(self) -> None:
        from jupyter_client.blocking.client import BlockingKernelClient

        client = BlockingKernelClient(connection_file=self._connection_file())
        client.load_connection_file()
        client.start_channels(stdin=False, hb=False)
        try:
            _wait_until_heard(client)
            while (job := self._jobs.get()) is not None and not self._closed.is_set():
                self._run(client, job)
        finally:
            client.stop_channels()

    def _run(self, client: Any, job: Job) -> None:
        asked = client.execute(job.source, store_history=True, allow_stdin=False, stop_on_error=False)
        collected, due = Collected(), 0.0
        shown: Outputs = ()
        while not self._closed.is_set():
            message = _next(client.get_iopub_msg)
            ended = False
            if message is not None and message["parent_header"].get("msg_id") == asked:
                collected.receive(message)
                if message["msg_type"] == "execute_input":
                    job.begin()
                ended = message["content"].get("execution_state") == "idle"
            if collected.outputs != shown and (ended or monotonic() >= due):
                shown, due = collected.outputs, monotonic() + INTERVAL
                job.show(shown)
            if ended:
                job.end(self._went_well(client, asked))
                return

    def _went_well(self, client: Any, asked: str) -> bool:
        while not self._closed.is_set():
            reply = _next(client.get_shell_msg)
            if reply is not None and reply["parent_header"].get("msg_id") == asked:
                return bool(reply["content"]["status"] == "ok")
        return False


def _next(get: Callable[..., dict[str, Any]]) -> dict[str, Any] | None:
    try:
        return get(timeout=INTERVAL)
    except Empty:
        return None


def _wait_until_heard(client: Any) -> None:
    """A subscription takes effect some time after it is asked for. The control channel answers while a cell runs, too."""
    while True:
        client.control_channel.send(client.session.msg("kernel_info_request"))
        if _next(client.get_iopub_msg) is not None:
            return


def _own_connection_file() -> str:
    from ipykernel.connect import get_connection_file

    return str(get_connection_file())
