"""Preparation of the provider while a person types a prompt.

What the next request begins with is known before it is written: instructions and earlier turns. Where the provider can read that without
answering (``generate: false`` of the Responses over WebSocket) it does so once for each state of the conversation; elsewhere the connection
is opened. A provider that charges for it is asked once, and that is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.exceptions import SparkError
from spark_jupyter.prompting.instructions import INSTRUCTIONS
from spark_jupyter.providers.base import ModelRequest, ResponseCompleted
from spark_jupyter.routing.link import Link
from spark_jupyter.routing.routing import Routing
from spark_jupyter.session.session import Session
from spark_jupyter.session.turn_meter import JobMeter, costs


class Prewarming:
    """Prepares the provider of turns. ``spend`` counts what that costs. Only used on the engine's loop."""

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
