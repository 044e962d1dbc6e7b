"""Errors of sockets, TLS and proxies, as errors of this package.

The libraries' own errors are translated beside their use.
"""

from __future__ import annotations

import socket
import ssl

from spark_jupyter.exceptions import (
    BadResponse,
    ConfigurationError,
    ConnectionLost,
    ConnectionRefused,
    ProviderError,
    Stalled,
    TLSError,
)
from spark_jupyter.providers.refusals import scrub


def dial_error(error: BaseException, where: str, *, timeout: float) -> ProviderError:
    """The typed error for a connection that could not be opened. ``timeout`` is how long was waited, in seconds."""
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return TLSError(
                f"The certificate of {where} can't be trusted: {cause.verify_message or cause.reason}.",
                remedy="If it is your own server, point SSL_CERT_FILE to the certificate of its authority.",
            )
        if isinstance(cause, ssl.SSLError):
            return TLSError(
                f"The TLS handshake with {where} failed: {cause.reason or 'no reason given'}.",
                remedy="Check that the server speaks TLS there (wss, https) and not plain text (ws, http).",
            )
        if isinstance(cause, socket.gaierror):
            return ConnectionRefused(
                f"There is no host {where}.", remedy="Check the base URL and whether this machine is online."
            )
        if isinstance(cause, TimeoutError):
            return Stalled(
                f"{where} did not answer within {timeout:.3g} s.",
                remedy="Check the address and the network, and ask again.",
            )
        if isinstance(cause, ConnectionResetError | BrokenPipeError | EOFError):
            return lost(where, "while it was opened")
    return ConnectionRefused(
        f"Can't reach {where}.", remedy="Start the server, or choose another one (SPARK_BASE_URL, %spark model)."
    )


def lost(where: str, how: str) -> ConnectionLost:
    """The typed error for a connection that broke off."""
    return ConnectionLost(
        f"The connection to {where} was lost ({how}).", remedy="What had arrived is kept. Ask again, or steer."
    )


def after_silence(error: ProviderError, where: str, *, seconds: float, longest: float) -> ProviderError:
    """The error, or a :class:`Stalled` where a connection broke off after so many ``seconds`` of silence. A connection that died unseen
    breaks at once: a server that was silent for ``longest`` has got the request, and is not asked again by itself."""
    if not isinstance(error, ConnectionLost) or seconds < longest:
        return error
    return Stalled(
        f"{where} said nothing for {seconds:.3g} s, and then the connection broke off. It was not asked again.",
        remedy="What had arrived is kept. Ask again, or steer.",
    )


def too_much(where: str, what: str) -> BadResponse:
    """The typed error for more than a provider may send."""
    return BadResponse(
        f"{where} sent {what}, which is more than an answer needs.",
        remedy="What had arrived is kept. Ask again, or choose another provider (SPARK_BASE_URL, %spark model).",
    )


def proxy_setting(error: Exception) -> ConfigurationError:
    """The typed error for a proxy in the environment that can't be used, e.g. SOCKS without the library for it."""
    return ConfigurationError(
        f"The proxy that the environment names can't be used: {scrub(str(error))}.",
        remedy="Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or except the host with NO_PROXY; SOCKS needs "
        "pip install 'spark_jupyter[socks]'.",
    )


def _causes(error: BaseException | None) -> list[BaseException]:
    """``error`` and what lies beneath it: libraries wrap the system's errors."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        if isinstance(error, BaseExceptionGroup):
            found += error.exceptions
        error = error.__cause__ or error.__context__
    return found
