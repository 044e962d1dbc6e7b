"""The Jupyter server's end of a line: a WebSocket that leads to the socket of one kernel (:mod:`spark_jupyter.host.line`).

Who may use it is who may run code in that kernel. The server reads nothing of what passes.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from spark_jupyter.wire.line import line_of

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

NO_LINE = 4404
"""The WebSocket's code where the kernel has none."""
MOST_BYTES = 8_000_000
"""Of one message of a kernel."""


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
            self._kernel, _ = await loop.create_unix_connection(lambda: _Kernel(self), line_of(connection_file))
        except (OSError, NotImplementedError, AttributeError):  # none there, or no such sockets in this system
            self.close(NO_LINE)

    def on_message(self, message: str | bytes) -> None:
        """The page says something."""
        if self._kernel is not None:
            said = message.encode() if isinstance(message, str) else message
            self._kernel.write(said + b"\n")

    def on_close(self) -> None:
        """The page has gone."""
        if self._kernel is not None:
            self._kernel.abort()
        super().on_close()


class _Kernel(asyncio.Protocol):
    """What a kernel says goes to its page."""

    def __init__(self, page: LineHandler) -> None:
        self._page = page
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        *messages, self._rest = (self._rest + data).split(b"\n")
        with suppress(WebSocketClosedError):
            for message in messages:
                self._page.write_message(message.decode(errors="replace"))
        if len(self._rest) > MOST_BYTES:
            self._page.close()

    def connection_lost(self, _: Exception | None) -> None:
        self._page.close()
