"""WebSocket of the Jupyter server that leads to one kernel's completion socket.

Who may use it is who may run code in that kernel. The server reads nothing of what passes.
"""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from spark_jupyter.connection.peer_user import is_own_peer
from spark_jupyter.protocol.kernel_socket import Messages, line_of

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

NO_LINE = 4404
"""The WebSocket's code where the kernel has none."""
MOST_BYTES = 8_000_000
"""Of one message of a kernel, and of what waits for one."""


def offer_lines(server: ServerApp) -> None:
    """Serve them, and let the pages know."""
    where = url_path_join(server.web_app.settings["base_url"], r"/spark/line/([\w-]+)")
    server.web_app.add_handlers(".*$", [(where, LineHandler)])  # type: ignore[no-untyped-call]
    server.web_app.settings.setdefault("page_config_data", {})["sparkLine"] = "true"


class LineHandler(WebSocketMixin, WebSocketHandler, JupyterHandler):
    """One page's line to one kernel."""

    auth_resource = "kernels"
    _kernel: asyncio.Transport | None = None

    def set_default_headers(self) -> None:
        """Those of JupyterHandler make no sense for a WebSocket."""

    @ws_authenticated
    async def get(self, kernel_id: str) -> None:
        """Open it, for who may run code in that kernel."""
        if not await ensure_async(self.authorizer.is_authorized(self, self.current_user, "execute", "kernels")):
            raise HTTPError(403)
        if kernel_id not in self.kernel_manager:
            raise HTTPError(404)
        await super().get(kernel_id)

    async def open(self, kernel_id: str) -> None:
        """Nothing is received before this has ended."""
        super().open()
        self.set_nodelay(True)
        connection_file = getattr(self.kernel_manager.get_kernel(kernel_id), "connection_file", "")
        try:
            if not connection_file:
                raise FileNotFoundError("a kernel behind a gateway has none here")
            loop = asyncio.get_running_loop()
            path = _own(line_of(connection_file))
            kernel, _ = await loop.create_unix_connection(lambda: _Kernel(self), path)
            if not is_own_peer(kernel.get_extra_info("socket")):
                kernel.abort()
                raise PermissionError(errno.EPERM, "another user listens there", path)
            self._kernel = kernel
        except (OSError, NotImplementedError, AttributeError):  # none there, or no such sockets in this system
            self.close(NO_LINE)

    def on_message(self, message: str | bytes) -> None:
        """The page says something."""
        if self._kernel is not None:
            said = message.encode() if isinstance(message, str) else message
            self._kernel.write(said + b"\n")
            if self._kernel.get_write_buffer_size() > MOST_BYTES:  # a kernel that does not read
                self.close()

    def on_close(self) -> None:
        """The page has gone."""
        if self._kernel is not None:
            self._kernel.abort()
        super().on_close()


def _own(path: str) -> str:
    """The path, where a socket of this user's is there: into a runtime folder that others can write to somebody may have put theirs.
    Raises OSError."""
    found = os.lstat(path)
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "it is no socket of yours", path)
    return path


class _Kernel(asyncio.Protocol):
    """Connection of a kernel to its page."""

    def __init__(self, page: LineHandler) -> None:
        self._page = page
        self._messages = Messages()

    def data_received(self, data: bytes) -> None:
        with suppress(WebSocketClosedError):
            for message in self._messages.feed(data):
                self._page.write_message(message.decode(errors="replace"))
        if self._messages.waiting > MOST_BYTES:
            self._page.close()

    def connection_lost(self, _: Exception | None) -> None:
        self._page.close()
