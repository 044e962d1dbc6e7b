"""Session: the state machine of one kernel's turns and proposals.

The owner (:mod:`spark_jupyter.engine.engine`) calls ``receive_…`` with commands and results, and then drains the consequences::

    session.receive_command(command, at=…)            a command of a client
    session.receive_model_event(job, attempt, …)      an event of the provider
    session.receive_failure(job, attempt, error, …)   a request has failed
    session.receive_time(…)                           a second has passed, while ``awaits`` is true
    session.receive_findings(turn, cell, findings)    findings of a slower check
    session.receive_inspected(cell, source)           the slower checks of a cell have ended
    session.receive_trial(result)                     the result of a Try
    session.receive_answer_trial(owner, trial, …)     the trial of an attempt's or a deep step's answer
    session.receive_rehearsal(rehearsed, …)           a result of running the answer while it is written

    session.events_to_send()   → Events for the clients
    session.actions_to_take()  → requests to send or drop, proposals to try …

Pure: no clock, no I/O, and no ids are made here. :mod:`spark_jupyter.session.live_turn` has what follows for one turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.exceptions import SessionError, SparkError, TurnOver
from spark_jupyter.prompting.dialogue import Dialogue
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun, RevokeGrants
from spark_jupyter.protocol.constants import MOST_HINTS
from spark_jupyter.protocol.conversation_messages import NewConversation
from spark_jupyter.protocol.deep_messages import (
    BeginDeep,
    DeepOffered,
    DeepWork,
    DirectDeep,
    EditPlan,
    RestoreDeep,
    SteerDeep,
)
from spark_jupyter.protocol.messages import Cancel, Command, Event, Prompt, Restore, Snapshot, Steer
from spark_jupyter.protocol.proposal_messages import Accept, CellEdited, ChooseAttempt, Reject, Revert, Run
from spark_jupyter.protocol.provider_messages import SelectModel
from spark_jupyter.protocol.trial_messages import TrialResult, Try
from spark_jupyter.protocol.values import Finding, ModelInfo, NotebookCell, Proposal, Turn
from spark_jupyter.providers.base import ActivityShown, ModelEvent, PermissionAsked
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.session.actions import Action, InspectCell
from spark_jupyter.session.agent_access import check_withdrawal
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.hint_steps import hint_prompt
from spark_jupyter.session.job_owners import AttemptOwner, DeepOwner, Owner, TurnOwner
from spark_jupyter.session.jobs import Job, Jobs
from spark_jupyter.session.live_turn import NO_ATTEMPT, LiveTurn
from spark_jupyter.session.opened_answer import opened_answer
from spark_jupyter.session.prompt_preparer import (
    PromptPreparer,
    begun_turn,
    other_conversation,
    refuse_unanswerable,
    with_proposals,
)
from spark_jupyter.session.proposal_store import ProposalStore
from spark_jupyter.session.rehearsal_feed import Rehearse, Rehearsed
from spark_jupyter.session.restored_turns import judge, restore
from spark_jupyter.session.run_consent import RunConsent
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.trial_notes import trial_notes
from spark_jupyter.session.trial_results import receive_edit_trial, receive_rehearsal
from spark_jupyter.session.turn_history import TurnHistory
from spark_jupyter.session.turn_meter import no_price

if TYPE_CHECKING:
    from spark_jupyter.session.deep.manager import DeepManager


class Session:
    """All turns and proposals of one kernel."""

    def __init__(
        self,
        *,
        model: str,
        guard: Guard | None = None,
        redactor: Redactor | None = None,
        price: Callable[[str], ModelInfo | None] = no_price,
        rehearse: Rehearse = "off",
        tries: bool = False,
    ) -> None:
        self.model = model
        self.rehearse: Rehearse = rehearse
        """When new cells are rehearsed; counts from the next turn on."""
        self.checked_attempts = 1
        """Number of answers that race if a prompt can be checked and names no number."""
        self.most_hints = MOST_HINTS
        """Furthest step of a hint on one question."""
        self.history = TurnHistory()
        self.store = ProposalStore()
        self.dialogue = Dialogue(
            redactor or Redactor(), decided=self.store.states, tried=lambda: trial_notes(self.store.waiting)
        )
        self.jobs = Jobs(self.dialogue, price=price)
        self._shared = SharedState(
            store=self.store, dialogue=self.dialogue, jobs=self.jobs, guard=guard or Guard(), tries=tries
        )
        self.consent = RunConsent(self.store, keep=self.dialogue.restore)
        self._preparer = PromptPreparer()
        self._manager: DeepManager | None = None

    @property
    def repairs(self) -> int:
        """Number of unasked repairs of an answer whose new cell fails in its copy; takes effect at once."""
        return self._shared.repairs

    @repairs.setter
    def repairs(self, most: int) -> None:
        self._shared.repairs = most

    @property
    def guard(self) -> Guard:
        """What judges each line."""
        return self._shared.guard

    def try_by_itself(self, on: bool) -> None:
        """Set whether proposals are tried without being asked: fixes, and answers to a prompt that can be checked."""
        self._shared.tries = on

    # --- state that the owner drains and reads -----------------------------------------------------------------------

    def events_to_send(self) -> list[Event]:
        events, self._shared.events = self._shared.events, []
        return [*events, *self.consent.forget_ended(self.jobs.is_live)]

    def actions_to_take(self) -> list[Action]:
        """The actions since the last call. A dropped request is to be dropped before the next one is sent."""
        actions, self._shared.actions = self._shared.actions, []
        return [*actions, *self.jobs.actions_to_take()]

    @property
    def turns(self) -> tuple[Turn, ...]:
        return self.history.values

    @property
    def streaming(self) -> tuple[str, ...]:
        """The ids of the turns that have not ended, oldest first."""
        return self.history.streaming

    @property
    def deep(self) -> DeepManager:
        if self._manager is None:
            from spark_jupyter.session.deep.manager import DeepManager  # not imported by %load_ext

            self._manager = DeepManager(self._shared, self.history, runs=lambda: self.rehearse != "off")
        return self._manager

    @property
    def deep_offers(self) -> Mapping[str, DeepOffered]:
        """The answers that are offered to the deep model, by turn."""
        return self._shared.deep_offers

    @property
    def deep_works(self) -> tuple[DeepWork, ...]:
        return self._manager.works if self._manager is not None else ()

    @property
    def trying(self) -> tuple[str, ...]:
        """The cells whose proposals are being tried."""
        return tuple(proposal.cell_id for proposal in self.store.proposals if proposal.trying)

    def snapshot(self) -> Snapshot:
        """The whole state of the session. A review is its owner's."""
        return Snapshot(
            turns=self.turns,
            proposals=self.store.proposals,
            attempts=self.history.attempts,
            model=self.model,
            deep=self.deep_works,
            handed=tuple(self.deep_offers.values()),
            trials=self.store.trial_results,
            consent=self.consent.value,
        )

    def restored_source(self, proposal: Proposal) -> str:
        """The source that a person keeps of a proposal: credentials withheld from the model are put back into code."""
        return self.dialogue.restore(proposal.source) if proposal.cell_type == "code" else proposal.source

    def corrected(self, turn_id: str) -> tuple[Finding, ...]:
        """The findings for which a turn was cut and corrected."""
        turn = self.history.get(turn_id)
        return tuple(turn.generation.corrected) if turn is not None else ()

    # --- commands and results ----------------------------------------------------------------------------------------

    def receive_command(self, command: Command, *, at: float, surroundings: Surroundings | None = None) -> None:
        """Handle a command at the time ``at`` (Unix seconds). ``surroundings`` is what the kernel knows.

        Raises :class:`~spark_jupyter.exceptions.SessionError` for one that does not fit the state; then nothing has changed.
        Attach, Resend, ListModels, ListMentions and Warm are the owner's: they do not concern the state.
        """
        match command:
            case Prompt():
                self._prompt(command, surroundings or Surroundings(), at)
            case Steer():
                self._steer(command, surroundings or Surroundings(), at)
            case Cancel():
                self._cancel(command, at)
            case Accept() | Reject() | Run() | Revert() | CellEdited() | AskRun() | AnswerRun() | RevokeGrants():
                self._decide(command, at)
            case NewConversation():
                self.dialogue.forget()
            case Restore():
                restore(command, self.history, self._shared)
            case Try():
                self._try(command, at)
            case ChooseAttempt():
                self._choose(command, at)
            case SelectModel():
                self.model = command.model
                self.jobs.tier = command.tier or self.jobs.profile_tier
            case BeginDeep() | RestoreDeep() | SteerDeep() | EditPlan() | DirectDeep():
                if isinstance(command, BeginDeep):
                    self._refuse_known(command.work_id)
                self.deep.receive_command(command, fast_model=self.model, at=at, surroundings=surroundings)
            case _:
                raise SessionError(f"The session does not take {type(command).__name__}.")

    def receive_model_event(self, job_id: int, attempt: int, event: ModelEvent, *, at: float) -> None:
        """Handle an event of the provider for a job's ``attempt``."""
        job = self.jobs.receive_event(job_id, attempt, event, at=at)
        if job is not None and isinstance(event, ActivityShown):
            job.receiver.receive_activity(event.text)
        elif job is not None and isinstance(event, PermissionAsked):
            turn_id = job.owner.work_id if isinstance(job.owner, DeepOwner) else job.owner.turn_id
            self._shared.events += self.consent.want(event, job_id, turn_id)
            job.receiver.receive_activity(f"Asks for your permission: {event.what} (`%spark allow`, `%spark deny`)")
        self._after_job(job, at)

    def receive_failure(self, job_id: int, attempt: int, error: SparkError, *, at: float) -> None:
        self._after_job(self.jobs.receive_failure(job_id, attempt, error, at=at), at)

    def receive_time(self, *, at: float) -> None:
        """Handle a clock tick: turns that wait for an answer send their meter."""
        for turn in self.history:
            turn.tick(at)

    @property
    def awaits(self) -> bool:
        """True if a turn still waits for the first text of its answer."""
        return self.jobs.awaits

    def receive_findings(self, turn_id: str, cell_id: str, findings: Sequence[Finding], *, at: float) -> None:
        """Handle findings of a slower check, such as a linter's. A blocking one cuts a stream that still writes that cell."""
        draft = self.store.draft(cell_id)
        if draft is None or draft.turn_id != turn_id or draft.decided:
            return
        turn = self.history.get(turn_id)
        if turn is not None and turn.generation.add_findings(cell_id, findings, at):
            turn.follow(at)
        else:
            self._shared.events += self.store.add_findings(cell_id, findings)

    def receive_inspected(self, cell_id: str, source: str) -> None:
        """Handle the end of the slower checks of ``source``, or of waiting for them."""
        self._shared.events += self.store.end_inspection(cell_id, source)

    def receive_trial(self, result: TrialResult) -> None:
        self._shared.events += self.store.receive_trial(result)

    def receive_answer_trial(self, owner: Owner, trial: AnswerTrial, *, at: float) -> None:
        """Handle the trial of the answer of an attempt or of a deep step."""
        if isinstance(owner, DeepOwner):
            self.deep.receive_trial(owner, trial, at=at)
            return
        turn = self.history.get(owner.turn_id)
        if isinstance(owner, AttemptOwner) and turn is not None:
            turn.receive_trial(owner, trial, at)
        elif isinstance(owner, TurnOwner):
            receive_edit_trial(owner.turn_id, trial, self._shared)

    def receive_rehearsal(self, rehearsed: Rehearsed, *, at: float) -> None:
        """Handle a result of running an answer while it is written. A failure cuts and corrects the answer; when the turn is over, it
        blocks the proposal."""
        turn = next((one for one in self.history if one.generation.rehearses(rehearsed.rehearsal_id)), None)
        if turn is None:
            return
        receive_rehearsal(turn, rehearsed, self._shared, at)
        if turn.may_repair and turn is self.history.last:
            self._start(turn.repaired(at), at)

    def end_rehearsal_of(self, cell_id: str, *, at: float) -> None:
        """End the copy that still runs a cell of a turn that has ended."""
        draft = self.store.draft(cell_id)
        turn = self.history.get(draft.turn_id) if draft is not None else None
        if turn is not None and not turn.live:
            turn.end_rehearsal(at)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _prompt(self, command: Prompt, surroundings: Surroundings, at: float) -> None:
        self._refuse_known(command.turn_id)
        refuse_unanswerable(command)
        command = hint_prompt(command, self.turns, self.most_hints)
        cells = with_proposals(command.cells, self.store.of_last_turn)
        command = structs.replace(command, cells=cells)
        command, known = self._preparer.prepare(
            command, surroundings, self.dialogue.redactor, attempts=self.checked_attempts, tries=self._shared.tries
        )
        if known is not None and not command.takes:
            command = structs.replace(command, intent="refactor")
        proposed = self.store.undecided_of_last_turn
        others, withheld = other_conversation(command, surroundings, self.dialogue, proposed=proposed)
        conversation = self.dialogue.begin(command, surroundings, proposed=proposed)
        value = begun_turn(command, self.model, self.dialogue, is_known=known is not None, hints=self.most_hints, at=at)
        rehearses = not command.attempts.races and (known is None or bool(command.proposes))
        mode: Rehearse = self.rehearse if rehearses else "off"
        checkpoints = surroundings.checkpoints if self.rehearse != "off" else ()
        value = structs.replace(value, withheld=tuple(dict.fromkeys((*value.withheld, *withheld))))
        turn = LiveTurn.of(
            value,
            command,
            conversation,
            self._shared,
            mode=mode,
            known=known,
            checkpoints=checkpoints,
            others=others,
        )
        self._start(turn, at)
        if surroundings.explained and known is None:
            turn.explain(surroundings.explained, at)

    def _decide(
        self, command: Accept | Reject | Run | Revert | CellEdited | AskRun | AnswerRun | RevokeGrants, at: float
    ) -> None:
        if isinstance(command, AnswerRun) and (answered := self.consent.permit(command)) is not None:
            self._shared.actions.append(answered[0])
            self._shared.events.append(answered[1])
            return
        if isinstance(command, AskRun | AnswerRun | RevokeGrants):
            self._shared.events += self.consent.receive_command(command, at=at)
            return
        if isinstance(command, Revert) and command.agent:
            check_withdrawal(command, self.turns, self.store)
        events = self.store.receive_command(command, keep=self.dialogue.restore)
        self._shared.events += [*events, *self.consent.follow(command)]

    def judged(
        self, source: str, cells: Sequence[NotebookCell], *, request_id: str
    ) -> tuple[Draft, InspectCell | None]:
        """Code of an agent with its findings, as a draft that is nobody's proposal, and the slower checks that it needs."""
        draft = Draft(cell_id=request_id, turn_id=request_id, kind="insert", cell_type="code", base="")
        draft.source = source
        return draft, judge(draft, self._shared.guard, cells)

    def _steer(self, command: Steer, surroundings: Surroundings, at: float) -> None:
        turn = self.history.get(command.steers)
        if turn is None or not (turn.live or turn.may_go_on):
            raise TurnOver(
                "That turn has ended, so it can't be steered.", remedy="Send the instruction as a new prompt."
            )
        self._refuse_known(command.turn_id)
        if not command.text.strip():
            raise SessionError("The instruction is empty.", remedy="Say what should be different.")
        self._start(turn.steered(command, at, skill=surroundings.skill), at)

    def _refuse_known(self, turn_id: str) -> None:
        if turn_id in self.history or (self._manager is not None and self._manager.knows(turn_id)):
            raise SessionError(f"There is a turn {turn_id} already.", remedy="Give the turn a new id.")

    def _start(self, turn: LiveTurn, at: float) -> None:
        if self.rehearse != "off":
            self._end_rehearsals(at)  # one copy at a time
        self.history.add(turn)
        for turn_id in self.history.retire(self.store):
            self._shared.deep_offers.pop(turn_id, None)
        turn.start(at)

    def _cancel(self, command: Cancel, at: float) -> None:
        for turn_id in self.streaming if command.turn_id is None else (command.turn_id,):
            if (turn := self.history.get(turn_id)) is None:
                raise SessionError(f"There is no turn {turn_id}.")
            turn.cancel(at, shown=command.shown)
        self._end_rehearsals(at, command.turn_id)

    def _end_rehearsals(self, at: float, turn_id: str | None = None) -> None:
        """End the rehearsal of a turn, or of all."""
        for turn in self.history:
            if turn_id in (None, turn.value.id):
                turn.end_rehearsal(at)

    def _try(self, command: Try, at: float) -> None:
        draft = self.store.to_try(command)
        source = draft.source if command.source is None else command.source
        turn = self.history.get(draft.turn_id)
        if turn is None:
            self._shared.begin_try(draft, source, allow=command.allow)
        else:
            turn.try_cell(draft, source, at, allow=command.allow)

    def _choose(self, command: ChooseAttempt, at: float) -> None:
        """Propose another attempt of a race; of a comparison that was decided, in a turn of its own."""
        turn = self.history.get(command.turn_id)
        if turn is None:
            raise SessionError(NO_ATTEMPT)
        if not (turn.prompt.attempts.compare and turn.is_decided):
            turn.choose(command.index, at)
            return
        opened = f"{command.turn_id}-open-{sum(one.id.startswith(command.turn_id) for one in self.turns)}"
        self._start(opened_answer(turn, turn.entry(command.index), self._shared, turn_id=opened, at=at), at)

    # --- jobs --------------------------------------------------------------------------------------------------------

    def _after_job(self, job: Job | None, at: float) -> None:
        if job is None:
            return
        if isinstance(job.owner, DeepOwner):
            self.deep.follow(job.owner, at=at)
            return
        turn = self.history.get(job.owner.turn_id)
        if turn is None:  # only ended turns are retired, and those have no job
            raise AssertionError(f"a job of the turn {job.owner.turn_id}, which is over")
        turn.follow_job(job.owner, self.model, at)
