"""The slower checks of what is proposed, and having them done on the engine's loop: inspections and Tries.

What comes of one is told to the session whenever it comes. Both classes are only used on the loop's thread; ``spawn`` starts a task
there that the engine ends when it closes, ``tell`` calls a function with the session and the time, and does what follows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import Struct

from spark_jupyter.protocol.messages import Command, Event, Problem, Run
from spark_jupyter.protocol.review_messages import Remark
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding, NotebookCell
from spark_jupyter.session.actions import InspectCell, ProveEdits, TryProposal
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer
from spark_jupyter.session.job_owners import DeepOwner, Owner
from spark_jupyter.session.rehearsal_feed import RehearsalAction, Rehearsed
from spark_jupyter.session.session import Session

if TYPE_CHECKING:
    from spark_jupyter.sandbox.refinement_runner import RefinementSearch

PATIENCE_OF_RUN = 5.0
"""Seconds for which Run waits for the slower checks of a cell."""

CheckpointMode = Literal["auto", "on", "off"]
Result = TypeVar("Result")
Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
Tell = Callable[[Callable[[Session, float], None]], None]
Running = dict[str | Owner, "asyncio.Task[None]"]


class Checks(Struct, frozen=True, kw_only=True):
    """The slower checks; each is called on the engine's loop and may take its time in a thread."""

    inspect: Callable[[InspectCell], Awaitable[Sequence[Finding]]] | None = None
    try_proposal: Callable[[TryProposal], Awaitable[TrialResult]] | None = None
    try_together: Callable[[ProveEdits], Awaitable[Sequence[TrialResult]]] | None = None
    try_answer: Callable[[TryAnswer], Awaitable[AnswerTrial]] | None = None
    try_unavailable: str = ""
    rehearse: Callable[[RehearsalAction, Callable[[Rehearsed], None]], None] | None = None
    """Does at once what it is asked, in a thread of its own; says what comes of it on any thread."""
    no_rehearsal: Callable[[], str] | None = None
    """Why it is not to be asked; empty where it is. Asked once, on the engine's loop: it may take some milliseconds."""
    set_checkpoints: Callable[[CheckpointMode], None] | None = None
    """Whether the kernel is kept as it was before each cell."""

    refining: Callable[[], RefinementSearch] | None = None
    """What proves better texts of cells in idle time. Called in a thread, at the first need."""

    review: Callable[[Sequence[NotebookCell]], list[Remark]] | None = None
    """What is to be said of the notebook without running it. Called in a thread."""

    @property
    def no_try(self) -> str:
        """Why no answer can be tried; empty where it can."""
        none = "" if self.try_answer else "There is no kernel to try them in."
        return self.try_unavailable or none


class Inspections:
    """Looks at whole cells. ``send`` sends events past the session."""

    def __init__(self, checks: Checks, *, spawn: Spawn, tell: Tell, send: Callable[[Sequence[Event]], None]) -> None:
        self._check = checks.inspect
        self._spawn = spawn
        self._tell = tell
        self._send = send
        self._running: Running = {}
        self._awaited: set[str] = set()

    def begin(self, action: InspectCell) -> None:
        """Have the checks look at a cell."""
        _keep(self._running, action.cell_id, self._spawn(self._inspect(action)))

    def before(self, command: Command) -> asyncio.Task[None] | None:
        """What a command must wait for: the inspection may block what is to run."""
        inspection = self._running.get(command.cell_id) if isinstance(command, Run) else None
        if not isinstance(command, Run) or inspection is None or inspection.done():
            return None
        self._awaited.add(command.cell_id)
        return inspection

    async def _inspect(self, action: InspectCell) -> None:
        """What is found too late is shown all the same; only Run does not wait for it, which a Run that has waited says."""
        self._awaited.discard(action.cell_id)
        _, late = await asyncio.wait({self._spawn(self._find(action))}, timeout=PATIENCE_OF_RUN)
        if late and action.cell_id in self._awaited:
            message = f"The cell runs though its slower checks have not ended after {PATIENCE_OF_RUN:.2g} s."
            remedy = "What they find is shown when they end."
            self._send([Problem(code="checks_late", message=message, remedy=remedy, turn_id=action.turn_id)])
        self._tell(lambda session, at: session.receive_inspected(action.cell_id, action.source))

    async def _find(self, action: InspectCell) -> None:
        assert self._check is not None  # or the engine would not have begun it
        try:
            findings = await self._check(action)
        except Exception as error:  # the answer is there: that a check failed is said, and changes nothing else
            message = f"The second opinion on {action.cell_id} failed ({type(error).__name__}: {error})."
            self._send([Problem(code="check_failed", message=message, turn_id=action.turn_id)])
            return
        self._tell(lambda session, at: session.receive_findings(action.turn_id, action.cell_id, findings, at=at))


class Tries:
    """The Tries that run, by the cell or the attempt that each is of. A cell has one at a time: a new one takes its place."""

    def __init__(self, checks: Checks, *, spawn: Spawn, tell: Tell) -> None:
        self._checks = checks
        self._spawn = spawn
        self._tell = tell
        self._running: Running = {}

    def try_proposal(self, action: TryProposal) -> None:
        """Try a proposal."""
        self.drop(action.cell_id)
        _keep(self._running, action.cell_id, self._spawn(self._try_proposal(action)))

    def try_together(self, action: ProveEdits) -> None:
        """Try the edits of a turn as one. Where a cell of it is tried by itself, or stopped, the rest goes untried."""
        trial = self._spawn(self._try_together(action))
        for edit in action.edits:
            self.drop(edit.cell_id)
            _keep(self._running, edit.cell_id, trial)

    def try_answer(self, action: TryAnswer) -> None:
        """Try an attempt's answer."""
        _keep(self._running, action.owner, self._spawn(self._try_answer(action)))

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

    async def _tried(self, trial: Awaitable[Result]) -> Result | str:
        """What a Try says; whatever happens to it, who waits gets a result, or the problem in a sentence."""
        try:
            return await trial
        except asyncio.CancelledError:
            if asyncio.current_task() not in self._running.values():
                raise  # dropped: a newer Try took its place, nobody waits for it any more, or the engine closes
            return "The Try was cancelled."
        except Exception as error:  # a fault of ours in the check: said, and the session goes on
            return f"The Try failed by a fault in spark_jupyter ({type(error).__name__}: {error})."


def _keep(running: Running, key: str | Owner, task: asyncio.Task[None]) -> None:
    """Keep a task as long as it runs, unless another takes its place."""

    def forget(done: asyncio.Task[None]) -> None:
        if running.get(key) is done:
            del running[key]

    running[key] = task
    task.add_done_callback(forget)


def _untried(action: TryProposal, problem: str) -> TrialResult:
    return TrialResult(turn_id=action.turn_id, cell_id=action.cell_id, problem=problem, summary=problem)


def _receive_all(session: Session, results: Sequence[TrialResult]) -> None:
    for result in results:
        session.receive_trial(result)
