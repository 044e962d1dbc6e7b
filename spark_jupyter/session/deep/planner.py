"""Request for a deep work's plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_jupyter.exceptions import SparkError
from spark_jupyter.prompting.thinking_filter import without_thinking
from spark_jupyter.protocol.constants import LONGEST_DEEP_STEP
from spark_jupyter.protocol.deep_messages import DeepStep
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.deep import plan as plans
from spark_jupyter.session.deep.deep_requests import DeepRequests
from spark_jupyter.session.deep.plan import Plan
from spark_jupyter.session.deep.work_status import WorkStatus
from spark_jupyter.session.jobs import Job, Jobs


class Planner:
    """Asks for the plan of one work; a :class:`~spark_jupyter.session.jobs.Receiver`.

    ``planned`` or ``failed`` is called when the model has answered."""

    def __init__(
        self,
        requests: DeepRequests,
        status: WorkStatus,
        jobs: Jobs,
        *,
        planned: Callable[[float], None],
        failed: Callable[[SparkError, float], None],
    ) -> None:
        self._requests = requests
        self._status = status
        self._jobs = jobs
        self._planned = planned
        self._failed = failed
        self._job: Job | None = None

    def ask(self, cells: Sequence[NotebookCell], at: float) -> None:
        self._job = self._requests.plan(self._status.work, cells, receiver=self, at=at)

    def drop(self) -> None:
        self._jobs.drop(self._job)

    def receive_model(self, model: str) -> None:
        self._status.change(model=self._status.work.model or model)

    def receive_text(self, text: str, *, at: float) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`. A plan is read when it is whole."""

    def receive_activity(self, text: str) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`. Only its plan is shown."""

    def receive_end(self, *, reason: str, at: float, may_go_on: bool = False) -> None:
        assert self._job is not None  # this is its answer
        plan, work = plans.read(without_thinking(self._job.said)), self._status.work
        if not plan.steps:
            self._status.note("It made no plan, so the task is its only step.")
            plan = Plan((DeepStep(text=" ".join(work.prompt.split())[:LONGEST_DEEP_STEP]),), plan.checks)
        else:
            self._status.note(f"It planned {len(plan.steps)} step{'s' * (len(plan.steps) > 1)}.")
        self._status.steps = list(plan.steps)
        self._status.change(checks=tuple(dict.fromkeys((*work.checks, *plan.checks))))
        self._planned(at)

    def receive_failure(self, error: SparkError, *, at: float) -> None:
        self._failed(error, at)
