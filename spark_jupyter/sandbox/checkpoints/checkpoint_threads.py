"""Threads of the checkpoints: one forks, another one measures memory.

The system ends a checkpoint with the thread that forked it, also where the kernel is killed; so that one lives as long as they do. No cell
waits for the other one.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.sandbox.walls import Ready

_SETTLED = 0.5
"""Seconds after a cell's end until it is measured: the next one, or a return, may begin at once, and has the right of way."""
_TICK = 0.5
"""Seconds between two measurements while a cell runs, and at least ``_SELDOM`` times what one takes."""
_SELDOM = 50

Work = Callable[[], None]


class CheckpointThreads:
    """Threads of one kernel. ``weigh`` measures memory, and ``limit`` keeps it within its bounds: again and again while ``is_running``."""

    def __init__(self, *, weigh: Work, limit: Work, is_running: Callable[[], bool]) -> None:
        self._weigh, self._limit, self._is_running = weigh, limit, is_running
        self._forks: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._measures: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._forking: threading.Thread | None = None
        self._watching: threading.Thread | None = None
        self._closed = threading.Event()
        self.made: Ready | None = None
        """The walls of copies; None where none can be made, and before the first fork."""

    @property
    def have_begun(self) -> bool:
        return self._forking is not None

    def start(self) -> None:
        """Each counts only when it runs: for one that does not a cell would wait for ever. Raises RuntimeError. Idempotent."""
        if self._watching is None:
            watching = threading.Thread(target=self._watch, name="spark-checkpoint-costs", daemon=True)
            watching.start()
            self._watching = watching
        if self._forking is None:
            forking = threading.Thread(target=self._keep, name="spark-checkpoints", daemon=True)
            forking.start()
            self._forking = forking

    def fork(self, work: Work) -> None:
        """Have it done by the thread that forks, after all that it was given before."""
        self._forks.put(work)

    def measure(self, work: Work) -> None:
        """Have it done by the other one when memory was measured, once for all that came meanwhile."""
        self._measures.put(work)

    def close(self) -> None:
        self._closed.set()
        for work, thread in ((self._forks, self._forking), (self._measures, self._watching)):
            work.put(None)
            if thread is not None:
                thread.join(5)

    def _keep(self) -> None:
        with suppress(OSError, MemoryError, RuntimeError):  # no walls can be made: then nothing is forked
            # Imported here: it takes a moment, off the path of %load_ext and of the first cell.
            from spark_jupyter.sandbox.checkpoints import checkpoint_process  # noqa: F401
            from spark_jupyter.sandbox.walls import ready

            self.made = ready(())
        while (work := self._forks.get()) is not None:
            work()

    def _watch(self) -> None:
        pause: float | None = None
        while True:
            works: list[Work | None] = []
            with suppress(queue.Empty):
                works.append(self._measures.get(timeout=pause))
            if self._closed.wait(_SETTLED if works else 0):
                return
            with suppress(queue.Empty):
                while True:
                    works.append(self._measures.get_nowait())
            began = time.monotonic()
            self._weigh()
            for work in filter(None, works):
                work()
            self._limit()
            pause = max(_TICK, _SELDOM * (time.monotonic() - began)) if self._is_running() else None
