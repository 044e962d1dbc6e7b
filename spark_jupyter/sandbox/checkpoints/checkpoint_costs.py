"""Costs of checkpoints: their budget, and what a cell pays for copied memory."""

from __future__ import annotations

from msgspec import Struct

_TAX = 256 << 20
"""Bytes: what is copied below that nobody feels."""
_COPYING = 0.7 / (1 << 30)
"""Seconds for a byte that is copied since it was written in place (measured: 2.8 s for 4 GB)."""
_SHARE_OF_RUN = 0.1
"""Of its own time: a cell pays too much where copying takes more than that."""


class Budget(Struct, frozen=True, kw_only=True):
    """Budget of the checkpoints: their share of the memory that is free without them, and the size of a kernel in bytes from which on it
    is not forked."""

    share: float = 0.15
    size: int = 4 << 30


def is_felt(copied: int, seconds: float) -> bool:
    """True if a cell that ran for so many ``seconds`` pays too much for the bytes that were ``copied``."""
    return copied > _TAX and copied * _COPYING > _SHARE_OF_RUN * seconds


def size_text(size: int) -> str:
    """Bytes for a person."""
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{size >> 20} MB"
