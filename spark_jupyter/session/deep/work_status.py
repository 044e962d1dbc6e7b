"""How a deep work stands: its steps, its log, its time, and what of that is told. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.protocol.constants import LONGEST_DEEP_STEP
from spark_jupyter.protocol.deep_messages import MOST_ENTRIES, DeepChanged, DeepEntry, DeepStep, DeepWork
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.session.deep.phases import CLOCK_STANDS, STATES, Phase
from spark_jupyter.session.turn_meter import TurnMeter


class WorkStatus:
    """The standing of one work, which began as ``work``. What it spends is on the ``account``."""

    def __init__(self, work: DeepWork, account: TurnMeter) -> None:
        self.work = work
        """It, but for its steps, its log and what it has spent since it began in this kernel."""
        self.stalled = ""
        """Why it stalled last, in a sentence: told as long as it does."""
        self.steps = list(work.steps)
        self._log = list(work.log)
        self._account = account
        self._now = work.started_at
        self._told: DeepWork | None = None

    def value(self, phase: Phase) -> DeepWork:
        """All of it, in this phase."""
        meter, before = self._account.value(), self.work
        return structs.replace(
            before,
            state=STATES[phase],
            steps=tuple(self.steps),
            running=phase not in CLOCK_STANDS,
            rest=before.rest if phase is Phase.STALLED else 0.0,
            reason=self.stalled if phase is Phase.STALLED else before.reason,
            tokens=before.tokens + meter.input_tokens + meter.output_tokens,
            cost=self._cost(meter),
            log=tuple(self._log[-MOST_ENTRIES:]),
        )

    def _cost(self, meter: Meter) -> float | None:
        """What it has cost in all kernels; where one price is not known, that is not known."""
        before = self.work.cost
        if not meter.input_tokens:
            return before
        return None if meter.cost is None else (before or 0.0) + meter.cost

    def news(self, phase: Phase) -> list[DeepChanged]:
        """What is to be told, where it has changed; the time alone is no change."""
        value, before = self.value(phase), self._told
        if before is not None:
            before = structs.replace(before, elapsed=value.elapsed, tokens=value.tokens, cost=value.cost)
        if before == value:
            return []
        self._told = value
        return [DeepChanged(work=value)]

    def start(self, at: float) -> None:
        """Its clock runs from ``at`` on."""
        self._now = at

    def pass_time(self, phase: Phase, at: float) -> None:
        """It is ``at`` now; until now it was in this phase."""
        if phase not in CLOCK_STANDS:
            self.change(elapsed=self.work.elapsed + max(0.0, at - self._now))
        self._now = at

    def change(self, **changes: object) -> None:
        """Something of it is otherwise."""
        self.work = structs.replace(self.work, **changes)

    def mark(self, step: int, **changes: object) -> None:
        """Something of a step is otherwise."""
        self.steps[step] = structs.replace(self.steps[step], **changes)

    def undone(self, *sentences: str) -> None:
        """What it could not do."""
        self.change(undone=(*self.work.undone, *sentences))

    def note(self, text: str, step: int = 0) -> None:
        """A line for the log, at a step (from 1; 0: none)."""
        said = " ".join(text.split())[:LONGEST_DEEP_STEP]
        self._log.append(DeepEntry(at=round(self.work.elapsed, 1), text=said, step=step))

    def next_steps(self, lanes: int) -> Sequence[int]:
        """The next step that is to be done, or so many at most that need nothing of each other; none where all are done."""
        todo = [index for index, step in enumerate(self.steps) if step.state == "to-do"]
        batch = todo[:1]
        while batch and len(batch) < lanes and self._alone(batch[0]) and self._alone(batch[-1] + 1):
            batch.append(batch[-1] + 1)
        return batch

    def _alone(self, index: int) -> bool:
        step: DeepStep | None = self.steps[index] if index < len(self.steps) else None
        return step is not None and step.fast and step.state == "to-do"
