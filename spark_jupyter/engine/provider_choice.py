"""Choice of providers: for turns, deep work and suggestions.

No turn is concerned. Keys are read here, and go to the connection alone.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from spark_jupyter.connection.base import AgentLink
from spark_jupyter.engine.broadcast import Broadcast
from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.exceptions import ConfigurationError, PolicyError, SessionError, SparkError
from spark_jupyter.policy import load_policy
from spark_jupyter.protocol.completion_messages import Mode
from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.messages import Event, Problem
from spark_jupyter.protocol.provider_messages import (
    AllowImages,
    CheckImages,
    DownloadModel,
    Ideas,
    ImageSupport,
    ListIdeas,
    ListModels,
    ListProviders,
    ModelDownload,
    Models,
    ProviderAnswered,
    ProviderInfo,
    Providers,
    UseProvider,
)
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.profile import ACP, GGUF, Profile, is_file_name
from spark_jupyter.routing.link import Connect, Link, LinkKeeper, linker
from spark_jupyter.routing.routing import Routing
from spark_jupyter.session.session import Session

Choice = ListModels | CheckImages | AllowImages | ListIdeas | ListProviders | DownloadModel | UseProvider | ChooseDeep
MOST_MODELS = 8
"""So many models of a provider are named where it is tested."""
MOST_FILES = 100
"""So many model files of a folder are listed."""
KEY_VARIABLE = "SPARK_SUGGEST_API_KEY"
_VARIABLES = {
    "profile": "SPARK_SUGGEST_PROFILE",
    "base_url": "SPARK_SUGGEST_BASE_URL",
    "model": "SPARK_SUGGEST_MODEL",
}


def providers(environ: Mapping[str, str] | None = None, *, model_folder: str = "") -> Providers:
    """The providers that can be chosen: the package's profiles and the user's own, and the model files in a folder; where none is named,
    in that of ``SPARK_MODELS``."""
    from jupyter_core.paths import jupyter_config_path

    from spark_jupyter.connection.discovery import model_files
    from spark_jupyter.connection.kept_keys import kept_keys
    from spark_jupyter.connection.model_downloads import offers
    from spark_jupyter.providers.profiles import folder_of_models, load_profiles

    environ = os.environ if environ is None else environ
    policy = load_policy()
    known = [profile for profile in load_profiles(jupyter_config_path()).values() if _can_be_chosen(profile)]
    kept = kept_keys().addresses()
    infos = [_provider_info(profile, environ, kept) for profile in known if policy.allows(profile, environ)]
    if not policy.allows_model_files:
        return Providers(providers=tuple(infos))
    folder = folder_of_models(model_folder, environ)
    files = model_files(folder)[:MOST_FILES]
    return Providers(providers=tuple(infos), files=tuple(map(str, files)), offers=offers(Path(folder).expanduser()))


def _can_be_chosen(profile: Profile) -> bool:
    """True for what answers prompts; of agents only for those that are installed."""
    return not profile.only_suggests and (profile.dialect != ACP or shutil.which(profile.command[0]) is not None)


def _provider_info(profile: Profile, environ: Mapping[str, str], kept: Sequence[str]) -> ProviderInfo:
    from spark_jupyter.providers.addresses import base_url, key_address

    url = environ.get(profile.url_env, "") or profile.base_url
    return ProviderInfo(
        name=profile.name,
        title=profile.title,
        base_url=url,
        model=profile.model,
        key_env=profile.key_env,
        key_url=profile.key_url,
        has_key=bool(profile.key_env and environ.get(profile.key_env)),
        signs_in=bool(profile.auth),
        keeps_key=bool(url and kept) and key_address(base_url(url, profile.dialect)) in kept,
    )


def keep_key(address: str, key: str) -> str:
    """Keep a pasted key for its address. Returns a sentence about that; raises nothing: the key works all the same."""
    from spark_jupyter.connection.kept_keys import kept_keys

    keys = kept_keys()
    try:
        keys.keep(address, key)
    except ConfigurationError as error:
        return str(error)
    return f"Its key is kept in {keys.place()}."


def forget_key(name: str) -> str:
    """Forget the key of a profile or a URL; empty: none is forgotten. Returns a sentence on the keys that are kept. Raises
    :class:`ConfigurationError` for a place without a kept key."""
    from jupyter_core.paths import jupyter_config_path

    from spark_jupyter.connection.kept_keys import kept_keys
    from spark_jupyter.providers.addresses import base_url, key_address
    from spark_jupyter.providers.profiles import load_profiles

    keys = kept_keys()
    if name:
        profile = load_profiles(jupyter_config_path()).get(name, Profile(name=name, base_url=name))
        address = key_address(base_url(os.environ.get(profile.url_env, "") or profile.base_url, profile.dialect))
        if address not in keys.addresses():
            raise ConfigurationError(f"No key is kept for {name}.", remedy="%spark forget-key shows whose keys are.")
        keys.forget(address)
    kept = ", ".join(keys.addresses()) or "none"
    return f"Keys in {keys.place()}: {kept}."


def link_to(wish: UseProvider, environ: Mapping[str, str] | None = None, *, suggests: bool = False) -> Connect:
    """Connector to the requested provider; ``suggests``: for suggestions alone.

    Raises :class:`ConfigurationError` where nothing was chosen, or the variable that should hold the key does not.
    """
    from spark_jupyter.connection.kept_keys import checked_key
    from spark_jupyter.providers.profiles import CHOSEN, CONFIGURED, Secret, Settings

    environ = os.environ if environ is None else environ
    if not (wish.profile or wish.base_url or is_file_name(wish.model)):
        raise ConfigurationError("No provider was chosen.", remedy="Choose one, or give the base URL of one.")
    key = wish.key.strip()
    if wish.key_env and not key:
        key = environ.get(wish.key_env, "").strip()
        if not key:
            raise ConfigurationError(
                f"{wish.key_env} is not set where the kernel runs.",
                remedy="Set it before Jupyter starts, or paste the key.",
            )
    secret = Secret(checked_key(key)) if key else None
    return linker(
        Settings(
            profile=wish.profile,
            base_url=wish.base_url.strip(),
            model=wish.model.strip(),
            api_key=secret,
            suggests=suggests,
            source=CONFIGURED if wish.saved else CHOSEN,
        )
    )


async def looked_at(connect: Connect) -> tuple[Link, Sequence[ModelInfo], str]:
    """The link, the models that it lists, and sentences on what it offers. It is closed then. Raises the error of either."""
    link = await connect()
    try:
        await link.connection.open()
        models = await link.connection.models()
    finally:
        await link.connection.close()
    listed = next((each.images for each in models if each.id == link.model), None)
    return link, models, link.service(link.model, listed)


async def tested(connect: Connect) -> ProviderAnswered:
    """Test if a provider answers: connect, and ask for its models, which costs nothing. Raises the error of either."""
    link, models, service = await looked_at(connect)
    names = tuple(model.id for model in models)
    known = f" It lists {len(names)} {'model' if len(names) == 1 else 'models'}." if names else ""
    missing = f" {link.model} is not among them." if names and link.model and link.model not in names else ""
    return ProviderAnswered(
        ok=not missing,
        message=f"{link.provider or 'The provider'} answers.{known}{missing} {service}".strip(),
        only_test=True,
        models=names[:MOST_MODELS],
    )


def chosen(link: Link, kept: str = "") -> ProviderAnswered:
    """A provider has taken the place of another; ``kept`` says where its key is kept."""
    named = " at ".join(filter(None, (link.model, link.provider))) or "the provider"
    return ProviderAnswered(ok=True, message=f"Connected to {named}. {kept} {link.notice}".strip())


class Choices:
    """Does what a person chose. Whatever comes of it is sent to everyone: it is one session. ``ideas`` gives prompts to suggest,
    ``model_folder`` is where model files are listed from. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        routing: Routing,
        thread: LoopThread,
        broadcast: Broadcast,
        *,
        ideas: Callable[[], Sequence[str]],
        model_folder: str,
    ) -> None:
        self.routing = routing
        self.choosing: asyncio.Task[None] | None = None
        """The last choice of who answers."""
        self._session = session
        self._thread = thread
        self._broadcast = broadcast
        self._ideas = ideas
        self._model_folder = model_folder
        self._downloads: dict[str, asyncio.Task[None]] = {}

    def receive(self, command: Choice) -> None:
        match command:
            case ListModels():
                self._thread.spawn(self._list_models())
            case CheckImages() | AllowImages():
                self._thread.spawn(self._send_image_support(command))
            case ListIdeas():
                self._send(Ideas(prompts=tuple(self._ideas())))
            case ListProviders(model_folder=folder):
                self._send(providers(model_folder=folder or self._model_folder))
            case DownloadModel(name=name, stop=True):
                if name in self._downloads:
                    self._downloads[name].cancel()
            case DownloadModel(name=name):
                if name not in self._downloads:
                    self._downloads[name] = self._thread.spawn(self._download(command))
            case UseProvider(only_test=False):
                self.choosing = self._thread.spawn(self._take(command))
            case _:
                self._thread.spawn(self._take(command))

    def choose_deep(self, wish: ChooseDeep) -> None:
        self._thread.spawn(self._take(wish))

    def fall_back_to(self, profile: str | None) -> None:
        """Ask another provider where the first can't answer; None: the one that was configured with it. One that does not exist is
        reported, and changes nothing."""
        self._thread.spawn(self._fall_back_to(profile))

    def report(self, error: SparkError) -> None:
        self._send(Problem.of(error))

    async def models(self) -> Models:
        """The provider's own list. Raises a :class:`~spark_jupyter.exceptions.ProviderError` where it can't be had."""
        link = await self.routing.turns.get()
        listed = tuple(await link.connection.models())
        by_itself = link.connection.model if isinstance(link.connection, AgentLink) else ""
        return Models(models=listed, selected=self._session.model or by_itself, serving=self.routing.serving())

    async def image_support(self, word: AllowImages | None = None) -> ImageSupport:
        """Whether images can go along, after a person's ``word`` on it. Raises a :class:`~spark_jupyter.exceptions.SparkError` where
        there is no link."""
        link = await self.routing.turns.get()
        if word is not None:
            self.routing.images.allow(link, allowed=word.allowed)
        return await self.routing.images.support(link, self._session.model)

    async def _send_image_support(self, command: CheckImages | AllowImages) -> None:
        try:
            self._send(await self.image_support(command if isinstance(command, AllowImages) else None))
        except SparkError as error:
            self.report(error)

    async def _fall_back_to(self, profile: str | None) -> None:
        try:
            await self.routing.fall_back_to(profile)
        except SparkError as error:
            self.report(error)

    async def _download(self, wish: DownloadModel) -> None:
        """Download a model, and tell everyone how far it is."""
        from spark_jupyter.connection.model_downloads import downloading
        from spark_jupyter.providers.profiles import folder_of_models

        folder = wish.model_folder or self._model_folder
        place = Path(folder_of_models(folder, os.environ)).expanduser().absolute()
        try:
            async for told in downloading(wish.name, place, allowed=load_policy().allows_model_files):
                self._send(told)
        except asyncio.CancelledError:
            self._send(ModelDownload(name=wish.name, stopped=True))
        finally:
            del self._downloads[wish.name]
        self._send(providers(model_folder=folder))

    async def _take(self, wish: UseProvider | ChooseDeep) -> None:
        """Another provider, or another one for deep work; or only a test whether it would answer."""
        try:
            if isinstance(wish, ChooseDeep):
                await self.routing.choose_deep(wish)
                return
            connect = self.routing.turns.own if wish.own else link_to(wish)
            if wish.only_test:
                answer = await tested(connect)
            else:
                link = await self.routing.use(connect)
                key = wish.key.strip()
                kept = await asyncio.to_thread(keep_key, link.address, key) if key else ""
                answer = chosen(link, kept)
        except SparkError as error:
            only_test = isinstance(wish, UseProvider) and wish.only_test
            answer = ProviderAnswered(ok=False, message=str(error), only_test=only_test)
        self._send(answer)
        if answer.ok and not answer.only_test and not self._session.model:
            await self._list_models()  # where none was named, one can be chosen

    async def _list_models(self) -> None:
        try:
            self._send(await self.models())
        except SparkError as error:
            self.report(error)

    def _send(self, event: Event) -> None:
        self._broadcast.send([event])


class Wish(Struct, frozen=True, kw_only=True):
    """A person's choice of the provider of suggestions. ``by`` names a provider of their own, or only a model."""

    mode: Mode = "on"
    by: UseProvider = UseProvider()


class SuggestionSource:
    """The link for suggestions: the provider of turns, with a model of their own or the same one, or a provider of their own. Only used on
    the engine's loop."""

    def __init__(self, session: Session, routing: Routing, wish: Wish) -> None:
        self.mode: Mode = wish.mode
        self.by = UseProvider()
        """The person's choice."""
        self._session = session
        self.routing = routing
        self._turns = routing.turns
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
        link = await (self._own or self._turns).get()
        model = self._model(link)
        self.routing.policy.refuse_link(model, offline=link.offline, agent=link.is_agent)
        return link, model

    def refuse_off(self) -> None:
        """Raise a :class:`~spark_jupyter.exceptions.SparkError` where suggestions are switched off."""
        self.routing.policy.refuse("suggestions")
        if self.mode == "off":
            raise SessionError("Suggestions are switched off.", remedy="%spark suggestions on")

    @property
    def of_turns(self) -> tuple[Link | None, str]:
        """The link of the prompts, None where there is none yet or no suggestion of a model is allowed, and their model."""
        link, policy = self._turns.link, self.routing.policy
        model = self._session.model or (link.model if link is not None else "")
        try:
            policy.refuse("suggestions")
            if link is not None:
                policy.refuse_link(model, offline=link.offline, agent=link.is_agent)
        except PolicyError:
            return None, model
        return link, model

    @property
    def words(self) -> str:
        """The maker of suggestions, in a few words."""
        link = (self._own or self._turns).link
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

    def _model(self, link: Link | None) -> str:
        """The model that is asked for there; empty where that is not known before there is a link."""
        if self._own is not None:
            return link.model if link is not None else self._by.model
        suggests, first = (link.suggest_model, link.model) if link is not None else ("", "")
        return self._by.model or suggests or self._session.model or first

    async def _connected(self) -> Link:
        return await link_to(self._by, suggests=True)()


def with_environment(by: UseProvider, environ: Mapping[str, str]) -> UseProvider:
    """The wish, with what the environment says where it says nothing. The environment's key is for the environment's own place."""
    if is_placed(by):
        return by
    named = {field: environ.get(variable, "") for field, variable in _VARIABLES.items()}
    named["model"] = by.model or named["model"]
    found = UseProvider(**named)  # type: ignore[arg-type]  # all are texts
    key = KEY_VARIABLE if environ.get(KEY_VARIABLE) and is_placed(found) else ""
    return structs.replace(found, key_env=key)


def is_placed(by: UseProvider) -> bool:
    """True if it names a place, and not only a model at the provider of turns."""
    return bool(by.profile or by.base_url or is_file_name(by.model))
