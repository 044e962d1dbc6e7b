"""A client with a real socket, for the tests of the server."""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec
from websockets.sync.client import ClientConnection, connect

from spark_jupyter.server import ServerInfo
from tests.server.fakes import Event

TERMINAL = {"response.completed", "response.incomplete", "response.failed", "error"}


@contextlib.contextmanager
def client(info: ServerInfo, **options: Any) -> Iterator[ClientConnection]:
    """A WebSocket to the server, with its token unless ``additional_headers`` are given."""
    options.setdefault("additional_headers", {"Authorization": f"Bearer {info.token}"})
    options.setdefault("compression", None)
    options.setdefault("ping_interval", None)  # or one that reads nothing for long would give the server up
    with connect(info.url, max_size=None, close_timeout=1, **options) as websocket:
        yield websocket


def create(websocket: ClientConnection, text: object = "hello", **fields: object) -> None:
    """Send ``response.create``."""
    send(websocket, type="response.create", model="script", input=text, **fields)


def send(websocket: ClientConnection, **event: object) -> None:
    """Send a client event."""
    websocket.send(msgspec.json.encode(event).decode())


def receive(websocket: ClientConnection, until: set[str] | None = None, *, timeout: float = 60) -> list[Event]:
    """The events up to the first of these types (by default, to a terminal one)."""
    events: list[Event] = []
    while not events or events[-1]["type"] not in (until or TERMINAL):
        events.append(msgspec.json.decode(websocket.recv(timeout=timeout)))
    return events


def get(info: ServerInfo, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> tuple[int, Any]:
    """GET a path: the status and the JSON body. The token is sent unless ``headers`` are given."""
    address = urlsplit(info.url)
    with contextlib.closing(http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)) as connection:
        connection.request(
            method, path, headers={"Authorization": f"Bearer {info.token}"} if headers is None else headers
        )
        response = connection.getresponse()
        body = response.read()
        return response.status, msgspec.json.decode(body) if body else None
