"""Costs of checkpoints: their budget, and what a cell pays for copied memory."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from spark_jupyter.sandbox import memory_usage
from spark_jupyter.sandbox.checkpoints.moments import Run

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


class CheckpointCosts:
    """Costs of the checkpoints of the ``process``: memory all together, and each cell what it had to copy."""

    def __init__(self, process: int, budget: Budget) -> None:
        self.budget = budget
        self.held = 0
        """Bytes that they hold beyond the kernel's own."""
        self._process = process
        self._taxed: dict[str, str] = {}

    @property
    def too_large(self) -> str:
        """Why the kernel is too large for one, in a sentence; empty where it is not."""
        if memory_usage.resident() <= self.budget.size:
            return ""
        return f"The kernel holds more than {size_text(self.budget.size)}, so each cell would wait for its checkpoint."

    def weigh(self, pids: Collection[int]) -> None:
        """Measure what they hold. It takes a while, as the system walks through the memory of each."""
        self.held = memory_usage.memory_beyond(self._process, pids) or 0 if pids else 0

    def fit(self) -> bool:
        """True if they stay within the budget."""
        room = memory_usage.free()
        return room is None or self.held <= self.budget.share * (room + self.held)

    def judge(self, run: Run, copied: int) -> None:
        """A cell has ended that had to copy so many bytes: where it paid too much it gets no checkpoint when it runs again."""
        if is_felt(copied, run.seconds or 0.0):
            self._taxed[run.source.strip()] = (
                f"[{run.number}] gets no checkpoint when it runs again: "
                f"it changes {size_text(copied)} in place, and copying that takes too long."
            )

    def taxed(self, source: str) -> str:
        """Why a cell gets none; empty where it may have one."""
        return self._taxed.get(source.strip(), "")

    def taxed_lines(self) -> list[str]:
        """The cells that get none, in sentences."""
        return list(dict.fromkeys(self._taxed.copy().values()))


def is_felt(copied: int, seconds: float) -> bool:
    """True if a cell that ran for so many ``seconds`` pays too much for the bytes that were ``copied``."""
    return copied > _TAX and copied * _COPYING > _SHARE_OF_RUN * seconds


def size_text(size: int) -> str:
    """Bytes for a person."""
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{size >> 20} MB"
