"""Making the engine's link: choose a provider, connect. The heavy imports happen here, on the engine's thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from spark_jupyter.engine import Link

if TYPE_CHECKING:
    from spark_jupyter.messages import ModelInfo
    from spark_jupyter.providers.profiles import Profile, Settings


def linker(settings: Settings) -> Callable[[], Awaitable[Link]]:
    """What makes a :class:`~spark_jupyter.engine.Link` from these settings, the environment and the user's profiles."""

    async def link() -> Link:
        from jupyter_core.paths import jupyter_config_path

        from spark_jupyter.connection import connect
        from spark_jupyter.connection.discover import find_choice
        from spark_jupyter.providers.profiles import is_loopback, load_profiles

        profiles = load_profiles(jupyter_config_path())
        choice = await find_choice(settings=settings, profiles=profiles)
        return Link(
            connection=connect(choice),
            model=choice.model,
            provider=choice.profile.title or choice.profile.name,
            banner=choice.banner,
            offline=choice.is_offline,
            local=is_loopback(choice.base_url),
            price=partial(price_of, choice.profile),
        )

    return link


def price_of(profile: Profile, model: str) -> ModelInfo | None:
    """What the model costs there, None where the profile does not say."""
    from spark_jupyter.messages import ModelInfo

    price = profile.price(model)
    if price is None:
        return None
    return ModelInfo(id=model, provider=profile.name, input_price=price.input, output_price=price.output)
