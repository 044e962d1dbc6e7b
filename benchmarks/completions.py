"""Ghost text in the kernel: from the key to what is told, beyond the provider's own time, while the kernel idles and while it computes.

    python benchmarks/completions.py [--json] [--repeat 40]

The provider is the embedded server in another process; each answer's first text comes after 50 ms. The notebook has 20 cells and a table
of 30 columns. "Busy" is a thread that computes in Python, as a cell does. What the judges cost is measured on their own, on the same
suggestions, and printed as a share of the overhead too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection as Pipe

import numpy as np
import pandas as pd

from spark_jupyter.completions.situation import Situation
from spark_jupyter.engine.completion_context import Judges
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.protocol.completion_messages import Complete, Completed
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.session.guard import Guard

DELAY = 0.05
SUGGESTION = 'groupby("city")["c3"].sum().sort_values(ascending=False)'
BEFORE = "total = np.mean(sales['c1'])\nby_city = sales."
NAMESPACE = {
    "pd": pd,
    "np": np,
    "sales": pd.DataFrame({"city": ["Rome", "Oslo"], **{f"c{number}": [1.0, 2.0] for number in range(29)}}),
}
CELLS = tuple(
    NotebookCell(
        id=f"c{number}",
        source=f"x{number} = sales['c{number}'].sum()\n\ndef f{number}(a, b=2):\n    return a * b\n\nprint(f{number}(x{number}))",
        execution_count=number + 1 if number < 15 else None,
    )
    for number in range(20)
)


def serve(pipe: Pipe) -> None:
    """The provider, until the other end of the pipe says something."""
    from spark_jupyter.server.engines.script import ScriptEngine
    from spark_jupyter.server.server_runner import serve_in_thread

    answers = [{"answer": SUGGESTION, "delay": DELAY, "repeat": True}]
    with serve_in_thread(engine=ScriptEngine({"answers": answers}), rate=None) as info:
        pipe.send((info.url, info.token))
        pipe.recv()


@contextlib.contextmanager
def provider() -> Iterator[Settings]:
    """The provider in a process of its own."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=serve, args=(there,), daemon=True)
    process.start()
    url, token = here.recv()
    try:
        yield Settings(base_url=url, api_key=Secret(token), model="script")
    finally:
        here.send("enough")
        process.join()


class Typist:
    """Asks for one completion after the other and notes when each was told first."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._told: dict[str, tuple[float, float]] = {}
        self._done = threading.Event()
        engine.subscribe(self._receive)

    def overhead(self, number: int) -> float:
        """Seconds from the key to the first text that is told, without the provider's own."""
        completion_id = f"k{number}"
        self._done.clear()
        begin = time.perf_counter()
        cells = CELLS if number == 0 else None
        command = Complete(completion_id=completion_id, cell_id="here", before=BEFORE, cells=cells, position=len(CELLS))
        self._engine.answer_alone(self._receive, command)
        if not self._done.wait(30):
            raise TimeoutError("a completion did not end")
        at, first_text = self._told[completion_id]
        return at - begin - first_text

    def _receive(self, frame: EventFrame) -> None:
        now = time.perf_counter()
        for event in frame.msgs:
            if isinstance(event, Completed):
                if event.text and event.first_text is not None:
                    self._told.setdefault(event.completion_id, (now, event.first_text))
                if event.done:
                    self._done.set()


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """A cell that computes in Python."""
    stop = threading.Event()

    def compute() -> None:
        number = 0
        while not stop.is_set():
            number = (number * 31 + 7) % 1_000_003

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def told(settings: Settings, repeat: int, *, busy: bool) -> list[float]:
    """The overheads; the first completion, which loads what it needs, is not counted."""
    engine = Engine(linker(settings), kernel=Kernel(lambda: NAMESPACE))
    try:
        typist = Typist(engine)
        typist.overhead(0)
        with computing() if busy else contextlib.nullcontext():
            return [typist.overhead(number) for number in range(1, repeat + 1)]
    finally:
        engine.close()


def judged(repeat: int) -> tuple[list[float], list[float]]:
    """Seconds of this thread's CPU to make a judge ready for the next key, and to judge a whole suggestion: it waits for nothing, so what
    else the machine does is no part of it."""
    judges = Judges(Guard(), Kernel(lambda: NAMESPACE))
    ready, judging = [], []
    for _ in range(repeat + 1):
        judge = judges.of(Situation(before=BEFORE, above=CELLS))
        begin = time.thread_time()
        judge.prepare()
        middle = time.thread_time()
        assert not judge(SUGGESTION, whole=True)
        ready.append(middle - begin)
        judging.append(time.thread_time() - middle)
    return ready[1:], judging[1:]


def row(values: list[float]) -> dict[str, float]:
    """p50 and p95 in milliseconds."""
    ranked = sorted(values)
    return {
        "p50": round(statistics.median(ranked) * 1e3, 2),
        "p95": round(ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))] * 1e3, 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeat", type=int, default=40)
    options = parser.parse_args()
    with provider() as settings:
        idle = row(told(settings, options.repeat, busy=False))
        busy = row(told(settings, options.repeat, busy=True))
    ready, judging = map(row, judged(options.repeat))
    results = {
        "told beyond the provider's time, idle (ms)": idle,
        "told beyond the provider's time, busy (ms)": busy,
        "judges made ready while the provider is at it (ms)": ready,
        "judging a suggestion (ms)": judging,
        "busy over idle (p50)": round(busy["p50"] / idle["p50"], 2),
        "judging over what is told, idle (p50)": round(judging["p50"] / idle["p50"], 2),
    }
    if options.json:
        json.dump(results, sys.stdout)
        return
    for name, value in results.items():
        print(f"{name:<55} {value}")


if __name__ == "__main__":
    main()
