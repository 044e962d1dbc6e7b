"""Load test: many clients that prompt one provider at once."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import msgspec
from msgspec import Struct

from spark_jupyter.engine.engine import Engine
from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.cli.bench.measurement import meter_of_turn


class Load(Struct, frozen=True, kw_only=True):
    """Figures of all clients together. Times in seconds, ``first`` (token) sorted. ``failures`` counts what was said to those that got no
    answer, without what differs for each."""

    clients: int
    seconds: float
    first: tuple[float, ...]
    tokens: int
    fairness: float
    """Jain's index of the clients' answers, from 1 / clients (one has all) to 1 (each has as many)."""
    failures: dict[str, int]


def measure_load(settings: Settings, *, prompt: str, turns: int, clients: int) -> Load:
    """Have each of the ``clients``, with a connection of its own, run the prompt ``turns`` times. A turn that fails is counted."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        results = list(pool.map(lambda _: _one_client(settings, prompt, turns), range(clients)))
    tokens = sum(meter.output_tokens for meters, _ in results for meter in meters)
    return Load(
        clients=clients,
        seconds=time.perf_counter() - begin,
        first=tuple(sorted(one.first_token for meters, _ in results for one in meters if one.first_token is not None)),
        tokens=tokens,
        fairness=fairness([len(meters) for meters, _ in results]),
        failures=dict(Counter(reason for _, reasons in results for reason in reasons).most_common()),
    )


def _one_client(settings: Settings, prompt: str, turns: int) -> tuple[list[Meter], list[str]]:
    meters, reasons = [], []
    engine = Engine(linker(settings))
    try:
        for _ in range(turns):
            try:
                meters.append(meter_of_turn(engine, prompt))
            except SparkError as error:
                reasons.append(re.sub(r"=\w+", "=…", error.message.removeprefix("A turn failed: "))[:160])
    finally:
        engine.close()
    return meters, reasons


def fairness(shares: list[int]) -> float:
    """Jain's fairness index (Jain, Chiu and Hawe, 1984): (Σx)² / (n · Σx²); 1 where nobody has anything."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


def report(load: Load, *, as_json: bool) -> str:
    """The figures as text, or as JSON."""
    if as_json:
        return json.dumps(msgspec.to_builtins(load), indent=2)
    rate = f", {load.tokens / load.seconds:,.0f} tokens/s together" if load.tokens else ""
    lines = [f"{load.clients} clients: {len(load.first)} answers in {load.seconds:.1f} s{rate}"]
    if load.first:
        middle, late = (load.first[int((len(load.first) - 1) * part)] for part in (0.5, 0.95))
        lines.append(f"first token: p50 {middle * 1000:,.0f} ms, p95 {late * 1000:,.0f} ms")
        lines.append(f"fairness: {load.fairness:.2f} (1: every client got as many answers)")
    lines += [f"{count} failed: {reason}" for reason, count in load.failures.items()]
    return printable("\n".join(lines))
