"""Link to a provider: chosen, connected, kept, replaced.

The heavy imports happen here, on the engine's thread.
"""

from __future__ import annotations

import asyncio
import datetime
import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.connection.base import Connection
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.policy import Policy, load_policy
from spark_jupyter.prompting.budget import ANSWER_SHARE, HOSTED_WINDOW, LOCAL_WINDOW
from spark_jupyter.protocol.deep_messages import DeepLimits
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.model_choice import reads_images, service_text
from spark_jupyter.providers.profile import Profile
from spark_jupyter.session.retry_policy import Fallback
from spark_jupyter.session.turn_meter import no_price
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.working_folder import working_folder

if TYPE_CHECKING:
    from spark_jupyter.providers.profiles import Choice, Secret, Settings

Connect = Callable[[], Awaitable["Link"]]


class Link(Struct, frozen=True, kw_only=True):
    """A connection, and what is known of its provider."""

    connection: Connection
    model: str
    provider: str = ""
    address: str = ""
    """Address that a key for it belongs to."""
    with_key: Callable[[Secret], Connection] | None = None
    """A connection to the same place with another key; None where it takes none."""
    banner: str = ""
    notice: str = ""
    suggest_model: str = ""
    """For suggestions, where it is another one than for prompts."""
    offered: Profile | None = None
    """Of a server on this machine that is used after a yes."""
    offline: bool = False
    local: bool = False
    """True for a model on this machine: it costs nothing, and nothing leaves."""
    price: Callable[[str], ModelInfo | None] = no_price
    deep_model: str = ""
    """Model of deep work; empty: the model of turns."""
    deep_effort: str = ""
    deep_limits: DeepLimits = DeepLimits()
    """Limits of one deep work, if the profile has some."""
    deep_profile: str = ""
    """Profile of deep work; empty: this one."""
    window: int = HOSTED_WINDOW
    """Tokens that the model takes in."""
    most_output: int | None = None
    """Tokens that an answer may have; None leaves it to the provider. A server on this machine may have a small window."""
    effort: str | None = None
    """Reasoning effort of its models, if the profile says."""
    tier: str | None = None
    """Service tier of turns, if the profile says."""
    deep_tier: str | None = None
    """The same for deep work."""
    tiers: tuple[str, ...] = ()
    """Known tiers."""
    ending: Callable[[str], str] = lambda model: ""
    """A sentence on a model that ends or has ended; empty for others."""
    prewarms: bool = False
    """True if it reads a request's beginning without answering."""
    windows: tuple[str, ...] = ()
    """Hours within which it answers for less."""
    fallback: FallbackLink | None = None
    place: str = ""
    """Host and port."""
    policy: Policy = Policy()
    """Policy in force when it was made."""
    is_agent: bool = False
    """True for an agent: nothing but prompts and deep work is asked of it."""
    images: Callable[[str], bool | None] = lambda model: None
    """Whether a model reads images, by the profile; None where it does not say."""
    service: Callable[[str, bool | None], str] = lambda model, listed_images: ""
    """Sentences on what it offers with a model: see :func:`~spark_jupyter.providers.model_choice.service_text`."""
    attempts: int = 1
    """Answers that are written and tried where a prompt can be checked."""


class FallbackLink(Struct, frozen=True, kw_only=True):
    """The second provider that is configured: its title, and the function that makes its link."""

    told: Fallback
    connect: Connect
    local: bool = False


class LinkKeeper:
    """Makes a link once, and again with the next request where that failed. Only used on the engine's loop.

    ``made`` is called with the link when it is open. ``connect`` makes it, ``own`` is what made it at first.
    """

    def __init__(self, connect: Connect, *, made: Callable[[Link], None]) -> None:
        self.link: Link | None = None
        self.connect = self.own = connect
        self._made = made
        self._making: asyncio.Task[Link] | None = None
        self._second: LinkKeeper | None = None
        self._fallback: str | None = None
        self._given: FallbackLink | None = None

    def begin(self) -> None:
        """Begin to make it, where there is none and none is being made."""
        if self.link is None and self._making is None:
            self._making = asyncio.get_running_loop().create_task(self._make())
            self._making.add_done_callback(self._take)

    async def get(self) -> Link:
        """The link, made first where there is none. Raises what making it raised."""
        if self.link is None:
            self.begin()
            assert self._making is not None
            return await asyncio.shield(self._making)
        return self.link

    async def fallback(self) -> Link:
        """The link to the provider that is asked where this one can't answer, made first where there is none. Raises what making it
        raised."""
        link = await self.get()
        assert link.fallback is not None  # or nobody would have asked for it
        if self._second is None:
            self._second = LinkKeeper(link.fallback.connect, made=lambda _: None)
        return await self._second.get()

    async def fall_back_to(self, profile: str | None) -> None:
        """The provider of this profile is the fallback from now on, whichever is the first; where it is empty, there is none. None: the
        one that the link came with.

        Raises :class:`ConfigurationError` where there is none of that name."""
        if self.link is not None:
            given = structs.replace(self.link, fallback=self._given)
            self.link = given if profile is None else with_fallback(self.link, profile)
        self._fallback = profile
        await self._close_second()

    async def replace(self, connect: Connect) -> Link:
        """Another link takes the place of this one, from now on. Raises what making it raised; then all stays as it was."""
        link = await self._open(connect)
        await self.close()
        self.connect, self.link = connect, link
        return link

    async def close(self) -> None:
        """Close the connection, or stop making it; that of the fallback, too."""
        await self._close_second()
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)
        if self.link is not None:
            await self.link.connection.close()

    async def _close_second(self) -> None:
        if self._second is not None:
            second, self._second = self._second, None
            await second.close()

    async def _make(self) -> Link:
        return await self._open(self.connect)

    async def _open(self, connect: Connect) -> Link:
        link = await connect()
        given = link.fallback
        if self._fallback is not None:
            link = with_fallback(link, self._fallback)
        await link.connection.open()
        self._given = given
        return link

    def _take(self, task: asyncio.Task[Link]) -> None:
        self._making = None
        if task.cancelled() or task.exception() is not None:
            return  # said to whoever asks for the link: the next turn tries again and fails with the reason
        self.link = task.result()
        self._made(self.link)


def linker(settings: Settings, *, warn: Callable[[str], None] | None = None, may_fall_back: bool = True) -> Connect:
    """Connector that makes a :class:`Link` from these settings, the environment and the user's profiles. ``warn`` is told, before
    anything is sent, what a person is to know about it. A fallback has none of its own."""

    async def link() -> Link:
        from jupyter_core.paths import jupyter_config_path

        from spark_jupyter.connection import connect
        from spark_jupyter.connection.discovery import find_choice, look
        from spark_jupyter.providers.addresses import is_loopback, key_address
        from spark_jupyter.providers.profiles import chosen_agent, load_profiles, with_key

        policy = load_policy()
        profiles = policy.marked(load_profiles(jupyter_config_path()), os.environ)
        if (agent := chosen_agent(settings, profiles, os.environ)) is not None:
            policy.refuse_agent(agent.name)
            return _agent_link(agent, settings, policy)
        choice = await find_choice(settings=settings, profiles=profiles)
        policy.refuse_place(choice.profile.name, choice.base_url, choice.dialect)
        if warn is not None and choice.notice:
            warn(printable(choice.notice))
        choice = await look(choice)
        if not choice.is_named and not choice.is_offline:
            choice = structs.replace(choice, model=policy.usual_model(choice.model))
        here = is_loopback(choice.base_url)
        window = choice.profile.context_window or (LOCAL_WINDOW if here else HOSTED_WINDOW)
        return Link(
            connection=_limited(connect(choice), policy, choice),
            model=choice.model,
            provider=choice.profile.title or choice.profile.name,
            address=key_address(choice.base_url),
            with_key=None
            if choice.is_offline
            else lambda key: _limited(connect(with_key(choice, key)), policy, choice),
            banner=printable(choice.banner),
            notice=printable(choice.notice),
            suggest_model=choice.profile.suggest_model,
            offered=choice.offered,
            offline=choice.is_offline,
            local=choice.is_local,
            price=partial(price_of, choice.profile),
            deep_model=choice.profile.deep_model,
            deep_effort=choice.profile.deep_effort,
            deep_limits=choice.profile.deep_limits,
            deep_profile=choice.profile.deep_profile,
            effort=choice.profile.effort or None,
            tier=choice.profile.tier or None,
            deep_tier=choice.profile.deep_tier or None,
            tiers=choice.profile.tiers,
            ending=partial(ending_of, choice.profile),
            windows=choice.profile.windows,
            prewarms=choice.profile.warm_up,
            attempts=choice.profile.attempts,
            place=choice.where,
            policy=policy,
            images=partial(reads_images, choice.profile),
            service=partial(service_text, choice.profile, signs_in=choice.api_key is None),
            fallback=_fallback(settings, choice.profile, profiles) if may_fall_back else None,
            window=window,
            most_output=int(window * ANSWER_SHARE) if here else None,
        )

    return link


def _limited(connection: Connection, policy: Policy, choice: Choice) -> Connection:
    """The connection below the policy, where that says anything of requests. The embedded server has no models to choose from."""
    if choice.is_offline or not policy.limits_requests:
        return connection
    from spark_jupyter.providers.profiles import profile_at
    from spark_jupyter.routing.limited_connection import LimitedConnection

    administrators = profile_at(choice.base_url, policy.trusted_profiles(), os.environ)

    def price(model: str) -> ModelInfo | None:
        return price_of(administrators, model) or price_of(choice.profile, model)

    return LimitedConnection(connection, policy, price)


def _agent_link(profile: Profile, settings: Settings, policy: Policy) -> Link:
    """Link to an agent. It answers prompts and does deep work; suggestions are not asked of it."""
    try:
        from spark_jupyter.agents.acp_connection import AgentConnection
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Agents need the package {error.name}.", remedy='Install it: pip install "spark-jupyter[acp]".'
        ) from None
    title = profile.title or profile.name
    connection = AgentConnection(profile, working_folder(), mode=settings.mode)
    return Link(
        connection=connection,
        model=settings.model or profile.model,
        provider=title,
        banner=f"Agent: {title}, with its own account. %spark agent lists the others; %spark provider NAME chooses a provider.",
        place=f"{title} on this machine",
        images=lambda model: connection.takes_images,
        is_agent=True,
        policy=policy,
        window=profile.context_window or HOSTED_WINDOW,
        deep_limits=profile.deep_limits,
        deep_profile=profile.deep_profile,
    )


def _fallback(settings: Settings, first: Profile, profiles: Mapping[str, Profile]) -> FallbackLink | None:
    """The profile that is named as a fallback, by the settings, the environment or the first profile; None where no other one is.
    Raises :class:`ConfigurationError` where there is none of that name."""
    name = settings.fallback or os.environ.get("SPARK_FALLBACK", "") or first.fallback
    return None if not name or name == first.name or settings.suggests else _fallback_to(name, profiles)


def with_fallback(link: Link, name: str) -> Link:
    """The link, with the profile of this name as its fallback; where the name is empty, with none.

    Raises :class:`ConfigurationError` where there is none of that name."""
    if not name:
        return structs.replace(link, fallback=None)
    from jupyter_core.paths import jupyter_config_path

    from spark_jupyter.providers.profiles import load_profiles

    fallback = _fallback_to(name, load_profiles(jupyter_config_path()))
    return structs.replace(link, fallback=None if fallback.told.title == link.provider else fallback)


def _fallback_to(name: str, profiles: Mapping[str, Profile]) -> FallbackLink:
    from spark_jupyter.providers.profiles import Choice, Settings

    profile = profiles.get(name)
    if profile is None:
        raise ConfigurationError(
            f"There is no profile {name!r} to fall back to.", remedy=f"Available: {', '.join(profiles)}."
        )
    told = Fallback(title=profile.title or name, model=profile.model, price=partial(price_of, profile))
    choice = Choice(profile=profile, base_url=profile.base_url, model=profile.model, dialect=profile.dialect)
    local = bool(profile.base_url) and choice.is_local
    return FallbackLink(
        told=told, connect=linker(Settings(profile=name, beside=True), may_fall_back=False), local=local
    )


def known_profile(name: str) -> str:
    """The name of a profile. Raises :class:`ConfigurationError` where there is none of that name."""
    from jupyter_core.paths import jupyter_config_path

    from spark_jupyter.providers.profiles import load_profiles

    profiles = load_profiles(jupyter_config_path())
    if name not in profiles:
        raise ConfigurationError(f"There is no profile {name!r}.", remedy=f"Available: {', '.join(profiles)}.")
    return name


def ending_of(profile: Profile, model: str) -> str:
    """A sentence on the end of a model there; empty where the profile knows of none."""
    from spark_jupyter.providers.model_choice import retirement

    return retirement(profile, model, today=datetime.date.today())


def price_of(profile: Profile, model: str) -> ModelInfo | None:
    """Price of the model there; None if the profile does not say."""
    price = profile.price(model)
    if price is None:
        return None
    return ModelInfo(
        id=model,
        provider=profile.name,
        input_price=price.input,
        output_price=price.output,
        cached_price=price.cached_input,
        cache_write_price=price.cache_write,
    )
