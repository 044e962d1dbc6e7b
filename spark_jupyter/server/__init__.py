"""The embedded server: the Responses API without key, network or weights.

>>> async with serve(engine="recipes", rate=1000) as server:  # doctest: +SKIP
...     print(server.info.url, server.info.token)

:func:`run` blocks until a signal or idleness ends the server; :func:`serve_in_thread` needs no event loop of the
caller's; :func:`.shared_server.find_or_start` finds or starts the one server that a user's kernels share.

``connection_state.py`` is the protocol's state machine, ``websocket_peer.py`` one WebSocket, ``http_api.py`` the same over HTTP;
``answer_playback.py`` plays the answers that ``engines/`` makes.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.server.app import Server, ServerInfo, ServerLimits, serve
    from spark_jupyter.server.lanes import Limits
    from spark_jupyter.server.server_runner import run, serve_in_thread

__all__ = ["Limits", "Server", "ServerInfo", "ServerLimits", "run", "serve", "serve_in_thread"]

_HOMES = {"Limits": "lanes", "run": "server_runner", "serve_in_thread": "server_runner"}


def __getattr__(name: str) -> object:
    """Import on first use: a kernel that only looks for a running server does not load all of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES.get(name, 'app')}"), name)
