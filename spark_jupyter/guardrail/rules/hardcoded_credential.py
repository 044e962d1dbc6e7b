"""Passwords, keys and tokens written in code."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.credential_patterns import credential_in, is_placeholder, known_key
from spark_jupyter.guardrail.rule import Assign, Call, Command, Compare, Hit, Literal, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value
from spark_jupyter.source.changed_names import last_name

_NAME: Final = re.compile(
    r"(?:^|_|\b)(?:pass(?:word|wd|phrase)|pwd|pw|secret|secret_?key|api_?key|apikey|auth_?token|"
    r"access_?token|access_?key|private_?key|client_?secret|token|auth_?key|"
    r"encryption_?key|signing_?key|jwt_?secret|jwt_?key|aws_secret\w*|credentials?|bearer|db_?pass\w*|"
    r"smtp_?pass\w*|connection_?string|secretkey|db_?pwd|passcode|\w+_pass)(?:_?\d+)?(?:$|\[)|(?:password|"
    r"passwd|secret_?key|api_?key)$",
    re.IGNORECASE,
)
_KEY_NAME: Final = re.compile(
    r"(?:^|_)(?:key|aes_key|des_key|secret_?key|encryption_?key|signing_?key|hmac_?key|fernet_?key|jwt_?(?:secret|key))$",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"^[a-z][a-z0-9+]*://[^/\s:@{}\0]+:([^/\s@{}\0]*)@", re.IGNORECASE)
_PASSWORD_ARGUMENTS: Final = tuple(
    "password passwd pwd pass secret api_key token auth_token secret_key aws_secret_access_key access_token "
    "client_secret passphrase secret_access_key".split()
)
_ABOUT: Final = tuple("_url _name _field _file _path _id _type _label _env _header _prefix _hash".split())
"""Endings of names of what is no secret itself."""
_CONNECT: Final = re.compile(
    r"connect|login|Client|Connection|create_engine|auth|Redis|session|Session|Server|SMTP|FTP|API|api|signin",
    re.IGNORECASE,
)
_JUDGES: Final = re.compile(r"strong|strength|valid|check|score|entropy|hash|verify|test|policy|rate", re.IGNORECASE)
_OPTION: Final = re.compile(r"--?(?:\w+-)*(?:password|passwd|secret|token|api-key)=(\S{4,})$", re.IGNORECASE)
_ASKED: Final = re.compile(
    r"[?&](?:\w+[_-])?(?:api_?key|key|app_?id|token|secret|auth|sig|password)=([A-Za-z0-9_.-]{16,100})(?:&|$)",
    re.IGNORECASE,
)
"""Key in the query of an address."""
_DESCRIBES: Final = re.compile(r"\b(?:host|server|data source|dbname|user|uid|user id)\s*=", re.IGNORECASE)
_PART: Final = re.compile(r"(?:^|[;\s])(?:pwd|password)\s*=\s*([^;{}\s\0%]{4,})(?:[;\s]|$)", re.IGNORECASE)
"""``Server=…;Uid=…;Pwd=…`` of ODBC, ``host=… password=…`` of libpq."""
_NOT_A_SECRET: Final = re.compile(
    (
        r"^(?:text|string|str|bytes|password|hidden|submit|token|bearer|basic|none|null|true|false|"
        r"input|required)$|^[\w.]+\(\)$|\s.*\s|^[/.~]|^[A-Za-z]:\\|[/\\][^/\\]*\.\w{2,5}$|^https?://|^%|^\W*$"
    ),
    re.IGNORECASE,
)


def _constant(value: Value) -> str | None:
    if isinstance(value.const, bytes):
        return value.const.decode("latin-1")
    return value.const if isinstance(value.const, str) else None


def _plausible(text: str) -> bool:
    """True if a text is a password, weak ones included, and not a placeholder."""
    return 3 <= len(text) <= 200 and not is_placeholder(text) and not _NOT_A_SECRET.search(text)


def _signs(text: str) -> bool:
    """True if a placeholder text would work as a key: "change-me" does, "<your key>" is clearly none."""
    return len(text) >= 3 and is_placeholder(text) and not text.startswith(("<", "{", "$", "%"))


def _placeholder(node: ast.AST) -> Hit:
    return Hit(
        node,
        severity="warn",
        cwe=321,
        message="This placeholder is used as the key: whoever guesses it can sign anything.",
    )


def _empty(node: ast.AST, message: str) -> Hit:
    return Hit(node, severity="warn", cwe=521, message=message, remedy="Give it a password, from the environment.")


def _assign(event: Assign, state: State) -> Hit | None:
    text = _constant(event.value)
    name = (event.key or event.name.rpartition(".")[2]).replace("-", "_")
    if text is None:
        return None
    if name.lower() == "secret_key" and (event.key or event.base.name) and _signs(text):
        return _placeholder(event.node)
    if event.key and event.key.isupper() and event.key in ("PASSWORD",) and text == "":
        return _empty(event.node, "This database takes anybody: its password is empty.")
    if name == "key" and credential_in(text) and not event.key:
        return Hit(event.node, cwe=321)
    if name.lower().endswith(("password", "passwd")) and text == "password":
        return Hit(event.node, cwe=259)
    if not _NAME.search(name) or not _plausible(text):
        return None
    if name.lower().endswith(_ABOUT) or text.lower() == name.lower():
        return None
    if re.search(r"token$", name, re.IGNORECASE) and len(text) < 12:
        return None
    if any(scope.kind == "function" and scope.name.startswith("test_") for scope in state.scopes):
        return None if not credential_in(text) else Hit(event.node, severity="warn")
    cwe = 321 if _KEY_NAME.search(name) and "api" not in name.lower() else None
    strong = credential_in(text)
    return Hit(event.node, cwe=cwe, severity="block" if strong else "warn")


def _literal(event: Literal, state: State) -> Hit | None:
    node, text = event
    kind = known_key(text)
    if kind is not None:
        return Hit(
            node,
            severity="block",
            message=f"This is a real-looking {kind}, written in code: everyone who sees the notebook has it.",
        )
    asked = _ASKED.search(text[:1_000])
    if asked is not None and credential_in(asked[1]):
        return Hit(node, severity="warn", message="This address holds a key.")
    part = _PART.search(text[:1_000]) if _DESCRIBES.search(text[:1_000]) else None
    if part is not None and _plausible(part[1]):
        return Hit(node, severity="warn", message="This connection's description holds a password.")
    option = _OPTION.match(text)
    if option is not None and _plausible(option[1]):
        return Hit(node, severity="warn", message="This option holds a password, and all processes can read it.")
    match = _URL.match(text)
    if match is not None and match[1] == "" and "@" in text:
        return _empty(node, "This database takes anybody: its password is empty.")
    if match is not None and not is_placeholder(match[1]) and not match[1].startswith("$"):
        return Hit(node, severity="warn", message="This address holds a password.")
    return None


def _call(call: Call, state: State) -> Hit | None:
    """Arguments named like a credential."""
    if _JUDGES.search(call.tail):
        return None  # what is given to it is looked at, or made harmless
    basic = call.argument(-1, "auth").items  # auth=("user", "password"), as requests and httpx take it
    pair = {"password": basic[1]} if isinstance(basic, list) and len(basic) == 2 else {}
    for name in _PASSWORD_ARGUMENTS:
        value = call.kwargs.get(name, pair.get(name))
        if value is None:
            continue
        text = _constant(value)
        if text == "" and name in ("password", "passwd", "pwd") and _CONNECT.search(call.name):
            return Hit(
                call.node,
                severity="warn",
                cwe=521,
                message="This logs in with an empty password.",
                remedy="Give the account a password, from the environment.",
            )
        if text is not None and (_plausible(text) or (text == "password" and _CONNECT.search(call.name))):
            return Hit(
                call.node,
                severity="block" if credential_in(text) else "warn",
                cwe=259 if name.startswith("pass") else None,
            )
    return None


_OF_MAIL: Final = re.compile(r"(?:[a-z]{4} ){3}[a-z]{4}")
"""Google's form of a password for one program."""


def _login(call: Call, state: State) -> Hit | None:
    text = _constant(call.argument(1, "password"))
    found = text is not None and len(call.args) >= 2 and (_plausible(text) or _OF_MAIL.fullmatch(text))
    return Hit(call.node, severity="warn") if found else None


def _sign(call: Call, state: State) -> Hit | None:
    key = call.argument(1, "key")
    text = _constant(key)
    if text and call.given(1, "key"):
        if _signs(text):
            return _placeholder(call.node)
        return Hit(
            call.node,
            severity="warn",
            cwe=321,
            message="The key that signs these tokens is written in code: whoever reads it can make their own.",
        )
    return None


def _cipher_key(call: Call, state: State) -> Hit | None:
    text = _constant(call.argument(0, "key"))
    if text and call.given(0, "key") and len(text) >= 8:
        return Hit(call.node, severity="warn", cwe=321, message="The key of this cipher is written in code.")
    return None


def _default(call: Call, state: State) -> Hit | None:
    """``os.getenv("KEY", "a3f…")``: where the environment has none, all use this one. A word like "dev" is no key."""
    name, text = call.argument(0, "key").const, _constant(call.argument(1, "default"))
    if not isinstance(name, str) or not _NAME.search(name) or text is None or len(text) < 8:
        return None
    if credential_in(text) or (any(map(str.isdigit, text)) and _plausible(text)):
        return Hit(call.node, severity="warn")
    if "key" in name.lower() or "secret" in name.lower():
        return Hit(call.node, severity="hint", message=_FALLBACK)
    return None


_FALLBACK: Final = "Where the environment has no key, this default is used, and everybody can read it here."


def _compare(event: Compare, state: State) -> Hit | None:
    if not any(type(op).__name__ in ("Eq", "NotEq") for op in event.node.ops):
        return None
    for one, other in ((event.left, event.right), (event.right, event.left)):
        text = _constant(other)
        name = one.name.rstrip("()[]").rpartition(".")[2] or (one.flows[0][0].parameter if one.flows else "")
        if text and _guards(name, text):
            return _compared(event, name)
    return None


def _compared(event: Compare, name: str) -> Hit:
    """A password is CWE-259, the child of 798 for passwords."""
    cwe = 259 if re.search("pass|pwd", name, re.IGNORECASE) else None
    return Hit(
        event.node, severity="warn", cwe=cwe, message=f"{name} is compared with a value that is written in code."
    )


def _guards(name: str, text: str) -> bool:
    """True if the text of this name lets somebody in. A short word may be a token of a language."""
    if len(text) < 3 or is_placeholder(text):
        return False
    plain = name.replace("-", "_")
    if plain == "getpass":
        return True
    return _is_password(plain) or (plain.lower().endswith("token") and len(text) >= 8 and any(map(str.isdigit, text)))


def _is_password(name: str) -> bool:
    return bool(re.fullmatch(r"(?:\w+_)?(?:password|passwd|pwd|passcode|secret|api_?key)", name, re.IGNORECASE))


def _named_compare(event: Compare, state: State) -> Hit | None:
    hit = _compare(event, state)
    if hit is not None or not isinstance(event.right.const, str):
        return hit
    left = event.node.left
    name = last_name(left)
    if isinstance(left, ast.Subscript) and isinstance(left.slice, ast.Constant):
        name = str(left.slice.value)
    if isinstance(left, ast.Call) and left.args and isinstance(left.args[0], ast.Constant):
        name = str(left.args[0].value)
    same = any(type(op).__name__ in ("Eq", "NotEq") for op in event.node.ops)
    if same and _guards(name, event.right.const):
        return _compared(event, name)
    return None


def _command(event: Command, state: State) -> Hit | None:
    for word in event.text.split():
        kind = known_key(word.partition("=")[2] or word)
        if kind is not None:
            return Hit(event.node, severity="block", message=f"This command holds a real-looking {kind}.")
    match = re.match(r"%(?:set_)?env\s+(\w+)[=\s]\s*(\S+)", event.text)
    if match and _NAME.search(match[1]) and _plausible(match[2]) and "$" not in match[2] and "{" not in match[2]:
        return Hit(event.node, severity="block" if credential_in(match[2]) else "warn")
    return None


_SAMPLE: Final = "tr0ub4dor" + "&3x"
_KEY: Final = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"

RULE: Final = Rule(
    id="hardcoded-credential",
    cwe=798,
    severity="warn",
    message="A password or key is written in code: everyone who sees the notebook has it.",
    remedy='Take it from the environment: os.environ["NAME"], or ask for it with getpass.getpass().',
    bad=(
        'from getpass import getpass\nattempt = getpass()\nif attempt == "h0rseBattery!":\n    enter()',
        f'password = "{_SAMPLE}"',
        f'token = "{_KEY}"',
        f'import mysql.connector\nmysql.connector.connect(user="me", password="{_SAMPLE}")',
        f'app.config["SECRET_KEY"] = "{_SAMPLE}"',
        f'config = {{"api_key": "{_SAMPLE}"}}',
        f'def connect(host, password="{_SAMPLE}"):\n    pass',
        f'import os\nkey = os.getenv("API_KEY", "{_KEY}")',
        'def check(password):\n    return password == "admin"',
        f'engine = create_engine("postgresql://me:{_SAMPLE}@host/db")',
        f"%env API_KEY={_KEY}",
        f'headers = {{"Authorization": "Bearer {_KEY}"}}',
    ),
    good=(
        'columns = ["sbp_baseline_visit_1_mean_mmhg", "xai_shap_values_top_10_features", "glc_blood_glucose_level_2020_mean_of_all"]',
        'password = "YOUR_PASSWORD"',
        'import os\npassword = os.environ["PASSWORD"]',
        'api_key = "<your api key>"',
    ),
    calls={
        **on("os.getenv os.environ.get", _default),
        **on("jwt.encode jose.jwt.encode authlib.jose.jwt.encode hmac.new_", _sign),
        **on(
            (
                "Crypto.Cipher.AES.new Crypto.Cipher.DES.new cryptography.fernet.Fernet Fernet cryptography.hazmat.primitives.ciph"
                "ers.algorithms.AES Crypto.Cipher.DES3.new Crypto.Cipher.ARC4.new AES.new"
            ),
            _cipher_key,
        ),
    },
    methods={**on("login", _login), "*": _call},
    assign=_assign,
    literal=_literal,
    compare=_named_compare,
    command=_command,
)
