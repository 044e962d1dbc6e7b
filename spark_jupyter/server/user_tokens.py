"""Tokens of the users of a shared server: a list, or a JupyterHub's.

Each user presents their own token, so that one can be taken back without the others. A Hub's token is looked up with
``GET /user`` of its REST API, which says whose token it is (JupyterHub 2 and later). Only an answer with a name counts: a wrong address
may lead to a page for signing in, which anybody gets.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
import urllib.error
import urllib.request
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.server.api_messages import RequestError
from spark_jupyter.typed_decoders import decode_json

SHORTEST_TOKEN = 16
"""Characters of a token: 64 bits where they are hexadecimal digits (OWASP, session identifiers)."""
REMEMBERED = 60.0
"""Seconds for which a token that the Hub knows is not looked up again."""
_MOST_REMEMBERED = 1024
_PATIENCE = 10.0
"""Seconds that the Hub may take."""
_LONGEST_ANSWER = 2**20
"""Bytes of what the Hub says of a user; an administrator may have many groups and servers."""
_TOKEN = re.compile(r"[!-~]{8,512}")


class _Owner(msgspec.Struct, frozen=True):
    """Whose token it is: a user's or a service's name."""

    name: str


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: it would take the token elsewhere, and bring an answer that is not the Hub's."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """None is followed."""


class UserTokens:
    """Tokens that are accepted beside the server's own. ``listed`` are tokens; ``hub`` is the address of a Hub's API
    (``http://127.0.0.1:8081/hub/api``), empty for none."""

    def __init__(self, listed: Collection[str] = (), *, hub: str = "") -> None:
        self._listed = frozenset(map(_digest, listed))
        self._hub = hub.rstrip("/")
        self._remembered: dict[bytes, float] = {}

    async def has(self, token: str) -> bool:
        """True if this is a user's token. Raises :class:`~.api_messages.RequestError` (503) where the Hub does not answer."""
        key = _digest(token)
        if key in self._listed:
            return True
        if not self._hub or not _TOKEN.fullmatch(token):
            return False
        if self._remembered.get(key, 0.0) > time.monotonic():
            return True
        known = await asyncio.to_thread(_ask_hub, f"{self._hub}/user", token)
        if known:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = time.monotonic() + REMEMBERED
        return known


def read_users(file: Path) -> list[str]:
    """Tokens in a file with a line ``NAME TOKEN`` for each user; ``#`` begins a comment.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where others can read it, or a line is wrong."""
    if file.stat().st_mode & 0o077:
        raise ConfigurationError(f"Others on this machine can read {file}.", remedy=f"Run: chmod 600 {file}")
    tokens: dict[str, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        if len(fields) != 2 or len(fields[1]) < SHORTEST_TOKEN or not _TOKEN.fullmatch(fields[1]):
            raise ConfigurationError(
                f"Line {number} of {file} is not a name and a token of at least {SHORTEST_TOKEN} characters.",
                remedy="Write a line like: ada 3f9c0d51b6a84e27",
            )
        if fields[1] in tokens:
            raise ConfigurationError(
                f"Line {number} of {file} has the token of {tokens[fields[1]]}.", remedy="Give each user their own."
            )
        tokens[fields[1]] = fields[0]
    return list(tokens)


def _ask_hub(url: str, token: str) -> bool:
    """True if the Hub knows the token."""
    request = urllib.request.Request(url, headers={"Authorization": f"token {token}"})
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)
    try:
        with direct.open(request, timeout=_PATIENCE) as answer:
            return bool(decode_json(answer.read(_LONGEST_ANSWER), _Owner).name)
    except urllib.error.HTTPError as error:
        if error.code in (401, 403, 404):
            return False
        raise _silent() from error
    except (OSError, ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise _silent() from error


def _silent() -> RequestError:
    return RequestError(
        "The JupyterHub that knows the users does not answer as one does; try again.",
        status=503,
        kind="server_error",
        code="hub_unavailable",
    )


def _digest(token: str) -> bytes:
    """A token by its hash: a look for it takes as long whatever it begins with."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
