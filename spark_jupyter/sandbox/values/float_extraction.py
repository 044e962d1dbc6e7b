"""Floats collected apart from the values that hold them.

Two processes can then say how far their numbers agree. Used in copies only.
"""

from __future__ import annotations

import struct
from typing import Any

MOST_FLOATS = 1_000_000
"""Numbers that are sent: 8 bytes each."""


class Floats:
    """Floats of 64 bits, in the order in which they are met. ``whole`` as long as they are not too many."""

    def __init__(self) -> None:
        self.data = bytearray()

    @property
    def whole(self) -> bool:
        """True if it has all of them."""
        return len(self.data) <= 8 * MOST_FLOATS

    def take(self, numbers: list[float]) -> None:
        """These come next."""
        if self.whole:
            self.data += struct.pack(f"={len(numbers)}d", *numbers)

    def take_array(self, array: Any) -> None:
        """An array of them, flat and contiguous, comes next."""
        if self.whole:
            self.data += array.view("u1").data if len(array) <= MOST_FLOATS else bytes(8 * (MOST_FLOATS + 1))
