"""Interface of all connections."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol, runtime_checkable

from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import ModelEvent, ModelRequest


@runtime_checkable
class AgentLink(Protocol):
    """A connection to an agent, which asks a person before it does something by itself, and works in one of its own modes.

    ``takes_images`` is None as long as that is not known; ``model`` is the one that it uses by itself, ``modes`` are there once it was
    asked for its models."""

    takes_images: bool | None
    model: str
    mode: str
    modes: tuple[str, ...]

    def answer_permission(self, request_id: str, allowed: bool) -> None:
        """Give the agent the person's answer to :class:`~spark_jupyter.providers.base.PermissionAsked`."""


class Connection(Protocol):
    """An open, warm link to a provider. All methods belong to one event loop.

    Errors are :class:`~spark_jupyter.exceptions.ProviderError`; after one the next :meth:`stream` works if the cause is gone.
    """

    async def open(self) -> None:
        """Connect and warm up (TLS done) so that the next turn costs one round trip. Idempotent."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        """Send the request and yield batches of model events, each all that had arrived at that wake-up.

        Ends after ResponseCompleted or ResponseIncomplete. Closing the iterator earlier (``aclose``) or cancelling the task that runs it
        drops the request at once. The transport of a turn is aborted so that the provider stops too, and a warm spare takes its
        place; what still comes of a completion is thrown away, and the transport stays.
        """

    async def models(self) -> list[ModelInfo]:
        """Models that the endpoint lists."""

    async def close(self) -> None:
        """Close every link. Idempotent."""
