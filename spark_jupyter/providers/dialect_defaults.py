"""Defaults that most dialects share.

The key in the Authorization header, OpenAI's list of models, one address for all models.
"""

from __future__ import annotations

import hashlib
from typing import ClassVar

from spark_jupyter.providers.base import (
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
    TextDelta,
    Usage,
)
from spark_jupyter.providers.model_list import Listed, read_models
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.tolerant_json import whole


def cache_key(request: ModelRequest) -> str:
    """A name for the beginning of a request: requests with the same name are served where it is cached (OpenAI's API reference,
    ``prompt_cache_key``)."""
    return hashlib.sha256(f"{request.model}\n{request.instructions}".encode("utf-8", "replace")).hexdigest()[:32]


class Common:
    """The part of a :class:`~spark_jupyter.providers.base.Dialect` that a dialect need not say again. All who speak it take the same,
    unless it looks into the profile itself."""

    path: ClassVar[str]
    base_path: ClassVar[str] = "/v1"

    def __init__(self, profile: Profile) -> None:
        pass

    def headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def models(self, body: bytes) -> list[Listed]:
        return read_models(body)

    def endpoint(self, request: ModelRequest) -> str:
        return self.path


class PlainDecoder:
    """The part of a :class:`~spark_jupyter.providers.base.Decoder` that is the same where a stream has no events but pieces of text and
    says itself that it ends."""

    def __init__(self, *, model: str = "", where: str = "") -> None:
        self._model = model
        self._where = where
        self._begun = False
        self.ended = False

    def _events(self, text: str, *, thinking: str = "", usage: Usage | None, is_cut: bool) -> list[ModelEvent]:
        """The events of a piece. The first says that the provider has taken the request, the last has the ``usage``."""
        begun, self._begun = self._begun, True
        events: list[ModelEvent] = [] if begun else [ResponseStarted(response_id="", model=self._model)]
        if thinking:
            events.append(ReasoningDelta(whole(thinking)))
        if text:
            events.append(TextDelta(whole(text)))
        if usage is not None:
            self.ended = True
            reason = "max_output_tokens"
            events.append(ResponseIncomplete(reason=reason, usage=usage) if is_cut else ResponseCompleted(usage=usage))
        return events

    def receive_end(self) -> list[ModelEvent]:
        return []
