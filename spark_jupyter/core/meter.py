"""The meter of one turn: time to first token, speed, tokens, cost. Pure: every time is passed in."""

from __future__ import annotations

from spark_jupyter.providers.base import ModelRequest, PromptProgress, Usage
from spark_jupyter.speech.budget import estimate_tokens
from spark_jupyter.wire.messages import Event, Meter
from spark_jupyter.wire.values import ModelInfo

INTERVAL = 0.25
"""Seconds between two Meter events of a turn: often enough to be live, rare enough to cost nothing."""

CHARACTERS_PER_TOKEN = 4
"""A usual figure for code and English; only used until the provider reports its usage."""


def no_price(model: str) -> ModelInfo | None:
    """For a provider whose prices nobody told."""
    return None


class JobMeter:
    """What one job sends and receives: estimated, until the provider has said what it counted. One that is cut short stays
    estimated."""

    def __init__(self, request: ModelRequest, info: ModelInfo | None) -> None:
        self.usage: Usage | None = None
        self.reads: PromptProgress | None = None
        """How far the provider has read what was sent, where it says so."""
        self.characters = 0
        self._sent = sum(estimate_tokens(message.text) for message in request.input)
        self.info = info

    @property
    def input(self) -> int:
        """Tokens."""
        return self._sent if self.usage is None else self.usage.input_tokens

    @property
    def output(self) -> int:
        """Tokens."""
        return self.characters // CHARACTERS_PER_TOKEN if self.usage is None else self.usage.output_tokens

    @property
    def cached(self) -> int:
        """Tokens of the input."""
        return 0 if self.usage is None else self.usage.cached_tokens

    @property
    def cost(self) -> float | None:
        """US dollars; None where the price is not known."""
        info = self.info
        if info is None or info.input_price is None or info.output_price is None:
            return None
        return (self.input * info.input_price + self.output * info.output_price) / 1e6


class TurnMeter:
    """Counts what a turn sends and receives, over all of its jobs: corrections and the attempts of a race are jobs more."""

    def __init__(self, turn_id: str) -> None:
        self._turn_id = turn_id
        self._sent_at: float | None = None
        self._first_at: float | None = None
        self._now = 0.0
        self._jobs: list[JobMeter] = []
        self._next_event = 0.0
        self._paused = False
        self._ended = False

    def sent(self, at: float, job: JobMeter) -> None:
        """A request goes out. The clock runs from the first one."""
        if self._sent_at is None:
            self._sent_at = self._now = at
        self._paused = False
        self._jobs.append(job)

    def text(self, at: float) -> None:
        """Some of an answer has come."""
        if self._first_at is None:
            self._first_at = at
        self._now = at

    def pause(self, at: float) -> None:
        """The answer is whole. Until there is another request, the time that passes is not the model's."""
        self._now = max(self._now, at)
        self._paused = True

    def end(self, at: float) -> None:
        """The turn has ended: one more event, with the final figures."""
        if not self._paused:
            self._now = max(self._now, at)
        self._ended = True

    def events_to_send(self, at: float) -> list[Event]:
        """A Meter event where one is due; never one of a turn that has asked nobody."""
        if not self._jobs or (not self._ended and at < self._next_event):
            return []
        self._next_event = at + INTERVAL
        return [self.value()]

    def value(self) -> Meter:
        """The figures now; no cost where one job has none."""
        start = self._sent_at if self._sent_at is not None else self._now
        first = self._first_at
        output = sum(job.output for job in self._jobs)
        streamed = self._now - first if first is not None else 0.0
        costs = [job.cost for job in self._jobs]
        reading = self._reading()
        known = [cost for cost in costs if cost is not None]
        return Meter(
            turn_id=self._turn_id,
            first_token=None if first is None else first - start,
            elapsed=self._now - start,
            input_tokens=sum(job.input for job in self._jobs),
            output_tokens=output,
            cached_tokens=sum(job.cached for job in self._jobs),
            reading_tokens=0 if reading is None else reading.total - reading.cached,
            read_tokens=0 if reading is None else reading.processed - reading.cached,
            tokens_per_second=output / streamed if streamed > 0 else 0.0,
            cost=sum(known) if known and len(known) == len(costs) else None,
            estimated=any(job.usage is None for job in self._jobs),
        )

    def _reading(self) -> PromptProgress | None:
        """What the newest job's provider still reads; None where it writes already, or does not say."""
        job = self._jobs[-1] if self._jobs else None
        return job.reads if job is not None and not self._ended and not job.characters and job.usage is None else None
