"""The connection over WebSockets: which socket a request takes, what replaces a socket that is gone, and what is
tried again.

One socket is in use and a warm spare waits. Dropping a request aborts its socket; the spare takes its place at
once, and a new spare is opened behind the user's back. Several requests at the same time share a socket in lanes
where the provider serves them, else each has its own.
"""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING

from spark_jupyter.connection.backoff import delays
from spark_jupyter.connection.catalogue import Catalogue
from spark_jupyter.connection.exchange import Exchange
from spark_jupyter.connection.options import Options
from spark_jupyter.connection.websocket import Lane, Link, dial
from spark_jupyter.exceptions import ConnectionLost, ConnectionRefused, ProviderError, SparkError, Stalled
from spark_jupyter.providers.base import ModelEvent, ModelRequest, ResponseIncomplete
from spark_jupyter.providers.profiles import Choice, host_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine

    from spark_jupyter.wire.messages import ModelInfo

_ATTEMPTS = 8
_KEPT_IDLE = 2
_SLEPT = 30.0
_TRANSIENT = (ConnectionLost, ConnectionRefused, Stalled)


class WebSocketConnection:
    """Implements :class:`~spark_jupyter.connection.base.Connection` for the dialect ``responses-websocket``."""

    def __init__(self, choice: Choice, *, options: Options | None = None) -> None:
        self._choice = choice
        self._options = options or Options()
        self._where = host_of(choice.base_url)
        self._catalogue = Catalogue(choice, self._options)
        self._links: list[Link] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._dialing = False
        self._maintenance: asyncio.Task[None] | None = None
        self._closed = False
        self._clocks_apart = 0.0

    # The interface

    async def open(self) -> None:
        """Connect and warm up. Returns when one socket is open; the spare follows behind."""
        self._closed = False
        if not self._links:
            self._clocks_apart = time.time() - asyncio.get_running_loop().time()
        self._retire_old()
        if not any(link.is_open and not link.is_retired for link in self._links):
            await self._dial()
        self._keep_up()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        """See :class:`~spark_jupyter.connection.base.Connection`."""
        request = await self._catalogue.with_model(request)
        exchange: Exchange | None = None
        delivered = retried = False
        try:
            while exchange is None or not exchange.is_done:
                error: ProviderError | None = None
                events: list[ModelEvent] = []
                if exchange is None:
                    exchange = await self._lease(request, fresh=retried)
                    error = await _send(exchange)
                if error is None:
                    events, error = await exchange.receive(self._options)
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
                    exchange.link.is_retired = True
                    exchange.release()
                    exchange = None
        finally:
            if exchange is not None:
                exchange.release()
            self._keep_up()

    async def models(self) -> list[ModelInfo]:
        """What ``GET /v1/models`` lists."""
        return await self._catalogue.models()

    async def close(self) -> None:
        """Close every socket politely, or at once where something still streams."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        if self._maintenance is not None:
            self._maintenance.cancel()
            self._maintenance = None
        links, self._links = self._links, []
        for link in links:
            if not link.is_idle:
                link.abort()
        await asyncio.gather(*(link.close() for link in links), *self._tasks, return_exceptions=True)
        await self._catalogue.close()

    # Which socket

    async def _lease(self, request: ModelRequest, *, fresh: bool) -> Exchange:
        """A lane for the request: one that can continue, else an idle socket, else a free lane, else a new socket."""
        places = [] if fresh else self._free_places()
        if places:
            link, lane = min(places, key=lambda place: self._rank(place, request))
            return Exchange(request, link, lane, where=self._where)
        link = await self._dial(warm_up=False)
        return Exchange(request, link, None, where=self._where, fresh=True)

    def _free_places(self) -> list[tuple[Link, Lane]]:
        self._retire_old()
        served = self._choice.profile.lanes
        return [(link, lane) for link in self._links for lane in link.free_lanes(served=served)]

    @staticmethod
    def _rank(place: tuple[Link, Lane], request: ModelRequest) -> tuple[bool, bool, bool]:
        """Best first: it continues; it is alone there, so that dropping it stops the provider; the default lane."""
        link, lane = place
        known = link.continuations.get(lane)
        continues = known is not None and known.new_input(request) is not None
        return (not continues, not link.is_idle, lane is not None)

    def _complete(self, exchange: Exchange, events: list[ModelEvent]) -> None:
        if not isinstance(events[-1], ResponseIncomplete):
            exchange.complete()

    # What replaces it

    async def _dial(self, *, warm_up: bool = True) -> Link:
        link = await dial(self._choice, self._options, on_end=self._forget)
        self._links.append(link)
        profile = self._choice.profile
        if warm_up and profile.warm_up and self._choice.model:
            self._start(self._warm_up(Exchange(self._warming(), link, None, where=self._where)))
            await asyncio.sleep(0)  # so that it is on its way before the first request
        return link

    def _warming(self) -> ModelRequest:
        return ModelRequest(turn_id="warm-up", model=self._choice.model, instructions="", input=(), generate=False)

    async def _warm_up(self, exchange: Exchange) -> None:
        """Let the server prepare. What fails here fails in the turn too, and is told there."""
        try:
            error = await _send(exchange)
            while error is None and not exchange.is_done:
                _, error = await exchange.receive(self._options)
        finally:
            exchange.release()

    def _forget(self, link: Link) -> None:
        if link in self._links:
            self._links.remove(link)
        self._keep_up()

    def _keep_up(self) -> None:
        """See to it, in the background, that an idle socket waits and that all of them are looked after."""
        if self._closed:
            return
        if self._maintenance is None:
            self._maintenance = asyncio.get_running_loop().create_task(self._maintain())
        wanted = 2 if self._options.spare else 1
        enough = len(self._links) >= wanted and any(link.is_idle and not link.is_retired for link in self._links)
        if not (enough or self._dialing or len(self._links) >= self._options.most_links):
            self._dialing = True
            self._start(self._replenish(wanted))

    async def _replenish(self, wanted: int) -> None:
        """Dial until enough sockets are open, ever more slowly while it fails; not at all where a retry can't help."""
        try:
            for delay, _ in zip(delays(random.random), range(_ATTEMPTS), strict=False):
                await asyncio.sleep(delay)
                try:
                    while len(self._links) < wanted or not any(link.is_idle for link in self._links):
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
            for link in tuple(self._links):
                if link.pinged_at > link.heard_at and now - link.pinged_at > self._options.quiet:
                    link.abort()
                elif now - link.heard_at > self._options.quiet and link.pinged_at <= link.heard_at:
                    await link.ping()
            idle = [link for link in self._links if link.is_idle]
            for link in idle[_KEPT_IDLE:]:
                await link.close()

    def _retire_old(self) -> None:
        """Sockets near the age at which the provider closes them, or from before this machine slept, take no new
        request, and close when they are idle."""
        age = max(self._choice.profile.lifetime - self._options.margin, self._choice.profile.lifetime / 2)
        now = asyncio.get_running_loop().time()
        # The loop's clock stands still while the machine sleeps, the wall's does not: the other side has long gone.
        slept = abs(time.time() - now - self._clocks_apart) > _SLEPT
        self._clocks_apart = time.time() - now
        for link in tuple(self._links):
            link.is_retired = link.is_retired or slept or now - link.opened_at > age
            if link.is_retired and link.is_idle:
                link.abort()

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _send(exchange: Exchange, *, whole: bool = False) -> ProviderError | None:
    try:
        await exchange.send(whole=whole)
    except ProviderError as error:
        return error
    return None
