"""Context variables in which the cells of a copy run.

A new thread begins with none, and a copy is made by one: without the kernel's own, a copy would compute with another precision of
``decimal``, and with other settings of numpy, than the kernel does.
"""

from __future__ import annotations

import asyncio
import contextvars
import weakref
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

_left: weakref.WeakKeyDictionary[Any, contextvars.Context] = weakref.WeakKeyDictionary()


def remember(shell: Any) -> None:
    """Keep the context of the caller, who is in that of the shell's cells, for the copies of this shell."""
    _left[shell] = contextvars.copy_context()


class CellContext:
    """The context that the shell's last cell left. A cell leaves its own to the next one, as in a kernel."""

    def __init__(self, shell: Any) -> None:
        self._context = _left.get(shell) or contextvars.Context()

    def call(self, work: Callable[[], Result]) -> Result:
        return self._context.run(work)

    def complete(self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Result]) -> Result:
        return self._context.run(loop.run_until_complete, self._leave(work))

    async def _leave(self, work: Coroutine[Any, Any, Result]) -> Result:
        """A task has a copy of the context that it was made in."""
        try:
            return await work
        finally:
            self._context = contextvars.copy_context()
