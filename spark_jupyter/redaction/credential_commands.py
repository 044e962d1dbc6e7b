"""Credentials in shell commands, URLs and headers.

``curl -u me:…``, ``mysql -p…``, ``auth=("me", "…")``, a password in a URL, an ``Authorization`` header. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import if_secret
from spark_jupyter.redaction.placeholders import is_placeholder, looks_random
from spark_jupyter.redaction.random_literals import is_generated, is_hexadecimal
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.source.credential_names import SAID_BY_NAME, WORDS, kind_of

_REST = r"[^\n|;&]{0,200}?"
_VALUE = r"(?P<quote>[\"'])?(?P<value>(?(quote)[^\"'\n$<\-{][^\"'\n]{2,200}|[^\s\"'$<\-{][^\s\"']{2,200}))(?(quote)(?P=quote))"
_FROM_STDIN = r"[^\n|]{0,100}(?:--password-stdin|--passphrase-fd|-pass(?:in)?[ ]stdin)"
_COMMANDS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (
        tuple(f"{name} " if len(name) < 5 and name != "curl" else name for name in names.split()),
        re.compile(rf"(?<!\w)(?:{names.replace(' ', '|')}){options}"),
    )
    for names, options in (
        (
            "curl",
            (
                rf"\b{_REST}[ ](?:-[A-Za-z]{{0,5}}u[ ]?|--user[ =]|--proxy-user[ =]|-U[ ])"
                r"[\"']?[^\s:\"'$]{1,60}:[\"']?(?P<value>[^\s\"'$]{3,200})"
            ),
        ),
        ("http https xh", r"[ ][^\n|;&]{0,60}?-a[ ][\"']?[^\s:\"'$]{1,60}:(?P<value>[^\s\"'$]{3,200})"),
        ("mysql mariadb", rf"[\w\-]{{0,8}}[ ]{_REST}-p{_VALUE}"),
        (
            "docker podman nerdctl buildah skopeo helm oc az cf",
            rf"[ ](?:[\w\-.]{{1,20}}[ ]){{0,2}}login\b{_REST}[ ]-p[ =]{_VALUE}",
        ),
        ("sshpass", rf"[ ]+-p[ ]?{_VALUE}"),
        ("redis-cli valkey-cli", rf"\b{_REST}[ ]-a[ ]{_VALUE}"),
        ("unzip zip", rf"\b{_REST}[ ]-P[ ]?{_VALUE}"),
        ("7z 7za rar unrar", rf"\b{_REST}[ ]-p{_VALUE}"),
        ("ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami", rf"\b{_REST}[ ]-w[ ]{_VALUE}"),
        ("sqlcmd bcp isql osql mosquitto_pub mosquitto_sub", rf"\b{_REST}[ ]-P[ ]?{_VALUE}"),
        ("mongosh mongodump mongorestore mongoexport mongoimport mongo", rf"\b{_REST}[ ]-p[ ]{_VALUE}"),
        ("openssl", rf"\b{_REST}[ ]-pass(?:in|out)?[ ]{{1,4}}[\"']?pass:(?P<value>[^\s\"'$]{{3,200}})"),
        ("openssl", rf"\b{_REST}[ ]-k[ ]{{1,4}}{_VALUE}"),
        ("smbclient", rf"\b{_REST}[ ]-U[ ][\"']?[^\s%\"']{{1,60}}%(?P<value>[^\s\"'$]{{3,200}})"),
        ("htpasswd", rf"\b[^\n|;&]{{0,40}}?[ ]-\w{{0,4}}b\w{{0,4}}[ ]\S{{1,100}}[ ]\S{{1,60}}[ ]{_VALUE}"),
        ("ssh-keygen", rf"\b{_REST}[ ]-[NP][ ]{_VALUE}"),
        ("kinit passwd sudo --password-stdin --with-token", rf"[^\n|;&<]{{0,60}}<<<[ ]?{_VALUE}"),
        ("net", r"[ ]use[ ][^\n]{0,100}?/user:\S{1,60}[ ](?P<value>[^\s/*][^\s]{3,60})"),
        (
            "wandb vault hf huggingface-cli fly flyctl heroku railway vercel netlify doppler snyk",
            r"[ ](?:[\w:]{1,20}[ ]){0,2}(?:login|auth)[ ](?:--?[\w-]{1,20}[ =]){0,2}[\"']?(?P<value>[A-Za-z0-9_.\-]{20,200})",
        ),
        ("mc mcli", r"[ ]alias[ ]set[ ]\S{1,60}[ ]\S{1,100}[ ]\S{1,60}[ ][\"']?(?P<value>[^\s$]{6,100})"),
        ("gh glab", rf"[ ](?:secret|variable)[ ]set\b{_REST}[ ](?:-b|--body|--value)[ =]{_VALUE}"),
        (
            "echo printf",
            r"[ ]{1,4}[\"']?[\w.\-]{1,40}:(?P<value>[^\s\"'$|]{3,200})[\"']?[ ]{0,4}\|[ ]{0,4}(?:sudo[ ])?chpasswd",
        ),
        (
            "echo",
            rf"[ ]{{1,4}}(?:-n[ ])?{_VALUE}[ ]{{0,4}}\|[ ]{{0,4}}(?:sudo[ ]-S|(?:sudo[ ])?cryptsetup|{_FROM_STDIN})",
        ),
    )
)
"""Filter texts and their patterns: program names, and the text from them up to the credential. Of a short name the blank behind it
stands there too: by itself it is in every picture."""
_URL = re.compile(r"(?:(?<=:)|(?<=\w))//[^\s/:@'\"<>]{0,100}:(?P<value>[^\s/@'\"<>]{3,200}+)@[\w.\-{\[]")
_PAIRED = (
    re.compile(r"b64encode\(\s{0,9}b?(?P<quote>[\"'])[\w.@\-]{1,60}:(?P<value>[^\s\"'{}]{4,100})(?P=quote)"),
    re.compile(r":(?P<quote>[\"']) ?\+ ?(?P=quote)(?P<value>[^\"'\n]{4,100})(?P=quote) ?\+ ?(?P=quote)@"),
    re.compile(
        r"(?:connect|sqlplus|Connection|create_pool)[( ]{1,2}[\"']?\w{1,60}/(?P<value>[^\s/@\"'$%]{4,60})@[\w.:/]{1,100}"
    ),
)
"""Name and password in one text: ``me:x``, ``me/x@host``."""
_URL_PATH = re.compile(
    r"://[\w.\-:]{1,100}/(?:[\w.\-{}]{1,40}/){0,6}?(?P<named>t|v\d|key|keys|token|apikey|bot|hook|hooks|webhook|webhooks|rpc|services)/"
    r"(?P<value>[A-Za-z0-9_\-]{16,200})(?![\w.\-])"
)
_URL_KEY = re.compile(r"://(?P<value>[A-Za-z0-9_\-]{16,200}+)@[\w.\-]")
_HEADER = re.compile(r"(?:[bB]earer|BEARER|[tT]oken|TOKEN)\s{1,4}(?:\{[\"'])?(?P<value>[A-Za-z0-9_\-.+/=~]{16,2000}+)")
_SCHEME = re.compile(
    r"[aA]uthorization[\"']?\s{0,2}[:=,]\s{0,2}[\"']?[A-Za-z][\w\-]{2,20} (?:token=|key=)?[\"']?(?P<value>[A-Za-z0-9_\-.+/=~]{8,2000}+)"
)
_BASIC = re.compile(r"(?:[bB]asic|BASIC)\s{1,4}(?P<value>[A-Za-z0-9+/]{8,400}+={0,2})")

_QUOTED = r"(?P<quote>[\"']?)(?P<value>[^\s\"'$<\-{][^\s\"'$]{3,200})(?P=quote)(?=[\s;|&)]|$)"
_USER_AND = re.compile(
    r"[ ](?:-u|-U|--user(?:name)?|--login)[ =][\"']?[\w.@\-\\]{1,60}[\"']?[ ](?:[^\n|;&]{0,60}[ ])?(?:-p|-P|-w|--pw|--pass)[ =]"
    + _QUOTED
)
_OF_DATABASE = re.compile(r"\b(?:mysql|mariadb|ssh|psql)\w*\b")
"""Programs whose ``-p`` takes no password after a blank."""
_LOGGED_IN = re.compile(r"\w[ ](?:auth[ ])?login[ ](?:--?[\w-]{1,20}[ =]){0,2}[\"']?(?P<value>[A-Za-z0-9_.\-]{20,200})")
_VALUED = re.compile(r"[ ]--(?:string-|secret-|plain-)?(?:value|string|body|data|text|literal)[ =]" + _QUOTED)
_PIPED = re.compile(
    r"\b(?:echo|printf)[ ](?:-n[ ])?"
    + _QUOTED.replace("(?=[", "(?=[ ]{0,3}\\|[^|])(?=[")
    + r"[ ]{0,3}\|(?P<to>[^\n|]{3,200})"
)
_OF_PGPASS = re.compile(
    r"(?:^|(?<=[\s\"']))[\w.\-*]{1,100}:(?:\d{2,5}|\*):[\w\-*]{1,60}:[\w.\-*]{1,60}:(?P<value>[^\s:\"']{4,200})(?=[\"']|$)",
    re.M,
)
_COOKIES = re.compile(r"(?i)\bcookie[\"']?\s{0,2}[:=,]\s{0,2}[\"']?(?P<cookies>[^\n]{8,2000})")
_COOKIE = re.compile(r"(?P<name>[\w.\-]{1,60})=(?P<value>[\w%.~+/\-]{16,1000})")
_WORD = re.compile(r"[\w\-./]{3,80}")


def in_commands(text: str) -> Iterator[Secret]:
    """Credentials by their place in a command, a URL or a header."""
    for names, pattern in _COMMANDS:
        for match in pattern.finditer(text) if any(name in text for name in names) else ():
            if not is_placeholder(match["value"]) and not match["value"].isupper():
                yield Secret(*match.span("value"), "PASSWORD", WORDS["PASSWORD"])
    yield from _in_urls(text)
    for pattern in (_HEADER, _SCHEME):
        for match in pattern.finditer(text):
            if _is_mixed(match["value"]) and not is_placeholder(match["value"]):
                yield Secret(*match.span("value"), "AUTHORIZATION", "authorization header")
    for match in _BASIC.finditer(text):
        if any(char.isdigit() or char in "+/=" for char in match["value"]) and len(match["value"]) % 4 == 0:
            yield Secret(*match.span("value"), "AUTHORIZATION", "authorization header")
    yield from _by_other_words(text)
    yield from _in_cookies(text)


def _in_urls(text: str) -> Iterator[Secret]:
    for match in _URL.finditer(text) if "@" in text else ():
        if not is_placeholder(match["value"]) and "{" not in match["value"]:
            yield Secret(*match.span("value"), "URL_PASSWORD", "password in a URL")
    for match in _URL_KEY.finditer(text) if "@" in text else ():
        if looks_random(match["value"]):
            yield Secret(*match.span("value"), "URL_PASSWORD", "key in a URL")
    for match in _URL_PATH.finditer(text) if "://" in text else ():
        if match["named"] == "t" or is_generated(match["value"]) or is_hexadecimal(match["value"]):
            yield Secret(*match.span("value"), "TOKEN", WORDS["TOKEN"])
    for pattern in _PAIRED:
        for match in pattern.finditer(text):
            if not is_placeholder(match["value"]):
                yield Secret(*match.span("value"), "PASSWORD", WORDS["PASSWORD"])


def _by_other_words(text: str) -> Iterator[Secret]:
    """Credentials named by another word of the line: ``--name db-password --value …``, a line of ``.pgpass``."""
    if " -" in text:
        for match in _USER_AND.finditer(text):
            line = text[text.rfind("\n", max(0, match.start() - 300), match.start()) + 1 : match.start()]
            if _OF_DATABASE.search(line) or not any(map(str.isalpha, match["value"])) or "/" in match["value"]:
                continue
            yield from if_secret(*match.span("value"), match["value"], "PASSWORD")
        for match in _VALUED.finditer(text):
            line = text[text.rfind("\n", max(0, match.start() - 300), match.start()) + 1 : match.start()]
            if _names_one(line[-300:]):
                yield from if_secret(*match.span("value"), match["value"], "SECRET")
    for match in _LOGGED_IN.finditer(text) if " login" in text else ():
        if looks_random(match["value"]):
            yield from if_secret(*match.span("value"), match["value"], "TOKEN")
    for match in _PIPED.finditer(text) if "|" in text else ():
        if _names_one(match["to"]):
            yield from if_secret(*match.span("value"), match["value"], "SECRET")
    for match in _OF_PGPASS.finditer(text) if ":" in text else ():
        yield from if_secret(*match.span("value"), match["value"], "PASSWORD")


def _in_cookies(text: str) -> Iterator[Secret]:
    """Values of a ``Cookie`` or ``Set-Cookie`` header, whatever their names."""
    for header in _COOKIES.finditer(text):
        for match in _COOKIE.finditer(text, *header.span("cookies")):
            if looks_random(match["value"]):
                yield Secret(*match.span("value"), "SESSION", WORDS["SESSION"])


def _names_one(words: str) -> bool:
    return any(kind_of(word) in SAID_BY_NAME for word in _WORD.findall(words))


def _is_mixed(value: str) -> bool:
    """True if the value of a header is no word: with digits, or with large and small letters in any order."""
    return looks_random(value) or (len(value) >= 12 and value.isalnum() and len(re.findall("[a-z][A-Z]", value)) >= 3)
