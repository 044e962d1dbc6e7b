"""Refinement in idle time: better texts of cells that ran.

A better text is looked for while nobody wants anything, and offered where it is proven. One at a time, at the lowest priority, after some
seconds in which nothing happened; whatever the user does ends it. Rules come first and cost nothing: for a slow cell a quicker text, for
one that warned another call, for any a shorter one (:mod:`spark_jupyter.refactoring`). Where they find nothing for a slow one, a model is
asked: one that costs nothing, or another one within a budget a day, which is nothing unless somebody sets it, and never where its price is
not known. Everything is on the engine's loop; what blocks is in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal

from spark_jupyter.engine.broadcast import Broadcast
from spark_jupyter.engine.completion_context import CompletionContext
from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.engine.provider_choice import SuggestionSource
from spark_jupyter.exceptions import SparkError
from spark_jupyter.providers.base import ModelRequest, TextDelta
from spark_jupyter.records.spending_log import Spending
from spark_jupyter.routing.link import Link
from spark_jupyter.session.turn_meter import JobMeter, costs

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.moments import Kept, Run
    from spark_jupyter.sandbox.refinement_runner import Better, Candidate, RefinementSearch

Mode = Literal["on", "off"]
"""``on``: in idle time, by rules, and by a model within its budget."""

IDLE = 4.0
"""Seconds in which nothing happened."""


class Refinements:
    """The refinements of one engine. ``make`` makes what proves better texts; ``quiet`` says whether nobody wants anything now."""

    def __init__(
        self,
        make: Callable[[], RefinementSearch] | None,
        by_model: RefinementByModel | None,
        thread: LoopThread,
        broadcast: Broadcast,
        *,
        quiet: Callable[[], bool],
        idle: float = IDLE,
    ) -> None:
        self.mode: Mode = "on"
        self._make = make
        self._refining: RefinementSearch | None = None
        self._thread = thread
        self._broadcast = broadcast
        self._quiet = quiet
        self._by_model = by_model
        self._asking: asyncio.Task[list[Candidate]] | None = None
        self._idle = idle
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._wishes = 0
        """So often somebody has wanted something: a task that was made before the last time does nothing more."""

    def begins(self) -> None:
        """Something is wanted: a cell runs, somebody asks. What was under way ends."""
        self._wishes += 1
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
        """A person is active: work under way, or about to begin, waits again."""
        if self._timer is not None or (self._task is not None and not self._task.done()):
            self.ends()

    def allow(self, budget: float) -> None:
        """Let a model that costs be asked for so many US dollars a day, in all notebooks."""
        if self._by_model is not None:
            self._by_model.budget = budget

    def switch(self, mode: Mode | None) -> None:
        """From now on; None changes nothing."""
        self.mode = mode or self.mode
        if mode == "off":
            self.begins()

    def for_cell(self, cell_id: str, source: str) -> tuple[str, str] | None:
        """The better text that was found for the cell's source, and a title of the change."""
        found = self._refining.for_cell(cell_id, source) if self._refining is not None else None
        return None if found is None else (found.source, found.words)

    def _look(self) -> None:
        self._timer = None
        if self._task is not None and not self._task.done():
            return
        if not self._quiet():
            self.ends()
        else:
            self._task = self._thread.spawn(self._work(self._wishes))

    async def _work(self, wishes: int) -> None:
        assert self._make is not None  # or it would not have begun
        if wishes != self._wishes:
            return
        refining = self._refining = self._refining or self._make()
        kept = refining.next()
        if kept is None:
            return
        found = await self._found(refining, kept, wishes)
        refining.done_with(kept)
        if found is not None and self.mode != "off":
            self._broadcast.send([found.event])
        if wishes == self._wishes:  # else whoever wanted something says when there is time again
            self.ends()  # there may be another cell

    async def _found(self, refining: RefinementSearch, kept: Kept, wishes: int) -> Better | None:
        candidates = _by_rule(kept.run)
        found = await asyncio.to_thread(refining.first, kept, candidates) if candidates else None
        if found is None and wishes == self._wishes and (candidates := await self._suggested(kept.run)):
            found = await asyncio.to_thread(refining.first, kept, candidates)
        return found

    async def _suggested(self, run: Run) -> list[Candidate]:
        """Ask a model for a faster version of a slow cell, unless somebody wants something meanwhile."""
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
    from spark_jupyter.refactoring.vectorise import faster_versions
    from spark_jupyter.sandbox.refinement_runner import Candidate, is_slow

    slow = faster_versions(run.source) if is_slow(run) else ()
    return [
        *(Candidate(source=one.source, words=one.words) for one in slow),
        *(Candidate(source=one.source, words=one.words, gain="quieter") for one in mended(run.source, run.warned)),
        *(Candidate(source=one.source, words=one.words, gain="shorter") for one in shorter(run.source)),
    ]


class RefinementByModel:
    """Asks the provider of the turns, one Job at a time, of the lowest priority: whatever a person asks for takes its place
    (:mod:`spark_jupyter.connection.request_priority`). Without ``spending`` nothing is asked that costs."""

    def __init__(
        self, source: SuggestionSource, context: CompletionContext, broadcast: Broadcast, spending: Spending | None
    ) -> None:
        self.budget = 0.0
        """US dollars of a day, in all notebooks."""
        self._source = source
        self._context = context
        self._broadcast = broadcast
        self._spending = spending

    async def candidates(self, run: Run) -> list[Candidate]:
        """Its texts for a cell that ran; none where it may not be asked, or fails."""
        from spark_jupyter.completions.situation import Situation
        from spark_jupyter.refactoring import model_speedups
        from spark_jupyter.sandbox.refinement_runner import Candidate

        link, model = self._source.of_turns
        if link is None or link.offline or link.is_agent:
            return []
        told = self._context.told(Situation(before=run.source), link)
        request = model_speedups.request(told.before, told.tables, seconds=run.seconds or 0.0, model=model)
        if request is None or not self._may_ask(request, link):
            return []
        try:
            said = await self._answer(request, link)
        except SparkError:  # somebody asked for something, or it can't answer: there are other moments
            return []
        text = model_speedups.understood(said, told.before)
        return [] if text is None else [Candidate(source=text, words=model_speedups.WORDS)]

    def _may_ask(self, request: ModelRequest, link: Link) -> bool:
        price = link.price(request.model)
        if link.local or not costs(price):
            return True
        dearest = JobMeter(request, price)
        dearest.characters = 4 * (request.max_output_tokens or 0)
        if self._spending is None or dearest.cost is None or self.budget <= 0:
            return False
        spent = self._spending.total()
        stopped = 0 < spent.stop <= spent.today + dearest.cost
        return not stopped and self._spending.refined + dearest.cost <= self.budget

    async def _answer(self, request: ModelRequest, link: Link) -> str:
        """All that is said. What was asked is paid for, also where the answer is cut short."""
        meter, said = JobMeter(request, link.price(request.model)), ""
        try:
            async with aclosing(link.connection.stream(request)) as batches:
                async for batch in batches:
                    for event in batch:
                        meter.receive(event)
                        said += event.text if isinstance(event, TextDelta) else ""
        finally:
            if self._spending is not None and meter.cost:
                self._broadcast.send(self._spending.add_request(meter))
        return said
