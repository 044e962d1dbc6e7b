"""Path of a kernel's completion socket, and splitting of its messages."""

from __future__ import annotations


def line_of(connection_file: str) -> str:
    """The path of the socket that belongs to a kernel's connection file: in Jupyter's runtime folder, which is its user's alone."""
    return connection_file.removesuffix(".json") + ".spark"


class Messages:
    """Bytes as they come → messages, each of which ends with its line. Takes the same time a byte in however small pieces they come."""

    def __init__(self) -> None:
        self._begun = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that ``data`` ends."""
        *ended, begun = data.split(b"\n")
        whole = [bytes(self._begun) + ended[0], *ended[1:]] if ended else []
        if ended:
            self._begun.clear()
        self._begun += begun
        return whole

    @property
    def waiting(self) -> int:
        """Bytes of a message that has not ended yet."""
        return len(self._begun)
