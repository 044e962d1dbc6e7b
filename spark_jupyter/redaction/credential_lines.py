"""Credentials in lines that speak of one.

``**Login:** me / …``, ``kaggle config set -n key -v …``, ``wifi GUEST, key …``. A line counts by its words
(:mod:`~spark_jupyter.source.credential_names`), a value by its form, so that the rule knows nothing of the program, the library or the
language around it. In a line that says plainly what it is about (*password*) a value is enough that nobody reads as a word or as a name of
the code; in one that merely speaks of keys, tokens or logins a machine must have made it, or a person who needed a digit. Linear in the
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.placeholders import is_mended_word, is_placeholder, is_uuid
from spark_jupyter.redaction.random_literals import CLEARED, is_generated, is_hexadecimal
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.source.credential_names import SAID_BY_NAME, WORDS, Kind, kind_of

_HINT = re.compile(
    r"(?i)pass|pwd|\bpw\b|secret|geheim|cred|key|token|cod[ei]|recover|licen[cs]e|login|log in|auth|vault|kennwort|"
    r"contrase|senha|парол|ключ|密|口令|wor[dt]\b|parol|has[lł]o|heslo|lozinka|wachtwoord|l[oö]senord|jelsz|salasana|[sş]ifre|\bpin\b|zugang|wi-?fi|wlan|vpn"
)
"""Cheap filter of lines; the words decide then."""
_WORD = re.compile(r"[^\W\d_][\w\-]{1,40}")
_VALUE = re.compile(r"(?<![\w.@#$%{/\\:+=&?\-])[\w][^\s\"'`,;()<>\[\]{}|=…]{5,120}+(?![\w(\[{])")
_LONGEST_LINE = 400
_BELOW = 6
"""Number of lines below an announcement of credentials that are searched."""
_ANNOUNCES = re.compile(r"\s{0,8}(?:#{1,6} .*|.*:[*_\s]*|(?:[\w\-]{1,20} ){0,4}[\w\-]{2,20}s[*_\s]*)$")
_NAMED_SO = re.compile(
    r"arn:|[a-z][a-z0-9]*(?:_[a-z0-9]+)+$|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[\w.\-]+(?:/[\w.\-]+)+$|[a-z]+(?:-[a-z]+){1,3}\d$"
    r"|[\w\-]+(?:[./:][A-Za-z_][\w\-]*)+$|[\d.:/\-]+[A-Za-z]{0,3}$|[a-z]{2,8}\d$|[a-z]{2,4}\d{1,3}$"
    r"|[A-Za-z]+[-:/ ]?(?:\d{2,3}|[sv]?\d+\.\d[\w.]*)$"
)
"""``oauth2_scheme``, ``google.oauth2``, ``arn:aws:…``, ``2024-05-01``, ``argon2``, ``AES-256``, ``python3.12``."""
_LOGINS = frozenset(
    "login logins license licence licenses activation wifi wlan vpn zugang zugangsdaten auth identifiants acceso accès accesso".split()
)


def by_line(text: str) -> Iterator[Secret]:
    """Values that are no words, in a line about a credential or below an announcement."""
    at, announced, left = 0, None, 0
    for line in text.splitlines(keepends=True):
        if len(line) <= _LONGEST_LINE:
            spoken = _spoken_of(line) if _HINT.search(line) else (None, False)
            kind, plain = spoken if spoken[0] or not left else (announced, True)
            if kind:
                yield from _in_line(line, at, kind, plain=plain)
            if spoken[1] and _ANNOUNCES.search(line):
                announced, left = spoken[0], _BELOW + 1
        left = max(0, left - 1)
        at += len(line)


def _in_line(line: str, at: int, kind: Kind, *, plain: bool) -> Iterator[Secret]:
    for match in _VALUE.finditer(line):
        value = match[0].rstrip(".:!?*_")
        if not _may_be_one(value):
            continue
        if _is_made(value, line[: match.start()]) or (_is_chosen(value) if plain else is_mended_word(value)):
            yield Secret(at + match.start(), at + match.start() + len(value), kind, WORDS[kind])


def _spoken_of(line: str) -> tuple[Kind | None, bool]:
    """Kind of credential that a line mentions, and if it does so plainly."""
    weak: Kind | None = None
    before = ""
    for word in _WORD.findall(line):
        kind = kind_of(word) or (kind_of(f"{before} {word}") if before else None)
        before = word
        if kind in SAID_BY_NAME:
            return kind, True
        if kind in ("KEY", "TOKEN", "SESSION"):
            weak = weak or kind
        elif word.lower() in _LOGINS:
            weak = weak or "PASSWORD"
    return weak, False


def _may_be_one(value: str) -> bool:
    """True if a value has letters and digits, and is no placeholder, id or version."""
    digits = sum(map(str.isdigit, value))
    return bool(digits) and digits < len(value) and not is_placeholder(value) and not is_uuid(value)


def _is_made(value: str, before: str) -> bool:
    made = is_generated(value) or (len(value) == 32 and is_hexadecimal(value)) or _PRODUCT_KEY.match(value)
    return bool(made) and not CLEARED.search(before[-60:])


_PRODUCT_KEY = re.compile(r"(?=.*\d)(?=.*[A-Z])[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7}$")


def _is_chosen(value: str) -> bool:
    """True if a value looks like a chosen password: with letters and digits, and unlike a name of the code, a file's, a date or a port."""
    return len(value) >= 6 and not _NAMED_SO.match(value)
