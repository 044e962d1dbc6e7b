"""One deep work: it plans, writes step by step, runs what it has in a copy of the kernel, and mends it. Pure.

What can happen is a table (:mod:`spark_jupyter.session.deep.phases`); here is when its time, budget and patience end, and what a person may
say; :mod:`spark_jupyter.session.deep.steps` writes, tries and keeps. Everything it writes stays with it until it ends: each step has a
store
of its own, and nothing of that reaches the user's side but how the work stands. What ran in the copy is told to the person as it was, and
to the model in our own words (:mod:`spark_jupyter.session.trial_failures`).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.exceptions import SparkError
from spark_jupyter.prompting.conversation import Conversation
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.deep_messages import DeepBudget, DeepGear, DeepStep, DeepWork
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import NotebookCell, Proposal
from spark_jupyter.session.actions import WakeDeep
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.deep.budget_use import what_is_left, why_spent
from spark_jupyter.session.deep.deep_requests import DeepRequests, prompt_of
from spark_jupyter.session.deep.draft_notebook import DraftNotebook, compared
from spark_jupyter.session.deep.phases import CLOCK_STANDS, OVER, TRANSITIONS, Input, Phase
from spark_jupyter.session.deep.plan import Plan
from spark_jupyter.session.deep.planner import Planner
from spark_jupyter.session.deep.retry_delays import RetryDelays
from spark_jupyter.session.deep.step_attempt import StepAttempt
from spark_jupyter.session.deep.steps import Steps
from spark_jupyter.session.deep.work_status import WorkStatus
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.live_turn import SharedState
from spark_jupyter.session.machine import Machine
from spark_jupyter.session.transitions import Phase as AnswerPhase
from spark_jupyter.session.turn_meter import INTERVAL, TurnMeter


class Work(Machine):
    """A deep work. ``value`` is what it is to do; ``gear`` who does it, ``fast_model`` who may write steps beside each other. Where it
    takes on a ``fast_answer``, ``handed`` is what the model is told of that."""

    _transitions = TRANSITIONS
    phase: Phase

    def __init__(
        self,
        value: DeepWork,
        *,
        cells: Sequence[NotebookCell],
        surroundings: Surroundings,
        shared: SharedState,
        gear: DeepGear,
        fast_model: str = "",
        ask_first: bool = False,
        phase: Phase = Phase.PLANNING,
        fast_answer: Sequence[Proposal] = (),
        handed: str = "",
    ) -> None:
        self.phase = phase
        self.account = TurnMeter(value.id)
        self._standing = WorkStatus(structs.replace(value, model=gear.model, budget=gear.budget), self.account)
        self._shared = shared
        self._gear = gear
        self._ask_first = ask_first
        self._fast_answer = tuple(fast_answer)
        self._asking = DeepRequests(
            shared, gear, fast_model=fast_model, surroundings=surroundings, handed=handed, account=self.account
        )
        self._planner = Planner(
            self._asking, self._standing, shared.jobs, planned=self._planned, failed=self._plan_failed
        )
        self._steps = Steps(shared, self._standing, self._asking, cells=cells, fast_model=fast_model, lanes=gear.lanes)
        self._patience = RetryDelays()
        self._edited: tuple[DeepStep, ...] = ()
        self._next_look = 0.0

    # --- what its owner asks -----------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.phase in OVER

    @property
    def passed(self) -> bool:
        """Whether what it proposes ran, and its checks passed."""
        return self._steps.kept.passed

    @property
    def results(self) -> tuple[TrialResult, ...]:
        """What each of the cells that it proposes showed when it ran last."""
        return self._steps.kept.results

    @property
    def from_checkpoint(self) -> bool:
        """Whether what it changes was run from where the first of those cells began, so that it can be proven from there."""
        return self._steps.trying.from_checkpoint

    @property
    def cells(self) -> tuple[NotebookCell, ...]:
        """The notebook in which it began."""
        return self._steps.cells

    @property
    def edited(self) -> tuple[str, ...]:
        """The cells of the user's that it changes."""
        own = {cell.id for cell in self.cells}
        return tuple(cell.id for cell in self.bench().code if cell.id in own)

    @property
    def value(self) -> DeepWork:
        """How it stands."""
        return self._standing.value(self.phase)

    @property
    def prompt(self) -> Prompt:
        """The whole task, as a prompt."""
        return prompt_of(self._standing.work, self.cells)

    def conversation(self) -> Conversation:
        """What is said of the whole task."""
        return self._asking.conversation(self._standing.work, self.cells)

    def bench(self) -> DraftNotebook:
        """The notebook with what was kept."""
        return self._steps.bench()

    # --- what happens ------------------------------------------------------------------------------------------------

    def start(self, at: float) -> None:
        """Begin."""
        self._standing.start(at)
        self._do_plan(at)
        self._wake(self._gear.budget.seconds)
        self._tell()

    def follow(self, owner: DeepOwner, *, at: float) -> None:
        """A job of one of its steps has brought something."""
        lane = self._steps.lane_of(owner)
        ended = lane is not None and lane.answering.ended and not lane.seen
        planned = lane is None and self.phase is not Phase.PLANNING
        if not (ended or planned) and at < self._next_look:
            return
        self._next_look = at + INTERVAL
        self._pass_time(at)
        if lane is not None and ended:
            lane.drain()
            lane.seen = True
            self._lane_ended(lane, at)
        self._stop_if_spent(at)
        self._shared.events += self.account.events_to_send(at)
        self._tell()

    def receive_trial(self, owner: DeepOwner, trial: AnswerTrial, *, at: float) -> None:
        """What running it in a copy showed."""
        self._pass_time(at)
        if self._steps.trying.is_of_all(owner):
            self._steps.end_check(trial)
            self._conclude(self._standing.work.reason, at)
        elif self.phase is Phase.TRYING and (received := self._steps.end_try(owner, trial)) is not None:
            self._step(received, at)
            self._stop_if_spent(at)
        self._tell()

    def wake(self, at: float) -> None:
        """Some time has passed: it has rested, or its time is up."""
        self._pass_time(at)
        self._stop_if_spent(at)
        if self.phase is Phase.STALLED:
            self.go_on(at)
        elif self.phase not in CLOCK_STANDS:
            self._wake(max(1.0, self._gear.budget.seconds - self._standing.work.elapsed))
        self._tell()

    def go_on(
        self, at: float, cells: Sequence[NotebookCell] | None = None, surroundings: Surroundings | None = None
    ) -> None:
        """A person says so, or it has rested. ``cells`` and ``surroundings`` are as they are now; where something was done on the cells
        as they were, that counts."""
        self._pass_time(at)
        self._asking.surroundings = surroundings or self._asking.surroundings
        if cells is not None and not self._steps.kept:
            self._steps.cells = tuple(cells)
        stood = self.phase in CLOCK_STANDS
        if lost := self._standing.work.lost:
            self._note(lost)  # which is no news any more
        self._standing.change(reason="", lost="")
        self._step(Input.GO_ON if self._standing.steps else Input.ASK, at)
        if stood:
            self._wake(max(1.0, self._gear.budget.seconds - self._standing.work.elapsed))
        self._tell()

    def allow(self, budget: DeepBudget) -> None:
        """It may use this from now on."""
        self._gear = structs.replace(self._gear, budget=budget)
        self._standing.change(budget=budget)
        self._wake(max(1.0, budget.seconds - self._standing.work.elapsed))
        self._tell()

    def steer(self, text: str, at: float) -> None:
        """A person says what should be different, from the step on at which it is."""
        self._pass_time(at)
        self._asking.said.append(text)
        self._note(f"You said: {text}")
        self._step(Input.STEER, at)
        self._tell()

    def edit(self, new: Plan, checks: Sequence[str] | None, at: float) -> None:
        """A person has changed the plan."""
        self._pass_time(at)
        self._edited = new.steps
        if checks is not None:
            self._standing.change(checks=tuple(checks))
        self._note("You changed the plan.")
        self._step(Input.EDIT, at)
        self._tell()

    def pause(self, at: float) -> None:
        """A person pauses it. The step at which it is begins anew when it goes on."""
        self._pass_time(at)
        self._step(Input.PAUSE, at)
        self._tell()

    def cancel(self, at: float) -> None:
        """A person ends it."""
        self._pass_time(at)
        self._step(Input.CANCEL, at)
        self._tell()

    # --- inside --------------------------------------------------------------------------------------------------------

    def _planned(self, at: float) -> None:
        self._pass_time(at)
        self._patience.renew()
        self._step(Input.PLAN_TO_SHOW if self._ask_first else Input.PLAN, at)

    def _plan_failed(self, error: SparkError, at: float) -> None:
        self._pass_time(at)
        self._job_failed(error, at)

    def _lane_ended(self, lane: StepAttempt, at: float) -> None:
        if lane.answering.phase is AnswerPhase.FAILED:
            error = lane.answering.error
            self._job_failed(error or SparkError(lane.answering.reason), at)
            return
        self._patience.renew()
        self._steps.written(lane)
        if self._steps.all_seen:
            self._judge(at)

    def _job_failed(self, error: SparkError, at: float) -> None:
        self._note(str(error))
        if self._patience.bears(error):
            self._standing.stalled = error.message  # when it is asked again is told beside it
            self._step(Input.LOST, at)
        else:
            self._conclude(str(error), at)

    def _judge(self, at: float) -> None:
        self._step(self._steps.judge(), at)

    def _conclude(self, reason: str, at: float) -> None:
        """There is nothing more to do, or nothing to do it with."""
        self._standing.undone(*what_is_left(self.value))
        self._standing.change(reason=reason)
        self._step(Input.DONE if self.bench().changed else Input.NOTHING, at)

    def _stop_if_spent(self, at: float) -> None:
        if self.phase in CLOCK_STANDS:
            return
        if spent := why_spent(self.value, self._gear.budget):
            self._note(spent)
            self._conclude(spent, at)

    def _pass_time(self, at: float) -> None:
        self._standing.pass_time(self.phase, at)

    def _wake(self, seconds: float) -> None:
        self._shared.actions.append(WakeDeep(work_id=self._standing.work.id, seconds=seconds))

    def _note(self, text: str) -> None:
        self._standing.note(text)

    def _tell(self) -> None:
        self._shared.events += self._standing.news(self.phase)

    # --- the machine -------------------------------------------------------------------------------------------------

    def _do_plan(self, at: float) -> None:
        self._planner.ask(self.cells, at)

    def _do_write(self, at: float) -> None:
        if self._steps.write_next(at):
            return
        if self._steps.unchecked:
            self._step(Input.CHECK, at)
        else:
            self._conclude(self._standing.work.reason, at)

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
        if self._steps.under_way:
            self._judge(at)
        else:
            self._do_write(at)

    def _do_rewind(self, at: float) -> None:
        self._steps.rewind(self._edited)

    def _do_rest(self, at: float) -> None:
        self._standing.change(rest=self._patience.rest)
        self._wake(self._patience.rest)

    def _do_stop(self, at: float) -> None:
        """Nothing of what is under way is wanted any more."""
        self._planner.drop()
        self._steps.stop(at)

    def _do_propose(self, at: float) -> None:
        self.account.end(at)
        if self._standing.work.hands_up is not None:
            diff = compared(self._fast_answer, self.bench().changed)
            self._standing.change(compared=diff)
