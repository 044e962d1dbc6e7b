"""The plan of a deep work: it is asked of the model, and read when it is whole. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.constants import LONGEST_DEEP_STEP
from spark_jupyter.protocol.deep_messages import DeepStep
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.deep import plan as plans
from spark_jupyter.session.deep.deep_requests import DeepRequests
from spark_jupyter.session.deep.plan import Plan
from spark_jupyter.session.deep.work_status import WorkStatus
from spark_jupyter.session.jobs import Job, Jobs


class Planner:
    """Of one work; a :class:`~spark_jupyter.session.jobs.Receiver`. ``planned`` and ``failed`` are called when the model has said it."""

    def __init__(
        self,
        asking: DeepRequests,
        standing: WorkStatus,
        jobs: Jobs,
        *,
        planned: Callable[[float], None],
        failed: Callable[[SparkError, float], None],
    ) -> None:
        self._asking = asking
        self._standing = standing
        self._jobs = jobs
        self._planned = planned
        self._failed = failed
        self._job: Job | None = None

    def ask(self, cells: Sequence[NotebookCell], at: float) -> None:
        """Ask for a plan of the task in this notebook."""
        self._job = self._asking.plan(self._standing.work, cells, receiver=self, at=at)

    def drop(self) -> None:
        """It is not wanted any more."""
        self._jobs.drop(self._job)

    def receive_model(self, model: str) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`."""
        self._standing.change(model=self._standing.work.model or model)

    def receive_text(self, text: str, *, at: float) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`. A plan is read when it is whole."""

    def receive_end(self, *, reason: str, at: float, may_go_on: bool = False) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`."""
        assert self._job is not None  # whose answer this is
        plan, work = plans.read(self._job.said), self._standing.work
        if not plan.steps:
            self._standing.note("It made no plan, so the task is its only step.")
            plan = Plan((DeepStep(text=" ".join(work.prompt.split())[:LONGEST_DEEP_STEP]),), plan.checks)
        else:
            self._standing.note(f"It planned {len(plan.steps)} step{'s' * (len(plan.steps) > 1)}.")
        self._standing.steps = list(plan.steps)
        self._standing.change(checks=tuple(dict.fromkeys((*work.checks, *plan.checks))))
        self._planned(at)

    def receive_failure(self, error: SparkError, *, at: float) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`."""
        self._failed(error, at)
