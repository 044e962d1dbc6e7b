"""Main program of a copy: run sources, report, exit."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, NoReturn

from msgspec import structs

from spark_jupyter.protocol.values import Effect, Output
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.checkpoints.undo_messages import AskedForUndo
from spark_jupyter.sandbox.copy import font_cache, import_locks, output_capture, semaphores, sqlite_guard
from spark_jupyter.sandbox.copy.audit_hook import Audit
from spark_jupyter.sandbox.copy.bytecode_names import imported
from spark_jupyter.sandbox.copy.error_report import line_of, ran_report
from spark_jupyter.sandbox.copy.inspector import Inspector, code_of, reachable
from spark_jupyter.sandbox.copy.isolation import isolate, memory
from spark_jupyter.sandbox.copy.limit_detection import limit_of
from spark_jupyter.sandbox.copy.open_resources import left_running, open_copies
from spark_jupyter.sandbox.copy.overlay import Overlay
from spark_jupyter.sandbox.copy.polars_runtime import PolarsRuntime
from spark_jupyter.sandbox.copy.statement_runner import StatementRunner
from spark_jupyter.sandbox.copy.time_limit import TimeUp
from spark_jupyter.sandbox.copy.unknown_names import UnknownNames
from spark_jupyter.sandbox.copy_protocol import (
    MOST_EFFECTS,
    Did,
    EndCell,
    Ended,
    Execute,
    Fault,
    Measured,
    Order,
    Ran,
    Request,
    RunStatement,
    Sighting,
    Wrote,
    frame,
)
from spark_jupyter.sandbox.faults.fault_classifier import classify
from spark_jupyter.sandbox.proofs.proof_messages import Asked, Question
from spark_jupyter.sandbox.surprises.cell_change import Change, Moment
from spark_jupyter.sandbox.surprises.detection import look
from spark_jupyter.sandbox.surprises.figure_capture import FigureCapture
from spark_jupyter.sandbox.surprises.table_samples import seen
from spark_jupyter.sandbox.values.memory_pages import written
from spark_jupyter.sandbox.values.namespace_diff import compare, names_touched, snapshot_all, used_packages
from spark_jupyter.sandbox.values.snapshot import Snapshot
from spark_jupyter.sandbox.walls import Ready
from spark_jupyter.sandbox.walls.allowed_paths import Places
from spark_jupyter.source.statements import Splitter


def run_copy(
    shell: Any,
    requests: Iterable[Request],
    order: Order,
    made: Ready,
    allowed: Places,
    *,
    report: int,
    out: int,
    err: int,
    states: Any,
    ask: int,
    data: int,
    paused: bool,
) -> NoReturn:
    """The whole life of the copy. Nothing of Python's own end takes place: no atexit, no finalizer, no flush."""
    status = 1
    try:
        import_locks.begin_again()
        allowed = isolate(order, made, allowed, keep=(report, ask, data), out=out, err=err, paused=paused)
        gc.freeze()  # a collection would write to every object, and so copy the memory
        _restore(states)
        _Copy(shell, order, allowed, report, data).run(requests)
        status = 0
    except BaseException as error:  # whatever it is, it must not unwind into the kernel's frames
        _say(report, Ended(problem=f"The copy itself failed: {type(error).__name__}: {error}"))
    finally:
        os._exit(status)


def _restore(states: Any) -> None:
    """Python seeds ``random`` anew in a fork; then a Try would not show what Run does."""
    import random

    random.setstate(states)


def _say(report: int, message: Any) -> None:
    data = memoryview(frame(message))
    while data:
        data = data[os.write(report, data) :]


class _Done(NamedTuple):
    """What a cell did."""

    effects: tuple[Effect, ...]
    sightings: tuple[Sighting, ...]


class _Copy:
    def __init__(self, shell: Any, order: Order, allowed: Places, report: int, data: int) -> None:
        self._shell = shell
        self._order = order
        self._report = report
        self._number = 0
        self._sources: list[str] = []
        self._earlier = [one for one in shell.user_ns.get("In", ()) if type(one) is str][-_MOST_EARLIER:]
        self._touched: set[str] = set()
        self._imported: set[str] = set()
        self._written: set[str] = set()
        self._astray = False  # the code coped with a refusal: what follows may be other than in the kernel
        self._start = memory("VmRSS")
        self._unknown = UnknownNames()
        self._rehearses = False
        self._recorder = output_capture.Recorder(self._wrote, most=order.limits.output)
        self._begin = output_capture.take_over(
            shell, self._recorder, is_limit=lambda error: bool(self._limit_of(error))
        )
        self._prepare()
        self._polars = PolarsRuntime()
        if "files" in order.allow:
            for effect in open_copies(shell.user_ns):
                self._did(effect)
        self._inspector = Inspector(shell, Overlay(order.folder), data=data) if order.proof else None
        self._before: dict[str, Snapshot] = {}
        self._remember()
        self._audit = Audit(allowed, allow=order.allow, report=self._did)
        self._runner = StatementRunner(shell, self._loop, in_kernel=self._in_kernel)
        self._figure_capture = FigureCapture(shell)
        sys.addaudithook(self._audit)

    def run(self, requests: Iterable[Request]) -> None:
        done: _Done | None = None
        failed = last = False
        for request in requests:
            match request:
                case Question():
                    self._answer(request)
                    if last and done is None:
                        done = self._finished()  # while its answer is compared
                    continue
                case RunStatement() | EndCell() | Execute():
                    self._number = request.number
            match request:
                case RunStatement():
                    self._rehearse(request)
                case EndCell():
                    self._end_cell(request)
                case Execute(check=check, needed=needed):
                    if check and done is None:
                        done = self._finished()
                    if failed or (not self._execute(request) and needed):
                        failed = True
                        if self._inspector is None:
                            break  # who is asked no more has nothing to wait for
                    elif request.apart:
                        self._measure(request.number)
                    last = request.last
        done = self._finished() if done is None else done
        _say(self._report, Ended(effects=done.effects, memory=self._growth, sightings=done.sightings))

    @property
    def _growth(self) -> int:
        return max(0, memory("VmHWM") - self._start)

    def _finished(self, *, more: bool = False) -> _Done:
        """The cells have run: the figures that are still to be shown, and what changed. ``more`` cells may follow."""
        with self._audit.watching():
            self._close_figures()
            output_capture.flush()
            return self._effects(more=more) if self._order.effects else _Done((), ())

    def _remember(self) -> None:
        """How things stand before what is tried."""
        self._modules = import_locks.known()
        self._threads = set(threading.enumerate())
        self._figures = _figures()
        if self._order.effects:
            self._before = snapshot_all(self._shell.user_ns, hidden=self._shell.user_ns_hidden, keep=True)
            self._moment = Moment(self._shell.user_ns)

    # --- before --------------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        shell = self._shell
        for (
            event,
            hooks,
        ) in shell.events.callbacks.items():  # those of other extensions time, log and print what is none of the cell's
            shell.events.callbacks[event] = [hook for hook in hooks if _root_of(hook) in _HOOKS]
        self._loop = asyncio.new_event_loop()  # the kernel's belongs to another thread, which is not here
        asyncio.set_event_loop(self._loop)
        shell.loop_runner = self._loop.run_until_complete
        shell.history_manager.enabled = False
        shell.system = shell.system_raw  # a pseudo-terminal would need a fork
        sys.dont_write_bytecode = True
        os.environ["TMPDIR"] = self._order.folder
        tempfile = sys.modules.get("tempfile")
        if tempfile is not None:
            tempfile.tempdir = self._order.folder  # type: ignore[attr-defined]
        if getattr(shell, "kernel", None) is None:
            os.environ["MPLBACKEND"] = "agg"
        if not font_cache.are_listed():
            os.environ["MPLCONFIGDIR"] = self._order.folder
        if "files" not in self._order.allow:
            sqlite_guard.protect(self._order.folder)
            semaphores.of_threads()
        if "shell" not in self._order.allow:
            semaphores.use_threads_in_joblib()
        sqlite_guard.adopt(
            shell.user_ns,
            owner=self._order.owner,
            read_only="files" not in self._order.allow,
            folder=self._order.folder,
        )

    # --- a source ------------------------------------------------------------------------------------------------------

    def _execute(self, request: Execute) -> bool:
        """Run a source; whether nothing of it failed."""
        self._begin(request.source)
        began = time.perf_counter()
        signal.signal(signal.SIGINT, _time_is_up)
        error, limit = self._run_source(request.source)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        seconds = time.perf_counter() - began
        output_capture.flush()
        namespace, allow = self._shell.user_ns, self._order.allow
        _say(self._report, ran_report(request.number, error, namespace, seconds, allow=allow, limit=limit))
        if request.ground:
            self._remember()
            self._begin_sources()
        return error is None or bool(limit)

    def _run_source(self, source: str) -> tuple[BaseException | None, str]:
        """Run a source; what it raised, and the limit that ended or skipped something of it. Behind a limit the statements run that do not
        need what it ended."""
        error, limit, line = None, self._reason_to_skip(source), 0
        if not limit:
            error = self._once(source)
            if error is None:
                return None, ""
            limit = self._limit_of(error)
            if not limit or isinstance(error, TimeUp) or self._inspector is not None:
                return error, limit
            line = line_of(error, self._shell.user_ns) or 0
        statements = Splitter()
        cut = [*statements.feed(source), *statements.flush()]
        if any(one.magic == "cell" for one in cut):
            self._unknown.add(source)
            return error, limit
        for one in cut:
            end = one.line + one.text.count("\n")
            if end < line:
                continue
            text = "\n".join(source.split("\n")[one.line - 1 : end])
            if one.line <= line or self._reason_to_skip(text):
                self._unknown.add(text)
            elif (raised := self._once("#\n" * (one.line - 1) + text)) is not None:  # IPython drops empty lines
                if not self._limit_of(raised):
                    return raised, ""
                self._unknown.add(text)
                if isinstance(raised, TimeUp):
                    break
        return error, limit

    def _once(self, source: str) -> BaseException | None:
        """Run a source as a whole; what it raised."""
        before = len(self._audit.refused)
        self._remember_names(source)
        error: BaseException | None
        try:
            with self._audit.watching():
                result = self._run(source)
            error = result.error_before_exec or result.error_in_exec
        except TimeUp as late:  # between IPython's own lines
            error = late
        self._note_refusals(self._audit.refused[before:], source, error)
        return error

    def _note_refusals(self, refused: Sequence[str], source: str, error: BaseException | None) -> None:
        """Remember a refusal that the code coped with. One that it ended by makes names unknown instead."""
        if error is None or not self._own_limit(error):
            self._astray = self._astray or _leads_astray(refused, source)

    def _reason_to_skip(self, text: str) -> str:
        """Why this is not run: it needs what was not run, or threads that are not here; empty where it can be."""
        if self._unknown.are_used_by(text):
            return str(limit_sentences.BEHIND_REFUSAL)
        return str(limit_sentences.POLARS) if self._polars.lacks_threads and self._uses_polars(text) else ""

    def _limit_of(self, error: BaseException) -> str:
        """The limit that caused an error, by itself or by a refusal before; empty where it is the code's own."""
        if limit := self._own_limit(error):
            return limit
        if isinstance(error, ModuleNotFoundError) and self._audit.installs:
            return str(limit_sentences.not_installed(error.name or ""))
        unknown = isinstance(error, NameError) and error.name in self._unknown
        return str(limit_sentences.BEHIND_REFUSAL) if self._astray or unknown else ""

    def _own_limit(self, error: BaseException) -> str:
        allow, limits = self._order.allow, self._order.limits
        seconds = limits.statement if self._rehearses else limits.seconds
        return str(limit_of(error, allow=allow, seconds=seconds, refused=self._audit.limits))

    # --- a cell in parts -------------------------------------------------------------------------------------------------

    def _rehearse(self, request: RunStatement) -> None:
        """Run a statement of a cell within its share of time."""
        self._rehearses = True
        if limit := self._reason_to_skip(request.text):
            self._unknown.add(request.text)
            _say(self._report, Ran(number=request.number, limit=limit))
            return
        self._begin(request.text)
        self._remember_names(request.text)
        before = len(self._audit.refused)
        began = time.perf_counter()
        error = self._within_budget(lambda: self._runner.run(request.text, line=request.line, number=request.number))
        seconds = time.perf_counter() - began
        output_capture.flush()
        refused = self._audit.refused[before:]
        limit = "" if error is None else self._limit_of(error)
        namespace, allow = self._shell.user_ns, self._order.allow
        ran = ran_report(request.number, error, namespace, seconds, allow=allow, limit=limit)
        if limit:
            self._unknown.add(request.text)
        elif error is not None and not refused:
            ran = structs.replace(ran, fault=self._classify(error, request.text))
        self._note_refusals(refused, request.text, error)
        _say(self._report, ran)

    def _classify(self, error: BaseException, text: str) -> Fault | None:
        try:
            return classify(error, cells=self._runner.cells, namespace=self._shell.user_ns, text=text)
        except (
            Exception
        ):  # the error's own objects may be stranger than all that is foreseen: it is shown, and cuts nothing
            return None

    def _end_cell(self, request: EndCell) -> None:
        """Show the last statement's result and the figures, and say what the cell changed. The next one begins from here."""
        error = self._within_budget(self._runner.end)
        if error is not None:
            limit, namespace = self._limit_of(error), self._shell.user_ns
            _say(self._report, ran_report(request.number, error, namespace, 0.0, allow=self._order.allow, limit=limit))
        self._measure(request.number)

    def _measure(self, number: int) -> None:
        done = self._finished(more=True)
        measured = Measured(number=number, effects=done.effects, memory=self._growth, sightings=done.sightings)
        _say(self._report, measured)

    def _within_budget(self, work: Callable[[], BaseException | None]) -> BaseException | None:
        """What ``work`` raised or returned. The time is measured here, so that it is never the next statement that pays."""
        for number in (signal.SIGALRM, signal.SIGINT):
            signal.signal(number, _time_is_up)
        try:
            signal.setitimer(signal.ITIMER_REAL, self._order.limits.statement)
            try:
                with self._audit.watching():
                    return work()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        except BaseException as error:  # what could not be read, or what is raised between IPython's own lines
            return error

    def _answer(self, asked: Asked | AskedForUndo) -> None:
        """What two copies are compared by. A value may say of itself what it likes: here, too, the walls stand."""
        if self._inspector is None:
            return
        grown = self._growth
        with self._audit.watching():
            self._close_figures()
            output_capture.flush()
            answer = self._inspector.answer(asked, memory=grown)
        _say(self._report, answer)

    @property
    def _in_kernel(self) -> bool:
        return getattr(self._shell, "kernel", None) is not None

    def _run(self, source: str) -> Any:
        if self._in_kernel:
            return self._loop.run_until_complete(self._run_cell(source))
        return self._shell.run_cell(source, store_history=False)

    async def _run_cell(self, source: str) -> Any:
        """As ipykernel does: inside a running loop, and as a coroutine where the cell awaits something."""
        shell = self._shell
        try:
            transformed = shell.transform_cell(source)
            waits = shell.should_run_async(source, transformed_cell=transformed)
        except Exception:  # the cell is no Python: run_cell says so
            return shell.run_cell(source, store_history=False)
        if not waits:
            return shell.run_cell(source, store_history=False)
        result = await shell.run_cell_async(source, store_history=False, transformed_cell=transformed)
        shell.events.trigger("post_execute")
        return result

    def _remember_names(self, source: str) -> None:
        self._sources.append(source)
        code = code_of(self._shell, source)
        if code is None:
            return
        if self._uses_polars(source) and not self._polars.lacks_threads:
            self._reload_polars()
        if self._inspector is not None:
            self._inspector.ran(code)
        self._touched |= names_touched(code, self._shell.user_ns)
        self._imported |= imported(code)

    def _uses_polars(self, source: str) -> bool:
        """Whether code uses polars, whose threads are not here."""
        code, namespace = code_of(self._shell, source), self._shell.user_ns
        return code is not None and self._polars.is_used(source, reachable([code], namespace), namespace)

    def _reload_polars(self) -> None:
        """Give polars threads here. The frames are other objects then, which is no effect of the code."""
        namespace = self._shell.user_ns
        replaced = self._polars.reload(namespace)
        fresh = snapshot_all({name: namespace[name] for name in replaced}, keep=True)
        for name, value in replaced.items():
            if name in self._before and self._before[name].identity == id(value):
                self._before[name] = fresh[name]
            if self._order.effects and name in self._moment.tables:
                self._moment.tables[name] = seen(namespace[name], copy=True)
        if self._inspector is not None:
            self._inspector.replace(replaced)

    # --- afterwards ----------------------------------------------------------------------------------------------------

    def _effects(self, *, more: bool) -> _Done:
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
        return _Done(tuple(effects[:MOST_EFFECTS]), sightings)

    def _surprises(self, changed: Sequence[str]) -> tuple[Sighting, ...]:
        """What a person wants to know first about what changed."""
        figures = self._figure_capture.taken()
        namespace, ran, earlier = self._shell.user_ns, self._sources, self._earlier
        change = Change(self._moment, namespace, changed=changed, sources=ran, earlier=earlier, figures=figures)
        return tuple(look(change))

    def _begin_sources(self) -> None:
        """What ran so far came before what comes now."""
        self._earlier += self._sources
        self._sources = []

    def _close_figures(self) -> None:
        """In a terminal a figure would open a window; here it is shown as a picture."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None or self._in_kernel:
            return
        import io

        for number in _figures() - self._figures:
            picture = io.BytesIO()
            pyplot.figure(number).savefig(picture, format="png")
            self._recorder.show("display_data", {"image/png": picture.getvalue(), "text/plain": f"Figure {number}"})
            self._figures.add(number)

    def _wrote(self, output: Output) -> None:
        _say(self._report, Wrote(output=output, number=self._number))

    def _did(self, effect: Effect) -> None:
        _say(self._report, Did(effect=effect))


_MOST_EARLIER = 100
"""Cells that ran in the kernel before, of which the sources are read for where tables came from."""
_HOOKS = frozenset({"IPython", "ipykernel", "matplotlib_inline", "matplotlib"})
"""Packages whose hooks around a cell make its output or its modules what they are."""


def _root_of(hook: object) -> str:
    return str(getattr(hook, "__module__", "")).partition(".")[0]


def _leads_astray(refused: Sequence[str], text: str) -> bool:
    """Whether what follows may be other than in the kernel, since the code coped with a refusal: by itself, or a library did so without
    the data it wanted. One that counts processors with a program, or writes a cache, goes on as before."""
    return "network" in refused or (bool(refused) and re.search(r"\b(?:except|suppress)\b", text) is not None)


def _time_is_up(number: int, where: types.FrameType | None) -> None:
    raise TimeUp("The time was up here.")


def _figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set(pyplot.get_fignums()) if pyplot is not None else set()
