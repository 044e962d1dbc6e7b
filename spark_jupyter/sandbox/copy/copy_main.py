"""Main program of a copy: run sources, report, exit."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
import types
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from msgspec import structs

from spark_jupyter.protocol.values import Effect, Output
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.checkpoints.undo_messages import AskedForUndo
from spark_jupyter.sandbox.copy import clusters, import_locks, output_capture
from spark_jupyter.sandbox.copy.audit_hook import Audit
from spark_jupyter.sandbox.copy.context_variables import CellContext
from spark_jupyter.sandbox.copy.effect_tracker import CellEffects, EffectTracker
from spark_jupyter.sandbox.copy.error_report import line_of, ran_report
from spark_jupyter.sandbox.copy.inspector import Inspector, code_of, reachable
from spark_jupyter.sandbox.copy.isolation import isolate, memory
from spark_jupyter.sandbox.copy.open_resources import open_copies
from spark_jupyter.sandbox.copy.overlay import Overlay
from spark_jupyter.sandbox.copy.polars_runtime import PolarsRuntime
from spark_jupyter.sandbox.copy.refused_actions import Refusals
from spark_jupyter.sandbox.copy.shell_setup import prepare_shell
from spark_jupyter.sandbox.copy.statement_runner import StatementRunner
from spark_jupyter.sandbox.copy.time_limit import TimeUp
from spark_jupyter.sandbox.copy_protocol import (
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
    Wrote,
    frame,
)
from spark_jupyter.sandbox.faults.fault_classifier import classify
from spark_jupyter.sandbox.proofs.proof_messages import Asked, Question
from spark_jupyter.sandbox.walls import Ready
from spark_jupyter.sandbox.walls.allowed_paths import Places
from spark_jupyter.source.statements import statements_of


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
        _say(report, Ended(problem=f"{type(error).__name__}: {error}"))
    finally:
        os._exit(status)


def _restore(states: Any) -> None:
    """Python seeds ``random`` again in a fork; then a Try would not show what Run does."""
    import random

    random.setstate(states)


def _say(report: int, message: Any) -> None:
    data = memoryview(frame(message))
    while data:
        data = data[os.write(report, data) :]


class _Copy:
    def __init__(self, shell: Any, order: Order, allowed: Places, report: int, data: int) -> None:
        self._shell = shell
        self._order = order
        self._report = report
        self._number = 0
        self._start = memory("VmRSS")
        self._recorder = output_capture.Recorder(self._wrote, most=order.limits.output)
        self._begin = output_capture.take_over(
            shell, self._recorder, is_limit=lambda error: bool(self._refusals.limit_of(error))
        )
        self._loop = prepare_shell(shell, order)
        self._context = CellContext(shell)
        self._polars = PolarsRuntime()
        clusters.cut_off()
        if "files" in order.allow:
            for effect in open_copies(shell.user_ns):
                self._did(effect)
        self._inspector = Inspector(shell, Overlay(order.folder), data=data) if order.proof else None
        self._tracker = EffectTracker(shell, on=order.effects)
        self._audit = Audit(allowed, allow=order.allow, report=self._did)
        self._refusals = Refusals(shell, order, self._audit)
        self._runner = StatementRunner(shell, self._loop, self._context, in_kernel=self._in_kernel)
        sys.addaudithook(self._audit)

    def run(self, requests: Iterable[Request]) -> None:
        done: CellEffects | None = None
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
                            break  # without further requests there is nothing to wait for
                    elif request.apart:
                        self._measure(request.number)
                    last = request.last
        done = self._finished() if done is None else done
        _say(self._report, Ended(effects=done.effects, memory=self._growth, sightings=done.sightings))

    @property
    def _growth(self) -> int:
        return max(0, memory("VmHWM") - self._start)

    def _finished(self, *, more: bool = False) -> CellEffects:
        """The cells have run: the figures that are still to be shown, and what changed. ``more`` cells may follow."""
        with self._audit.watching():
            self._close_figures()
            output_capture.flush()
            return self._tracker.effects(more=more)

    # --- a source ------------------------------------------------------------------------------------------------------

    def _execute(self, request: Execute) -> bool:
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
            self._tracker.begin()
        return error is None or bool(limit)

    def _run_source(self, source: str) -> tuple[BaseException | None, str]:
        """Run a source; what it raised, and the limit that ended or skipped something of it. Behind a limit the statements run that do not
        need what it ended."""
        error, limit, line = None, self._reason_to_skip(source), 0
        refusals = self._refusals
        if not limit:
            error = self._once(source)
            if error is None:
                return None, ""
            line = line_of(error, self._shell.user_ns) or 0
            limit = refusals.limit_of(error)
            if not limit or isinstance(error, TimeUp) or self._inspector is not None:
                return error, limit
        cut = statements_of(source)
        if any(one.magic == "cell" for one in cut):
            refusals.skip(source, error)
            return error, limit
        for one in cut:
            end = one.line + one.text.count("\n")
            if end < line:
                continue
            text = "\n".join(source.split("\n")[one.line - 1 : end])
            if one.line <= line or self._reason_to_skip(text):
                refusals.skip(text, error)
            elif (raised := self._once("#\n" * (one.line - 1) + text)) is not None:  # IPython drops empty lines
                if not refusals.limit_of(raised):
                    return raised, ""
                refusals.skip(text, raised)
                if isinstance(raised, TimeUp):
                    break
        return error, limit

    def _once(self, source: str) -> BaseException | None:
        self._begin_source(source)
        error: BaseException | None
        try:
            with self._audit.watching():
                result = self._run(source)
            error = result.error_before_exec or result.error_in_exec
        except TimeUp as late:  # between IPython's own lines
            error = late
        self._refusals.end(error)
        return error

    def _reason_to_skip(self, text: str) -> str:
        """Why this is not run: it needs what was not run, or threads that are not here; empty where it can be."""
        if self._refusals.unknown.are_used_by(text):
            return str(limit_sentences.BEHIND_REFUSAL)
        if clusters.are_connected() and (name := clusters.used_by(self._reached(text), self._shell.user_ns)):
            return str(limit_sentences.cluster(name))
        return str(limit_sentences.POLARS) if self._polars.lacks_threads and self._uses_polars(text) else ""

    # --- a cell in parts -------------------------------------------------------------------------------------------------

    def _rehearse(self, request: RunStatement) -> None:
        """Run a statement of a cell within its share of time."""
        text, refusals = request.text, self._refusals
        refusals.seconds = self._order.limits.statement
        if limit := self._reason_to_skip(text):
            refusals.skip(text)
            _say(self._report, Ran(number=request.number, limit=limit))
            return
        self._begin(text)
        self._begin_source(text)
        began = time.perf_counter()
        error = self._within_budget(lambda: self._runner.run(text, line=request.line, number=request.number))
        seconds = time.perf_counter() - began
        output_capture.flush()
        refusals.end(error)
        limit = "" if error is None else refusals.limit_of(error)
        namespace, allow = self._shell.user_ns, self._order.allow
        ran = ran_report(request.number, error, namespace, seconds, allow=allow, limit=limit)
        if limit:
            refusals.skip(text, error)
        elif error is not None and not refusals.new:
            ran = structs.replace(ran, fault=self._classify(error, text))
        _say(self._report, ran)

    def _classify(self, error: BaseException, text: str) -> Fault | None:
        try:
            return classify(error, cells=self._runner.cells, namespace=self._shell.user_ns, text=text)
        except Exception:  # the error's own objects may raise anything: it is shown, and cuts nothing
            return None

    def _end_cell(self, request: EndCell) -> None:
        """Show the last statement's result and the figures, and say what the cell changed. The next one begins from here."""
        error = self._within_budget(lambda: self._context.call(self._runner.end))
        if error is not None:
            limit, namespace = self._refusals.limit_of(error), self._shell.user_ns
            _say(self._report, ran_report(request.number, error, namespace, 0.0, allow=self._order.allow, limit=limit))
        self._measure(request.number)

    def _measure(self, number: int) -> None:
        done = self._finished(more=True)
        measured = Measured(number=number, effects=done.effects, memory=self._growth, sightings=done.sightings)
        _say(self._report, measured)

    def _within_budget(self, work: Callable[[], BaseException | None]) -> BaseException | None:
        """Run ``work`` within its time; return its result or the error that it raised. The time is measured here, so that it is never
        the next statement that pays."""
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
        """Answer a question for the comparison of two copies. A value may say of itself what it likes: here, too, the walls stand."""
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
            return self._context.complete(self._loop, self._run_cell(source))
        return self._context.call(lambda: self._shell.run_cell(source, store_history=False))

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

    def _begin_source(self, source: str) -> None:
        self._refusals.begin(source)
        self._tracker.add(source)
        code = code_of(self._shell, source)
        if code is None:
            return
        if self._uses_polars(source) and not self._polars.lacks_threads:
            self._reload_polars()
        if self._inspector is not None:
            self._inspector.ran(code)

    def _uses_polars(self, source: str) -> bool:
        """True if code uses polars, whose threads are not here."""
        return self._polars.is_used(source, self._reached(source), self._shell.user_ns)

    def _reached(self, source: str) -> set[str]:
        """The names that a source can reach; none where it is not Python."""
        code = code_of(self._shell, source)
        return reachable([code], self._shell.user_ns) if code is not None else set()

    def _reload_polars(self) -> None:
        """Give polars threads here. The frames are other objects then, which is no effect of the code."""
        namespace = self._shell.user_ns
        replaced = self._polars.reload(namespace)
        self._tracker.replaced(replaced)
        if self._inspector is not None:
            self._inspector.replace(replaced)

    def _close_figures(self) -> None:
        if not self._in_kernel:
            self._tracker.show_figures(self._recorder)

    def _wrote(self, output: Output) -> None:
        _say(self._report, Wrote(output=output, number=self._number))

    def _did(self, effect: Effect) -> None:
        _say(self._report, Did(effect=effect))


def _time_is_up(number: int, where: types.FrameType | None) -> None:
    raise TimeUp("The time was up here.")
