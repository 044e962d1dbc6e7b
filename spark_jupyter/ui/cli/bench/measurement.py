"""One provider, measured: the same prompt a few times."""

from __future__ import annotations

import json
import statistics
import time
from importlib import import_module

import msgspec
from msgspec import Struct

from spark_jupyter.engine.engine import Engine
from spark_jupyter.exceptions import ProviderError
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker


class Measured(Struct, frozen=True, kw_only=True):
    """One provider's figures. Times in seconds; ``turns`` in the order in which they ran, the first on a connection just opened."""

    banner: str
    model: str = ""
    connected: float
    turns: tuple[Meter, ...]


def measure(settings: Settings, *, prompt: str, turns: int) -> Measured:
    """Run the prompt ``turns`` times. Raises :class:`~spark_jupyter.exceptions.ProviderError` where a turn fails."""
    _load_modules()
    begin = time.perf_counter()
    engine = Engine(linker(settings))
    try:
        engine.models()
        connected = time.perf_counter() - begin
        meters = tuple(meter_of_turn(engine, prompt) for _ in range(turns))
        link = engine.link
        banner, model = (link.banner, link.model) if link else ("", "")
        return Measured(banner=banner, model=model, connected=connected, turns=meters)
    finally:
        engine.close()


def _load_modules() -> None:
    """Load what a connection loads with its first use: that is Python's time, and not the provider's."""
    for name in ("guardrail", "connection.http_connection", "connection.websocket_pool", "connection.model_catalogue"):
        import_module(f"spark_jupyter.{name}")


def meter_of_turn(engine: Engine, text: str) -> Meter:
    """Run a prompt; what it took. Raises :class:`~spark_jupyter.exceptions.ProviderError` where the turn fails."""
    prompt = Prompt(turn_id=new_turn_id(), text=text)
    following = engine.follow(prompt.turn_id)
    meter = Meter(turn_id=prompt.turn_id)
    for events in following.through(lambda: engine.say(prompt)):
        meter = next((event for event in reversed(events) if isinstance(event, Meter)), meter)
    ended = following.subject.ended
    if ended is None or ended.outcome != "completed":
        raise ProviderError(f"A turn failed: {ended.reason if ended else ''}")
    return meter


def report(measured: Measured, *, as_json: bool) -> str:
    """The figures as text, or as JSON."""
    if as_json:
        return json.dumps(msgspec.to_builtins(measured), indent=2)
    firsts = [meter.first_token for meter in measured.turns if meter.first_token is not None]
    rates = [meter.tokens_per_second for meter in measured.turns if meter.tokens_per_second]
    lines = [measured.banner, f"connected after {measured.connected * 1000:.0f} ms"]
    if firsts:
        lines.append(f"first token: cold {firsts[0] * 1000:.1f} ms{_cached(measured.turns[0])}")
    if len(firsts) > 1:
        warm = f"{statistics.median(firsts[1:]) * 1000:.1f} ms median, {max(firsts[1:]) * 1000:.1f} ms worst"
        lines.append(f"first token: warm {warm}{_cached(measured.turns[-1])}")
    if rates:
        lines.append(f"speed: median {statistics.median(rates):,.0f} tokens/s over {len(measured.turns)} turns")
    return "\n".join(lines)


def _cached(meter: Meter) -> str:
    return f" ({meter.cached_tokens:,} of {meter.input_tokens:,} input tokens cached)" if meter.cached_tokens else ""
