"""Thread that pulls an answer from its engine."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator

from spark_jupyter.server.engines.base import FunctionCall, Piece, Step

AHEAD = 256
"""So many pieces are made ahead of what was taken: two batches (:data:`.pace.BATCH`), so that the engine and the network take turns."""


class Pull:
    """The pieces of one answer, on the server's event loop. ``answer`` asks the engine; it is called in the thread.

    Where nobody wants more, :meth:`close` has the answer closed: at once where the thread waits to go on, or the answer has a method
    ``stop``; else when the engine comes up with its next piece.
    """

    def __init__(self, answer: Callable[[], Iterator[Piece]]) -> None:
        self._answer = answer
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._change = threading.Condition()
        self._pieces: deque[Piece] = deque()
        self._exhausted = False
        self._closed = False
        self._error: BaseException | None = None
        self._answering: Iterator[Piece] | None = None
        threading.Thread(target=self._work, name="spark-answer", daemon=True).start()

    # --- on the event loop

    async def ready(self) -> None:
        """Wait until there is a piece, the end, or :meth:`close`."""
        await self._news.wait()

    @property
    def ended(self) -> bool:
        """True if everything was taken. Raises what the engine raised, when what came before was taken."""
        with self._change:
            ended = self._exhausted and not self._pieces
        if ended and self._error is not None:
            raise self._error
        return ended

    def take(self, count: int) -> list[str | FunctionCall]:
        """Up to ``count`` pieces that are there; a step ends them."""
        with self._change:
            taken: list[str | FunctionCall] = []
            while len(taken) < count and self._pieces and isinstance(self._pieces[0], (str, FunctionCall)):
                taken.append(self._pieces.popleft())  # type: ignore[arg-type]  # checked in the line above
            self._taken()
        return taken

    def take_step(self) -> Step | None:
        with self._change:
            if not self._pieces or isinstance(self._pieces[0], (str, FunctionCall)):
                return None
            step = self._pieces.popleft()
            self._taken()
        return step  # type: ignore[return-value]  # checked above

    def close(self) -> None:
        """Nobody wants more of it. Idempotent."""
        with self._change:
            self._closed = True
            self._change.notify_all()
            answering = self._answering
        self._news.set()
        _stop(answering)

    def _taken(self) -> None:
        if not self._pieces and not self._exhausted and not self._closed:
            self._news.clear()
        self._change.notify_all()

    # --- in the thread

    def _work(self) -> None:
        try:
            pieces = self._answer()
            with self._change:
                self._answering = pieces
                closed = self._closed
            if closed:
                _stop(pieces)
            try:
                self._pull(pieces)
            finally:
                close = getattr(pieces, "close", None)  # a generator has one, a plain iterator may not
                if close is not None:
                    close()
        except BaseException as error:
            self._error = error
        finally:
            with self._change:
                self._exhausted = True
            self._tell()

    def _pull(self, pieces: Iterator[Piece]) -> None:
        for piece in pieces:
            with self._change:
                self._change.wait_for(lambda: self._closed or len(self._pieces) < AHEAD)
                if self._closed:
                    return
                was_empty = not self._pieces
                if piece != "":  # the engine is alive, and has nothing to say yet
                    self._pieces.append(piece)
            if was_empty and piece != "":
                self._tell()

    def _tell(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._news.set)
        except RuntimeError:  # the loop is closed: nobody listens any more
            return


def _stop(answering: Iterator[Piece] | None) -> None:
    """End what the answer waits for, where it can be ended from another thread."""
    stop = getattr(answering, "stop", None)
    if stop is not None:
        stop()
