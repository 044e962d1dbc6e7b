"""Credentials in the arguments of calls.

``HTTPBasicAuth("me", "…")``, ``keyring.set_password(…)``, ``connect("host", "me", "…")``, ``os.getenv("DB_PASS", "…")``, and text that is
typed into a field for a password. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from spark_jupyter.redaction.credential_values import if_secret, is_value, of_literals
from spark_jupyter.redaction.placeholders import is_mended_word, is_placeholder, is_word, looks_random
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import Literal, arguments_at, joined_at
from spark_jupyter.source.credential_names import SAID_BY_NAME, WORDS, kind_of

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
        ("URLSafeSerializer URLSafeTimedSerializer TimestampSigner Signer TOTP HOTP totp decrypt unlock", (0,)),
        ("getConnection", (2,)),
        ("hash_password check_password AES.new DES.new DES3.new ChaCha20.new hmac.new", (0,)),
        ("OAuth1 OAuth1Session OAuthHandler OAuth1UserHandler", (1, 3)),
    )
    for name in names.split()
}
"""Positional arguments of a call that are credentials."""
_BY_FIRST = frozenset(
    "getenv get setdefault putenv setenv set add_header putheader setHeader set_header header set_secret put add option set_option setattr "
    "setProperty set_property set_key add_argument click field send_header fill type replace press_sequentially print".split()
)
"""Calls that take a name and its value: ``os.getenv("DB_PASS", "…")``, ``option("password", "…")``."""
_DEFAULT = re.compile(r"[\"'](?P<name>--[\w\-]{1,60})[\"'][^\n)]{0,200}?\bdefault\s{0,2}=\s{0,2}(?=[\"'])")
_TYPED = re.compile(
    r"[\"'][#.\[]{0,2}(?P<name>[\w \-]{2,40})[\]:?>]{0,2} ?[\"']\s{0,4}\)\s{0,4}\n?"
    r"[\w.]{0,40}?(?<![a-z])(?:send_keys|sendline|send|fill|type|write)\(\s{0,4}"
    r"(?=b?[\"'])"
)
"""Prompt for a credential and the answer that is typed: ``expect("password:")``, ``sendline("…")``."""
_JOINED_NETWORK = re.compile(
    r"\b(?:wlan|wifi|sta|nic|station)\w{0,8}\.connect\(\s{0,4}[\"'][^\"'\n]{1,40}[\"'],\s{0,4}(?=[\"'])"
)
_SUDO = re.compile(r"[\"']sudo[\"'], ?[\"']-S[\"'][^\n]{0,200}?\binput ?= ?(?=b?[\"'])")
_LOGIN_KEY = re.compile(
    r"\b(?:login|init|configure|authenticate|jwt\.(?:en|de)code)\([^)\n]{0,80}?\bkey ?= ?b?[\"'](?P<value>[^\"'\n]{8,200})[\"']"
)
_PAIR = re.compile(
    r"(?P<listed>(?:\[|\),)\s{0,40})?\((?P<q>[\"'])(?P<name>[\w\-]{2,60})(?P=q), ?(?P<r>[\"'])(?P<value>[^\"'\n]{4,200})(?P=r)\)"
)


_TELLING = re.compile(r"(?:set|with|use|using|add|configure|register|provide)[_A-Z]")
"""Beginning of calls named after their argument: ``set_access_token("…")``, ``withPassword("…")``."""
_HOST = re.compile(
    r"localhost$|\w{2,8}://[\w.\-]{1,100}$|(?:https?://)?[\w\-]{1,60}(?:\.[\w\-]{1,60}){1,6}(?::\d{1,5})?(?:/\S{0,100})?$"
)
_EMAIL = re.compile(r"[\w.+\-]{1,60}@[\w\-]{1,60}\.[\w.\-]{2,60}$")
_CREATED = re.compile(r"[A-Z]\w*$|\w*[cC]onnect\w*$|open$|login$|create_engine$")
"""Calls with a host, perhaps a port, a user name and a password, in this order: ``connect("db.acme.io", 5432, "me", "…")``."""
_USER = re.compile(r"(?:[a-z]{2,4}=)?[a-z]{3,12}(?:[.@][\w.,=\-]{1,80})?$")
"""Form of a user name, or of one in a directory."""
_ACCESS_KEY = re.compile(r"(?:AKIA|ASIA)[0-9A-Z]{16}$")
_PROMPTED = re.compile(
    r"\b(?:input|getpass|prompt)\(\s{0,4}[\"'](?P<name>[^\"'\n]{2,60})[\"']\s{0,4}\)(?:\.\w{1,10}\(\))?\s{0,4}[=!]=\s{0,4}(?=[\"'])"
)


def in_calls(text: str) -> Iterator[Secret]:
    """Credentials by their place in a call."""
    for match in _CALL.finditer(text):
        name = match["name"]
        if _TELLING.match(name) and (kind := kind_of(name)) and (given := arguments_at(text, match.end())) and given[0]:
            yield from of_literals([given[0]], kind) if len(given) == 1 else ()
        if name in _WHERE or name in _BY_FIRST or name in _MORE or _CREATED.match(name) or _TELLS.search(name):
            yield from _of_call(name, arguments_at(text, match.end()))
    for match in _DEFAULT.finditer(text):
        if (kind := kind_of(match["name"])) and (values := arguments_at(text, match.end())) and values[0]:
            yield from of_literals([values[0]], kind)
    yield from _typed(text)
    for match in _LOGIN_KEY.finditer(text):
        if looks_random(match["value"]) or ".encode" in match[0] or ".decode" in match[0]:
            yield from if_secret(*match.span("value"), match["value"], "API_KEY")
    for match in _PAIR.finditer(text):
        kind, value = kind_of(match["name"]), match["value"]
        sure = looks_random(value) or (
            match["listed"] and kind in SAID_BY_NAME and not is_word(value) and not kind_of(value)
        )
        if kind and sure and is_value(value, kind):
            yield Secret(*match.span("value"), kind, WORDS[kind])


def _typed(text: str) -> Iterator[Secret]:
    """Answers typed to a question for a credential."""
    for match in _PROMPTED.finditer(text):
        kinds = [kind for word in match["name"].split() if (kind := kind_of(word))]
        yield from of_literals(joined_at(text, match.end()), kinds[0]) if kinds else ()
    for pattern in (_JOINED_NETWORK, _SUDO):
        for match in pattern.finditer(text):
            yield from of_literals(joined_at(text, match.end()), "PASSWORD")
    for match in _TYPED.finditer(text):
        yield from of_literals(joined_at(text, match.end()), "PASSWORD") if kind_of(match["name"]) else ()


_MORE = frozenset({"set_password", "Client", "init", "configure", "set_api_key", "set_token", "Bot"})
"""Calls that need a look beyond their name."""


_TELLS = re.compile(
    r"(?:^|_)(?:log[io]n|bind|sign_?in)(?:_|$)|(?:Auth|Authenticator|Authentication|Credentials?|Login)$|^(?!get|read|find|load|fetch|ask)(?:\w{0,30}_)?(?:pw|password|passwd|credentials?)_?(?:set|login|auth)?$|^(?:Password|Passwd|pwd|PWD)$"
)
"""Classes and calls that take a name and a password: ``PasswordCredentials("me", "…")``, ``username_pw_set("me", "…")``."""


def _of_call(name: str, arguments: list[Literal | None]) -> Iterator[Secret]:
    for place in _where(name, arguments):
        literal = arguments[place] if place < len(arguments) else None
        if literal is not None:
            yield from of_literals([literal], "PASSWORD")
    if _CREATED.match(name):
        for user, value in pairwise(arguments):
            if user and value and _USER.match(user.value) and is_mended_word(value.value):
                yield from of_literals([value], "PASSWORD")
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
        case _ if _TELLS.search(name) and len(arguments) >= 2:
            return (1,)
        case _ if name not in _WHERE and name[0].isupper() and len(arguments) >= 2 and _EMAIL.match(first):
            return (1,)
        case _ if name.lower() in ("password", "passwd", "pwd") and len(arguments) == 1:
            return (0,)
        case _ if name not in _WHERE and _CREATED.match(name) and len(arguments) >= 3 and _HOST.match(first):
            return (3,) if arguments[1] is None and len(arguments) > 3 else (2,)
        case _ if _ACCESS_KEY.match(first):
            return (1,)
        case _ if name.endswith("Client") and re.match(r"AC[0-9a-f]{32}$", first):
            return (1,)
        case "Client":
            return (0,) if _is_a_key(first) else ()
        case "init" | "configure" | "set_api_key" | "set_token" | "Bot":
            return (0,) if _is_a_key(first) else ()
    return _WHERE.get(name, ())


def _is_a_key(value: str) -> bool:
    """True if a lone argument can only be a key: long, mixed, and neither an address nor a path."""
    if value.isidentifier() and value.islower() and "_" in value:
        return False
    return (
        len(value) >= 16
        and looks_random(value)
        and not is_placeholder(value)
        and not any(char in "/\\ ." for char in value)
    )
