"""Retry policy for provider requests.

The same request is sent again, later, without a setting that the model refuses, or to the fallback. Nothing is sent again once text has
come: it would be doubled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct, structs

from spark_jupyter.exceptions import (
    AuthenticationFailed,
    ConnectionLost,
    ConnectionRefused,
    QuotaUsedUp,
    RequestRefused,
    SparkError,
    Stalled,
    TryLater,
)
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import ModelRequest, without_images
from spark_jupyter.providers.refusals import refuses_images

LONGEST_WAIT = 120.0
"""Seconds that a turn waits at most where the provider says how long."""
MOST_WAITS = 4
"""Most waits of one request."""
FIRST_WAIT = 1.0
"""Seconds, where the provider does not say how long; doubled each time."""
LONGEST_WAIT_BEFORE_FALLBACK = 3.0
"""Seconds up to which waiting is preferred to the fallback."""
_ELSEWHERE = (TryLater, QuotaUsedUp, ConnectionRefused, ConnectionLost, Stalled)
_WORDS = {"temperature": ("temperature",), "effort": ("effort", "reasoning", "thinking", "output_config")}
_TIER = ("service_tier", "service tier", "priority", "ultrafast", "fast mode", "'speed'", "speed:", "flex")
"""The words by which a refusal names a setting."""


class RetryState(Protocol):
    """History of a request: how often it was put off (``waits``), whether it was sent again after a lost connection (``resent``), whether
    it went to the fallback (``elsewhere``)."""

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


class Retry(Struct, frozen=True, kw_only=True):
    """A request to send in ``after`` seconds, to the fallback or to the same provider. ``notice`` tells the user why."""

    request: ModelRequest
    after: float = 0.0
    fallback: bool = False
    notice: str = ""


def next_attempt(
    job: RetryState, error: SparkError, fallback: Fallback | None, *, patient: bool = True
) -> Retry | None:
    """The retry after ``error``; None where the error is final. ``patient``: waiting is allowed."""
    if job.said:
        return None
    if job.request.tier and isinstance(error, RequestRefused | AuthenticationFailed) and _names(_TIER, error):
        notice = f"The provider refused the tier {job.request.tier}. Asking again without it."
        return Retry(request=structs.replace(job.request, tier=None), fallback=job.elsewhere, notice=notice)
    if refuses_images(error) and any(each.images for each in job.request.input):
        notice = "The provider refused the images. Asking again without them."
        return Retry(request=without_images(job.request), fallback=job.elsewhere, notice=notice)
    if isinstance(error, RequestRefused) and (plainer := _without(job.request, error)) is not None:
        return Retry(request=plainer, fallback=job.elsewhere)
    if isinstance(error, ConnectionLost) and not job.resent:
        notice = "The connection broke off before the answer. Asking again."
        return Retry(request=job.request, fallback=job.elsewhere, notice=notice)
    wait = _wait(job, error) if patient else None
    leaves = isinstance(error, _ELSEWHERE) and (wait is None or wait > LONGEST_WAIT_BEFORE_FALLBACK)
    if fallback is not None and not job.elsewhere and leaves:
        request = structs.replace(job.request, model=fallback.model, tier=None)
        notice = f"{error.message} {fallback.title} is asked instead, as configured."
        return Retry(request=request, fallback=True, notice=notice)
    if wait is None:
        return None
    return Retry(request=job.request, after=wait, fallback=job.elsewhere, notice=error.message)


def _wait(job: RetryState, error: SparkError) -> float | None:
    """Seconds to wait before the same request is sent again; None where that would not help, or take too long."""
    if not isinstance(error, TryLater) or job.waits >= MOST_WAITS:
        return None
    wait: float = FIRST_WAIT * 2**job.waits if error.retry_after is None else error.retry_after
    return wait if wait <= LONGEST_WAIT else None


def _without(request: ModelRequest, error: SparkError) -> ModelRequest | None:
    """The request without the setting that a refusal names; None where it names none."""
    for field, words in _WORDS.items():
        if getattr(request, field) is not None and _names(words, error):
            return structs.replace(request, **{field: None})
    return None


def _names(words: tuple[str, ...], error: SparkError) -> bool:
    said = error.message.casefold()
    return any(word in said for word in words)
