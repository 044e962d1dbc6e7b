"""Results of measured providers, and their sums."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from spark_jupyter.protocol.meter_messages import Meter

Passed = Literal["at first", "corrected", "no"]


class TaskResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task, by one provider. ``seconds`` are from the prompt to the end: written, run in a copy, corrected where it failed."""

    task: str
    passed: Passed
    seconds: float
    meter: Meter
    reason: str = ""


class Provider(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Measurements of one provider. ``cold`` is the time until its connection was open; of ``turns``, which ask the same thing, the
    first ran on a connection just opened."""

    name: str
    banner: str
    model: str
    cold: float
    turns: tuple[Meter, ...] = ()
    tasks: tuple[TaskResult, ...] = ()


class Spread(Struct, frozen=True):
    """A median with its range."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread | None:
        """Of these; None where there are none."""
        known = list(values)
        return cls(statistics.median(known), min(known), max(known)) if known else None


class Summary(Struct, frozen=True, kw_only=True):
    """Summary of one provider's figures. Times in seconds, ``cost`` in US dollars; None where it was not measured, or is not known."""

    name: str
    model: str
    cold: float
    first_cold: float | None
    first: Spread | None
    first_second: Spread | None
    rate: Spread | None
    end_to_end: Spread | None
    tasks: int
    at_first: int
    corrected: int
    cost: float | None


def summary(provider: Provider) -> Summary:
    meters = [*provider.turns[1:], *(result.meter for result in provider.tasks)]
    firsts = [meter.first_token for meter in meters if meter.first_token is not None]
    costs = [meter.cost for meter in (*provider.turns, *(result.meter for result in provider.tasks))]
    known = [cost for cost in costs if cost is not None]
    return Summary(
        name=provider.name,
        model=provider.model,
        cold=provider.cold,
        first_cold=provider.turns[0].first_token if provider.turns else None,
        first=Spread.of(firsts),
        first_second=Spread.of(float(meter.first_second) for meter in meters if meter.first_second),
        rate=Spread.of(meter.tokens_per_second for meter in meters if meter.tokens_per_second),
        end_to_end=Spread.of(result.seconds for result in provider.tasks)
        or Spread.of(m.elapsed for m in provider.turns),
        tasks=len(provider.tasks),
        at_first=sum(result.passed == "at first" for result in provider.tasks),
        corrected=sum(result.passed == "corrected" for result in provider.tasks),
        cost=sum(known) if len(known) == len(costs) else None,
    )


def verdict(one: Summary, other: Summary) -> str:
    """Compare the speed of two providers in plain words: the waiting time first, then the rate."""
    parts = []
    if one.end_to_end and other.end_to_end and one.end_to_end.median > 0:
        parts.append(f"end to end {other.end_to_end.median / one.end_to_end.median:.1f}×")
    if one.rate and other.rate:
        parts.append(f"tokens/s {one.rate.median / other.rate.median:.1f}×")
    return f"{one.name} against {other.name}: {', '.join(parts)}" if parts else ""


def verdicts(summaries: Sequence[Summary]) -> list[str]:
    """Every provider against the one that took the longest end to end."""
    timed = [each for each in summaries if each.end_to_end is not None]
    if len(timed) < 2:
        return []
    slowest = max(timed, key=lambda each: each.end_to_end.median if each.end_to_end else 0.0)
    return [line for each in timed if each is not slowest and (line := verdict(each, slowest))]
