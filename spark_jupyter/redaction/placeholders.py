"""Recognition of placeholders, paths, types and other harmless values."""

from __future__ import annotations

import re

OURS = "SPARK_SECRET_"
"""Prefix of our own placeholders."""

_PLACEHOLDER = re.compile(
    r"(?ix)^(?:your|the|some|an?|insert|put|add|paste|replace|example|sample|dummy|fake|test(?:ing)?|mock|todo)(?:\b(?!-)|(?=key|api|pass|tok|sec))"
    r"|^(?:your|insert|paste|replace)[-_ ] |^my[-_ ]\D*$ |^enter[-_ ](?:your|the|a|pass|key|tok|sec|here)"
    r"|(?:^|[-_ ])(?:here|example|placeholder|changeme|change[-_]me|redacted|dummy)(?:$|[-_ ])"
    r"|^[<\[{(].*[>\]})]$ |^\$ |^%[s(] |^\{ |^env[:.] |x{4,}|\*{3,}|^[x*.\-_\#?0]+$ |^\\?[nrt]?$ |^:\w+$ |^\? "
)
_SHORTENED = re.compile(r"\.{3}|…")
_WORDS = frozenset(
    "access any apikey available basic bearer bool bytes changed changeme char column allowed correct credentials default deprecated "
    "description digest "
    "digits email empty encrypted enter expired failed false field float form hash hashed hidden incorrect input int integer "
    "invalid json key kennwort list literal login masked missing mismatch missingno name needed no none nonetype not null number "
    "object optional pass passwd password passphrase passwort placeholder plain prompt protected provided pwd read refresh "
    "required reset root secret secretstr set single source sso str string text textbox token true type undefined unknown unset "
    "user supported reserved ignored sha md bcrypt scrypt argon pbkdf ollama vllm "
    "username value varchar varies wrong yes word words include omit same-origin".split()
)
_PATH = re.compile(
    r"^(?:~|\.{1,2}|/(?:usr|home|etc|root|var|opt|tmp|run|mnt|Users))[/\\]|^[A-Za-z]:[/\\]|^(?:https?|s3|gs|file)://"
)
_PROSE = re.compile(
    r"[:?!.,]\s*$|\b(?:enter|your|please|must|invalid|required|is|are|min|max|chars|characters|digits|user|field|used|should|not|or|for|password|passwort)\b"
    r"|(?=(?:\S+ ){5}).*\b(?:the|of|from|with|in|an?)\b|^(?:the|an?) ",
    re.I,
)
_FILE = re.compile(r"^[\w\-/]{1,60}\.[A-Za-z]\w{0,4}$")
_KEBAB = re.compile(r"^[a-z]+(?:-[a-z0-9]{1,8})+$")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$")
_MIXED = re.compile(r"[^\W\d_]{3}\d|\d[^\W\d_]{2}|[^\W\d_]\d[^\W\d_]")
_SWITCH = re.compile("[a-z][A-Z]")
_DATED = re.compile(r"(?:19|20)\d\d[-/.]\d\d")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")


def is_placeholder(value: str) -> bool:
    """True if a literal is a placeholder, a path, a prompt to a person or already one of ours."""
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


def looks_odd(value: str) -> bool:
    """True if the value of a telling name is no word: :func:`looks_random`, or words and numbers with dashes between them."""
    if looks_random(value) or (len(value) >= 16 and value.isalnum() and len(_SWITCH.findall(value)) >= 3):
        return True
    if len(value) < 8 or not _LETTER.search(value) or " " in value or _FILE.match(value):
        return False
    return (len(_DIGIT.findall(value)) >= 3 and not _DATED.search(value)) or _MIXED.search(value) is not None


def is_word(value: str) -> bool:
    """True if a bare word means something else in running text: an English word about passwords, a type, a constant, a class's name of
    two words. One that is merely written large may be a password: German ones mostly are."""
    bare = value.strip(".,;:!?()")
    named = bare.isupper() or 0 < len(_SWITCH.findall(bare)) < 3
    return bare.lower() in _WORDS or (bare.isalpha() and named)


def is_uuid(value: str) -> bool:
    """True if the value is an ordinary id."""
    return _UUID.match(value) is not None


def is_card(value: str) -> bool:
    """True if the check digit of a card's number is right (ISO/IEC 7812-1)."""
    digits = [int(char) for char in value if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[::-2]) + sum(doubled)) % 10 == 0


_MENDED_WORD = re.compile(r"(?=.{8})[A-ZÀ-Þ]?[a-zà-ÿ]{5,}\d{1,4}[!?]?$")


def is_mended_word(value: str) -> bool:
    """True if a value is a word with a number added, as people choose passwords: ``Seidenschwanz1``."""
    return _MENDED_WORD.match(value) is not None
