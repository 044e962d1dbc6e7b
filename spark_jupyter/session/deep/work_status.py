"""Status of a deep work: steps, log, time, and changes to announce."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.protocol.constants import LONGEST_DEEP_STEP
from spark_jupyter.protocol.deep_messages import MOST_ENTRIES, DeepChanged, DeepEntry, DeepStep, DeepWork
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.session.deep.phases import CLOCK_STOPPED, STATES, Phase
from spark_jupyter.session.turn_meter import TurnMeter
from spark_jupyter.source.abridged_text import shortened


class WorkStatus:
    """The status of one work, which began as ``work``. Its cost is on the ``meter``."""

    def __init__(self, work: DeepWork, meter: TurnMeter) -> None:
        self.work = work
        """The value without steps, log and the cost since it began in this kernel."""
        self.stalled = ""
        """Why it stalled last, in a sentence."""
        self.steps = list(work.steps)
        self._log = list(work.log)
        self._meter = meter
        self._now = work.started_at
        self._sent: DeepWork | None = None

    def value(self, phase: Phase) -> DeepWork:
        meter, before = self._meter.value(), self.work
        return structs.replace(
            before,
            state=STATES[phase],
            steps=tuple(self.steps),
            running=phase not in CLOCK_STOPPED,
            rest=before.rest if phase is Phase.STALLED else 0.0,
            reason=self.stalled if phase is Phase.STALLED else before.reason,
            tokens=before.tokens + meter.input_tokens + meter.output_tokens,
            cost=self._cost(meter),
            log=tuple(self._log[-MOST_ENTRIES:]),
        )

    def _cost(self, meter: Meter) -> float | None:
        """The cost in all kernels, in US dollars; None where a price is not known."""
        before = self.work.cost
        if not meter.input_tokens:
            return before
        return None if meter.cost is None else (before or 0.0) + meter.cost

    def events_to_send(self, phase: Phase) -> list[DeepChanged]:
        """An event where the value has changed. Time and cost alone are no change."""
        value, before = self.value(phase), self._sent
        if before is not None:
            before = structs.replace(before, elapsed=value.elapsed, tokens=value.tokens, cost=value.cost)
        if before == value:
            return []
        self._sent = value
        return [DeepChanged(work=value)]

    def start(self, at: float) -> None:
        self._now = at

    def pass_time(self, phase: Phase, at: float) -> None:
        """Advance the clock to ``at``; until then the work was in ``phase``."""
        if phase not in CLOCK_STOPPED:
            self.change(elapsed=self.work.elapsed + max(0.0, at - self._now))
        self._now = at

    def change(self, **changes: object) -> None:
        self.work = structs.replace(self.work, **changes)

    def change_step(self, step: int, **changes: object) -> None:
        self.steps[step] = structs.replace(self.steps[step], **changes)

    def add_undone(self, *sentences: str) -> None:
        """Add sentences about what it could not do."""
        self.change(undone=(*self.work.undone, *sentences))

    def note(self, text: str, step: int = 0) -> None:
        """Add a line to the log, at a step (from 1; 0: none)."""
        self._log.append(DeepEntry(at=round(self.work.elapsed, 1), text=shortened(text, LONGEST_DEEP_STEP), step=step))

    def next_steps(self, lanes: int) -> Sequence[int]:
        """The next open step, or up to ``lanes`` open steps that are independent of each other; empty where all are done."""
        todo = [index for index, step in enumerate(self.steps) if step.state == "to-do"]
        batch = todo[:1]
        while batch and len(batch) < lanes and self._is_independent(batch[0]) and self._is_independent(batch[-1] + 1):
            batch.append(batch[-1] + 1)
        return batch

    def _is_independent(self, index: int) -> bool:
        step: DeepStep | None = self.steps[index] if index < len(self.steps) else None
        return step is not None and step.fast and step.state == "to-do"
