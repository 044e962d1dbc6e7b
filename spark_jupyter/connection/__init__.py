"""Open, warm links to providers.

The libraries are imported when a connection is made, not before.

``websocket_pool.py`` with ``websocket.py``, or ``http_connection.py``; ``request_priority.py`` says which request
ends which, ``discovery.py`` which provider there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.connection.base import Connection
    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.providers.profiles import Choice


def connect(choice: Choice, *, options: Options | None = None) -> Connection:
    """A connection for ``choice``, in its dialect. Nothing is opened yet; that is :meth:`Connection.open`."""
    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.connection.request_priority import ByPriority
    from spark_jupyter.providers import dialects

    options = options or Options()
    if choice.dialect in dialects.OVER_WEBSOCKET:
        from spark_jupyter.connection.websocket_pool import WebSocketConnection

        provider = dialects.OVER_WEBSOCKET[choice.dialect](choice.profile)
        return _beside(ByPriority(WebSocketConnection(choice, provider, options), options), choice, options)
    from spark_jupyter.connection.http_connection import HTTPConnection

    names = dialects.GUESSED if choice.dialect == dialects.AUTO else (choice.dialect,)
    providers = [dialects.OVER_HTTP[name](choice.profile) for name in names]
    return _beside(ByPriority(HTTPConnection(choice, providers, options), options), choice, options)


def _beside(connection: Connection, choice: Choice, options: Options) -> Connection:
    """The same, and beside it a way for what goes on in the background, where the provider has one."""
    if not (choice.profile.background or choice.profile.windows) or not choice.dialect.startswith("responses-"):
        return connection
    from spark_jupyter.connection.background_responses import InBackground

    return InBackground(connection, choice, options)
