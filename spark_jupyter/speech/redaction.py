"""Secrets stay home: credentials leave a prompt before it is sent, and come back into the answer on this machine.

:class:`Redactor` replaces what it recognises by a named placeholder, ``SPARK_SECRET_1_AWS_KEY``, that a model can
use like the value; :meth:`Redactor.restore` puts the value back. What is recognised:

- the values of environment variables whose name ends in KEY, TOKEN, SECRET or PASSWORD, wherever they appear;
- private keys in PEM, passwords in URLs, ``Authorization`` headers;
- what detect-secrets' detectors of known formats find (AWS, GitHub, Slack, OpenAI, Stripe, JWT …). Its entropy
  detectors are left out: on notebooks they flag almost every cell (hashes, ids, images);
- literals given to a name that says so (``password = "…"``, ``"api_key": "…"``, ``--token …``).

Placeholders that people write (``"YOUR_KEY"``, ``"<password>"``, ``"${TOKEN}"``, ``"changeme"``) are no secrets.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from detect_secrets.plugins.base import RegexBasedDetector

_CACHED_TEXTS = 8_192
_KNOWN_EVERYWHERE = 6
"""A secret of at least so many characters is replaced wherever it appears again; a shorter one only where found."""


class _Secret(Struct, frozen=True):
    """A secret in a text: from ``start`` to ``end``. ``kind`` goes into the placeholder, ``words`` to the user."""

    start: int
    end: int
    kind: str
    words: str


class Redactor:
    """Withholds secrets from texts, remembers them, and puts them back. One for a kernel; not safe across threads."""

    def __init__(self, *, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._placeholders: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._withheld: dict[str, None] = {}
        self._found: dict[str, tuple[_Secret, ...]] = {}
        self._in_environment: tuple[tuple[str, str], ...] | None = None

    @property
    def withheld(self) -> tuple[str, ...]:
        """What was withheld and where, e.g. ``"AWS access key in cell 3"``; never the secret."""
        return tuple(self._withheld)

    def forget_withheld(self) -> None:
        """Begin :attr:`withheld` anew, for another turn. Secrets and their placeholders stay known."""
        self._withheld.clear()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Within it the environment is read once: for the many texts of one moment."""
        self._in_environment = tuple(self._environment())
        try:
            yield
        finally:
            self._in_environment = None

    def withhold(self, text: str, *, where: str = "") -> str:
        """``text`` with a placeholder for each secret. ``where`` is told to the user, e.g. ``"cell 3"``."""
        pieces = []
        end = 0
        for secret in self._secrets(text):
            value = text[secret.start : secret.end]
            pieces += [text[end : secret.start], self._placeholder(value, secret)]
            self._withheld[f"{self._kinds[value]} in {where}" if where else self._kinds[value]] = None
            end = secret.end
        return "".join([*pieces, text[end:]])

    def restore(self, text: str) -> str:
        """``text`` with the values of this redactor's placeholders put back."""
        if _PREFIX not in text:
            return text
        return _PLACEHOLDER.sub(lambda match: self._restored(match[0]), text)

    def restore_stream(self) -> RestoreStream:
        """An incremental :meth:`restore`, for text that comes in pieces."""
        return RestoreStream(self)

    def _restored(self, name: str) -> str:
        """The longest known placeholder that ``name`` begins with, replaced (what follows may be the model's own)."""
        if name in self._values:
            return self._values[name]
        for placeholder, value in self._values.items():
            if name.startswith(placeholder):
                return value + name[len(placeholder) :]
        return name

    def _placeholder(self, value: str, secret: _Secret) -> str:
        if value not in self._placeholders:
            placeholder = f"{_PREFIX}{len(self._placeholders) + 1}_{secret.kind}"
            self._placeholders[value] = placeholder
            self._values[placeholder] = value
            self._kinds[value] = secret.words
        return self._placeholders[value]

    def _secrets(self, text: str) -> tuple[_Secret, ...]:
        """The secrets in ``text`` in order and without overlaps."""
        if text not in self._found:
            if len(self._found) >= _CACHED_TEXTS:
                self._found.clear()
            self._found[text] = tuple(_detect(text))
        # what is already known counts most: it must have the same placeholder everywhere
        secrets = [*self._known(text), *self._from_environment(text), *self._found[text]]
        return tuple(_without_overlaps(secrets))

    def _known(self, text: str) -> Iterator[_Secret]:
        for value in self._placeholders:
            if len(value) >= _KNOWN_EVERYWHERE:
                for start in _occurrences(text, value):
                    yield _Secret(start, start + len(value), "", "")

    def _from_environment(self, text: str) -> Iterator[_Secret]:
        for name, value in self._environment() if self._in_environment is None else self._in_environment:
            if value in text:
                kind = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
                for start in _occurrences(text, value):
                    yield _Secret(start, start + len(value), kind, f"value of {name}")

    def _environment(self) -> Iterator[tuple[str, str]]:
        """The variables that hold credentials, by their names."""
        for name, value in list(self._environ.items()):
            if _ENVIRONMENT_NAME.search(name) and len(value) >= 8 and not _is_no_secret(value):
                yield name, value


class RestoreStream:
    """:meth:`Redactor.restore` for pieces of text. A placeholder may be split over any number of them."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def decode(self, text: str) -> str:
        """What can be given on now; the beginning of a placeholder is held back until it is whole."""
        text = self._held + text
        start = _partial(text)
        self._held = text[start:]
        return self._redactor.restore(text[:start])

    def flush(self) -> str:
        """What was held back when the text ended."""
        held, self._held = self._held, ""
        return self._redactor.restore(held)


_PREFIX = "SPARK_SECRET_"
_PLACEHOLDER = re.compile(_PREFIX + r"\d+_[A-Z0-9_]*")
_UNFINISHED = re.compile(_PREFIX + r"\d*(?:_[A-Z0-9_]*)?\Z")
_HELD_AT_MOST = 200
"""No placeholder is longer, so nothing longer is held back."""


def _partial(text: str) -> int:
    """Where the beginning of a placeholder at the end of ``text`` starts; the text's length where there is none."""
    tail = max(0, len(text) - _HELD_AT_MOST)
    match = _UNFINISHED.search(text, tail)
    if match:
        return match.start()
    for length in range(min(len(_PREFIX) - 1, len(text)), 0, -1):
        if text.endswith(_PREFIX[:length]):
            return len(text) - length
    return len(text)


# --- Detection -------------------------------------------------------------------------------------------------------

_ENVIRONMENT_NAME = re.compile(r"(?i)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$")

_PEM = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)", re.S
)
_URL = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.\-]{1,30}://[^\s/:@'\"<>]{0,100}:(?P<value>[^\s/@'\"<>]{3,200})@[\w.\-{\[]")
_HEADER = re.compile(r"(?i)\b(?:bearer|basic|token)\s+(?P<value>[A-Za-z0-9_\-.+/=~]{16,})")
_WORDS = (
    r"(?P<word>pass(?:word|wd|phrase)|pwd|secret(?:_?(?:access)?_?key)?|credentials?|"
    r"(?:access_?|auth_?|api_?|bearer_?|refresh_?|session_?|id_?|private_?|bot_?|hf_?|gh_?|github_?)?token|"
    r"(?:api|access|auth|account|service|private|priv|db|database|client|subscription|signing|encryption|master)_?-?key)"
)
_QUOTED = re.compile(
    rf"(?i)(?<![A-Za-z])[\w\-]{{0,60}}?{_WORDS}(?:_\w{{0,20}}|\d{{0,2}})[\"']?\s{{0,4}}\]?\s{{0,4}}(?::\s{{0,4}}str\s{{0,4}}=|[:=]=?|,)"
    r"\s{0,4}\(?[rbu]{0,2}(?P<quote>[\"'])(?P<value>[^\"'\n]{4,400})(?P=quote)"
)
_BARE = re.compile(
    rf"(?im)(?:^\s{{0,20}}(?:export\s+|set\s+|setx\s+|[%!]\s?(?:env|set_env|export)\s+)?[A-Z0-9_]{{0,60}}?|--[a-z0-9\-]{{0,40}}?){_WORDS}"
    r"(?:\s{0,4}[=:]\s{0,4}|\s+)(?P<value>[A-Za-z0-9_\-+/=.:~!@%^&*]{8,400})(?=\s|$)"
)
_LONG_RUN = re.compile(r"[A-Za-z0-9_\-+/=.:]{16}")

_NO_SECRET = re.compile(
    r"(?ix)^(?:your|my|the|some|an?|insert|enter|put|add|paste|replace|example|sample|dummy|fake|test(?:ing)?|mock|todo|none|null|true|false)\b"
    r"|^(?:your|my|insert|enter|paste|replace)[-_ ]"
    r"|(?:^|[-_ ])(?:here|example|placeholder|changeme|change[-_]me|redacted|dummy)(?:$|[-_ ])"
    r"|^[<\[{(].*[>\]})]$ |^\$ |^%\( |^\{ |^env[:.] |x{4,}|\*{3,}|\.{3}|…|^[x*.\-_]+$"
    r"|^(?:password|passwd|secret|token|api[-_]?key|key|string|str|changeme|default|unknown|required|optional)\d{0,3}$"
)
_PATH = re.compile(r"^(?:~|/(?:usr|home|etc|root|var|opt|tmp|run|mnt|Users)|[A-Za-z]:\\)[/\\]")
_PROSE = re.compile(r"[:?!]\s*$|\b(?:enter|your|please|must|invalid|required|the)\b", re.I)


def _detect(text: str) -> Iterator[_Secret]:
    """Every secret in ``text`` by its form or its name, the more certain kinds first."""
    for match in _PEM.finditer(text):
        yield _Secret(*match.span(), "PRIVATE_KEY", "private key")
    yield from _of_known_format(text)
    yield from _matches(_URL, text, lambda _: ("URL_PASSWORD", "password in a URL"), _is_no_url_password)
    yield from _matches(_HEADER, text, lambda _: ("AUTHORIZATION", "authorization header"), _is_no_bare_secret)
    yield from _matches(_QUOTED, text, _named, _is_no_secret)
    yield from _matches(_BARE, text, _named, _is_no_bare_secret)


def _matches(
    pattern: re.Pattern[str],
    text: str,
    name: Callable[[re.Match[str]], tuple[str, str]],
    harmless: Callable[[str], bool],
) -> Iterator[_Secret]:
    for match in pattern.finditer(text):
        kind, words = name(match)
        value = match["value"]
        if harmless(value) or (kind.endswith("TOKEN") and not _looks_random(value)):
            continue
        yield _Secret(*match.span("value"), kind, words)


def _named(match: re.Match[str]) -> tuple[str, str]:
    word = match["word"].lower()
    if word.startswith(("pass", "pwd")):
        return "PASSWORD", "password"
    if "token" in word:
        return "TOKEN", "token"
    if "key" in word:
        return "API_KEY", "API key"
    return "SECRET", "secret"


def _is_no_secret(value: str) -> bool:
    """Whether a literal is a placeholder, a path, a prompt to a person or already one of our own placeholders."""
    return bool(
        value.startswith(_PREFIX)
        or _NO_SECRET.search(value)
        or _PATH.match(value)
        or (" " in value and _PROSE.search(value))
    )


def _is_no_url_password(value: str) -> bool:
    return _is_no_secret(value) or "{" in value


def _is_no_bare_secret(value: str) -> bool:
    """Without quotes it could be code: an attribute, a call, a name. A secret has digits among its letters."""
    return _is_no_secret(value) or not _looks_random(value)


def _looks_random(value: str) -> bool:
    """Letters and digits mixed, no spaces, not a number, a version or a file's name."""
    if len(value) < 8 or " " in value or not re.search(r"[A-Za-z]", value):
        return False
    return bool(re.search(r"\d", value)) and not re.search(
        r"^[\w\-]{1,40}\.(?:\w{1,5})$|^[a-z]+(?:-[a-z0-9]{1,8})+$", value
    )


_FORMATS = {
    "AWS Access Key": ("AWS_KEY", "AWS access key"),
    "Azure Storage Account access key": ("AZURE_KEY", "Azure storage key"),
    "GitHub Token": ("GITHUB_TOKEN", "GitHub token"),
    "GitLab Token": ("GITLAB_TOKEN", "GitLab token"),
    "JSON Web Token": ("JWT", "JSON web token"),
    "OpenAI Token": ("OPENAI_KEY", "OpenAI key"),
    "Slack Token": ("SLACK_TOKEN", "Slack token"),
    "Stripe Access Key": ("STRIPE_KEY", "Stripe key"),
}
_MORE_FORMATS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    # prefixes as the providers document them
    (re.compile(r"\bsk-(?:proj-|ant-|or-v1-|svcacct-)?[A-Za-z0-9_\-]{20,}"), "API_KEY", "API key"),
    (re.compile(r"\bhf_[A-Za-z0-9]{20,}"), "HUGGINGFACE_TOKEN", "Hugging Face token"),
    (re.compile(r"\bAIza[A-Za-z0-9_\-]{35}"), "GOOGLE_KEY", "Google API key"),
    (re.compile(r"\bgithub_pat_[A-Za-z0-9_]{22,}|\bgh[pousr]_[A-Za-z0-9]{30,}"), "GITHUB_TOKEN", "GitHub token"),
    (re.compile(r"\b(?:gsk|csk|xai|pplx|r8|dop_v1|glpat)[-_][A-Za-z0-9_\-]{20,}"), "API_KEY", "API key"),
)


def _of_known_format(text: str) -> Iterator[_Secret]:
    for pattern, kind, words in _MORE_FORMATS:
        for match in pattern.finditer(text):
            if not _is_no_secret(match[0]) and _looks_random(match[0]):
                yield _Secret(*match.span(), kind, words)
    start = 0
    for line in text.splitlines(keepends=True):
        if _LONG_RUN.search(line):
            yield from _in_line(line, start)
        start += len(line)


def _in_line(line: str, offset: int) -> Iterator[_Secret]:
    for detector in _detectors():
        for value in detector.analyze_string(line):
            if not value or len(value) < 8 or _is_no_secret(value):
                continue
            kind, words = _FORMATS.get(detector.secret_type, ("", ""))
            kind = kind or re.sub(r"[^A-Z0-9]+", "_", detector.secret_type.upper())[:40]
            for at in _occurrences(line, value):
                yield _Secret(offset + at, offset + at + len(value), kind, words or detector.secret_type)


@cache
def _detectors() -> tuple[RegexBasedDetector, ...]:
    """detect-secrets' detectors of known formats. Imported at first use: they bring an HTTP client along."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    left_out = {"Public IP (ipv4)", "Basic Auth Credentials", "Private Key"}  # not a secret; done better above
    classes: Mapping[str, object] = get_mapping_from_secret_type_to_class()
    return tuple(
        plugin()
        for name, plugin in sorted(classes.items())
        if name not in left_out and isinstance(plugin, type) and issubclass(plugin, RegexBasedDetector)
    )


def _occurrences(text: str, value: str) -> Iterator[int]:
    start = text.find(value)
    while start >= 0:
        yield start
        start = text.find(value, start + len(value))


def _without_overlaps(secrets: list[_Secret]) -> list[_Secret]:
    """Earlier ones in the list win, unless a later one covers them wholly and more (a key inside a PEM block)."""
    kept: list[_Secret] = []
    for secret in sorted(secrets, key=lambda s: (s.start, -(s.end - s.start))):
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return kept
