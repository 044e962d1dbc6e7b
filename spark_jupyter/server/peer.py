"""One client's connection: moves frames and pieces between the WebSocket, the state machine and the engine."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from websockets.exceptions import ConnectionClosed

from spark_jupyter.server.engines.base import Counted, Drop, Fail, Pause, PromptProgress, Raw, Stall
from spark_jupyter.server.pace import Pace
from spark_jupyter.server.pull import Pull

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from websockets.asyncio.server import ServerConnection

    from spark_jupyter.server.engines.base import AnswerEngine, Piece, Step
    from spark_jupyter.server.state import Connection, Job

logger = logging.getLogger(__name__)


class Peer:
    """Serves one WebSocket until it closes. ``rate`` is in tokens a second for each lane, ``idle`` in seconds."""

    def __init__(
        self, websocket: ServerConnection, state: Connection, engine: AnswerEngine, *, rate: float | None, idle: float
    ) -> None:
        self._websocket = websocket
        self._state = state
        self._engine = engine
        self._rate = rate
        self._idle = idle
        self._active_at = time.time()
        self._tasks: set[asyncio.Task[None]] = set()
        self._pulls: dict[str, Pull] = {}

    async def run(self) -> None:
        """Serve. When this returns, no task of the connection is left."""
        self._spawn(self._watch())
        try:
            while not self._state.close_expected:
                data = await self._websocket.recv(decode=False)
                self._active_at = time.time()
                self._state.receive_data(data, self._active_at)
                await self._advance()
        except ConnectionClosed:
            pass
        finally:
            self._state.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _advance(self) -> None:
        """Do what the state machine asks for. Waits while the client reads too slowly: that is the back-pressure."""
        for response_id, pull in self._pulls.items():
            if not self._state.wants(response_id):
                pull.close()
        for job in self._state.jobs_to_start():
            self._spawn(self._answer(job))
        await self._send(self._state.data_to_send())
        if self._state.close_expected:
            await self._websocket.close(1000)

    async def _send(self, frames: list[bytes]) -> None:
        """Each frame is a text frame of its own, but they go to the socket in one write: a system call costs more
        than a frame."""
        if not frames:
            return
        async with self._websocket.send_context():
            for frame in frames:
                self._websocket.protocol.send_text(frame)
            self._websocket.transport.write(b"".join(self._websocket.protocol.data_to_send()))

    async def _watch(self) -> None:
        """Close the connection when it has idled or lived for too long."""
        while True:
            await asyncio.sleep(min(max(self._active_at + self._idle - time.time(), 0.05), 1.0))
            now = time.time()
            self._state.receive_time(now)
            if not self._state.idle:
                self._active_at = now
            elif now - self._active_at >= self._idle:
                self._state.close()
            try:
                await self._advance()
            except ConnectionClosed:
                return

    async def _answer(self, job: Job) -> None:
        pull = self._pulls[job.response_id] = Pull(partial(_asked, self._engine, job))
        try:
            await self._play(job.response_id, pull)
        except ConnectionClosed:
            return
        except Exception as error:
            logger.exception("The engine %s failed", self._engine.name)
            fail = Fail(message=f"The engine failed ({type(error).__name__}).", as_response=True)
            self._state.receive_failure(job.response_id, fail, time.time())
            await self._advance_if_open()
        finally:
            del self._pulls[job.response_id]
            pull.close()

    async def _advance_if_open(self) -> None:
        try:
            await self._advance()
        except ConnectionClosed:
            return

    async def _play(self, response_id: str, pull: Pull) -> None:
        """Hand the pieces over as they fall due, until they end or nobody wants them any more."""
        pace = Pace(self._rate, time.monotonic())
        await pull.ready()
        while self._state.wants(response_id):
            batch = pull.take(pace.due(time.monotonic()))
            pace.take(len(batch))
            now = time.time()
            self._state.receive_pieces(response_id, batch, now)
            step = pull.take_step()
            if isinstance(step, Fail):
                self._state.receive_failure(response_id, step, now)
            elif isinstance(step, PromptProgress):
                self._state.receive_progress(response_id, step)
            elif isinstance(step, Counted):
                self._state.receive_count(response_id, step, now)
            elif step is None and pull.ended:
                self._state.receive_end(response_id, now)
            await self._advance()
            if step is not None:
                await self._step(step)
                pace.restart(time.monotonic())
            await asyncio.sleep(pace.delay(time.monotonic()))
            await pull.ready()

    async def _step(self, step: Step) -> None:
        """Play a step that concerns the network."""
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
        elif isinstance(step, Stall):
            await self._websocket.wait_closed()
        elif isinstance(step, Raw):
            await self._websocket.send(step.text)
        elif isinstance(step, Drop):
            if step.code is None:
                self._websocket.transport.abort()
            else:
                await self._websocket.close(step.code)


def _asked(engine: AnswerEngine, job: Job) -> Iterator[Piece]:
    """What the engine makes of it."""
    filled = engine.fill_in(job.infill, temperature=job.temperature) if job.infill is not None else None
    return filled or engine.answer(
        job.conversation, instructions=job.instructions, model=job.model, temperature=job.temperature
    )
