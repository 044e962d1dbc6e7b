"""Connections: the open, warm links to providers. The libraries are imported when a connection is made, not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.connection.base import Connection
    from spark_jupyter.connection.options import Options
    from spark_jupyter.providers.profiles import Choice


def connect(choice: Choice, *, options: Options | None = None) -> Connection:
    """A connection for ``choice``, in its dialect. Nothing is opened yet; that is :meth:`Connection.open`."""
    from spark_jupyter.connection.options import Options
    from spark_jupyter.connection.precedence import ByPriority

    options = options or Options()
    if choice.dialect == "responses-websocket":
        from spark_jupyter.connection.pool import WebSocketConnection

        return ByPriority(WebSocketConnection(choice, options), options)
    from spark_jupyter.connection.http import HTTPConnection

    return ByPriority(HTTPConnection(choice, options), options)
