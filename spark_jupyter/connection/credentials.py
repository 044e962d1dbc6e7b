"""Credentials of a connection: key, token command, extra headers, certificates.

What a profile says of them goes to the profile's own host only; that is decided where a provider is chosen. A token is kept until shortly
before its end, for all connections of this process, and fetched again once where the provider refuses it.
"""

from __future__ import annotations

import asyncio
import functools
import os
import re
import ssl
import subprocess
import time
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from spark_jupyter.connection.cloud_credentials import Token, cloud_token, signed_by_aws
from spark_jupyter.exceptions import ConfigurationError, SparkError
from spark_jupyter.providers.refusals import UNREADABLE, scrub, withhold

if TYPE_CHECKING:
    from spark_jupyter.providers.base import Dialect
    from spark_jupyter.providers.profile import Profile
    from spark_jupyter.providers.profiles import Choice

_PATIENCE = 60.0
"""Seconds that a token command may take: a browser may have to be opened to log in."""
_EARLY = 30.0
"""Seconds before its end that a token is replaced."""
_TOKENS = ("token", "access_token", "accessToken", "id_token", "key")
_ENDS = ("expires_at", "expiresOn", "expires_on", "expiry", "expiration", "token_expiry", "expirationTimestamp")


_tokens: dict[tuple[str, ...], Token] = {}


async def headers_of(choice: Choice, dialect: Dialect) -> dict[str, str]:
    """The headers of every request: the dialect's with the key or token, and the profile's own.

    Raises :class:`ConfigurationError` where the token command fails, or a header names a variable that is not set.
    """
    return {**dialect.headers(await _secret(choice)), **_own_headers(choice)}


def withhold_secrets(error: SparkError, choice: Choice) -> None:
    """Take every secret of ``choice`` out of an error's sentences."""
    token = _tokens.get(_source(choice.profile))
    own = {
        name: os.environ.get(name, "") for value in choice.profile.headers.values() for name in _VARIABLE.findall(value)
    }
    for secret in (choice.key, token.value if token is not None else "", *own.values()):
        withhold(error, secret)


def forget_token(choice: Choice) -> bool:
    """Have the token command, or the cloud, asked again. Whether there was a token to forget."""
    return choice.api_key is None and _tokens.pop(_source(choice.profile), None) is not None


async def signature_of(choice: Choice, method: str, url: str, body: bytes) -> dict[str, str]:
    """The headers that sign a request where the provider wants that; empty elsewhere. Raises :class:`ConfigurationError`."""
    if choice.profile.auth != "aws" or choice.api_key is not None:
        return {}
    return await asyncio.to_thread(signed_by_aws, method, url, body)


def _source(profile: Profile) -> tuple[str, ...]:
    """The source of a token: a command or a cloud; empty where there is none."""
    return profile.token_command or ((profile.auth,) if profile.auth in ("azure", "google") else ())


async def _secret(choice: Choice) -> str:
    profile = choice.profile
    source = _source(profile)
    if choice.api_key is not None or not source:
        return choice.key
    known = _tokens.get(source)
    if known is None or known.until - _EARLY <= time.time():
        known = _tokens[source] = await asyncio.to_thread(_fetch, profile)
    return known.value


def _fetch(profile: Profile) -> Token:
    if not profile.token_command:
        return cloud_token(profile.auth)
    return _read(_run(profile.token_command, profile.name), profile.token_minutes * 60, profile.name)


def _run(command: tuple[str, ...], name: str) -> str:
    failed = f"The token command of the profile {name!r} failed"
    remedy = f"Run it in a terminal to see why: {' '.join(command)}"
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise ConfigurationError(f"{failed}: {scrub(str(error))}.", remedy=remedy) from None
    if done.returncode:
        said = scrub(done.stderr.decode("utf-8", "replace")) or f"exit code {done.returncode}"
        raise ConfigurationError(f"{failed}: {said}.", remedy=remedy)
    return done.stdout.decode("utf-8", "replace").strip()


def _read(printed: str, lifetime: float, name: str) -> Token:
    """The token that a command printed: as it is, or in JSON with its end (seconds left, a time in seconds, or ISO 8601)."""
    value, until = printed, time.time() + lifetime
    try:
        fields = msgspec.json.decode(printed)
    except UNREADABLE:
        fields = None
    if isinstance(fields, dict):
        status = fields.get("status")  # Kubernetes' form, which clouds' commands for it print
        fields = {**fields, **status} if isinstance(status, dict) else fields
        value = next((fields[each] for each in _TOKENS if isinstance(fields.get(each), str)), "")
        until = next((end for each in _ENDS if (end := _time(fields.get(each))) is not None), until)
        left = fields.get("expires_in")
        until = time.time() + left if isinstance(left, int | float) else until
    if not value or not (value.isascii() and value.isprintable()) or " " in value:
        raise ConfigurationError(
            f"The token command of the profile {name!r} printed no token.",
            remedy='It prints the token alone, or JSON: {"token": …, "expires_at": …}.',
        )
    return Token(value, until)


def _time(told: object) -> float | None:
    if isinstance(told, int | float):
        return float(told)
    try:
        return datetime.fromisoformat(str(told)).timestamp() if told else None
    except ValueError:
        return None


_VARIABLE = re.compile(r"\$\{(\w+)\}")


def _own_headers(choice: Choice) -> dict[str, str]:
    def value(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise ConfigurationError(
                f"{found[1]} is not set, which a header of the profile {choice.profile.name!r} needs.",
                remedy="Set it before Jupyter starts.",
            )
        return os.environ[found[1]].strip()

    headers = {name: _VARIABLE.sub(value, told) for name, told in choice.profile.headers.items()}
    for name, told in headers.items():
        if not (name.isascii() and name.isprintable() and told.isascii() and (told.isprintable() or not told)):
            raise ConfigurationError(
                f"The header {name!r} of the profile {choice.profile.name!r} can't be sent.",
                remedy="Only printable ASCII, on one line.",
            )
    return headers


def ssl_context_of(choice: Choice) -> ssl.SSLContext:
    """The TLS context of a profile: with its own certificate authority and client certificate, where it names them."""
    profile = choice.profile
    return _context(profile.ca_file, profile.client_cert, profile.client_key)


@functools.cache
def _context(ca_file: str, client_cert: str, client_key: str) -> ssl.SSLContext:
    """One for all connections of its kind: building one reads every root certificate, which takes 40 ms."""
    context = ssl.create_default_context()
    try:
        if ca_file:
            context.load_verify_locations(os.path.expanduser(ca_file))
        if client_cert:
            context.load_cert_chain(os.path.expanduser(client_cert), os.path.expanduser(client_key) or None)
    except (OSError, ssl.SSLError) as error:
        named = ", ".join(filter(None, (ca_file, client_cert, client_key)))
        raise ConfigurationError(
            f"A certificate can't be loaded ({named}): {error}.", remedy="They are PEM files that you can read."
        ) from None
    return context
