"""Rehearsal of cells that are written by hand."""

from __future__ import annotations

import queue

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding
from spark_jupyter.sandbox import Limits
from spark_jupyter.sandbox.rehearsal import Rehearsals
from spark_jupyter.session.rehearsal_feed import (
    RehearsalFeed,
    Rehearsed,
)
from spark_jupyter.session.unrun_cells import UnrunNames

SECONDS = 60.0
"""So long a test waits for what must come; usually it takes a tenth of one."""


PATIENT = {"statement": SECONDS, "seconds": 3 * SECONDS}
"""What is not about being late is not late on a busy machine either."""


class RehearsedCells:
    """A rehearsal of cells that are written by hand."""

    def __init__(self, bench, **limits: float) -> None:
        self.bench = bench
        self.rehearsals = Rehearsals(bench.shell, bench.trials, limits=Limits(**PATIENT | limits))
        self.plan = RehearsalFeed("t", 0, mode="stream", unrun=UnrunNames(()))
        self.said: queue.Queue[Rehearsed] = queue.Queue()
        self.all: list[Rehearsed] = []

    def act(self) -> None:
        for action in self.plan.actions_to_take():
            self.rehearsals.act(action, self.said.put)

    def write(self, source: str, cell_id: str = "c1") -> None:
        self.plan.open(cell_id, "")
        self.plan.write(cell_id, source)
        self.act()

    def end(self, source: str, cell_id: str = "c1") -> None:
        self.plan.close(cell_id, source)
        self.act()

    def cell(self, source: str, cell_id: str = "c1") -> None:
        self.write(source, cell_id)
        self.end(source, cell_id)

    def until(self, condition) -> Rehearsed:
        while True:
            rehearsed = self.said.get(timeout=SECONDS)
            self.all.append(rehearsed)
            if condition(rehearsed):
                return rehearsed

    def result(self, cell_id: str = "c1") -> TrialResult:
        found = self.until(lambda one: one.result is not None and one.cell_id == cell_id).result
        assert found is not None
        return found

    def tried(self, source: str) -> TrialResult:
        """What rehearsing one cell shows."""
        self.cell(source)
        self.plan.finish()
        self.act()
        return self.result()

    def finding(self, source: str) -> Finding | None:
        """What is wrong with a cell."""
        self.tried(source)
        return next((one.finding for one in self.all if one.finding is not None), None)


def text(result: TrialResult) -> str:
    return "".join(output.text or output.data.get("text/plain", "") for output in result.outputs)
