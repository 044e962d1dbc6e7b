"""Runs the embedded server: blocking, or in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from spark_jupyter.recordings.recorder import Recorder
from spark_jupyter.server.app import Server, ServerInfo, ServerLimits, serve
from spark_jupyter.server.engines.base import AnswerEngine
from spark_jupyter.server.user_tokens import UserTokens


class Options(TypedDict, total=False):
    """The options of :func:`~spark_jupyter.server.serve`."""

    host: str
    port: int
    token: str | None
    engine: str | AnswerEngine
    rate: float | None
    books: Sequence[Path]
    limits: ServerLimits | None
    recorder: Recorder | None
    users: UserTokens | None


def run(*, ready: Callable[[ServerInfo], None], idle: float | None = None, **options: Unpack[Options]) -> None:
    """Serve until SIGINT or SIGTERM, or until there has been no connection for ``idle`` seconds.

    ``ready`` is called once, when the server listens. The other options and the errors are those of :func:`serve`.
    Must be called in the main thread, because of the signals.
    """
    asyncio.run(_run(ready, idle, options))


async def _run(ready: Callable[[ServerInfo], None], idle: float | None, options: Options) -> None:
    loop = asyncio.get_running_loop()
    async with serve(**options) as server:
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, server.stop)
            except NotImplementedError:  # Windows
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(server.stop))
        ready(server.info)
        await server.wait(idle=idle)


@contextlib.contextmanager
def serve_in_thread(**options: Unpack[Options]) -> Iterator[ServerInfo]:
    """Serve in a thread as long as the context lasts, for callers that have no event loop. Options and errors as
    :func:`serve`."""
    started = threading.Event()
    servers: list[tuple[Server, asyncio.AbstractEventLoop]] = []
    errors: list[BaseException] = []

    async def main() -> None:
        async with serve(**options) as server:
            servers.append((server, asyncio.get_running_loop()))
            started.set()
            await server.wait()

    def work() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:
            errors.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=work, name="spark-jupyter-server", daemon=True)
    thread.start()
    started.wait()
    if errors:
        raise errors[0]
    server, loop = servers[0]
    try:
        yield server.info
    finally:
        with contextlib.suppress(RuntimeError):  # the server's loop has ended by itself
            loop.call_soon_threadsafe(server.stop)
        thread.join()
