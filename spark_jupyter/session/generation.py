"""One answer under way: the job that asks for it, what is written of it, what a check does to it. Pure.

A turn owns one :class:`Generation`, and so does each attempt of a race. Its owner feeds it, drains it, and looks whether it has ended.
What can happen is a table, :data:`spark_jupyter.session.transitions.TRANSITIONS`; here is what each of its steps does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from spark_jupyter.exceptions import SparkError
from spark_jupyter.prompting import corrections, instructions, request_text
from spark_jupyter.prompting.conversation import Answer, Conversation
from spark_jupyter.prompting.dialogue import Dialogue
from spark_jupyter.protocol.messages import Event, Prompt
from spark_jupyter.protocol.meter_messages import ExtraKind
from spark_jupyter.protocol.values import Finding
from spark_jupyter.providers.base import ModelRequest
from spark_jupyter.session.actions import InspectCell
from spark_jupyter.session.answer_limits import TOO_MANY_CELLS, UNCLOSED
from spark_jupyter.session.answer_writer import AnswerWriter
from spark_jupyter.session.job_owners import AttemptOwner, Owner
from spark_jupyter.session.jobs import Job, Jobs
from spark_jupyter.session.machine import Machine
from spark_jupyter.session.rehearsal_feed import AwaitRehearsal, RehearsalAction, Rehearsed
from spark_jupyter.session.transitions import MOST_CORRECTIONS, OUTCOMES, TRANSITIONS, Input, Phase
from spark_jupyter.session.turn_meter import TurnMeter


class Generation(Machine):
    """The answer to one prompt, over all of its jobs: a correction asks once more. Receives what its jobs bring."""

    _transitions = TRANSITIONS
    phase: Phase

    def __init__(
        self,
        prompt: Prompt,
        conversation: Conversation,
        writing: AnswerWriter,
        *,
        owner: Owner,
        account: TurnMeter,
        jobs: Jobs,
        dialogue: Dialogue,
        model: str,
        temperature: float | None = None,
        effort: str | None = None,
    ) -> None:
        self.prompt = prompt
        self.conversation = conversation
        self.writing = writing
        self.owner = owner
        self.model = model
        self.phase = Phase.WAITING
        self.corrected: list[Finding] = []
        self.corrections = 0
        self.reason = ""
        self.may_go_on = False
        """The provider has cut it for its length."""
        self.error: SparkError | None = None
        self._account = account
        self._jobs = jobs
        self._dialogue = dialogue
        self._temperature = temperature
        self.effort = effort
        self._job: Job | None = None
        self._adopted: Answer | None = None
        self._shown: Mapping[str, str] | None = None
        self._events: list[Event] = []
        self._actions: list[InspectCell | RehearsalAction] = []

    # --- what the owner drains and asks ------------------------------------------------------------------------------

    def events_to_send(self) -> list[Event]:
        """The events since the last call, in order."""
        self._flush()
        events, self._events = self._events, []
        return events

    def actions_to_take(self) -> list[InspectCell | RehearsalAction]:
        """The actions since the last call, in order; its jobs' are with the jobs."""
        self._flush()
        actions, self._actions = self._actions, []
        return actions

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.phase in OUTCOMES

    @property
    def said(self) -> str | Answer:
        """The answer of the last job as the model said it, or the one that was adopted; empty where there is none."""
        if self._adopted is not None:
            return self._adopted
        return self._job.said if self._job is not None else ""

    @property
    def temperature(self) -> float | None:
        """What the model was last asked with; None leaves it to the provider."""
        return self._temperature if self._job is None else self._job.request.temperature

    @property
    def _kind(self) -> ExtraKind | None:
        """Of several attempts all but the first one of the first round are more than was asked once."""
        owner = self.owner
        return "attempt" if isinstance(owner, AttemptOwner) and (owner.index or owner.round) else None

    @property
    def _may_cut(self) -> bool:
        return self.corrections < MOST_CORRECTIONS and self._adopted is None

    # --- what the owner does -----------------------------------------------------------------------------------------

    def ask(self, at: float, *, kind: ExtraKind | None = None) -> None:
        """Have it answered; ``kind`` is what that is beyond the first request of its turn."""
        request = ModelRequest(
            model=self.model,
            instructions=instructions.instructions(self.prompt, planned=bool(self.conversation.question.plan)),
            input=request_text.messages(self.conversation),
            prediction=request_text.prediction(self.conversation.question),
            max_output_tokens=self._dialogue.most_output,
            temperature=self.temperature,
            effort=self.effort,
        )
        self._job = self._jobs.begin(
            request, owner=self.owner, receiver=self, account=self._account, at=at, kind=kind or self._kind
        )

    def cancel(self, at: float, *, shown: Mapping[str, str] | None = None) -> None:
        """The user stops it. Where it is known what is ``shown`` of it (by cell), what came later is taken back."""
        self._shown = shown
        self._step(Input.CANCEL, at)

    def steer(self, at: float) -> None:
        """The user redirects it: what stands is for the :meth:`successor`."""
        self._step(Input.STEER, at)

    def reopen(self) -> None:
        """It was cut for its length, and a :meth:`successor` is to go on from what stands."""
        self.writing.reopen()

    def fail(self, error: SparkError, at: float) -> None:
        """There will be no answer."""
        self.receive_failure(error, at=at)

    def adopt(self, answer: Answer, at: float, *, reason: str = "") -> None:
        """It is this ``answer``, which came by another way; where it has ended with one already, that one's place is taken."""
        if self.ended:
            self.writing = self.writing.successor(self.owner.turn_id)
        self._adopted = answer
        self.reason = reason
        self.writing.adopt(answer)
        self._step(Input.DONE, at)

    def successor(self, instruction: str, *, owner: Owner, account: TurnMeter) -> Generation:
        """The answer that goes on from what stands, with an instruction."""
        return Generation(
            structs.replace(self.prompt, turn_id=owner.turn_id),
            self._dialogue.redirect(self.conversation, answer=self.writing.answer(), instruction=instruction),
            self.writing.successor(owner.turn_id),
            owner=owner,
            account=account,
            jobs=self._jobs,
            dialogue=self._dialogue,
            model=self.model,
            temperature=self.temperature,
            effort=self.effort,
        )

    def add_findings(self, cell_id: str, findings: Sequence[Finding], at: float) -> bool:
        """What a slower check found. Returns whether that cell is still being written; a blocking finding cuts it then."""
        if self.phase is not Phase.STREAMING or not self.writing.is_open(cell_id):
            return False
        self.writing.add_findings(cell_id, findings, may_cut=self._may_cut)
        self._correct_if_blocked(at)
        return True

    def object_to(self, cell_id: str, finding: Finding, at: float) -> bool:
        """What running it has shown, perhaps after more was written. Returns whether it was cut."""
        if self.ended or not self._may_cut or not self.writing.object_to(cell_id, finding):
            return False
        self._step(Input.BLOCKED, at)
        return True

    def rehearses(self, rehearsal_id: str) -> bool:
        """Whether a rehearsal is of what is written now."""
        return self.writing.rehearsal.id == rehearsal_id

    def receive_rehearsed(self, rehearsed: Rehearsed) -> bool:
        """Take in what its rehearsal has shown. Returns whether what is wrong stops the writing."""
        self.writing.rehearsal.receive(rehearsed)
        return self.writing.rehearsal.cuts

    def end_if_rehearsed(self, at: float) -> None:
        """It ends where nothing of it is rehearsed any more."""
        if not self.writing.rehearsal.waits:
            self._step(Input.REHEARSED, at)

    def stop_rehearsal(self, at: float) -> None:
        """End its copy: also one that still runs what an answer which has ended has left."""
        self.writing.rehearsal.stop()
        self.end_if_rehearsed(at)

    # --- what its jobs bring -----------------------------------------------------------------------------------------

    def receive_model(self, model: str) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`."""
        self.model = self.model or model

    def receive_text(self, text: str, *, at: float) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`."""
        self._step(Input.TEXT, at)
        self.writing.write(text, may_cut=self._may_cut)
        self._correct_if_blocked(at)
        if self.writing.is_full and self.phase is Phase.STREAMING:
            self._jobs.drop(self._job)
            self.receive_end(reason=TOO_MANY_CELLS, at=at)

    def receive_end(self, *, reason: str, at: float, may_go_on: bool = False) -> None:
        """The last line is judged only now, and may still be cut."""
        self.reason = reason or self.reason
        self.may_go_on = may_go_on
        self.writing.finish(may_cut=self._may_cut, cut_short=bool(reason))
        if self.writing.is_unclosed:
            self.reason = self.reason or UNCLOSED
        if self.writing.objection is not None:
            self._step(Input.BLOCKED, at)
        else:
            self._step(Input.WRITTEN if self._may_cut and self.writing.rehearsal.waits else Input.DONE, at)

    def receive_failure(self, error: SparkError, *, at: float) -> None:
        """See :class:`~spark_jupyter.session.jobs.Receiver`."""
        self.error = error
        self._step(Input.FAILURE, at)

    # --- the machine -------------------------------------------------------------------------------------------------

    def _correct_if_blocked(self, at: float) -> None:
        if self.writing.objection is not None:
            self._step(Input.BLOCKED, at)

    def _do_keep(self, at: float) -> None:
        self.writing.abandon(self._shown)

    def _do_drop(self, at: float) -> None:
        self._jobs.drop(self._job)

    def _do_hand_over(self, at: float) -> None:
        self.writing.hand_over()

    def _do_await(self, at: float) -> None:
        self._flush()
        self._account.pause(at)
        self._actions.append(AwaitRehearsal(rehearsal_id=self.writing.rehearsal.id))

    def _do_correct(self, at: float) -> None:
        """Steer the model with the finding. The offending statement is off the screen already (see AnswerWriter)."""
        findings, cut = self.writing.take_objection()
        self.corrected += findings
        self.corrections += 1
        self.conversation = self._dialogue.redirect(
            self.conversation,
            answer=self.writing.answer(),
            instruction=corrections.correction(findings, cut),
            where="the answer",
        )
        self._flush()
        self.writing = self.writing.successor(self.owner.turn_id)
        self.ask(at, kind="correction")

    def _flush(self) -> None:
        self._events += self.writing.events_to_send()
        self._actions += self.writing.actions_to_take()
