"""The steps of a deep work: each is written, tried in a copy of the kernel, and kept or left out. Pure.

:mod:`spark_jupyter.session.deep.deep_work` says when; the outcome is an :class:`~spark_jupyter.session.deep.phases.Input` of its table.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.protocol.deep_messages import DeepStep
from spark_jupyter.protocol.offers import is_refusal
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.answer_trials import AnswerTrial, EndTry
from spark_jupyter.session.deep import plan as plans
from spark_jupyter.session.deep.deep_requests import DeepRequests
from spark_jupyter.session.deep.draft_notebook import DraftNotebook
from spark_jupyter.session.deep.phases import Input
from spark_jupyter.session.deep.step_answers import StepAnswers
from spark_jupyter.session.deep.step_attempt import StepAttempt
from spark_jupyter.session.deep.step_trials import StepTrials, TrialVerdict
from spark_jupyter.session.deep.surprise_log import SurpriseLog, for_a_person
from spark_jupyter.session.deep.work_status import WorkStatus
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.live_turn import SharedState

ROUNDS = 4
"""How often a step is written before it is left out: more seldom help, and cost as much."""
LONGEST_SAID = 240
"""Characters of a model's notes, or of an error, in the log."""


class Steps:
    """Those of one work over the user's ``cells``. ``lanes`` is how many the ``fast_model`` may write at once."""

    def __init__(
        self,
        shared: SharedState,
        standing: WorkStatus,
        asking: DeepRequests,
        *,
        cells: Sequence[NotebookCell],
        fast_model: str,
        lanes: int,
    ) -> None:
        self.cells = tuple(cells)
        self.kept = StepAnswers()
        self.trying = StepTrials(shared, standing)
        self._shared = shared
        self._standing = standing
        self._asking = asking
        self._fast_model = fast_model
        self._most_lanes = lanes
        self._lanes: list[StepAttempt] = []
        self._surprising = SurpriseLog()

    # --- what there is -------------------------------------------------------------------------------------------------

    def bench(self, lane: StepAttempt | None = None) -> DraftNotebook:
        """The notebook with what was kept, and with what a lane has written."""
        bench = self.kept.lay_on(DraftNotebook(self.cells, self._standing.work.target))
        if lane is not None:
            bench.apply(lane.written.answer)
        return bench

    def lane_of(self, owner: DeepOwner) -> StepAttempt | None:
        """The one whose job or Try that is."""
        return next((one for one in self._lanes if one.owner == owner), None)

    @property
    def under_way(self) -> bool:
        """Whether something is written that waits to be tried."""
        return bool(self._lanes)

    @property
    def all_seen(self) -> bool:
        """Whether the end of all that is written was taken in."""
        return all(one.seen for one in self._lanes)

    @property
    def unchecked(self) -> bool:
        """Whether there are checks that did not run behind all that was kept."""
        return not self.kept.checked and bool(self.trying.checks_of(self.bench().code))

    # --- writing -------------------------------------------------------------------------------------------------------

    def write_next(self, at: float) -> bool:
        """The next step, or those that the fast model may write beside each other. Whether there is one."""
        batch = self._standing.next_steps(self._most_lanes)
        fast = len(batch) > 1
        if fast:
            self._standing.note(f"{len(batch)} steps are written at once by {self._fast_model or 'the fast model'}.")
        standing = self._standing
        self._lanes = [
            self._asking.lane(standing.work, standing.steps, index, self.bench(), fast=fast) for index in batch
        ]
        for lane in tuple(self._lanes):
            standing.mark(lane.owner.step, state="writing", rounds=1)
            lane.answering.ask(at)
        return bool(batch)

    def write_again(self, at: float) -> None:
        """The first one once more, with what is against what it wrote."""
        lane = self._lanes[0]
        self._asking.again(lane, self._standing.work.id)
        self._standing.mark(lane.owner.step, state="writing", rounds=self._rounds(lane) + 1)
        lane.answering.ask(at)

    def written(self, lane: StepAttempt) -> None:
        """One has been written to its end."""
        for finding in lane.answering.corrected:
            self._note(f"Cut and corrected: {finding.message} [{finding.rule}]", lane)

    def judge(self) -> Input:
        """The first lane is written: what can be said of it before it runs."""
        lane = self._lanes[0]
        notes = lane.written.notes
        if not lane.proposals:
            said = f"It wrote no cell. {notes}".strip()
            return self._failed(lane, said, "No cell was written.", final=is_refusal(notes))
        if lane.blocked:
            return self._failed(lane, f"It is blocked: {lane.blocked}", f"A check blocks it: {lane.blocked}")
        return Input.WRITTEN if self.bench(lane).code else Input.PASSED

    # --- trying --------------------------------------------------------------------------------------------------------

    def try_first(self) -> None:
        """Run all there is with what the first lane wrote; behind the last step with the checks of the whole."""
        lane = self._lanes[0]
        last = len(self._lanes) == 1 and not any(step.state == "to-do" for step in self._standing.steps)
        self._standing.mark(lane.owner.step, state="trying")
        self.trying.begin(lane.owner, self.bench(lane), checked=last)

    def end_try(self, owner: DeepOwner, trial: AnswerTrial) -> Input | None:
        """What running it showed; None where nobody waits for that any more."""
        lane = self._lanes[0] if self._lanes else None
        if lane is None or lane.owner != owner:
            return None
        cells = self.bench(lane).code
        shown = self.trying.receive(trial, cells)
        lane.reason, lane.results = shown.reason, shown.results
        news = self._surprising.news(shown.surprised)
        if shown.reason:
            return self._failed(lane, shown.reason, "\n".join(filter(None, [shown.told, news])))
        self._note(f"It ran in a copy ({len(cells)} cell{'s' * (len(cells) > 1)}).", lane)
        return self._surprised(lane, shown, news) if news else Input.PASSED

    def check_all(self) -> None:
        """Run all that was kept, with the checks of the whole."""
        owner = self._asking.owner(self._standing.work.id, len(self._standing.steps))
        self.trying.begin_of_all(owner, self.bench())

    def end_check(self, trial: AnswerTrial) -> None:
        """What that showed."""
        reason = self.trying.receive(trial, self.bench().code).reason
        self.kept.judge(passed=not reason)
        self._standing.note(reason or "Its checks pass.")
        if reason:
            self._standing.undone(reason[:LONGEST_SAID])

    def _surprised(self, lane: StepAttempt, shown: TrialVerdict, news: str) -> Input:
        """The model may think once more; what it has stays until it has something better."""
        self._note(f"It surprises: {for_a_person(shown.results)}", lane)
        if lane.ran is not None or self._rounds(lane) >= ROUNDS:
            return Input.PASSED
        lane.ran, lane.told = lane.written, news
        return Input.AGAIN

    def _failed(self, lane: StepAttempt, reason: str, told: str, *, final: bool = False) -> Input:
        """``final``: to ask once more would not help."""
        lane.reason, lane.told = " ".join(reason.split())[:LONGEST_SAID], told
        self._note(lane.reason, lane)
        if not final and self._rounds(lane) < ROUNDS:
            return Input.AGAIN
        if lane.ran is None:
            return Input.FAILED
        lane.go_back()
        self._note("What it wrote before ran, so that is kept.", lane)
        return Input.PASSED

    # --- keeping -------------------------------------------------------------------------------------------------------

    def keep(self) -> None:
        """What the first lane wrote is done."""
        lane = self._lanes.pop(0)
        self.kept.keep(lane, checked=bool(self.trying.checks))
        self._standing.mark(lane.owner.step, state="done", cells=lane.written.cells)
        if said := lane.written.notes:
            self._note(f"It says: {said[:LONGEST_SAID]}", lane)

    def leave_out(self) -> None:
        """What runs is kept, even where a check of the whole fails; what does not is left out."""
        lane = self._lanes[0]
        step = lane.owner.step
        self._standing.undone(f"Step {step + 1} ({self._standing.steps[step].text}): {lane.reason}")
        if lane.results:
            self.keep()
        else:
            self._lanes.pop(0)
            self._standing.mark(step, state="left-out")

    def rewind(self, edited: Sequence[DeepStep]) -> None:
        """What was done of steps that are no longer so in the ``edited`` plan goes, and what came behind it."""
        steps = self._standing.steps = list(plans.changed(self._standing.steps, edited))
        same = next((index for index, step in enumerate(steps) if step.state == "to-do"), len(steps))
        self.kept.rewind(same)
        self._standing.change(undone=())

    def stop(self, at: float) -> None:
        """Nothing of what is under way is wanted any more."""
        self.trying.stop()
        for lane in self._lanes:
            step = lane.owner.step
            if not lane.answering.ended:
                lane.answering.cancel(at)
                lane.drain()
            if self._standing.steps[step].state == "trying":
                self._shared.actions.append(EndTry(owner=lane.owner))
            if self._standing.steps[step].state in ("writing", "trying"):
                self._standing.mark(step, state="to-do")
        self._lanes = []

    # --- inside --------------------------------------------------------------------------------------------------------

    def _rounds(self, lane: StepAttempt) -> int:
        return self._standing.steps[lane.owner.step].rounds

    def _note(self, text: str, lane: StepAttempt) -> None:
        self._standing.note(text, lane.owner.step + 1)
