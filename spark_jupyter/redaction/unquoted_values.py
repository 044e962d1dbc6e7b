"""Unquoted values behind a credential's name.

They stand in connection strings, settings, URLs, shell commands and Markdown tables. Every pattern is bounded, so the time is linear in the
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import CODE, if_secret, is_code, is_odd
from spark_jupyter.redaction.placeholders import is_placeholder, is_word, looks_odd, looks_random
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import literal_at
from spark_jupyter.source.credential_names import SAID_BY_NAME, WORDS, Kind, kind_of, parts

_BARE = re.compile(r"[^\s\"'`<>,;&)\]}|\\]{1,400}+")
_TO_END = re.compile(r"[.!?]{0,2}[ \t]*(?:(?:[#,;|*_\"'`)]|--|%\}|//|\}).*)?$", re.M)
_SHELL = re.compile(
    r"(?:^|[;&(])[ \t]*(?:[!%]?[ \t]?(?:export|set|setx|env|set_env|ENV|ARG|declare -x)[ \t]+|-e[ \t]+)?$"
)


def bare_value(text: str, match: re.Match[str], at: int, kind: Kind) -> Iterator[Secret]:
    """Secret in a value without quotes: in a connection string, a file of settings, a URL, a shell, a table in Markdown."""
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
    """Value of several words at the end of a line of settings (INI, YAML); else empty."""
    found = _WORDS_OF_A_PHRASE.match(text, at) if kind in SAID_BY_NAME and match["sep"] in ":=" else None
    if found is None or is_placeholder(found[0]):
        return ""
    if match["name"].lower() == "passphrase" and match["sep"] == ":":
        return found[0]
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
    if code and (not settings or code[0][-1] in "([" or is_code(value)):
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
    """True if a heading of an INI file stands above."""
    return _SECTION.search(text, max(0, at - 600), at) is not None


_BARE_SETTING = re.compile(r"^[ \t]{0,8}[\w.\-]{1,40}=[^\s\"'(){}\[\]=,]{1,100}$", re.M)


def _among_settings(text: str, start: int, end: int) -> bool:
    """True if ``name=value`` is a line of its own, and so is the one above or below."""
    first = text.rfind("\n", max(0, start - 300), start) + 1
    last = text.find("\n", end, end + 2)
    if text[first:start].strip() or (last < 0 and end < len(text)):
        return False
    above = text.rfind("\n", max(0, first - 300), max(0, first - 1)) + 1
    return bool((first and _BARE_SETTING.match(text, above)) or (last >= 0 and _BARE_SETTING.match(text, last + 1)))


def _in_a_string(text: str, at: int) -> bool:
    """True if quotes are open there, as far as the line tells."""
    start = max(0, at - 300, text.rfind("\n", max(0, at - 300), at) + 1)
    before = text[start:at]
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1


def _in_a_shell(text: str, match: re.Match[str], value: str) -> bool:
    """True if ``name=value`` is a line of a shell or of settings, an option, or a part of a connection string or an address.

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


def without_separator(text: str, match: re.Match[str], kind: Kind) -> Iterator[Secret]:
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
    odd = looks_random(bare[0]) if kind == "TOKEN" else kind in SAID_BY_NAME and is_odd(bare[0])
    if option or (odd and not CODE.match(text, at)):
        yield from if_secret(*bare.span(), bare[0], kind)
