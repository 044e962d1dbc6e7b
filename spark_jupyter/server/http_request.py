"""One HTTP/1.1 request and its response on an asyncio connection, by h11."""

from __future__ import annotations

import asyncio
import http
from collections.abc import Mapping
from contextlib import suppress

import h11
from msgspec import Struct, structs

from spark_jupyter.server.api_messages import RequestError

LONGEST_HEAD = 2**16
"""Bytes of a request's line and headers."""
MOST_HEADERS = 100
_READ = 2**16
_WITHOUT_SIZE = "A body needs its Content-Length."


class Request(Struct, frozen=True):
    """A request. ``query`` is as it came, undecoded; names of headers are in lower case."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body_size: int

    def header_values(self, name: str) -> list[str]:
        """All values of a header; ``name`` is in lower case."""
        return [value for known, value in self.headers if known == name]


class Exchange:
    """The one request of a connection, and the response after which it ends."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._protocol = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD)

    async def read_head(self) -> Request:
        """The request without its body, of which nothing is read yet.

        Raises :class:`~.api_messages.RequestError` for what is no request or too large, and EOFError where the client has gone.
        """
        head = await self._next_event()
        assert isinstance(head, h11.Request)
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers)
        path, _, query = head.target.decode("latin-1").partition("?")
        request = Request(head.method.decode("ascii"), path, query, headers, 0)
        return structs.replace(request, body_size=_body_size(request))

    async def read_body(self) -> bytes:
        """The request's body, of the size that its head says. Raises as :meth:`read_head`."""
        if self._protocol.they_are_waiting_for_100_continue:
            self._send(h11.InformationalResponse(status_code=100, headers=[]))
        body = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            body += event.data
        return bytes(body)

    async def skip_body(self) -> None:
        """Read the rest of the request's body, and keep nothing of it."""
        with suppress(RequestError, EOFError):
            while self._protocol.their_state is h11.SEND_BODY and not self._protocol.they_are_waiting_for_100_continue:
                await self._next_event()

    def start(self, status: int, fields: Mapping[str, str]) -> None:
        reason = http.HTTPStatus(status).phrase.encode("ascii")
        headers = [*fields.items(), ("Connection", "close")]
        self._send(h11.Response(status_code=status, headers=headers, reason=reason))

    def write(self, data: bytes) -> None:
        self._send(h11.Data(data=data))

    def end(self) -> None:
        self._send(h11.EndOfMessage())

    async def drain(self, patience: float) -> None:
        """Wait until the client has read on. Raises TimeoutError after ``patience`` seconds.

        Not by ``wait_for``, which in Python 3.11 may swallow that its task is cancelled.
        """
        async with asyncio.timeout(patience):
            await self._writer.drain()

    def _send(self, event: h11.Event) -> None:
        self._writer.write(self._protocol.send(event) or b"")

    async def _next_event(self) -> h11.Event:
        try:
            while (event := self._protocol.next_event()) is h11.NEED_DATA:
                data = await self._reader.read(_READ)
                if not data:
                    raise EOFError
                self._protocol.receive_data(data)
        except h11.RemoteProtocolError as error:
            status = error.error_status_hint
            code = "headers_too_long" if status == 431 else "bad_request"
            raise RequestError(f"This is no request of HTTP/1.1: {error}.", status=status, code=code) from None
        assert isinstance(event, h11.Event)
        return event


def _body_size(request: Request) -> int:
    """Size of the body in bytes. Raises :class:`RequestError` where it is not known, or the headers are too long."""
    size = sum(len(name) + len(value) for name, value in request.headers)
    if size > LONGEST_HEAD or len(request.headers) > MOST_HEADERS:  # h11 bounds only what has not arrived completely
        raise RequestError("The headers are too long.", status=431, code="headers_too_long")
    if request.header_values("transfer-encoding"):
        raise RequestError(_WITHOUT_SIZE, status=411, code="length_required")
    return int((request.header_values("content-length") or ["0"])[0][:12])
