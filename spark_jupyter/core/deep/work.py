"""One deep work: it plans, writes step by step, runs what it has in a copy of the kernel, and mends it. Pure.

What can happen is a table (:mod:`spark_jupyter.core.deep.phases`); here is what each of its steps does. Everything it writes stays with it
until it ends: each step has a ledger of its own, and nothing of that reaches the user's side but how the work stands. What ran in the
copy is told to the person as it was, and to the model in our own words (:mod:`spark_jupyter.core.failures`).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.core.actions import WakeDeep
from spark_jupyter.core.deep import plan as plans
from spark_jupyter.core.deep.asking import Asking, Lane, prompt_of
from spark_jupyter.core.deep.bench import Bench, compared
from spark_jupyter.core.deep.kept import Kept
from spark_jupyter.core.deep.patience import Patience
from spark_jupyter.core.deep.phases import CLOCK_STANDS, OVER, TRANSITIONS, Input, Phase
from spark_jupyter.core.deep.plan import Plan
from spark_jupyter.core.deep.planner import Planner
from spark_jupyter.core.deep.spending import what_is_left, why_spent
from spark_jupyter.core.deep.standing import Standing
from spark_jupyter.core.deep.trying import Trying
from spark_jupyter.core.meter import INTERVAL, TurnMeter
from spark_jupyter.core.owners import DeepOwner
from spark_jupyter.core.transitions import Phase as AnswerPhase
from spark_jupyter.core.tries import AnswerTrial, EndTry
from spark_jupyter.core.turns import Ground
from spark_jupyter.exceptions import SparkError
from spark_jupyter.speech.conversation import Conversation
from spark_jupyter.speech.surroundings import Surroundings
from spark_jupyter.wire.deep import DeepGear, DeepStep, DeepWork
from spark_jupyter.wire.messages import Prompt, TrialResult
from spark_jupyter.wire.offers import is_refusal
from spark_jupyter.wire.values import NotebookCell, Proposal

ROUNDS = 4
"""How often a step is written before it is left out: more seldom help, and cost as much."""
LONGEST_SAID = 240
"""Characters of a model's notes, or of an error, in the log."""


class Work:
    """A deep work. ``value`` is what it is to do; ``gear`` who does it, ``fast_model`` who may write steps beside each other. Where it
    takes on a ``fast_answer``, ``handed`` is what the model is told of that."""

    def __init__(
        self,
        value: DeepWork,
        *,
        cells: Sequence[NotebookCell],
        surroundings: Surroundings,
        ground: Ground,
        gear: DeepGear,
        fast_model: str = "",
        ask_first: bool = False,
        phase: Phase = Phase.PLANNING,
        fast_answer: Sequence[Proposal] = (),
        handed: str = "",
    ) -> None:
        self.phase = phase
        self.account = TurnMeter(value.id)
        self.cells = tuple(cells)
        self._standing = Standing(structs.replace(value, model=gear.model, budget=gear.budget), self.account)
        self._ground = ground
        self._gear = gear
        self._fast_model = fast_model
        self._ask_first = ask_first
        self._fast_answer = tuple(fast_answer)
        self._asking = Asking(
            ground, gear, fast_model=fast_model, surroundings=surroundings, handed=handed, account=self.account
        )
        self._planner = Planner(
            self._asking, self._standing, ground.jobs, planned=self._planned, failed=self._plan_failed
        )
        self._kept = Kept()
        self._lanes: list[Lane] = []
        self._trying = Trying(ground, self._standing)
        self._patience = Patience()
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
        return self._kept.passed

    @property
    def results(self) -> tuple[TrialResult, ...]:
        """What each of the cells that it proposes showed when it ran last."""
        return self._kept.results

    @property
    def from_checkpoint(self) -> bool:
        """Whether what it changes was run from where the first of those cells began, so that it can be proven from there."""
        return self._trying.from_checkpoint

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

    def bench(self, lane: Lane | None = None) -> Bench:
        """The notebook with what was kept, and with what a lane has written."""
        bench = self._kept.lay_on(Bench(self.cells, self._standing.work.target))
        if lane is not None:
            bench.apply(lane.answer)
        return bench

    # --- what happens ------------------------------------------------------------------------------------------------

    def start(self, at: float) -> None:
        """Begin."""
        self._standing.start(at)
        self._do_plan(at)
        self._wake(self._gear.budget.seconds)
        self._tell()

    def follow(self, owner: DeepOwner, *, at: float) -> None:
        """A job of one of its steps has brought something."""
        lane = next((one for one in self._lanes if one.owner == owner), None)
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
        self._ground.events += self.account.events_to_send(at)
        self._tell()

    def receive_trial(self, owner: DeepOwner, trial: AnswerTrial, *, at: float) -> None:
        """What running it in a copy showed."""
        self._pass_time(at)
        lane = self._lanes[0] if self._lanes else None
        if self._trying.is_of_all(owner):
            self._end_check(trial, at)
        elif self.phase is Phase.TRYING and lane is not None and lane.owner == owner:
            self._end_try(lane, trial, at)
        self._tell()

    def _end_try(self, lane: Lane, trial: AnswerTrial, at: float) -> None:
        cells = self.bench(lane).code
        shown = self._trying.receive(trial, cells)
        lane.reason, lane.results = shown.reason, shown.results
        if shown.reason:
            self._failed(lane, shown.reason, shown.told, at)
        else:
            self._note(f"It ran in a copy ({len(cells)} cell{'s' * (len(cells) > 1)}).", lane)
            self._step(Input.PASSED, at)
        self._stop_if_spent(at)

    def _end_check(self, trial: AnswerTrial, at: float) -> None:
        """What all that was kept shows when it runs with the checks of the whole."""
        reason = self._trying.receive(trial, self.bench().code).reason
        self._kept.judge(passed=not reason)
        self._note(reason or "Its checks pass.")
        if reason:
            self._standing.undone(reason[:LONGEST_SAID])
        self._conclude(self._standing.work.reason, at)

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
        if cells is not None and not self._kept:
            self.cells = tuple(cells)
        stood = self.phase in CLOCK_STANDS
        self._standing.change(reason="")
        self._step(Input.GO_ON if self._standing.steps else Input.ASK, at)
        if stood:
            self._wake(max(1.0, self._gear.budget.seconds - self._standing.work.elapsed))
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

    def _lane_ended(self, lane: Lane, at: float) -> None:
        if lane.answering.phase is AnswerPhase.FAILED:
            error = lane.answering.error
            self._job_failed(error or SparkError(lane.answering.reason), at)
            return
        self._patience.renew()
        for finding in lane.answering.corrected:
            self._note(f"Cut and corrected: {finding.message} [{finding.rule}]", lane)
        if all(one.seen for one in self._lanes):
            self._judge(at)

    def _job_failed(self, error: SparkError, at: float) -> None:
        self._note(str(error))
        if self._patience.bears(error):
            self._step(Input.LOST, at)
        else:
            self._conclude(str(error), at)

    def _judge(self, at: float) -> None:
        """The first lane is written: what can be said of it before it runs."""
        lane = self._lanes[0]
        notes = lane.notes
        if not lane.proposals:
            self._failed(
                lane, f"It wrote no cell. {notes}".strip(), "No cell was written.", at, final=is_refusal(notes)
            )
        elif lane.blocked:
            self._failed(lane, f"It is blocked: {lane.blocked}", f"A check blocks it: {lane.blocked}", at)
        elif self.bench(lane).code:
            self._step(Input.WRITTEN, at)
        else:
            self._step(Input.PASSED, at)

    def _failed(self, lane: Lane, reason: str, told: str, at: float, *, final: bool = False) -> None:
        """``final``: to ask once more would not help."""
        lane.reason, lane.told = " ".join(reason.split())[:LONGEST_SAID], told
        self._note(lane.reason, lane)
        again = not final and self._standing.steps[lane.owner.step].rounds < ROUNDS
        self._step(Input.AGAIN if again else Input.FAILED, at)

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
        self._ground.actions.append(WakeDeep(work_id=self._standing.work.id, seconds=seconds))

    def _note(self, text: str, lane: Lane | None = None) -> None:
        self._standing.note(text, lane.owner.step + 1 if lane is not None else 0)

    def _tell(self) -> None:
        self._ground.events += self._standing.news(self.phase)

    # --- the machine -------------------------------------------------------------------------------------------------

    def _step(self, received: Input, at: float) -> None:
        transition = TRANSITIONS.get((self.phase, received))
        if transition is None:
            return
        self.phase, steps = transition
        for step in steps:
            getattr(self, f"_do_{step}")(at)

    def _do_plan(self, at: float) -> None:
        self._planner.ask(self.cells, at)

    def _do_write(self, at: float) -> None:
        """The next step, or those that the fast model may write beside each other."""
        batch = self._standing.next_steps(self._gear.lanes)
        if not batch:
            if not self._kept.checked and self._trying.checks_of(self.bench().code):
                self._step(Input.CHECK, at)
            else:
                self._conclude(self._standing.work.reason, at)
            return
        fast = len(batch) > 1
        if fast:
            self._note(f"{len(batch)} steps are written at once by {self._fast_model or 'the fast model'}.")
        self._lanes = [
            self._asking.lane(self._standing.work, self._standing.steps, index, self.bench(), fast=fast)
            for index in batch
        ]
        for lane in tuple(self._lanes):
            self._standing.mark(lane.owner.step, state="writing", rounds=1)
            lane.answering.ask(at)

    def _do_write_again(self, at: float) -> None:
        lane = self._lanes[0]
        self._asking.again(lane, self._standing.work.id)
        self._standing.mark(lane.owner.step, state="writing", rounds=self._standing.steps[lane.owner.step].rounds + 1)
        lane.answering.ask(at)

    def _do_try(self, at: float) -> None:
        lane = self._lanes[0]
        last = len(self._lanes) == 1 and not any(step.state == "to-do" for step in self._standing.steps)
        self._standing.mark(lane.owner.step, state="trying")
        self._trying.begin(lane.owner, self.bench(lane), checked=last)

    def _do_check(self, at: float) -> None:
        owner = self._asking.owner(self._standing.work.id, len(self._standing.steps))
        self._trying.begin_of_all(owner, self.bench())

    def _do_keep(self, at: float) -> None:
        lane = self._lanes.pop(0)
        self._kept.keep(lane, checked=bool(self._trying.checks))
        cells = tuple(proposal.cell_id for proposal in lane.proposals)
        self._standing.mark(lane.owner.step, state="done", cells=cells)
        if said := lane.notes:
            self._note(f"It says: {said[:LONGEST_SAID]}", lane)

    def _do_leave_out(self, at: float) -> None:
        """What runs is kept, even where a check of the whole fails; what does not is left out."""
        lane = self._lanes[0]
        step = lane.owner.step
        self._standing.undone(f"Step {step + 1} ({self._standing.steps[step].text}): {lane.reason}")
        if lane.results:
            self._do_keep(at)
        else:
            self._lanes.pop(0)
            self._standing.mark(step, state="left-out")

    def _do_advance(self, at: float) -> None:
        if self._lanes:
            self._judge(at)
        else:
            self._do_write(at)

    def _do_rewind(self, at: float) -> None:
        """What was done of steps that are no longer so in the plan goes, and what came behind it."""
        self._standing.steps = list(plans.changed(self._standing.steps, self._edited))
        same = next(
            (index for index, step in enumerate(self._standing.steps) if step.state == "to-do"),
            len(self._standing.steps),
        )
        self._kept.rewind(same)
        self._standing.change(undone=())

    def _do_rest(self, at: float) -> None:
        self._standing.change(rest=self._patience.rest)
        self._wake(self._patience.rest)

    def _do_stop(self, at: float) -> None:
        """Nothing of what is under way is wanted any more."""
        self._planner.drop()
        self._trying.stop()
        for lane in self._lanes:
            if not lane.answering.ended:
                lane.answering.cancel(at)
                lane.drain()
            if self._standing.steps[lane.owner.step].state == "trying":
                self._ground.actions.append(EndTry(owner=lane.owner))
            if self._standing.steps[lane.owner.step].state in ("writing", "trying"):
                self._standing.mark(lane.owner.step, state="to-do")
        self._lanes = []

    def _do_propose(self, at: float) -> None:
        self.account.end(at)
        if self._standing.work.hands_up is not None:
            diff = compared(self._fast_answer, self.bench().changed)
            self._standing.change(compared=diff)
