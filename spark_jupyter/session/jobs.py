"""Jobs: requests to a model, their retries and their cost.

A :class:`Job` is one request with its id, its owner and the receiver of its text. Jobs are sent, sent again where nothing can be doubled,
dropped and counted here. A turn, an attempt and a step of deep work own jobs through
:class:`spark_jupyter.session.generation.Generation`, which is the receiver.
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
    ImagesLeftOut,
    ModelEvent,
    ModelRequest,
    Priority,
    PromptProgress,
    ProviderTimed,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    TierServed,
    Usage,
    tier_name,
)
from spark_jupyter.session.actions import DropRequest, SendRequest
from spark_jupyter.session.answer_limits import AnswerLimiter
from spark_jupyter.session.job_owners import DeepOwner, Owner
from spark_jupyter.session.retry_policy import Fallback, Retry, next_attempt
from spark_jupyter.session.stop_reasons import may_go_on, sentence
from spark_jupyter.session.turn_meter import CHARACTERS_PER_TOKEN, JobMeter, TurnMeter, costs, no_price


class Receiver(Protocol):
    """Takes the answer to a job."""

    def receive_model(self, model: str) -> None:
        """The provider has taken the request, with this model."""

    def receive_text(self, text: str, *, at: float) -> None:
        """More of the answer."""

    def receive_activity(self, text: str) -> None:
        """What an agent does beside its answer, as Markdown."""

    def receive_end(self, *, reason: str, at: float, may_go_on: bool = False) -> None:
        """The answer is whole, or ends here for a ``reason`` (a sentence). ``may_go_on``: the model would write more."""

    def receive_failure(self, error: SparkError, *, at: float) -> None:
        """The job failed, and is not sent again."""


class Job:
    """One request to a model.

    ``attempt`` counts how often it was sent; results of earlier attempts are ignored. ``resent``: it was sent again after a lost
    connection. ``waits``: how often it was put off. ``elsewhere``: the fallback is asked. ``kind`` names what it is beyond the first
    request of its turn."""

    def __init__(
        self,
        job_id: int,
        request: ModelRequest,
        *,
        owner: Owner,
        receiver: Receiver,
        meter: TurnMeter,
        kind: ExtraKind | None = None,
    ) -> None:
        self.kind: ExtraKind | None = kind
        self.id = job_id
        self.request = request
        self.owner = owner
        self.receiver = receiver
        self.turn_meter = meter
        self.attempt = 0
        self.resent = False
        self.elsewhere = False
        self.waits = 0
        self.tier = ""
        """The tier that served it, where that is known."""
        self.limiter = AnswerLimiter(request.prediction or "")
        self.meter: JobMeter
        self._said: list[str] = []

    @property
    def said(self) -> str:
        if len(self._said) > 1:
            self._said = ["".join(self._said)]
        return self._said[0] if self._said else ""

    def end(self) -> None:
        """Forget the conversation of a job that is over; the settings stay."""
        self.request = structs.replace(self.request, input=())

    def add_text(self, text: str) -> None:
        self._said.append(text)


class Jobs:
    """The jobs of a session that have not ended.

    ``price`` looks up a model's prices; None where they are not known."""

    def __init__(self, dialogue: Dialogue, *, price: Callable[[str], ModelInfo | None] = no_price) -> None:
        self.price = price
        self.deep_price = price
        """The same for the provider of deep work."""
        self.fallback: Fallback | None = None
        self.effort: str | None = None
        """The reasoning effort of turns whose request does not say."""
        self.tier: str | None = None
        """The tier of turns; None leaves it to the provider."""
        self.profile_tier: str | None = None
        """The tier of turns where nobody says."""
        self.deep_tier: str | None = None
        """The same for deep work."""
        self.priority = Priority.TURN
        """The priority of turns."""
        self.speeds: dict[tuple[str, str], float] = {}
        """Tokens a second that turns had last, by model and tier."""
        self._dialogue = dialogue
        self._live: dict[int, Job] = {}
        self._refused: set[tuple[str, str]] = set()
        """Pairs of a model and a setting that it has refused."""
        self._left_out: set[str] = set()
        """Reasons that were told for images that were not sent."""
        self._overnight: dict[DeepOwner, int] = {}
        """The number of requests that each step of an overnight work has made."""
        self._count = 0
        self._actions: list[SendRequest | DropRequest] = []

    def costs(self, model: str) -> bool:
        """True if asking ``model`` for a turn costs, or may."""
        return costs(self.price(model))

    @property
    def awaits(self) -> bool:
        """True if a turn still waits for the first text of its answer."""
        return any(job.turn_meter.awaits for job in self._live.values() if not isinstance(job.owner, DeepOwner))

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
        meter: TurnMeter,
        at: float,
        kind: ExtraKind | None = None,
    ) -> Job:
        """Send a request. Its cost goes on the ``meter``, as extra of that ``kind`` where one is given."""
        self._count += 1
        if isinstance(owner, DeepOwner):
            request = structs.replace(request, tier=request.tier or (self.tier if owner.fast else self.deep_tier))
        else:
            request = self.as_of_turn(request)
        if isinstance(owner, DeepOwner) and owner.overnight is not None:
            count = self._overnight[owner] = self._overnight.get(owner, -1) + 1
            overnight = structs.replace(owner.overnight, key=f"{owner.overnight.key}-{count}")
            request = structs.replace(request, overnight=overnight, tier=None)
        request = self._without_refused(request)
        job = Job(self._count, request, owner=owner, receiver=receiver, meter=meter, kind=kind)
        self._live[job.id] = job
        self._send(job, Retry(request=request), at)
        return job

    def as_of_turn(self, request: ModelRequest) -> ModelRequest:
        """The request with the settings of turns, where it does not say."""
        effort, tier = request.effort or self.effort, request.tier or self.tier
        request = structs.replace(request, effort=effort, tier=tier, priority=self.priority)
        return self._without_refused(request)

    def _without_refused(self, request: ModelRequest) -> ModelRequest:
        """The request without settings that its model has refused before."""
        refused = {field: None for model, field in self._refused if model == request.model}
        return structs.replace(request, **refused) if refused else request

    def drop(self, job: Job | None) -> None:
        """Stop a job. One that has ended stays as it is."""
        if job is not None and self._live.pop(job.id, None) is not None:
            job.end()
            self._actions.append(DropRequest(job_id=job.id))

    def drop_turn(self, turn_id: str | None) -> None:
        """Stop every job of a turn; None: of all turns."""
        for job in tuple(self._live.values()):
            if not isinstance(job.owner, DeepOwner) and turn_id in (None, job.owner.turn_id):
                self.drop(job)

    def receive_event(self, job_id: int, attempt: int, event: ModelEvent, *, at: float) -> Job | None:
        """Handle an event of the provider for a job's ``attempt``. Returns the job; None where it is over."""
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
                job.turn_meter.thought(at)
            case ProviderTimed(seconds=seconds):
                job.meter.provider_seconds = seconds
            case ImagesLeftOut(reason=reason):
                self._tell_left_out(job, reason)
            case TierServed(tier=tier):
                job.tier = tier
                job.meter.info = self._price(job, job.request.model, tier)
                if tier_name(tier) != tier_name(job.request.tier):
                    job.turn_meter.say(f"Served at the tier {tier}, not {job.request.tier}.")
        return job

    def _tell_left_out(self, job: Job, reason: str) -> None:
        """Say why images are not sent; of those of earlier prompts once."""
        if job.request.input[-1].images or reason not in self._left_out:
            job.turn_meter.say(reason)
        self._left_out.add(reason)

    def receive_failure(self, job_id: int, attempt: int, error: SparkError, *, at: float) -> Job | None:
        """Handle a failure of a job's ``attempt``, which may be sent again. Returns the job; None where it is over."""
        job = self._find(job_id, attempt)
        if job is None:
            return None
        deep = isinstance(job.owner, DeepOwner)  # deep work has its own retry delays
        if (retry := next_attempt(job, error, None if deep else self.fallback, patient=not deep)) is not None:
            self._remember_refusal(job.request, retry.request)
            job.resent = job.resent or isinstance(error, ConnectionLost)
            job.waits += bool(retry.after)
            self._send(job, retry, at)
            return job
        del self._live[job.id]
        job.end()
        job.receiver.receive_failure(error, at=at)
        return job

    def is_live(self, job_id: int) -> bool:
        return job_id in self._live

    def _find(self, job_id: int, attempt: int) -> Job | None:
        job = self._live.get(job_id)
        return job if job is not None and job.attempt == attempt else None

    def _price(self, job: Job, model: str, tier: str | None = None) -> ModelInfo | None:
        """The prices for a job at its provider; ``model`` answers a request that names none, ``tier`` served it where it is known."""
        overnight = job.request.overnight
        served = overnight.window if overnight is not None else tier_name(job.request.tier if tier is None else tier)
        name = f"{job.request.model or model}@{served}" if served else job.request.model or model
        if job.elsewhere and self.fallback is not None:
            return self.fallback.price(name)
        deep = isinstance(job.owner, DeepOwner) and not job.owner.fast
        return (self.deep_price if deep else self.price)(name)

    def _remember_refusal(self, before: ModelRequest, after: ModelRequest) -> None:
        """Remember the settings that the model has refused."""
        if after.model == before.model:
            lost = [
                field for field in ("temperature", "effort", "tier") if getattr(before, field) != getattr(after, field)
            ]
            self._refused.update((before.model, field) for field in lost)

    def _send(self, job: Job, retry: Retry, at: float) -> None:
        job.request, job.elsewhere = retry.request, retry.fallback
        job.attempt += 1
        kind = "again" if job.attempt > 1 and job.kind is None else job.kind
        job.meter = JobMeter(job.request, self._price(job, ""), kind=kind)
        job.turn_meter.sent(at, job.meter, after=retry.after, notice=retry.notice)
        self._actions.append(
            SendRequest(
                job_id=job.id,
                owner=job.owner,
                attempt=job.attempt,
                request=job.request,
                after=retry.after,
                fallback=retry.fallback,
            )
        )

    def _receive_text(self, job: Job, text: str, at: float) -> None:
        taken, too_much = job.limiter.take(text)
        job.add_text(taken)
        job.meter.characters += len(taken)
        job.turn_meter.text(at, len(taken) // CHARACTERS_PER_TOKEN)
        job.receiver.receive_text(taken, at=at)
        if too_much and job.id in self._live:
            self.drop(job)
            job.receiver.receive_end(reason=too_much, at=at)

    def _end(self, job: Job, usage: Usage | None, at: float, *, why: str = "") -> None:
        del self._live[job.id]
        if usage is not None:
            job.meter.usage = usage
            self._dialogue.learn(job.request, reported=usage.input_tokens)
        if not isinstance(job.owner, DeepOwner) and (speed := job.turn_meter.value().tokens_per_second):
            self.speeds[job.request.model, tier_name(job.tier or job.request.tier)] = speed
        job.end()
        job.receiver.receive_end(reason=sentence(why) if why else "", at=at, may_go_on=may_go_on(why))
