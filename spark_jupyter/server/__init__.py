"""The embedded server: the Responses API over WebSocket, with no key, no network and no weights.

>>> async with serve(engine="recipes", rate=1000) as server:  # doctest: +SKIP
...     print(server.info.url, server.info.token)

:func:`run` blocks until a signal or idleness ends the server; :func:`serve_in_thread` needs no event loop of the
caller's; :func:`.local.find_or_start` finds or starts the one server that a user's kernels share.

``state.py`` is the protocol, ``peer.py`` one WebSocket, ``over_http.py`` HTTP, ``playing.py`` plays the answers of ``engines/``. There
``recipes.py`` asks ``sentences.py`` (everyday words made plain by ``wording/``, then the grammar of ``phrases/``, then the rules of
``query/``), ``coverage.py`` says whether that is the whole prompt; else the books in ``recipes/`` answer. ``llama.py`` is a model of
one's own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.server.app import Server, ServerInfo, ServerLimits, serve
    from spark_jupyter.server.lanes import Limits
    from spark_jupyter.server.run import run, serve_in_thread

__all__ = ["Limits", "Server", "ServerInfo", "ServerLimits", "run", "serve", "serve_in_thread"]

_HOMES = {"Limits": "state", "run": "run", "serve_in_thread": "run"}


def __getattr__(name: str) -> object:
    """Import on first use: a kernel that only looks for a running server (:mod:`.local`) need not load all of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES.get(name, 'app')}"), name)
