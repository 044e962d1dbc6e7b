"""Credentials with a known format: service keys, private keys, seed phrases.

The formats of services are in :mod:`spark_jupyter.source.service_keys`. Linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from spark_jupyter.redaction.encodings import plain_text
from spark_jupyter.redaction.placeholders import is_card, is_placeholder, looks_odd
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.source.service_keys import PRIVATE_KEY, keys_in


def in_shapes(text: str) -> Iterator[Secret]:
    """Credentials with a known format."""
    for key in keys_in(text):
        if not is_placeholder(text[key.start : key.end]) and _is_mixed(text[key.start : key.end]):
            yield Secret(key.start, key.end, key.kind, key.words)
    yield from _private_keys(text)
    yield from _wallet_keys(text)
    yield from _fernet_keys(text)
    yield from _seed_phrases(text)
    yield from _password_hashes(text)
    yield from _cards(text)


def _is_mixed(key: str) -> bool:
    return looks_odd(key) or len(_SWITCH.findall(key)) >= 3


_SWITCH = re.compile("[a-z][A-Z]")


# --- Private keys ----------------------------------------------------------------------------------------------------

_INSIDE = re.compile(r"(?:[A-Za-z0-9+/=:,.\-\s\"'>|]|\\[nrt]){24,20000}+")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(
    r"(?:^|(?<=[\s\"'n]))(?:[A-Za-z0-9+/]{8,100}={0,2}|[A-Za-z0-9+/]{1,7}={1,2})(?:\\r)?(?:\\n)?[\"'\\]{0,2}\s{0,8}$"
)
_OF_PUTTY = re.compile(r"^Private-Lines: \d{1,3}\n(?P<value>(?:[A-Za-z0-9+/=]{1,100}(?:\n|$|(?=[\"']))){1,100})", re.M)
_BODY = re.compile(r"[A-Za-z0-9+/=\s\\]+")


def _private_keys(text: str) -> Iterator[Secret]:
    """Private keys in PEM, also with a missing beginning or end."""
    for lines in _OF_PUTTY.finditer(text) if "Private-Lines" in text else ():
        yield Secret(*lines.span("value"), "PRIVATE_KEY", "private key")
    if "PRIVATE KEY" not in text:
        return
    done = 0
    for begin in PRIVATE_KEY.finditer(text):
        if begin.start() < done:
            continue
        end = _END.search(text, begin.end(), begin.end() + 20_000)
        inside = _INSIDE.match(text, begin.end())
        done = end.end() if end and "(" not in text[begin.end() : end.start()] else inside.end() if inside else 0
        if done and re.search(r"[A-Za-z0-9+/]{16}", text[begin.end() : done]):
            yield Secret(begin.start(), done, "PRIVATE_KEY", "private key")
    for end in _END.finditer(text):
        if end.start() < done:
            continue
        start = end.start()
        while line := _KEY_LINE.search(text, max(done, start - 120), start):
            start = line.start()
        if start < end.start() - 16:
            yield Secret(start, end.end(), "PRIVATE_KEY", "private key")
            done = end.end()


# --- Keys without a prefix -------------------------------------------------------------------------------------------

_HEX_64 = re.compile(r"(?<![A-Za-z0-9])0x[0-9a-fA-F]{64}(?![A-Za-z0-9])")
_OF_A_CHAIN = re.compile(
    r"(?i)hash|tx|transaction|block|root|topic|digest|receipt|merkle|slot|selector|commit|sha|keccak|bytes32|storage|state|event|log"
)
_OF_A_KEY = re.compile(r"(?i)sign_|private|priv_?key|from_key|secret")
_FERNET = re.compile(r"(?<![A-Za-z0-9_\-+/=:])[A-Za-z0-9_\-]{43}=(?![A-Za-z0-9_\-+/=])")
_DIGEST = re.compile(r"(?i)sha\d|md5|digest|hash|checksum|integrity|etag|fingerprint|image|png|signature")


def _line_before(text: str, at: int) -> str:
    start = max(0, at - 80)
    return text[max(start, text.rfind("\n", start, at) + 1) : at]


def _wallet_keys(text: str) -> Iterator[Secret]:
    for match in _HEX_64.finditer(text):
        before = _line_before(text, match.start())
        if (_OF_A_KEY.search(before) or not _OF_A_CHAIN.search(before)) and match[0][2:].strip("0fF"):
            yield Secret(*match.span(), "WALLET_KEY", "wallet key")


def _fernet_keys(text: str) -> Iterator[Secret]:
    for match in _FERNET.finditer(text):
        value = match[0]
        mixed = not value.isupper() and not value.islower() and sum(map(str.isdigit, value)) >= 3
        if mixed and not _DIGEST.search(_line_before(text, match.start())):
            yield Secret(*match.span(), "FERNET_KEY", "Fernet key")


# --- Seed phrases ----------------------------------------------------------------------------------------------------

_WORDS = re.compile(
    r"(?:^|(?<=[\"'`:=]))[ \t]{0,8}(?P<value>[a-z]{3,8}(?: [a-z]{3,8}){11,23}+)(?P<after>[\"'`]?[ \t]{0,4}(?:\)?[.\w]{0,6}|$))",
    re.M,
)
_IN_NO_PHRASE = frozenset(
    "the and for with are was not but from has had its were which their been our she his her him than also into over only does did "
    "how why per because where those these should must might while being both more most each some many much print return import "
    "adipisc dolor ipsum".split()
)
"""Frequent words that are not in the 2,048 of BIP-39, which seed phrases consist of."""


def _seed_phrases(text: str) -> Iterator[Secret]:
    for match in _WORDS.finditer(text):
        words = match["value"].split()
        if len(words) in (12, 15, 18, 21, 24) and _IN_NO_PHRASE.isdisjoint(words) and ".split" not in match["after"]:
            yield Secret(*match.span("value"), "SEED_PHRASE", "seed phrase")


# --- Of people -------------------------------------------------------------------------------------------------------

_CRYPT = re.compile(r"\$(?:[156y]|apr1|2[abxy]|argon2id?|scrypt|pbkdf2[\w\-]{0,10})\$[\w.,=/$+\-]{20,300}")
"""Password hashes of crypt(5) and its kin: enough to guess the password by."""
_CARD = re.compile(r"(?<![\w.\-])[3-6]\d{3}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?![\w.\-])")


def _password_hashes(text: str) -> Iterator[Secret]:
    for match in _CRYPT.finditer(text) if "$" in text else ():
        yield Secret(*match.span(), "PASSWORD_HASH", "hash of a password")


def _cards(text: str) -> Iterator[Secret]:
    for match in _CARD.finditer(text):
        if is_card(match[0]):
            yield Secret(*match.span(), "CARD", "payment card")


# --- What is encoded -------------------------------------------------------------------------------------------------

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_\-=])(?:[A-Za-z0-9+/]{16,400}+={0,2})(?![A-Za-z0-9+/_\-=])")


def in_encodings(text: str, find: Callable[[str], tuple[Secret, ...]]) -> Iterator[Secret]:
    """Runs of base64 or hex with a credential inside, according to ``find``."""
    for match in _ENCODED.finditer(text):
        plain = plain_text(match[0])
        if plain and (found := find(plain)):
            yield Secret(*match.span(), found[0].kind, found[0].words)
