"""The state machine of one kernel's turns and proposals. Pure: no clock, no I/O, no ids made inside.

The owner (:mod:`spark_jupyter.host.engine`) feeds what happens and then drains what follows::

    session.receive_command(command, at=…)            what the user's side says
    session.receive_model_event(turn, attempt, …)     what the provider says
    session.receive_failure(turn, attempt, error, …)  the request failed
    session.receive_findings(turn, cell, findings)    a slower check has found something
    session.receive_inspected(cell, source)           the slower checks have ended
    session.receive_trial(result)                     a Try has ended
    session.receive_rehearsal(rehearsed, …)           running what is written has shown something

    session.events_to_send()   → Events for the user's side
    session.actions_to_take()  → what the owner must do: send a request, drop one, try a proposal …

What can happen to a turn is a table, :data:`spark_jupyter.core.transitions.TRANSITIONS`; here is what each of its steps does. Each
request of a turn has an attempt number, and what belongs to an earlier attempt is not looked at. How several answers to one prompt
race says :mod:`spark_jupyter.core.racing`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from spark_jupyter.core.actions import Action, DropRequest, SendRequest, TryProposal
from spark_jupyter.core.ledger import Ledger
from spark_jupyter.core.meter import TurnMeter, no_price
from spark_jupyter.core.rehearsing import AwaitRehearsal, Rehearse, Rehearsed
from spark_jupyter.core.transitions import OUTCOMES, TRANSITIONS, Input, LiveTurn, Phase
from spark_jupyter.core.writing import Guard, Writing
from spark_jupyter.exceptions import ConnectionLost, SessionError, SparkError
from spark_jupyter.providers.base import (
    Message,
    ModelEvent,
    ModelRequest,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    Usage,
)
from spark_jupyter.speech import prompts
from spark_jupyter.speech.dialogue import Dialogue
from spark_jupyter.speech.redaction import Redactor
from spark_jupyter.speech.surroundings import Surroundings
from spark_jupyter.wire.messages import (
    Accept,
    Cancel,
    Command,
    Event,
    Finding,
    ModelInfo,
    Problem,
    Prompt,
    Reject,
    Revert,
    Run,
    SelectModel,
    Steer,
    TrialResult,
    Try,
    Turn,
    TurnEnded,
    TurnStarted,
)


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
    ) -> None:
        self.model = model
        self.rehearse: Rehearse = rehearse
        """When new cells are run in a copy; from the next turn on."""
        self.ledger = Ledger()
        self._guard = guard or Guard()
        self.price = price
        self.dialogue = Dialogue(redactor or Redactor())
        self.tries = False
        """Whether there is something that tries proposals: then a fix is tried by itself."""
        self._turns: dict[str, LiveTurn] = {}
        self._events: list[Event] = []
        self._actions: list[Action] = []

    # --- what the owner drains -------------------------------------------------------------------------------------

    def events_to_send(self) -> list[Event]:
        """The events since the last call, in order."""
        events, self._events = self._events, []
        return events

    def actions_to_take(self) -> list[Action]:
        """The actions since the last call, in order. A dropped request is to be dropped before the next one is sent."""
        actions, self._actions = self._actions, []
        return actions

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn, oldest first."""
        return tuple(turn.value for turn in self._turns.values())

    @property
    def streaming(self) -> tuple[str, ...]:
        """The ids of the turns that have not ended, oldest first."""
        return tuple(id_ for id_, turn in self._turns.items() if turn.live)

    @property
    def trying(self) -> tuple[str, ...]:
        """The cells whose proposals are being tried."""
        return tuple(proposal.cell_id for proposal in self.ledger.proposals if proposal.trying)

    @property
    def withheld(self) -> tuple[str, ...]:
        """What was kept from prompts, by name; never the secret itself."""
        return tuple(dict.fromkeys(name for turn in self._turns.values() for name in turn.value.withheld))

    def corrected(self, turn_id: str) -> tuple[Finding, ...]:
        """The findings for which a turn was cut and corrected."""
        return tuple(self._turns[turn_id].corrected)

    # --- what happens ------------------------------------------------------------------------------------------------

    def receive_command(self, command: Command, *, at: float, surroundings: Surroundings | None = None) -> None:
        """Take in a command at the time ``at`` (Unix seconds).

        Raises :class:`~spark_jupyter.exceptions.SessionError` for one that does not fit the state; then nothing has changed.
        Attach, Resend, ListModels and Warm are the owner's: they do not concern the state.
        """
        match command:
            case Prompt():
                self._prompt(command, surroundings or Surroundings(), at)
            case Steer():
                self._steer(command, at)
            case Cancel():
                self._cancel(command, at)
            case Accept() | Reject() | Run() | Revert():
                self._events += self.ledger.receive_command(command)
            case Try():
                self._try(command, at)
            case SelectModel():
                self.model = command.model
            case _:
                raise SessionError(f"The session does not take {type(command).__name__}.")

    def receive_model_event(self, turn_id: str, attempt: int, event: ModelEvent, *, at: float) -> None:
        """Take in what the provider said to the turn's request number ``attempt``."""
        turn = self._turns.get(turn_id)
        if turn is None or turn.attempt != attempt or not turn.live:
            return
        match event:
            case TextDelta(text=text):
                self._receive_text(turn, text, at)
            case ResponseCompleted(usage=usage):
                self._receive_usage(turn, usage)
                self._receive_end(turn, at)
            case ResponseIncomplete(usage=usage, reason=reason):
                self._receive_usage(turn, usage)
                turn.reason = f"The provider cut the answer short ({reason}). What arrived is kept."
                self._receive_end(turn, at)
            case ResponseStarted(model=model) if not turn.value.model:
                turn.value = structs.replace(turn.value, model=model or self.model)
                self._events.append(TurnStarted(turn=turn.value))
            case _:
                pass  # reasoning is no part of the answer

    def receive_failure(self, turn_id: str, attempt: int, error: SparkError, *, at: float) -> None:
        """Take in that the turn's request number ``attempt`` failed."""
        turn = self._turns.get(turn_id)
        if turn is None or turn.attempt != attempt or not turn.live:
            return
        received = Input.FAILURE
        if isinstance(error, ConnectionLost):
            received = Input.LOST_AGAIN if turn.resent else Input.LOST
        turn.error = error
        self._step(turn, received, at)

    def receive_findings(self, turn_id: str, cell_id: str, findings: Sequence[Finding], *, at: float) -> None:
        """Take in what a slower check (second opinion, rehearsal) found. A blocking one cuts a stream that still writes that cell."""
        draft = self.ledger.draft(cell_id)
        if draft is None or draft.turn_id != turn_id or draft.state in ("accepted", "rejected"):
            return
        turn = self._turns.get(turn_id)
        writing = turn.writing if turn is not None and turn.live else None
        if turn is not None and writing is not None and turn.phase is Phase.STREAMING and writing.is_open(cell_id):
            writing.add_findings(cell_id, findings, may_cut=turn.may_cut)
            self._flush_writing(turn)
            self._correct_if_blocked(turn, at)
        else:
            self._events += self.ledger.add_findings(cell_id, findings)

    def receive_inspected(self, cell_id: str, source: str) -> None:
        """Take in that the slower checks have looked at ``source``, or that they are waited for no longer."""
        self._events += self.ledger.end_inspection(cell_id, source)

    def receive_trial(self, result: TrialResult) -> None:
        """Take in what a Try showed."""
        self._events += self.ledger.receive_trial(result)

    def receive_rehearsal(self, rehearsed: Rehearsed, *, at: float) -> None:
        """Take in what running the answer in a copy, while it is written, has shown. What does not run cuts and corrects it, as long
        as the turn lasts; later it blocks the proposal."""
        turn = self._turns.get(rehearsed.rehearsal_id.partition("/")[0])
        if turn is None or turn.writing.rehearsal.id != rehearsed.rehearsal_id:
            return
        turn.writing.rehearsal.receive(rehearsed)
        if rehearsed.finding is not None and turn.writing.rehearsal.cuts:
            self._object(turn, rehearsed.cell_id, rehearsed.finding, at)
        if rehearsed.result is not None and self.ledger.draft(rehearsed.cell_id) is not None:
            self._events += self.ledger.receive_trial(rehearsed.result)
        if not turn.writing.rehearsal.waits:
            self._step(turn, Input.REHEARSED, at)

    def _object(self, turn: LiveTurn, cell_id: str, finding: Finding, at: float) -> None:
        if turn.live and turn.may_cut and turn.writing.object_to(cell_id, finding):
            turn.rebuilt = True
            self._flush_writing(turn)
            self._step(turn, Input.BLOCKED, at)
        elif (draft := self.ledger.draft(cell_id)) is not None and draft.state not in ("accepted", "rejected"):
            self._events += self.ledger.add_findings(cell_id, self._guard.judged([finding]))

    # --- as an attempt of a race, which is a session of its own ------------------------------------------------------

    def begin(self, value: Turn, prompt: Prompt, conversation: tuple[Message, ...], *, at: float) -> None:
        """Start a turn whose conversation is made already."""
        self._start(value, prompt, conversation, Writing.begin(prompt, guard=self._guard, ledger=self.ledger), at)

    def go_on(self, command: Steer, *, answer: str, at: float) -> None:
        """As a steer, but of a turn that has ended with the whole ``answer``."""
        turn = self._turns[command.steers]
        self._redirect(turn, command, answer=self.dialogue.hide(answer, where="the answer"), at=at)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _prompt(self, command: Prompt, surroundings: Surroundings, at: float) -> None:
        if command.turn_id in self._turns:
            raise SessionError(f"There is a turn {command.turn_id} already.", remedy="Give the turn a new id.")
        if not command.text.strip() and command.intent == "generate":
            raise SessionError("The prompt is empty.", remedy="Say what the cell should do.")
        if command.attempts.races and command.intent == "explain":
            raise SessionError("An explanation can't be tried, so it takes no attempts and no checks.")
        conversation = self.dialogue.begin(command, surroundings)
        value = Turn(
            id=command.turn_id,
            prompt=command.text,
            model=command.model or self.model,
            started_at=at,
            target=command.target,
            withheld=self.dialogue.redactor.withheld,
        )
        mode: Rehearse = "off" if command.attempts.races else self.rehearse
        writing = Writing.begin(command, guard=self._guard, ledger=self.ledger, rehearse=mode)
        self._start(value, command, conversation, writing, at)

    def _steer(self, command: Steer, at: float) -> None:
        turn = self._turns.get(command.steers)
        if turn is None or not turn.live:
            raise SessionError(
                "That turn has ended, so it can't be steered.", remedy="Send the instruction as a new prompt."
            )
        if command.turn_id in self._turns:
            raise SessionError(f"There is a turn {command.turn_id} already.", remedy="Give the turn a new id.")
        if not command.text.strip():
            raise SessionError("The instruction is empty.", remedy="Say what should be different.")
        self._step(turn, Input.STEER, at)
        self._redirect(turn, command, answer="".join(turn.text), at=at)

    def _redirect(self, turn: LiveTurn, command: Steer, *, answer: str, at: float) -> None:
        conversation = self.dialogue.redirect(turn.conversation, answer=answer, instruction=command.text)
        value = structs.replace(
            turn.value,
            id=command.turn_id,
            prompt=command.text,
            started_at=at,
            steers=command.steers,
            outcome=None,
            reason="",
            notes="",
            corrections=0,
        )
        prompt = structs.replace(turn.prompt, turn_id=command.turn_id)
        self._start(value, prompt, conversation, turn.writing.successor(command.turn_id), at)

    def _start(
        self, value: Turn, prompt: Prompt, conversation: tuple[Message, ...], writing: Writing, at: float
    ) -> None:
        turn = LiveTurn(
            value,
            prompt,
            writing,
            TurnMeter(value.id, self.price(value.model)),
            self.dialogue.restore_stream(),
        )
        if self.rehearse != "off":
            self._end_rehearsals(at)  # one copy at a time
        self._turns[value.id] = turn
        self._events.append(TurnStarted(turn=value))
        self._ask(turn, conversation, at)

    def _cancel(self, command: Cancel, at: float) -> None:
        turn_ids = self.streaming if command.turn_id is None else (command.turn_id,)
        for turn_id in turn_ids:
            if turn_id not in self._turns:
                raise SessionError(f"There is no turn {turn_id}.")
            self._turns[turn_id].shown = command.shown
            self._step(self._turns[turn_id], Input.CANCEL, at)
        self._end_rehearsals(at, command.turn_id)

    def _end_rehearsals(self, at: float, turn_id: str | None = None) -> None:
        """End the copies of a turn, or of all: also those that still run what a turn which is over has left to the end."""
        for turn in list(self._turns.values()) if turn_id is None else [self._turns[turn_id]]:
            turn.writing.rehearsal.stop()
            self._flush_writing(turn)
            self._step(turn, Input.REHEARSED, at)

    def _try(self, command: Try, at: float) -> None:
        draft = self.ledger.to_try(command)
        source = draft.source if command.source is None else command.source
        turn = self._turns.get(draft.turn_id)
        if turn is not None and not turn.writing.rehearsal.knows(draft.cell_id):
            self._end_rehearsals(at, draft.turn_id)  # this Try says more: it may be allowed something
        self._events += self.ledger.begin_trial(draft)
        self._actions.append(
            TryProposal(turn_id=draft.turn_id, cell_id=draft.cell_id, source=source, allow=command.allow)
        )

    # --- the machine -------------------------------------------------------------------------------------------------

    def _step(self, turn: LiveTurn, received: Input, at: float) -> None:
        transition = TRANSITIONS.get((turn.phase, received))
        if transition is None:
            return
        turn.phase, steps = transition
        for step in steps:
            getattr(self, f"_do_{step}")(turn, at)

    def _receive_text(self, turn: LiveTurn, text: str, at: float) -> None:
        turn.text.append(text)
        turn.meter.text(text, at)
        self._step(turn, Input.TEXT, at)
        self._correct_if_blocked(turn, at)
        self._events += turn.meter.events_to_send(at)

    def _receive_usage(self, turn: LiveTurn, usage: Usage | None) -> None:
        turn.meter.usage(usage)
        if usage is not None:
            text = prompts.instructions(turn.prompt)
            self.dialogue.learn(turn.conversation, instructions=text, reported=usage.input_tokens)

    def _receive_end(self, turn: LiveTurn, at: float) -> None:
        """The answer is whole. Its last line is judged only now, and may still be cut."""
        turn.writing.write(turn.restorer.flush(), may_cut=turn.may_cut)
        turn.writing.finish(may_cut=turn.may_cut)
        self._flush_writing(turn)
        self._step(turn, self._ended(turn), at)

    def _ended(self, turn: LiveTurn) -> Input:
        if turn.writing.objection is not None:
            return Input.BLOCKED
        return Input.WRITTEN if turn.may_cut and turn.writing.rehearsal.waits else Input.DONE

    def _correct_if_blocked(self, turn: LiveTurn, at: float) -> None:
        if turn.writing.objection is not None:
            self._step(turn, Input.BLOCKED, at)

    def _do_write(self, turn: LiveTurn, at: float) -> None:
        turn.writing.write(turn.restorer.decode(turn.text[-1]), may_cut=turn.may_cut)
        self._flush_writing(turn)

    def _do_keep(self, turn: LiveTurn, at: float) -> None:
        turn.writing.abandon(turn.shown)
        self._flush_writing(turn)

    def _do_drop(self, turn: LiveTurn, at: float) -> None:
        self._actions.append(DropRequest(turn_id=turn.value.id))

    def _do_hand_over(self, turn: LiveTurn, at: float) -> None:
        turn.writing.hand_over()
        self._flush_writing(turn)

    def _do_await(self, turn: LiveTurn, at: float) -> None:
        turn.meter.pause(at)
        self._actions.append(AwaitRehearsal(rehearsal_id=turn.writing.rehearsal.id))

    def _do_remember(self, turn: LiveTurn, at: float) -> None:
        if turn.text:
            self.dialogue.remember(turn.conversation[-1], "".join(turn.text))

    def _do_resend(self, turn: LiveTurn, at: float) -> None:
        turn.resent = True
        self._send(turn, turn.conversation, at)

    def _do_correct(self, turn: LiveTurn, at: float) -> None:
        """Steer the model with the finding. The offending line is off the screen already (see Writing)."""
        findings, cut = turn.writing.take_objection()
        turn.corrected += findings
        turn.value = structs.replace(turn.value, corrections=turn.value.corrections + 1)
        conversation = self.dialogue.redirect(
            turn.conversation,
            answer=self._standing(turn, cut),
            instruction=prompts.correction(findings, cut),
            where="the answer",
        )
        turn.writing = turn.writing.successor(turn.value.id)
        turn.text, turn.rebuilt = [], False
        self._send(turn, conversation, at)

    def _standing(self, turn: LiveTurn, cut: str) -> str:
        """The answer as it stands on the screen. What was cut late stood anywhere in the text, and more was written behind it."""
        if not turn.rebuilt:
            return _before(turn.text, cut)
        return self.dialogue.hide(prompts.answer_so_far(turn.writing.standing()), where="the answer")

    def _do_end(self, turn: LiveTurn, at: float) -> None:
        outcome = OUTCOMES[turn.phase]
        if turn.error is not None and outcome == "failed":
            error = turn.error
            turn.reason = str(error)
            self._events.append(Problem.of(error, turn_id=turn.value.id))
        turn.value = structs.replace(turn.value, outcome=outcome, reason=turn.reason, notes=turn.writing.notes)
        turn.meter.end(at)
        self._events += turn.meter.events_to_send(at)
        if turn.prompt.intent == "fix" and outcome == "completed" and self.tries:
            self._try_fixes(turn, at)
        self._events.append(TurnEnded(turn_id=turn.value.id, outcome=outcome, reason=turn.reason))

    def _try_fixes(self, turn: LiveTurn, at: float) -> None:
        """A person who sees a repair asks whether it runs now. Text with a blocking finding is not run by itself, in a copy either."""
        for draft in self.ledger.of_turn(turn.value.id):
            if draft.cell_type == "code" and draft.state == "ready" and draft.tried is None:
                self._try(Try(cell_id=draft.cell_id), at)

    def _ask(self, turn: LiveTurn, conversation: tuple[Message, ...], at: float) -> None:
        """Have a turn that has just begun answered."""
        self._send(turn, conversation, at)

    def _send(self, turn: LiveTurn, conversation: tuple[Message, ...], at: float) -> None:
        turn.conversation = conversation
        turn.restorer = self.dialogue.restore_stream()
        turn.attempt += 1
        request = ModelRequest(
            turn_id=turn.value.id,
            model=turn.value.model,
            instructions=prompts.instructions(turn.prompt),
            input=conversation,
            prediction=prompts.prediction(turn.prompt),
        )
        turn.meter.sent(at, conversation)
        self._actions.append(SendRequest(turn_id=turn.value.id, attempt=turn.attempt, request=request))

    def _flush_writing(self, turn: LiveTurn) -> None:
        self._events += turn.writing.events_to_send()
        self._actions += turn.writing.actions_to_take()


def _before(answer: list[str], cut: str) -> str:
    """The answer up to the statement that was cut off, as it stands on screen."""
    text = "".join(answer)
    place = text.rfind(cut.rstrip("\n")) if cut.strip() else -1
    return text[:place] if place >= 0 else text
