"""Extension of the Jupyter server: frames without delay, quiet comms, sockets, kept keys.

jupyter_server leaves Nagle's algorithm on for kernel websockets. A small frame then waits for the acknowledgement of
the one before it, which browsers delay by up to 40 ms. And every comm message that a kernel handles sends a "busy" and
an "idle" status; JupyterLab shows the "idle" although a cell still runs, unless the server lists the comm messages as
untracked. A line is a short way to a kernel (line_proxy.py). Sound becomes text (voice/voice_socket.py). Keys that a
person pastes are kept here for all kernels (connection/key_server.py). The conversations of a notebook stay with it when it is
renamed. Where another extension would have a kernel answer one page in place of another, it answers each. Nothing else depends on this
extension for its correctness.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zmq
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.session import new_id
from jupyter_server.services.contents.manager import ContentsManager
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from jupyter_server.utils import ApiPath, to_os_path
from traitlets import Dict
from traitlets.config import Config, Configurable

from spark_jupyter.connection.key_server import serve_keys
from spark_jupyter.import_guard import guard_imports
from spark_jupyter.line_proxy import offer_lines
from spark_jupyter.policy import VARIABLE, load_policy
from spark_jupyter.records.conversation_store import ConversationStore, opened_store
from spark_jupyter.voice.voice_socket import offer_voice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from jupyter_server.serverapp import ServerApp

    Open = Callable[[KernelWebsocketHandler, str], Awaitable[None]]

COMM_MESSAGES = ("comm_open", "comm_msg", "comm_close")
_MARK = "_spark_jupyter_nodelay"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Extension points for jupyter_server."""
    return [{"module": "spark_jupyter.serverextension"}]


def _load_jupyter_server_extension(server: ServerApp) -> None:
    """Called by jupyter_server once, after its own settings are made."""
    guard_imports()
    send_without_delay(KernelWebsocketHandler)
    answer_each_page(server)
    untrack_comms(server)
    offer_lines(server)
    offer_voice(server)
    serve_keys(Path(server.runtime_dir))
    hand_on_policy(server)
    opened_store(load_policy().conversation_days)
    follow_renames(server)


class SparkPolicy(Configurable):
    """Policy in the server's own configuration."""

    rules = Dict(help="Limits for all users of this server, as in policy.toml: {'agents': False}.").tag(config=True)


def hand_on_policy(server: ServerApp) -> None:
    """Have the kernels that this server starts keep to its policy. What can't be read forbids everything there."""
    if rules := SparkPolicy(parent=server).rules:
        os.environ[VARIABLE] = json.dumps(rules, default=repr)


def follow_renames(server: ServerApp) -> None:
    """Have the conversations about a notebook stay with it when it, or its folder, is renamed."""

    async def follow(logger: object, schema_id: str, data: dict[str, str]) -> None:
        if data["action"] == "rename":
            root = server.contents_manager.root_dir
            before, now = (to_os_path(ApiPath(data[name]), root) for name in ("source_path", "path"))
            ConversationStore().move(before, now)

    if logger := getattr(server, "event_logger", None):
        logger.add_listener(schema_id=ContentsManager.event_schema_id, listener=follow)


def send_without_delay(handler: type[KernelWebsocketHandler]) -> None:
    """Switch Nagle's algorithm off on every websocket that ``handler`` opens from now on; twice does nothing."""
    if hasattr(handler.open, _MARK):
        return
    handler.open = _undelayed(handler.open)  # type: ignore[method-assign, assignment]


def _undelayed(original: Open) -> Open:
    async def open_without_delay(self: KernelWebsocketHandler, kernel_id: str) -> None:
        self.set_nodelay(True)
        await original(self, kernel_id)

    setattr(open_without_delay, _MARK, True)
    return open_without_delay


class DistinctClient(AsyncKernelClient):
    """Client of a kernel that hears every reply to what it sends raw.

    A kernel manager gives all of its clients the identity of itself. And jupyter_client sends behind the back of an asyncio socket: a reply
    that arrives in that moment wakes nobody, unless the socket is asked for its events.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.session.session = new_id()
        send = self.session.send_raw

        def send_raw(stream: zmq.Socket[Any], *arguments: Any, **more: Any) -> None:
            send(stream, *arguments, **more)
            stream.get(zmq.EVENTS)

        self.session.send_raw = send_raw


def answer_each_page(server: ServerApp) -> None:
    """Have kernels answer each page where another extension than jupyter_server connects the pages, by clients that kernel managers make.

    Those have one identity, and a kernel answers the last who came with it: other pages would wait for ever for a reply.
    """
    if server.kernel_websocket_connection_class.__module__.startswith("jupyter_server."):
        return
    config = Config({"KernelManager": {"client_class": f"{__name__}.{DistinctClient.__name__}"}})
    config.merge(server.kernel_manager.config)
    server.kernel_manager.config = config


def untrack_comms(server: ServerApp) -> None:
    """Add the comm messages to the types that neither count as activity of a kernel nor move its status light.

    The kernel manager holds the list for the server, ``page_config_data`` for the pages. JupyterLab copies the one to
    the other when it is loaded, which may be before this extension: so both are set.
    """
    manager = server.kernel_manager
    known = list(getattr(manager, "untracked_message_types", ()))
    untracked = [*known, *(kind for kind in COMM_MESSAGES if kind not in known)]
    if hasattr(manager, "untracked_message_types"):
        manager.untracked_message_types = untracked
    server.web_app.settings.setdefault("page_config_data", {})["untracked_message_types"] = untracked
