"""Checks of host, origin and token before a request is served.

A page in the user's browser can send requests to loopback addresses, also under a name of its own that it points
there (DNS rebinding). So, besides the token, the ``Host`` must be an address or ``localhost``, and an ``Origin``,
which only browsers send, must be local.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import parse_qsl

from spark_jupyter.server.api_messages import RequestError
from spark_jupyter.server.user_tokens import UserTokens

CHALLENGE = "X-Spark-Challenge"
"""The header of ``GET /healthz`` that asks for a :func:`proof`."""

_SECRET_PARAMETERS = frozenset({"token", "api_key", "api-key", "key", "access_token", "authorization"})


class Gate:
    """The checks for a server with this token, and those of its ``users``, that was told to listen at ``host``."""

    def __init__(self, *, token: str, host: str, users: UserTokens | None = None) -> None:
        self._token = token.encode()
        self._users = users or UserTokens()
        self._host = host.lower()

    def check_source(self, *, hosts: Sequence[str], origins: Sequence[str]) -> None:
        """Raise :class:`RequestError` (403) unless the ``Host`` is right and every ``Origin``, if there is any, is
        local."""
        if len(hosts) != 1 or not self._is_own(_hostname(hosts[0])):
            raise RequestError("This Host is not served here.", status=403, code="forbidden_host")
        if not all(_is_loopback(_origin_host(origin)) for origin in origins):
            raise RequestError("Requests from this Origin are refused.", status=403, code="forbidden_origin")

    async def check_token(self, authorization: Sequence[str], query: str) -> None:
        """Raise :class:`RequestError` unless the token, or a user's, is in the ``Authorization`` header: 401, or 400 when
        it came in the query, where it would end up in logs and histories."""
        if any(name.lower() in _SECRET_PARAMETERS for name, _ in parse_qsl(query, keep_blank_values=True)):
            raise RequestError(
                "A token does not belong in a URL; send the header 'Authorization: Bearer TOKEN'.",
                code="token_in_url",
            )
        scheme, _, given = (authorization[0] if len(authorization) == 1 else "").partition(" ")
        matches = hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token)
        if scheme.lower() != "bearer" or not (matches or await self._users.has(given.strip())):
            raise RequestError(
                "This server wants its token, as a bearer token in the header 'Authorization'.",
                status=401,
                kind="authentication_error",
                code="invalid_api_key",
            )

    def proof(self, challenge: str) -> str:
        """Proof for a client with the token that this server knows it too; neither side sends the token."""
        return proof(self._token.decode(), challenge)

    def _is_own(self, host: str) -> bool:
        return host in ("localhost", self._host) or _address(host) is not None


def proof(token: str, challenge: str) -> str:
    return hmac.new(token.encode(), b"spark-jupyter:" + challenge.encode(), hashlib.sha256).hexdigest()


_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)
"""A host and a port, and nothing else: no user, no path (RFC 9110, 7.2)."""


def _hostname(authority: str) -> str:
    """The host; empty for what is no host with a possible port."""
    match = _AUTHORITY.fullmatch(authority)
    return match[1].strip("[]").lower() if match is not None and int(match[2] or 0) < 1 << 16 else ""


def _origin_host(origin: str) -> str:
    """The host of ``http://HOST:PORT`` (RFC 6454, 7)."""
    scheme, _, authority = origin.partition("://")
    return _hostname(authority) if scheme in ("http", "https") else ""


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)
