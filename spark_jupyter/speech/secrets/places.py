"""Values that a name gives away: ``password = "…"``, ``"api_key": "…"``, ``PWD=…;`` in a DSN, ``%env APP_PASS …``,
``user, password = …``. Pure; every pattern is bounded, so the time is linear in the text.
"""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.speech.secrets.found import Secret
from spark_jupyter.speech.secrets.generated import is_generated, is_hexadecimal
from spark_jupyter.speech.secrets.harmless import is_card, is_placeholder, is_uuid, is_word, looks_odd, looks_random
from spark_jupyter.speech.secrets.literals import Literal, arguments_at, bracketed_at, joined_at, literal_at
from spark_jupyter.speech.secrets.names import SAID_BY_NAME, WORDS, Kind, kind_of, parts

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
_BARE = re.compile(r"[^\s\"'`<>,;&)\]}|\\]{1,400}+")
_TO_END = re.compile(r"[.!?]{0,2}[ \t]*(?:(?:[#,;|*_\"'`)]|--|%\}|//|\}).*)?$", re.M)
CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[A-Za-z_][\w.]*[(\[]")
_SHELL = re.compile(
    r"(?:^|[;&(])[ \t]*(?:[!%]?[ \t]?(?:export|set|setx|env|set_env|ENV|ARG|declare -x)[ \t]+|-e[ \t]+)?$"
)
_TWO_WORDS = frozenset({"key", "keys", "passe", "phrase", "words", "code", "token", "sandi", "number", "api"})
_BEFORE = re.compile(r"(?:[^\W\d]{1,20}[ \-]){1,2}$")
_NO_CREDENTIAL_KEYS = frozenset(
    "type title description format pattern label placeholder help name user username login email host url uri region id project_id "
    "client_id client_email scope scopes token_uri auth_uri provider kind port database".split()
)


_FIXED_HEX = frozenset({32, 48, 64, 128})


def in_places(text: str) -> Iterator[Secret]:
    """Every credential that a name in front of it gives away."""
    unpacked = {match.end("names") for match in _UNPACKING.finditer(text)}
    for match in _NAMED.finditer(text):
        kind = kind_at(text, match)
        if kind is not None and match.end("name") not in unpacked:
            yield from _values(text, match, kind)
    yield from _in_shells(text)
    yield from _in_unpacking(text)


def kind_at(text: str, match: re.Match[str]) -> Kind | None:
    """What the ``name`` of a match says, with the words before it (``mot de passe``, ``API key``)."""
    name = match["name"]
    kind = kind_of(name)
    if kind in (None, "KEY", "TOKEN") and name.lower() in _TWO_WORDS:
        before = _BEFORE.search(text, max(0, match.start() - 42), match.start())
        kind = (kind_of(before[0] + name) if before else None) or kind
    return kind


def _values(text: str, match: re.Match[str], kind: Kind) -> Iterator[Secret]:
    sep, at = match["sep"], match.end()
    if sep == ",":
        return
    if not sep:
        yield from _without_separator(text, match, kind)
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
    elif literals or (opening >= match.end() and text[opening] in "(["):
        yield from _all_of(text, opening, kind)
    elif at < len(text) and text[at] in "[{":
        yield from _all_of(text, at, kind)
    elif kind == "CREDENTIAL" and (pair := _SLASHED.match(text, at)):
        yield from if_secret(*pair.span("value"), pair["value"], kind)
    else:
        yield from _bare(text, match, at, kind)


_FILLED = re.compile(r"[ \t]{0,4}(?:%[ \t]{0,4}\(?|\.format\()(?=[\"'])")
_SECOND = re.compile(r" ?[/:,] ?(?=[\"'`])")


def _parts(literals: list[Literal], kind: Kind) -> Iterator[Secret]:
    """Literals that fill a template."""
    if is_value("".join(literal.value for literal in literals), kind):
        for literal in literals:
            yield Secret(literal.start, literal.end, kind, WORDS[kind])


def _goes_on(text: str, opening: int, after: int) -> bool:
    """Whether a literal is the first of a list or a tuple, and not what is in brackets or given to a function."""
    if text[opening] not in "([" or (
        text[opening] == "(" and (text[opening - 1].isalnum() or text[opening - 1] == "_")
    ):
        return False
    return text[after : after + 40].lstrip()[:1] == ","


_BYTES = re.compile(r"\[?(?:\d{1,3}, ?){3,200}+\d{1,3}\]")
_SLASHED = re.compile(r"\s{0,4}[^\s/]{1,60} ?/ ?(?P<value>[^\s/]{4,100})")


def of_literals(literals: list[Literal], kind: Kind) -> Iterator[Secret]:
    """The parts of one value, if together they are one."""
    if any(literal.formatted for literal in literals):
        for literal in literals:
            for start, end in literal.constants():
                value = literal.value[start - literal.start : end - literal.start]
                if looks_random(value.strip()) and not is_placeholder(value):
                    yield Secret(start, end, kind, WORDS[kind])
        return
    whole = "".join(literal.value for literal in literals)
    if is_value(whole, kind):
        for literal in literals:
            if len(literal.value) >= 2:
                yield Secret(literal.start, literal.end, kind, WORDS[kind])


def is_value(value: str, kind: Kind) -> bool:
    """Whether a literal can be a credential of that kind."""
    value = value.strip()
    if kind == "CARD":
        return value.isdigit() and (len(value) in (3, 4) or (13 <= len(value) <= 19 and is_card(value)))
    if is_placeholder(value) or len(value) < 4 or "{" in value[:200] or _is_code(value):
        return False
    match kind:
        case "PIN":
            return value.isdigit() and 4 <= len(value) <= 8
        case "SEED_PHRASE":
            return len(value.split()) >= 12
        case "KEY":
            fixed = len(value) in _FIXED_HEX and all(char in "0123456789abcdefABCDEF" for char in value)
            return fixed or is_hexadecimal(value) or is_generated(value)
        case "TOKEN":
            return looks_odd(last := value.rsplit(" ", 1)[-1]) or _has_parts(last)
        case "SESSION" | "SIGNATURE":
            return looks_random(value) and len(value) >= 16 and not is_uuid(value)
        case _:
            return not _is_a_name(value)


_PARTS = re.compile(r"(?=\D{0,80}\d)[a-z\d]{2,}(?:-[a-z\d]{2,}){2,}$")


def _has_parts(value: str) -> bool:
    """Whether a token is made of three parts and more, words and a number: ``plum-tree-77``."""
    return len(value) >= 12 and _PARTS.match(value) is not None


def _is_code(value: str) -> bool:
    """Whether the value says where the credential is: a call, or a dotted name of one (``settings.db_password``)."""
    found = CODE.match(value[:200])
    return found is not None and not looks_random(value) and (found[0][-1] in "([" or kind_of(value) is not None)


def _is_a_name(value: str) -> bool:
    """Whether the value is itself the name of a credential: ``"DB_PASSWORD"``, ``"user_password"``."""
    return (
        not any(char.isdigit() for char in value)
        and value.isidentifier()
        and ("_" in value or value.isupper())
        and bool(kind_of(value))
    )


def if_secret(start: int, end: int, value: str, kind: Kind) -> Iterator[Secret]:
    """The secret from ``start`` to ``end``, if that can be one."""
    if is_value(value, kind):
        yield Secret(start, end, kind, WORDS[kind])


def _all_of(text: str, at: int, kind: Kind) -> Iterator[Secret]:
    """The values in a list, a tuple or a dict that has the name."""
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


def _without_separator(text: str, match: re.Match[str], kind: Kind) -> Iterator[Secret]:
    """``password `x```, ``PASSWORD 'x'``, ``--password x``, ``login me password x``."""
    if match["close"].strip("*"):
        return
    at = match.end()
    literal = literal_at(text, at)
    if literal is not None:
        if match["gap"] and not literal.formatted:
            yield from if_secret(literal.start, literal.end, literal.value, kind)
        return
    bare = _BARE.match(text, at)
    if (
        bare is None
        or bare[0][0] in "-$[(<"
        or (bare[0].isupper() and not (len(bare[0]) >= 16 and looks_random(bare[0])))
    ):
        return
    option = match["name"].startswith("--") and len(match["gap"]) == 1
    if (
        bare[0].isdigit()
        and 4 <= len(bare[0]) <= 8
        and kind in ("PIN", "PASSWORD")
        and parts(match["name"])[-1] in ("pin", "passcode")
    ):
        yield Secret(*bare.span(), "PIN", WORDS["PIN"])
    odd = looks_random(bare[0]) if kind == "TOKEN" else kind in SAID_BY_NAME and _is_odd(bare[0])
    if option or (odd and not CODE.match(text, at)):
        yield from if_secret(*bare.span(), bare[0], kind)


_LEET = re.compile(r"[^\W\d_]\d[^\W\d_]")


def _is_odd(value: str) -> bool:
    """Whether what stands behind the word password is no word: ``w1llow``, ``quick-silver7``."""
    return looks_odd(value) or (len(value) >= 6 and _LEET.search(value) is not None)


def _bare(text: str, match: re.Match[str], at: int, kind: Kind) -> Iterator[Secret]:
    """A value without quotes: in a connection string, a file of settings, a URL, a shell, a table in Markdown."""
    at += len(text[at : at + 8]) - len(text[at : at + 8].lstrip(" \t*"))
    if tag := _TAG.match(text, at):
        at = tag.end()
    if text[at : at + 1] in ("'", '"') and match["sep"] in "=:":  # a quote that nothing closes
        at += 1
    bare = _BARE.match(text, at)
    if bare is None:
        return
    value = bare[0].rstrip("*_.:!?") if match["sep"] in ":：|" else bare[0]
    if kind == "SEED_PHRASE":
        line_end = text.find("\n", at, at + 400)
        value = text[at : line_end if line_end >= 0 else at + 400].strip("\"'`* ")
        if len(re.findall(r"\b[a-z]{3,8}\b", value)) < 12:
            return
    elif phrase := _phrase(text, match, at, kind):
        value = phrase
    elif not value or not _is_bare_value(text, match, at, value, kind):
        return
    yield from if_secret(at, at + len(value), value, kind)


_WORDS_OF_A_PHRASE = re.compile(
    r"[^\s\"'`=:(){}\[\]<>|#]{1,20}(?: [^\s\"'`=:(){}\[\]<>|#]{1,20}){1,6}(?=[ \t]*(?:[#;].*)?$)", re.M
)
_SETTING = re.compile(r"[ \t]{0,20}(?:- )?[\w.\-]{1,40} {0,4}[:=] ?[^\s=]")


def _phrase(text: str, match: re.Match[str], at: int, kind: Kind) -> str:
    """A value of several words that ends its line, among other lines of settings (INI, YAML); else empty."""
    found = _WORDS_OF_A_PHRASE.match(text, at) if kind in SAID_BY_NAME and match["sep"] in ":=" else None
    if found is None or is_placeholder(found[0]):
        return ""
    start = text.rfind("\n", max(0, match.start() - 300), match.start()) + 1
    before = text[start : match.start()].strip(" \t-")
    if before in ("%env", "%set_env"):
        return found[0]
    if before:
        return ""
    above = text.rfind("\n", max(0, start - 300), max(0, start - 1)) + 1
    beside = _SETTING.match(text, above) if start else None
    below = _SETTING.match(text, text.find("\n", at) + 1) if "\n" in text[at : at + 300] else None
    return found[0] if beside or below or _in_a_section(text, match.start()) else ""


_TAG = re.compile(r"![\w\-/]{1,30} {1,4}(?=\S)")


def _is_bare_value(text: str, match: re.Match[str], at: int, value: str, kind: Kind) -> bool:
    end = at + len(value)
    if kind in ("PIN", "CARD"):
        return value.isdigit()
    if match["sep"] == ":" and text[match.start() - 1 : match.start()] == ":" and not looks_random(value):
        return False
    settings = match["sep"] == "=" and (text[end : end + 1] == ";" or match["name"].isupper())
    if match["sep"] == "|" and _RULED.match(text, text.find("\n", end) + 1):
        return False
    if value[0] in "$%{[(" or (text[end : end + 1] in "([" and text[end : end + 1]):
        return False
    code = CODE.match(value)
    if code and (not settings or code[0][-1] in "([" or _is_code(value)):
        return False
    if (looks_random(value) or (kind == "TOKEN" and looks_odd(value))) and not kind_of(value):
        return True
    labelled = match["sep"] == ":" and match["name"][0].isupper() and value[1:].islower()
    if kind not in SAID_BY_NAME or is_word(value.lower() if labelled else value):
        return False
    close = not match["gap"] and not match["marks"]
    if match["sep"] in ("%3D", "%3d"):
        return True
    if match["sep"] == "=":
        if not close:
            return _in_a_section(text, match.start()) and _TO_END.match(text, end) is not None
        return (
            _in_a_string(text, match.start())
            or _in_a_shell(text, match, value)
            or _among_settings(text, match.start(), end)
            or (not match.start() and end == len(text.rstrip()))
        )
    flow = text[end : end + 1] in ",}" and "{" in text[max(0, match.start() - 100) : match.start()]
    alone = _TO_END.match(text, end) is not None or text[end : end + 1] in ";&" or flow
    return (
        match["sep"] in ":：|"
        and alone
        and len(value) >= 5
        and not value.isdigit()
        and not kind_of(value)
        and match["close"] != '"'
    )


_RULED = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*$", re.M)
"""The line below the heading of a table in Markdown."""
_SECTION = re.compile(r"^\[[\w.\-: ]{1,60}\][ \t]*$", re.M)


def _in_a_section(text: str, at: int) -> bool:
    """Whether a heading of an INI file stands above."""
    return _SECTION.search(text, max(0, at - 600), at) is not None


_BARE_SETTING = re.compile(r"^[ \t]{0,8}[\w.\-]{1,40}=[^\s\"'(){}\[\]=,]{1,100}$", re.M)


def _among_settings(text: str, start: int, end: int) -> bool:
    """Whether ``name=value`` is a line of its own, and so is the one above or below."""
    first = text.rfind("\n", max(0, start - 300), start) + 1
    last = text.find("\n", end, end + 2)
    if text[first:start].strip() or (last < 0 and end < len(text)):
        return False
    above = text.rfind("\n", max(0, first - 300), max(0, first - 1)) + 1
    return bool((first and _BARE_SETTING.match(text, above)) or (last >= 0 and _BARE_SETTING.match(text, last + 1)))


def _in_a_string(text: str, at: int) -> bool:
    """Whether quotes are open there, as far as its line tells."""
    start = max(0, at - 300, text.rfind("\n", max(0, at - 300), at) + 1)
    before = text[start:at]
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1


def _in_a_shell(text: str, match: re.Match[str], value: str) -> bool:
    """Whether ``name=value`` is a line of a shell or of settings, an option, or a part of a connection string or an address.

    In Python it would be an argument, in brackets, or an assignment, at the beginning of a line.
    """
    name, at = match["name"], match.start()
    if name.startswith("--"):
        return True
    start = max(0, at - 300, text.rfind("\n", max(0, at - 300), at) + 1)
    before = text[start:at]
    if name == name.upper():
        return value != value.upper() and ("(" not in before or bool(_SHELL.search(before)))
    if before.count("(") > before.count(")"):
        return False
    return bool(before.strip()) or ("." in name and name.split(".")[0] in _ROOTS_OF_SETTINGS)


_ROOTS_OF_SETTINGS = frozenset(
    "app auth aws azure database datasource db fs hibernate jdbc ldap mail mysql oracle postgres redis server smtp spring".split()
)


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
        for kind, literal in zip(
            kinds, arguments_at(text[: line_end if line_end >= 0 else len(text)], at), strict=False
        ):
            if kind and literal:
                yield from of_literals([literal], kind)
