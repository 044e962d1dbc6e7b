"""One request on one lane of a socket.

It holds what is sent, what has come back, and how it ends.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from spark_jupyter.connection.answer_drain import is_small
from spark_jupyter.connection.idle_timeout import Patience
from spark_jupyter.connection.interruption import Interruption
from spark_jupyter.connection.network_errors import after_silence
from spark_jupyter.exceptions import ConnectionLost, ProviderError
from spark_jupyter.providers.base import ModelEvent, ModelRequest, Priority, SocketProvider
from spark_jupyter.providers.continuation import Continuation
from spark_jupyter.providers.refusals import PREVIOUS_RESPONSE_NOT_FOUND, RefusedWith

if TYPE_CHECKING:
    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.connection.websocket import Lane, Socket


class Exchange:
    """Made when the lane is taken; ends with :meth:`release`, whatever happened. ``fresh`` says that the socket was
    opened for it."""

    def __init__(
        self,
        request: ModelRequest,
        socket: Socket,
        lane: Lane,
        *,
        provider: SocketProvider,
        where: str,
        options: Options,
        fresh: bool = False,
    ) -> None:
        self._request = request
        self._provider = provider
        self._where = where
        self._options = options
        self._inbox = socket.occupy(lane, request.priority)
        self.socket = socket
        self.lane = lane
        self.fresh = fresh
        self._decoder = provider.decoder(request, where=where)
        self._continued = False
        self._patience = Patience(options)
        self._time = asyncio.get_running_loop().time
        self._heard = self._time()

    async def send(self, *, whole: bool = False) -> None:
        """Send the request: only what is new where the lane's latest response can be continued, unless ``whole``."""
        known = None if whole else self.socket.continuations.get(self.lane)
        new_input = known.new_input(self._request) if known else None
        self._continued = new_input is not None
        self._decoder = self._provider.decoder(self._request, where=self._where)
        # Until the answer is whole there is nothing to continue: the server may have evicted the parent.
        self.socket.continuations.pop(self.lane, None)
        await self.socket.send(
            self._provider.encode(
                self._request,
                previous_response_id=known.response_id if known and self._continued else None,
                new_input=new_input,
                lane=self.lane,
            )
        )

    async def receive(self) -> tuple[list[ModelEvent], ProviderError | None]:
        """Events since the last call, and the error that follows them, if there is one."""
        try:
            frames = await self._inbox.take(self._patience.left())
        except ProviderError as error:
            seconds = self._time() - self._heard
            return [], after_silence(error, self._where, seconds=seconds, longest=self._options.long_silence)
        self._heard = self._time()
        events: list[ModelEvent] = []
        receive_data = self._decoder.receive_data
        try:
            for frame in frames:
                events += receive_data(frame)
                if self._decoder.ended:
                    break
        except ProviderError as error:
            return events, error
        self._patience.receive(events)
        return events, None

    @property
    def is_done(self) -> bool:
        """True if the answer has ended, well or with the provider's own error."""
        return self._decoder.ended

    def lacks_previous(self, error: ProviderError) -> bool:
        """True if the provider has forgotten what the request continues, so that it wants all of it on the same
        socket."""
        return self._continued and isinstance(error, RefusedWith) and error.refusal.code == PREVIOUS_RESPONSE_NOT_FOUND

    def was_stale(self, error: ProviderError) -> bool:
        """True if a warm socket had died, or reached its age, before this request: a fresh one will do."""
        return isinstance(error, ConnectionLost) and not self.fresh

    def complete(self) -> None:
        """The answer is whole: the lane's next request may continue it, where it was a turn's. Nothing goes on from a completion."""
        if self._decoder.response_id and self._request.priority is Priority.TURN:
            answer = self._decoder.text if self._request.generate else None
            continuation = Continuation.after(self._request, self._decoder.response_id, answer)
            self.socket.continuations[self.lane] = continuation

    def release(self) -> None:
        """Leave the lane. A request that has not ended is dropped: the rest of a small answer passes by; for any other one the socket
        is given up if nothing else streams there."""
        if self.is_done:
            self.socket.vacate(self.lane)
        else:
            self.socket.drop(self.lane, drain=is_small(self._request, self._options), interruption=self._interruption())

    def _interruption(self) -> Interruption | None:
        """Interruption that ends the answer and keeps the lane; None before the provider has named the answer."""
        named = self._decoder.response_id
        if not named:
            return None
        return Interruption(self._provider.interrupt(named), Continuation.after(self._request, named, None))
