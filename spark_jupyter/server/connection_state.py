"""State machine of one connection of the Responses API.

Whoever holds a :class:`Connection` must

- give it every text frame (:meth:`~Connection.receive_data`), and the time now and then
  (:meth:`~Connection.receive_time`);
- afterwards start what :meth:`~Connection.jobs_to_start` names, give back what the engine makes of it
  (:meth:`~Connection.receive_pieces`, :meth:`~Connection.receive_end`, :meth:`~Connection.receive_failure`), and stop
  each job as soon as :meth:`~Connection.wants` says so;
- send what :meth:`~Connection.data_to_send` returns, each as a text frame, in order; and close when
  :attr:`~Connection.close_expected`.

The rules, as OpenAI's description of the protocol and its service have them:

- A lane is named by ``stream_id``; without one it is the default lane. Within a lane, first in, first out; lanes run
  beside each other, up to a number of responses in flight; what is more waits. Names are limited for the life of the
  connection.
- A response continues ``previous_response_id``: the latest of any lane of this connection (also with ``store:
  false``), or any that was stored, as often as one likes (a fork). ``instructions`` are not inherited. A request that
  fails evicts from its lane the parent that it named.
- A steer is queued. The response ends at the next safe boundary, here the end of a line, as ``incomplete`` for the
  reason ``steered``; or it completes before. Then a successor with the same settings follows by itself, before what
  waits in the lane. Where a function call waits for its result, the steer waits too (``pending``) and goes in front
  of the input of the request that brings the result.
- An interrupt ends a response at once, as ``incomplete`` for the reason ``interrupted``, without the item that is not whole. What comes
  after it in its lane, and on the connection, goes on. Of a response that has ended nothing can be interrupted: that is told by
  ``response.interrupt.failed``, an event of this server's own, because an ``error`` in the default lane would end another request.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from spark_jupyter.providers.base import Infill, Message
from spark_jupyter.server.admission import Beginning, Request, successor
from spark_jupyter.server.api_messages import (
    LANE_PATTERN,
    Create,
    Interrupt,
    Json,
    RequestError,
    Steer,
    decode,
    encode,
    envelope,
    error_event,
    read_input,
)
from spark_jupyter.server.engines.base import Counted, Fail, FunctionCall, PromptProgress
from spark_jupyter.server.lanes import Lane, Lanes, Limits
from spark_jupyter.server.response_store import ResponseStore
from spark_jupyter.server.response_stream import Outlet, ResponseStream
from spark_jupyter.server.steer_queue import Steering


class Job(Struct, frozen=True):
    """An answer to start: what the engine is given."""

    response_id: str
    conversation: tuple[Message, ...]
    instructions: str
    model: str
    temperature: float | None = None
    infill: Infill | None = None


def new_id(kind: str) -> str:
    """An id that can't be guessed, e.g. ``resp_5f…``."""
    return f"{kind}_{secrets.token_hex(16)}"


class Connection:
    """The state of one connection.

    ``models`` are the names that the engine answers to, ``store`` is the server's, ``now`` is in Unix seconds here and everywhere.
    """

    def __init__(
        self,
        *,
        models: Sequence[str],
        store: ResponseStore,
        now: float,
        limits: Limits | None = None,
        new_id: Callable[[str], str] = new_id,
    ) -> None:
        self.limits = limits or Limits()
        self.close_expected = False
        self._store = store
        self._opened = now
        self._lanes = Lanes(self.limits.lane_names)
        self._waiting: deque[Request] = deque()
        self._active: dict[str, ResponseStream] = {}
        self._jobs: list[Job] = []
        self._out: list[bytes] = []
        outlet = Outlet(self._out, new_id)
        self._steering = Steering(
            supported=self.limits.steering, limit=self.limits.pending_steers, new_id=new_id, out=self._out
        )
        self._beginning = Beginning(
            self._lanes,
            store,
            self._steering,
            models=models,
            context_tokens=self.limits.context_tokens,
            outlet=outlet,
        )

    # --- What the network brings

    def receive_data(self, data: str | bytes, now: float) -> None:
        """A text frame. Nothing that a client sends makes this raise: what is wrong is answered."""
        if self.close_expected:
            return
        try:
            event = decode(data)
        except RequestError as error:
            self._refuse_frame(data, error)
            return
        if isinstance(event, Interrupt):
            self._interrupt(event)
        elif isinstance(event, Steer):
            self._steer(event, data)
        else:
            self._create(event)
        self._start_waiting(now)

    def receive_time(self, now: float) -> None:
        """The time. At the end of the connection's life everything stops, with an error that says so."""
        if self.close_expected or now - self._opened < self.limits.lifetime:
            return
        minutes = f"{self.limits.lifetime / 60:g}"
        message = f"This connection has reached its limit of {minutes} minutes. Open a new one to go on."
        error = RequestError(message, code="websocket_connection_limit_reached")
        self._out.append(error_event(error, stream_id=None))
        self.close()

    def close(self) -> None:
        """The connection ends: no job is wanted any more, and queued requests and steers are lost."""
        self.close_expected = True
        self._active.clear()
        self._waiting.clear()
        self._jobs.clear()

    # --- What the engine brings

    def receive_pieces(self, response_id: str, pieces: Iterable[str | FunctionCall], now: float) -> None:
        """Some more of an answer. What comes after its end is ignored."""
        response = self._active.get(response_id)
        if response is not None:
            response.now = now
        for piece in pieces:
            if response is None or response.ended:
                break
            if isinstance(piece, FunctionCall):
                response.add_call(piece)
            elif piece:
                self._add_text(response, piece)
        self._start_waiting(now)

    def receive_progress(self, response_id: str, progress: PromptProgress) -> None:
        """Pass on the engine's progress in reading the prompt."""
        response = self._active.get(response_id)
        if response is not None:
            response.tell_progress(progress)

    def receive_count(self, response_id: str, counted: Counted, now: float) -> None:
        """Take the engine's own count of tokens; an incomplete answer ends with it."""
        response = self._active.get(response_id)
        if response is None:
            return
        response.usage = counted.usage
        if counted.incomplete:
            self._finish(response, incomplete=counted.incomplete)
        self._start_waiting(now)

    def receive_end(self, response_id: str, now: float) -> None:
        response = self._active.get(response_id)
        if response is not None:
            response.now = now
            self._finish(response)
        self._start_waiting(now)

    def receive_failure(self, response_id: str, fail: Fail, now: float) -> None:
        response = self._active.get(response_id)
        if response is None:
            return
        kind = fail.type or ("server_error" if fail.status >= 500 else "invalid_request_error")
        error = RequestError(fail.message, status=fail.status, kind=kind, code=fail.code, headers=fail.headers)
        response.fail(error, as_response=fail.as_response)
        lane = self._release(response, "failed")
        lane.evict(response.create.previous_response_id)
        self._steering.give_back(response, self._steering.commit(response.id), "The response failed.")
        self._start_waiting(now)

    # --- What is to be done

    def data_to_send(self) -> list[bytes]:
        """The frames to send now; each is handed out once."""
        frames, self._out[:] = self._out[:], []
        return frames

    def jobs_to_start(self) -> list[Job]:
        """The answers to start now; each is handed out once."""
        jobs, self._jobs = self._jobs, []
        return jobs

    def wants(self, response_id: str) -> bool:
        return response_id in self._active

    @property
    def idle(self) -> bool:
        """Nothing is in flight and nothing waits."""
        return not self._active and not self._waiting

    # --- Requests

    def _create(self, create: Create) -> None:
        try:
            self._lanes.open(create.stream_id)
            if create.background and not self.limits.background:
                raise RequestError(
                    "There is no background mode over WebSocket.", code="invalid_value", param="background"
                )
            if len(self._waiting) >= self.limits.waiting:
                raise RequestError(
                    f"{self.limits.waiting} requests wait already.",
                    status=429,
                    kind="rate_limit_error",
                    code="rate_limit_exceeded",
                )
            given = read_input(create.input)
        except RequestError as error:
            self._refuse(create, error)
        else:
            self._waiting.append(Request(create, given))

    def _start_waiting(self, now: float) -> None:
        """Start every request whose lane is free, in the order in which they came."""
        while len(self._active) < self.limits.in_flight and (request := self._next_waiting()):
            self._start(request, now)

    def _next_waiting(self) -> Request | None:
        for number, request in enumerate(self._waiting):
            if self._lanes[request.create.stream_id].active is None:
                del self._waiting[number]
                return request
        return None

    def _start(self, request: Request, now: float) -> None:
        create = request.create
        try:
            response = self._beginning.begin(request, now)
        except RequestError as error:
            if request.succession is None:
                self._refuse(create, error)
                return
            self._steering.give_back(request.succession.steered, request.succession.steers, error.message)
            return
        response.start()
        self._active[response.id] = response
        self._lanes[create.stream_id].active = response
        if create.generate is False:
            self._finish(response)
            return
        instructions = "\n\n".join(filter(None, (create.instructions, *response.past.developer)))
        self._jobs.append(
            Job(
                response.id,
                response.past.conversation,
                instructions,
                response.model,
                temperature=create.temperature,
                infill=create.infill,
            )
        )

    def _refuse_frame(self, data: str | bytes, error: RequestError) -> None:
        """Answer a frame that is no client event, in its lane as far as that can be known."""
        known = envelope(data)
        if known.type == "response.steer":
            named = known.previous_response_id
            target = self._active.get(named) if isinstance(named, str) else None
            self._steering.refuse(named, known.input, error, target)
            return
        lane = known.stream_id if isinstance(known.stream_id, str) and known.stream_id in self._lanes else None
        if lane is not None or known.stream_id is None:
            named = known.previous_response_id
            self._lanes[lane].evict(named if isinstance(named, str) else None)
        self._out.append(error_event(error, stream_id=lane))

    def _refuse(self, create: Create, error: RequestError) -> None:
        lane = self._lanes.get(create.stream_id)
        if lane is not None:
            lane.evict(create.previous_response_id)
        valid = create.stream_id is not None and LANE_PATTERN.fullmatch(create.stream_id)
        self._out.append(error_event(error, stream_id=create.stream_id if valid else None))

    # --- Answers

    def _add_text(self, response: ResponseStream, text: str) -> None:
        boundary = text.find("\n") + 1 if self._steering.queued(response.id) else 0
        response.add_text(text[:boundary] if boundary else text)
        if boundary:
            self._finish(response, incomplete="steered")
        elif response.create.max_output_tokens == response.output_tokens:
            self._finish(response, incomplete="max_output_tokens")

    def _finish(self, response: ResponseStream, *, incomplete: str | None = None) -> None:
        record = response.finish(incomplete=incomplete)
        lane = self._release(response, "incomplete" if incomplete else "completed")
        lane.latest = record
        if response.create.store is not False:
            self._store.add(record)
        if record.open_calls:
            self._steering.ask_for_results(response, record)
        elif steers := self._steering.commit(response.id):
            self._waiting.appendleft(successor(record, steers, response=response))

    def _release(self, response: ResponseStream, how: str) -> Lane:
        del self._active[response.id]
        self._steering.remember(response, how)
        lane = self._lanes[response.create.stream_id]
        lane.active = None
        return lane

    def _interrupt(self, event: Interrupt) -> None:
        response = self._active.get(event.response_id)
        if response is not None:
            response.discard_partial()
            self._finish(response, incomplete="interrupted")
            return
        error: Json = {"code": "response_not_active", "message": "There is no such response under way here."}
        self._out.append(
            encode({"type": "response.interrupt.failed", "response_id": event.response_id[:300], "error": error})
        )

    def _steer(self, event: Steer, data: str | bytes) -> None:
        target = self._active.get(event.previous_response_id)
        accepted = self._steering.receive(event, envelope(data).input, target)
        if accepted and target is not None and target.at_boundary:
            self._finish(target, incomplete="steered")
