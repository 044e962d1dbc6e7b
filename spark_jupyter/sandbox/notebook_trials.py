"""Tries for a notebook file without a kernel.

The copy begins empty and runs the notebook's own cells first.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from msgspec import structs

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.kernel_trials import KernelTrials
from spark_jupyter.sandbox.thin_environment import thin_here
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer

LIMITS = Limits(seconds=60.0)
"""More time than in a kernel: the notebook's cells run in each copy."""


class FileTrials:
    """Tries for :func:`spark_jupyter.ui.cli.ask.ask`. Nothing that the notebook does in a copy is kept, as with any Try."""

    def __init__(self, *, folder: Path) -> None:
        self._folder = str(folder.resolve())
        self._before: tuple[str, ...] = (
            f"__import__('os').chdir({self._folder!r})",
            f"__import__({thin_here.__module__!r}, fromlist=['thin_here']).thin_here()",
        )
        self._said = ""
        self._trials: KernelTrials | None = None

    def begin_with(self, prompt: Prompt) -> None:
        """Start from the code cells above the prompt's place."""
        self._said = prompt.text
        place = prompt.target.edit or prompt.target.after
        for cell in prompt.cells:
            if cell.id == prompt.target.edit:
                break
            if cell.cell_type == "code":
                self._before += (cell.source,)
            if cell.id == place:
                break

    async def try_answer(self, action: TryAnswer) -> AnswerTrial:
        if self._trials is None:
            self._trials = await asyncio.to_thread(lambda: KernelTrials(empty_shell(), limits=LIMITS))
            for text in (self._said, repr(self._folder)):  # not the notebook's cells: whose word they are nobody knows
                self._trials.named.say(text, prompt=True)
        return await self._trials.try_answer(structs.replace(action, before=self._before))


def empty_shell() -> Any:
    """A shell without a kernel and without a history."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    return InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
