"""Jobs: every request to a model, whoever owns it. Pure.

A :class:`Job` is one request with its id, its owner, its priority and where its text goes. Here it is sent, sent again where that can
double nothing, dropped and counted. What the answer means is its receiver's business:
turns and attempts own jobs through :class:`spark_jupyter.core.answering.Answering`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import structs

from spark_jupyter.core.actions import DropRequest, SendRequest
from spark_jupyter.core.bounds import Measure
from spark_jupyter.core.meter import JobMeter, TurnMeter, no_price
from spark_jupyter.core.owners import DeepOwner, Owner
from spark_jupyter.exceptions import ConnectionLost, RequestRefused, SparkError
from spark_jupyter.providers.base import (
    ModelEvent,
    ModelRequest,
    PromptProgress,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    Usage,
)
from spark_jupyter.speech.dialogue import Dialogue
from spark_jupyter.wire.values import ModelInfo


class Receiver(Protocol):
    """Where the answer to a job goes."""

    def receive_model(self, model: str) -> None:
        """The provider has taken the request, with this model."""
        ...

    def receive_text(self, text: str, *, at: float) -> None:
        """More of the answer."""
        ...

    def receive_end(self, *, reason: str, at: float) -> None:
        """The answer is whole, or ends here for a ``reason``, a sentence."""
        ...

    def receive_failure(self, error: SparkError, *, at: float) -> None:
        """It failed, and is not sent again."""
        ...


class Job:
    """One request to a model. ``attempt`` counts how often it was sent: what belongs to an earlier one is not looked at."""

    def __init__(
        self,
        job_id: int,
        request: ModelRequest,
        *,
        owner: Owner,
        receiver: Receiver,
        account: TurnMeter,
    ) -> None:
        self.id = job_id
        self.request = request
        self.owner = owner
        self.receiver = receiver
        self.account = account
        self.attempt = 0
        self.resent = False
        self.measure = Measure(request.prediction or "")
        self.meter: JobMeter
        self._said: list[str] = []

    @property
    def said(self) -> str:
        """The answer as the model said it, as far as it has come."""
        if len(self._said) > 1:
            self._said = ["".join(self._said)]
        return self._said[0] if self._said else ""

    def hear(self, text: str) -> None:
        """More of the answer."""
        self._said.append(text)

    def again(self, error: SparkError) -> ModelRequest | None:
        """The request to send after ``error``; None where it is final. Before any text came nothing can be doubled by asking once
        more on a new connection; and a model that only would not take a temperature, or an effort, is asked without."""
        if isinstance(error, ConnectionLost) and not self._said and not self.resent:
            self.resent = True
            return self.request
        refused = str(error).casefold() if isinstance(error, RequestRefused) else ""
        if "temperature" in refused and self.request.temperature is not None:
            return structs.replace(self.request, temperature=None)
        if ("effort" in refused or "reasoning" in refused) and self.request.effort is not None:
            return structs.replace(self.request, effort=None)
        return None


class Jobs:
    """The jobs of a session that have not ended."""

    def __init__(self, dialogue: Dialogue, *, price: Callable[[str], ModelInfo | None] = no_price) -> None:
        self.price = price
        self.deep_price = price
        """What models cost where deep work is done."""
        self._dialogue = dialogue
        self._live: dict[int, Job] = {}
        self._count = 0
        self._actions: list[SendRequest | DropRequest] = []

    def actions_to_take(self) -> list[SendRequest | DropRequest]:
        """The requests to send and to drop since the last call, in order."""
        actions, self._actions = self._actions, []
        return actions

    def begin(self, request: ModelRequest, *, owner: Owner, receiver: Receiver, account: TurnMeter, at: float) -> Job:
        """Send a request; what it costs is put on the ``account``."""
        self._count += 1
        job = Job(self._count, request, owner=owner, receiver=receiver, account=account)
        self._live[job.id] = job
        self._send(job, at)
        return job

    def drop(self, job: Job | None) -> None:
        """Nobody listens to the rest of its answer. One that has ended needs no dropping."""
        if job is not None and self._live.pop(job.id, None) is not None:
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
                self._end(job, usage, "", at)
            case ResponseIncomplete(usage=usage, reason=why):
                self._end(job, usage, f"The provider cut the answer short ({why}). What arrived is kept.", at)
            case ResponseStarted(model=model):
                job.meter.info = self._price(job, model)
                job.receiver.receive_model(model)
            case PromptProgress():
                job.meter.reads = event
            case _:
                pass  # reasoning is no part of the answer
        return job

    def receive_failure(self, job_id: int, attempt: int, error: SparkError, *, at: float) -> Job | None:
        """Take in that a job failed. Returns the job, None where it is over or is sent once more."""
        job = self._find(job_id, attempt)
        if job is None:
            return None
        if (again := job.again(error)) is not None:
            job.request = again
            self._send(job, at)
            return None
        del self._live[job.id]
        job.receiver.receive_failure(error, at=at)
        return job

    def _find(self, job_id: int, attempt: int) -> Job | None:
        job = self._live.get(job_id)
        return job if job is not None and job.attempt == attempt else None

    def _price(self, job: Job, model: str) -> ModelInfo | None:
        """What it costs, as far as it is known where it goes: a request that names no model is answered by ``model``."""
        deep = isinstance(job.owner, DeepOwner) and not job.owner.fast
        return (self.deep_price if deep else self.price)(job.request.model or model)

    def _send(self, job: Job, at: float) -> None:
        job.attempt += 1
        job.meter = JobMeter(job.request, self._price(job, ""))
        job.account.sent(at, job.meter)
        sent = SendRequest(job_id=job.id, owner=job.owner, attempt=job.attempt, request=job.request)
        self._actions.append(sent)

    def _receive_text(self, job: Job, text: str, at: float) -> None:
        taken, too_much = job.measure.take(text)
        job.hear(taken)
        job.meter.characters += len(taken)
        job.account.text(at)
        job.receiver.receive_text(taken, at=at)
        if too_much and job.id in self._live:
            self.drop(job)
            job.receiver.receive_end(reason=too_much, at=at)

    def _end(self, job: Job, usage: Usage | None, reason: str, at: float) -> None:
        del self._live[job.id]
        if usage is not None:
            job.meter.usage = usage
            self._dialogue.learn(job.request, reported=usage.input_tokens)
        job.receiver.receive_end(reason=reason, at=at)
