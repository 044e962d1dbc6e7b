"""Rehearsals: a copy runs a proposal's statements while they are written.

The I/O of :mod:`spark_jupyter.session.rehearsal_feed`. A rehearsal is one thread that forks the copy, listens to it and ends it. Statements
are handed over from the engine's loop, which waits for nothing: each is sent when the one before has run. A statement that takes longer
than its share of time, or a cell that can't be cut into statements, is left to the end of its cell: a new copy runs what came before and
then the whole cell, with the limits of a Try.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import structs

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.sandbox.copy_protocol import EndCell, Ended, Limits, Measured, Ran, Request, RunStatement, Said
from spark_jupyter.sandbox.kernel_trials import KernelTrials, no_rehearsal
from spark_jupyter.sandbox.result_builder import ResultBuilder, concluded
from spark_jupyter.session.rehearsal_feed import (
    AwaitRehearsal,
    BeginRehearsal,
    EndRehearsal,
    FinishRehearsal,
    RehearsalAction,
    Rehearsed,
    RehearseEnd,
    RehearseStatement,
)

if TYPE_CHECKING:
    from spark_jupyter.sandbox.forking import Copy

_GRACE = 1.0
"""Seconds that a statement has beyond its share, before it is stopped from outside: the copy stops it by itself."""
_SETTLE = 0.2
"""Seconds that a fork waits for a cell to end which is about to, as that of ``%%spark`` is."""
_MOST_TEXT = 60_000
"""Bytes of a statement that fit into a pipe at once; what is longer is data, and left to the end."""

Report = Callable[[Rehearsed], None]


class Rehearsals:
    def __init__(self, shell: Any, trials: KernelTrials, *, limits: Limits | None = None) -> None:
        self._shell, self._trials, self._limits = shell, trials, limits or Limits()
        self._running: dict[str, _Rehearsal] = {}
        self._lock = threading.Lock()
        atexit.register(self.close)

    def act(self, action: RehearsalAction, report: Report) -> None:
        """Do what the session asks. Returns at once; ``report`` is called on another thread."""
        if isinstance(action, BeginRehearsal):
            begun = _Rehearsal(self._shell, self._trials, self._limits, action, report, self._gone)
            with self._lock:
                self._running[action.rehearsal_id] = begun
            begun.thread.start()
            return
        with self._lock:
            running = self._running.get(action.rehearsal_id)
        match action:
            case AwaitRehearsal() if running is None:
                report(Rehearsed(rehearsal_id=action.rehearsal_id, late=True, over=True))
            case _ if running is None:
                pass  # the rehearsal has ended by itself
            case RehearseStatement() | RehearseEnd():
                running.add(action)
            case AwaitRehearsal():
                running.hurry()
            case FinishRehearsal():
                running.finish()
            case EndRehearsal():
                running.drop()

    def close(self) -> None:
        """End all of them, whole. Idempotent."""
        atexit.unregister(self.close)
        with self._lock:
            running = list(self._running.values())
        for rehearsal in running:
            rehearsal.drop()
        for rehearsal in running:
            rehearsal.thread.join(5)

    def _gone(self, rehearsal_id: str) -> None:
        with self._lock:
            self._running.pop(rehearsal_id, None)


class _Cell:
    """A cell, as far as it is known. ``left``: it is run in one piece, when it is whole. ``told``: its result was reported."""

    def __init__(self, cell_id: str) -> None:
        self.id = cell_id
        self.statements: list[tuple[int, str]] = []
        self.source: str | None = None
        self.left = False
        self.told = False

    @property
    def text(self) -> str:
        """Known source, line for line."""
        if self.source is not None:
            return self.source
        lines: list[str] = []
        for line, text in self.statements:
            lines += [""] * (line - 1 - len(lines))
            lines[line - 1 :] = text.split("\n")
        return "\n".join(lines)


class _Rehearsal:
    """One rehearsal: its thread's and the engine's, so everything happens under its lock. The copy is another one once a cell was left:
    a patient one."""

    def __init__(
        self,
        shell: Any,
        trials: KernelTrials,
        limits: Limits,
        begin: BeginRehearsal,
        report: Report,
        gone: Callable[[str], None],
    ) -> None:
        self._shell, self._trials, self._limits = shell, trials, limits
        self._id, self._turn_id = begin.rehearsal_id, begin.turn_id
        self._report, self._gone = report, gone
        self.thread = threading.Thread(target=self._live, name="spark-rehearsal", daemon=True)
        self._lock = threading.Condition(threading.RLock())
        self._cells: list[_Cell] = []
        self._finished = False  # no more will come
        self._over = False  # nothing more is run
        self._left: _Cell | None = None  # for it a new copy is to be made
        self._patient = False
        self._copy: Copy | None = None
        self._epoch = 0
        self._start_over()

    def _start_over(self) -> None:
        self._at = 0  # the cell that runs
        self._ran = 0  # its statements that have run
        self._asked: Request | None = None
        self._failed = False
        self._budget = self._limits.seconds  # of a patient copy, for what is left of the cell
        self._begun_at = 0.0
        self._builder = self._new_builder()

    # --- from the engine's thread --------------------------------------------------------------------------------------

    def add(self, action: RehearseStatement | RehearseEnd) -> None:
        with self._lock:
            cell = self._cell(action.cell_id)
            if isinstance(action, RehearseEnd):
                cell.source = action.source
            else:
                cell.statements.append((action.line, action.text))
            self._go_on()

    def finish(self) -> None:
        with self._lock:
            self._finished = True
            self._go_on()

    def hurry(self) -> None:
        """Somebody waits: say so where it will take its time."""
        with self._lock:
            if self._over or self._patient or self._left is not None:
                self._say(late=True)

    def drop(self) -> None:
        """Nobody waits for it any more."""
        with self._lock:
            self._over = True
            self._report = _nobody
            if self._copy is not None:
                self._copy.kill()
            self._lock.notify_all()

    # --- the quiet thread ----------------------------------------------------------------------------------------------

    def _live(self) -> None:
        try:
            self._trials.settle(_SETTLE)
            self._run_copy(self._limits)
            with self._lock:
                self._lock.wait_for(lambda: self._over or self._left is None or self._left.source is not None)
                again = self._left is not None and not self._over
                self._patient, self._left = True, None
            if again:
                self._run_copy(structs.replace(self._limits, statement=self._limits.seconds))
        finally:
            self._gone(self._id)
            with self._lock:
                self._stop()

    def _run_copy(self, limits: Limits) -> None:
        from spark_jupyter.sandbox.forking import Copy, LiveKernel  # not needed before the first copy

        with self._lock:
            if self._over or no_rehearsal():
                return
            self._start_over()
            self._epoch = self._trials.epoch
        try:
            copy = Copy(LiveKernel(self._shell), None, allow=(), limits=limits, named=self._trials.named.paths())
        except OSError:  # no memory or no process number left for a fork: a Try by hand says so
            return
        with self._lock:
            self._copy = copy
            if self._over:
                copy.kill()
            self._go_on()
        try:
            copy.listen(self._receive)
        finally:
            copy.close()
        if copy.problem:
            self._lost(copy.problem)

    # --- what to run ---------------------------------------------------------------------------------------------------

    def _cell(self, cell_id: str) -> _Cell:
        found = next((cell for cell in self._cells if cell.id == cell_id), None)
        if found is None:
            found = _Cell(cell_id)
            self._cells.append(found)
        return found

    def _go_on(self) -> None:
        """Hand over the next thing, where the copy has nothing to do."""
        self._lock.notify_all()
        if self._copy is None or self._asked is not None or self._over or self._left is not None:
            return
        request = self._next()
        if request is not None:
            self._asked = request
            self._begun_at = time.monotonic()
            self._copy.give(max(_GRACE, self._budget) if self._patient else self._limits.statement + _GRACE)
            self._copy.ask(request)
        elif self._finished and self._at >= len(self._cells):
            self._stop()

    def _next(self) -> Request | None:
        if self._at >= len(self._cells):
            return None
        cell = self._cells[self._at]
        statements = cell.statements if not cell.left else [(1, cell.source or "")]
        if self._ran < len(statements) and not self._failed:
            line, text = statements[self._ran]
            if len(text.encode(errors="replace")) > _MOST_TEXT:
                self._stop()
                return None
            return RunStatement(text=text, line=line, number=self._at)
        return EndCell(number=self._at) if cell.source is not None else None

    def _stop(self) -> None:
        self._over = True
        if self._copy is not None:
            self._copy.finish()
        self._say(late=True, over=True)

    # --- what it shows -------------------------------------------------------------------------------------------------

    def _receive(self, message: Said) -> None:
        with self._lock:
            if self._left is not None:
                return  # the copy was ended in the middle of a cell: what it still said is half an account of it
            match message:
                case Ran() if isinstance(self._asked, RunStatement):
                    asked, self._asked = self._asked, None
                    self._statement_ran(asked, message)
                case Ran(late=True) if isinstance(self._asked, EndCell) and not self._patient:
                    self._leave(self._cells[self._at])
                case Ran() if isinstance(self._asked, EndCell):
                    # What showing its last value raised: the account follows.
                    self._builder.receive(message)
                    self._failed = self._failed or (bool(message.error) and not message.limit)
                case Measured() if isinstance(self._asked, EndCell):
                    self._asked = None
                    told = Ended(effects=message.effects, memory=message.memory, sightings=message.sightings)
                    self._builder.receive(told)
                    self._tell()
                case Ended(problem=problem) if problem:
                    self._lost(problem)
                case Ran() | Measured():
                    return  # nothing was asked: the code forged it
                case _:
                    self._builder.receive(message)
            if self._copy is not None and self._asked is None:
                self._copy.give(None)
                self._go_on()

    def _statement_ran(self, asked: RunStatement, ran: Ran) -> None:
        cell = self._cells[self._at]
        unread = ran.name in ("SyntaxError", "IndentationError", "TabError") and not cell.left
        if not self._patient and (ran.late or unread):
            self._leave(cell, whole=unread)
            return
        self._budget -= time.monotonic() - self._begun_at
        self._builder.receive(ran)
        self._ran += 1
        self._failed = bool(ran.error) and not ran.limit
        if ran.fault is not None and not self._moved:
            from spark_jupyter.sandbox.faults.fault_findings import (
                finding_of,  # with the reality check: not on the way of %load_ext
            )

            sources = [one.text for one in self._cells[: self._at + 1]]
            finding = finding_of(ran.fault, ran=asked, cells=sources, namespace=self._shell.user_ns)
            if finding is not None:
                self._say(cell_id=self._cells[ran.fault.number].id, finding=finding)

    def _leave(self, cell: _Cell, *, whole: bool = False) -> None:
        """The cell is run again when it is ``whole``: by a patient copy, and in one piece where it can't be cut into statements."""
        cell.left, self._left = whole, cell
        self._say(late=True)
        if self._copy is not None:
            self._copy.kill()

    @property
    def _moved(self) -> bool:
        """True if the kernel has run a cell since the copy was made, or is running one."""
        return self._trials.moving or self._trials.epoch != self._epoch

    def _tell(self, problem: str = "") -> None:
        """A cell is done. What comes after one that failed is not run."""
        cell = self._cells[self._at]
        if not cell.told:
            cell.told = True
            result = self._builder.result(problem)
            whole = structs.replace(
                result, cell_id=cell.id, source_hash=content_hash(cell.source or ""), moving=self._moved, rehearsed=True
            )
            self._say(cell_id=cell.id, result=concluded(whole))
        if self._failed or problem:
            self._stop()
        self._at, self._ran, self._builder = self._at + 1, 0, self._new_builder()
        self._budget = self._limits.seconds

    def _lost(self, problem: str) -> None:
        """The copy ended before its time: by what the code did, or because another thread held a lock when it was made."""
        with self._lock:
            if self._over or self._left is not None or self._at >= len(self._cells):
                return
            if self._patient:
                self._tell(problem)
            else:
                self._leave(self._cells[self._at])

    def _new_builder(self) -> ResultBuilder:
        return ResultBuilder(turn_id=self._turn_id, cell_id="", source_hash="", moving=False)

    def _say(self, **what: Any) -> None:
        self._report(Rehearsed(rehearsal_id=self._id, **what))


def _nobody(rehearsed: Rehearsed) -> None:
    """Receiver of a dropped rehearsal's messages, which ignores them."""
