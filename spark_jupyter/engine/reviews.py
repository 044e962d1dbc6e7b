"""Reviews of one session: asked for by a front end, one at a time, the newest counts. On the engine's loop; what blocks is in threads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from spark_jupyter.protocol.messages import Event
from spark_jupyter.protocol.review_messages import BeginReview, CancelReview, Remark, ReviewChanged
from spark_jupyter.protocol.values import NotebookCell

if TYPE_CHECKING:
    from spark_jupyter.sandbox.restart_check import Outcome

Look = Callable[[Sequence[NotebookCell]], list[Remark]]
Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]

_NONE = ReviewChanged(review_id="none", state="cancelled")


class Reviews:
    """The reviews of one engine. ``send`` sends events past the session: no turn has a part in them."""

    def __init__(
        self,
        look: Look | None,
        *,
        spawn: Spawn,
        send: Callable[[Sequence[Event]], None],
    ) -> None:
        self._look = look
        self._spawn = spawn
        self._send = send
        self._task: asyncio.Task[None] | None = None
        self._shown = _NONE

    def take(self, command: BeginReview | CancelReview, *, undecided: Collection[str]) -> None:
        """Begin one or stop it. ``undecided`` are the cells that a model wrote and nobody agreed to: they are no part of the notebook."""
        if isinstance(command, CancelReview):
            if self.shown is not None and command.review_id == self.shown.review_id and not self._stop():
                self._shown = _NONE  # the review was read and closed
            return
        self._stop()
        cells = [cell for cell in command.cells if cell.id not in undecided]
        self._shown = ReviewChanged(review_id=command.review_id, state="looking")
        self._send([self._shown])
        self._task = self._spawn(self._told(command, cells))

    @property
    def shown(self) -> ReviewChanged | None:
        """The review as it stands, until it is closed."""
        return None if self._shown is _NONE else self._shown

    def _stop(self) -> bool:
        """Whether there was something to stop."""
        if self._task is None or self._task.done():
            return False
        self._task.cancel()
        self._show(state="cancelled")
        return True

    async def _told(self, command: BeginReview, cells: Sequence[NotebookCell]) -> None:
        try:
            await self._review(command, cells)
        except Exception as error:  # a fault of ours: said, and nobody waits for ever
            problem = f"The review failed by a fault in spark_jupyter ({type(error).__name__}: {error})."
            self._show(state="done", problem=problem)

    async def _review(self, command: BeginReview, cells: Sequence[NotebookCell]) -> None:
        from spark_jupyter.engine import (
            reviewing,  # with the judges and the refactorings' library: not needed before the first review
        )

        remarks = await asyncio.to_thread(self._look or reviewing.look, cells)
        if not command.run:
            self._show(state="done", remarks=tuple(remarks))
            return
        code = reviewing.runnable(cells)
        self._show(state="running", remarks=tuple(remarks), total=len(code))
        loop = asyncio.get_running_loop()
        restart = reviewing.restart_of(code, folder=os.getcwd(), allow=command.allow)

        def tell(outcome: Outcome) -> None:
            if 0 <= outcome.number < len(code) and self._shown.review_id == command.review_id:
                cell = code[outcome.number]
                now = reviewing.ordered(cells, [*self._shown.remarks, *reviewing.remarks_of(cell, outcome)])
                done = max(self._shown.done, outcome.number + reviewing.has_run(cell, outcome))
                self._show(remarks=tuple(now), done=done)

        try:
            problem = await asyncio.to_thread(restart.run, lambda outcome: loop.call_soon_threadsafe(tell, outcome))
        finally:
            restart.cancel()  # where this task was cancelled the thread still waits for it
        self._show(state="done", problem=problem, unenforced=restart.unenforced)

    def _show(self, **changes: object) -> None:
        self._shown = structs.replace(self._shown, **changes)
        self._send([self._shown])
