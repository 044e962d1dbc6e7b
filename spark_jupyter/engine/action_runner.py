"""Runner of the session's actions: requests, inspections, Tries.

:meth:`ActionRunner.tell` is the one way into the session from here: it calls the session, then drains it, which begins new actions and
broadcasts new events. Requests, inspections and Tries are tasks on the engine's loop; each reports with ``tell`` when it has something.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from itertools import groupby

from msgspec import structs

from spark_jupyter.connection.base import AgentLink
from spark_jupyter.connection.frame_inbox import MOST_AT_ONCE
from spark_jupyter.connection.overnight_jobs import overnight_jobs
from spark_jupyter.engine.broadcast import FRAME_INTERVAL, EventSink
from spark_jupyter.engine.check_runners import Inspections, Tell, Tries
from spark_jupyter.engine.kernel_access import Checks
from spark_jupyter.engine.loop_thread import FAULTS, LoopThread
from spark_jupyter.exceptions import ConfigurationError, SparkError, limit_reached
from spark_jupyter.prompting.instructions import INSTRUCTIONS
from spark_jupyter.protocol.deep_messages import DeepChanged
from spark_jupyter.protocol.messages import TurnEnded
from spark_jupyter.protocol.proposal_messages import ProposalChanged
from spark_jupyter.providers.base import ImagesLeftOut, ModelEvent, ModelRequest, ResponseCompleted, TextDelta
from spark_jupyter.recordings.recorder import Recorder
from spark_jupyter.records.records import Records
from spark_jupyter.routing.link import Link
from spark_jupyter.routing.routing import Routing
from spark_jupyter.session.actions import (
    Action,
    AnswerPermission,
    DropRequest,
    InspectCell,
    ProveEdits,
    SendRequest,
    TryProposal,
    WakeDeep,
)
from spark_jupyter.session.answer_trials import EndTry, TryAnswer, TryBoth
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.rehearsal_feed import AwaitRehearsal, RehearsalAction, Rehearsed
from spark_jupyter.session.session import Session
from spark_jupyter.session.turn_meter import JobMeter, costs

PATIENCE_OF_TURN = 1.5
"""Seconds that a turn whose answer is whole waits for the last of it to be rehearsed: with what follows it ends within two."""
FULL = MOST_AT_ONCE * 15 // 16
"""Events of a batch behind which more wait: nearly as many as are taken at once."""
HEARS = 0.002
"""Seconds in which a request that was ended leaves its connection."""
TICK = 1.0
"""Seconds between two ticks while a turn waits for the first of its answer, so that the wait can be shown."""
PIECE = 1024
"""Characters that are judged at once."""
PIECE_LINES = 64
"""Lines of them: some 10 ms where each line is a statement."""


class ActionRunner:
    """Runs the actions of one session. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        routing: Routing,
        checks: Checks,
        thread: LoopThread,
        broadcast: EventSink,
        records: Records,
    ) -> None:
        self.requests = Requests(session, routing, thread, records.recorder, tell=self.tell)
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

    async def stop(self, turn_id: str | None) -> None:
        """End the requests of a turn that is cancelled, or of all, and let the provider hear of it: judging what stands takes longer."""
        self._session.jobs.drop_turn(turn_id)
        self.drain()
        await asyncio.sleep(HEARS)

    def drain(self) -> None:
        """Begin the session's new actions, and send its new events."""
        for action in self._session.actions_to_take():
            self._run(action)
        self._tick_while(self._session.awaits)
        events = self._session.events_to_send()
        self._broadcast.send(events)
        if any(isinstance(event, TurnEnded | ProposalChanged) for event in events):
            self._broadcast.flush_now()  # the end of a turn, and the first text of a cell, are awaited
        if any(isinstance(event, TurnEnded) for event in events):
            self._thread.switch_interval.hold(self, on=bool(self._session.streaming))
        for event in events:
            if isinstance(event, DeepChanged) and event.work.over and event.work.within:
                overnight_jobs().end(event.work.id)
        self._broadcast.send(self._records.receive(events))

    def _spend(self, meter: JobMeter) -> None:
        if self._records.spending is not None:
            self._broadcast.send(self._records.spending.add_request(meter, "prewarm"))

    def close(self) -> None:
        """Drop what is tried and stop the clock. The requests end with the thread."""
        self.tries.drop_all()
        self._tick_while(False)

    def _run(self, action: Action) -> None:
        match action:
            case DropRequest(job_id=job_id):
                self.requests.drop(job_id)
            case AnswerPermission(job_id=job_id, request_id=request_id, allowed=allowed):
                self.requests.answer(job_id, request_id, allowed=allowed)
            case SendRequest(owner=owner):
                if not isinstance(owner, DeepOwner):  # nobody waits for deep work, and the user's cell may run
                    self._thread.switch_interval.hold(self, on=True)
                self.requests.send(action)
            case WakeDeep(work_id=work_id, seconds=seconds):
                wake = functools.partial(self.tell, lambda session, at: session.deep.wake(work_id, at=at))
                self._thread.loop.call_later(seconds, wake)
            case TryProposal():
                self.tries.try_proposal(action)
            case ProveEdits():
                self.tries.try_together(action)
            case TryAnswer() | TryBoth():
                self.tries.try_answers(action)
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

    def __init__(
        self, session: Session, routing: Routing, thread: LoopThread, recorder: Recorder, *, tell: Tell
    ) -> None:
        self._session = session
        self._routing = routing
        self._recorder = recorder
        self._thread = thread
        self._tell = tell
        self._running: dict[int, asyncio.Task[None]] = {}
        self._agents: dict[int, AgentLink] = {}

    def send(self, action: SendRequest) -> None:
        task = self._running[action.job_id] = self._thread.spawn(self._stream(action))
        task.add_done_callback(lambda done: self._forget(action.job_id, done))

    def answer(self, job_id: int, request_id: str, *, allowed: bool) -> None:
        """Give the agent that answers a job a person's answer."""
        connection = self._agents.get(job_id)
        if connection is not None:
            connection.answer_permission(request_id, allowed)

    def drop(self, job_id: int) -> None:
        """Drop a job's request; nothing more is told of it."""
        request = self._running.pop(job_id, None)
        if request is not None:
            request.cancel()

    def _forget(self, job_id: int, done: asyncio.Task[None]) -> None:
        """A request is over; a job's next one may be under way already."""
        if self._running.get(job_id) is done:
            del self._running[job_id]
            self._agents.pop(job_id, None)

    async def _stream(self, action: SendRequest) -> None:
        try:
            if action.after:
                await asyncio.sleep(action.after)
            link = await self._routing.link_of(action.owner, self._session.turns, fallback=action.fallback)
            deep = isinstance(action.owner, DeepOwner) and not action.owner.fast
            request = structs.replace(action.request, background=deep)
            if deep and not request.effort:
                request = structs.replace(request, effort=link.deep_effort or None)
            if not request.model:  # the prompt was quicker than the choice of a provider
                request = structs.replace(request, model=(deep and link.deep_model) or link.model)
            self._routing.policy.refuse_link(request.model, offline=link.offline, agent=link.is_agent)
            if request.overnight is not None and request.overnight.window not in link.windows:
                raise ConfigurationError(
                    f"{link.provider} has no lower price for answers within {request.overnight.window}.",
                    remedy="Leave out --within, or name another provider: %spark provider --deep openai",
                )
            request, left_out = await self._routing.images.fit(link, request)
            if left_out:
                self._report(action, ImagesLeftOut(left_out))
            if isinstance(link.connection, AgentLink):
                self._agents[action.job_id] = link.connection
            stream = self._recorder.recorded(link.connection.stream(request), request)
            try:
                async with aclosing(stream) as batches:
                    async for batch in batches:
                        await self._receive(action, batch)
                        await asyncio.sleep(pause_after(batch))
            except SparkError as error:
                self._routing.images.learn(link, request, error)
                raise
        except SparkError as error:
            self._fail(action, error)
        except FAULTS as error:  # a fault of our own: the turn must end all the same
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


def pause_after(batch: Sequence[ModelEvent]) -> float:
    """Seconds in which the next events may gather, since clients get one frame in each interval. Zero where more events wait already:
    a second batch in one interval leaves with the next frame, and so would all after it."""
    return FRAME_INTERVAL if len(batch) < FULL and any(isinstance(event, TextDelta) for event in batch) else 0.0


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


class Prewarming:
    """Prepares the provider of turns while a person types. ``spend`` counts what that costs. Only used on the engine's loop.

    What the next request begins with is known before it is written: instructions and earlier turns. Where the provider can read that
    without answering (``generate: false`` of the Responses over WebSocket) it does so once for each state of the conversation; elsewhere
    the connection is opened. A provider that charges for it is asked once, and that is counted."""

    def __init__(
        self, session: Session, routing: Routing, thread: LoopThread, *, spend: Callable[[JobMeter], None]
    ) -> None:
        self._session = session
        self._routing = routing
        self._thread = thread
        self._spend = spend
        self._last: tuple[Link, ModelRequest] | None = None
        self._charging: set[str] = set()

    def begin(self) -> None:
        """A person has begun to type. Returns at once."""
        self._routing.turns.begin()
        link = self._routing.turns.link
        if link is None or self._session.streaming:
            return
        request = _beginning(self._session)
        if self._last is None or self._last[0] is not link or self._last[1] != request:
            self._last = (link, request)
            self._thread.spawn(self._warm(link, request))

    async def _warm(self, link: Link, request: ModelRequest) -> None:
        try:
            if not link.prewarms or link.address in self._charging:
                await link.connection.open()
                return
            self._routing.policy.refuse_link(request.model or link.model, offline=link.offline, agent=link.is_agent)
            request, _ = await self._routing.images.fit(link, request)
            async with aclosing(link.connection.stream(request)) as batches:
                async for batch in batches:
                    for event in batch:
                        if isinstance(event, ResponseCompleted) and event.usage is not None:
                            self._count(link, JobMeter(request, link.price(request.model)), event)
        except SparkError:
            self._last = None  # the turn meets the same, and says so

    def _count(self, link: Link, meter: JobMeter, ended: ResponseCompleted) -> None:
        meter.usage = ended.usage
        if meter.input and costs(meter.info):
            self._charging.add(link.address)
            self._spend(meter)


def _beginning(session: Session) -> ModelRequest:
    """What the next request of a turn begins with; nothing is to be generated."""
    request = ModelRequest(
        model=session.model,
        instructions=INSTRUCTIONS,
        input=session.dialogue.history(),
        max_output_tokens=session.dialogue.most_output,
        generate=False,
    )
    return session.jobs.as_of_turn(request)
