"""WebSocket of the Jupyter server that turns a page's sound into text.

The page says first which names its notebook has (``Order``), then sends sound as binary messages, and an empty one where the
speaker has ended. It receives what was heard as JSON, and is closed when that is whole. Sound goes to a process of this page's
own and nowhere else, and no file holds it.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec
from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from spark_jupyter.typed_decoders import decode_json
from spark_jupyter.voice.recogniser_process import MOST_BYTES, Order, block

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

MOST_PAGES = 8
"""That speak at once; each has a process of about 100 MB."""
TOO_MANY = 4429
"""The WebSocket's code for one more."""
NO_ORDER = 4400
"""The WebSocket's code where the page's text is none."""
_WAITING_BYTES = 4_000_000
"""Of sound that its process has not read: two minutes."""

_LONGEST_LINE = 8 * MOST_BYTES
"""Bytes of what is heard: a name of the order, written as JSON, may be most of it."""


def offer_voice(server: ServerApp) -> None:
    """Serve it where its libraries are installed, and let the pages know."""
    if all(find_spec(name) for name in ("pocketsphinx", "text_to_num")):
        where = url_path_join(server.web_app.settings["base_url"], "/spark/voice")
        server.web_app.add_handlers(".*$", [(where, VoiceHandler)])  # type: ignore[no-untyped-call]
        server.web_app.settings.setdefault("page_config_data", {})["sparkVoice"] = "true"


class VoiceHandler(WebSocketMixin, WebSocketHandler, JupyterHandler):
    """One page that speaks."""

    auth_resource = "kernels"
    _open_pages = 0
    _process: asyncio.subprocess.Process | None = None
    _is_counted = False

    def set_default_headers(self) -> None:
        """Those of JupyterHandler make no sense for a WebSocket."""

    @ws_authenticated
    async def get(self) -> None:
        """Open it, for who may run code on this server."""
        if not await ensure_async(self.authorizer.is_authorized(self, self.current_user, "execute", "kernels")):
            raise HTTPError(403)
        await super().get()

    async def open(self) -> None:
        """Nothing is received before this has ended."""
        super().open()
        if VoiceHandler._open_pages >= MOST_PAGES:
            self.close(TOO_MANY)
            return
        VoiceHandler._open_pages += 1
        self._is_counted = True
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-P", "-m", "spark_jupyter.voice.recogniser_process")
        self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=_LONGEST_LINE)
        self._reader = asyncio.create_task(self._hand_on(self._process))

    def on_message(self, message: str | bytes) -> None:
        """The order, or sound."""
        if self._process is None or self._process.stdin is None:
            return
        try:
            said = block(message) if isinstance(message, bytes) else _line(message)
        except msgspec.DecodeError:
            self.close(NO_ORDER)
            return
        self._process.stdin.write(said)
        if len(message) > MOST_BYTES or self._process.stdin.transport.get_write_buffer_size() > _WAITING_BYTES:
            self.close()

    def on_close(self) -> None:
        """The page has gone: so does its process."""
        if self._is_counted:
            VoiceHandler._open_pages -= 1
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
        super().on_close()

    async def _hand_on(self, process: asyncio.subprocess.Process) -> None:
        """Tell the page what is heard, until one of the two has ended."""
        assert process.stdout is not None
        with suppress(WebSocketClosedError):
            async for line in process.stdout:
                await self.write_message(line.decode())
        await process.wait()
        self.close()


def _line(message: str) -> bytes:
    """The page's order, as a line for the process. Raises :class:`msgspec.DecodeError` for what is none."""
    return msgspec.json.encode(decode_json(message, Order)) + b"\n"
