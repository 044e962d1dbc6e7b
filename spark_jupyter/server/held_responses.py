"""Responses that go on without a reader, and can be read again.

A request with ``background: true`` gets one: a client that lost its connection reads on where it was, and nothing is written twice.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from msgspec.structs import replace

from spark_jupyter.server.answer_playback import Playing
from spark_jupyter.server.api_messages import Json, RequestError, encode
from spark_jupyter.server.connection_state import Connection
from spark_jupyter.server.engines.base import AnswerEngine
from spark_jupyter.server.lanes import Limits
from spark_jupyter.server.response_store import ResponseStore

KEPT = 600.0
"""Seconds for which a response is held after its end, as OpenAI does."""
MOST_HELD = 64
"""Of one server. The oldest that have ended go first; where none has, no more are begun."""


class Cut(Exception):
    """The reader's connection ends here without a closing message."""


class Held:
    """One response. Made by :meth:`Holding.begin`."""

    def __init__(self, state: Connection, engine: AnswerEngine, *, rate: float | None) -> None:
        self.id = ""
        self.ended_at: float | None = None
        self._events: list[bytes] = []
        self._news = asyncio.Event()
        self._cuts: list[int] = []
        """Numbers of events after which a reader was cut off."""
        self._cancelled = False
        self._state = state
        self._playing = Playing(state, engine, self, rate=rate)

    async def begin(self, create: dict[str, object]) -> None:
        """Ask the engine. Raises :class:`~.api_messages.RequestError` where the request is refused."""
        self._state.receive_data(encode({**create, "type": "response.create", "stream_id": None}), time.time())
        await self._playing.advance()
        first = msgspec.json.decode(self._events[0])
        if first["type"] == "error":
            raise _refusal(first)
        self.id = first["response"]["id"]

    @property
    def snapshot(self) -> dict[str, Json]:
        """The response as it stands."""
        last = msgspec.json.decode(self._events[-1])
        response: dict[str, Json] = last.get("response") or msgspec.json.decode(self._events[0])["response"]
        if self._cancelled:
            return {**response, "status": "cancelled"}
        return {**response, "status": "failed", "error": last["error"]} if last["type"] == "error" else response

    async def follow(self, after: int = -1) -> AsyncIterator[bytes]:
        """The events after the one of this number, as they come. Raises :class:`Cut`."""
        known, at = len(self._cuts), after + 1
        while True:
            cut = self._cuts[known] if len(self._cuts) > known else None
            while at < len(self._events) and (cut is None or at < cut):
                yield self._events[at]
                at += 1
            if cut is not None:
                raise Cut
            if self.ended_at is not None:
                return
            await self._news.wait()

    async def end(self) -> None:
        async for _ in self.follow(len(self._events) - 1):
            pass

    async def cancel(self) -> None:
        """Nothing more of it is wanted. What has ended stays as it is."""
        if self.ended_at is None:
            self._cancelled = True
            await self._close()

    async def _close(self) -> None:
        self.ended_at = time.time()
        self._tell()
        await self._playing.close()

    # --- where its answer goes (see Line of spark_jupyter.server.answer_playback)

    async def send(self, frames: list[bytes]) -> bool:
        self._events += frames
        if self._state.idle:
            self.ended_at = time.time()
        self._tell()
        return True

    async def send_raw(self, text: str) -> None:
        """Send a text that is no event: it has no number, and so no place in the order."""

    async def cut(self, code: int | None) -> None:
        """Whoever reads is cut off; the response goes on."""
        self._cuts.append(len(self._events))
        self._tell()

    async def wait_closed(self) -> None:
        """Until it is cancelled."""
        await asyncio.Event().wait()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class Holding:
    def __init__(self, engine: AnswerEngine, store: ResponseStore, *, limits: Limits, rate: float | None) -> None:
        self._engine = engine
        self._store = store
        self._limits = limits
        self._rate = rate
        self._held: OrderedDict[str, Held] = OrderedDict()

    async def begin(self, create: dict[str, Any]) -> Held:
        """Begin a response. Raises :class:`~.api_messages.RequestError` where it is refused."""
        self._make_room()
        state = Connection(
            models=self._engine.models(),
            store=self._store,
            now=time.time(),
            limits=replace(self._limits, steering=False, background=create.get("background") is True),
        )
        held = Held(state, self._engine, rate=self._rate)
        await held.begin(create)
        self._held[held.id] = held
        return held

    def get(self, response_id: str) -> Held:
        """The one of this id. Raises :class:`~.api_messages.RequestError` where there is none."""
        self._forget_old()
        held = self._held.get(response_id)
        if held is None:
            raise RequestError("There is no such response here.", status=404, code="not_found")
        return held

    @property
    def busy(self) -> bool:
        return any(held.ended_at is None for held in self._held.values())

    async def close(self) -> None:
        for held in self._held.values():
            await held.cancel()

    def _make_room(self) -> None:
        self._forget_old()
        ended = [each for each in self._held.values() if each.ended_at is not None]
        if len(self._held) >= MOST_HELD and ended:
            del self._held[ended[0].id]
        if len(self._held) >= MOST_HELD:
            raise RequestError(
                f"{MOST_HELD} responses are under way.", status=429, kind="rate_limit_error", code="rate_limit_exceeded"
            )

    def _forget_old(self) -> None:
        old = time.time() - KEPT
        for held in [each for each in self._held.values() if each.ended_at is not None and each.ended_at < old]:
            del self._held[held.id]


def _refusal(event: dict[str, Any]) -> RequestError:
    told = event["error"]
    return RequestError(
        told["message"],
        status=event["status"],
        kind=told["type"],
        code=told["code"],
        param=told["param"],
        headers=told.get("headers"),
    )
