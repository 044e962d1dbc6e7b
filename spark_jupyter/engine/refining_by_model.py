"""Better texts by the model of the prompts: whether it may be asked, what that costs, and what it says. One Job at a time, of the lowest
priority: whatever a person asks for takes its place (:mod:`spark_jupyter.connection.request_priority`).

A model that costs nothing may be asked; another one within a budget a day, which is nothing unless somebody sets it, and never
where its price is not known. Only used on the engine's loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from spark_jupyter.engine.link import Link
from spark_jupyter.engine.situations import Situations
from spark_jupyter.engine.sources import Sources
from spark_jupyter.engine.spending import Spending
from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.messages import Event
from spark_jupyter.providers.base import ModelRequest, ResponseCompleted, ResponseIncomplete, TextDelta
from spark_jupyter.session.turn_meter import JobMeter, costs

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.checkpoint_store import Run
    from spark_jupyter.sandbox.refinement_runner import Candidate


class RefiningByModel:
    """Asks the provider of the turns. ``send`` tells all front ends what was spent; without ``spending`` nothing is asked that costs."""

    def __init__(
        self,
        sources: Sources,
        situations: Situations,
        *,
        spending: Spending | None,
        send: Callable[[Sequence[Event]], None],
    ) -> None:
        self.budget = 0.0
        """US dollars of a day, in all notebooks."""
        self._sources = sources
        self._situations = situations
        self._spending = spending
        self._send = send

    async def candidates(self, run: Run) -> list[Candidate]:
        """What it would make of a cell that ran; nothing where it may not be asked, or fails."""
        from spark_jupyter.completions.situation import Situation
        from spark_jupyter.refactoring import model_speedups
        from spark_jupyter.sandbox.refinement_runner import Candidate

        link, model = self._sources.of_turns
        if link is None or link.offline:
            return []
        told = self._situations.told(Situation(before=run.source), link)
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
                        if isinstance(event, TextDelta):
                            said += event.text
                            meter.characters += len(event.text)
                        elif isinstance(event, ResponseCompleted | ResponseIncomplete) and event.usage is not None:
                            meter.usage = event.usage
        finally:
            if self._spending is not None and meter.cost:
                self._send(self._spending.add_refinement(meter))
        return said
