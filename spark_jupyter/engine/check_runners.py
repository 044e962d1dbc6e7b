"""Runners of the slower checks: inspections of cells, and Tries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import TypeVar

from spark_jupyter.engine.broadcast import EventSink
from spark_jupyter.engine.kernel_access import Checks
from spark_jupyter.engine.loop_thread import FAULTS, LoopThread
from spark_jupyter.exceptions import limit_reached
from spark_jupyter.protocol.agent_messages import AskRun
from spark_jupyter.protocol.messages import Command, Problem
from spark_jupyter.protocol.proposal_messages import Run
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.actions import InspectCell, ProveEdits, TryProposal
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer, TryBoth
from spark_jupyter.session.job_owners import DeepOwner, Owner
from spark_jupyter.session.session import Session

PATIENCE_OF_RUN = 5.0
"""Seconds for which Run waits for the slower checks of a cell."""

Result = TypeVar("Result")
Tell = Callable[[Callable[[Session, float], None]], None]
"""Calls a function with the session and the time (Unix seconds), and does what follows."""
Running = dict[str | Owner, "asyncio.Task[None]"]


class Inspections:
    """Has the slower checks look at whole cells."""

    def __init__(self, checks: Checks, thread: LoopThread, broadcast: EventSink, *, tell: Tell) -> None:
        self._check = checks.inspect
        self._thread = thread
        self._broadcast = broadcast
        self._tell = tell
        self._running: Running = {}
        self._awaited: set[str] = set()

    def begin(self, action: InspectCell) -> None:
        _keep(self._running, action.cell_id, self._thread.spawn(self._inspect(action)))

    def before(self, command: Command) -> asyncio.Task[None] | None:
        """The inspection that a command must wait for: it may block the cell that is to run."""
        inspection = self._running.get(command.cell_id) if isinstance(command, Run | AskRun) else None
        if not isinstance(command, Run | AskRun) or inspection is None or inspection.done():
            return None
        self._awaited.add(command.cell_id)
        return inspection

    async def _inspect(self, action: InspectCell) -> None:
        """Inspect a cell. A late result is still shown; only Run does not wait for it, and a Run that has waited is told so."""
        self._awaited.discard(action.cell_id)
        _, late = await asyncio.wait({self._thread.spawn(self._find(action))}, timeout=PATIENCE_OF_RUN)
        if late and action.cell_id in self._awaited:
            message = f"The cell runs though its slower checks have not ended after {PATIENCE_OF_RUN:.2g} s."
            remedy = "What they find is shown when they end."
            self._send(Problem(code="checks_late", message=message, remedy=remedy, turn_id=action.turn_id))
        self._tell(lambda session, at: session.receive_inspected(action.cell_id, action.source))

    async def _find(self, action: InspectCell) -> None:
        assert self._check is not None  # or the runner would not have begun it
        try:
            findings = await self._check(action)
        except FAULTS as error:  # the answer is there: a failed check is reported, and changes nothing else
            message = f"The linters failed on {action.cell_id} ({type(error).__name__}: {error})."
            self._send(Problem(code="check_failed", message=message, turn_id=action.turn_id))
            return
        self._tell(lambda session, at: session.receive_findings(action.turn_id, action.cell_id, findings, at=at))

    def _send(self, problem: Problem) -> None:
        self._broadcast.send([problem])


class Tries:
    """The Tries that run, by the cell or the attempt that each is of. A cell has one at a time: a new one takes its place."""

    def __init__(self, checks: Checks, thread: LoopThread, *, tell: Tell) -> None:
        self._checks = checks
        self._thread = thread
        self._tell = tell
        self._running: Running = {}

    def try_proposal(self, action: TryProposal) -> None:
        self.drop(action.cell_id)
        _keep(self._running, action.cell_id, self._thread.spawn(self._try_proposal(action)))

    def try_together(self, action: ProveEdits) -> None:
        """Try the edits of a turn as one. Where a cell of it is tried by itself, or stopped, the rest goes untried."""
        trial = self._thread.spawn(self._try_together(action))
        for edit in action.edits:
            self.drop(edit.cell_id)
            _keep(self._running, edit.cell_id, trial)

    def try_answers(self, action: TryAnswer | TryBoth) -> None:
        """Try an attempt's answer, or two beside each other."""
        if isinstance(action, TryAnswer):
            _keep(self._running, action.owner, self._thread.spawn(self._try_answer(action)))
            return
        trial = self._thread.spawn(self._try_both(action))
        for one in action.answers:
            _keep(self._running, one.owner, trial)

    def cancel(self, cell_ids: Collection[str | Owner]) -> None:
        """Stop the Tries of these cells where they still run; who waits for one is told."""
        for cell_id in cell_ids:
            if (running := self._running.get(cell_id)) is not None:
                running.cancel()

    def cancel_all(self) -> None:
        """Stop every Try; who waits for one is told. Deep work has its own end."""
        self.cancel([key for key in self._running if not isinstance(key, DeepOwner)])

    def drop(self, key: str | Owner) -> None:
        """Stop the Try of a cell or an attempt where it still runs; nobody waits for it."""
        if (running := self._running.pop(key, None)) is not None:
            running.cancel()

    def drop_all(self) -> None:
        """Stop every Try; nobody waits for one."""
        for key in tuple(self._running):
            self.drop(key)

    async def _try_proposal(self, action: TryProposal) -> None:
        if self._checks.try_proposal is None:
            reason = self._checks.try_unavailable or "There is no kernel to try it in."
            result = TrialResult(turn_id=action.turn_id, cell_id=action.cell_id, problem=reason)
        else:
            tried = await self._tried(self._checks.try_proposal(action))
            result = tried if isinstance(tried, TrialResult) else _untried(action, tried)
        self._tell(lambda session, at: session.receive_trial(result))

    async def _try_together(self, action: ProveEdits) -> None:
        """Each cell that waits for it gets a result, whatever happens."""
        assert self._checks.try_together is not None  # or no state would be kept
        tried = await self._tried(self._checks.try_together(action))
        results = [_untried(edit, tried) for edit in action.edits] if isinstance(tried, str) else tried
        waiting = [one for one in results if self._running.get(one.cell_id) is asyncio.current_task()]
        self._tell(lambda session, at: _receive_all(session, waiting))

    async def _try_answer(self, action: TryAnswer) -> None:
        assert self._checks.try_answer is not None  # or the prompt would have been refused
        tried = await self._tried(self._checks.try_answer(action))
        trial = tried if isinstance(tried, AnswerTrial) else AnswerTrial(problem=tried)
        self._tell(lambda session, at: session.receive_answer_trial(action.owner, trial, at=at))

    async def _try_both(self, action: TryBoth) -> None:
        assert self._checks.try_both is not None  # or the prompt would have been refused
        tried = await self._tried(self._checks.try_both(action))
        trials = [AnswerTrial(problem=tried)] * 2 if isinstance(tried, str) else tried
        for one, trial in zip(action.answers, trials, strict=True):
            self._tell(partial(_receive_answer, one, trial))

    async def _tried(self, trial: Awaitable[Result]) -> Result | str:
        """The result of a Try, or the problem in a sentence: whoever waits for it is told in any case."""
        try:
            return await trial
        except asyncio.CancelledError:
            if asyncio.current_task() not in self._running.values():
                raise  # dropped: a newer Try took its place, nobody waits for it any more, or the engine closes
            return "The Try was cancelled."
        except FAULTS as error:  # a fault of our own in the check: reported, and the session goes on
            fault = f"The Try failed by a fault in spark_jupyter ({type(error).__name__}: {error})."
            limit = limit_reached(error)
            return str(limit) if limit is not None else fault


def _keep(running: Running, key: str | Owner, task: asyncio.Task[None]) -> None:
    """Keep a task as long as it runs, unless another takes its place."""

    def forget(done: asyncio.Task[None]) -> None:
        if running.get(key) is done:
            del running[key]

    running[key] = task
    task.add_done_callback(forget)


def _untried(action: TryProposal, problem: str) -> TrialResult:
    return TrialResult(turn_id=action.turn_id, cell_id=action.cell_id, problem=problem, summary=problem)


def _receive_answer(action: TryAnswer, trial: AnswerTrial, session: Session, at: float) -> None:
    session.receive_answer_trial(action.owner, trial, at=at)


def _receive_all(session: Session, results: Sequence[TrialResult]) -> None:
    for result in results:
        session.receive_trial(result)
