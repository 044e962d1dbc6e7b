"""Effects and surprises of a cell, by the state before and after."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spark_jupyter.protocol.values import Effect
from spark_jupyter.sandbox.copy import import_locks
from spark_jupyter.sandbox.copy.bytecode_names import imported
from spark_jupyter.sandbox.copy.inspector import code_of
from spark_jupyter.sandbox.copy.open_resources import left_running
from spark_jupyter.sandbox.copy.output_capture import Recorder
from spark_jupyter.sandbox.copy_protocol import MOST_EFFECTS, Sighting
from spark_jupyter.sandbox.surprises.cell_change import CellRun, Change, Moment
from spark_jupyter.sandbox.surprises.detection import look
from spark_jupyter.sandbox.surprises.figure_capture import FigureCapture
from spark_jupyter.sandbox.surprises.table_samples import seen
from spark_jupyter.sandbox.values.memory_pages import written
from spark_jupyter.sandbox.values.namespace_diff import compare, names_touched, snapshot_all, used_packages
from spark_jupyter.sandbox.values.snapshot import Snapshot

_MOST_EARLIER = 100
"""Cells that ran in the kernel before, of which the sources are read for where tables came from."""


class CellEffects(NamedTuple):
    effects: tuple[Effect, ...] = ()
    sightings: tuple[Sighting, ...] = ()


class EffectTracker:
    """Tracker of the changes that cells make in a copy. ``on``: they are wanted, so the state before is kept."""

    def __init__(self, shell: Any, *, on: bool) -> None:
        self._shell = shell
        self._on = on
        self._run = CellRun()
        self._run_code, self._depth = shell.run_code, 0
        shell.run_code = self._run_statement
        self._earlier = [one for one in shell.user_ns.get("In", ()) if type(one) is str][-_MOST_EARLIER:]
        self._touched: set[str] = set()
        self._imported: set[str] = set()
        self._written: set[str] = set()
        self._before: dict[str, Snapshot] = {}
        self._figure_capture = FigureCapture(shell)
        self.begin()

    def begin(self) -> None:
        """Remember how things stand before what is tried."""
        self._begin_sources()
        self._modules = import_locks.known()
        self._threads = set(threading.enumerate())
        self._figures = _figures()
        if self._on:
            self._before = snapshot_all(self._shell.user_ns, hidden=self._shell.user_ns_hidden, keep=True)
            self._moment = Moment(self._shell.user_ns)

    def add(self, source: str) -> None:
        self._run.add(source)
        code = code_of(self._shell, source)
        if code is not None:
            self._touched |= names_touched(code, self._shell.user_ns)
            self._imported |= imported(code)

    def replaced(self, objects: Mapping[str, object]) -> None:
        """The variables of these names are other objects now, which no code has done; these are the objects before."""
        namespace = self._shell.user_ns
        fresh = snapshot_all({name: namespace[name] for name in objects}, keep=True)
        for name, value in objects.items():
            if name in self._before and self._before[name].identity == id(value):
                self._before[name] = fresh[name]
            if self._on and name in self._moment.tables:
                self._moment.tables[name] = seen(namespace[name], copy=True)

    def effects(self, *, more: bool) -> CellEffects:
        """Changes since :meth:`begin`, or since the last call. ``more`` cells may follow."""
        if not self._on:
            return CellEffects()
        namespace = self._shell.user_ns
        after = snapshot_all(namespace, hidden=self._shell.user_ns_hidden, keep=more)
        large = [
            name
            for name in (self._touched & after.keys() & self._before.keys()) - self._written
            if after[name].sampled and after[name].identity == self._before[name].identity
        ]
        fresh = written(namespace, large) if large else set()
        effects = compare(self._before, after, written=fresh)
        sightings = self._surprises([effect.name for effect in effects if effect.action != "deleted"])
        effects += used_packages(self._modules, sys.modules, self._imported) + left_running(self._threads)
        if more:
            self._threads = set(threading.enumerate())
            self._before, self._modules, self._figures = after, import_locks.known(), _figures()
            self._moment = Moment(namespace)
            self._written |= fresh  # a page says only once that it was written
            self._touched, self._imported = set(), set()
            self._begin_sources()
        return CellEffects(tuple(effects[:MOST_EFFECTS]), sightings)

    def show_figures(self, recorder: Recorder) -> None:
        """Show the new figures as pictures: in a terminal they would open windows."""
        for number in _figures() - self._figures:
            picture = io.BytesIO()
            sys.modules["matplotlib.pyplot"].figure(number).savefig(picture, format="png")
            recorder.show("display_data", {"image/png": picture.getvalue(), "text/plain": f"Figure {number}"})
            self._figures.add(number)

    def _surprises(self, changed: Sequence[str]) -> tuple[Sighting, ...]:
        """Surprises about the changed variables."""
        change = Change(
            self._moment,
            self._shell.user_ns,
            changed=changed,
            run=self._run,
            earlier=self._earlier,
            figures=self._figure_capture.taken(),
        )
        return tuple(look(change))

    def _begin_sources(self) -> None:
        """Set apart the sources that ran before."""
        self._earlier += self._run.sources
        self._run = CellRun()

    async def _run_statement(self, *args: Any, **options: Any) -> Any:
        """IPython runs one statement after the other. What a statement runs itself, by ``%run`` or so, is part of it."""
        if self._on and not self._depth:
            self._run.next_statement(self._shell.user_ns)
        self._depth += 1
        try:
            return await self._run_code(*args, **options)
        finally:
            self._depth -= 1


def _figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set(pyplot.get_fignums()) if pyplot is not None else set()
