"""Generation of one answer: its requests, corrections and phase.

A turn owns one :class:`Generation`, and so does each attempt of a race and each step of a deep work. The owner feeds it, drains it, and
looks whether it has ended. The transitions are a table, :data:`spark_jupyter.session.transitions.TRANSITIONS`; the actions that it names
are the ``_do_…`` methods here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from spark_jupyter.exceptions import SparkError
from spark_jupyter.prompting import corrections, request_text
from spark_jupyter.prompting.answer_decoder import ONLY_THOUGHT
from spark_jupyter.prompting.conversation import Answer, Conversation
from spark_jupyter.prompting.instructions import INSTRUCTIONS
from spark_jupyter.protocol.messages import Event, Prompt
from spark_jupyter.protocol.meter_messages import ExtraKind
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding, Image
from spark_jupyter.providers.base import ModelRequest
from spark_jupyter.session.actions import InspectCell
from spark_jupyter.session.answer_limits import NOTHING, TOO_MANY_CELLS, UNCLOSED
from spark_jupyter.session.answer_writer import AnswerWriter
from spark_jupyter.session.job_owners import AttemptOwner, Owner
from spark_jupyter.session.jobs import Job
from spark_jupyter.session.rehearsal_feed import AwaitRehearsal, RehearsalAction, Rehearsed
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.transition_step import take_step
from spark_jupyter.session.transitions import MOST_CORRECTIONS, OUTCOMES, TRANSITIONS, Input, Phase
from spark_jupyter.session.turn_meter import TurnMeter


class Assignment(Struct, frozen=True, kw_only=True):
    """Task of a generation: the request, the turn that it serves, and the model settings (None: the provider's)."""

    prompt: Prompt
    conversation: Conversation
    owner: Owner
    model: str
    temperature: float | None = None
    effort: str | None = None


class Generation:
    """The answer to one prompt over all of its requests; a :class:`~spark_jupyter.session.jobs.Receiver` of what they bring."""

    def __init__(self, assignment: Assignment, writer: AnswerWriter, meter: TurnMeter, shared: SharedState) -> None:
        self.assignment = assignment
        self.writer = writer
        self.phase = Phase.WAITING
        self.corrected: list[Finding] = []
        self.corrections = 0
        self.repairs = 0
        self.reason = ""
        self.may_go_on = False
        """True if the provider has cut it for its length."""
        self.error: SparkError | None = None
        self._meter = meter
        self._shared = shared
        self._job: Job | None = None
        self._adopted: Answer | None = None
        self._shown: Mapping[str, str] | None = None
        self._failure: TrialResult | None = None
        self._is_repair = False
        self._failed: Answer | None = None
        """The answer that failed in a copy and is being repaired."""
        self._events: list[Event] = []
        self._actions: list[InspectCell | RehearsalAction] = []

    # --- state that the owner drains and reads -----------------------------------------------------------------------

    def events_to_send(self) -> list[Event]:
        self._flush()
        events, self._events = self._events, []
        return events

    def actions_to_take(self) -> list[InspectCell | RehearsalAction]:
        """The actions since the last call, in order. Requests are with the jobs."""
        self._flush()
        actions, self._actions = self._actions, []
        return actions

    @property
    def prompt(self) -> Prompt:
        return self.assignment.prompt

    @property
    def conversation(self) -> Conversation:
        """Messages that are sent to the model."""
        return self.assignment.conversation

    @property
    def owner(self) -> Owner:
        """The turn, attempt or step that it belongs to."""
        return self.assignment.owner

    @property
    def model(self) -> str:
        """The model that answers; empty while the provider has not named it."""
        return self.assignment.model

    @property
    def ended(self) -> bool:
        return self.phase in OUTCOMES

    @property
    def said(self) -> str | Answer:
        """The last answer for the conversation: as adopted, as it stands where it was redirected, or the model's text; empty where there is
        none."""
        if self._adopted is not None:
            return self._adopted if self._adopted.parts else ""
        if self.conversation.question.answer.parts:
            return self.writer.answer() if self.writer.answer().parts else ""
        return self._job.said if self._job is not None else ""

    @property
    def temperature(self) -> float | None:
        """The temperature of the last request; None leaves it to the provider."""
        return self.assignment.temperature if self._job is None else self._job.request.temperature

    @property
    def _extra_kind(self) -> ExtraKind | None:
        """All attempts of a race but the first one of the first round are beyond what a turn costs, and repairs."""
        owner = self.owner
        if self._is_repair:
            return "repair"
        return "attempt" if isinstance(owner, AttemptOwner) and (owner.index or owner.round) else None

    @property
    def _may_repair(self) -> bool:
        return self.repairs < self._shared.repairs and self._adopted is None

    @property
    def failed_late(self) -> bool:
        """True if a whole answer turned out to fail only after it had ended, and may still be repaired."""
        failed = self._failure is not None and not self.writer.rehearsal.stopped
        return failed and self.phase is Phase.COMPLETED and self._may_repair and not self.reason

    @property
    def _may_cut(self) -> bool:
        return self.corrections < MOST_CORRECTIONS and self._adopted is None

    # --- commands of the owner ---------------------------------------------------------------------------------------

    def ask(self, at: float, *, kind: ExtraKind | None = None) -> None:
        """Send the request. ``kind`` names what it is beyond the first request of its turn."""
        conversation = self.conversation
        request = ModelRequest(
            model=self.model,
            instructions=INSTRUCTIONS,
            input=request_text.messages(conversation),
            prediction=request_text.prediction(conversation.question),
            max_output_tokens=self._shared.dialogue.most_output,
            temperature=self.temperature,
            effort=self.assignment.effort,
        )
        self._job = self._shared.jobs.begin(
            request, owner=self.owner, receiver=self, meter=self._meter, at=at, kind=kind or self._extra_kind
        )

    def cancel(self, at: float, *, shown: Mapping[str, str] | None = None) -> None:
        """Stop it. Text written after what is ``shown`` of it (by cell) is taken back; None: all of it stays."""
        self._shown = shown
        self._step(Input.CANCEL, at)

    def steer(self, at: float) -> None:
        """Stop it in favour of its :meth:`successor`, which takes over the drafts."""
        self._step(Input.STEER, at)

    def reopen(self) -> None:
        """Prepare the drafts for a :meth:`successor` that continues an answer cut for its length."""
        self.writer.reopen()

    def fail(self, error: SparkError, at: float) -> None:
        """End it without an answer."""
        self.receive_failure(error, at=at)

    def adopt(self, answer: Answer, at: float, *, reason: str = "") -> None:
        """End it with an ``answer`` from elsewhere. Where it has ended with one already, that one is replaced."""
        if self.ended:
            self.writer = self.writer.successor(self.owner.turn_id)
        self._adopted = answer
        self.reason = reason
        self.writer.adopt(answer)
        self._step(Input.DONE, at)

    def successor(
        self, instruction: str, *, owner: Owner, meter: TurnMeter, images: Sequence[Image] = (), skill: str = ""
    ) -> Generation:
        """A generation that continues from the present drafts with an instruction, and the ``images`` and the ``skill`` that come with
        it."""
        instruction = f"{instruction}\n\n{skill}" if skill else instruction
        assignment = structs.replace(
            self.assignment,
            prompt=structs.replace(self.prompt, turn_id=owner.turn_id),
            conversation=self._shared.dialogue.redirect(
                self.conversation, answer=self.writer.answer(), instruction=instruction, images=images
            ),
            owner=owner,
            temperature=self.temperature,
        )
        successor = Generation(assignment, self.writer.successor(owner.turn_id), meter, self._shared)
        successor.repairs = self.repairs
        return successor

    def repairer(self, *, owner: Owner, meter: TurnMeter) -> Generation:
        """A generation that writes the answer again, with the error of a cell that failed in the copy after this one had ended."""
        successor = self.successor(self._begin_repair(), owner=owner, meter=meter)
        successor._is_repair, successor._failed = True, self._failed
        return successor

    def take_up(self, conversation: Conversation) -> None:
        """Belong to another conversation from now on: the answer that it adopts is of that one."""
        self.assignment = structs.replace(self.assignment, conversation=conversation)

    def use_model(self, model: str, *, effort: str | None) -> None:
        """Ask another model from the next request on."""
        self.assignment = structs.replace(self.assignment, model=model, effort=effort)

    def add_findings(self, cell_id: str, findings: Sequence[Finding], at: float) -> bool:
        """Add findings of a slower check to a cell that is still open; a blocking one cuts it. Returns False where it is not open."""
        if self.phase is not Phase.STREAMING or not self.writer.is_open(cell_id):
            return False
        self.writer.add_findings(cell_id, findings, may_cut=self._may_cut)
        self._correct_if_blocked(at)
        return True

    def object_to(self, cell_id: str, finding: Finding, at: float) -> bool:
        """Cut a cell for a finding of its rehearsal, also where more was written since. Returns whether it was cut."""
        if self.ended or not self._may_cut or not self.writer.object_to(cell_id, finding):
            return False
        self._step(Input.BLOCKED, at)
        return True

    def rehearses(self, rehearsal_id: str) -> bool:
        """True if ``rehearsal_id`` is the rehearsal of the present text."""
        return self.writer.rehearsal.id == rehearsal_id

    def receive_rehearsed(self, rehearsed: Rehearsed) -> bool:
        """Record a result of its rehearsal. Returns whether failures cut the stream."""
        self.writer.rehearsal.receive(rehearsed)
        result = rehearsed.result
        if result is not None and result.error and not (result.refused or result.problem or result.not_tried):
            self._failure = self._failure or result
        return self.writer.rehearsal.cuts

    def end_if_rehearsed(self, at: float) -> None:
        """Repair or end it where its rehearsal is complete."""
        if not self.writer.rehearsal.waits and self.phase is Phase.REHEARSING:
            self._step(Input.BROKEN if self._failure is not None and self._may_repair else Input.REHEARSED, at)

    def stop_rehearsal(self, at: float) -> None:
        """End its copy, also where the answer has ended already."""
        self.writer.rehearsal.stop()
        self.end_if_rehearsed(at)

    # --- results of its requests -------------------------------------------------------------------------------------

    def receive_model(self, model: str) -> None:
        self.assignment = structs.replace(self.assignment, model=self.model or model)

    def receive_text(self, text: str, *, at: float) -> None:
        self._step(Input.TEXT, at)
        self.writer.write(text, may_cut=self._may_cut)
        self._correct_if_blocked(at)
        if (self.writer.is_full or self.writer.is_cut_hint) and self.phase is Phase.STREAMING:
            self._shared.jobs.drop(self._job)
            self.receive_end(reason=TOO_MANY_CELLS if self.writer.is_full else "", at=at)

    def receive_activity(self, text: str) -> None:
        self.writer.add_activity(text)

    def receive_end(self, *, reason: str, at: float, may_go_on: bool = False) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`. The last line is judged only now, and may still be cut."""
        self.reason = reason or self.reason
        self.may_go_on = may_go_on
        self.writer.finish(may_cut=self._may_cut, cut_short=bool(reason))
        if self._failed is not None and self.writer.objection is None and not self.writer.answer().blocks:
            self.writer.adopt(self._failed)  # what fails is better than nothing
        if self.writer.is_unclosed:
            self.reason = self.reason or UNCLOSED
        elif not (self.said or self.writer.notes):
            self.reason = self.reason or (ONLY_THOUGHT if self._meter.has_thought else NOTHING)
        if self.writer.objection is not None:
            self._step(Input.BLOCKED, at)
        elif self.writer.rehearsal.waits and (self._may_cut or self._may_repair):
            self._step(Input.WRITTEN, at)
        elif self._failure is not None and self._may_repair and not reason:
            self._step(Input.BROKEN, at)
        else:
            self._step(Input.DONE, at)

    def receive_failure(self, error: SparkError, *, at: float) -> None:
        if self._is_repair and self.phase is Phase.WAITING:  # the answer before is whole
            self.reason = f"The cell failed in a copy and could not be repaired. {error.message}"
            self._step(Input.DONE, at)
            return
        self.error = error
        self._step(Input.FAILURE, at)

    # --- transitions -------------------------------------------------------------------------------------------------

    def _step(self, received: Input, at: float) -> None:
        take_step(self, TRANSITIONS, received, at)

    def _correct_if_blocked(self, at: float) -> None:
        if self.writer.objection is not None:
            self._step(Input.BLOCKED, at)

    def _do_keep(self, at: float) -> None:
        self.writer.abandon(self._shown)

    def _do_drop(self, at: float) -> None:
        self._shared.jobs.drop(self._job)

    def _do_hand_over(self, at: float) -> None:
        self.writer.hand_over()

    def _do_await(self, at: float) -> None:
        self._flush()
        self._meter.pause(at)
        self._actions.append(AwaitRehearsal(rehearsal_id=self.writer.rehearsal.id))

    def _do_correct(self, at: float) -> None:
        """Ask again with the findings. The writer has taken the offending statement off the draft already."""
        findings, cut = self.writer.take_objection()
        self.corrected += findings
        self.corrections += 1
        self.repairs += any(finding.origin == "rehearsal" for finding in findings)
        self._ask_again(corrections.correction(findings, cut), at, kind="correction")

    def _do_repair(self, at: float) -> None:
        """Ask again with the error of a cell that failed in the copy. The drafts stay until the model writes others."""
        self._ask_again(self._begin_repair(), at, kind="repair")

    def _begin_repair(self) -> str:
        """Count a repair. Returns what the model is told."""
        assert self._failure is not None  # or there would be nothing to repair
        self.repairs += 1
        self._failed = self.writer.answer().without_notes()
        return corrections.failure(self.writer.begin_repair(self._failure))

    def _ask_again(self, instruction: str, at: float, *, kind: ExtraKind) -> None:
        conversation = self._shared.dialogue.redirect(
            self.conversation, answer=self.writer.answer(), instruction=instruction, corrects=True
        )
        self.assignment = structs.replace(self.assignment, conversation=conversation)
        self._flush()
        self.writer = self.writer.successor(self.owner.turn_id)
        self._failure, self._is_repair = None, kind == "repair"
        self.ask(at, kind=kind)

    def _flush(self) -> None:
        self._events += self.writer.events_to_send()
        self._actions += self.writer.actions_to_take()
