"""The meter of one turn: time to first token, speed, tokens, cost. Pure: every time is passed in."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.providers.base import Message, Usage
from spark_jupyter.speech.budget import estimate_tokens
from spark_jupyter.wire.messages import Event, Meter, ModelInfo

INTERVAL = 0.25
"""Seconds between two Meter events of a turn: often enough to be live, rare enough to cost nothing."""

CHARACTERS_PER_TOKEN = 4
"""A usual figure for code and English; only used until the provider reports its usage."""


def no_price(model: str) -> ModelInfo | None:
    """For a provider whose prices nobody told."""
    return None


class _Request:
    """What one request sends and receives: estimated, until the provider has said what it counted."""

    def __init__(self, conversation: Sequence[Message]) -> None:
        self.usage: Usage | None = None
        self.characters = 0
        self._sent = sum(estimate_tokens(message.text) for message in conversation)

    @property
    def input(self) -> int:
        return self._sent if self.usage is None else self.usage.input_tokens

    @property
    def output(self) -> int:
        return self.characters // CHARACTERS_PER_TOKEN if self.usage is None else self.usage.output_tokens


class TurnMeter:
    """Counts what a turn sends and receives, over all of its requests (a correction is a request more)."""

    def __init__(self, turn_id: str, info: ModelInfo | None) -> None:
        self._turn_id = turn_id
        self._info = info
        self._sent_at: float | None = None
        self._first_at: float | None = None
        self._now = 0.0
        self._requests: list[_Request] = []
        self._next_event = 0.0
        self._paused = False
        self._ended = False

    def sent(self, at: float, conversation: Sequence[Message]) -> None:
        """A request goes out. The clock runs from the first one."""
        if self._sent_at is None:
            self._sent_at = self._now = at
        self._paused = False
        self._requests.append(_Request(conversation))

    def text(self, text: str, at: float) -> None:
        """Some of the answer has come."""
        if self._first_at is None:
            self._first_at = at
        self._now = at
        self._requests[-1].characters += len(text)

    def usage(self, usage: Usage | None) -> None:
        """The provider has said what it counted in the last request. One that was cut short stays estimated."""
        if usage is not None:
            self._requests[-1].usage = usage

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
        """A Meter event where one is due."""
        if not self._ended and at < self._next_event:
            return []
        self._next_event = at + INTERVAL
        return [self.value()]

    def value(self) -> Meter:
        """The figures now."""
        start = self._sent_at if self._sent_at is not None else self._now
        first = self._first_at
        output = sum(request.output for request in self._requests)
        streamed = self._now - first if first is not None else 0.0
        return Meter(
            turn_id=self._turn_id,
            first_token=None if first is None else first - start,
            elapsed=self._now - start,
            input_tokens=sum(request.input for request in self._requests),
            output_tokens=output,
            cached_tokens=sum(request.usage.cached_tokens for request in self._requests if request.usage is not None),
            tokens_per_second=output / streamed if streamed > 0 else 0.0,
            cost=self._cost(output),
            estimated=any(request.usage is None for request in self._requests),
        )

    def _cost(self, output: int) -> float | None:
        info = self._info
        if info is None or info.input_price is None or info.output_price is None:
            return None
        read = sum(request.input for request in self._requests)
        return (read * info.input_price + output * info.output_price) / 1e6


class RaceMeter(TurnMeter):
    """What all attempts of a race cost together. The clock is the turn's; the counts are the attempts' own meters'."""

    def __init__(self, turn_id: str) -> None:
        super().__init__(turn_id, None)
        self._meters: dict[str, Meter] = {}

    def of_attempt(self, attempt_id: str, meter: Meter) -> None:
        """How the meter of an attempt's round stands."""
        self._meters[attempt_id] = meter

    def value(self) -> Meter:
        """The sums now; no price where one of them has none."""
        meters = tuple(self._meters.values())
        output = sum(meter.output_tokens for meter in meters)
        costs = [meter.cost for meter in meters if meter.cost is not None]
        streamed = self._now - self._first_at if self._first_at is not None else 0.0
        return structs.replace(
            super().value(),
            input_tokens=sum(meter.input_tokens for meter in meters),
            output_tokens=output,
            cached_tokens=sum(meter.cached_tokens for meter in meters),
            tokens_per_second=output / streamed if streamed > 0 else 0.0,
            cost=sum(costs) if costs and len(costs) == len(meters) else None,
            estimated=any(meter.estimated for meter in meters),
        )
