"""Meter of a turn: time to first token, speed, tokens, cost."""

from __future__ import annotations

from spark_jupyter.prompting.budget import message_tokens
from spark_jupyter.protocol.messages import Event
from spark_jupyter.protocol.meter_messages import Extra, ExtraKind, Meter
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import (
    ModelEvent,
    ModelRequest,
    PromptProgress,
    ResponseCompleted,
    ResponseIncomplete,
    TextDelta,
    Usage,
)

INTERVAL = 0.25
"""Seconds between two Meter events of a turn."""

CHARACTERS_PER_TOKEN = 4
"""A usual figure for code and English, used until the provider reports its usage."""


def no_price(model: str) -> ModelInfo | None:
    """The price lookup of a provider without known prices."""
    return None


def costs(info: ModelInfo | None) -> bool:
    """True if asking a model costs money, or may: an unknown price counts as a cost."""
    return info is None or bool(info.input_price or info.output_price)


class JobMeter:
    """Tokens and cost of one job, estimated until the provider reports its usage.

    ``kind`` names what the job is beyond the turn's first request; None: it is the first one."""

    def __init__(self, request: ModelRequest, info: ModelInfo | None, *, kind: ExtraKind | None = None) -> None:
        self.kind = kind
        self.usage: Usage | None = None
        self.reads: PromptProgress | None = None
        """The provider's progress in reading the request, if it reports it."""
        self.provider_seconds: float | None = None
        self.characters = 0
        self._sent = sum(map(message_tokens, request.input))
        self.info = info

    def receive(self, event: ModelEvent) -> None:
        """Count what the provider said."""
        if isinstance(event, TextDelta):
            self.characters += len(event.text)
        elif isinstance(event, ResponseCompleted | ResponseIncomplete) and event.usage is not None:
            self.usage = event.usage

    @property
    def input(self) -> int:
        """Tokens."""
        return self._sent if self.usage is None else self.usage.input_tokens

    @property
    def output(self) -> int:
        """Tokens."""
        return self.characters // CHARACTERS_PER_TOKEN if self.usage is None else self.usage.output_tokens

    @property
    def cost(self) -> float | None:
        """US dollars; None where the price is not known. Tokens read from and written to the provider's cache have their own prices."""
        info = self.info
        if info is None or info.input_price is None or info.output_price is None:
            return None
        usage = self.usage or Usage(input_tokens=self.input, output_tokens=self.output)
        cached, written = usage.cached_tokens, usage.cache_written_tokens
        anew = max(usage.input_tokens - cached - written, 0)
        return (
            anew * info.input_price
            + cached * (info.input_price if info.cached_price is None else info.cached_price)
            + written * (info.input_price if info.cache_write_price is None else info.cache_write_price)
            + usage.output_tokens * info.output_price
        ) / 1e6


class TurnMeter:
    """Time, tokens and cost of a turn over all of its jobs, corrections and attempts included."""

    def __init__(self, turn_id: str) -> None:
        self._turn_id = turn_id
        self._sent_at: float | None = None
        self._first_at: float | None = None
        self._thinks_since: float | None = None
        self._thought = 0.0
        self.has_thought = False
        """True if reasoning has come, apart from the answer."""
        self._due_at: float | None = None
        self._notice = ""
        self._first_second = 0
        self._now = 0.0
        self._jobs: list[JobMeter] = []
        self._next_event = 0.0
        self._paused = False
        self._ended = False

    def sent(self, at: float, job: JobMeter, *, after: float = 0.0, notice: str = "") -> None:
        """Count a request, sent in ``after`` seconds. The clock runs from the first one."""
        if self._sent_at is None:
            self._sent_at = self._now = at
        self._pass(at)
        self._due_at = at + after if after else None
        self._notice = notice or self._notice
        self._paused = False
        self._jobs.append(job)
        if notice:
            self._next_event = at  # the notice is shown before its job is done

    @property
    def notice(self) -> str:
        """The sentence that is shown beside the figures."""
        return self._notice

    def say(self, notice: str) -> None:
        """Show something beside the figures."""
        self._notice = notice

    def withdraw(self, notice: str) -> None:
        """Stop showing a notice that is told elsewhere."""
        if self._notice == notice:
            self._notice = ""

    def thought(self, at: float) -> None:
        """Count reasoning: the model writes nothing of the answer yet."""
        self.has_thought = True
        self._due_at = None
        if self._thinks_since is None:
            self._thinks_since = self._now = at
            self._next_event = at
        self._pass(at)

    def text(self, at: float, tokens: int = 0) -> None:
        self._due_at = None
        self._end_reasoning()
        if self._first_at is None:
            self._first_at = at
        if at - self._first_at <= 1.0:
            self._first_second += tokens
        self._now = at

    def pause(self, at: float) -> None:
        """Stop the clock until the next request: the answer is whole."""
        self._pass(at)
        self._paused = True

    def end(self, at: float) -> None:
        """End the turn; one more event has the final figures."""
        if not self._paused:
            self._pass(at)
        self._end_reasoning()
        self._due_at = None
        self._ended = True

    @property
    def awaits(self) -> bool:
        """True if the first text of the answer is outstanding, so that time alone changes the figures."""
        job = self._jobs[-1] if self._jobs else None
        return job is not None and not self._ended and not self._paused and not job.characters

    def tick(self, at: float) -> list[Event]:
        """A Meter event where the turn still waits for its first text."""
        if not self.awaits:
            return []
        self._pass(at)
        return [self.value()]

    def events_to_send(self, at: float) -> list[Event]:
        """A Meter event where one is due; none for a turn without requests."""
        if not self._jobs or (not self._ended and at < self._next_event):
            return []
        self._next_event = at + INTERVAL
        return [self.value()]

    def value(self) -> Meter:
        """The present figures. The cost is None where one job has none."""
        start = self._sent_at if self._sent_at is not None else self._now
        first = self._first_at
        output = sum(job.output for job in self._jobs)
        usages = [job.usage for job in self._jobs if job.usage is not None]
        reasoning = sum(usage.reasoning_tokens for usage in usages)
        streamed = self._now - first if first is not None else 0.0
        reading = self._reading()
        timed = [job.provider_seconds for job in self._jobs if job.provider_seconds is not None]
        return Meter(
            turn_id=self._turn_id,
            first_token=None if first is None else first - start,
            elapsed=self._now - start,
            input_tokens=sum(job.input for job in self._jobs),
            output_tokens=output,
            cached_tokens=sum(usage.cached_tokens for usage in usages),
            cache_written_tokens=sum(usage.cache_written_tokens for usage in usages),
            reasoning_tokens=reasoning,
            accepted_tokens=sum(usage.accepted_prediction_tokens for usage in usages),
            rejected_tokens=sum(usage.rejected_prediction_tokens for usage in usages),
            reading_tokens=0 if reading is None else reading.total - reading.cached,
            read_tokens=0 if reading is None else reading.processed - reading.cached,
            waiting=0 if reading is None else reading.waiting,
            tokens_per_second=(output - reasoning) / streamed if streamed > 0 and output > reasoning else 0.0,
            first_second=self._first_second,
            thinking=self._thought + (self._now - self._thinks_since if self._thinks_since is not None else 0.0),
            wait=max(self._due_at - self._now, 0.0) if self._due_at is not None else 0.0,
            notice=self._notice,
            provider_seconds=sum(timed) if timed else None,
            cost=_cost(self._jobs),
            extra=tuple(_extra(kind, self._jobs) for kind in dict.fromkeys(job.kind for job in self._jobs) if kind),
            estimated=any(job.usage is None for job in self._jobs),
        )

    def _pass(self, at: float) -> None:
        self._now = max(self._now, at)

    def _end_reasoning(self) -> None:
        if self._thinks_since is not None:
            self._thought += self._now - self._thinks_since
            self._thinks_since = None

    def _reading(self) -> PromptProgress | None:
        """The newest job's progress in reading; None once it writes, or if the provider does not report it."""
        job = self._jobs[-1] if self._jobs else None
        return job.reads if job is not None and not self._ended and not job.characters and job.usage is None else None


def _cost(jobs: list[JobMeter]) -> float | None:
    """US dollars; None where that of one job is not known."""
    costs = [job.cost for job in jobs]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _extra(kind: ExtraKind, jobs: list[JobMeter]) -> Extra:
    of_kind = [job for job in jobs if job.kind == kind]
    return Extra(
        kind=kind,
        requests=len(of_kind),
        input_tokens=sum(job.input for job in of_kind),
        output_tokens=sum(job.output for job in of_kind),
        cost=_cost(of_kind),
    )
