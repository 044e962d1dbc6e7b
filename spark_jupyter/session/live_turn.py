"""Turn under way: generation or race, and their consequences.

:mod:`spark_jupyter.session.session` finds the turn that a command or a result concerns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting.conversation import Answer, Conversation
from spark_jupyter.protocol.deep_messages import DeepOffered
from spark_jupyter.protocol.messages import Problem, Prompt, Steer, TurnEnded, TurnStarted
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts, Permission, Person, Turn
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.answer_writer import AnswerWriter
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.generation import Assignment, Generation
from spark_jupyter.session.job_owners import AttemptOwner, Owner, TurnOwner
from spark_jupyter.session.rehearsal_feed import Rehearse
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.transitions import OUTCOMES, Phase
from spark_jupyter.session.turn_meter import TurnMeter

if TYPE_CHECKING:
    from spark_jupyter.session.race import Entry, Race

REPAIR = "The cell failed when it was tried in a copy. Repair it."
"""The prompt of a turn that repairs by itself."""
NO_ATTEMPT = "That attempt has no code."


class LiveTurn:
    """A turn: its value and its generation, or a ``race`` where several answers are written.

    Args:
        known: The answer where it is known already; then no model is asked.
        checkpoints: The cells with a checkpoint. Edits of these are proven: run beside the old text.
        others: The conversation of the second answer, where it has a prompt of its own.
    """

    def __init__(
        self,
        value: Turn,
        generation: Generation,
        meter: TurnMeter,
        shared: SharedState,
        *,
        known: Answer | None = None,
        checkpoints: Collection[str] = (),
        others: Sequence[Conversation] = (),
    ) -> None:
        self.value = value
        self.generation = generation
        self.race: Race | None = None
        self._known = known
        self._is_fast = known is None
        self._conversations = (generation.conversation, *others)
        self._meter = meter
        self._shared = shared
        self._none_passed = False
        self._checkpoints = checkpoints
        self._results: tuple[TrialResult, ...] = ()
        self._late: frozenset[str] = frozenset()  # cells that a copy still runs though the turn has ended

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
        checkpoints: Collection[str] = (),
        others: Sequence[Conversation] = (),
    ) -> LiveTurn:
        """The turn of a prompt. Nothing is asked yet. ``meter`` has what was spent on it before."""
        meter = meter or TurnMeter(value.id)
        assignment = Assignment(prompt=prompt, conversation=conversation, owner=TurnOwner(value.id), model=value.model)
        writer = AnswerWriter(prompt, shared, shared.store, rehearse=mode)
        generation = Generation(assignment, writer, meter, shared)
        return cls(value, generation, meter, shared, known=known, checkpoints=checkpoints, others=others)

    @property
    def live(self) -> bool:
        return self.value.outcome is None

    @property
    def may_go_on(self) -> bool:
        """True if it was cut for its length, and its last cell is still undecided."""
        last = next(reversed(self._shared.store.of_turn(self.value.id)), None)
        return self.value.may_go_on and (last is None or not last.decided)

    def tick(self, at: float) -> None:
        """Send the meter of a turn that waits for its answer."""
        if self.live:
            self._shared.events += self._meter.tick(at)

    @property
    def prompt(self) -> Prompt:
        return self.generation.prompt

    # --- commands of a client ----------------------------------------------------------------------------------------

    def start(self, at: float) -> None:
        """Ask for the answer, or adopt the known one."""
        self._shared.events.append(TurnStarted(turn=self.value))
        if self._known is not None:
            self.generation.adopt(self._known, at)
            self.follow(at)
        elif self.prompt.attempts.races:
            self._start_race(at)
        else:
            self.generation.ask(at)

    def explain(self, text: str, at: float) -> None:
        """Say something that is no part of the answer."""
        self.generation.writer.add_activity(text)
        self.follow(at)

    def propose(self, entry: Entry, at: float) -> None:
        """Propose an answer that was written and tried elsewhere."""
        self._is_fast = False
        self._shared.events.append(TurnStarted(turn=self.value))
        self._adopt(entry, at)

    def steered(self, command: Steer, at: float, *, skill: str = "") -> LiveTurn:
        """End it as superseded, where it has not ended. Returns the turn that continues from its drafts; the ``skill`` is the one that the
        instruction begins with."""
        self._stop_race(at)
        if self.may_go_on:
            self.generation.reopen()
        self.generation.steer(at)
        self.follow(at)
        successor = partial(self.generation.successor, images=command.images, skill=skill)
        return self._successor(command.turn_id, command.text, at, successor, by=command.by or self.value.by)

    @property
    def may_repair(self) -> bool:
        """True if a new cell failed in its copy only after the turn had ended, and nobody has decided on its proposals since."""
        drafts = self._shared.store.of_turn(self.value.id)
        return self.generation.failed_late and bool(drafts) and not any(draft.decided for draft in drafts)

    def repaired(self, at: float) -> LiveTurn:
        """The turn that repairs the cell that failed. It is asked like a steer, with what failed as the instruction."""
        self.end_rehearsal(at)
        generation = self.generation
        repair_id = f"{self.value.id}-repair"
        return self._successor(repair_id, REPAIR, at, lambda _, **its: generation.repairer(**its), by=self.value.by)

    def _successor(
        self, turn_id: str, text: str, at: float, successor: Callable[..., Generation], *, by: Person | None
    ) -> LiveTurn:
        value = structs.replace(
            self.value,
            id=turn_id,
            prompt=text,
            by=by,
            started_at=at,
            steers=self.value.id,
            outcome=None,
            reason="",
            may_go_on=False,
            notes="",
            corrections=0,
        )
        meter = TurnMeter(turn_id)
        generation = successor(text, owner=TurnOwner(turn_id), meter=meter)
        return LiveTurn(value, generation, meter, self._shared, checkpoints=self._checkpoints)

    def cancel(self, at: float, *, shown: dict[str, str] | None) -> None:
        """Stop it. Text written after what is ``shown`` of it (by cell) is taken back; None: all of it stays."""
        self._stop_race(at)
        self.generation.cancel(at, shown=shown)
        self.follow(at)

    def end_rehearsal(self, at: float) -> None:
        """End its copy, also where the turn is over and the copy still runs."""
        self.generation.stop_rehearsal(at)
        self.follow(at)

    def try_cell(self, draft: Draft, source: str, at: float, *, allow: tuple[Permission, ...] = ()) -> None:
        if not self.generation.writer.rehearsal.knows(draft.cell_id):
            self.end_rehearsal(at)  # a Try that a person asks for may have permissions
        self._shared.begin_try(draft, source, allow=allow)

    @property
    def is_decided(self) -> bool:
        """True if the user has decided on something that it proposed."""
        return any(draft.decided for draft in self._shared.store.of_turn(self.value.id))

    def entry(self, index: int) -> Entry:
        """An answer of its race, which has ended. Raises :class:`~spark_jupyter.exceptions.SessionError` where there is none."""
        entry = self.race.entry(index) if self.race is not None else None
        if entry is None or not entry.source:
            raise SessionError(NO_ATTEMPT)
        if self.live:
            raise SessionError("The attempts are still running.", remedy="Wait, or cancel the turn.")
        return entry

    def asked(self, entry: Entry) -> tuple[Prompt, Conversation]:
        """The prompt that an answer of its race is to, and the conversation."""
        own = entry.index if entry.index < len(self._conversations) else 0
        text = self.prompt.attempts.other if own else self.prompt.text
        return structs.replace(self.prompt, text=text, attempts=Attempts()), self._conversations[own]

    def choose(self, index: int, at: float) -> None:
        """Propose another attempt of its race instead.

        Raises:
            SessionError: There is no such attempt, the race is still on, or the user has decided on its proposals.
        """
        entry, race = self.entry(index), self.race
        if self.is_decided:
            raise SessionError("This turn's proposals were already accepted or rejected.", remedy="Prompt again.")
        assert race is not None  # or there would be no entry
        is_told = any(one.proposed for one in race.states)
        self._set_model(entry.model, self.asked(entry)[0].text)
        self._adopt(structs.replace(entry, answer=entry.answer.without_notes()) if is_told else entry, at)
        self.value = structs.replace(self.value, notes=self.generation.writer.notes)
        race.mark(entry.index)
        self._flush_race(race)
        self._remember()

    # --- results -----------------------------------------------------------------------------------------------------

    def follow_job(self, owner: Owner, default_model: str, at: float) -> None:
        """Pass on the events and actions after a result of one of its jobs."""
        if isinstance(owner, AttemptOwner) and self.race is not None:
            self.race.follow(owner, at=at)
            self._after_race(self.race, at)
        else:
            self._set_model(self.generation.model or default_model)
            self.follow(at)
        if self.live:
            self._shared.events += self._meter.events_to_send(at)

    def receive_trial(self, owner: AttemptOwner, trial: AnswerTrial, at: float) -> None:
        """Pass the trial of an attempt's answer to the race."""
        if self.race is not None:
            self.race.receive_trial(owner, trial, at=at)
            self._after_race(self.race, at)

    def follow(self, at: float) -> None:
        """Pass on the events and actions of its generation, and end the turn when that has ended."""
        generation = self.generation
        self._shared.events += generation.events_to_send()
        self._shared.actions += generation.actions_to_take()
        if self.value.corrections != generation.corrections:
            self.value = structs.replace(self.value, corrections=generation.corrections)
        if generation.ended and self.live:
            self._end(at)
        if not self.live:
            self._mark_late_trials()

    def _mark_late_trials(self) -> None:
        """Show which cells a copy still runs, and which it no longer does."""
        late = self.generation.writer.rehearsal.outstanding
        for draft in self._shared.store.of_turn(self.value.id):
            if (draft.cell_id in late) != (draft.cell_id in self._late):
                self._shared.events += self._shared.store.mark_trying(draft, on=draft.cell_id in late)
        self._late = late

    def _set_model(self, model: str, prompt: str = "") -> None:
        """Announce the model that answers, once it is known or has changed, and the prompt that it answers."""
        if self.value.model != model or prompt not in ("", self.value.prompt):
            self.value = structs.replace(self.value, model=model, prompt=prompt or self.value.prompt)
            self._shared.events.append(TurnStarted(turn=self.value))

    def _end(self, at: float) -> None:
        generation, events = self.generation, self._shared.events
        outcome = OUTCOMES[generation.phase]
        if outcome == "failed" and generation.error is not None:
            generation.reason = str(generation.error)
            self._meter.withdraw(generation.error.message)
            events.append(Problem.of(generation.error, turn_id=self.value.id))
        if generation.phase in (Phase.COMPLETED, Phase.CANCELLED) and generation.said:
            self._remember()
        self.value = structs.replace(
            self.value,
            outcome=outcome,
            reason=generation.reason,
            notes=generation.writer.notes,
            may_go_on=generation.may_go_on and outcome == "completed",
        )
        self._meter.end(at)
        events += self._meter.events_to_send(at)
        if outcome == "completed" and self._shared.tries and not self.prompt.takes:
            self._try_edits(at)
        events.append(
            TurnEnded(
                turn_id=self.value.id,
                outcome=outcome,
                reason=generation.reason,
                none_passed=self._none_passed,
                may_go_on=self.value.may_go_on,
            )
        )
        if outcome == "completed" and self._is_fast:
            self._offer_deep_work()

    def _offer_deep_work(self) -> None:
        """Offer the answer to the deep model where there is a reason. A person decides."""
        from spark_jupyter.session.deep.escalation import escalation_reason  # off the path of %load_ext

        reason = escalation_reason(
            prompt=self.value.prompt,
            corrections=self.generation.corrections,
            none_passed=self._none_passed,
            proposals=[draft.proposal() for draft in self._shared.store.of_turn(self.value.id)],
        )
        if reason:
            self._shared.deep_offers[self.value.id] = offered = DeepOffered(turn_id=self.value.id, reason=reason)
            self._shared.events.append(offered)

    def _remember(self) -> None:
        """Keep the answer in the conversation. What an agent said is no word of the user's, so it does not come into it."""
        if self.value.agent:
            return
        generation = self.generation
        self._shared.dialogue.remember(self.value.id, generation.conversation.question, generation.said)

    def _try_edits(self, at: float) -> None:
        """Try repairs, and prove other edits of cells with a checkpoint; edits that belong together are proven as one, and new cells run
        behind the edits that they need. Blocked text is not run without being asked, in a copy either. What an agent wants to run as it is
        runs in a copy of the present kernel."""
        proposed = self._shared.store.of_turn(self.value.id)
        for draft in proposed:
            if (
                draft.operation is not None
                and draft.operation.kind == "run"
                and draft.state == "ready"
                and draft.tried is None
            ):
                self.try_cell(draft, draft.source, at)
        drafts = [draft for draft in proposed if draft.operation is None]
        edited = [draft.cell_id for draft in drafts if draft.kind == "edit" and draft.cell_type == "code"]
        provable = any(cell_id in self._checkpoints for cell_id in edited)
        if provable and (self.value.intent == "refactor" or len(edited) > 1 or not self._is_fast):
            self._shared.prove_edits(drafts, self.prompt, self._results)
            return
        fixes = self.prompt.intent == "fix"
        together = (provable or (fixes and edited)) and self._shared.try_new_with_edits(drafts, self.prompt)
        if together or fixes or provable:
            for draft in drafts:
                is_tried = draft.tried is not None or (together and draft.kind == "insert")
                if draft.cell_type == "code" and draft.state == "ready" and not is_tried:
                    self.try_cell(draft, draft.source, at)

    # --- its race ----------------------------------------------------------------------------------------------------

    def _start_race(self, at: float) -> None:
        from spark_jupyter.session.race import begin_race  # off the path of %load_ext

        self.race = begin_race(
            self.prompt, self._conversations, self._shared, model=self.value.model, meter=self._meter, at=at
        )
        self._flush_race(self.race)

    def _stop_race(self, at: float) -> None:
        if self.race is not None and self.live:
            self.race.stop(at)
            self._flush_race(self.race)

    def _flush_race(self, race: Race) -> None:
        self._shared.events += race.events_to_send()
        self._shared.actions += race.actions_to_take()

    def _after_race(self, race: Race, at: float) -> None:
        """Pass on the events and actions of its race. When that has ended, propose its winner."""
        self._flush_race(race)
        decision = race.decision
        if decision is None or not self.live:
            return
        if decision.entry is not None:
            self._set_model(decision.entry.model)
            self._adopt(decision.entry, at, reason=decision.reason)
        elif decision.error is not None:
            self.generation.fail(decision.error, at)
        else:
            self.generation.adopt(Answer(), at)
        self.follow(at)

    def _adopt(self, entry: Entry, at: float, *, reason: str = "") -> None:
        """Propose an entry with the results of its trial."""
        turn_id, store, events = self.value.id, self._shared.store, self._shared.events
        self.generation.take_up(self.asked(entry)[1])
        self._results = ()
        self._none_passed = not entry.passed
        self.generation.adopt(entry.answer, at, reason=reason)
        events += self.generation.events_to_send()
        events += store.end_race(turn_id, none_passed=self._none_passed)
        cells = [draft for draft in store.of_turn(turn_id) if draft.cell_type == "code"]
        for number, draft in enumerate(cells):
            if number < len(entry.results):
                result = structs.replace(entry.results[number], turn_id=turn_id, cell_id=draft.cell_id)
                self._results += (result,)
                events += store.receive_trial(result)
            elif draft.tried is not None:  # the result at hand is another attempt's
                problem = "This attempt ended before the cell was tried."
                untried = TrialResult(turn_id=turn_id, cell_id=draft.cell_id, problem=problem, summary=problem)
                events += store.receive_trial(untried)
        self.follow(at)
