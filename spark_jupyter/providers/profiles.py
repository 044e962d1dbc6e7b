"""Choice of a provider from profiles, settings and environment.

Files are read by :func:`load_profiles` only; the environment is an argument.

The dialects themselves are imported when one is chosen: their decoders would cost a good part of the time to load.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from spark_jupyter.config_files import read_config
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.plugins import load_plugins
from spark_jupyter.providers.addresses import base_url, host_of, is_loopback, split_url
from spark_jupyter.providers.profile import ACP, EMBEDDED, OWN, Profile
from spark_jupyter.typed_decoders import convert

FILE_NAME = "profiles.toml"


class Secret:
    """A key that shows nowhere: not in a repr, a log, an error or an encoded message."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for a request's header and nothing else."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a Secret is not to be written anywhere")


class Choice(Struct, frozen=True, kw_only=True):
    """Chosen provider: everything that a connection needs to know, and a banner about it. ``notice`` is the part of it that a person
    must be told, empty where there is none. ``offered`` is the profile of a server on this machine that waits for a yes."""

    profile: Profile
    base_url: str
    model: str
    dialect: str
    api_key: Secret | None = None
    banner: str = ""
    notice: str = ""
    offered: Profile | None = None
    why: str = ""
    """Why this one, for the banner."""
    is_named: bool = False
    """True if the model was named by a person, so that no other one is chosen."""
    runs_models: bool = False
    """True if its server said that it runs the models itself."""

    @property
    def is_local(self) -> bool:
        """True if the model runs on this machine: it costs nothing, and nothing leaves. What answers on loopback may be a proxy to a
        provider, so its profile must say that every model is free, or its server that it runs them."""
        price = self.profile.prices.get("*")
        free = price is not None and not (price.input or price.output)
        known = free or self.runs_models or self.profile.name in (EMBEDDED, OWN)
        return known and is_loopback(self.base_url)

    @property
    def key(self) -> str:
        """The key itself, empty where there is none: for a request's headers, and to be withheld from errors."""
        return self.api_key.reveal() if self.api_key else ""

    @property
    def where(self) -> str:
        """Name of the place in a sentence: host and port; a model file, which our own server runs, is on this machine."""
        return "llama.cpp on this machine" if self.profile.name == OWN else host_of(self.base_url)

    @property
    def is_offline(self) -> bool:
        """True if this is the embedded server."""
        return self.profile.name == EMBEDDED


CHOSEN = "as chosen"
CONFIGURED = "from the settings"
"""The source of what configuration files say, which a person who sets an environment variable wants to override."""


class Settings(Struct, frozen=True, kw_only=True):
    """The user's configuration (``%config SparkMagics``, the command line). An empty string is not configured. ``model_folder`` is where
    model files are looked up by name; ``fallback`` is the profile that is asked where the first provider can't answer; ``mode`` is one of
    an agent's own. ``suggests``: it is for suggestions alone. That, and what is ``beside`` the first provider, takes nothing from
    ``SPARK_…`` in the environment: the key there is the first one's."""

    profile: str = ""
    base_url: str = ""
    model: str = ""
    dialect: str = ""
    api_key: Secret | None = None
    model_folder: str = ""
    suggests: bool = False
    beside: bool = False
    fallback: str = ""
    mode: str = ""
    source: str = CHOSEN
    """Origin of the choice; :data:`CONFIGURED` gives way to the environment."""


class Found(Struct, frozen=True, kw_only=True):
    """A local server that answers: which profile's port it is on, and the models it lists."""

    profile: str
    base_url: str
    models: tuple[str, ...] = ()


class Embedded(Struct, frozen=True, kw_only=True):
    """Address of the embedded server."""

    url: str
    token: Secret


# --- Reading -------------------------------------------------------------------------------------------------------


def parse_profiles(text: str, *, onto: Mapping[str, Profile] | None = None, origin: str) -> dict[str, Profile]:
    """The profiles in a TOML text, merged field by field onto others. ``origin`` names the text in errors.

    Raises :class:`ConfigurationError` for what is not TOML, an unknown field or a wrong type.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{origin} is not valid TOML: {error}.", remedy="Correct that line.") from None
    profiles = dict(onto or {})
    for name, table in tables.items():
        profiles[name] = _parse_profile(name, table, profiles.get(name), origin)
    return profiles


def load_profiles(config_directories: Iterable[str | Path] = (), *, with_plugins: bool = True) -> dict[str, Profile]:
    """The profiles of the package and of plug-ins, with the user's own. ``config_directories`` are Jupyter's
    (``jupyter_config_path()``), the most important first; ``spark_jupyter/profiles.toml`` in each is read where it
    exists."""
    packaged = resources.files("spark_jupyter.providers").joinpath(FILE_NAME).read_text(encoding="utf-8")
    profiles = parse_profiles(packaged, origin="the package's profiles.toml")
    if with_plugins:
        profiles |= _plugin_profiles(frozenset(profiles))
    for directory in reversed([Path(each) for each in config_directories]):
        file = directory / "spark_jupyter" / FILE_NAME
        if (text := read_config(file)) is not None:
            profiles = parse_profiles(text, onto=profiles, origin=str(file))
    return profiles


@functools.cache
def _plugin_profiles(taken: frozenset[str]) -> dict[str, Profile]:
    """The profiles of plug-ins, each a TOML text with the table of its name."""

    def profile(name: str, text: str) -> Profile:
        parsed = parse_profiles(text, origin="its TOML text")
        if list(parsed) != [name]:
            raise ValueError(f"its TOML text must have the one table [{name}]")
        return parsed[name]

    return {name: found for name, (_, found) in load_plugins("profiles", profile, taken=taken).items()}


def _parse_profile(name: str, table: object, base: Profile | None, origin: str) -> Profile:
    if not isinstance(table, dict):
        raise ConfigurationError(
            f"{origin}: {name!r} stands outside of a profile.", remedy="Write a table, e.g. [mine], and put it below."
        )
    headers = table.get("headers")
    plain = [name for name, value in headers.items() if _is_plain_key(name, value)] if isinstance(headers, dict) else []
    if "key" in table or "api_key" in table or plain:
        raise ConfigurationError(
            f"{origin}: the profile {name!r} holds a key.",
            remedy="Put the key in an environment variable, and the variable's name in key_env, or ${NAME} in the header.",
        )
    fields = {**(msgspec.structs.asdict(base) if base else {}), **table, "name": name}
    if base and isinstance(fields["prices"], dict):
        fields["prices"] = {**base.prices, **fields["prices"]}
    if base and isinstance(fields["retired"], dict):
        fields["retired"] = {**base.retired, **fields["retired"]}
    try:
        profile = convert(fields, Profile, from_attributes=True)
    except msgspec.ValidationError as error:
        raise ConfigurationError(
            f"{origin}: the profile {name!r} is wrong: {error}.",
            remedy=f"The fields are {', '.join(field for field in Profile.__struct_fields__ if field != 'name')}.",
        ) from None
    _check_dialect(profile.dialect, f"{origin}: the profile {name!r} is wrong: there")
    return profile


def _is_plain_key(name: str, value: object) -> bool:
    return name.lower() in ("authorization", "x-api-key", "api-key", "x-goog-api-key") and "${" not in str(value)


def _check_dialect(name: str, said: str = "There") -> None:
    from spark_jupyter.providers import dialects

    if name not in dialects.names():
        raise ConfigurationError(f"{said} is no dialect {name!r}.", remedy=f"Available: {', '.join(dialects.names())}.")


# --- Choosing ------------------------------------------------------------------------------------------------------


def choose(
    *,
    profiles: Mapping[str, Profile],
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
    found: Found | None = None,
    embedded: Embedded | None = None,
) -> Choice | None:
    """The provider to use: what is configured, then ``SPARK_BASE_URL``, ``SPARK_PROFILE`` and the like, then a key
    in the environment, then the ``embedded`` server. None where none of them decides. A local server that was ``found`` gets nothing; how
    to choose it is said.

    A key goes only where it belongs: a profile's to the profile's own host, ``SPARK_API_KEY`` to what was configured.
    Raises :class:`ConfigurationError` for an unknown profile, URL or dialect.
    """
    environ = environ or {}
    settings = _with_environment(settings or Settings(), environ)
    if settings.base_url or settings.profile:
        return _configured(settings, profiles, environ)
    for profile in profiles.values():
        url = profile.base_url or environ.get(profile.url_env, "")
        if profile.only_suggests or profile.only_named:
            continue
        if profile.key_env and environ.get(profile.key_env) and url and not is_loopback(url):
            why = f"because {profile.key_env} is set"
            return _choice(profile, url, settings, _key(settings, profile, environ), why)
    if embedded is not None:
        profile = profiles.get(EMBEDDED, Profile(name=EMBEDDED, model="recipe-book"))
        asked = f" that could serve {settings.model}" if settings.model else ""
        why = f"because no provider is configured{asked}"
        offered = profiles.get(found.profile) if found else None
        return _choice(profile, embedded.url, Settings(), embedded.token, why, offered)
    return None


def agents_of(profiles: Mapping[str, Profile]) -> dict[str, Profile]:
    """The profiles that are agents, by name."""
    return {name: profile for name, profile in profiles.items() if profile.dialect == ACP and profile.command}


def chosen_agent(settings: Settings, profiles: Mapping[str, Profile], environ: Mapping[str, str]) -> Profile | None:
    """The agent that is configured; None where a provider is, or nothing. An agent is a program, without address and key."""
    found = _with_environment(settings, environ)
    profile = profiles.get(found.profile)
    return profile if profile is not None and profile.dialect == ACP and not found.base_url else None


def _with_environment(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """``settings``, and where they say nothing what the environment says. A configured place is not mixed with the
    environment's key or model for another one."""
    if settings.suggests or settings.beside:
        return settings
    settings, variable = overridden(settings, environ), _placing(environ)
    placed = bool(settings.base_url or settings.profile)
    theirs = placed and _names_another(settings, environ)
    key, model = ("", "") if theirs else (environ.get("SPARK_API_KEY", ""), environ.get("SPARK_MODEL", ""))
    return Settings(
        profile=settings.profile or ("" if placed else environ.get("SPARK_PROFILE", "")),
        base_url=settings.base_url or ("" if placed else environ.get("SPARK_BASE_URL", "")),
        model=settings.model or model,
        dialect=settings.dialect or ("" if placed else environ.get("SPARK_DIALECT", "")),
        api_key=settings.api_key or secret_of(key, "SPARK_API_KEY"),
        model_folder=folder_of_models(settings.model_folder, environ),
        source=settings.source if placed or not variable else f"from {variable}",
    )


def _names_another(settings: Settings, environ: Mapping[str, str]) -> bool:
    """True if the environment names another place than ``settings``: its key and its model belong there."""
    url, profile = environ.get("SPARK_BASE_URL", ""), environ.get("SPARK_PROFILE", "")
    if url and settings.base_url:
        return _place(url) != _place(settings.base_url)
    is_elsewhere = bool(url or settings.base_url) or settings.profile != profile
    return bool(url or profile) and is_elsewhere


def overridden(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """``settings`` from configuration files, without those that the environment overrides."""
    if settings.source != CONFIGURED:
        return settings
    if _placing(environ):
        return structs.replace(settings, profile="", base_url="", dialect="", model="", api_key=None)
    return structs.replace(settings, model="") if environ.get("SPARK_MODEL") else settings


def _placing(environ: Mapping[str, str]) -> str:
    """The environment variable that names a place; empty where none does."""
    return next((name for name in ("SPARK_PROFILE", "SPARK_BASE_URL") if environ.get(name)), "")


def folder_of_models(configured: str, environ: Mapping[str, str]) -> str:
    """Folder in which model files are looked up and listed: the configured one, else ``SPARK_MODELS``, else one in Jupyter's data."""
    from jupyter_core.paths import jupyter_data_dir

    return configured or environ.get("SPARK_MODELS", "") or str(Path(jupyter_data_dir()) / "spark-jupyter" / "models")


def _configured(settings: Settings, profiles: Mapping[str, Profile], environ: Mapping[str, str]) -> Choice:
    if settings.profile:
        profile = profiles.get(settings.profile)
        if profile is None:
            raise ConfigurationError(
                f"There is no profile {settings.profile!r}.", remedy=f"Available: {', '.join(profiles)}."
            )
        url = settings.base_url or environ.get(profile.url_env, "") or profile.base_url
        if not url:
            where = f" in {profile.url_env}" if profile.url_env else ""
            raise ConfigurationError(f"The profile {profile.name!r} needs a base URL.", remedy=f"Give it{where}.")
    else:
        url = settings.base_url
        profile = profile_at(url, profiles, environ, suggests=settings.suggests)
    if not _belongs(url, profile, environ):
        return _choice(profile.elsewhere, url, settings, settings.api_key, settings.source)
    return _choice(profile, url, settings, _key(settings, profile, environ), settings.source)


def profile_at(
    url: str, profiles: Mapping[str, Profile], environ: Mapping[str, str], *, suggests: bool = False
) -> Profile:
    """The profile whose host and port these are, else one for an unknown place with the dialect that the scheme
    suggests. For suggestions one that does nothing else goes before the others, which are all that prompts can have."""
    here = [profile for profile in profiles.values() if _belongs(url, profile, environ)]
    fitting = [profile for profile in here if profile.only_suggests is suggests] or (here if suggests else [])
    if fitting:
        return fitting[0]
    split = split_url(url)
    return Profile(name="custom", title=split.netloc.rpartition("@")[2])


def _belongs(url: str, profile: Profile, environ: Mapping[str, str]) -> bool:
    own = (profile.base_url, environ.get(profile.url_env, "") if profile.url_env else "")
    return any(_place(url) == _place(each) for each in own if each)


def _place(url: str) -> tuple[str, int]:
    split = split_url(url)
    host = "127.0.0.1" if split.hostname == "localhost" else split.hostname or ""
    return host, split.port or (443 if split.scheme in ("https", "wss") else 80)


def _key(settings: Settings, profile: Profile, environ: Mapping[str, str]) -> Secret | None:
    if settings.api_key is not None and (settings.base_url or settings.profile):
        return settings.api_key
    own = environ.get(profile.key_env, "") if profile.key_env else ""
    return secret_of(own, profile.key_env)


def secret_of(value: str, variable: str) -> Secret | None:
    """The key in an environment variable, without the line end that files and copies leave there; None where it is empty. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` for what can't be one."""
    key = value.strip()
    if not (key.isascii() and key.isprintable()):
        raise ConfigurationError(
            f"{variable} holds what can't be a key.", remedy="Copy the key again: only printable ASCII, on one line."
        )
    return Secret(key) if key else None


def _offer(profile: Profile) -> str:
    """Offer to use a local server."""
    name = profile.name
    return (
        f"{profile.title or name} answers on this machine, too: use it with %spark provider {name}, and from the start with "
        f"%config SparkMagics.profile = '{name}', spark-jupyter --profile {name} or SPARK_PROFILE={name}."
    )


def _choice(
    profile: Profile, url: str, settings: Settings, key: Secret | None, why: str, offered: Profile | None = None
) -> Choice:
    from spark_jupyter.providers import dialects

    dialect = settings.dialect or profile.dialect
    _check_dialect(dialect)
    if dialect == dialects.AUTO and split_url(url).scheme in ("ws", "wss"):
        dialect = dialects.GUESSED_OVER_WEBSOCKET
    model = settings.model or profile.model
    notice = _offer(offered) if offered is not None else ""
    choice = Choice(
        profile=profile,
        base_url=base_url(url, dialect),
        model=model,
        dialect=dialect,
        banner=banner_of(profile, model, why, notice),
        notice=notice,
        offered=offered,
        why=why,
        is_named=bool(settings.model),
    )
    return choice if key is None else with_key(choice, key)


def with_key(choice: Choice, key: Secret) -> Choice:
    """The choice with a key for its address, and a notice where others can read that on its way."""
    notice, url = choice.notice, choice.base_url
    if split_url(url).scheme in ("http", "ws") and not is_loopback(url):
        notice = f"The connection to {host_of(url)} is not encrypted: the key and the cells can be read on the way. Use https or wss."
    banner = banner_of(choice.profile, choice.model, choice.why, notice)
    return structs.replace(choice, api_key=key, notice=notice, banner=banner)


def banner_of(profile: Profile, model: str, why: str, notice: str) -> str:
    """Describe the model and its place, and how to change them."""
    place = profile.title or profile.name
    banner = f"Model: {model or 'the first one listed'} at {place} ({why}). Change it with %spark model NAME"
    return f"{banner} or SPARK_BASE_URL, SPARK_MODEL and SPARK_API_KEY. {notice}".strip()
