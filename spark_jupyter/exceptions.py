"""Errors that this package raises for its users, in one tree.

::

    SparkError
    ├── ConfigurationError        a setting, an option or a file that the user gave is wrong
    │   └── PolicyError           the policy of this Jupyter does not allow it
    ├── NotebookError             a notebook can't be read, or a change does not fit it
    ├── SessionError              a command that does not fit the state (nothing to accept, no such turn …)
    │   ├── TurnOver              words for a turn that has ended
    │   ├── StaleCell             an agent's edit of a cell that has changed since the agent read it
    │   └── RefactoringError      a change of the whole notebook that can't be made, or not without breaking it
    ├── ServerError               the embedded server can't be started or found
    └── ProviderError             a request to a provider failed
        ├── ConnectionRefused     nothing listens there
        ├── TLSError              the certificate or the handshake failed
        ├── AuthenticationFailed  no key or a wrong one (401, 403)
        ├── TryLater              it may well be answered later; ``retry_after`` in seconds where the provider says so
        │   ├── RateLimited       429: too many requests
        │   └── Overloaded        503, 529: the provider has too much to do
        ├── QuotaUsedUp           the plan there, or its money, is used up
        ├── ModelNotFound         the endpoint does not serve this model; ``available`` lists what it does
        ├── ConnectionLost        the stream broke off; what had arrived is kept
        ├── Stalled               nothing came for too long
        ├── BadResponse           what came is not the protocol
        ├── Preempted             a more urgent request took its place
        └── RequestRefused        any other refusal by the provider (invalid request, content filter …)

An error's text is a sentence that says what happened; ``remedy`` says what to do about it. No key ever appears in either.
"""

from __future__ import annotations

import errno
import re


class SparkError(Exception):
    """The root. ``remedy`` is a sentence that says what to do; ``code`` is stable and fit for machines."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    @property
    def code(self) -> str:
        """The class's name in snake case, e.g. ``connection_lost``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(self).__name__).lower()

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class ConfigurationError(SparkError):
    """A setting, an option or a file that the user gave is wrong."""


class PolicyError(ConfigurationError):
    """The policy of this Jupyter does not allow it."""


class NotebookError(SparkError):
    """A notebook can't be read, or a change does not fit it."""


class CheckError(SparkError):
    """A file or a revision that ``spark-jupyter check`` needs is not available."""


class SessionError(SparkError):
    """A command that does not fit the state."""


class TurnOver(SessionError):
    """Words that were to redirect a turn which has ended: who sent them may say them as a new prompt."""


class StaleCell(SessionError):
    """An edit of a cell that has changed since whoever proposes it has read it."""


class RefactoringError(SessionError):
    """A change of the whole notebook that can't be made, or not without breaking it."""


class ServerError(SparkError):
    """The embedded server can't be started or found."""


class ProviderError(SparkError):
    """A request to a provider failed."""


class ConnectionRefused(ProviderError):
    """Nobody listens at the address."""


class TLSError(ProviderError):
    """The certificate or the TLS handshake failed."""


class AuthenticationFailed(ProviderError):
    """No key, or a wrong one."""


class TryLater(ProviderError):
    """The same request may well be answered later. ``retry_after`` is in seconds, None where the provider does not say."""

    def __init__(self, message: str, *, remedy: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class RateLimited(TryLater):
    """Too many requests."""


class Overloaded(TryLater):
    """The provider has too much to do."""


class QuotaUsedUp(ProviderError):
    """The plan there, or its money, is used up: asking again does not help."""


class ModelNotFound(ProviderError):
    """The endpoint does not serve this model. ``available`` is what it lists, as far as it could be asked."""

    def __init__(self, message: str, *, remedy: str = "", available: tuple[str, ...] = ()) -> None:
        super().__init__(message, remedy=remedy)
        self.available = available


class ConnectionLost(ProviderError):
    """The stream broke off. What had arrived is kept."""


class Stalled(ProviderError):
    """Nothing came for too long."""


class BadResponse(ProviderError):
    """The response does not follow the protocol."""


class Preempted(ProviderError):
    """A more urgent request took this one's place. The connection stays, and the same request may be sent again."""


class RequestRefused(ProviderError):
    """Any other refusal by the provider."""


_LIMITS = {
    errno.EMFILE: ("This process can't open more files.", "Close some, or restart the kernel with a higher ulimit -n."),
    errno.ENFILE: ("This machine can't open more files.", "Close programs, and try again."),
    errno.ENOSPC: ("The disk is full.", "Delete files, and try again."),
    errno.EDQUOT: ("Your quota of the disk is used up.", "Delete files, and try again."),
    errno.ENOMEM: ("There is no memory left.", "Delete large variables, or restart the kernel."),
    errno.EAGAIN: ("This machine starts no more processes or threads.", "End some, and try again."),
}


def limit_reached(error: BaseException) -> SparkError | None:
    """The error in words where a limit of the system is behind it; None for any other one."""
    number = errno.ENOMEM if isinstance(error, MemoryError) else getattr(error, "errno", None)
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        number = errno.EAGAIN
    message, remedy = _LIMITS.get(number or 0, ("", ""))
    return SparkError(message, remedy=remedy) if message else None


def why_unread(error: Exception) -> str:
    """Why a file can't be read, without the words of a codec."""
    if isinstance(error, UnicodeDecodeError):
        line = error.object.count(b"\n", 0, error.start) + 1
        return f"line {line} is not UTF-8"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
