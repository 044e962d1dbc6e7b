"""Splitter of bytes into JSON values: one a line, or one whole body."""

from __future__ import annotations

import msgspec

from spark_jupyter.providers.refusals import UNREADABLE, bad_response
from spark_jupyter.providers.sse import SSESplitter
from spark_jupyter.providers.tolerant_json import loads
from spark_jupyter.typed_decoders import decode_json

_NDJSON = "ndjson"
"""A part of the content types that say so: ``application/x-ndjson``, ``application/ndjson``."""


def splitter_for(kind: str, beginning: bytes, *, most: int, where: str) -> SSESplitter | JSONSplitter:
    """Splitter of a body into frames, by its content type and its first bytes: a server may send JSON under any type."""
    is_json = _NDJSON in kind or beginning.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
    return (JSONSplitter if is_json else SSESplitter)(most=most, where=where)


class JSONSplitter:
    """As :class:`~spark_jupyter.providers.sse.SSESplitter`, for lines of JSON and for one JSON over several lines; of a list each element
    is a frame."""

    def __init__(self, *, most: int, where: str = "") -> None:
        self._most = most
        self._where = where
        self._rest = b""
        self._lines: list[bytes] = []

    def receive_data(self, data: bytes) -> list[bytes]:
        """The values that ``data`` completes. Raises :class:`~spark_jupyter.exceptions.BadResponse` for one that is too large."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) + sum(map(len, self._lines)) > self._most:
            raise bad_response(f"JSON of more than {self._most >> 20} MiB", where=self._where)
        frames: list[bytes] = []
        for line in filter(bytes.strip, whole):
            self._lines.append(line)
            # A value over several lines ends at the margin, where it began.
            if (len(self._lines) == 1 or line[:1] in b"}]") and _is_json(joined := b"\n".join(self._lines)):
                self._lines.clear()
                frames += _elements(joined)
        return frames

    def flush(self) -> list[bytes]:
        """A last value that nothing ended; what is none is left to who decodes it."""
        rest = b"\n".join([*self._lines, self._rest])
        self._lines, self._rest = [], b""
        return _elements(rest) if rest.strip() else []


def _is_json(data: bytes) -> bool:
    try:
        loads(data)
    except UNREADABLE:
        return False
    return True


def _elements(data: bytes) -> list[bytes]:
    if not data.lstrip().startswith(b"["):
        return [data]
    try:
        elements = decode_json(data, list[msgspec.Raw])
    except UNREADABLE:
        return [data]
    return [bytes(each) for each in elements]
