"""Store of moments: one fork of the kernel before each cell.

:mod:`spark_jupyter.sandbox.checkpoints.moments` says which stay. Where all checkpoints together hold too much memory the oldest goes
first, and its moment stays without it. A fork takes milliseconds; the cost is what the cell then writes in place, since the system copies
each page first. A cell that paid much for that gets no checkpoint when it runs again. Why a moment has none, it says.
"""

from __future__ import annotations

import os
import random
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import structs

from spark_jupyter.class_identity import class_module
from spark_jupyter.sandbox import memory_usage
from spark_jupyter.sandbox.checkpoints.checkpoint_costs import Budget, CheckpointCosts, size_text
from spark_jupyter.sandbox.checkpoints.checkpoint_threads import CheckpointThreads
from spark_jupyter.sandbox.checkpoints.moments import (
    Kept,
    Moment,
    Run,
    first_line,
    first_to_drop,
    lost_lines,
    thinned,
    with_variables,
)
from spark_jupyter.sandbox.checkpoints.page_log import PageLog
from spark_jupyter.sandbox.checkpoints.run_log import RunLog
from spark_jupyter.sandbox.values.patched_attributes import PatchedAttributes
from spark_jupyter.sandbox.values.process_state import held_parts, threads_of_cells
from spark_jupyter.source.ipython_lines import asks_spark

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.file_history import FileHistory, FileState

Mode = Literal["auto", "on", "off"]
"""``auto``: where all walls hold, and not for what costs much; ``on``: for every cell, within the budget all the same."""

_MOST_BEGUN = 50
"""Turns that may be accepted yet."""
OFF = "Checkpoints are off."
_SWITCHED_OFF = "Checkpoints were switched off."
_UNDONE = "The run before it was undone."


class Checkpoints:
    """Checkpoints and moments of one shell."""

    def __init__(
        self, shell: Any, *, mode: Mode = "auto", budget: Budget | None = None, refused: Callable[[], str] = str
    ) -> None:
        self._shell = shell
        self.mode: Mode = mode
        self._not_here: str | None = None
        self._refused = refused
        """Why there are none here, in a sentence; empty where there may be."""
        self._process = os.getpid()
        self.costs = CheckpointCosts(self._process, budget or Budget())
        self.log = RunLog()
        self._moments: OrderedDict[int, Moment] = OrderedDict()
        self._classes: weakref.WeakValueDictionary[int, type] = weakref.WeakValueDictionary()
        """Those that the user's cells defined and objects may still have, by their addresses."""
        self._last_id = 0
        self._last_turn = 0
        self._begun: dict[str, Moment] = {}
        """The moments before turns that may be accepted yet, by turn."""
        self.pages = PageLog(shell)
        self.patched = PatchedAttributes()
        self.conversation: Callable[[], object] = lambda: None
        """The conversation with the model so far, kept with each moment."""
        self.changed: Callable[[], object] = lambda: None
        """Called on any thread when the moments have changed."""
        self.files: FileHistory | None = None
        """Where the files of the working folder come back, too."""
        self._stack: list[_Begun | None] = []
        self._lock = threading.Lock()
        self._threads = CheckpointThreads(
            weigh=self._weigh, limit=self._stay_within, is_running=lambda: any(self._stack)
        )
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
        self.keep_files("")
        self._threads.close()

    def switch(self, mode: Mode) -> None:
        """From the next cell on. What is switched off is dropped."""
        self.mode = mode
        if mode == "off":
            self.drop(_SWITCHED_OFF)

    def keep_files(self, folder: str) -> None:
        """Have the files in a folder come back, too, from the next moment on; empty: none."""
        if self.files is not None:
            self.files.close()
            self.files = None
            with self._lock:  # their contents are gone
                self._moments.update({one.id: structs.replace(one, files=None) for one in self._moments.values()})
        if folder and hasattr(os, "fork"):
            from spark_jupyter.sandbox.checkpoints.file_history import FileHistory

            self.files = FileHistory(folder)

    # --- what is kept --------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[Run, ...]:
        """The cells that ran, oldest first; those of spark_jupyter are none."""
        return self.log.runs

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
        run = self.log.last
        return None if run is None else (run, self._of(run))

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The moments that are known, oldest first."""
        with self._lock:
            return tuple(with_variables(one, self._moments) for one in self._moments.values())

    def begin_turn(self, turn_id: str, prompt: str, *, steers: str = "") -> None:
        """Remember the present moment as the one before a turn, or the one before the turn that it ``steers``. From any thread."""
        conversation = self.conversation()
        with self._lock:
            if turn_id in self._begun:
                return
            begun = self._begun.pop(steers, None) or Moment(
                id=-1,
                at=time.time(),
                runs=self.runs,
                line=first_line(prompt),
                next_id=self._last_id + 1,
                conversation=conversation,
            )
            self._begun[turn_id] = structs.replace(begun, turn_id=turn_id)
            if len(self._begun) > _MOST_BEGUN:
                del self._begun[next(iter(self._begun))]

    def add_turn(self, turn_id: str) -> None:
        """Add the moment before a turn, if it is remembered: the turn is accepted, or its prompt edited. From any thread."""
        with self._lock:
            begun = self._begun.pop(turn_id, None)
            if begun is None:
                return
            lowest = self._last_turn = self._last_turn - 1
            self._moments[lowest] = structs.replace(begun, id=lowest)
            self._moments = OrderedDict(sorted(self._moments.items(), key=lambda item: item[1].at))
        self.changed()

    def save(self, name: str, *, pinned: bool = True, line: str = "") -> Moment:
        """Keep the kernel as it is now under a name; of two moments of one name the older one goes. ``line`` tells it from others."""
        with self._lock:
            same = [one for one in self._moments.values() if one.name == name]
        saved = self._add(name=name, pinned=pinned, source=line)
        self._remove(same)
        return saved

    def came_back(self, moment: Moment) -> None:
        """The kernel is as it was at this moment: the runs since are none that made it."""
        self.log.come_back(moment.runs)
        self.changed()

    def forget(self, run: Run) -> None:
        """Drop a run with its checkpoint: it is undone."""
        self.log.forget(run)
        with self._lock:
            same = [one for one in self._moments.values() if one.number == run.number]
            undone, following = {one.id for one in same}, self._last_id + 1
            known: list[dict[Any, Moment]] = [self._moments, self._begun]
            for turns, key, turn in [(each, key, one) for each in known for key, one in each.items()]:
                # Before the run the variables are as they are now; after it nothing has them any more.
                if turn.next_id in undone:
                    turns[key] = structs.replace(turn, next_id=following)
                elif turn.next_id == following:
                    turns[key] = structs.replace(turn, next_id=0, lost=_UNDONE)
        self._remove(same)

    def drop(self, why: str = "") -> None:
        """Drop every checkpoint, and remember ``why``."""
        for moment in self._own:
            if moment.checkpoint is not None:
                self._end(moment, why if moment.alive else moment.why_lost)
        self.changed()

    def status(self) -> list[str]:
        labels = [f"[{one.number}]" if not one.name else one.name for one in self._own if one.alive]
        taxed = self.costs.taxed_lines()
        if reason := self.why_none():
            return [reason if reason == OFF else f"No checkpoints. {reason}"]
        if self.files is not None and self.files.problem:
            taxed.append(self.files.problem)
        taxed += [line for line in lost_lines(self.moments) if line not in taxed]
        kept = f"before {', '.join(labels)}" if labels else "none yet"
        cost = f"{size_text(self.costs.held)} beside the kernel, the last one took {self.last * 1000:.0f} ms"
        return [f"Checkpoints: {kept}{f' ({cost})' if labels else ''}.", *taxed]

    def why_none(self) -> str:
        """Why no cell gets a checkpoint now; empty where they do."""
        if self.mode == "off":
            return OFF
        if self._not_here is None:
            self._not_here = self._refused()
        if self._not_here:
            return self._not_here
        return self.costs.too_large if self.mode == "auto" else ""

    def before_run(self, number: int) -> Moment | None:
        """The moment before the last run of this number; None where it is not known any more."""
        return next((one for one in reversed(self.moments) if one.number == number > 0), None)

    @property
    def _own(self) -> tuple[Moment, ...]:
        """The moments that have checkpoints of their own."""
        return tuple(one for one in self.moments if not one.turn_id)

    def _of(self, run: Run) -> Kept | None:
        moment = self.before_run(run.number)
        return Kept(run=run, checkpoint=moment.checkpoint) if moment and moment.checkpoint and moment.alive else None

    def _end(self, moment: Moment, why: str = "") -> None:
        """End a moment's checkpoint, where it has one, and remember ``why``."""
        with self._lock:
            if moment.id in self._moments:
                self._moments[moment.id] = structs.replace(moment, checkpoint=None, classes={}, lost=why)
        if moment.checkpoint is not None:
            moment.checkpoint.end()

    def _remove(self, moments: Collection[Moment]) -> None:
        for moment in moments:
            with self._lock:
                self._moments.pop(moment.id, None)
            self._end(moment)
        if moments:
            self.changed()

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
        lost = "" if self.mode == "on" else self.costs.taxed(source)
        self.patched.note(source, self._shell.user_ns)
        moment = self._add(number, cell_id, source, lost=lost)
        self.log.begin(Run(number=number, cell_id=cell_id, source=source, began=time.time()))
        self._stack.append(
            _Begun(number, memory_usage.faulted_bytes(), self.costs.held, time.monotonic(), moment.files)
        )
        self._threads.measure(lambda: None)  # from now on it looks, again and again

    def _ends(self, result: Any) -> None:
        began = self._stack.pop() if os.getpid() == self._process and self._stack else None
        if began is None:
            if not self._threads.have_begun and not self.why_none():
                with suppress(RuntimeError):  # the system gives no more threads
                    self._threads.start()  # the cell that loaded Spark has ended
            return
        self.patched.settle(self._shell.user_ns)
        seconds, copied = time.monotonic() - began.at, memory_usage.faulted_bytes() - began.faulted
        if self.files is not None and began.files is not None:
            self.files.ran(began.files)
        failed = (result.error_before_exec or result.error_in_exec) is not None
        run = self.log.end(began.number, seconds=seconds, failed=failed, namespace=self._shell.user_ns)
        if run is not None:
            self._threads.measure(partial(self._measure, run, began.held, copied))

    def _add(
        self,
        number: int = 0,
        cell_id: str = "",
        source: str = "",
        *,
        name: str = "",
        pinned: bool = False,
        lost: str = "",
    ) -> Moment:
        """Add the present moment, with a checkpoint where there may be one and none is ``lost`` for that reason."""
        lost = lost or (_SWITCHED_OFF if self.mode == "off" else self.why_none())
        conversation, parts = self.conversation(), held_parts()
        files = None if self.files is None else self.files.state()
        with self._lock:
            self._last_id += 1
            moment = Moment(
                id=self._last_id,
                at=time.time(),
                runs=self.runs,
                number=number,
                cell_id=cell_id,
                line=first_line(source),
                name=name,
                pinned=pinned,
                parts=parts,
                patched=self.patched.held(),
                files=files,
                lost=lost,
                threads=tuple(threads_of_cells()),
                conversation=conversation,
            )
            replaced = [one for one in self._moments.values() if number and one.number == number]
            self._moments[moment.id] = moment
            gone = [*replaced, *thinned(tuple(self._moments.values()))]
            for one in gone:
                self._moments.pop(one.id, None)
        if not lost:
            self._take(moment)
        if self._threads.have_begun:  # where they share gigabytes their end takes a while
            self._threads.fork(lambda: self._remove(gone))
        else:
            self._remove(gone)
        self.changed()
        with self._lock:
            return self._moments[moment.id]

    def _take(self, moment: Moment) -> None:
        """Let it be forked, and wait only for the fork."""
        began = time.perf_counter()
        try:
            self._threads.start()
        except RuntimeError as error:  # the system gives no more threads: the cell runs all the same
            self._end(moment, f"No copy could be made: {error}.")
            return
        done = threading.Event()
        self._threads.fork(lambda: self._fork(moment, done))
        done.wait()
        self.last = time.perf_counter() - began

    # --- on the two threads --------------------------------------------------------------------------------------------

    def _fork(self, moment: Moment, done: threading.Event) -> None:
        try:
            if self._threads.made is None:
                raise OSError("this system gives it no walls")
            from spark_jupyter.sandbox.checkpoints.checkpoint_process import Checkpoint

            self._classes.update(_classes(self._shell.user_ns))
            checkpoint = Checkpoint(self._shell, self._threads.made, random.getstate())
            with self._lock:
                self.pages.forked(moment.id, oldest=min(one for one in self._moments if one > 0))
                self._moments[moment.id] = structs.replace(moment, checkpoint=checkpoint, classes=dict(self._classes))
        except (OSError, MemoryError, RuntimeError) as error:  # nothing is left for it: the cell runs all the same
            self._end(
                moment, f"No copy could be made: {getattr(error, 'strerror', '') or str(error) or 'no memory is left'}."
            )
        finally:
            done.set()  # when it can be found: a short cell has ended a moment later

    def _measure(self, run: Run, before: int, copied: int) -> None:
        """A cell has ended: what of its writing was copying. ``before`` it the checkpoints held so much."""
        if self.mode == "auto" and self._of(run) is not None:
            self.costs.judge(run, min(copied, self.costs.held - before))

    def _weigh(self) -> None:
        self.costs.weigh([one.checkpoint.pid for one in self._own if one.checkpoint is not None and one.alive])

    def _stay_within(self) -> None:
        """Drop one after the other until the rest fits."""
        while (dear := first_to_drop(self._own)) and not self.costs.fit():
            self._end(dear, "Checkpoints were dropped: memory is short.")
            self.changed()
            self._weigh()


class _Begun(NamedTuple):
    """State at the beginning of a cell: its number, page faults, the checkpoints' memory, the time, the files."""

    number: int
    faulted: int
    held: int
    at: float
    files: FileState | None


def _classes(namespace: dict[str, object]) -> dict[int, type]:
    """The classes of the user's cells, by their addresses."""
    values: list[Any] = [value for value in namespace.copy().values() if issubclass(type(value), type)]
    return {id(value): value for value in values if class_module(value) == "__main__"}
