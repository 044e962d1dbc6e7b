"""Tokens, speed, cost and spending as text."""

from __future__ import annotations

import math

from spark_jupyter.protocol.meter_messages import Extra, Meter, Spent
from spark_jupyter.source.invisible_text import printable

WORTH_SAYING = 2.0
"""Seconds without text after which the wait is shown."""
_KINDS = {
    "correction": ("correction", "corrections"),
    "attempt": ("more attempt", "more attempts"),
    "again": ("retry", "retries"),
    "repair": ("repair", "repairs"),
}


def meter_text(meter: Meter | None) -> str:
    """The meter in a line; before the first text, what the turn waits for."""
    if meter is None:
        return ""
    if not meter.output_tokens:
        return waiting_text(meter)
    parts = [*_speed(meter), *_cached(meter), *_predicted(meter), *map(extra_text, meter.extra), *_cost(meter)]
    return ", ".join(part for part in (*parts, printable(meter.notice)) if part)


def waiting_text(meter: Meter) -> str:
    """Reason for which a turn has no text yet; empty if there is nothing to say."""
    if meter.wait:
        return f"{printable(meter.notice)} Retrying in {math.ceil(meter.wait)} s …"
    if meter.thinking:
        return f"thinking, {meter.thinking:.0f} s"
    if meter.waiting:
        return f"waiting, {meter.waiting} {'request comes' if meter.waiting == 1 else 'requests come'} first"
    if meter.reading_tokens:
        return f"reading {meter.reading_tokens:,} tokens, {100 * meter.read_tokens // meter.reading_tokens} %"
    waited = f"waiting, {meter.elapsed:.0f} s" if meter.elapsed >= WORTH_SAYING else ""
    return " ".join(part for part in (printable(meter.notice), waited) if part)


def extra_text(extra: Extra) -> str:
    """Cost of further requests: ``1 correction +340 tokens +$0.0021``."""
    name = _KINDS[extra.kind][extra.requests != 1]
    cost = f" +{dollars(extra.cost)}" if extra.cost else ""
    return f"{extra.requests} {name} +{extra.input_tokens + extra.output_tokens:,} tokens{cost}"


def spent_text(spent: Spent) -> str:
    """Money spent, in a line."""
    turns = f"{spent.unknown} {'turn' if spent.unknown == 1 else 'turns'}"
    unknown = f", and {turns} without a known price" if spent.unknown else ""
    limit = f" of ${spent.stop:.2f}" if spent.stop else ""
    return (
        f"spent today: {dollars(spent.today)}{limit}{unknown}; in this notebook this month: {dollars(spent.notebook)}"
    )


def dollars(cost: float) -> str:
    """US dollars, with as many places as say something."""
    if not cost:
        return "$0"
    return f"${cost:.4f}" if cost < 0.1 else f"${cost:.2f}"


def _speed(meter: Meter) -> list[str]:
    parts = [f"{'~' if meter.estimated else ''}{meter.output_tokens} tokens"]
    if meter.thinking >= 1:
        parts.insert(0, f"thought for {meter.thinking:.0f} s")
    if meter.first_token is not None:
        parts.insert(0, f"first after {meter.first_token * 1000:.0f} ms")
    if meter.reasoning_tokens:
        parts.append(f"{meter.reasoning_tokens:,} of them thinking")
    if meter.tokens_per_second >= 1:  # an answer that came at once has no speed
        parts.append(f"{meter.tokens_per_second:,.0f} tok/s")
    if meter.provider_seconds is not None:
        parts.append(f"{meter.provider_seconds:.2f} s by the provider's clock")
    return parts


def _cached(meter: Meter) -> list[str]:
    if meter.estimated:
        return []
    read = f"{meter.cached_tokens:,} of {meter.input_tokens:,} input tokens cached" if meter.cached_tokens else ""
    written = f"{meter.cache_written_tokens:,} written to the cache" if meter.cache_written_tokens else ""
    return [part for part in (read, written) if part]


def _predicted(meter: Meter) -> list[str]:
    predicted = meter.accepted_tokens + meter.rejected_tokens
    return [f"{meter.accepted_tokens:,} of {predicted:,} predicted tokens taken"] if predicted else []


def _cost(meter: Meter) -> list[str]:
    if meter.cost is None:
        return [] if meter.estimated else ["cost unknown"]
    return [dollars(meter.cost)] if meter.cost else []  # a model of one's own costs nothing: no price then
