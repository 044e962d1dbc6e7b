"""One turn under way: its answer, or the race for it, and what follows from what happens to them. Pure.

The session (:mod:`spark_jupyter.session.session`) finds the turn that something concerns; what it means for that turn is here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field, structs

from spark_jupyter.prompting.conversation import Answer, Conversation
from spark_jupyter.prompting.dialogue import Dialogue
from spark_jupyter.protocol.deep_messages import DeepOffered
from spark_jupyter.protocol.messages import Event, Problem, Prompt, Steer, TurnEnded, TurnStarted
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts, Permission, Turn
from spark_jupyter.session.actions import Action, TryProposal
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.answer_writer import AnswerWriter
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.generation import Generation
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.job_owners import AttemptOwner, Owner, TurnOwner
from spark_jupyter.session.jobs import Jobs
from spark_jupyter.session.proposal_store import ProposalStore
from spark_jupyter.session.rehearsal_feed import Rehearse
from spark_jupyter.session.transitions import OUTCOMES, Phase
from spark_jupyter.session.turn_meter import TurnMeter

if TYPE_CHECKING:
    from spark_jupyter.session.race import Entry, Race


class SharedState(Struct, kw_only=True):
    """What the turns of a session share. ``tries``: whether there is something that tries proposals, also where
    nobody asked for it; then a fix is tried by itself."""

    store: ProposalStore
    dialogue: Dialogue
    jobs: Jobs
    guard: Guard
    tries: bool = False
    events: list[Event] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    handed: dict[str, DeepOffered] = field(default_factory=dict)

    def begin_try(self, draft: Draft, source: str, *, allow: tuple[Permission, ...] = ()) -> None:
        """Have ``source`` tried in the place of a draft's."""
        self.events += self.store.begin_trial(draft)
        self.actions.append(
            TryProposal(
                turn_id=draft.turn_id,
                cell_id=draft.cell_id,
                source=self.dialogue.cover(source),
                source_hash=content_hash(source),
                allow=allow,
                base=self.dialogue.cover(draft.base) if draft.kind == "edit" else "",
            )
        )

    def prove_edits(self, drafts: Sequence[Draft], prompt: Prompt, ran: Sequence[TrialResult] = ()) -> None:
        """Have the edits of a turn tried as one, where they can be. ``ran`` is what they have shown already."""
        from spark_jupyter.session.proof_request import together  # off the path of %load_ext

        wanted = together(drafts, prompt, self.dialogue.cover, ran)
        if wanted is not None:
            edited = {edit.cell_id for edit in wanted.edits}
            self.events += [
                event for draft in drafts if draft.cell_id in edited for event in self.store.begin_trial(draft)
            ]
            self.actions.append(wanted)


class LiveTurn:
    """A turn: its value, and what makes its answer. ``race`` where several answers are written; ``none_passed`` where it has no winner.
    What it is answered with may be ``known`` already: then no model is asked. ``kept`` are the cells from whose beginning an edit can be
    tried beside the old text, and so it is."""

    def __init__(
        self,
        value: Turn,
        answering: Generation,
        meter: TurnMeter,
        shared: SharedState,
        *,
        known: Answer | None = None,
        kept: Collection[str] = (),
    ) -> None:
        self.value = value
        self.answering = answering
        self.race: Race | None = None
        self._known = known
        self._is_fast = known is None
        self._meter = meter
        self._shared = shared
        self._none_passed = False
        self._kept = kept
        self._ran: tuple[TrialResult, ...] = ()

    @classmethod
    def of(
        cls,
        value: Turn,
        prompt: Prompt,
        conversation: Conversation,
        shared: SharedState,
        *,
        mode: Rehearse,
        known: Answer | None = None,
        meter: TurnMeter | None = None,
        kept: Collection[str] = (),
    ) -> LiveTurn:
        """The turn of a prompt. Nothing is asked yet. What was spent on it before is on the ``meter``."""
        meter = meter or TurnMeter(value.id)
        answering = Generation(
            prompt,
            conversation,
            AnswerWriter.begin(
                prompt, guard=shared.guard, store=shared.store, restore=shared.dialogue.restore_known, rehearse=mode
            ),
            owner=TurnOwner(value.id),
            account=meter,
            jobs=shared.jobs,
            dialogue=shared.dialogue,
            model=value.model,
        )
        return cls(value, answering, meter, shared, known=known, kept=kept)

    @property
    def live(self) -> bool:
        """Whether it has not ended."""
        return self.value.outcome is None

    @property
    def may_go_on(self) -> bool:
        """Whether it was cut for its length, and stands as the model left it: nobody has decided on its last cell."""
        last = next(reversed(self._shared.store.of_turn(self.value.id)), None)
        return self.value.may_go_on and (last is None or not last.decided)

    def tick(self, at: float) -> None:
        """Some time has passed."""
        if self.live:
            self._shared.events += self._meter.tick(at)

    @property
    def prompt(self) -> Prompt:
        """What was asked."""
        return self.answering.prompt

    # --- what the user's side does -----------------------------------------------------------------------------------

    def start(self, at: float) -> None:
        """Have it answered."""
        self._shared.events.append(TurnStarted(turn=self.value))
        if self._known is not None:
            self.answering.adopt(self._known, at)
            self.follow(at)
        elif self.prompt.attempts.races:
            self._start_race(at)
        else:
            self.answering.ask(at)

    def propose(self, entry: Entry, at: float) -> None:
        """Propose what was written and tried elsewhere."""
        self._is_fast = False
        self._shared.events.append(TurnStarted(turn=self.value))
        self._adopt(entry, at)

    def steered(self, command: Steer, at: float) -> LiveTurn:
        """End it, superseded, where it has not ended. Returns the turn that goes on from what stands."""
        self._stop_race(at)
        if self.may_go_on:
            self.answering.reopen()
        self.answering.steer(at)
        self.follow(at)
        value = structs.replace(
            self.value,
            id=command.turn_id,
            prompt=command.text,
            started_at=at,
            steers=command.steers,
            outcome=None,
            reason="",
            may_go_on=False,
            notes="",
            corrections=0,
        )
        meter = TurnMeter(value.id)
        answering = self.answering.successor(command.text, owner=TurnOwner(value.id), account=meter)
        return LiveTurn(value, answering, meter, self._shared, kept=self._kept)

    def cancel(self, at: float, *, shown: dict[str, str] | None) -> None:
        """Stop it. Where it is known what is ``shown`` of it (by cell), what came later is taken back."""
        self._stop_race(at)
        self.answering.cancel(at, shown=shown)
        self.follow(at)

    def end_rehearsal(self, at: float) -> None:
        """End its copy, also where it still runs what a turn which is over has left to the end."""
        self.answering.stop_rehearsal(at)
        self.follow(at)

    def try_cell(self, draft: Draft, source: str, at: float, *, allow: tuple[Permission, ...] = ()) -> None:
        """Have one of its cells tried, by itself."""
        if not self.answering.writing.rehearsal.knows(draft.cell_id):
            self.end_rehearsal(at)  # a Try that a person asks for says more: it may be allowed something
        self._shared.begin_try(draft, source, allow=allow)

    def choose(self, race: Race, entry: Entry, at: float) -> None:
        """Another attempt takes the place of what is proposed."""
        self._adopt(structs.replace(entry, answer=entry.answer.without_notes()), at)
        race.mark(entry.index)
        self._flush_race(race)
        self._remember()

    # --- what happens ------------------------------------------------------------------------------------------------

    def follow_job(self, owner: Owner, default_model: str, at: float) -> None:
        """Pass on what came of something that happened to one of its jobs."""
        if isinstance(owner, AttemptOwner) and self.race is not None:
            self.race.follow(owner, at=at)
            self._after_race(self.race, at)
        else:
            self._know_model(self.answering.model or default_model)
            self.follow(at)
        if self.live:
            self._shared.events += self._meter.events_to_send(at)

    def receive_trial(self, owner: AttemptOwner, trial: AnswerTrial, at: float) -> None:
        """Take in what the Try of an attempt's answer showed."""
        if self.race is not None:
            self.race.receive_trial(owner, trial, at=at)
            self._after_race(self.race, at)

    def follow(self, at: float) -> None:
        """Pass on what came of something that happened to its answer."""
        answering = self.answering
        self._shared.events += answering.events_to_send()
        self._shared.actions += answering.actions_to_take()
        if self.value.corrections != answering.corrections:
            self.value = structs.replace(self.value, corrections=answering.corrections)
        if answering.ended and self.live:
            self._end(at)

    def _know_model(self, model: str) -> None:
        """Say which model answers, once it is known or is another one."""
        if self.value.model != model:
            self.value = structs.replace(self.value, model=model)
            self._shared.events.append(TurnStarted(turn=self.value))

    def _end(self, at: float) -> None:
        answering, events = self.answering, self._shared.events
        outcome = OUTCOMES[answering.phase]
        if outcome == "failed" and answering.error is not None:
            answering.reason = str(answering.error)
            events.append(Problem.of(answering.error, turn_id=self.value.id))
        if answering.phase in (Phase.COMPLETED, Phase.CANCELLED) and answering.said:
            self._remember()
        self.value = structs.replace(
            self.value,
            outcome=outcome,
            reason=answering.reason,
            notes=answering.writing.notes,
            may_go_on=answering.may_go_on and outcome == "completed",
        )
        self._meter.end(at)
        events += self._meter.events_to_send(at)
        if outcome == "completed" and self._shared.tries:
            self._try_edits(at)
        events.append(
            TurnEnded(
                turn_id=self.value.id,
                outcome=outcome,
                reason=answering.reason,
                none_passed=self._none_passed,
                may_go_on=self.value.may_go_on,
            )
        )
        if outcome == "completed" and self._is_fast:
            self._offer_up()

    def _offer_up(self) -> None:
        """Where it may be more than a fast model should do alone, that is said; nothing happens until a person says so."""
        from spark_jupyter.session.deep.escalation import escalation_reason  # off the path of %load_ext

        reason = escalation_reason(
            prompt=self.value.prompt,
            corrections=self.answering.corrections,
            none_passed=self._none_passed,
            proposals=[draft.proposal() for draft in self._shared.store.of_turn(self.value.id)],
        )
        if reason:
            self._shared.handed[self.value.id] = offered = DeepOffered(turn_id=self.value.id, reason=reason)
            self._shared.events.append(offered)

    def _remember(self) -> None:
        """What was said stays in the conversation."""
        answering = self.answering
        self._shared.dialogue.remember(self.value.id, answering.conversation.question, answering.said)

    def _try_edits(self, at: float) -> None:
        """A person who sees a repair asks whether it runs now, and of another edit whether the result is the same; of edits that belong
        together it is asked once. Text with a blocking finding is not run by itself, in a copy either."""
        drafts = self._shared.store.of_turn(self.value.id)
        edited = [draft.cell_id for draft in drafts if draft.kind == "edit" and draft.cell_type == "code"]
        provable = any(cell_id in self._kept for cell_id in edited)
        if provable and (self.value.intent == "refactor" or len(edited) > 1 or not self._is_fast):
            self._shared.prove_edits(drafts, self.prompt, self._ran)
        elif self.prompt.intent == "fix" or (provable and self.prompt.target.edit in edited):
            for draft in drafts:
                if draft.cell_type == "code" and draft.state == "ready" and draft.tried is None:
                    self.try_cell(draft, draft.source, at)

    # --- its race ----------------------------------------------------------------------------------------------------

    def _start_race(self, at: float) -> None:
        from spark_jupyter.session.race import Race  # off the path of %load_ext

        shared, quiet = self._shared, structs.replace(self.prompt, attempts=Attempts())

        def begin(owner: AttemptOwner, store: ProposalStore, model: str, temperature: float | None) -> Generation:
            return Generation(
                quiet,
                self.answering.conversation,
                AnswerWriter.begin(quiet, guard=shared.guard, store=store, restore=shared.dialogue.restore_known),
                owner=owner,
                account=self._meter,
                jobs=shared.jobs,
                dialogue=shared.dialogue,
                model=model,
                temperature=temperature,
            )

        self.race = Race(self.prompt, model=self.value.model, begin=begin, account=self._meter, at=at)
        self._flush_race(self.race)

    def _stop_race(self, at: float) -> None:
        if self.race is not None and self.live:
            self.race.stop(at)
            self._flush_race(self.race)

    def _flush_race(self, race: Race) -> None:
        self._shared.events += race.events_to_send()
        self._shared.actions += race.actions_to_take()

    def _after_race(self, race: Race, at: float) -> None:
        """What follows from something that happened in its race. When that has ended, its winner is proposed."""
        self._flush_race(race)
        decision = race.decision
        if decision is None or not self.live:
            return
        if decision.entry is not None:
            self._know_model(decision.entry.model)
            self._adopt(decision.entry, at, reason=decision.reason)
        elif decision.error is not None:
            self.answering.fail(decision.error, at)
        self.follow(at)

    def _adopt(self, entry: Entry, at: float, *, reason: str = "") -> None:
        """Propose an entry; what its Try showed belongs to its cells."""
        turn_id, store, events = self.value.id, self._shared.store, self._shared.events
        self._ran = ()
        self._none_passed = not entry.passed
        self.answering.adopt(entry.answer, at, reason=reason)
        events += self.answering.events_to_send()
        events += store.end_race(turn_id, none_passed=self._none_passed)
        cells = [draft for draft in store.of_turn(turn_id) if draft.cell_type == "code"]
        for number, draft in enumerate(cells):
            if number < len(entry.results):
                result = structs.replace(entry.results[number], turn_id=turn_id, cell_id=draft.cell_id)
                self._ran += (result,)
                events += store.receive_trial(result)
            elif draft.tried is not None:  # what was tried in this cell was another attempt's
                problem = "This attempt ended before the cell was tried."
                untried = TrialResult(turn_id=turn_id, cell_id=draft.cell_id, problem=problem, summary=problem)
                events += store.receive_trial(untried)
        self.follow(at)
