"""Log of the cells that ran, and of those that no longer count."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from msgspec import structs

from spark_jupyter.sandbox.checkpoints.moments import Run

_MOST_RUNS = 500
_MOST_WARNINGS, _MOST_WARNING = 10, 1_000
"""Of a run, and characters of one."""


class RunLog:
    """Runs of one kernel, oldest first; cells of spark_jupyter are none. From any thread."""

    def __init__(self) -> None:
        self._runs: OrderedDict[int, Run] = OrderedDict()
        self._lock = threading.Lock()
        self.left: set[int] = set()
        """The numbers of runs that made no part of the kernel as it is: it came back to before them."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """All that count."""
        with self._lock:
            return tuple(self._runs.values())

    @property
    def last(self) -> Run | None:
        """The last one that has ended."""
        return next((run for run in reversed(self.runs) if run.seconds is not None), None)

    def again_since(self, run: Run) -> bool:
        """True if another cell that had run before this one has run again since."""
        earlier = {one.cell_id for one in self.runs if one.number < run.number} - {run.cell_id}
        return any(one.cell_id in earlier for one in self.runs if one.number > run.number)

    def begin(self, run: Run) -> None:
        with self._lock:
            self._runs.pop(run.number, None)
            self._runs[run.number] = run
            while len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)

    def end(self, number: int, *, seconds: float, failed: bool, namespace: Mapping[str, object]) -> Run | None:
        """It has ended; None where it is not known any more."""
        with self._lock:
            if number not in self._runs:
                return None
            run = structs.replace(self._runs[number], seconds=seconds, failed=failed, warned=_warned(namespace))
            self._runs[number] = run
            return run

    def come_back(self, runs: tuple[Run, ...]) -> None:
        """These have made the kernel as it is, and no others."""
        with self._lock:
            self.left |= self._runs.keys()
            self._runs = OrderedDict((run.number, run) for run in runs)
            self.left -= self._runs.keys()

    def forget(self, run: Run) -> None:
        with self._lock:
            self._runs.pop(run.number, None)
            self.left.add(run.number)


def _warned(namespace: Mapping[str, Any]) -> tuple[str, ...]:
    """Warnings that Python remembers for the cell's lines: IPython resets them with each cell."""
    known = namespace.get("__warningregistry__")
    keys = list(known) if type(known) is dict else []
    texts = [key[0] for key in keys if type(key) is tuple and len(key) == 3 and type(key[0]) is str]
    return tuple(text[:_MOST_WARNING] for text in texts[:_MOST_WARNINGS])
