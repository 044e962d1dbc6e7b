"""Refinement in idle time: a better text of a cell that has run is looked for while nobody wants anything, and offered where it is proven.

One at a time, at the lowest priority, after some seconds in which nothing happened; whatever the user does ends it. On the engine's loop;
what blocks is in a thread. Rules come first and cost nothing: for a slow cell a quicker text, for one that warned another
call, for any a shorter one (``quicker``, ``mended`` and ``shorter`` in :mod:`spark_jupyter.refactoring`). Where they find nothing
for a slow one, a model is asked, if one may be (:mod:`spark_jupyter.engine.refining_by_model`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Literal

from spark_jupyter.engine.refining_by_model import RefiningByModel
from spark_jupyter.protocol.messages import Event
from spark_jupyter.protocol.provider_messages import Configure

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.checkpoint_store import Kept, Run
    from spark_jupyter.sandbox.refinement_runner import Better, Candidate, RefinementSearch

Mode = Literal["on", "off"]
"""``on``: in idle time, by rules, and by a model within its budget."""

IDLE = 4.0
"""Seconds in which nothing happened."""


class Refinements:
    """Those of one engine. ``quiet`` says whether nobody wants anything now, ``send`` tells all front ends."""

    def __init__(
        self,
        refining: Callable[[], RefinementSearch] | None,
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        send: Callable[[Sequence[Event]], None],
        quiet: Callable[[], bool],
        by_model: RefiningByModel | None = None,
        idle: float = IDLE,
    ) -> None:
        self.mode: Mode = "on"
        self._make = refining
        self._refining: RefinementSearch | None = None
        self._spawn = spawn
        self._send = send
        self._quiet = quiet
        self._by_model = by_model
        self._asking: asyncio.Task[list[Candidate]] | None = None
        self._idle = idle
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def begins(self) -> None:
        """Something is wanted: a cell runs, somebody asks. What was under way ends."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._refining is not None:
            self._refining.stop()
        if self._asking is not None:
            self._asking.cancel()

    def ends(self) -> None:
        """A cell has ended: when nothing more happens, there is time."""
        self.begins()
        if self._make is not None and self.mode != "off":
            self._timer = asyncio.get_running_loop().call_later(self._idle, self._look)

    def stir(self) -> None:
        """Somebody wants something: what is under way, or was about to be, waits anew."""
        if self._timer is not None or (self._task is not None and not self._task.done()):
            self.ends()

    def configure(self, wish: Configure) -> None:
        """What of a person's wishes is about this counts from now on."""
        if wish.refine_budget is not None and self._by_model is not None:
            self._by_model.budget = wish.refine_budget
        if wish.refine is not None:
            self.switch(wish.refine)

    def switch(self, mode: Mode) -> None:
        """From now on."""
        self.mode = mode
        if mode == "off":
            self.begins()

    def for_cell(self, cell_id: str, source: str) -> tuple[str, str] | None:
        """The better text that was found for what the cell holds, and what it does in words."""
        found = self._refining.for_cell(cell_id, source) if self._refining is not None else None
        return None if found is None else (found.source, found.words)

    def _look(self) -> None:
        self._timer = None
        if self._task is not None and not self._task.done():
            return
        if not self._quiet():
            self.ends()
        else:
            self._task = self._spawn(self._work())

    async def _work(self) -> None:
        assert self._make is not None  # or it would not have begun
        refining = self._refining = self._refining or self._make()
        kept = refining.next()
        if kept is None:
            return
        found = await self._found(refining, kept)
        refining.done_with(kept)
        if found is not None and self.mode != "off":
            self._send([found.event])
        self.ends()  # there may be another cell

    async def _found(self, refining: RefinementSearch, kept: Kept) -> Better | None:
        """By a rule, or else by a model."""
        candidates = _by_rule(kept.run)
        found = await asyncio.to_thread(refining.first, kept, candidates) if candidates else None
        if found is None and not refining.stopped and (candidates := await self._suggested(kept.run)):
            found = await asyncio.to_thread(refining.first, kept, candidates)
        return found

    async def _suggested(self, run: Run) -> list[Candidate]:
        """What a model says of a slow cell, unless somebody wants something meanwhile."""
        from spark_jupyter.sandbox.refinement_runner import is_slow

        if self._by_model is None or not is_slow(run):
            return []
        self._asking = asyncio.ensure_future(self._by_model.candidates(run))
        try:
            return await self._asking
        except asyncio.CancelledError:
            if not self._asking.cancelled():  # the engine ends, and this with it
                raise
            return []
        finally:
            self._asking.cancel()
            self._asking = None


def _by_rule(run: Run) -> list[Candidate]:
    from spark_jupyter.refactoring.deprecations import mended
    from spark_jupyter.refactoring.simplify import shorter
    from spark_jupyter.refactoring.vectorise import quicker
    from spark_jupyter.sandbox.refinement_runner import Candidate, is_slow

    slow = quicker(run.source) if is_slow(run) else ()
    return [
        *(Candidate(source=one.source, words=one.words) for one in slow),
        *(Candidate(source=one.source, words=one.words, gain="quieter") for one in mended(run.source, run.warned)),
        *(Candidate(source=one.source, words=one.words, gain="shorter") for one in shorter(run.source)),
    ]
