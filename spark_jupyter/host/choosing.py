"""What a person chooses in the panel: which provider answers. Keys are read here, and go to the connection alone."""

from __future__ import annotations

import os
from collections.abc import Mapping

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.host.link import Connect, Link, linker
from spark_jupyter.wire.messages import ProviderAnswered, ProviderInfo, Providers, UseProvider

MOST_MODELS = 8
"""So many models of a provider are named where it is tested."""


def providers(environ: Mapping[str, str] | None = None) -> Providers:
    """The providers that can be chosen: the package's profiles and the user's own."""
    from jupyter_core.paths import jupyter_config_path

    from spark_jupyter.providers.profiles import load_profiles

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
        )
    )


def link_to(wish: UseProvider, environ: Mapping[str, str] | None = None) -> Connect:
    """What makes the link that was asked for.

    Raises :class:`ConfigurationError` where nothing was chosen, or the variable that should hold the key does not.
    """
    from spark_jupyter.providers.profiles import Secret, Settings

    environ = os.environ if environ is None else environ
    if not (wish.profile or wish.base_url):
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
        Settings(profile=wish.profile, base_url=wish.base_url.strip(), model=wish.model.strip(), api_key=secret)
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
    known = f" It lists {len(names)} models." if names else ""
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
