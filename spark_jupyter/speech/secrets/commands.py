"""Credentials whose place in a command or a call gives them away: ``curl -u me:…``, ``mysql -p…``, ``auth=("me", "…")``,
``HTTPBasicAuth("me", "…")``, ``keyring.set_password(…)``, a password in a URL, an ``Authorization`` header. Pure and linear.
"""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from spark_jupyter.speech.secrets.found import Secret
from spark_jupyter.speech.secrets.harmless import is_placeholder, is_word, looks_random
from spark_jupyter.speech.secrets.literals import Literal, arguments_at
from spark_jupyter.speech.secrets.names import SAID_BY_NAME, WORDS, kind_of
from spark_jupyter.speech.secrets.places import is_value, of_literals

_REST = r"[^\n|;&]{0,200}?"
_VALUE = r"(?P<quote>[\"'])?(?P<value>(?(quote)[^\"'\n$<\-{][^\"'\n]{2,200}|[^\s\"'$<\-{][^\s\"']{2,200}))(?(quote)(?P=quote))"
_COMMANDS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (
        tuple(f"{name} " if len(name) < 5 and name != "curl" else name for name in names.split()),
        re.compile(rf"(?<!\w)(?:{names.replace(' ', '|')}){options}"),
    )
    for names, options in (
        (
            "curl",
            rf"\b{_REST}[ ](?:-u[ ]?|--user[ =]|--proxy-user[ =]|-U[ ])[\"']?[^\s:\"'$]{{1,60}}:[\"']?(?P<value>[^\s\"'$]{{3,200}})",
        ),
        ("http https xh", r"[ ][^\n|;&]{0,60}?-a[ ][^\s:\"'$]{1,60}:(?P<value>[^\s\"'$]{3,200})"),
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
        (
            "openssl",
            rf"\b{_REST}[ ](?:-pass(?:in|out)?[ ]{{1,4}}[\"']?pass:|-k[ ]{{1,4}})(?P<value>[^\s\"'$]{{3,200}})",
        ),
        ("smbclient", rf"\b{_REST}[ ]-U[ ][\"']?[^\s%\"']{{1,60}}%(?P<value>[^\s\"'$]{{3,200}})"),
        ("htpasswd", rf"\b[^\n|;&]{{0,40}}?[ ]-\w{{0,4}}b\w{{0,4}}[ ]\S{{1,100}}[ ]\S{{1,60}}[ ]{_VALUE}"),
        ("ssh-keygen", rf"\b{_REST}[ ]-[NP][ ]{_VALUE}"),
        ("kinit passwd sudo --password-stdin --with-token", rf"[^\n|;&<]{{0,60}}<<<[ ]?{_VALUE}"),
        ("net", r"[ ]use[ ][^\n]{0,100}?/user:\S{1,60}[ ](?P<value>[^\s/*][^\s]{3,60})"),
        (
            "wandb vault hf huggingface-cli fly flyctl heroku railway vercel netlify doppler snyk",
            r"[ ](?:[\w:]{1,20}[ ]){0,2}(?:login|auth)[ ](?:--?[\w-]{1,20}[ =]){0,2}(?P<value>[A-Za-z0-9_.\-]{20,200})",
        ),
        ("mc mcli", r"[ ]alias[ ]set[ ]\S{1,60}[ ]\S{1,100}[ ]\S{1,60}[ ](?P<value>[^\s$]{6,100})"),
        ("echo", rf"[ ]{{1,4}}(?:-n[ ])?{_VALUE}[ ]{{0,4}}\|[ ]{{0,4}}(?:sudo[ ]-S|[^\n|]{{0,100}}--password-stdin)"),
    )
)
"""What stands in a text that is searched, and what for: the names of programs, and what follows them up to the credential. Of a short name
the blank behind it stands there too: by itself it is in every picture."""
_URL = re.compile(r"(?:(?<=:)|(?<=\w))//[^\s/:@'\"<>]{0,100}:(?P<value>[^\s/@'\"<>]{3,200}+)@[\w.\-{\[]")
_PAIRED = (
    re.compile(r"b64encode\(\s{0,9}b?(?P<quote>[\"'])[\w.@\-]{1,60}:(?P<value>[^\s\"'{}]{4,100})(?P=quote)"),
    re.compile(r":(?P<quote>[\"']) ?\+ ?(?P=quote)(?P<value>[^\"'\n]{4,100})(?P=quote) ?\+ ?(?P=quote)@"),
    re.compile(
        r"(?:connect|sqlplus|Connection|create_pool)[( ]{1,2}[\"']?\w{1,60}/(?P<value>[^\s/@\"'$%]{4,60})@[\w.:/]{1,100}"
    ),
)
"""A name and its password in one text: ``me:x``, ``me/x@host``."""
_URL_KEY = re.compile(r"://(?P<value>[A-Za-z0-9_\-]{16,200}+)@[\w.\-]")
_HEADER = re.compile(r"(?:[bB]earer|BEARER|[tT]oken|TOKEN)\s{1,4}(?:\{[\"'])?(?P<value>[A-Za-z0-9_\-.+/=~]{16,2000}+)")
_SCHEME = re.compile(
    r"[aA]uthorization[\"']?\s{0,2}[:=,]\s{0,2}[\"']?[A-Za-z][\w\-]{2,20} (?:token=|key=)?[\"']?(?P<value>[A-Za-z0-9_\-.+/=~]{8,2000}+)"
)
_BASIC = re.compile(r"(?:[bB]asic|BASIC)\s{1,4}(?P<value>[A-Za-z0-9+/]{8,400}+={0,2})")

_CALL = re.compile(
    r"(?<!\w)(?P<name>(?:(?:jwt|hmac|AES|DES3?|ChaCha20)\.)?[A-Za-z_]\w{2,40}+)(?:\(|=\((?=\s{0,4}[\"']))\s{0,40}"
    r"(?:(?:secret_)?value ?= ?)?"
)
_WHERE: dict[str, tuple[int, ...]] = {
    name: places
    for names, places in (
        (
            "HTTPBasicAuth HTTPDigestAuth HTTPProxyAuth HttpNtlmAuth BasicAuth DigestAuth PlainTextAuthProvider PlainCredentials",
            (1,),
        ),
        (
            "UsernamePasswordCredential auth http_auth basic_auth login authenticate sign_in signin log_in pbkdf2_hmac",
            (1,),
        ),
        ("jwt.encode jwt.decode", (1,)),
        ("create_user create_superuser", (2,)),
        ("AuthApiKey ApiKeyAuth APIKey TokenAuth SecretStr SecretBytes AzureKeyCredential AzureSasCredential", (0,)),
        ("Fernet from_key privateKeyToAccount from_mnemonic setpassword make_password", (0,)),
        ("hash_password check_password AES.new DES.new DES3.new ChaCha20.new hmac.new", (0,)),
        ("OAuth1 OAuth1Session OAuthHandler OAuth1UserHandler", (1, 3)),
    )
    for name in names.split()
}
"""Which positional arguments of a call are credentials."""
_BY_FIRST = frozenset(
    "getenv get setdefault putenv setenv set add_header putheader setHeader set_header header set_secret put add option set_option setattr "
    "setProperty set_property set_key add_argument click field send_header".split()
)
"""Calls that take a name and its value: ``os.getenv("DB_PASS", "…")``, ``option("password", "…")``."""
_DEFAULT = re.compile(r"[\"'](?P<name>--[\w\-]{1,60})[\"'][^\n)]{0,200}?\bdefault\s{0,2}=\s{0,2}(?=[\"'])")
_LOGIN_KEY = re.compile(
    r"\b(?:login|init|configure|authenticate)\([^)\n]{0,80}?\bkey ?= ?[\"'](?P<value>[^\"'\n]{16,200})[\"']"
)
_PAIR = re.compile(
    r"(?P<listed>(?:\[|\),)\s{0,40})?\((?P<q>[\"'])(?P<name>[\w\-]{2,60})(?P=q), ?(?P<r>[\"'])(?P<value>[^\"'\n]{4,200})(?P=r)\)"
)


def in_commands(text: str) -> Iterator[Secret]:
    """Every credential that its place in a command, a call, a URL or a header gives away."""
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
    if "(" in text:  # which no picture in base64 has, however long
        yield from _in_calls(text)
        yield from _in_inserts(text)
        yield from _in_frames(text)


def _in_urls(text: str) -> Iterator[Secret]:
    for match in _URL.finditer(text) if "@" in text else ():
        if not is_placeholder(match["value"]) and "{" not in match["value"]:
            yield Secret(*match.span("value"), "URL_PASSWORD", "password in a URL")
    for match in _URL_KEY.finditer(text) if "@" in text else ():
        if looks_random(match["value"]):
            yield Secret(*match.span("value"), "URL_PASSWORD", "key in a URL")
    for pattern in _PAIRED:
        for match in pattern.finditer(text):
            if not is_placeholder(match["value"]):
                yield Secret(*match.span("value"), "PASSWORD", WORDS["PASSWORD"])


_INSERT = re.compile(
    r"(?i)\bINSERT\s{1,9}INTO\s{1,9}[\w.\"`\[\]]{1,100}\s{0,9}\((?P<names>[^()\n]{1,400})\)\s{0,9}VALUES\s{0,9}(?=\()"
)
_MOST_ROWS = 200


def _in_inserts(text: str) -> Iterator[Secret]:
    """``INSERT INTO t (name, password) VALUES ('me', '…'), …``."""
    for match in _INSERT.finditer(text):
        kinds = [kind_of(name.strip(' "`[]')) for name in match["names"].split(",")]
        at = match.end()
        for _ in range(_MOST_ROWS if any(kinds) else 0):
            for kind, literal in zip(kinds, arguments_at(text, at + 1), strict=False):
                if kind and literal:
                    yield from of_literals([literal], kind)
            following = _NEXT_ROW.search(text, at, at + 600)
            if following is None:
                break
            at = following.end() - 1


_FRAME = re.compile(r"\bDataFrame\(")
_COLUMNS = re.compile(r"\b(?:columns|schema)\s{0,3}=\s{0,3}[\[(](?=[\"'])")
_ROW = re.compile(r"[\[(]\s{0,20}(?=[\"'\w])")


def _in_frames(text: str) -> Iterator[Secret]:
    """``DataFrame([["me", "…"], …], columns=["user", "password"])``."""
    for made in _FRAME.finditer(text):
        named = _COLUMNS.search(text, made.end(), made.end() + 2_000)
        columns = [kind_of(each.value) if each else None for each in arguments_at(text, named.end())] if named else []
        for row in _ROW.finditer(text, made.end(), named.start()) if named and any(columns) else ():
            for kind, literal in zip(columns, arguments_at(text, row.end()), strict=False):
                if kind and literal:
                    yield from of_literals([literal], kind)


_NEXT_ROW = re.compile(r"\)\s{0,9},\s{0,9}\(")


def _in_calls(text: str) -> Iterator[Secret]:
    for match in _CALL.finditer(text):
        name = match["name"]
        if name in _WHERE or name in _BY_FIRST or name in _MORE or name.endswith((*_MAKERS, "Client")):
            yield from _of_call(name, arguments_at(text, match.end()))
    for match in _DEFAULT.finditer(text):
        if (kind := kind_of(match["name"])) and (values := arguments_at(text, match.end())) and values[0]:
            yield from of_literals([values[0]], kind)
    for match in _LOGIN_KEY.finditer(text):
        if looks_random(match["value"]):
            yield Secret(*match.span("value"), "API_KEY", WORDS["API_KEY"])
    for match in _PAIR.finditer(text):
        kind, value = kind_of(match["name"]), match["value"]
        sure = looks_random(value) or (
            match["listed"] and kind in SAID_BY_NAME and not is_word(value) and not kind_of(value)
        )
        if kind and sure and is_value(value, kind):
            yield Secret(*match.span("value"), kind, WORDS[kind])


_MORE = frozenset({"set_password", "Client", "init", "configure", "set_api_key", "set_token", "Bot"})
"""Calls of which more than the name must be looked at."""


_MAKERS = ("Auth", "Authenticator", "Credential", "Credentials", "Login")
"""Classes that take a name and a password."""


def _of_call(name: str, arguments: list[Literal | None]) -> Iterator[Secret]:
    for place in _where(name, arguments):
        literal = arguments[place] if place < len(arguments) else None
        if literal is not None:
            yield from of_literals([literal], "PASSWORD")
    if name in _BY_FIRST:
        for named, value in pairwise(arguments):
            if (
                named is not None
                and value is not None
                and (kind := kind_of(named.value))
                and not named.value.startswith("-")
            ):
                yield from of_literals([value], kind)
                return


def _where(name: str, arguments: list[Literal | None]) -> tuple[int, ...]:
    first = arguments[0].value if arguments and arguments[0] else ""
    match name:
        case "set_password":
            return (2,) if len(arguments) >= 3 else (0,) if len(arguments) == 1 else ()
        case _ if name.endswith("Client") and re.match(r"AC[0-9a-f]{32}$", first):
            return (1,)
        case "Client":
            return (0,) if _is_a_key(first) else ()
        case _ if (
            name not in _WHERE
            and re.search(r"(?:Auth|Authenticator|Credentials?|Login)$", name)
            and len(arguments) == 2
        ):
            return (1,)
        case "init" | "configure" | "set_api_key" | "set_token" | "Bot":
            return (0,) if _is_a_key(first) else ()
    return _WHERE.get(name, ())


def _is_a_key(value: str) -> bool:
    """Whether a lone argument can only be a key: long, mixed, and neither an address nor a path."""
    if value.isidentifier() and value.islower() and "_" in value:
        return False
    return (
        len(value) >= 16
        and looks_random(value)
        and not is_placeholder(value)
        and not any(char in "/\\ ." for char in value)
    )


def _is_mixed(value: str) -> bool:
    """Whether the value of a header is no word: with digits, or with large and small letters in any order."""
    return looks_random(value) or (len(value) >= 12 and value.isalnum() and len(re.findall("[a-z][A-Z]", value)) >= 3)
