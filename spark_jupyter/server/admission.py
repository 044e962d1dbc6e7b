"""Admission of requests: model, previous response, size."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from spark_jupyter.providers.base import Usage
from spark_jupyter.server.api_messages import Create, Input, RequestError
from spark_jupyter.server.engines.base import count_tokens
from spark_jupyter.server.lanes import Lanes
from spark_jupyter.server.response_store import Past, Record, ResponseStore
from spark_jupyter.server.response_stream import Outlet, ResponseStream
from spark_jupyter.server.steer_queue import QueuedSteer, Steering


class Succession(Struct, frozen=True):
    """Link of a request to the response that it continues: that response, its unfinished text, and the steers to commit."""

    steered: ResponseStream
    record: Record
    steers: tuple[QueuedSteer, ...]


class Request(Struct, frozen=True):
    """A request that waits for its lane."""

    create: Create
    given: Input
    succession: Succession | None = None


def successor(record: Record, steers: tuple[QueuedSteer, ...], *, response: ResponseStream) -> Request:
    """The request that follows a steered response by itself: the same settings, the steers as input."""
    create = structs.replace(record.create, input=None, previous_response_id=record.id)
    return Request(create, Input(), Succession(response, record, steers))


class Beginning:
    """Admission of the requests of one connection. ``models`` are the names that the engine answers to."""

    def __init__(
        self,
        lanes: Lanes,
        store: ResponseStore,
        steering: Steering,
        *,
        models: Sequence[str],
        context_tokens: int,
        outlet: Outlet,
    ) -> None:
        self._lanes = lanes
        self._store = store
        self._steering = steering
        self._models = models
        self._context_tokens = context_tokens
        self._outlet = outlet

    def begin(self, request: Request, now: float) -> ResponseStream:
        """The response to it. Raises :class:`~.api_messages.RequestError` where it is refused."""
        create, given = request.create, request.given
        model = self._model(create)
        parent = request.succession.record if request.succession else self._parent(create)
        if parent is None and not given.messages and create.generate is not False:
            raise RequestError("There is no input.", code="missing_required_parameter", param="input")
        steers = request.succession.steers if request.succession else ()
        if not request.succession:
            _check_calls(parent, given)
        if parent is not None and not request.succession:
            steers = self._steering.queued(parent.id)
        steered = tuple(message for steer in steers for message in steer.messages)
        past = (parent.past if parent else Past()).extended(steered + given.messages, given.instructions)
        size = past.tokens + count_tokens(filter(None, [create.instructions]))
        if size > self._context_tokens:
            raise RequestError(
                f"The input has about {size} tokens; the context window is {self._context_tokens}.",
                code="context_length_exceeded",
                param="input",
            )
        if parent is not None:
            self._steering.commit(parent.id)
        return ResponseStream(
            create,
            past,
            model=model,
            estimate=Usage(input_tokens=size, cached_tokens=parent.past.tokens if parent else 0),
            now=now,
            outlet=self._outlet,
        )

    def _model(self, create: Create) -> str:
        model = create.model
        if model is None:
            raise RequestError("There is no model.", code="missing_required_parameter", param="model")
        if model not in self._models and "*" not in self._models:
            offer = ", ".join(self._models)
            raise RequestError(
                f"The model {model[:100]!r} does not exist here. There is: {offer}.",
                code="model_not_found",
                param="model",
            )
        return model

    def _parent(self, create: Create) -> Record | None:
        wanted = create.previous_response_id
        if wanted is None:
            return None
        latest = (record for record in self._lanes.latest() if record.id == wanted)
        found = next(latest, None) or self._store.get(wanted)
        if found is None:
            raise RequestError(
                f"The previous response {wanted[:100]!r} is not known here; send the whole input.",
                code="previous_response_not_found",
                param="previous_response_id",
            )
        return found


def _check_calls(parent: Record | None, given: Input) -> None:
    """Each call that waits has its output, and each output its call."""
    waiting = [call.call_id for call in parent.open_calls] if parent is not None else []
    for call_id in waiting:
        if call_id not in given.answered:
            raise RequestError(f"No tool output found for function call {call_id}.", param="input")
    for call_id in sorted(given.answered - given.calls - set(waiting)):
        raise RequestError(f"No function call {call_id[:100]!r} waits for this output.", param="input")
