"""Jobs: every request to a model, whoever owns it. Pure.

A :class:`Job` is one request with its id, its owner, its priority and where its text goes. Here it is sent, sent again where that can
double nothing, dropped and counted. What the answer means is its receiver's business:
turns and attempts own jobs through :class:`spark_jupyter.session.generation.Generation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import structs

from spark_jupyter.exceptions import ConnectionLost, SparkError
from spark_jupyter.prompting.dialogue import Dialogue
from spark_jupyter.protocol.meter_messages import ExtraKind
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import (
    ModelEvent,
    ModelRequest,
    PromptProgress,
    ProviderTimed,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    Usage,
)
from spark_jupyter.session.actions import DropRequest, SendRequest
from spark_jupyter.session.answer_limits import Measure
from spark_jupyter.session.job_owners import DeepOwner, Owner
from spark_jupyter.session.retry_policy import Again, Fallback, again
from spark_jupyter.session.stop_reasons import may_go_on, sentence
from spark_jupyter.session.turn_meter import CHARACTERS_PER_TOKEN, JobMeter, TurnMeter, costs, no_price


class Receiver(Protocol):
    """Where the answer to a job goes."""

    def receive_model(self, model: str) -> None:
        """The provider has taken the request, with this model."""
        ...

    def receive_text(self, text: str, *, at: float) -> None:
        """More of the answer."""
        ...

    def receive_end(self, *, reason: str, at: float, may_go_on: bool = False) -> None:
        """The answer is whole, or ends here for a ``reason``, a sentence. ``may_go_on``: the model would write more."""
        ...

    def receive_failure(self, error: SparkError, *, at: float) -> None:
        """It failed, and is not sent again."""
        ...


class Job:
    """One request to a model. ``attempt`` counts how often it was sent: what belongs to an earlier one is not looked at. ``resent`` says
    that the connection broke off once, ``waits`` how often it was put off, ``elsewhere`` that the fallback is asked. ``kind`` is what
    it is beyond the first request of its turn."""

    def __init__(
        self,
        job_id: int,
        request: ModelRequest,
        *,
        owner: Owner,
        receiver: Receiver,
        account: TurnMeter,
        kind: ExtraKind | None = None,
    ) -> None:
        self.kind: ExtraKind | None = kind
        self.id = job_id
        self.request = request
        self.owner = owner
        self.receiver = receiver
        self.account = account
        self.attempt = 0
        self.resent = False
        self.elsewhere = False
        self.waits = 0
        self.measure = Measure(request.prediction or "")
        self.meter: JobMeter
        self._said: list[str] = []

    @property
    def said(self) -> str:
        """The answer as the model said it, as far as it has come."""
        if len(self._said) > 1:
            self._said = ["".join(self._said)]
        return self._said[0] if self._said else ""

    def end(self) -> None:
        """It is over: of what it was asked only the settings are kept, not the conversation."""
        self.request = structs.replace(self.request, input=())

    def hear(self, text: str) -> None:
        """More of the answer."""
        self._said.append(text)


class Jobs:
    """The jobs of a session that have not ended."""

    def __init__(self, dialogue: Dialogue, *, price: Callable[[str], ModelInfo | None] = no_price) -> None:
        self.price = price
        self.deep_price = price
        """What models cost where deep work is done."""
        self.fallback: Fallback | None = None
        self.effort: str | None = None
        """How much a model that reasons may think, where a turn's request does not say."""
        self._dialogue = dialogue
        self._live: dict[int, Job] = {}
        self._refused: set[tuple[str, str]] = set()
        """Models with the settings that they do not take."""
        self._count = 0
        self._actions: list[SendRequest | DropRequest] = []

    def costs(self, model: str) -> bool:
        """Whether asking ``model`` for a turn costs, or may."""
        return costs(self.price(model))

    @property
    def awaits(self) -> bool:
        """Whether there is a turn of whose answer nothing has come yet."""
        return any(job.account.awaits for job in self._live.values() if not isinstance(job.owner, DeepOwner))

    def actions_to_take(self) -> list[SendRequest | DropRequest]:
        """The requests to send and to drop since the last call, in order."""
        actions, self._actions = self._actions, []
        return actions

    def begin(
        self,
        request: ModelRequest,
        *,
        owner: Owner,
        receiver: Receiver,
        account: TurnMeter,
        at: float,
        kind: ExtraKind | None = None,
    ) -> Job:
        """Send a request; what it costs is put on the ``account``, as what it is beyond the first one of its turn."""
        self._count += 1
        if not isinstance(owner, DeepOwner):
            request = structs.replace(request, effort=request.effort or self.effort)
        request = self._as_taken(request)
        job = Job(self._count, request, owner=owner, receiver=receiver, account=account, kind=kind)
        self._live[job.id] = job
        self._send(job, Again(request=request), at)
        return job

    def _as_taken(self, request: ModelRequest) -> ModelRequest:
        """The request without what its model has refused before."""
        refused = {field: None for model, field in self._refused if model == request.model}
        return structs.replace(request, **refused) if refused else request

    def drop(self, job: Job | None) -> None:
        """Nobody listens to the rest of its answer. One that has ended needs no dropping."""
        if job is not None and self._live.pop(job.id, None) is not None:
            job.end()
            self._actions.append(DropRequest(job_id=job.id))

    def receive_event(self, job_id: int, attempt: int, event: ModelEvent, *, at: float) -> Job | None:
        """Take in what the provider said to a job, sent for the ``attempt``-th time. Returns the job, None where it is over."""
        job = self._find(job_id, attempt)
        if job is None:
            return None
        match event:
            case TextDelta(text=text):
                self._receive_text(job, text, at)
            case ResponseCompleted(usage=usage):
                self._end(job, usage, at)
            case ResponseIncomplete(usage=usage, reason=why):
                self._end(job, usage, at, why=why)
            case ResponseStarted(model=model):
                job.meter.info = self._price(job, model)
                job.receiver.receive_model(model)
            case PromptProgress():
                job.meter.reads = event
            case ReasoningDelta():
                job.account.thought(at)
            case ProviderTimed(seconds=seconds):
                job.meter.provider_seconds = seconds
        return job

    def receive_failure(self, job_id: int, attempt: int, error: SparkError, *, at: float) -> Job | None:
        """Take in that a job failed. Returns the job, which may be sent once more; None where it is over."""
        job = self._find(job_id, attempt)
        if job is None:
            return None
        deep = isinstance(job.owner, DeepOwner)  # deep work has a patience of its own
        if (next_ := again(job, error, None if deep else self.fallback, patient=not deep)) is not None:
            self._learn(job.request, next_.request)
            job.resent = job.resent or isinstance(error, ConnectionLost)
            job.waits += bool(next_.after)
            self._send(job, next_, at)
            return job
        del self._live[job.id]
        job.end()
        job.receiver.receive_failure(error, at=at)
        return job

    def _find(self, job_id: int, attempt: int) -> Job | None:
        job = self._live.get(job_id)
        return job if job is not None and job.attempt == attempt else None

    def _price(self, job: Job, model: str) -> ModelInfo | None:
        """What it costs, as far as it is known where it goes: a request that names no model is answered by ``model``."""
        if job.elsewhere and self.fallback is not None:
            return self.fallback.price(job.request.model or model)
        deep = isinstance(job.owner, DeepOwner) and not job.owner.fast
        return (self.deep_price if deep else self.price)(job.request.model or model)

    def _learn(self, before: ModelRequest, after: ModelRequest) -> None:
        """What a request no longer has, its model does not take: the next one need not find out again."""
        if after.model == before.model:
            lost = [field for field in ("temperature", "effort") if getattr(before, field) != getattr(after, field)]
            self._refused.update((before.model, field) for field in lost)

    def _send(self, job: Job, how: Again, at: float) -> None:
        job.request, job.elsewhere = how.request, how.fallback
        job.attempt += 1
        kind = "again" if job.attempt > 1 and job.kind is None else job.kind
        job.meter = JobMeter(job.request, self._price(job, ""), kind=kind)
        job.account.sent(at, job.meter, after=how.after, notice=how.notice)
        self._actions.append(
            SendRequest(
                job_id=job.id,
                owner=job.owner,
                attempt=job.attempt,
                request=job.request,
                after=how.after,
                fallback=how.fallback,
            )
        )

    def _receive_text(self, job: Job, text: str, at: float) -> None:
        taken, too_much = job.measure.take(text)
        job.hear(taken)
        job.meter.characters += len(taken)
        job.account.text(at, len(taken) // CHARACTERS_PER_TOKEN)
        job.receiver.receive_text(taken, at=at)
        if too_much and job.id in self._live:
            self.drop(job)
            job.receiver.receive_end(reason=too_much, at=at)

    def _end(self, job: Job, usage: Usage | None, at: float, *, why: str = "") -> None:
        del self._live[job.id]
        if usage is not None:
            job.meter.usage = usage
            self._dialogue.learn(job.request, reported=usage.input_tokens)
        job.end()
        job.receiver.receive_end(reason=sentence(why) if why else "", at=at, may_go_on=may_go_on(why))
