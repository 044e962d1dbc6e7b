"""What is sent after a request has failed: the same again, later, without what the model does not take, or elsewhere. Pure.

Nothing is sent again once any text has come: it would stand there twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct, structs

from spark_jupyter.exceptions import (
    ConnectionLost,
    ConnectionRefused,
    QuotaUsedUp,
    RequestRefused,
    SparkError,
    Stalled,
    TryLater,
)
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import ModelRequest

LONGEST_WAIT = 120.0
"""Seconds for which a turn waits where the provider says how long; beyond it the turn ends and says so."""
MOST_WAITS = 4
"""How often one request is put off."""
FIRST_WAIT = 1.0
"""Seconds, where the provider does not say; then twice as long each time."""
NOT_WORTH_LEAVING = 3.0
"""Seconds that are waited for rather than another provider is asked."""
_ELSEWHERE = (TryLater, QuotaUsedUp, ConnectionRefused, ConnectionLost, Stalled)
_WORDS = {"temperature": ("temperature",), "effort": ("effort", "reasoning", "thinking", "output_config")}
"""How a refusal names what the model does not take."""


class Asked(Protocol):
    """What was asked before: how often it was put off (``waits``), whether the connection broke off once (``resent``), whether it was the
    fallback that was asked (``elsewhere``)."""

    request: ModelRequest
    resent: bool
    elsewhere: bool
    waits: int

    @property
    def said(self) -> str:
        """The answer so far."""


class Fallback(Struct, frozen=True, kw_only=True):
    """A second provider, which the user has configured. ``model`` is what is asked there."""

    title: str
    model: str
    price: Callable[[str], ModelInfo | None]


class Again(Struct, frozen=True, kw_only=True):
    """Send ``request`` after so many seconds, to the fallback or to the same place. ``notice`` is what the user is told before."""

    request: ModelRequest
    after: float = 0.0
    fallback: bool = False
    notice: str = ""


def again(job: Asked, error: SparkError, fallback: Fallback | None, *, patient: bool = True) -> Again | None:
    """What to send after ``error``; None where it is final. Who is not ``patient`` waits by itself, or does not."""
    if job.said:
        return None
    if isinstance(error, RequestRefused) and (plainer := _without(job.request, error)) is not None:
        return Again(request=plainer, fallback=job.elsewhere)
    if isinstance(error, ConnectionLost) and not job.resent:
        notice = "The connection broke off before an answer came: it is asked again."
        return Again(request=job.request, fallback=job.elsewhere, notice=notice)
    wait = _wait(job, error) if patient else None
    leaves = isinstance(error, _ELSEWHERE) and (wait is None or wait > NOT_WORTH_LEAVING)
    if fallback is not None and not job.elsewhere and leaves:
        request = structs.replace(job.request, model=fallback.model)
        notice = f"{error.message} {fallback.title} is asked instead, as configured."
        return Again(request=request, fallback=True, notice=notice)
    if wait is None:
        return None
    return Again(request=job.request, after=wait, fallback=job.elsewhere, notice=error.message)


def _wait(job: Asked, error: SparkError) -> float | None:
    """How long to wait before the same is asked again; None where that would not help, or take too long."""
    if not isinstance(error, TryLater) or job.waits >= MOST_WAITS:
        return None
    wait: float = FIRST_WAIT * 2**job.waits if error.retry_after is None else error.retry_after
    return wait if wait <= LONGEST_WAIT else None


def _without(request: ModelRequest, error: SparkError) -> ModelRequest | None:
    """The request without the setting that a refusal names; None where it names none of those that it has."""
    said = str(error).casefold()
    for field, words in _WORDS.items():
        if getattr(request, field) is not None and any(word in said for word in words):
            return structs.replace(request, **{field: None})
    return None
