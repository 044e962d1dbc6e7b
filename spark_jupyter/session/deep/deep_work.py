"""Deep work: plan, write step by step, run in a copy, repair.

The transitions are a table (:mod:`spark_jupyter.session.deep.phases`). Here are the limits on time, budget and retries, and the commands of
a person; :mod:`spark_jupyter.session.deep.steps` writes, tries and keeps. Clients see only the state of the work until it ends: each step
has a store of its own. A person is shown what ran in the copy as it was, the model is told in our own words
(:mod:`spark_jupyter.session.trial_failures`).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field, structs

from spark_jupyter.exceptions import ConnectionLost, Preempted, SparkError, Stalled, TryLater
from spark_jupyter.prompting.conversation import Conversation
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.constants import MOST_IMAGES
from spark_jupyter.protocol.deep_messages import DeepBudget, DeepGear, DeepStep, DeepWork
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Image, NotebookCell, Proposal
from spark_jupyter.session.actions import WakeDeep
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.deep.budget_use import undone_steps, why_spent
from spark_jupyter.session.deep.deep_requests import DeepRequests, prompt_of
from spark_jupyter.session.deep.draft_notebook import DraftNotebook, diff_of
from spark_jupyter.session.deep.phases import CLOCK_STOPPED, OVER, TRANSITIONS, Input, Phase
from spark_jupyter.session.deep.plan import Plan
from spark_jupyter.session.deep.planner import Planner
from spark_jupyter.session.deep.step_attempt import StepAttempt
from spark_jupyter.session.deep.steps import Steps
from spark_jupyter.session.deep.work_status import WorkStatus
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.transition_step import take_step
from spark_jupyter.session.transitions import Phase as AnswerPhase
from spark_jupyter.session.turn_meter import INTERVAL, TurnMeter


class WorkSetup(Struct, frozen=True, kw_only=True):
    """Setup of a work.

    ``gear`` says who works and with which budget; ``fast_model`` may write independent steps. ``ask_first``: a person confirms the plan.
    ``fast_answer`` are the proposals of a turn that the work takes over, and ``handed`` describes them for the model.
    """

    gear: DeepGear
    cells: tuple[NotebookCell, ...] = ()
    surroundings: Surroundings = field(default_factory=Surroundings)
    fast_model: str = ""
    ask_first: bool = False
    fast_answer: tuple[Proposal, ...] = ()
    handed: str = ""
    images: tuple[Image, ...] = ()


class Work:
    """One deep work. ``value`` is its task."""

    def __init__(
        self, value: DeepWork, shared: SharedState, setup: WorkSetup, *, phase: Phase = Phase.PLANNING
    ) -> None:
        gear = setup.gear
        self.phase = phase
        self.meter = TurnMeter(value.id)
        self._status = WorkStatus(structs.replace(value, model=gear.model, budget=gear.budget), self.meter)
        self._shared = shared
        self._setup = setup
        self._budget = gear.budget
        self._requests = DeepRequests(
            shared,
            gear,
            fast_model=setup.fast_model,
            surroundings=setup.surroundings,
            handed=setup.handed,
            images=setup.images,
            meter=self.meter,
        )
        self._planner = Planner(
            self._requests, self._status, shared.jobs, planned=self._planned, failed=self._plan_failed
        )
        self._steps = Steps(
            shared, self._status, self._requests, cells=setup.cells, fast_model=setup.fast_model, lanes=gear.lanes
        )
        self._delays = RetryDelays()
        self._edited: tuple[DeepStep, ...] = ()
        self._next_look = 0.0
        self._noted = ""

    # --- state -------------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.phase in OVER

    @property
    def passed(self) -> bool:
        """True if its cells ran, and its checks passed."""
        return self._steps.answers.passed

    @property
    def results(self) -> tuple[TrialResult, ...]:
        """The last results of the cells that it proposes."""
        return self._steps.answers.results

    @property
    def from_checkpoint(self) -> bool:
        """True if its last copy began at a checkpoint, so that its edits can be proven there."""
        return self._steps.trials.from_checkpoint

    @property
    def cells(self) -> tuple[NotebookCell, ...]:
        return self._steps.cells

    @property
    def edited(self) -> tuple[str, ...]:
        own = {cell.id for cell in self.cells}
        return tuple(cell.id for cell in self.notebook().code if cell.id in own)

    @property
    def value(self) -> DeepWork:
        return self._status.value(self.phase)

    @property
    def prompt(self) -> Prompt:
        return prompt_of(self._status.work, self.cells)

    def conversation(self) -> Conversation:
        return self._requests.conversation(self._status.work, self.cells)

    def notebook(self) -> DraftNotebook:
        return self._steps.notebook()

    # --- results and commands ----------------------------------------------------------------------------------------

    def start(self, at: float) -> None:
        self._status.start(at)
        self._do_plan(at)
        self._wake(self._budget.seconds)
        self._announce()

    def follow(self, owner: DeepOwner, *, at: float) -> None:
        if self.meter.notice not in ("", self._noted):
            self._noted = self.meter.notice
            self._note(self._noted)
        attempt = self._steps.attempt_of(owner)
        ended = attempt is not None and attempt.generation.ended and not attempt.is_handled
        planned = attempt is None and self.phase is not Phase.PLANNING
        if not (ended or planned) and at < self._next_look:
            return
        self._next_look = at + INTERVAL
        self._pass_time(at)
        if attempt is not None and ended:
            attempt.drain()
            attempt.is_handled = True
            self._attempt_ended(attempt, at)
        self._stop_if_spent(at)
        self._shared.events += self.meter.events_to_send(at)
        self._announce()

    def receive_trial(self, owner: DeepOwner, trial: AnswerTrial, *, at: float) -> None:
        self._pass_time(at)
        if self._steps.trials.is_final_check(owner):
            self._steps.end_check(trial)
            self._conclude(self._status.work.reason, at)
        elif self.phase is Phase.TRYING and (received := self._steps.end_try(owner, trial)) is not None:
            self._step(received, at)
            self._stop_if_spent(at)
        self._announce()

    def wake(self, at: float) -> None:
        """Handle a timer: a delay is over, or the time is up."""
        self._pass_time(at)
        self._stop_if_spent(at)
        if self.phase is Phase.STALLED:
            self.go_on(at)
        elif self.phase not in CLOCK_STOPPED:
            self._wake(max(1.0, self._budget.seconds - self._status.work.elapsed))
        self._announce()

    def go_on(
        self, at: float, cells: Sequence[NotebookCell] | None = None, surroundings: Surroundings | None = None
    ) -> None:
        """Continue, because a person says so or a delay is over.

        ``cells`` and ``surroundings`` are the present ones; where answers were kept, the cells that they were written for count."""
        self._pass_time(at)
        self._requests.surroundings = surroundings or self._requests.surroundings
        if cells is not None and not self._steps.answers:
            self._steps.cells = tuple(cells)
        was_stopped = self.phase in CLOCK_STOPPED
        if lost := self._status.work.lost:
            self._note(lost)  # from now on only in the log
        self._status.change(reason="", lost="")
        self._step(Input.GO_ON if self._status.steps else Input.ASK, at)
        if was_stopped:
            self._wake(max(1.0, self._budget.seconds - self._status.work.elapsed))
        self._announce()

    def allow(self, budget: DeepBudget) -> None:
        self._budget = budget
        self._status.change(budget=budget)
        self._wake(max(1.0, budget.seconds - self._status.work.elapsed))
        self._announce()

    def steer(self, text: str, at: float, images: Sequence[Image] = (), *, skill: str = "") -> None:
        """Apply an instruction of the user, with the ``skill`` that it begins with, from the present step on."""
        self._pass_time(at)
        self._requests.instructions.append(f"{text}\n\n{skill}" if skill else text)
        self._requests.images = (*self._requests.images, *images)[-MOST_IMAGES:]
        self._note(f"You said: {text}")
        self._step(Input.STEER, at)
        self._announce()

    def edit(self, new: Plan, checks: Sequence[str] | None, at: float) -> None:
        self._pass_time(at)
        self._edited = new.steps
        if checks is not None:
            self._status.change(checks=tuple(checks))
        self._note("You changed the plan.")
        self._step(Input.EDIT, at)
        self._announce()

    def pause(self, at: float) -> None:
        """Pause. The present step begins again later."""
        self._pass_time(at)
        self._step(Input.PAUSE, at)
        self._announce()

    def cancel(self, at: float) -> None:
        self._pass_time(at)
        self._step(Input.CANCEL, at)
        self._announce()

    # --- inside ------------------------------------------------------------------------------------------------------

    def _planned(self, at: float) -> None:
        self._pass_time(at)
        self._delays.reset()
        self._step(Input.PLAN_TO_SHOW if self._setup.ask_first else Input.PLAN, at)

    def _plan_failed(self, error: SparkError, at: float) -> None:
        self._pass_time(at)
        self._job_failed(error, at)

    def _attempt_ended(self, attempt: StepAttempt, at: float) -> None:
        if attempt.generation.phase is AnswerPhase.FAILED:
            error = attempt.generation.error
            self._job_failed(error or SparkError(attempt.generation.reason), at)
            return
        self._delays.reset()
        self._steps.log_corrections(attempt)
        if self._steps.all_handled:
            self._judge(at)

    def _job_failed(self, error: SparkError, at: float) -> None:
        self._note(str(error))
        if self._delays.allows_retry(error):
            self._status.stalled = error.message  # the time of the retry is shown beside it
            self._step(Input.LOST, at)
        else:
            self._conclude(str(error), at)

    def _judge(self, at: float) -> None:
        self._step(self._steps.judge(), at)

    def _conclude(self, reason: str, at: float) -> None:
        """End: nothing more can be done."""
        self._status.add_undone(*undone_steps(self.value))
        self._status.change(reason=reason)
        self._step(Input.DONE if self.notebook().changed else Input.NOTHING, at)

    def _stop_if_spent(self, at: float) -> None:
        if self.phase in CLOCK_STOPPED:
            return
        if spent := why_spent(self.value, self._budget):
            self._note(spent)
            self._conclude(spent, at)

    def _pass_time(self, at: float) -> None:
        self._status.pass_time(self.phase, at)

    def _wake(self, seconds: float) -> None:
        self._shared.actions.append(WakeDeep(work_id=self._status.work.id, seconds=seconds))

    def _note(self, text: str) -> None:
        self._status.note(text)

    def _announce(self) -> None:
        self._shared.events += self._status.events_to_send(self.phase)

    # --- transitions -------------------------------------------------------------------------------------------------

    def _step(self, received: Input, at: float) -> None:
        take_step(self, TRANSITIONS, received, at)

    def _do_plan(self, at: float) -> None:
        self._planner.ask(self.cells, at)

    def _do_write(self, at: float) -> None:
        if self._steps.write_next(at):
            return
        if self._steps.unchecked:
            self._step(Input.CHECK, at)
        else:
            self._conclude(self._status.work.reason, at)

    def _do_write_again(self, at: float) -> None:
        self._steps.write_again(at)

    def _do_try(self, at: float) -> None:
        self._steps.try_first()

    def _do_check(self, at: float) -> None:
        self._steps.check_all()

    def _do_keep(self, at: float) -> None:
        self._steps.keep()

    def _do_leave_out(self, at: float) -> None:
        self._steps.leave_out()

    def _do_advance(self, at: float) -> None:
        if self._steps.has_attempts:
            self._judge(at)
        else:
            self._do_write(at)

    def _do_rewind(self, at: float) -> None:
        self._steps.rewind(self._edited)

    def _do_rest(self, at: float) -> None:
        self._status.change(rest=self._delays.rest)
        self._wake(self._delays.rest)

    def _do_stop(self, at: float) -> None:
        self._planner.drop()
        self._steps.stop(at)

    def _do_propose(self, at: float) -> None:
        self.meter.end(at)
        if self._status.work.hands_up is not None:
            diff = diff_of(self._setup.fast_answer, self.notebook().changed)
            self._status.change(compared=diff)


# --- Delays between retries of a deep work after lost connections ---
RETRIES = 6
"""Retries in a row, each after twice the delay."""
FIRST_REST = 2.0
"""Seconds before the first retry."""


class RetryDelays:
    """Delays of one work. ``rest`` is the delay in seconds after the last failure."""

    def __init__(self) -> None:
        self.rest = FIRST_REST
        self._failures = 0

    def allows_retry(self, error: SparkError) -> bool:
        """True if to ask again after this failure; then :attr:`rest` says when."""
        passes = isinstance(error, ConnectionLost | TryLater | Preempted | Stalled)
        if not passes or self._failures >= RETRIES:
            return False
        self.rest = getattr(error, "retry_after", None) or FIRST_REST * 2**self._failures
        self._failures += 1
        return True

    def reset(self) -> None:
        """Forget earlier failures, since the provider has answered."""
        self._failures = 0
