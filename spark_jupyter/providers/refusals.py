"""Typed errors for refusals of a provider.

Each has a sentence that says what to do.

The forms: an HTTP status with a JSON or text body; a WebSocket ``error`` event, nested (``{"error": {…}}``) or
flat; the ``error`` of a ``response.failed``. They share ``code``, ``type``, ``message`` and ``param`` (OpenAI's API
reference, "Error codes"), and what this module knows about the codes is in the tables below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TypeVar

import msgspec
from msgspec import Struct

from spark_jupyter.exceptions import (
    AuthenticationFailed,
    BadResponse,
    ConnectionLost,
    ModelNotFound,
    Overloaded,
    ProviderError,
    QuotaUsedUp,
    RateLimited,
    RequestRefused,
    SparkError,
)
from spark_jupyter.providers.tolerant_json import Tolerant, loads
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.source.service_keys import keys_in

PREVIOUS_RESPONSE_NOT_FOUND = "previous_response_not_found"
CONNECTION_LIMIT_REACHED = "websocket_connection_limit_reached"

_MODEL_CODES = frozenset({"model_not_found", "model_not_available", "deployment_not_found", "deploymentnotfound"})
_KEY_CODES = frozenset(
    {"invalid_api_key", "authentication_error", "permission_denied", "permission_error", "unauthorized", "no_api_key"}
    | {"api_key_invalid", "unauthenticated"}
)
_RATE_CODES = frozenset(
    {"rate_limit_exceeded", "rate_limit_error", "too_many_requests", "slow_down", "resource_exhausted"}
)
_OVERLOAD_CODES = frozenset({"overloaded_error", "overloaded", "server_is_overloaded", "unavailable"})
_WINDOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_WINDOW_WORDS = re.compile(r"prompt is too long|exceeds the maximum number of tokens", re.I)
_WORDS_OF_CODES = {
    "overloaded": re.compile(r"\boverloaded\b", re.I),
    "slow_down": re.compile(r"\brate limit|\btoo many requests\b", re.I),
}
"""Words that identify an error without status and code."""
_QUOTA_CODES = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_error", "budget_exceeded", "insufficient_funds"}
)
_QUOTA_WORDS = re.compile(r"credit balance is too low", re.I)
_NO_MODEL = re.compile(
    r"^model: |models?\b.{0,80}?\b(?:does not exist|not found|not supported|is not available)", re.I | re.S
)
_NO_RETRY = re.compile(r"\b(?:do not|don't|should not|must not) (?:retry|try again)\b|not retryable", re.I)
T = TypeVar("T")
_TRY_AGAIN = re.compile(r"(?:try again|retry|wait)\b\D{0,30}?(\d+(?:\.\d+)?)\s*(ms|milliseconds|s\b|sec|m\b|min)", re.I)
_KEYS = re.compile(
    r"(?i:\bbearer\s+(?!(?:tokens?|auth|authentication|authorization|scheme)[.,;:)]*(?:\s|$)))\S+"
    r"|\b(?:(?:sk|pk|xai|gsk|csk|vck)[-_]|key[-_](?=[a-z_.\-]*[A-Z0-9*]))[A-Za-z0-9*_.\-]{6,}"
    r"|(?i:\b(?:x-)?(?:api|access|auth|secret)?[-_]?(?:key|token|password|secret)[\"']?\s?[:=]\s?[\"']?(?:bearer\s+)?)[^\s\"'&,;]{6,}"
)
"""Providers shorten and mask keys when they quote them, so the forms here are wider than those of whole ones; words as in
``key_model_access_denied`` are none."""
_MAX_QUOTED = 400
_MAX_READ = 2**14
"""Characters of a provider's words that are looked at: far more than are quoted."""

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of reading JSON that is invalid, of another form, or nested too deeply."""


class Refusal(Struct, frozen=True, kw_only=True):
    """Refusal by a provider. ``status`` is HTTP's, 0 where there is none; ``retry_after`` in seconds."""

    status: int = 0
    code: str = ""
    kind: str = ""
    message: str = ""
    param: str = ""
    retry_after: float | None = None
    is_final: bool = False
    """True if the provider says that asking again is of no use."""


class RefusedWith(RequestRefused):
    """A refusal that keeps its machine-readable code, for the connection that may know what to do about it."""

    def __init__(self, refusal: Refusal, message: str, *, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.refusal = refusal

    @property
    def code(self) -> str:
        """The same as its parent's: callers outside see one class."""
        return "request_refused"


def scrub(text: str) -> str:
    """A provider's words as they may be shown: in one line, without anything that looks like a key or drives a terminal, at most some
    hundred characters long."""
    text = " ".join(text[:_MAX_READ].split())
    for key in reversed(list(keys_in(text))):
        text = f"{text[: key.start]}(key withheld){text[key.end :]}"
    text = printable(_KEYS.sub("(key withheld)", text))
    return text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 1] + "…"


_SHORTEST = 6
"""Characters of a key that is one wherever they stand."""


def withhold(error: SparkError, secret: str) -> None:
    """Take ``secret`` out of an error's sentences: a provider may have quoted it in words that look like no key. What is given to a local
    server that wants any key, ``x``, is no part of other words."""
    if secret and secret in str(error):
        quoted = re.escape(secret) if len(secret) >= _SHORTEST else rf"(?<!\w){re.escape(secret)}(?!\w)"
        error.message = re.sub(quoted, "(key withheld)", error.message)
        error.remedy = re.sub(quoted, "(key withheld)", error.remedy)
        error.args = (error.message,)


_IMAGES = ("image", "vision", "multimodal", "multi-modal", "mmproj", "content part")
_ONE_IMAGE = re.compile(
    r"too (?:large|big|many|small)|exceed|at most|size|dimension|pixel|format|decode|process|download|corrupt|invalid image|media.?type",
    re.I,
)
"""Words about one image, or their number: another one may be read."""


def refuses_images(error: SparkError) -> bool:
    """True if a provider has refused a request for its images, as far as the words tell."""
    said = error.message.casefold()
    return isinstance(error, RequestRefused) and any(word in said for word in _IMAGES)


def refuses_all_images(error: SparkError) -> bool:
    """True if a provider has refused a request for its images, and would refuse any."""
    return refuses_images(error) and _ONE_IMAGE.search(error.message) is None


def read_refusal(
    body: bytes | str | Mapping[str, object], *, status: int = 0, headers: Mapping[str, str] | None = None
) -> Refusal:
    """The refusal in an HTTP answer's body or in a decoded error event. Never raises: what is not JSON is taken as
    text."""
    fields = body if isinstance(body, Mapping) else _decode(body)
    error = fields.get("error")
    inner: Mapping[str, object] = error if isinstance(error, Mapping) else fields
    message = _words(inner) or _text(error) or _words(fields)
    stated = (inner.get("status"), fields.get("status"), fields.get("status_code"), inner.get("code"))
    reason, wait = _details(inner.get("details"))
    named = inner.get("type") or inner.get("status") if inner is not fields else ""
    return Refusal(
        status=status or next((each for each in stated if isinstance(each, int)), 0),
        code=scrub(reason or _text(inner.get("code"))),
        kind=scrub(_text(named)),
        message=scrub(message),
        param=scrub(_text(inner.get("param"))),
        retry_after=wait if wait is not None else _retry_after(headers or _headers(inner), inner, message),
        is_final=_is_final(headers or _headers(inner), inner, message),
    )


def raise_stated(data: bytes | Mapping[str, object], *, model: str, where: str) -> None:
    """Raise the typed error where a frame states one, in whatever shape; a frame that has nothing to say is no error."""
    fields = data if isinstance(data, Mapping) else _decode(data)
    if _states_error(fields):
        raise to_error(read_refusal(fields), model=model, where=where)


def _states_error(fields: Mapping[str, object]) -> bool:
    if any(_says(fields.get(name)) for name in ("error", "errors")) or "error" in (
        fields.get("object"),
        fields.get("type"),
    ):
        return True
    base = fields.get("base_resp")  # MiniMax
    if isinstance(base, Mapping) and base.get("status_code"):
        return True
    return not (fields.get("choices") or fields.get("type")) and any(_says(fields.get(name)) for name in _ERROR_WORDS)


def _says(value: object) -> bool:
    return any(map(bool, value.values())) if isinstance(value, Mapping) else bool(value)


_ERROR_WORDS = tuple("message detail details msg error_msg error_message error_description status_msg errmsg".split())
"""The fields in which an error says what is wrong."""


def _words(value: object, depth: int = 4) -> str:
    """Error message in a body, with the fields that it names (FastAPI's ``loc``)."""
    if depth == 0 or not isinstance(value, Mapping | list):
        return _text(value)
    if isinstance(value, list):
        return "; ".join(filter(None, (_words(each, depth - 1) for each in value[:3])))
    place = value.get("loc")
    place = ".".join(map(_text, place)) + ": " if isinstance(place, list) else ""
    found = (_words(value.get(name), depth - 1) for name in (*_ERROR_WORDS, "errors", "base_resp", "error"))
    said = next(filter(None, found), "")
    metadata = value.get("metadata")  # OpenRouter: what the provider behind it said
    raw = _text(metadata.get("raw")) if isinstance(metadata, Mapping) else ""
    return f"{place}{said}{': ' if raw else ''}{raw}" if said else raw


def _is_final(headers: Mapping[str, str], fields: Mapping[str, object], message: str) -> bool:
    """True if the provider says that asking again is of no use."""
    lowered = {name.lower(): value.lower() for name, value in headers.items()}
    told = (fields.get(name) for name in ("retryable", "should_retry", "is_retryable", "can_retry", "retry"))
    return (
        lowered.get("x-should-retry") == "false"
        or any(each is False for each in told)
        or bool(_NO_RETRY.search(message))
    )


def to_error(refusal: Refusal, *, model: str = "", where: str = "") -> ProviderError:
    """The typed error for a refusal. ``where`` is the address asked, for the sentence that says what to do."""
    said = f": {_sentence(refusal.message)}" if refusal.message else "."
    place = where or "the provider"
    codes = {refusal.code.lower(), refusal.kind.lower()} - {""}
    if refusal.status == 402 or codes & _QUOTA_CODES or _QUOTA_WORDS.search(refusal.message):
        return QuotaUsedUp(
            f"The quota at {place} is used up{said}",
            remedy="Check the plan and billing there, or ask who gave you the key.",
        )
    if refusal.status in (0, 500, 502) and not codes - {"server_error", "internal_error"}:
        codes = codes | {code for code, words in _WORDS_OF_CODES.items() if words.search(refusal.message)}
    waits = refusal.status in (429, 503, 529) or codes & (_RATE_CODES | _OVERLOAD_CODES)
    if waits and refusal.is_final:
        remedy = "The provider says not to ask again now: choose another model with %spark model NAME, or ask later."
        return RefusedWith(
            refusal,
            f"{place} refused the request ({refusal.status or refusal.code or refusal.kind}){said}",
            remedy=remedy,
        )
    if refusal.status == 429 or codes & _RATE_CODES:
        return _rate_limited(refusal, place, said)
    if refusal.status in (503, 529) or codes & _OVERLOAD_CODES:
        return _overloaded(refusal, place, said)
    if _is_model_missing(refusal, codes):
        return ModelNotFound(
            f"{place} does not serve the model {model!r}{said}"
            if model
            else f"{place} does not serve this model{said}",
            remedy="Choose another one with %spark model NAME; %spark models lists what it serves.",
        )
    if refusal.status in (401, 403) or codes & _KEY_CODES:
        return AuthenticationFailed(
            f"{place} did not accept the key{said}",
            remedy="Paste the right one under Connect a model… in JupyterLab, or set it in this provider's environment "
            "variable (or SPARK_API_KEY) and start again.",
        )
    if refusal.code == CONNECTION_LIMIT_REACHED:
        return ConnectionLost(f"{place} closed the connection because it had been open too long.", remedy="Ask again.")
    return _other(refusal, place, said)


def _sentence(message: str) -> str:
    """The provider's message as a sentence that more can follow."""
    return message if message.rstrip().endswith((".", "!", "?")) else f"{message}."


_PAGE = re.compile(rb"\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_TITLE = re.compile(rb"<title>([^<]{1,60})", re.IGNORECASE)


def bad_response(what: str, *, data: bytes = b"", where: str = "") -> BadResponse:
    """``what`` came that is not the protocol. At most some of ``data`` is quoted, without keys."""
    if _PAGE.match(data):
        title = _TITLE.search(data[:2_000])
        called = f" ({scrub(title[1].decode('utf-8', 'replace'))!r})" if title else ""
        remedy = "Check the base URL: it leads to a page for browsers, or to a proxy where you must log in first."
        return BadResponse(f"{where or 'The provider'} sent a web page{called}, {what}.", remedy=remedy)
    quoted = scrub(data[:120].decode("utf-8", "replace")) if data else ""
    return BadResponse(
        f"{where or 'The provider'} sent {what}" + (f": {quoted!r}." if quoted else "."),
        remedy="Ask again; if it stays, the base URL or the dialect may be wrong (spark-jupyter doctor).",
    )


def decoded(decoder: Tolerant[T], data: bytes, *, what: str, where: str) -> T:
    """Decode ``data``. Raises :class:`~spark_jupyter.exceptions.BadResponse` where that is ``what`` no dialect sends."""
    try:
        return decoder.decode(data)
    except UNREADABLE:
        raise bad_response(what, data=data, where=where) from None


def _other(refusal: Refusal, place: str, said: str) -> ProviderError:
    if refusal.status == 404 and not refusal.code:
        remedy = "Check the base URL, and whether it speaks this dialect; where it has no list of models, name one."
        return RefusedWith(refusal, f"There is no such endpoint at {place} (404){said}", remedy=remedy)
    if 300 <= refusal.status < 400:
        remedy = "Set the base URL to the place where it is served."
        return RefusedWith(
            refusal, f"{place} answered with a redirect ({refusal.status}), which is not followed{said}", remedy=remedy
        )
    if refusal.status >= 500 or refusal.code in ("server_error", "internal_error"):
        about = f" ({refusal.status})" if refusal.status else ""  # "failed" says that the error is the server's
        return RefusedWith(refusal, f"{place} failed{about}{said}", remedy="Ask again.")
    if {refusal.code, refusal.kind} & _WINDOW_CODES or _WINDOW_WORDS.search(refusal.message):
        remedy = "Start the server with a larger context, choose another model with %spark model NAME, or ask in a shorter notebook."
        return RefusedWith(refusal, f"The prompt is too long for the model at {place}{said}", remedy=remedy)
    about = refusal.code or refusal.kind or (str(refusal.status) if refusal.status else "no reason given")
    remedy = "Change what the message names, or choose another model with %spark model NAME."
    return RefusedWith(refusal, f"{place} refused the request ({about}){said}", remedy=remedy)


def _rate_limited(refusal: Refusal, place: str, said: str) -> RateLimited:
    limited = f"{place} limits the rate of requests{said}"
    return RateLimited(limited, remedy=_later(refusal), retry_after=refusal.retry_after)


def _overloaded(refusal: Refusal, place: str, said: str) -> Overloaded:
    about = refusal.status or refusal.code or refusal.kind
    busy = f"{place} has too much to do{f' ({about})' if about else ''}{said}"
    return Overloaded(busy, remedy=_later(refusal), retry_after=refusal.retry_after)


def _later(refusal: Refusal) -> str:
    wait = refusal.retry_after
    return f"Ask again in {wait:.3g} s." if wait is not None else "Ask again in a moment."


def _details(details: object) -> tuple[str, float | None]:
    """Reason and seconds to wait from Google's error details (google.rpc.ErrorInfo, RetryInfo)."""
    reason, wait = "", None
    for each in details if isinstance(details, list) else ():
        if isinstance(each, Mapping):
            reason = reason or _text(each.get("reason"))
            delay = each.get("retryDelay")
            if isinstance(delay, str) and delay.endswith("s"):
                wait = _number(delay[:-1])
    return reason, wait


def _is_model_missing(refusal: Refusal, codes: set[str]) -> bool:
    if codes & _MODEL_CODES or any(code.endswith("_model_access_denied") for code in codes):  # LiteLLM
        return True
    return refusal.status in (400, 404) and (bool(_NO_MODEL.search(refusal.message)) or refusal.param == "model")


def _decode(body: bytes | str) -> Mapping[str, object]:
    try:
        decoded = loads(body.encode("utf-8", "replace") if isinstance(body, str) else body)
    except UNREADABLE:
        text = body[:_MAX_READ] if isinstance(body, str) else body[:_MAX_READ].decode("utf-8", "replace")
        return {"message": " ".join(re.sub(r"<[^<>]*>", " ", text).split())}
    if isinstance(decoded, list) and decoded:
        decoded = decoded[0]
    return decoded if isinstance(decoded, dict) else {"message": _text(decoded)}


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _headers(fields: Mapping[str, object]) -> Mapping[str, str]:
    """The headers that an event over a WebSocket says an HTTP answer would have had."""
    told = fields.get("headers")
    told = told if isinstance(told, Mapping) else {}
    return {name: value for name, value in told.items() if isinstance(name, str) and isinstance(value, str)}


def _retry_after(headers: Mapping[str, str], fields: Mapping[str, object], message: str) -> float | None:
    """Seconds to wait: the header (RFC 9110 §10.2.3: seconds or a date), a field of the body, or the message's
    words."""
    lowered = {name.lower(): value for name, value in headers.items()}
    if "retry-after-ms" in lowered:
        return _number(lowered["retry-after-ms"], scale=0.001)
    if "retry-after" in lowered:
        return _seconds_or_date(lowered["retry-after"], lowered.get("date", ""))
    for name in ("retry_after", "retry_after_seconds"):
        stated = fields.get(name)
        if isinstance(stated, int | float) and stated >= 0:
            return float(stated)
    said = _TRY_AGAIN.search(message)
    if said is None:
        return None
    scale = 0.001 if said[2].lower().startswith(("ms", "milli")) else 60.0 if said[2].lower().startswith("m") else 1.0
    return _number(said[1], scale=scale)


def _number(text: str, *, scale: float = 1.0) -> float | None:
    try:
        return max(0.0, float(text) * scale)
    except ValueError:
        return None


def _seconds_or_date(value: str, date: str) -> float | None:
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(value) - parsedate_to_datetime(date)).total_seconds())
    except (ValueError, TypeError):
        return None
