"""Store of checkpoints: one fork of the kernel before each cell.

A checkpoint is dropped when it is too old (``Budget.most``), when all together hold too much memory (oldest first), and with the kernel. A
fork takes milliseconds; the cost is what the cell then writes in place, since the system copies each page first. A cell that paid much
for that gets no checkpoint when it runs again, and :meth:`Checkpoints.status` says so.

One thread forks and lives as long as this object does: the system ends a checkpoint with the thread that forked it, also where the
kernel is killed. Another thread measures memory, so that no cell waits for that.
"""

from __future__ import annotations

import os
import queue
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct, structs

from spark_jupyter.sandbox import memory_usage
from spark_jupyter.source.ipython_lines import asks_spark

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.checkpoint_process import Checkpoint
    from spark_jupyter.sandbox.walls import Ready

Mode = Literal["auto", "on", "off"]
"""``auto``: where all walls hold, and not for what costs much; ``on``: for every cell, within the budget all the same."""

_MOST_RUNS = 500
"""So many runs are remembered without their checkpoints."""
_SETTLED = 0.1
"""Seconds after a cell's end until it is measured: the next one may begin at once, and has the right of way."""
_TICK = 0.5
"""Seconds between two measurements while a cell runs, and at least ``_SELDOM`` times what one takes."""
_SELDOM = 50
_TAX = 256 << 20
"""Bytes: what is copied below that nobody feels."""
_COPYING = 0.7 / (1 << 30)
"""Seconds for a byte that is copied since it was written in place (measured: 2.8 s for 4 GB)."""
_SHARE_OF_RUN = 0.1
"""Of its own time: a cell pays too much where copying takes more than that."""


class Budget(Struct, frozen=True, kw_only=True):
    """Budget of the checkpoints: their number, their share of the memory that is free without them, and the size of a kernel in bytes
    from which on it is not forked."""

    most: int = 3
    share: float = 0.15
    size: int = 4 << 30


_MOST_WARNINGS, _MOST_WARNING = 10, 1_000
"""Of a run, and characters of one."""


class Run(Struct, frozen=True, kw_only=True):
    """A cell that ran. ``cell_id`` is ``in-N`` where no front end names it; ``began`` in Unix seconds; ``seconds`` is None as long
    as it runs. ``warned`` is what warnings said that its own lines raised."""

    number: int
    cell_id: str
    source: str
    began: float
    seconds: float | None = None
    failed: bool = False
    warned: tuple[str, ...] = ()


class Kept(Struct, frozen=True, kw_only=True):
    """A run, and the kernel as it was before."""

    run: Run
    checkpoint: Checkpoint


class Checkpoints:
    """Those of one shell."""

    def __init__(
        self, shell: Any, *, mode: Mode = "auto", budget: Budget | None = None, refused: Callable[[], str] = str
    ) -> None:
        self._shell = shell
        self.mode: Mode = mode
        self.budget = budget or Budget()
        self._not_here: str | None = None
        self._refused = refused
        """Why there are none here, in a sentence; empty where there may be."""
        self._process = os.getpid()
        self._kept: OrderedDict[int, Checkpoint] = OrderedDict()
        self._runs: OrderedDict[int, Run] = OrderedDict()
        self._taxed: dict[str, str] = {}
        self._stack: list[_Begun | None] = []
        self._lock = threading.Lock()
        self._forks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._measures: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._forking: threading.Thread | None = None
        self._watching: threading.Thread | None = None
        self._closed = threading.Event()
        self._made: Ready | None = None
        self._held = 0
        self.last = 0.0
        """Seconds that the last one kept its cell waiting."""
        shell.events.register("pre_run_cell", self._begins)
        shell.events.register("post_run_cell", self._ends)

    def close(self) -> None:
        """End all of them. Idempotent."""
        if self._shell is None:
            return
        self._shell.events.unregister("pre_run_cell", self._begins)
        self._shell.events.unregister("post_run_cell", self._ends)
        self._shell = None
        self.drop()
        self._closed.set()
        for work, thread in ((self._forks, self._forking), (self._measures, self._watching)):
            work.put(None)
            if thread is not None:
                thread.join(5)

    def switch(self, mode: Mode) -> None:
        """From the next cell on. What is switched off is dropped."""
        self.mode = mode
        if mode == "off":
            self.drop()

    # --- what is kept --------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[Run, ...]:
        """The cells that ran, oldest first; those of spark_jupyter are none."""
        with self._lock:
            return tuple(self._runs.values())

    @property
    def kept(self) -> tuple[Kept, ...]:
        """The states that are kept, oldest first."""
        return tuple(kept for run in self.runs if (kept := self._of(run)) is not None)

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells before which the kernel is kept as it was."""
        return tuple(kept.run.cell_id for kept in self.kept)

    def before(self, cell_id: str, source: str) -> Kept | None:
        """The state in which the last run of this cell began; where no cell has that id, of one with this source. None where it is not
        kept."""
        for run in reversed(self.runs):
            if run.cell_id == cell_id or run.source.strip() == source.strip():
                return self._of(run)
        return None

    def last_run(self) -> tuple[Run, Kept | None] | None:
        """The last run that has ended, with the state before it where that is kept; None before the first."""
        run = next((run for run in reversed(self.runs) if run.seconds is not None), None)
        return None if run is None else (run, self._of(run))

    def forget(self, run: Run) -> None:
        """Drop a run with its checkpoint: it is undone."""
        with self._lock:
            self._runs.pop(run.number, None)
            checkpoint = self._kept.pop(run.number, None)
        if checkpoint is not None:
            checkpoint.end()

    def drop(self) -> None:
        """Drop every checkpoint."""
        with self._lock:
            dropped = list(self._kept.values())
            self._kept.clear()
        for checkpoint in dropped:
            checkpoint.end()

    def status(self) -> list[str]:
        """State of the checkpoints, in sentences."""
        with self._lock:
            numbers = [f"[{number}]" for number in self._kept]
            taxed = list(dict.fromkeys(self._taxed.values()))
        if reason := self.why_none():
            return [f"No checkpoints. {reason}"]
        kept = f"before {', '.join(numbers)}" if numbers else "none yet"
        cost = f"{size_text(self._held)} beside the kernel, the last one took {self.last * 1000:.0f} ms"
        return [f"Checkpoints: {kept}{f' ({cost})' if numbers else ''}.", *taxed]

    def why_none(self) -> str:
        """Why no cell gets a checkpoint now; empty where they do."""
        if self.mode == "off":
            return "They are off."
        if self._not_here is None:
            self._not_here = self._refused()
        if self._not_here:
            return self._not_here
        if self.mode == "auto" and memory_usage.resident() > self.budget.size:
            return f"The kernel holds more than {size_text(self.budget.size)}, so a copy would keep each cell waiting."
        return ""

    def _of(self, run: Run) -> Kept | None:
        with self._lock:
            checkpoint = self._kept.get(run.number)
        return None if checkpoint is None or not checkpoint.alive else Kept(run=run, checkpoint=checkpoint)

    # --- around a cell, on the kernel's main thread -----------------------------------------------------------------------

    def _begins(self, info: Any) -> None:
        if os.getpid() != self._process:
            return
        source = getattr(info, "raw_cell", None) or ""
        within = any(self._stack)  # a cell that runs another one is one run
        if within or asks_spark(source) or not getattr(info, "store_history", True):
            self._stack.append(None)
            return
        number = len(self._shell.history_manager.input_hist_parsed)  # IPython 9 has counted it already, 8 has not
        cell_id = getattr(info, "cell_id", None) or f"in-{number}"
        self._remember(Run(number=number, cell_id=cell_id, source=source, began=time.time()))
        if (self.mode == "on" or source.strip() not in self._taxed) and not self.why_none():
            self._take(number)
        self._stack.append(_Begun(number, memory_usage.faulted(), self._held, time.monotonic()))
        self._measures.put(self._stay_within)

    def _ends(self, result: Any) -> None:
        began = self._stack.pop() if os.getpid() == self._process and self._stack else None
        if began is None:
            if self._forking is None and not self.why_none():
                with suppress(RuntimeError):  # the system gives no more threads
                    self._start()  # the cell that loaded Spark has ended
            return
        seconds, copied = time.monotonic() - began.at, memory_usage.faulted() - began.faulted
        failed = (result.error_before_exec or result.error_in_exec) is not None
        with self._lock:
            if began.number not in self._runs:
                return
            run = structs.replace(
                self._runs[began.number], seconds=seconds, failed=failed, warned=_warned(self._shell.user_ns)
            )
            self._runs[began.number] = run
        self._measures.put(lambda: self._measure(run, began.held, copied))

    def _remember(self, run: Run) -> None:
        with self._lock:
            self._runs.pop(run.number, None)
            self._runs[run.number] = run
            while len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)

    def _take(self, number: int) -> None:
        """Have it forked, and wait for no more than that."""
        began = time.perf_counter()
        try:
            self._start()
        except RuntimeError:  # the system gives no more threads: the cell runs all the same
            return
        done = threading.Event()
        self._forks.put(lambda: self._fork(number, done))
        done.wait()
        self.last = time.perf_counter() - began

    # --- the two threads -----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Each counts only when it runs: for one that does not a cell would wait for ever."""
        if self._watching is None:
            watching = threading.Thread(target=self._watch, name="spark-checkpoint-costs", daemon=True)
            watching.start()
            self._watching = watching
        if self._forking is None:
            forking = threading.Thread(target=self._keep, name="spark-checkpoints", daemon=True)
            forking.start()
            self._forking = forking

    def _keep(self) -> None:
        with suppress(OSError, MemoryError, RuntimeError):  # no walls can be made: then nothing is forked
            self._make_ready()
        while (work := self._forks.get()) is not None:
            work()

    def _make_ready(self) -> None:
        # Imported here: it takes a moment, off the path of %load_ext and of the first cell.
        from spark_jupyter.sandbox.checkpoints import checkpoint_process  # noqa: F401
        from spark_jupyter.sandbox.walls import ready

        self._made = ready(())

    def _fork(self, number: int, done: threading.Event) -> None:
        try:
            if self._made is None:
                return
            from spark_jupyter.sandbox.checkpoints.checkpoint_process import Checkpoint

            checkpoint = Checkpoint(self._shell, self._made, random.getstate())
            with self._lock:
                old = self._kept.pop(number, None)
                self._kept[number] = checkpoint
                over = [self._kept.popitem(last=False)[1] for _ in range(len(self._kept) - self.budget.most)]
        except (OSError, MemoryError, RuntimeError):  # no memory or no process number left: the cell runs all the same
            return
        finally:
            done.set()  # when it can be found: a short cell has ended a moment later
        for dropped in (*over, *filter(None, [old])):
            dropped.end()

    def _watch(self) -> None:
        pause: float | None = None
        while True:
            try:
                work = self._measures.get(timeout=pause)
            except queue.Empty:
                work = self._stay_within
            if work is None or self._closed.wait(_SETTLED):
                return
            began = time.monotonic()
            work()
            pause = max(_TICK, _SELDOM * (time.monotonic() - began)) if any(self._stack) else None

    def _measure(self, run: Run, before: int, copied: int) -> None:
        """A cell has ended: what of its writing was copying. ``before`` it the checkpoints held so much."""
        with self._lock:
            took_one = run.number in self._kept
        self._weigh()
        tax = min(copied, self._held - before)
        felt = tax > _TAX and tax * _COPYING > _SHARE_OF_RUN * (run.seconds or 0.0)
        if took_one and felt and self.mode == "auto":
            self._taxed[run.source.strip()] = (
                f"No checkpoint before [{run.number}] when it runs again: it writes in place to {size_text(tax)}, which had to be copied."
            )
        self._stay_within()

    def _weigh(self) -> list[int]:
        """Measure what they hold; the numbers of their runs, oldest first."""
        with self._lock:
            kept = dict(self._kept)
        self._held = memory_usage.beyond(self._process, [one.pid for one in kept.values()]) or 0 if kept else 0
        return list(kept)

    def _stay_within(self) -> None:
        """Drop the oldest until the rest fits."""
        while kept := self._weigh():
            room = memory_usage.free()
            if room is None or self._held <= self.budget.share * (room + self._held):
                return
            with self._lock:
                oldest = self._kept.pop(kept[0], None)
            if oldest is not None:
                oldest.end()


class _Begun(NamedTuple):
    """State at the beginning of a cell: its number, page faults, the checkpoints' memory, the time."""

    number: int
    faulted: int
    held: int
    at: float


def _warned(namespace: Mapping[str, object]) -> tuple[str, ...]:
    """Warnings that Python remembers for the cell's lines: IPython resets them with each cell."""
    known = namespace.get("__warningregistry__")
    keys = list(known) if type(known) is dict else []
    texts = [key[0] for key in keys if type(key) is tuple and len(key) == 3 and type(key[0]) is str]
    return tuple(text[:_MOST_WARNING] for text in texts[:_MOST_WARNINGS])


def size_text(size: int) -> str:
    """Bytes for a person."""
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{size >> 20} MB"
