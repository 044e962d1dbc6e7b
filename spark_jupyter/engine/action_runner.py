"""Runner of the session's actions: requests, inspections, Tries.

:meth:`ActionRunner.tell` is the one way into the session from here: it calls the session, then drains it, which begins new actions and
broadcasts new events. Requests, inspections and Tries are tasks on the engine's loop; each reports with ``tell`` when it has something.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import aclosing
from itertools import groupby
from typing import TypeVar

from msgspec import structs

from spark_jupyter.connection.overnight_jobs import overnight_jobs
from spark_jupyter.engine.broadcast import FRAME_INTERVAL, Broadcast
from spark_jupyter.engine.kernel_access import Checks
from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.engine.prewarming import Prewarming
from spark_jupyter.exceptions import ConfigurationError, SparkError, limit_reached
from spark_jupyter.protocol.agent_messages import AskRun
from spark_jupyter.protocol.deep_messages import DeepChanged
from spark_jupyter.protocol.messages import Command, Problem, Run, TurnEnded
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.providers.base import ImagesLeftOut, ModelEvent, TextDelta
from spark_jupyter.records.records import Records
from spark_jupyter.routing.routing import Routing
from spark_jupyter.session.actions import (
    Action,
    DropRequest,
    InspectCell,
    ProveEdits,
    SendRequest,
    TryProposal,
    WakeDeep,
)
from spark_jupyter.session.answer_trials import AnswerTrial, EndTry, TryAnswer
from spark_jupyter.session.job_owners import DeepOwner, Owner
from spark_jupyter.session.rehearsal_feed import AwaitRehearsal, RehearsalAction, Rehearsed
from spark_jupyter.session.session import Session
from spark_jupyter.session.turn_meter import JobMeter

PATIENCE_OF_TURN = 1.5
"""Seconds that a turn whose answer is whole waits for the last of it to be rehearsed: with what follows it ends within two."""
FEW = 32
"""Pieces of an answer after which the next ones may gather. Where more came at once, they come faster than they are worked on."""
PATIENCE_OF_RUN = 5.0
"""Seconds for which Run waits for the slower checks of a cell."""
TICK = 1.0
"""Seconds between two ticks while a turn waits for the first of its answer, so that the wait can be shown."""
PIECE = 1024
"""Characters that are judged at once."""
PIECE_LINES = 64
"""Lines of them: some 10 ms where each line is a statement."""

Result = TypeVar("Result")
Tell = Callable[[Callable[[Session, float], None]], None]
"""Calls a function with the session and the time (Unix seconds), and does what follows."""
Running = dict[str | Owner, "asyncio.Task[None]"]


class ActionRunner:
    """Runs the actions of one session. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        routing: Routing,
        checks: Checks,
        thread: LoopThread,
        broadcast: Broadcast,
        records: Records,
    ) -> None:
        self.requests = Requests(routing, thread, tell=self.tell)
        self.inspections = Inspections(checks, thread, broadcast, tell=self.tell)
        self.tries = Tries(checks, thread, tell=self.tell)
        self.prewarming = Prewarming(session, routing, thread, spend=self._spend)
        self._session = session
        self._checks = checks
        self._thread = thread
        self._broadcast = broadcast
        self._records = records
        self._tick: asyncio.TimerHandle | None = None

    def tell(self, say: Callable[[Session, float], None]) -> None:
        """Tell the session something, and do what follows."""
        say(self._session, self._thread.clock())
        self.drain()

    def drain(self) -> None:
        """Begin the session's new actions, and send its new events."""
        for action in self._session.actions_to_take():
            self._run(action)
        self._tick_while(self._session.awaits)
        events = self._session.events_to_send()
        self._broadcast.send(events)
        if any(isinstance(event, TurnEnded) for event in events):
            self._broadcast.flush_now()
            self._thread.switch_interval.hold("turn", on=bool(self._session.streaming))
        for event in events:
            if isinstance(event, DeepChanged) and event.work.over and event.work.within:
                overnight_jobs().end(event.work.id)
        self._broadcast.send(self._records.receive(events))

    def _spend(self, meter: JobMeter) -> None:
        """Count a request that belongs to no turn."""
        if self._records.spending is not None:
            self._broadcast.send(self._records.spending.add_request(meter, "prewarm"))

    def close(self) -> None:
        """Drop what is tried and stop the clock. The requests end with the thread."""
        self.tries.drop_all()
        self._tick_while(False)

    def _run(self, action: Action) -> None:
        """Do one action, or begin what takes its time."""
        match action:
            case DropRequest(job_id=job_id):
                self.requests.drop(job_id)
            case SendRequest(owner=owner):
                if not isinstance(owner, DeepOwner):  # nobody waits for deep work, and the user's cell may run
                    self._thread.switch_interval.hold("turn", on=True)
                self.requests.send(action)
            case WakeDeep(work_id=work_id, seconds=seconds):
                wake = functools.partial(self.tell, lambda session, at: session.deep.wake(work_id, at=at))
                self._thread.loop.call_later(seconds, wake)
            case TryProposal():
                self.tries.try_proposal(action)
            case ProveEdits():
                self.tries.try_together(action)
            case TryAnswer():
                self.tries.try_answer(action)
            case EndTry(owner=owner):
                self.tries.drop(owner)
            case InspectCell(cell_id=cell_id, source=source) if self._checks.inspect is None:
                self._session.receive_inspected(cell_id, source)
            case InspectCell():
                self.inspections.begin(action)
            case _:
                self._rehearse(action)

    def _rehearse(self, action: RehearsalAction) -> None:
        assert self._checks.rehearse is not None  # or the session would not ask
        if isinstance(action, AwaitRehearsal):
            late = Rehearsed(rehearsal_id=action.rehearsal_id, late=True)
            self._thread.loop.call_later(PATIENCE_OF_TURN, self._rehearsed, late)
        self._checks.rehearse(action, lambda done: self._thread.call(lambda: self._rehearsed(done)))

    def _rehearsed(self, rehearsed: Rehearsed) -> None:
        self.tell(lambda session, at: session.receive_rehearsal(rehearsed, at=at))

    def _tick_while(self, on: bool) -> None:
        if on and self._tick is None:
            self._tick = self._thread.loop.call_later(TICK, self._pass_second)
        elif not on and self._tick is not None:
            self._tick.cancel()
            self._tick = None

    def _pass_second(self) -> None:
        self._tick = None
        self.tell(lambda session, at: session.receive_time(at=at))


class Requests:
    """The requests under way. A provider's answer goes to the session in pieces, and all else that waits comes between them."""

    def __init__(self, routing: Routing, thread: LoopThread, *, tell: Tell) -> None:
        self._routing = routing
        self._thread = thread
        self._tell = tell
        self._running: dict[int, asyncio.Task[None]] = {}

    def send(self, action: SendRequest) -> None:
        """Send a job's request."""
        task = self._running[action.job_id] = self._thread.spawn(self._stream(action))
        task.add_done_callback(lambda done: self._forget(action.job_id, done))

    def drop(self, job_id: int) -> None:
        """Drop a job's request; nothing more is told of it."""
        request = self._running.pop(job_id, None)
        if request is not None:
            request.cancel()

    def _forget(self, job_id: int, done: asyncio.Task[None]) -> None:
        """A request is over; a job's next one may be under way already."""
        if self._running.get(job_id) is done:
            del self._running[job_id]

    async def _stream(self, action: SendRequest) -> None:
        try:
            if action.after:
                await asyncio.sleep(action.after)
            link = await self._routing.link_of(action.owner, fallback=action.fallback)
            deep = isinstance(action.owner, DeepOwner) and not action.owner.fast
            request = structs.replace(action.request, background=deep)
            if deep and not request.effort:
                request = structs.replace(request, effort=link.deep_effort or None)
            if not request.model:  # the prompt was quicker than the choice of a provider
                request = structs.replace(request, model=(deep and link.deep_model) or link.model)
            if request.overnight is not None and request.overnight.window not in link.windows:
                raise ConfigurationError(
                    f"{link.provider} has no lower price for answers within {request.overnight.window}.",
                    remedy="Leave out --within, or name another provider: %spark provider --deep openai",
                )
            request, left_out = await self._routing.images.fit(link, request)
            if left_out:
                self._report(action, ImagesLeftOut(left_out))
            async with aclosing(link.connection.stream(request)) as batches:
                async for batch in batches:
                    await self._receive(action, batch)
                    # No client is told more often: what comes meanwhile is worked on together.
                    await asyncio.sleep(FRAME_INTERVAL if len(batch) < FEW else 0)
        except SparkError as error:
            self._fail(action, error)
        except Exception as error:  # a fault of our own: the turn must end all the same
            self._thread.report("A turn failed by a fault in spark_jupyter", error)
            problem = f"spark_jupyter itself failed ({type(error).__name__})."
            fault = SparkError(problem, remedy="What arrived is kept. Please report it.")
            self._fail(action, limit_reached(error) or fault)

    async def _receive(self, action: SendRequest, batch: Sequence[ModelEvent]) -> None:
        for number, event in enumerate(pieces(batch)):
            if number:
                await asyncio.sleep(0)  # a Cancel, and all else that waits, comes between
            self._report(action, event)

    def _report(self, action: SendRequest, event: ModelEvent) -> None:
        self._tell(lambda session, at: session.receive_model_event(action.job_id, action.attempt, event, at=at))

    def _fail(self, action: SendRequest, error: SparkError) -> None:
        self._tell(lambda session, at: session.receive_failure(action.job_id, action.attempt, error, at=at))


def pieces(batch: Sequence[ModelEvent]) -> Iterator[ModelEvent]:
    """The same events with neighbouring text joined, since what came together is worked on together; but in pieces that are judged in
    a moment, however much came."""
    for is_text, events in groupby(batch, key=lambda event: isinstance(event, TextDelta)):
        if not is_text:
            yield from events
            continue
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        yield from map(TextDelta, _stretches(text))


def _stretches(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end, at = start + PIECE, start
        for _ in range(PIECE_LINES):
            at = text.find("\n", at, end) + 1
            if not at:
                break
        yield text[start : at or end]
        start = at or end


class Inspections:
    """Has the slower checks look at whole cells."""

    def __init__(self, checks: Checks, thread: LoopThread, broadcast: Broadcast, *, tell: Tell) -> None:
        self._check = checks.inspect
        self._thread = thread
        self._broadcast = broadcast
        self._tell = tell
        self._running: Running = {}
        self._awaited: set[str] = set()

    def begin(self, action: InspectCell) -> None:
        """Have the checks look at a cell."""
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
        except Exception as error:  # the answer is there: a failed check is reported, and changes nothing else
            message = f"The second opinion on {action.cell_id} failed ({type(error).__name__}: {error})."
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
        """Try a proposal."""
        self.drop(action.cell_id)
        _keep(self._running, action.cell_id, self._thread.spawn(self._try_proposal(action)))

    def try_together(self, action: ProveEdits) -> None:
        """Try the edits of a turn as one. Where a cell of it is tried by itself, or stopped, the rest goes untried."""
        trial = self._thread.spawn(self._try_together(action))
        for edit in action.edits:
            self.drop(edit.cell_id)
            _keep(self._running, edit.cell_id, trial)

    def try_answer(self, action: TryAnswer) -> None:
        """Try an attempt's answer."""
        _keep(self._running, action.owner, self._thread.spawn(self._try_answer(action)))

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
        """The result of a Try, or the problem in a sentence: whatever happens, who waits is told."""
        try:
            return await trial
        except asyncio.CancelledError:
            if asyncio.current_task() not in self._running.values():
                raise  # dropped: a newer Try took its place, nobody waits for it any more, or the engine closes
            return "The Try was cancelled."
        except Exception as error:  # a fault of our own in the check: reported, and the session goes on
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


def _receive_all(session: Session, results: Sequence[TrialResult]) -> None:
    for result in results:
        session.receive_trial(result)
