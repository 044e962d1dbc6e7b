"""Splitter of bytes into server-sent events (WHATWG HTML).

Only the data of an event is kept: the dialects here repeat its name in the JSON. Tolerant of what servers send: any
of the three line ends, comments as signs of life, several data lines, also of one event each, no space after the colon,
``data:`` twice, a byte order mark, JSON without ``data:`` (an error, usually), an event ``error`` in plain words; cut at any byte.
"""

from __future__ import annotations

import re

import msgspec

from spark_jupyter.providers.refusals import bad_response
from spark_jupyter.typed_decoders import json_decoder

_HEARTBEAT = re.compile(rb"[\s\[\]:]*(?:ping|heart-?beat|keep-?alive)?[\s\[\]:]*", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"


class SSESplitter:
    """Give it what arrives; it returns the data of each event that has become whole. ``most`` is how many bytes one event may have;
    ``where`` names the host in its errors."""

    def __init__(self, *, most: int, where: str = "") -> None:
        self._most = most
        self._where = where
        self._buffer = bytearray()
        self._searched = 0
        self._begun = False
        self._head = b""
        self._held_cr = False

    def receive_data(self, data: bytes) -> list[bytes]:
        """The data of the events that ``data`` completes, in order. Events without data (comments) are dropped.

        Raises :class:`~spark_jupyter.exceptions.BadResponse`, with the next piece, for an event that has become too large.
        """
        if len(self._buffer) > self._most:
            raise bad_response(f"an event of more than {self._most >> 20} MiB", where=self._where)
        self._append(data)
        buffer = self._buffer
        events: list[bytes] = []
        start = 0
        # A blank line ends an event; its two line ends may have come in different pieces.
        while (end := buffer.find(b"\n\n", max(start, self._searched - 1))) >= 0:
            events += _frames(bytes(buffer[start:end]))
            start = self._searched = end + 2
        if start:
            del buffer[:start]
        self._searched = len(buffer)
        return events

    def flush(self) -> list[bytes]:
        """The data of a last event that no blank line ended: some servers close the stream without one."""
        if self._held_cr:
            self._buffer += b"\n"
        rest = _frames(bytes(self._buffer))
        self._buffer.clear()
        self._searched = 0
        return rest

    def _append(self, data: bytes) -> None:
        """Append with every line end as a line feed. A carriage return at the end waits for what follows."""
        if not self._begun:
            data = self._head + data
            if len(data) < len(_BOM) and _BOM.startswith(data):
                self._head = data
                return
            self._begun = True
            data = data.removeprefix(_BOM)
        if self._held_cr:
            data = b"\r" + data
            self._held_cr = False
        if b"\r" in data:
            if data.endswith(b"\r"):
                self._held_cr = True
                data = data[:-1]
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._buffer += data


_list = json_decoder(list[msgspec.Raw])
_raw = json_decoder(dict[str, msgspec.Raw])
_TWICE = re.compile(rb"data: ?(?=\{|\[DONE\])")
"""The name of a field in front of its value, from a server whose framework writes it once more."""


def _frames(event: bytes) -> list[bytes]:
    """The frames of an event: where its data is a list of several, each of them."""
    return [frame for data in _data_of(event) for frame in (_several(data) if data.startswith(b"[") else [data])]


def _several(data: bytes) -> list[bytes]:
    try:
        found = [bytes(each) for each in _list.decode(data)]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [data]
    return found if len(found) > 1 else [data]


def _data_of(event: bytes) -> list[bytes]:
    """The joined data lines of an event, and behind it JSON that stands there without a field name."""
    if event.startswith(b"data: {") and b"\n" not in event:
        return [event[6:]]
    lines = event.split(b"\n")
    bare = next((place for place, line in enumerate(lines) if line.startswith((b"{", b"[{"))), len(lines))
    values = [_value(line) for line in lines[:bare] if line == b"data" or line.startswith(b"data:")]
    found = [b"\n".join(values)] if values else []
    if len(values) > 1 and all(map(_is_event, values)):  # no blank lines between the events
        found = values
    if values and any(line.replace(b" ", b"") == b"event:error" for line in lines) and not found[0].startswith(b"{"):
        found = [msgspec.json.encode({"error": {"message": found[0].decode("utf-8", "replace")}})]
    found = [each for each in found if each and not _HEARTBEAT.fullmatch(each)]  # no data, no event
    return [*found, b"\n".join(lines[bare:])] if bare < len(lines) else found


def _value(line: bytes) -> bytes:
    value = line[5:]
    value = value[1:] if value.startswith(b" ") else value
    return _value(value) if _TWICE.match(value) else value


def _is_event(value: bytes) -> bool:
    try:
        return value == b"[DONE]" or (value.startswith(b"{") and bool(_raw.decode(value)))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
