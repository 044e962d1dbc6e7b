"""Gate for images in requests: consent, and a model that reads them.

Every request goes through :meth:`ImageGate.fit`. What may not be sent is left out, and said in a sentence. A person agrees once for each
place where models are served; that is kept beside Jupyter's data, for all kernels of this user.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import ProviderError, RequestRefused, SparkError
from spark_jupyter.protocol.provider_messages import ImageSupport
from spark_jupyter.protocol.values import Image
from spark_jupyter.providers.base import Message, ModelRequest, TextDelta, without_images
from spark_jupyter.providers.refusals import refuses_all_images

if TYPE_CHECKING:
    from spark_jupyter.routing.link import Link

_PATIENCE = 20.0
"""Seconds for the test of a model."""
_QUESTION = "Which colour is this picture? Answer with one word."
_COLOUR = "orange"
_PICTURE = Image(
    media_type="image/png",
    width=64,
    height=64,
    name="test",
    data="iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATUlEQVR42u3PQQkAAAgEsOuPnb0IvoXBCiw7eS0CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICApcCCQexaQtDixEAAAAASUVORK5CYII=",
)
"""All orange: a colour that a model without eyes would not guess."""


class ImageGate:
    """Knows which places may get images, and which models read them. Only used on the engine's loop."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._tested: dict[tuple[str, str], bool] = {}

    async def fit(self, link: Link, request: ModelRequest) -> tuple[ModelRequest, str]:
        """The request as it may be sent over ``link``, and why its images are left out (empty where they are not)."""
        if not any(message.images for message in request.input):
            return request, ""
        if refused := link.policy.refusal("images"):
            return without_images(request), f"Images were not sent. {refused}"
        if not self.agreed(link):
            return without_images(request), " ".join(not_allowed(link.provider or link.place))
        if not await self.reads(link, request.model):
            return without_images(request), " ".join(reads_none(request.model))
        return request, ""

    def agreed(self, link: Link) -> bool:
        """True if images may go to where ``link`` leads."""
        return link.local or link.offline or _key(link) in self._places()

    def allow(self, link: Link, *, allowed: bool) -> None:
        """Remember what a person said of the place where ``link`` leads. Raises :class:`~spark_jupyter.exceptions.PolicyError`."""
        if allowed:
            link.policy.refuse("images")
        places = self._places() - {_key(link)} | ({_key(link)} if allowed else set())
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(f".{os.getpid()}")
        fresh.write_text("".join(f"{place}\n" for place in sorted(places)), encoding="utf-8")
        fresh.replace(self._path)

    def learn(self, link: Link, request: ModelRequest, error: SparkError) -> None:
        """Remember that the model reads no images where it has refused those of ``request`` with ``error``."""
        if refuses_all_images(error) and any(message.images for message in request.input):
            self._tested[_key(link), request.model] = False

    async def support(self, link: Link, model: str) -> ImageSupport:
        """What a client shows beside images before they are sent. The model is not tested for it."""
        reads = await self._known(link, model or link.model)
        price = link.price(model or link.model)
        refused = link.policy.refusal("images")
        return ImageSupport(
            provider=link.provider,
            model=model or link.model,
            reads="untested" if reads is None else "yes" if reads else "no",
            agreed=self.agreed(link) and refused is None,
            refused=str(refused or ""),
            input_price=price.input_price if price is not None else None,
        )

    async def reads(self, link: Link, model: str) -> bool:
        """Whether the model reads images: by the list, by the profile, or by a test, once."""
        known = await self._known(link, model)
        if known is not None:
            return known
        try:
            self._tested[_key(link), model] = seen = await _sees(link, model)
        except (ProviderError, TimeoutError) as error:
            if isinstance(error, RequestRefused):
                self._tested[_key(link), model] = False
            return False
        return seen

    async def _known(self, link: Link, model: str) -> bool | None:
        if link.offline:
            return False
        if (tested := self._tested.get((_key(link), model))) is not None:
            return tested
        if (by_profile := link.images(model)) is not None:
            return by_profile
        try:
            listed = await link.connection.models()
        except ProviderError:
            return None
        known = next(
            (each.images for each in listed if each.id == model), link.images(model)
        )  # an agent says it when it is open
        if known is not None:
            self._tested[_key(link), model] = known
        return known

    @property
    def _path(self) -> Path:
        if self._file is None:
            from jupyter_core.paths import jupyter_data_dir

            self._file = Path(jupyter_data_dir()) / "spark_jupyter" / "image_places.txt"
        return self._file

    def _places(self) -> set[str]:
        try:
            return set(self._path.read_text(encoding="utf-8").splitlines())
        except (OSError, UnicodeDecodeError):
            return set()


def not_allowed(provider: str) -> tuple[str, str]:
    """What is said where a person has not agreed, and what to do."""
    return f"Images were not sent: {provider} gets none before you allow it.", "Use %spark images on, then ask again."


def reads_none(model: str) -> tuple[str, str]:
    """What is said of a model that reads no images, and what to do."""
    return f"{model or 'The model'} reads no images, so none was sent.", "Choose one that does with %spark model NAME."


def _key(link: Link) -> str:
    return link.place or link.provider


async def _sees(link: Link, model: str) -> bool:
    """Show the model a picture and ask for its colour. Raises a :class:`~spark_jupyter.exceptions.ProviderError`, and
    :class:`TimeoutError`."""
    asked = Message("user", _QUESTION, (_PICTURE,))
    request = ModelRequest(model=model, instructions="", input=(asked,), max_output_tokens=1_000)
    said = ""
    async with asyncio.timeout(_PATIENCE), aclosing(link.connection.stream(request)) as batches:
        async for batch in batches:
            said += "".join(event.text for event in batch if isinstance(event, TextDelta))
    return _COLOUR in said.lower()
