"""Discovery of model servers on this machine.

The usual ports of loopback are asked, all at once and quickly. A server that answers is offered to the user, and gets
nothing of the notebook before they have agreed by its name.
"""

from __future__ import annotations

import asyncio
import datetime
import http.client
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, structs

from spark_jupyter.connection.kept_keys import kept_keys
from spark_jupyter.exceptions import ConfigurationError, ProviderError
from spark_jupyter.providers import dialects
from spark_jupyter.providers.addresses import base_url, is_loopback, key_address
from spark_jupyter.providers.model_choice import preferred, retirement
from spark_jupyter.providers.profile import GGUF, OWN, RECORDING, Profile, is_file_name
from spark_jupyter.providers.profiles import (
    Choice,
    Embedded,
    Found,
    Secret,
    Settings,
    banner_of,
    choose,
    folder_of_models,
    overridden,
    with_key,
)
from spark_jupyter.typed_decoders import decode_json

LOCAL = ("ollama", "lmstudio", "llamacpp", "vllm")
"""The profiles asked, the most wanted first."""

PATIENCE = 0.15
LLAMA_CPP_DIALECT = "chat"
OWN_ATTEMPTS = 3
"""Answers of a model file, each tried, where a prompt can be checked: a small model is seldom right at once, and costs nothing."""
LISTING = 3.0
"""Seconds that a list of models may take before the profile's own model is taken."""
CONFIGURED_PATIENCE = 1.0
"""Seconds for the place that the user has named, which is expected to answer."""


async def discover(profiles: Mapping[str, Profile], *, patience: float | None = None) -> Found | None:
    """The first of :data:`LOCAL` that answers with a list of models within ``patience`` seconds (:data:`PATIENCE`), and is this user's own;
    else None.

    Only loopback addresses are asked; nothing is sent but ``GET /v1/models``, and no key.
    """
    known = [profiles[name] for name in LOCAL if name in profiles]
    asked = [profile for profile in known if not profile.only_named and _is_own(profile)]
    answers = await asyncio.gather(*(_ask(profile, patience or PATIENCE) for profile in asked))
    return next((found for found in answers if found is not None), None)


async def find_choice(
    *, settings: Settings | None = None, profiles: Mapping[str, Profile], environ: Mapping[str, str] | None = None
) -> Choice:
    """The provider to use. Only where nothing else decides the embedded server is started, and the local ports are asked for what could be
    used in its place."""
    environ = os.environ if environ is None else environ
    settings = overridden(settings or Settings(), environ)
    chosen = None
    file = _file(settings, environ)
    if file is not None:
        serve = _recording if file.name.endswith(RECORDING) else _own_model
        return await asyncio.to_thread(serve, file, profiles)
    if _wants_embedded(settings, environ):
        environ, settings = {}, None
    else:
        chosen = choose(profiles=profiles, settings=settings, environ=environ)
    if chosen is None:
        found, embedded = await asyncio.gather(discover(profiles), asyncio.to_thread(_embedded))
        chosen = choose(profiles=profiles, settings=settings, environ=environ, embedded=embedded, found=found)
    if chosen is None:
        raise ConfigurationError("No provider could be chosen.", remedy="Set SPARK_BASE_URL and SPARK_MODEL.")
    if chosen.api_key is None and not chosen.profile.token_command:
        kept = await asyncio.to_thread(_kept_key, chosen.base_url)
        chosen = with_key(chosen, Secret(kept)) if kept else chosen
    if (
        chosen.dialect == dialects.AUTO
        and chosen.base_url.startswith("http://")
        and await _serves_websockets(chosen.base_url)
    ):
        spoken = dialects.GUESSED_OVER_WEBSOCKET
        chosen = structs.replace(chosen, dialect=spoken, base_url=base_url(chosen.base_url, spoken))
    return chosen


def _kept_key(url: str) -> str:
    """The key that was pasted for this address and is kept; empty where there is none."""
    return kept_keys().get(key_address(url))


def model_file(name: str, folder: str) -> Path:
    """The file of that name: as it is, else in the folder of models, else as it is all the same."""
    path = Path(name).expanduser()
    inside = Path(folder).expanduser() / name if folder else path
    found = path if path.is_file() or not inside.is_file() else inside
    try:
        return found.absolute()
    except FileNotFoundError:  # the working folder is gone, and the file with it
        return found


def model_files(folder: str) -> tuple[Path, ...]:
    """The models in a folder, by name."""
    return tuple(sorted(Path(folder).expanduser().glob(f"*{GGUF}"))) if folder else ()


async def look(choice: Choice) -> Choice:
    """The choice with what its server says in its list of models: the newest model of the families that the profile prefers, where nobody
    named one; the window of the model; whether it is llama.cpp, which tells how far it has read a prompt. That one is spoken to in chat
    completions where nobody chose a dialect: its Responses call an answer complete that was cut at its length. A server that can't be asked
    is left as it is: whoever asks it next says why. A model that ends, or has ended, is said."""
    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.connection.http_client import Web

    profile = choice.profile
    chooses = bool(profile.families) and not choice.is_named
    is_known = profile.context_window is not None and choice.dialect != dialects.AUTO
    if not chooses and (is_known or (choice.dialect in dialects.OVER_WEBSOCKET and not is_loopback(choice.base_url))):
        return _with_ending(choice, "")
    web = Web(choice, dialects.dialect(choice.dialect)(profile), Options())
    try:
        async with asyncio.timeout(LISTING):
            listed = await web.models()
    except (ProviderError, TimeoutError):
        return _with_ending(choice, "")
    finally:
        await web.close()
    if chooses:
        model = preferred(profile, listed, today=datetime.date.today())
        banner = banner_of(profile, model, choice.why, choice.notice)
        choice = structs.replace(choice, model=model, banner=banner)
    served = next(
        (model for model in listed if model.id == choice.model), listed[0] if listed and not choice.model else None
    )
    window = profile.context_window or (served.context_window if served is not None else None)
    profile = structs.replace(
        profile,
        context_window=window,
        progress=profile.progress or web.is_llama_cpp,
        infill=served is not None and served.id in web.fills_in,
        prices={} if web.is_proxy and is_loopback(choice.base_url) else profile.prices,  # not those of a free server
    )
    is_guess = choice.dialect == dialects.AUTO and web.is_llama_cpp
    dialect = LLAMA_CPP_DIALECT if is_guess else choice.dialect
    looked = structs.replace(choice, profile=profile, dialect=dialect, runs_models=web.runs_models)
    return _with_ending(looked, served.retires if served is not None else "")


def _with_ending(choice: Choice, retires: str) -> Choice:
    """The choice, with a notice where its model ends or has ended."""
    said = retirement(choice.profile, choice.model, retires, today=datetime.date.today())
    return structs.replace(choice, notice=f"{choice.notice} {said}".strip(), banner=f"{choice.banner} {said}".strip())


async def _serves_websockets(url: str) -> bool:
    """True if ``spark-jupyter serve`` is what answers there: it speaks WebSocket only, and alone answers a challenge."""

    def ask() -> bool:
        connection = http.client.HTTPConnection(urlsplit(url).netloc.rpartition("@")[2], timeout=CONFIGURED_PATIENCE)
        try:
            connection.request("GET", "/healthz", headers={"X-Spark-Challenge": secrets.token_hex(8)})
            answer = connection.getresponse()
            return answer.status == 200 and bool(decode_json(answer.read(10_000), _Health).proof)
        finally:
            connection.close()

    try:
        return await asyncio.to_thread(ask)
    except (OSError, http.client.HTTPException, msgspec.DecodeError, ValueError, RecursionError):
        return False


def _wants_embedded(settings: Settings | None, environ: Mapping[str, str]) -> bool:
    """True if the embedded server was asked for by its profile's name: it has no address until it is started."""
    settings = settings or Settings()
    if settings.base_url:
        return False
    return (settings.profile or ("" if environ.get("SPARK_BASE_URL") else environ.get("SPARK_PROFILE"))) == "embedded"


def _file(settings: Settings | None, environ: Mapping[str, str]) -> Path | None:
    """The file that was named as the model: it is served here. A server that was named too may know it by that name; but where the
    environment names the server, and a person a file that is there, the person has chosen the file."""
    settings = settings or Settings()
    model = settings.model or environ.get("SPARK_MODEL", "")
    if not is_file_name(model) or settings.base_url or settings.profile not in ("", "embedded"):
        return None
    file = model_file(model, folder_of_models(settings.model_folder, environ))
    is_theirs = bool(environ.get("SPARK_BASE_URL")) and not (settings.model and file.is_file())
    return None if is_theirs else file


def _own_model(file: Path, profiles: Mapping[str, Profile]) -> Choice:
    from spark_jupyter.server.engines.llama_options import Options, fitted
    from spark_jupyter.server.shared_server import LOADING, find, find_or_start

    engine = f"llama:{file}"
    server = find(engine=engine)
    if server is None:
        fitted(file, Options())  # what is wrong with it is said by itself, and not as a server's end
        server = find_or_start(engine=engine, timeout=LOADING)
    said = "(private, and good to learn with; small models are often wrong)"
    embedded = msgspec.structs.replace(
        profiles["embedded"], model=file.stem, title=f"This machine {said}", context_window=None
    )
    chosen = choose(
        profiles={**profiles, "embedded": embedded}, embedded=Embedded(url=server.url, token=Secret(server.token))
    )
    assert chosen is not None  # the embedded server was given
    # a model answers, and no recipe book
    own = msgspec.structs.replace(chosen.profile, name=OWN, attempts=OWN_ATTEMPTS, deep_model="")
    return msgspec.structs.replace(
        chosen, profile=own, banner=f"Model: {file.stem} on this machine {said}. Change it with %spark model NAME."
    )


def _recording(file: Path, profiles: Mapping[str, Profile]) -> Choice:
    from spark_jupyter.server.shared_server import find_or_start

    server = find_or_start(engine=f"recorded:{file}")
    recorded = structs.replace(profiles["embedded"], model=file.name, title=f"Recorded answers ({file.name})")
    chosen = choose(
        profiles={**profiles, "embedded": recorded}, embedded=Embedded(url=server.url, token=Secret(server.token))
    )
    assert chosen is not None  # the embedded server was given
    banner = f"The recording {file.name} answers, without a model. Change it with %spark model NAME."
    profile = structs.replace(chosen.profile, name="recorded", deep_model="")
    return structs.replace(chosen, profile=profile, banner=banner)


def _embedded() -> Embedded:
    from spark_jupyter.server.shared_server import find_or_start

    server = find_or_start()
    return Embedded(url=server.url, token=Secret(server.token))


def _is_own(profile: Profile) -> bool:
    return is_loopback(profile.base_url) and is_ours(urlsplit(profile.base_url).port or 80)


class _Health(Struct, frozen=True):
    proof: str = ""


class _Model(Struct, frozen=True):
    id: str


class _Listed(Struct, frozen=True):
    data: list[_Model]


async def _ask(profile: Profile, patience: float) -> Found | None:
    try:
        async with asyncio.timeout(patience):
            listed = await asyncio.to_thread(_models, profile.base_url, patience)
    except (OSError, TimeoutError, http.client.HTTPException, msgspec.DecodeError, ValueError, RecursionError):
        return None  # nobody there, or somebody who serves no models
    if not listed:
        return None
    return Found(profile=profile.name, base_url=profile.base_url, models=tuple(model.id for model in listed))


def _models(base_url: str, patience: float) -> list[_Model]:
    host, _, path = base_url.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host, timeout=patience)
    try:
        connection.request("GET", f"/{path}/models", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        return decode_json(answer.read(1_000_000), _Listed).data if answer.status == 200 else []
    finally:
        connection.close()


# --- Owner of a listening port on this machine ---
# A server of another user is not offered by itself.
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTENS = "0A"


def is_ours(port: int) -> bool:
    """True if all that listens on this TCP port belongs to this user. False where the system does not say (only Linux does)."""
    owners = {owner for table in _TABLES for owner in listeners(_read(table), port)}
    return bool(owners) and owners == {os.getuid()}


def listeners(table: str, port: int) -> set[int]:
    """The users whose sockets listen on a port, by a table like ``/proc/net/tcp`` (proc_net_tcp.rst of the kernel's documentation): its
    second field is the local address, the fourth the state, the eighth the user."""
    rows = [line.split() for line in table.splitlines()[1:]]
    return {int(row[7]) for row in rows if row[3] == _LISTENS and int(row[1].rpartition(":")[2], 16) == port}


def _read(table: str) -> str:
    try:
        return Path(table).read_text(encoding="ascii")
    except OSError:
        return ""  # another system, or no IPv6
