"""A thread with an asyncio loop of its own, and what other threads may ask of it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")


class LoopThread:
    """Runs a loop until it is closed. What others ask of it after that is not done."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.closed = False
        self._name = name
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thread: threading.Thread | None = None

    def start(self, begin: Sequence[Callable[[], object]]) -> None:
        """Begin, with these functions first, on the loop."""
        self._thread = threading.Thread(target=self._run, args=(begin,), name=self._name, daemon=True)
        self._thread.start()

    # --- from any thread -----------------------------------------------------------------------------------------------

    def call(self, function: Callable[[], object]) -> None:
        """Have ``function`` called there. Returns at once."""
        if not self.closed:
            _without_context(self.loop.call_soon_threadsafe, function)

    def wait_for(self, coroutine: Coroutine[Any, Any, Result], timeout: float | None = None) -> Result:
        """Run ``coroutine`` there, and wait for what it returns or raises."""
        future: concurrent.futures.Future[Result] = _without_context(
            asyncio.run_coroutine_threadsafe, coroutine, self.loop
        )
        return future.result(timeout)

    def ask(self, function: Callable[[], Result]) -> Result:
        """Call ``function`` there, and wait for what it returns."""

        async def here() -> Result:
            return function()

        return self.wait_for(here())

    def repeat(self, function: Callable[[], None], *, every: float) -> Callable[[], None]:
        """Have ``function`` called there every so many seconds. Returns what ends that."""
        stopped = threading.Event()

        def again() -> None:
            if not stopped.is_set():
                self.loop.call_later(every, again)
                function()

        self.call(lambda: self.loop.call_later(every, again))
        return stopped.set

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what was spawned, run ``last``, end the thread. Idempotent."""
        if self.closed:
            return
        asyncio.run_coroutine_threadsafe(self._end(last), self.loop).result(timeout=5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        if self._thread is not None:
            self._thread.join(timeout=5)

    # --- on the loop ---------------------------------------------------------------------------------------------------

    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Begin a task that is cancelled at the end."""
        task = self.loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _run(self, begin: Sequence[Callable[[], object]]) -> None:
        asyncio.set_event_loop(self.loop)
        for function in begin:
            self.loop.call_soon(function)
        self.loop.run_forever()
        self.loop.close()

    async def _end(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await last()
        self.closed = True


def _without_context(begin: Callable[..., Result], *arguments: object) -> Result:
    """What is begun here outlives the cell that begins it. It must not inherit the cell's context, in which ipykernel keeps what
    every later output would be said to belong to."""
    return contextvars.Context().run(begin, *arguments)
