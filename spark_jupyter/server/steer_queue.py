"""Queue of the steers of one connection, and their events.

A steer is accepted (it has an id from then on, and the server owns its input), perhaps pending, and at last committed
by a successor's ``response.created``, or failed, which gives the input back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from spark_jupyter.providers.base import Message
from spark_jupyter.server.api_messages import STEER_ERRORS, Json, RequestError, Steer, encode, read_steer
from spark_jupyter.server.response_store import Record
from spark_jupyter.server.response_stream import ResponseStream

REMEMBERED = 256
"""Number of ended responses that a connection remembers, to explain why they can't be steered."""


class QueuedSteer(Struct, frozen=True):
    """A steer that was accepted. ``input`` is what the client sent, to be given back if it comes to nothing."""

    id: str
    messages: tuple[Message, ...]
    input: Json


class _Ended(Struct, frozen=True):
    how: str
    stream_id: str | None


class Steering:
    """See the module. ``supported`` False refuses every steer; ``limit`` is how many may wait for one response."""

    def __init__(self, *, supported: bool, limit: int, new_id: Callable[[str], str], out: list[bytes]) -> None:
        self._supported = supported
        self._limit = limit
        self._new_id = new_id
        self._out = out
        self._queued: dict[str, list[QueuedSteer]] = {}  # by the response that they steer
        self._ended: dict[str, _Ended] = {}  # by response, the latest ones

    def receive(self, event: Steer, given: Json, target: ResponseStream | None) -> bool:
        """Accept or refuse a steer for ``target``, None where no such response is active. Says whether it was
        accepted."""
        try:
            if target is None:
                raise self._no_target(event.previous_response_id)
            messages = read_steer(event.input)
            if not self._supported:
                raise RequestError("This model can't be steered.", code="steering_not_supported")
            if len(self.queued(target.id)) >= self._limit:
                raise RequestError("Too many steers wait for this response.", code="too_many_pending_steers")
        except RequestError as error:
            self.refuse(event.previous_response_id, given, error, target)
            return False
        steer = QueuedSteer(self._new_id("steer"), messages, given)
        self._queued.setdefault(target.id, []).append(steer)
        target.tell("response.steer.accepted", steer={"id": steer.id, "previous_response_id": target.id})
        return True

    def refuse(self, response_id: Json, given: Json, error: RequestError, target: ResponseStream | None) -> None:
        """Refuse a steer before it has an id."""
        named = response_id if isinstance(response_id, str) else ""
        code = error.code if error.code in STEER_ERRORS else "invalid_input"
        steer: dict[str, Json] = {"previous_response_id": named, "input": given}
        fields: dict[str, Json] = {"error": _error(code, error.message), "steer": steer}
        if target is not None:
            target.tell("response.steer.failed", **fields)
            return
        event: dict[str, Json] = {"type": "response.steer.failed", "sequence_number": 0, **fields}
        ended = self._ended.get(named)
        if ended is not None and ended.stream_id is not None:
            event["stream_id"] = ended.stream_id
        self._out.append(encode(event))

    def queued(self, response_id: str) -> tuple[QueuedSteer, ...]:
        """The steers that wait for this response, in the order in which they came."""
        return tuple(self._queued.get(response_id, ()))

    def commit(self, response_id: str) -> tuple[QueuedSteer, ...]:
        """As :meth:`queued`; from now on they are the caller's."""
        return tuple(self._queued.pop(response_id, ()))

    def ask_for_results(self, response: ResponseStream, record: Record) -> None:
        """The response has ended with calls: its steers wait until their results are here."""
        required: list[Json] = [
            {"type": "function_call_output", "call_id": call.call_id, "name": call.name} for call in record.open_calls
        ]
        for steer in self.queued(response.id):
            response.tell(
                "response.steer.pending",
                steer={"id": steer.id, "previous_response_id": response.id},
                reason="waiting_for_required_input",
                required_input=required,
            )

    def give_back(self, response: ResponseStream, steers: Iterable[QueuedSteer], why: str) -> None:
        """There will be no successor for these."""
        for steer in steers:
            response.tell(
                "response.steer.failed",
                error=_error("successor_creation_failed", why),
                steer={"id": steer.id, "previous_response_id": response.id, "input": steer.input},
            )

    def remember(self, response: ResponseStream, how: str) -> None:
        """The response has ended: ``how`` is its status. What ended long ago is forgotten, with the steers that still
        wait for it."""
        self._ended[response.id] = _Ended(how, response.create.stream_id)
        if len(self._ended) > REMEMBERED:
            oldest = next(iter(self._ended))
            del self._ended[oldest]
            self._queued.pop(oldest, None)

    def _no_target(self, response_id: str) -> RequestError:
        ended = self._ended.get(response_id)
        if ended is None:
            return RequestError("No such response on this connection.", code="response_not_found")
        if ended.how == "completed":
            return RequestError("The response has completed already.", code="response_already_completed")
        return RequestError("The response is not active any more.", code="response_not_active")


def _error(code: str, message: str) -> Json:
    return {"type": "invalid_request_error", "code": code, "message": message}
