"""Credentials in sentences, comments, errors and tags.

"the password is …", "log in as `me` with `…`". Every pattern is bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import CODE, if_secret, of_literals
from spark_jupyter.redaction.named_values import kind_at
from spark_jupyter.redaction.placeholders import is_word, looks_odd
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import arguments_at
from spark_jupyter.source.credential_names import SAID_BY_NAME, Kind, kind_of

_SAID = re.compile(
    r"(?<![\w.\-])(?P<name>[\w\-]{2,40}+)(?:[\"'`*]{0,2} \(?(?P<verb>is|are|was|ist|lautet|heißt|heisst|est|es|è|é|jest|är|er|:=|to|"
    r"value|with value|set to|got)|['’]s)(?: now| jetzt)?(?: ?:)? {1,2}"
    r"[\"'`*]{0,3}(?P<value>[^\s\"'`*]{4,200})(?P<after>[^\n]?)"
)
_SAID_OF = re.compile(
    r"(?<![\w.\-])(?P<name>[\w\-]{2,40}+) (?:for|of|to|on|at|in|für|vom|von|zum|zur|pour|du|des|de|del|della|do|da|para|per|от|для|к|"
    r"voor|van|till|til|do) [^\n:=\"'(]{1,40}?(?::| is(?: still| now| currently| again| always| just)?| ist| lautet| est| es| è| é| =) "
    r"[\"'`*]{0,3}(?P<value>[^\s\"'`*]{4,200})(?P<after>[^\n]?)"
)
_SAID_BEFORE = re.compile(
    r"(?P<quote>[`\"'])(?P<value>[^\s`\"']{4,100})(?P<after>(?P=quote)) (?:as|is|for) (?:the |my |your |our |its )?(?P<name>\w{3,20})"
)
_LOGIN = re.compile(
    r"(?i)\b(?:credentials?|creds|vpn|ssh|sftp|wlan|wi-?fi|admin|root|"
    r"log ?in|logins?|sign in|zugangsdaten|identifiants)(?: failed| refused| ok)?"
    r"(?: (?:are|is|as|with|data|for)| (?:for|of|to|at|on|in|für|zum|zur|pour|para) [^\n:=/]{1,40}?(?=:))?:? {0,2}[`\"']?"
    r"\w[\w.@\-]{1,39}[`\"']? ?[:/] ?[`\"']?(?P<value>[^\s`\"',]{4,100})"
)
_LITTLE = frozenset(
    "from for with and into that this have here when then your will been must should does which where while form".split()
)
_USER_AND = re.compile(
    r"(?i)\b(?:user(?:name)?|login|account|benutzer|usuario|utilisateur)[ :=]{1,3}[*`\"']{0,2}[\w.@\-]{1,60}[*`\"']{0,2},?"
    r" (?:(?:and|with|/|und|mit|et|avec|y|con) )?(?:the )?(?:pass\w*|pwd?|kennwort|contraseña|mot de passe)[ :=]{1,3}[*`\"']{0,2}"
    r"(?P<value>[^\s*`\"'.,;(){}]{4,60})"
)
_LOGIN_WITH = re.compile(
    r"(?i)\b(?:log(?:ged)? ?in|login|sign(?:ed)? in|connect(?:ed)?|authenticated?|anmelden|connexion)\b[^\n]{0,60}?"
    r"[`\"'](?P<user>[\w.@\-]{2,40})[`\"'],?"
    r" (?:with|and|using|/|mit|und|avec|et|con|y) (?:(?:the |your )?(?:pass\w*|pw) )?[`\"'](?P<value>[^\s`\"']{4,60})[`\"']"
)

_SAID_IN_RUSSIAN = re.compile(r"(?i)\b(?:пароль|ключ)(?: [а-яё]{1,20}){1,3}: {1,2}(?P<value>[^\s\"'`]{4,60})")
_HINTED = re.compile(
    r"^[^#\n\"']{0,300}+(?P<literals>[\"'][^#\n]{1,300})#[ ]{0,4}(?:\w{2,20},? ){0,2}(?P<name>\w{2,20})[ ]{0,4}$", re.M
)
_REFUSED = re.compile(
    r"^(?P<name>[\w.]{2,60}+)\n[^\n]{0,200}\binput_value=(?P<quote>[\"'])(?P<value>[^\"'\n]{4,200})(?P=quote)", re.M
)
"""pydantic's message about a rejected value."""
_SAID_IN_ASIA = re.compile(
    r"(?:パスワード|密码|密碼|口令|비밀번호|암호)(?:は|是|为|為|는|은)[ ]?(?P<value>[!-~]{4,60})"
)


def in_prose(text: str) -> Iterator[Secret]:
    """Credentials in a sentence, a comment, an error or a tag."""
    for pattern in (_SAID, _SAID_OF, _SAID_BEFORE) if " " in text else ():
        for match in pattern.finditer(text):
            kind = kind_at(text, match) if pattern is not _SAID_BEFORE else kind_of(match["name"])
            if kind is not None and not match["name"].startswith("--"):
                yield from _said(match, kind)
    yield from _in_logins(text) if " " in text else ()
    yield from _in_hints(text)
    yield from _in_accounts(text)
    for match in (*_SAID_IN_ASIA.finditer(text), *_SAID_IN_RUSSIAN.finditer(text)):
        yield from if_secret(*match.span("value"), match["value"], "PASSWORD")
    for pattern in (_PASSWORD_FIELD, _ASKED):
        for match in pattern.finditer(text):
            yield from if_secret(*match.span("value"), match["value"], "PASSWORD")
    for pattern in (*_MARKED_UP, _REFUSED):
        for match in pattern.finditer(text):
            if (kind := kind_of(match["name"])) and not is_word(match["value"]):
                yield from if_secret(*match.span("value"), match["value"], kind)


_ACCOUNTS = re.compile(
    r"\b(?:\w{1,30}_)?(?:accounts|logins|credentials|creds)\s{0,3}=\s{0,3}[\[(]\s{0,9}(?=[\[(]\s{0,3}[\"'])"
)
_ACCOUNT = re.compile(
    r"[\[(]\s{0,3}[\"'][^\"'\n]{1,60}[\"'],\s{0,3}[\"'](?P<value>[^\"'\n]{4,100})[\"']\s{0,3}[)\]][,\s]{0,20}"
)


def _in_accounts(text: str) -> Iterator[Secret]:
    """``accounts = [("me", "…"), ("you", "…")]``."""
    for match in _ACCOUNTS.finditer(text):
        account = _ACCOUNT.match(text, match.end())
        while account:
            yield from if_secret(*account.span("value"), account["value"], "PASSWORD")
            account = _ACCOUNT.match(text, account.end())


def _in_logins(text: str) -> Iterator[Secret]:
    for match in (*_LOGIN_WITH.finditer(text), *_USER_AND.finditer(text)):
        if not is_word(match["value"]) and match["value"].lower() not in _LITTLE:
            yield from if_secret(*match.span("value"), match["value"], "PASSWORD")
    for match in _LOGIN.finditer(text):
        value = match["value"].rstrip(".")
        if any(char.isdigit() for char in value) and any(char.isalpha() for char in value):
            yield from if_secret(match.start("value"), match.start("value") + len(value), value, "PASSWORD")


def _in_hints(text: str) -> Iterator[Secret]:
    """``x = ["…"]  # passwords``."""
    for match in _HINTED.finditer(text) if "#" in text else ():
        if (kind := kind_of(match["name"])) in SAID_BY_NAME:
            for literal in arguments_at(text, match.start("literals")):
                if kind and literal and looks_odd(literal.value):
                    yield from of_literals([literal], kind)


def _said(match: re.Match[str], kind: Kind) -> Iterator[Secret]:
    value = match["value"].rstrip(".,;:)")
    marked = match["after"] in ("`", '"', "'", "*") and match["after"] != ""
    odd = any(not char.isalpha() for char in value) and not CODE.match(value) and not is_word(value)
    alone = (
        kind == "PASSWORD"
        and not match["after"]
        and " to " not in match[0]
        and match[0].rstrip().endswith(f": {match['value']}")
    )
    named = match.groupdict().get("verb") in ("lautet", "heißt", "heisst")
    word = is_word(value.lower() if marked or named else value)
    if kind == "PASSWORD" and match["name"] == "code" and value.isdigit():
        kind = "PIN"  # "the alarm code is …"
    if (odd and (len(value) >= 6 or kind == "PIN")) or ((marked or alone or named) and not word):
        yield from if_secret(match.start("value"), match.start("value") + len(value), value, kind)


_PASSWORD_FIELD = re.compile(
    r"<input\b(?=[^<>]{0,300}\btype ?= ?[\"']?password\b)[^<>]{0,300}?\bvalue ?= ?[\"'](?P<value>[^\"'<>\n]{4,200})[\"']"
)
_ASKED = re.compile(
    r"(?i)[\"'][^\"'\n]{0,20}pass(?:word|phrase|code)?:? ?[\"'];? {0,2}\n? {0,8}send(?:line)?(?: --)? [\"'](?P<value>[^\"'\n\\]{4,100})"
)
_MARKED_UP = (
    re.compile(r"<(?P<name>[\w.:\-]{2,60}+)>(?P<value>[^<\n]{4,200})</"),
    re.compile(
        r"<\w{1,20} (?:key|name|id)=[\"'](?P<name>[\w.\-]{2,60}+)[\"'][^<>\n]{0,100}>(?P<value>[^<\n]{4,200})</"
    ),
    re.compile(r"\bwhere '(?P<value>[^'\n]{4,200})' = (?:[\w.]{1,60}\.)?(?P<name>\w{2,60})"),
    re.compile(r"^(?P<name>(?!passw)[a-z]{3,20}(?:pass|passwd|password|pw|pwd)) (?P<value>[^\s\"'=:]{4,200})$", re.M),
    re.compile(
        r"[\"']?\b(?:name|key|Name|Key)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<name>[\w.\-]{2,60}+)[\"']?[,\s]{1,40}[\"']?[vV]alue[\"']?\s{0,3}[:=]\s{0,3}"
        r"[\"']?(?P<value>[^\s\"'<>]{4,300})"
    ),
    re.compile(
        r">\s{0,20}(?P<name>[\w .\-]{2,40}?)\s{0,4}:?\s{0,20}</\w{1,10}>:?\s{0,40}<\w{1,10}[^<>\n]{0,100}>\s{0,20}"
        r"(?P<value>[^<>\s]{4,200})\s{0,20}<"
    ),
)
