"""Proxy on the way to an endpoint, over HTTP and WebSocket.

It is not left to the libraries: httpx takes each entry of NO_PROXY for the host of a URL and fails at an IPv6 network, and websockets does
not know ALL_PROXY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from spark_jupyter.connection.network_errors import proxy_setting
from spark_jupyter.providers.addresses import is_loopback

if TYPE_CHECKING:
    from spark_jupyter.providers.profiles import Choice

_NAMES = {
    "http": ("http",),
    "https": ("https",),
    "ws": ("ws", "socks", "https", "http"),  # RFC 6455 §4.1
    "wss": ("wss", "socks", "https"),
}


def proxy_of(choice: Choice, url: str) -> str | None:
    """The proxy of the profile, else that of the environment; none to this machine, or where NO_PROXY excepts the host. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` for one that has no place."""
    found = choice.profile.proxy or ("" if is_loopback(url) else _of_environment(url))
    try:
        _ = urlsplit(found).port
    except ValueError as error:
        raise proxy_setting(error) from None
    return found or None


def _of_environment(url: str) -> str:
    split = urlsplit(url)
    if any(proxy_bypass(host) for host in (split.netloc.rpartition("@")[2], split.hostname or "")):
        return ""
    proxies = getproxies()
    name = next((name for name in (*_NAMES.get(split.scheme, ()), "all") if proxies.get(name)), "")
    scheme, _, place = proxies.get(name, "").rpartition("://")
    if name == "socks" and scheme in ("", "http"):  # so the settings of macOS name one
        scheme = "socks5h"
    return f"{scheme or 'http'}://{place}" if place else ""
