"""Splitter of bytes into lines of JSON (NDJSON)."""

from __future__ import annotations

from spark_jupyter.providers.refusals import bad_response

NDJSON = "ndjson"
"""A part of the content types that say so: ``application/x-ndjson``, ``application/ndjson``."""


class LineSplitter:
    """As :class:`~spark_jupyter.providers.sse.SSESplitter`, for lines of JSON."""

    def __init__(self, *, most: int, where: str = "") -> None:
        self._most = most
        self._where = where
        self._rest = b""

    def receive_data(self, data: bytes) -> list[bytes]:
        """The lines that ``data`` completes. Raises :class:`~spark_jupyter.exceptions.BadResponse` for one that is too large."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > self._most:
            raise bad_response(f"a line of more than {self._most >> 20} MiB", where=self._where)
        return [line for line in whole if line.strip()]

    def flush(self) -> list[bytes]:
        """A last line that nothing ended."""
        rest, self._rest = self._rest, b""
        return [rest] if rest.strip() else []
