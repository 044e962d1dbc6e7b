"""A thread with its own asyncio loop, and calls into it.

The thread computes beside the user's running cell. CPython gives the interpreter to a waiting thread only after the switch interval
(5 ms by default, ``sys.setswitchinterval``), and a steer passes four threads on its way from the key to the provider: 20 to 50 ms in a
cell that computes, about 10 with an interval of 1 ms. :class:`SwitchInterval` shortens it only while somebody waits.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")

FAULTS = (Exception, SystemExit, KeyboardInterrupt)
"""Faults of our own, and those that would end the program: on the loop they come from objects of the user's that are read there. A task
that somebody waits for ends with either as with a fault."""
SHORT_INTERVAL = 0.001
"""Seconds. Half of it was no quicker in the measurements."""


class SwitchInterval:
    """Shortens the process's switch interval while at least one waiter needs it, and gives back what was set before."""

    def __init__(self) -> None:
        self._before: float | None = None
        self._waiters: set[object] = set()

    def hold(self, waiter: object, *, on: bool) -> None:
        """Shorten the interval for this waiter, or let go of it. A shorter one, and one that somebody set meanwhile, stay."""
        (self._waiters.add if on else self._waiters.discard)(waiter)
        now = sys.getswitchinterval()
        if self._waiters and self._before is None and now > SHORT_INTERVAL:
            self._before = now
            sys.setswitchinterval(SHORT_INTERVAL)
        elif not self._waiters and self._before is not None:
            before, self._before = self._before, None
            if abs(now - SHORT_INTERVAL) < 1e-6:
                sys.setswitchinterval(before)

    def release(self) -> None:
        for waiter in tuple(self._waiters):
            self.hold(waiter, on=False)


class LoopThread:
    """Runs a loop until it is closed. What others ask of it after that is not done. ``clock`` gives Unix seconds."""

    def __init__(self, name: str, *, clock: Callable[[], float] = time.time) -> None:
        self.loop = asyncio.new_event_loop()
        self.closed = False
        self.clock = clock
        self.switch_interval = SwitchInterval()
        self._name = name
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thread: threading.Thread | None = None

    def start(self, begin: Sequence[Callable[[], object]]) -> None:
        self._thread = threading.Thread(target=self._run, args=(begin,), name=self._name, daemon=True)
        self._thread.start()

    # --- from any thread -----------------------------------------------------------------------------------------------

    def call(self, function: Callable[[], object]) -> None:
        """Have ``function`` called there. Returns at once."""
        if not self.closed:
            _without_context(self.loop.call_soon_threadsafe, function)

    def wait_for(self, coroutine: Coroutine[Any, Any, Result], timeout: float | None = None) -> Result:
        """Run ``coroutine`` there, and return or raise its outcome; an exception that would end the caller's program becomes a
        RuntimeError."""
        future: concurrent.futures.Future[Result] = _without_context(
            asyncio.run_coroutine_threadsafe, coroutine, self.loop
        )
        try:
            return future.result(timeout)
        except BaseException as error:
            if isinstance(error, Exception) or not future.done() or future.exception() is not error:
                raise  # an ordinary one, or the caller was interrupted
            raise RuntimeError(f"{type(error).__name__} in {self._name}") from error

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

    def report(self, message: str, error: BaseException) -> None:
        """Log a fault of our own that was survived."""
        self.loop.call_exception_handler({"message": message, "exception": error})

    def _run(self, begin: Sequence[Callable[[], object]]) -> None:
        asyncio.set_event_loop(self.loop)
        for function in begin:
            self.loop.call_soon(function)
        self._run_until_closed()
        self.loop.close()

    def _run_until_closed(self) -> None:
        """Run the loop; a SystemExit or KeyboardInterrupt of an object of the user's that was read here ends its task, not the thread."""
        while not self.closed:
            try:
                self.loop.run_forever()
            except (SystemExit, KeyboardInterrupt) as error:
                self.report("A task in spark_jupyter ended", error)

    async def _end(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await last()
        self.closed = True


def _without_context(begin: Callable[..., Result], *arguments: object) -> Result:
    """Start work that outlives the present cell, without the cell's context: ipykernel would attribute every later output to that cell."""
    return contextvars.Context().run(begin, *arguments)
