"""Base URLs of providers: checked, normalised, compared."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

from spark_jupyter.exceptions import ConfigurationError

_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
_EDGES = re.compile("^[\\s\u00ad\u200b-\u200f\u2060\ufeff]+|[\\s\u00ad\u200b-\u200f\u2060\ufeff]+$")
"""Blanks, and what pages put beside an address so that it breaks well: nobody sees it in a copy."""
_WEB_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}


def base_url(url: str, dialect: str) -> str:
    """``url`` as the base of an API: the scheme of the dialect, its own path where there is none, no endpoint at its end.

    >>> base_url("http://localhost:11434", "responses-sse")
    'http://localhost:11434/v1'
    >>> base_url("https://api.openai.com/v1/responses", "responses-websocket")
    'wss://api.openai.com/v1'
    """
    from spark_jupyter.providers import dialects

    split = split_url(url)
    schemes = _SCHEMES if dialect in dialects.OVER_WEBSOCKET else _WEB_SCHEMES
    path = split.path.rstrip("/")
    for endpoint in (*dialects.endpoints(), "/models"):
        path = path.removesuffix(endpoint)
    return urlunsplit(
        (schemes[split.scheme], split.netloc, path or dialects.dialect(dialect).base_path, split.query, "")
    )


def web_url(base: str) -> str:
    """The same base over HTTP, where ``/models`` is asked for."""
    split = split_url(base)
    return urlunsplit((_WEB_SCHEMES[split.scheme], split.netloc, split.path, split.query, ""))


def endpoint_url(base: str, path: str) -> str:
    """The address of ``path`` below a base URL, whose own query goes along with each request.

    >>> endpoint_url("https://a.b/v1?api-version=2", "/models?alt=sse")
    'https://a.b/v1/models?alt=sse&api-version=2'
    """
    base, _, query = base.partition("?")
    return f"{base}{path}{'&' if '?' in path else '?'}{query}" if query else base + path


def host_of(url: str) -> str:
    """Host and port, for sentences. Never the user info that a URL may carry."""
    return split_url(url).netloc.rpartition("@")[2]


def is_loopback(url: str) -> bool:
    host = split_url(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name, and not the one that is always this machine


def split_url(url: str) -> SplitResult:
    try:
        split = urlsplit(_EDGES.sub("", url))
        port_is_fine = split.port is None or split.port > 0
    except ValueError:
        port_is_fine = False
        split = urlsplit("")
    if split.scheme not in _SCHEMES or not split.hostname or not port_is_fine:
        raise ConfigurationError(
            f"{re.sub('//[^/]*@', '//', url)!r} is no base URL.",
            remedy="It begins with wss://, ws://, https:// or http://, e.g. http://localhost:8000/v1.",
        )
    return split


def key_address(base: str) -> str:
    """The address that a kept key belongs to: a base URL over HTTP, without user and query.

    >>> key_address("wss://API.openai.com/v1/?api-version=2")
    'https://api.openai.com/v1'
    """
    split = split_url(base)
    return urlunsplit((_WEB_SCHEMES[split.scheme], host_of(base).lower(), split.path.rstrip("/"), "", ""))
