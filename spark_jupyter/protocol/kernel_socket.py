"""Path of a kernel's completion socket, and splitting of its messages."""

from __future__ import annotations


def line_of(connection_file: str) -> str:
    """The path of the socket of a kernel's connection file, in Jupyter's runtime folder, which belongs to its user alone."""
    return connection_file.removesuffix(".json") + ".spark"


class Messages:
    """Splits bytes into messages of one line each. Linear in the bytes, however small the pieces are."""

    def __init__(self) -> None:
        self._begun = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that ``data`` completes."""
        *ended, begun = data.split(b"\n")
        whole = [bytes(self._begun) + ended[0], *ended[1:]] if ended else []
        if ended:
            self._begun.clear()
        self._begun += begun
        return whole

    @property
    def waiting(self) -> int:
        return len(self._begun)
