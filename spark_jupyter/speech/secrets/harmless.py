"""What stands where a credential goes and is none: a placeholder, a path, a type, a question to a person. Pure."""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import re

OURS = "SPARK_SECRET_"
"""How our own placeholders begin."""

_PLACEHOLDER = re.compile(
    r"(?ix)^(?:your|the|some|an?|insert|put|add|paste|replace|example|sample|dummy|fake|test(?:ing)?|mock|todo)(?:\b(?!-)|(?=key|api|pass|tok|sec))"
    r"|^(?:your|insert|paste|replace)[-_ ] |^my[-_ ]\D*$ |^enter[-_ ](?:your|the|a|pass|key|tok|sec|here)"
    r"|(?:^|[-_ ])(?:here|example|placeholder|changeme|change[-_]me|redacted|dummy)(?:$|[-_ ])"
    r"|^[<\[{(].*[>\]})]$ |^\$ |^%[s(] |^\{ |^env[:.] |x{4,}|\*{3,}|^[x*.\-_\#?0]+$ |^\\?[nrt]?$ |^:\w+$ |^\? "
)
_SHORTENED = re.compile(r"\.{3}|…")
_WORDS = frozenset(
    "access apikey available basic bearer bool bytes changed changeme char column correct credentials default description digest "
    "digits email empty encrypted enter expired failed false field float form hash hashed hidden incorrect input int integer "
    "invalid json key kennwort list literal login masked missing mismatch missingno name needed no none nonetype not null number "
    "object optional pass passwd password passphrase passwort placeholder plain prompt protected provided pwd read refresh "
    "required reset root secret secretstr set single source sso str string text textbox token true type undefined unknown unset "
    "user username value varchar varies wrong yes word words include omit same-origin".split()
)
_PATH = re.compile(
    r"^(?:~|\.{1,2}|/(?:usr|home|etc|root|var|opt|tmp|run|mnt|Users))[/\\]|^[A-Za-z]:[/\\]|^(?:https?|s3|gs|file)://"
)
_PROSE = re.compile(
    r"[:?!.,]\s*$|\b(?:enter|your|please|must|invalid|required|the|of|is|are|user|field|used|should|not|or|for|from|with)\b",
    re.I,
)
_FILE = re.compile(r"^[\w\-/]{1,60}\.[A-Za-z]\w{0,4}$")
_KEBAB = re.compile(r"^[a-z]+(?:-[a-z0-9]{1,8})+$")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")


def is_placeholder(value: str) -> bool:
    """Whether a literal is a placeholder, a path, a prompt to a person or already one of ours."""
    value = value.strip()
    if len(value) > 2_000:
        return False
    return bool(
        OURS in value
        or value.lower().rstrip("0123456789") in _WORDS
        or _PLACEHOLDER.search(value)
        or _PATH.match(value)
        or (_SHORTENED.search(value) and not looks_random(_SHORTENED.split(value)[0]))
        or (" " in value and _PROSE.search(value))
    )


def looks_random(value: str) -> bool:
    """Letters and digits mixed, at least 8, no spaces, not a number, a version or a file's name."""
    if len(value) < 8 or " " in value or not _LETTER.search(value) or not _DIGIT.search(value):
        return False
    return not (_FILE.match(value) or (_KEBAB.match(value) and len(value) < 24))


def is_word(value: str) -> bool:
    """Whether a bare word means something else in running text: an English word about passwords, a type, a class's name."""
    return value.lower().strip(".,;:!?()") in _WORDS or (value.isalpha() and not value.islower())


def is_uuid(value: str) -> bool:
    """Whether the value is an ordinary id."""
    return _UUID.match(value) is not None
