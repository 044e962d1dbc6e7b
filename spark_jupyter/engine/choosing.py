"""What a person chooses: which provider answers, which one does deep work; and what there is to choose from. No turn is concerned. Keys
are read here, and go to the connection alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from spark_jupyter.engine.gears import Gears
from spark_jupyter.engine.link import Connect, Link, LinkKeeper, linker
from spark_jupyter.exceptions import ConfigurationError, SessionError, SparkError
from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.messages import Event, Problem
from spark_jupyter.protocol.provider_messages import (
    Ideas,
    ListIdeas,
    ListModels,
    ListProviders,
    Models,
    ProviderAnswered,
    ProviderInfo,
    Providers,
    UseProvider,
)
from spark_jupyter.providers.profile import GGUF
from spark_jupyter.session.session import Session

Choice = ListModels | ListIdeas | ListProviders | UseProvider | ChooseDeep
MOST_MODELS = 8
"""So many models of a provider are named where it is tested."""
MOST_FILES = 100
"""So many model files of a folder are listed."""


def providers(environ: Mapping[str, str] | None = None, *, model_folder: str = "") -> Providers:
    """The providers that can be chosen: the package's profiles and the user's own, and the model files in a folder; where none is named,
    in that of ``SPARK_MODELS``."""
    from jupyter_core.paths import jupyter_config_path

    from spark_jupyter.connection.discovery import model_files
    from spark_jupyter.providers.profiles import folder_of_models, load_profiles

    environ = os.environ if environ is None else environ
    known = load_profiles(jupyter_config_path())
    return Providers(
        providers=tuple(
            ProviderInfo(
                name=profile.name,
                title=profile.title,
                base_url=environ.get(profile.url_env, "") or profile.base_url,
                model=profile.model,
                key_env=profile.key_env,
                has_key=bool(profile.key_env and environ.get(profile.key_env)),
            )
            for profile in known.values()
            if not profile.only_suggests
        ),
        files=tuple(map(str, model_files(folder_of_models(model_folder, environ))[:MOST_FILES])),
    )


def link_to(wish: UseProvider, environ: Mapping[str, str] | None = None, *, suggests: bool = False) -> Connect:
    """What makes the link that was asked for; ``suggests``: for suggestions alone.

    Raises :class:`ConfigurationError` where nothing was chosen, or the variable that should hold the key does not.
    """
    from spark_jupyter.providers.profiles import Secret, Settings

    environ = os.environ if environ is None else environ
    if not (wish.profile or wish.base_url or wish.model.endswith(GGUF)):
        raise ConfigurationError("No provider was chosen.", remedy="Choose one, or give the base URL of one.")
    key = wish.key.strip()
    if wish.key_env and not key:
        key = environ.get(wish.key_env, "").strip()
        if not key:
            raise ConfigurationError(
                f"{wish.key_env} is not set where the kernel runs.",
                remedy="Set it before Jupyter starts, or paste the key for this session.",
            )
    if not (key.isascii() and (key.isprintable() or not key)):
        raise ConfigurationError("That can't be a key.", remedy="Copy it again: only printable ASCII, on one line.")
    secret = Secret(key) if key else None
    return linker(
        Settings(
            profile=wish.profile,
            base_url=wish.base_url.strip(),
            model=wish.model.strip(),
            api_key=secret,
            suggests=suggests,
        )
    )


async def tested(connect: Connect) -> ProviderAnswered:
    """Whether a provider answers: connected, and asked for its models, which costs nothing. Raises what that raised."""
    link = await connect()
    try:
        await link.connection.open()
        models = await link.connection.models()
    finally:
        await link.connection.close()
    names = tuple(model.id for model in models)
    known = f" It lists {len(names)} {'model' if len(names) == 1 else 'models'}." if names else ""
    missing = f" {link.model} is not among them." if names and link.model and link.model not in names else ""
    return ProviderAnswered(
        ok=not missing,
        message=f"{link.provider or 'The provider'} answers.{known}{missing}",
        only_test=True,
        models=names[:MOST_MODELS],
    )


def chosen(link: Link) -> ProviderAnswered:
    """A provider has taken the place of another."""
    model = f" with {link.model}" if link.model else ""
    return ProviderAnswered(
        ok=True, message=f"{link.provider or 'The provider'} answers from now on{model}. {link.notice}".strip()
    )


class Choices:
    """Does what a person chose. Whatever comes of it is sent to everyone: it is one session. ``linked`` is called with a link that took
    another's place; ``ideas`` says what could be asked, ``model_folder`` is where model files are listed from. Only used on the engine's
    loop."""

    def __init__(
        self,
        session: Session,
        links: LinkKeeper,
        gears: Gears,
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        send: Callable[[Sequence[Event]], None],
        linked: Callable[[Link], None],
        ideas: Callable[[], Sequence[str]],
        model_folder: str,
    ) -> None:
        self._session = session
        self._links = links
        self._gears = gears
        self._spawn = spawn
        self._send = send
        self._linked = linked
        self._ideas = ideas
        self._model_folder = model_folder

    def receive(self, command: Choice) -> None:
        """Answer, now or when it is known."""
        match command:
            case ListModels():
                self._spawn(self.list_models())
            case ListIdeas():
                self._send([Ideas(prompts=tuple(self._ideas()))])
            case ListProviders(model_folder=folder):
                self._send([providers(model_folder=folder or self._model_folder)])
            case _:
                self._spawn(self.take(command))

    async def fall_back_to(self, profile: str | None) -> None:
        """Another provider is asked where the first can't answer; None: the one that was configured with it. One that does not exist is
        said, and changes nothing."""
        try:
            await self._links.fall_back_to(profile)
        except SparkError as error:
            self._send([Problem.of(error)])
            return
        if self._links.link is not None:
            self._linked(self._links.link)

    async def take(self, wish: UseProvider | ChooseDeep) -> None:
        """Another provider, or another one for deep work; or only a test whether it would answer."""
        try:
            if isinstance(wish, ChooseDeep):
                await self._gears.choose(wish)
                return
            connect = self._links.own if wish.own else link_to(wish)
            if wish.only_test:
                answer = await tested(connect)
            else:
                answer = chosen(await self.use(connect))
        except SparkError as error:
            only_test = isinstance(wish, UseProvider) and wish.only_test
            answer = ProviderAnswered(ok=False, message=str(error), only_test=only_test)
        self._send([answer])
        if answer.ok and not answer.only_test and not self._session.model:
            await self.list_models()  # where none was named, one can be chosen

    async def use(self, connect: Connect) -> Link:
        """Let another provider answer. Raises what making the link raised, and :class:`~spark_jupyter.exceptions.SessionError` while
        something streams from the one before."""
        if self._session.streaming:
            raise SessionError("A turn streams.", remedy="Cancel it, or wait until it has ended.")
        self._gears.refuse_while_running()
        link = await self._links.replace(connect)
        await self._gears.reconnect()
        self._session.model = link.model
        self._linked(link)
        return link

    async def models(self) -> Models:
        """The provider's own list. Raises a :class:`~spark_jupyter.exceptions.ProviderError` where it can't be had."""
        link = await self._links.get()
        return Models(models=tuple(await link.connection.models()), selected=self._session.model)

    async def list_models(self) -> None:
        """Say what the provider lists."""
        try:
            self._send([await self.models()])
        except SparkError as error:
            self._send([Problem.of(error)])
