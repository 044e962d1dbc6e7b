"""Who makes suggestions: the provider of the turns, with a model of their own or the same one, or a provider of their own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from spark_jupyter.engine.choosing import link_to
from spark_jupyter.engine.link import Link, LinkKeeper
from spark_jupyter.protocol.completion_messages import Mode
from spark_jupyter.protocol.provider_messages import UseProvider
from spark_jupyter.providers.profile import GGUF


class Wish(Struct, frozen=True, kw_only=True):
    """What a person has configured about suggestions. ``by`` names a provider of their own, or only a model."""

    mode: Mode = "on"
    by: UseProvider = UseProvider()


class Sources:
    """Gives completions their link. Only used on the engine's loop.

    ``shared`` keeps the link of the turns, ``model`` says what was chosen for them.
    """

    def __init__(self, shared: LinkKeeper, *, model: Callable[[], str], wish: Wish) -> None:
        self.mode: Mode = wish.mode
        self._shared = shared
        self._shared_model = model
        self.by = UseProvider()
        """What a person has wished."""
        self._by = UseProvider()
        self._own: LinkKeeper | None = None
        self._closing: list[asyncio.Future[None]] = []
        self.use(wish.by)

    def use(self, by: UseProvider) -> None:
        """Let another provider, or another model, make suggestions from now on; an empty wish: those of the turns. What
        ``SPARK_SUGGEST_…`` names in the environment counts where the wish says nothing. It is connected when it is first needed."""
        if self._own is not None:
            self._closing.append(asyncio.ensure_future(self._own.close()))
        self.by, self._by = by, with_environment(by, os.environ)
        self._own = LinkKeeper(self._connected, made=lambda link: None) if is_placed(self._by) else None

    async def get(self) -> tuple[Link, str]:
        """The link, and the model to ask for there. Raises what making the link raised."""
        link = await (self._own or self._shared).get()
        return link, self._model(link)

    @property
    def of_turns(self) -> tuple[Link | None, str]:
        """The link of the prompts, None where there is none yet, and their model."""
        link = self._shared.link
        return link, self._shared_model() or (link.model if link is not None else "")

    def _model(self, link: Link | None) -> str:
        """The model that is asked for there; empty where that is not known before there is a link."""
        if self._own is not None:
            return link.model if link is not None else self._by.model
        suggests, first = (link.suggest_model, link.model) if link is not None else ("", "")
        return self._by.model or suggests or self._shared_model() or first

    @property
    def words(self) -> str:
        """Who makes them, in a few words."""
        link = (self._own or self._shared).link
        known = link.provider if link is not None else self._by.profile or self._by.base_url
        model = self._model(link)
        if link is None and model.endswith(GGUF):
            return f"{Path(model).name} on this machine"
        where = known or "the provider of the prompts"
        return f"{model} at {where}" if model else where

    async def close(self) -> None:
        """Close what was opened for suggestions alone."""
        if self._own is not None:
            await self._own.close()
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _connected(self) -> Link:
        return await link_to(self._by, suggests=True)()


_VARIABLES = {
    "profile": "SPARK_SUGGEST_PROFILE",
    "base_url": "SPARK_SUGGEST_BASE_URL",
    "model": "SPARK_SUGGEST_MODEL",
}
KEY_VARIABLE = "SPARK_SUGGEST_API_KEY"


def with_environment(by: UseProvider, environ: Mapping[str, str]) -> UseProvider:
    """The wish, with what the environment says where it says nothing. The environment's key is for the environment's own place."""
    from msgspec import structs

    if is_placed(by):
        return by
    named = {field: environ.get(variable, "") for field, variable in _VARIABLES.items()}
    named["model"] = by.model or named["model"]
    found = UseProvider(**named)  # type: ignore[arg-type]  # all are texts
    key = KEY_VARIABLE if environ.get(KEY_VARIABLE) and is_placed(found) else ""
    return structs.replace(found, key_env=key)


def is_placed(by: UseProvider) -> bool:
    """Whether it names a place, and not only a model that is served where the turns are."""
    return bool(by.profile or by.base_url or by.model.endswith(GGUF))
