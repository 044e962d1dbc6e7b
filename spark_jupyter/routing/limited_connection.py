"""Connection that sends only what a policy allows.

Every request of every client passes here: turns, deep work, suggestions, tests of a model, and the command line's. What is spent under a
daily budget is counted here as well, in a log of its own beside Jupyter's data, so that no kind of request is left out.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

from spark_jupyter.connection.base import Connection
from spark_jupyter.policy import Policy
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import ModelEvent, ModelRequest, without_images
from spark_jupyter.records.spending_log import Spending
from spark_jupyter.session.turn_meter import JobMeter, costs


class LimitedConnection:
    """A connection below a policy. ``price`` is that of a model there, as the administrators know it."""

    def __init__(self, connection: Connection, policy: Policy, price: Callable[[str], ModelInfo | None]) -> None:
        self._connection = connection
        self._policy = policy
        self._price = price

    async def open(self) -> None:
        await self._connection.open()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        """Stream an answer. Raises :class:`~spark_jupyter.exceptions.PolicyError` before anything is sent."""
        self._policy.refuse_model(request.model)
        if not self._policy.allows_images:
            request = without_images(request)
        meter = JobMeter(request, self._price(request.model))
        spending = self._spending() if costs(meter.info) else None
        try:
            async with aclosing(self._connection.stream(request)) as batches:
                async for batch in batches:
                    for event in batch:
                        meter.receive(event)
                    yield batch
        finally:
            if spending is not None:
                spending.add_request(meter, "policy")

    async def models(self) -> list[ModelInfo]:
        """The listed models that are allowed."""
        return [model for model in await self._connection.models() if self._policy.allows_model(model.id)]

    async def close(self) -> None:
        await self._connection.close()

    def _spending(self) -> Spending | None:
        """Log of what this user spends; None without a budget. Raises where that is used up."""
        if self._policy.daily_budget is None:
            return None
        from jupyter_core.paths import jupyter_data_dir

        spending = Spending(Path(jupyter_data_dir()) / "spark_jupyter" / "policy", notebook="")
        self._policy.refuse_spending(spending.total().today)
        return spending
