"""Websocket of a Jupyter server to one kernel: requests, replies and broadcasts.

The messages are Jupyter's own (https://jupyter-client.readthedocs.io/en/stable/messaging.html), in the server's JSON form: an object with
the ``channel`` beside header, parent header, metadata and content.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jupyter_client.jsonutil import json_default
from jupyter_client.session import Session
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from spark_jupyter.agents.jupyter_servers import TIMEOUT, JupyterServer
from spark_jupyter.exceptions import NotebookError

Message = dict[str, Any]
Listener = Callable[[Message], None]
LARGEST_MESSAGE = 64 * 2**20
"""Bytes."""


class KernelChannel:
    """An open websocket. ``listener`` is called with every message that comes."""

    def __init__(self, socket: WebSocketClientConnection, session_id: str) -> None:
        self._socket = socket
        self._session = Session(session=session_id)
        self._listeners: list[Listener] = []
        self._reading = asyncio.create_task(self._read())
        self.closed = False

    @classmethod
    async def open(cls, server: JupyterServer, kernel_id: str) -> KernelChannel:
        """Connect. Raises :class:`~spark_jupyter.exceptions.NotebookError` where that fails."""
        session_id = uuid.uuid4().hex
        url = f"ws{server.url.removeprefix('http')}api/kernels/{kernel_id}/channels?session_id={session_id}"
        request = HTTPRequest(url, headers=server.headers, connect_timeout=TIMEOUT)
        try:
            socket = await websocket_connect(request, max_message_size=LARGEST_MESSAGE)
        except (HTTPClientError, OSError) as error:
            # before its first connection the server asks the kernel what it is, which a kernel that runs a cell answers later
            remedy = "If it runs a cell, and no browser has shown the notebook yet, try again when the cell has ended."
            raise NotebookError(f"The kernel can't be reached ({error}).", remedy=remedy) from None
        return cls(socket, session_id)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have ``listener`` called with every message from now on. Returns what ends that."""
        self._listeners.append(listener)

        def stop() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    async def send(
        self, channel: str, kind: str, content: Message, *, subshell: str | None = None, **metadata: object
    ) -> str:
        """Send a message. Returns its id."""
        message = self._session.msg(kind, content, metadata=metadata)
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        message["channel"] = channel
        if self.closed:
            raise NotebookError("The connection to the kernel is closed.", remedy="Call the tool again.")
        await self._socket.write_message(json.dumps(message, default=json_default))
        return str(message["header"]["msg_id"])

    async def request(self, channel: str, kind: str, content: Message, *, timeout: float) -> Message | None:
        """Send a request and wait for the content of its reply; None where none comes in time."""
        reply: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        sent: list[str] = []

        def listener(message: Message) -> None:
            if message["channel"] == channel and message["parent_header"].get("msg_id") in sent and not reply.done():
                reply.set_result(message["content"])

        stop = self.listen(listener)
        try:
            sent.append(await self.send(channel, kind, content))
            return await asyncio.wait_for(reply, timeout)
        except TimeoutError:
            return None
        finally:
            stop()

    async def close(self) -> None:
        """Disconnect. Idempotent."""
        self.closed = True
        self._socket.close()
        await asyncio.wait({self._reading}, timeout=1)

    async def _read(self) -> None:
        while (data := await self._socket.read_message()) is not None:
            if isinstance(data, str):  # binary messages carry buffers, which nothing here uses
                message = json.loads(data)
                for listener in tuple(self._listeners):
                    listener(message)
        self.closed = True
