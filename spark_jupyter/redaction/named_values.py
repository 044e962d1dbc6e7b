"""Credentials behind a name: ``password = "…"``, ``"api_key": "…"``.

Also ``PWD=…;`` in a DSN, ``%env APP_PASS …`` and ``user, password = …``. Every pattern is bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import if_secret, is_value, of_kinds, of_literals
from spark_jupyter.redaction.placeholders import looks_random
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import Literal, arguments_at, bracketed_at, joined_at, literal_at
from spark_jupyter.redaction.unquoted_values import bare_value, without_separator
from spark_jupyter.source.credential_names import SAID_BY_NAME, WORDS, Kind, kind_of, parts

_NAMED = re.compile(
    r"(?<![\w.\-])(?P<name>[\w.\-]{1,80}+)(?P<close>[\"'`*\\]{0,4}\]?)"
    r"(?P<gap>[ \t]{0,30}+(?:[(\[<](?:str|string|text|bytes|secret|SecretStr|varchar)[)\]>][ \t]{0,4}+)?)"
    r"(?P<sep>:=|[=!]=|=>|->|[=:：|,→]|%3[dD]|(?=[\"'`])|(?<=[ \t]))"
    r"(?P<marks>[ \t*]{0,8})"
)
_ANNOTATION = re.compile(r"[ \t]*(?:Optional\[)?\w{1,40}\]?(?: \| None)?[ \t]*=[ \t]*(?=[rbuRBUfF(]{0,3}[\"'])")
_LEAD_IN = re.compile(
    r"(?:\s{0,4}(?:[\"'][ ]{0,4}\+[ ]{0,4}(?=[\"'])|(?:pd|pl|np)\.(?!read_|load|genfrom)\w{1,20}\("
    r"|(?:[\w.]{1,40}\.)?(?:b64decode|b32decode|b16decode|urlsafe_b64decode|fromhex|unhexlify|"
    r"SecretStr|SecretBytes|quote_plus|quote|bytes|str|decode)\("
    r"|\(\s{0,20}|[\"']{2}\.join\((?:[\[(]|map\(chr, ?))){0,3}"
)
_TWO_WORDS = frozenset({"key", "keys", "passe", "phrase", "words", "code", "token", "sandi", "number", "api"})
_BEFORE = re.compile(r"(?:[^\W\d]{1,20}[ \-]){1,2}$")
_NO_CREDENTIAL_KEYS = frozenset(
    "type title description format pattern label placeholder help name user username login email host url uri region id project_id "
    "client_id client_email scope scopes token_uri auth_uri provider kind port database".split()
)


def in_places(text: str) -> Iterator[Secret]:
    """Credentials behind a name that announces them."""
    unpacked = {match.end("names") for match in _UNPACKING.finditer(text)}
    for match in _NAMED.finditer(text):
        kind = kind_at(text, match)
        if kind is not None and match.end("name") not in unpacked:
            yield from _values(text, match, kind)
    yield from _in_shells(text)
    yield from _in_unpacking(text)


def kind_at(text: str, match: re.Match[str]) -> Kind | None:
    """Kind of the ``name`` of a match, with the words before it (``mot de passe``, ``API key``)."""
    name = match["name"]
    kind = kind_of(name)
    if kind in (None, "KEY", "TOKEN") and name.lower() in _TWO_WORDS:
        before = _BEFORE.search(text, max(0, match.start() - 42), match.start())
        kind = (kind_of(before[0] + name) if before else None) or kind
    return kind


def _values(text: str, match: re.Match[str], kind: Kind) -> Iterator[Secret]:
    sep, at = match["sep"], match.end()
    if sep == "," or (not sep and text[match.start() - 1 : match.start()] == "$"):
        return
    if not sep:
        yield from without_separator(text, match, kind)
        return
    if sep == ":" and (annotation := _ANNOTATION.match(text, at)):
        at, sep = annotation.end(), "="
    at = _LEAD_IN.match(text, at).end()  # type: ignore[union-attr]
    opening = len(text[max(0, at - 40) : at].rstrip()) + max(0, at - 40) - 1
    literals = joined_at(text, at)
    filled = _FILLED.match(text, literals[-1].after) if literals else None
    if literals and filled:
        yield from _parts([literal for literal in arguments_at(text, filled.end()) if literal], kind)
    elif literals and not _goes_on(text, opening, literals[-1].after):
        yield from of_literals(literals, kind)
        pairs = kind == "CREDENTIAL" or parts(match["name"])[-1] == "auth"
        if pairs and (second := _SECOND.match(text, literals[-1].after)):
            yield from of_literals(joined_at(text, second.end()), "PASSWORD")
    elif bytewise := _BYTES.match(text, at):
        if kind in SAID_BY_NAME:
            yield Secret(*bytewise.span(), kind, WORDS[kind])
    elif literals or (opening >= match.end() and text[opening] in "([" and not _is_told(text, opening)):
        yield from _all_of(text, opening, kind)
    elif at < len(text) and text[at] in "[{":
        yield from _all_of(text, at, kind)
    elif kind == "CREDENTIAL" and (pair := _SLASHED.match(text, at)):
        yield from if_secret(*pair.span("value"), pair["value"], kind)
    else:
        yield from bare_value(text, match, at, kind)


_FILLED = re.compile(r"[ \t]{0,4}(?:%[ \t]{0,4}\(?|\.format\()(?=[\"'])")
_SECOND = re.compile(r" ?[/:,] ?(?=[\"'`])")


def _parts(literals: list[Literal], kind: Kind) -> Iterator[Secret]:
    """Literals that fill a template."""
    if is_value("".join(literal.value for literal in literals), kind):
        for literal in literals:
            yield Secret(literal.start, literal.end, kind, WORDS[kind])


def _goes_on(text: str, opening: int, after: int) -> bool:
    """True if a literal is the first of a list or a tuple, and not an argument or in plain brackets."""
    if text[opening] not in "([" or (
        text[opening] == "(" and (text[opening - 1].isalnum() or text[opening - 1] == "_")
    ):
        return False
    return text[after : after + 40].lstrip()[:1] == ","


def _is_told(text: str, opening: int) -> bool:
    """True if the argument of a call begins with an expression of its own (``b64decode(os.environ["…"])``)."""
    return text[opening] == "(" and _EXPRESSION.match(text, opening + 1) is not None


_EXPRESSION = re.compile(r"[A-Za-z_][\w.]{0,80}[\[(]")
_BYTES = re.compile(r"\[?(?:\d{1,3}, ?){3,200}+\d{1,3}\]")
_SLASHED = re.compile(r"\s{0,4}[^\s/]{1,60} ?/ ?(?P<value>[^\s/]{4,100})")


def _all_of(text: str, at: int, kind: Kind) -> Iterator[Secret]:
    """Values in a list, a tuple or a dict with that name."""
    items = [(key, literal) for key, literal in bracketed_at(text, at) if key.lower() not in _NO_CREDENTIAL_KEYS]
    pair = text[at] == "(" and len(items) == 2 and kind in ("CREDENTIAL", "TOKEN")
    kind = "PASSWORD" if pair else kind
    if text[max(0, at - 5) : at] == "join(":
        yield from _parts([literal for _, literal in items], kind)
        return
    for _, literal in items[1:] if pair else items:
        plain = kind == "SECRET" or (kind == "CREDENTIAL" and not pair and text[at] != "{")
        if is_value(literal.value, kind) and (not plain or looks_random(literal.value)):
            yield Secret(literal.start, literal.end, kind, WORDS[kind])


_OPTION = re.compile(r"[\"'](?P<name>--?[\w\-]{2,60}+)[\"'],[ \t\n]{0,20}(?=[\"'])")
_BRACED = re.compile(
    r"(?i)\b(?:pwd|password)=\{(?P<value>(?![A-Za-z_][\w.\[\]\"'()]*\}(?:[;\s\"']|$))[^;\n]{4,200}?)\}(?=[;\s\"']|$)"
)
_SET_ENV = re.compile(r"%(?:set_)?env[ \t]+(?P<name>\w{1,80}+)[ \t]+(?P<value>[^\s=$][^\s]{3,400})")
_NETRC = re.compile(r"\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?P<value>\S{1,400})")
_IDENTIFIED = re.compile(r"(?i)\bidentified\s{1,4}by\s{1,4}(?P<quote>['\"])(?P<value>[^'\"\n]{3,200})(?P=quote)")
_SET_PASSWORD = re.compile(
    r"(?i)\bset\s{1,4}password\s{1,4}for\s[^\n=;]{1,100}=\s{0,4}(?:password\()?'(?P<value>[^'\n]{3,200})'"
)


def _in_shells(text: str) -> Iterator[Secret]:
    for match in _SET_ENV.finditer(text):
        if kind := kind_of(match["name"]):
            yield from if_secret(*match.span("value"), match["value"], kind)
    for word, pattern in (("login", _NETRC), ("y ", _IDENTIFIED), ("Y ", _IDENTIFIED), ("=", _SET_PASSWORD)):
        for match in pattern.finditer(text) if word in text else ():
            yield from if_secret(*match.span("value"), match["value"], "PASSWORD")
    for match in _OPTION.finditer(text):
        if (kind := kind_of(match["name"])) and (literal := literal_at(text, match.end())):
            yield from of_literals([literal], kind)
    for match in _BRACED.finditer(text) if "={" in text else ():
        yield Secret(*match.span("value"), "PASSWORD", WORDS["PASSWORD"])


_UNPACKING = re.compile(r"^[ \t]{0,40}(?P<names>[\w.]{1,60}+(?:, ?[\w.]{1,60}+){1,8}) = (?=[\"'\w(])", re.M)


def _in_unpacking(text: str) -> Iterator[Secret]:
    for match in _UNPACKING.finditer(text):
        kinds = [kind_of(name.strip()) for name in match["names"].split(",")]
        if not any(kinds):
            continue
        at = match.end() + (text[match.end()] == "(")
        line_end = text.find("\n", at)
        yield from of_kinds(kinds, arguments_at(text[: line_end if line_end >= 0 else len(text)], at))
