"""What the session asks of its owner, done: requests sent and dropped, cells tried, rehearsed, inspected.

Only used on the engine's loop. What comes of an action is told to the session whenever it comes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from spark_jupyter.engine.checks import Checks, Inspections, Tell, Tries
from spark_jupyter.engine.loop import LoopThread
from spark_jupyter.engine.requests import Requests
from spark_jupyter.protocol.messages import Event
from spark_jupyter.session.actions import (
    Action,
    DropRequest,
    InspectCell,
    ProveEdits,
    SendRequest,
    TryProposal,
    WakeDeep,
)
from spark_jupyter.session.answer_trials import EndTry, TryAnswer
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.rehearsal_feed import AwaitRehearsal, RehearsalAction, Rehearsed
from spark_jupyter.session.session import Session

PATIENCE_OF_TURN = 2.0
"""Seconds that a turn whose answer is whole waits for the last of it to be rehearsed."""


class Acting:
    """Does the session's actions. ``tell`` calls a function with the session and the time, and does what follows; ``awaited`` is called
    when a request is sent for which a person waits; ``send`` sends events past the session."""

    def __init__(
        self,
        session: Session,
        requests: Requests,
        checks: Checks,
        *,
        thread: LoopThread,
        tell: Tell,
        send: Callable[[Sequence[Event]], None],
        awaited: Callable[[], None],
    ) -> None:
        self.tries = Tries(checks, spawn=thread.spawn, tell=tell)
        self.inspections = Inspections(checks, spawn=thread.spawn, tell=tell, send=send)
        self._session = session
        self._requests = requests
        self._checks = checks
        self._thread = thread
        self._tell = tell
        self._awaited = awaited

    def act(self, action: Action) -> None:
        """Do one action, or begin what takes its time."""
        match action:
            case DropRequest(job_id=job_id):
                self._requests.drop(job_id)
            case SendRequest(owner=owner):
                if not isinstance(owner, DeepOwner):  # nobody waits for it, and the user's cell may run
                    self._awaited()
                self._requests.send(action)
            case WakeDeep(work_id=work_id, seconds=seconds):
                wake = functools.partial(self._tell, lambda session, at: session.deep.wake(work_id, at=at))
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
        self._tell(lambda session, at: session.receive_rehearsal(rehearsed, at=at))
