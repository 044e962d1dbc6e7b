"""Pool of WebSockets: choice, replacement and retry.

One socket is in use, and from the first turn on a warm spare waits. Dropping a turn interrupts it where the provider takes that
(interrupting.py), else it aborts its socket; the spare takes its place at once, and a new spare is opened behind the user's back. Several
requests at the same time share a socket in lanes where the provider serves them, else each has its own. Completions and offers keep to the
sockets of no turn, so that dropping the one costs the other nothing; what is dropped of them passes by, and the next one rather waits for
that than for a new socket: who only types has one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine

from spark_jupyter.connection.backoff import delays
from spark_jupyter.connection.connection_options import Options
from spark_jupyter.connection.credentials import forget_token
from spark_jupyter.connection.exchange import Exchange
from spark_jupyter.connection.interruption import Interrupts
from spark_jupyter.connection.model_catalogue import Catalogue
from spark_jupyter.connection.websocket import Lane, Socket, dial
from spark_jupyter.exceptions import (
    AuthenticationFailed,
    ConnectionLost,
    ConnectionRefused,
    ProviderError,
    SparkError,
    Stalled,
)
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import ModelEvent, ModelRequest, Priority, ResponseIncomplete, SocketProvider
from spark_jupyter.providers.profiles import Choice

_ATTEMPTS = 8
_KEPT_IDLE = 2
_WORTH_WAITING = 0.25
"""Seconds that a completion waits for a place before one more socket is opened: a small answer takes so long at 1,000 tokens a second, and
a new socket is hardly quicker."""
_SLEPT = 30.0
_TRANSIENT = (ConnectionLost, ConnectionRefused, Stalled)


Place = tuple[Socket, Lane]


class WebSocketConnection:
    """Implements :class:`~spark_jupyter.connection.base.Connection` for dialects over a WebSocket."""

    def __init__(self, choice: Choice, provider: SocketProvider, options: Options) -> None:
        self._choice = choice
        self._provider = provider
        self._options = options
        self._where = choice.where
        self._catalogue = Catalogue(choice, provider, options)
        self._interrupts = Interrupts(may_try=choice.profile.interrupt)
        self._sockets: list[Socket] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._dialing = False
        self._room = asyncio.Event()
        self._maintenance: asyncio.Task[None] | None = None
        self._closed = False
        self._clocks_apart = 0.0
        self._takes_turns = False

    # The interface

    async def open(self) -> None:
        """Connect and warm up. Returns when one socket is open; the spare follows with the first turn."""
        self._closed = False
        if not self._sockets:
            self._clocks_apart = time.time() - asyncio.get_running_loop().time()
        self._retire_old()
        if not any(socket.is_open and not socket.is_retired for socket in self._sockets):
            await self._dial()
        self._keep_up()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        request = await self._catalogue.with_model(request)
        self._takes_turns = self._takes_turns or request.priority is Priority.TURN
        exchange: Exchange | None = None
        delivered = retried = False
        try:
            while not (self._is_warm(request) if exchange is None else exchange.is_done):
                error: ProviderError | None = None
                events: list[ModelEvent] = []
                if exchange is None:
                    exchange = await self._lease(request, fresh=retried)
                    error = await _send(exchange)
                    if self._options.spare:
                        self._keep_up()  # this may be dropped
                if error is None:
                    events, error = await exchange.receive()
                if events:
                    delivered = True
                    if exchange.is_done and error is None:
                        self._complete(exchange, events)
                    yield events
                if error is None:
                    continue
                if delivered or retried or not (exchange.lacks_previous(error) or exchange.was_stale(error)):
                    raise await self._catalogue.explain(error)
                retried = True
                if exchange.lacks_previous(error):
                    error = await _send(exchange, whole=True)
                    if error is not None:
                        raise error
                else:
                    exchange.socket.is_retired = True
                    exchange.release()
                    exchange = None
        finally:
            if exchange is not None:
                exchange.release()
            self._keep_up()

    async def models(self) -> list[ModelInfo]:
        return await self._catalogue.models()

    async def close(self) -> None:
        """Close every socket politely, or at once where something still streams."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        if self._maintenance is not None:
            self._maintenance.cancel()
            self._maintenance = None
        sockets, self._sockets = self._sockets, []
        for socket in sockets:
            if not socket.is_idle:
                socket.abort()
        await asyncio.gather(*(socket.close() for socket in sockets), *self._tasks, return_exceptions=True)
        await self._catalogue.close()

    # Which socket

    async def _lease(self, request: ModelRequest, *, fresh: bool) -> Exchange:
        """A lane for the request: a free one, else one on a new socket."""
        place = None
        if not fresh:
            is_turn = request.priority is Priority.TURN
            place = self._best_place(request) if is_turn else await self._place_of_small(request)
        if place is None:
            return self._exchange(request, await self._dial(warm_up=False), None, fresh=True)
        return self._exchange(request, *place)

    def _exchange(self, request: ModelRequest, socket: Socket, lane: Lane, *, fresh: bool = False) -> Exchange:
        return Exchange(
            request, socket, lane, provider=self._provider, where=self._where, options=self._options, fresh=fresh
        )

    def _best_place(self, request: ModelRequest) -> Place | None:
        self._retire_old()
        served = self._choice.profile.lanes
        places = [(socket, lane) for socket in self._sockets for lane in socket.free_lanes(served=served)]
        if request.priority is Priority.TURN:
            return min(places, key=lambda place: _rank_of_turn(place, request), default=None)
        if self._takes_turns and len(places) == 1 and any(socket.carries_small for socket in self._sockets):
            return None  # the last place is kept for a turn
        return min(places, key=_rank_of_small, default=None)

    async def _place_of_small(self, request: ModelRequest) -> Place | None:
        """The best place, as soon as there is one; None where no socket is open."""
        patience = self._options.first_patience
        try:
            async with asyncio.timeout(patience):
                while (place := self._best_place(request)) is None and self._sockets:
                    if not await self._has_room():
                        self._keep_up(at_least=len(self._sockets) + 1)
                return place
        except TimeoutError:
            raise Stalled(f"No socket to {self._where} had room for {patience:.3g} s.", remedy="Ask again.") from None

    async def _has_room(self) -> bool:
        """Wait until a place has become free; whether one has, within :data:`_WORTH_WAITING`."""
        self._room.clear()
        try:
            async with asyncio.timeout(_WORTH_WAITING):
                await self._room.wait()
        except TimeoutError:
            return False
        return True

    def _is_warm(self, request: ModelRequest) -> bool:
        """True if a socket knows already what ``request`` would have it read."""
        open_ = [socket for socket in self._sockets if socket.is_open and not socket.is_retired]
        known = [each for socket in open_ for each in socket.continuations.values()]
        return not request.generate and any(each.covers(request) for each in known)

    def _complete(self, exchange: Exchange, events: list[ModelEvent]) -> None:
        if not isinstance(events[-1], ResponseIncomplete):
            exchange.complete()

    # What replaces it

    async def _dial(self, *, warm_up: bool = True) -> Socket:
        try:
            socket = await self._dial_once()
        except AuthenticationFailed:
            if not forget_token(self._choice):
                raise
            socket = await self._dial_once()
        self._sockets.append(socket)
        self._room.set()
        profile = self._choice.profile
        if warm_up and profile.warm_up and self._choice.model:
            self._start(self._warm_up(self._exchange(self._warming(), socket, None)))
            await asyncio.sleep(0)  # so that it is on its way before the first request
        return socket

    async def _dial_once(self) -> Socket:
        return await dial(
            self._choice,
            self._provider,
            self._options,
            interrupts=self._interrupts,
            on_end=self._forget,
            on_room=self._room.set,
        )

    def _warming(self) -> ModelRequest:
        return ModelRequest(model=self._choice.model, instructions="", input=(), generate=False)

    async def _warm_up(self, exchange: Exchange) -> None:
        """Let the server prepare. What fails here fails in the turn too, and is told there."""
        try:
            error = await _send(exchange)
            while error is None and not exchange.is_done:
                _, error = await exchange.receive()
        finally:
            exchange.release()

    def _forget(self, socket: Socket) -> None:
        if socket in self._sockets:
            self._sockets.remove(socket)
        self._room.set()
        self._keep_up()

    def _keep_up(self, *, at_least: int = 0) -> None:
        """See to it, in the background, that a socket waits for the next turn, where there are any, and that all of them are looked
        after. There are two then, or ``at_least`` so many."""
        if self._closed:
            return
        if self._maintenance is None:
            self._maintenance = asyncio.get_running_loop().create_task(self._maintain())
        wanted = max(2 if self._options.spare and self._takes_turns else 1, at_least)
        if not (self._has_enough(wanted) or self._dialing or len(self._sockets) >= self._options.most_sockets):
            self._dialing = True
            self._start(self._replenish(wanted))

    def _has_enough(self, wanted: int) -> bool:
        """True if so many sockets are open, and one of them has room for a turn, where there are any, that shares it with no other turn."""
        served = self._choice.profile.lanes
        waits = not self._takes_turns or any(
            not socket.carries_turn and socket.free_lanes(served=served) for socket in self._sockets
        )
        return waits and len(self._sockets) >= wanted

    async def _replenish(self, wanted: int) -> None:
        """Dial until enough sockets are open, ever more slowly while it fails; not at all where a retry can't help."""
        try:
            for delay, _ in zip(delays(), range(_ATTEMPTS), strict=False):
                await asyncio.sleep(delay)
                try:
                    while not self._has_enough(wanted) and len(self._sockets) < self._options.most_sockets:
                        await self._dial(warm_up=False)
                    return
                except _TRANSIENT:
                    continue
                except SparkError:
                    return  # a wrong key stays wrong; the next turn tells
        finally:
            self._dialing = False

    async def _maintain(self) -> None:
        """Ping what is quiet, give up what is dead or old, and close idle sockets that are too many."""
        while True:
            await asyncio.sleep(self._options.quiet / 4)
            self._retire_old()
            now = asyncio.get_running_loop().time()
            for socket in tuple(self._sockets):
                if socket.pinged_at > socket.heard_at and now - socket.pinged_at > self._options.quiet:
                    socket.abort()
                elif now - socket.heard_at > self._options.quiet and socket.pinged_at <= socket.heard_at:
                    await socket.ping()
            idle = [socket for socket in self._sockets if socket.is_idle]
            for socket in idle[_KEPT_IDLE:]:
                await socket.close()

    def _retire_old(self) -> None:
        """Sockets near the age at which the provider closes them, or from before this machine slept, take no new
        request, and close when they are idle."""
        age = max(self._choice.profile.lifetime - self._options.margin, self._choice.profile.lifetime / 2)
        now = asyncio.get_running_loop().time()
        # The loop's clock stands still while the machine sleeps, the wall's does not: the other side has long gone.
        slept = abs(time.time() - now - self._clocks_apart) > _SLEPT
        self._clocks_apart = time.time() - now
        for socket in tuple(self._sockets):
            socket.is_retired = socket.is_retired or slept or now - socket.opened_at > age
            if socket.is_retired and socket.is_idle:
                socket.abort()

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _rank_of_turn(place: Place, request: ModelRequest) -> tuple[bool, bool, bool]:
    """Best first: it continues; it is alone there, so that dropping it stops the provider; the default lane."""
    socket, lane = place
    known = socket.continuations.get(lane)
    continues = known is not None and known.new_input(request) is not None
    return (not continues, not socket.is_idle, lane is not None)


def _rank_of_small(place: Place) -> tuple[bool, bool, bool, bool]:
    """Best first: no turn is there, so that neither costs the other its socket; no turn will go on there, in this lane or in any;
    others of its kind are there already."""
    socket, lane = place
    return (
        socket.carries_turn,
        lane in socket.continuations,
        bool(socket.continuations),
        not socket.carries_small,
    )


async def _send(exchange: Exchange, *, whole: bool = False) -> ProviderError | None:
    try:
        await exchange.send(whole=whole)
    except ProviderError as error:
        return error
    return None
