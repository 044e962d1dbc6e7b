"""Playback of answers at their pace, with the faults of a script."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Protocol

from spark_jupyter.server.engine_thread import Pull
from spark_jupyter.server.engines.base import Counted, Drop, Fail, Pause, PromptProgress, Raw, Stall
from spark_jupyter.server.token_pacing import Pace

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from spark_jupyter.server.connection_state import Connection, Job
    from spark_jupyter.server.engines.base import AnswerEngine, Piece, Step

logger = logging.getLogger(__name__)


class Line(Protocol):
    """Receiver of the answers."""

    async def send(self, frames: list[bytes]) -> bool:
        """Take frames, in order. Waits while whoever reads is too slow. Whether there is still somebody to send to."""

    async def send_raw(self, text: str) -> None:
        """Take what is no event."""

    async def cut(self, code: int | None) -> None:
        """End the connection: with a close frame of this code, or (None) without one."""

    async def wait_closed(self) -> None:
        """Until the connection has ended."""


class Playing:
    """``rate`` is in tokens a second for each lane; None: as fast as can be."""

    def __init__(self, state: Connection, engine: AnswerEngine, line: Line, *, rate: float | None) -> None:
        self._state = state
        self._engine = engine
        self._line = line
        self._rate = rate
        self._tasks: set[asyncio.Task[None]] = set()
        self._pulls: dict[str, Pull] = {}

    async def advance(self) -> bool:
        """Do what the state machine asks for. Whether the line still stands."""
        for response_id, pull in self._pulls.items():
            if not self._state.wants(response_id):
                pull.close()
        for job in self._state.jobs_to_start():
            self.spawn(self._answer(job))
        frames = self._state.data_to_send()
        return not frames or await self._line.send(frames)

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        """Have a task done that ends with :meth:`close`."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """No answer is wanted any more. When this returns, no task is left."""
        self._state.close()
        tasks = self._tasks - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, job: Job) -> None:
        pull = self._pulls[job.response_id] = Pull(partial(_asked, self._engine, job))
        try:
            await self._play(job.response_id, pull)
        except Exception as error:
            logger.exception("The engine %s failed", self._engine.name)
            fail = Fail(message=f"The engine failed ({type(error).__name__}).", as_response=True)
            self._state.receive_failure(job.response_id, fail, time.time())
            await self.advance()
        finally:
            del self._pulls[job.response_id]
            pull.close()

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
            if not await self.advance():
                return
            if step is not None:
                await self._step(step)
                pace.restart(time.monotonic())
            await asyncio.sleep(pace.delay(time.monotonic()))
            await pull.ready()

    async def _step(self, step: Step) -> None:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
        elif isinstance(step, Stall):
            await self._line.wait_closed()
        elif isinstance(step, Raw):
            await self._line.send_raw(step.text)
        elif isinstance(step, Drop):
            await self._line.cut(step.code)


def _asked(engine: AnswerEngine, job: Job) -> Iterator[Piece]:
    filled = engine.fill_in(job.infill, temperature=job.temperature) if job.infill is not None else None
    return filled or engine.answer(
        job.conversation, instructions=job.instructions, model=job.model, temperature=job.temperature
    )
