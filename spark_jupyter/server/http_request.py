"""HTTP/1.1, as far as a request with a body and its answer need it: one of each on a connection, which then ends."""

from __future__ import annotations

import asyncio
import http
import http.client
import io
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.api_messages import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

LONGEST_HEAD = 2**16
"""Bytes of a request's line and headers."""


class Request(Struct, frozen=True):
    """What was asked. ``query`` is as it came, undecoded."""

    method: str
    path: str
    query: str
    headers: Message
    body: bytes


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, most: int) -> Request:
    """The one request; its body has at most ``most`` bytes.

    Raises :class:`~.api_messages.RequestError` for what is none, or is too large, and EOFError where nobody asks any more."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise RequestError("The headers are too long.", status=431, code="headers_too_long") from None
    line, _, fields = head.partition(b"\r\n")
    parts = line.decode("latin-1").split(" ")
    if len(parts) != 3 or parts[2] not in ("HTTP/1.1", "HTTP/1.0"):
        raise RequestError("This is no request of HTTP/1.1.", code="bad_request")
    try:
        headers = http.client.parse_headers(io.BytesIO(fields))
    except http.client.HTTPException:
        raise RequestError("The headers can't be read.", status=431, code="bad_headers") from None
    body = await _body(reader, writer, headers, most)
    path, _, query = parts[1].partition("?")
    return Request(parts[0], path, query, headers, body)


async def _body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: Message, most: int) -> bytes:
    if headers.get_all("Transfer-Encoding"):
        raise RequestError("A body needs its Content-Length.", status=411, code="length_required")
    lengths = set(headers.get_all("Content-Length") or ["0"])
    length = lengths.pop()
    if lengths or not (length.isascii() and length.isdigit()):
        raise RequestError("The Content-Length is no number.", code="bad_request")
    if len(length) > 12 or int(length) > most:
        raise RequestError(f"The body is larger than {most} bytes.", status=413, code="body_too_large")
    if (headers.get("Expect") or "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return await reader.readexactly(int(length))


def head(status: int, fields: Mapping[str, str]) -> bytes:
    """The beginning of an answer, after which the connection ends."""
    lines = [f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in {**fields, "Connection": "close"}.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
