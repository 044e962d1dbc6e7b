"""List of models of an endpoint, and the default model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from spark_jupyter.connection.credentials import withhold_secrets
from spark_jupyter.exceptions import ModelNotFound, ProviderError

if TYPE_CHECKING:
    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.connection.http_client import Web
    from spark_jupyter.protocol.values import ModelInfo
    from spark_jupyter.providers.base import Dialect, ModelRequest
    from spark_jupyter.providers.profiles import Choice

_SHOWN = 8


class Catalogue:
    """Asks ``GET …/models`` when it must. httpx is imported only then: it costs a good part of the time to load."""

    def __init__(self, choice: Choice, dialect: Dialect, options: Options, *, web: Web | None = None) -> None:
        self._choice = choice
        self._dialect = dialect
        self._options = options
        self._web = web
        self._first = ""

    async def models(self) -> list[ModelInfo]:
        """Models that the endpoint lists. Raises a :class:`~spark_jupyter.exceptions.ProviderError`."""
        if self._web is None:
            from spark_jupyter.connection.http_client import Web

            self._web = Web(self._choice, self._dialect, self._options)
        return await self._web.models()

    async def with_model(self, request: ModelRequest) -> ModelRequest:
        """``request`` with a model: its own, the chosen one, or the first that the endpoint lists."""
        model = request.model or self._choice.model or self._first
        if not model:
            listed = await self.models()
            if not listed:
                raise ModelNotFound(
                    "The endpoint lists no model, and none was chosen.",
                    remedy="Load one in the server, or name one with %spark model NAME or SPARK_MODEL.",
                )
            model = self._first = listed[0].id
        return request if model == request.model else msgspec.structs.replace(request, model=model)

    async def explain(self, error: ProviderError) -> ProviderError:
        """``error`` as the user sees it: without the key and, if a model is not served, with a list of the served ones where
        there is one."""
        withhold_secrets(error, self._choice)
        if not isinstance(error, ModelNotFound) or error.available:
            return error
        try:
            available = tuple(model.id for model in await self.models())
        except ProviderError:
            return error  # the first error is the one that the user can do something about
        if not available:
            return error
        shown = ", ".join(available[:_SHOWN]) + (" …" if len(available) > _SHOWN else "")
        return ModelNotFound(
            error.message, remedy=f"It serves: {shown}. Choose one with %spark model NAME.", available=available
        )

    async def close(self) -> None:
        """Close what was opened to ask."""
        if self._web is not None:
            await self._web.close()
