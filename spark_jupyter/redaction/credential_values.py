"""Final test of a possible credential value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark_jupyter.redaction.placeholders import is_card, is_placeholder, is_uuid, looks_odd, looks_random
from spark_jupyter.redaction.random_literals import is_generated, is_hexadecimal
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import Literal
from spark_jupyter.source.credential_names import WORDS, Kind, kind_of

CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[A-Za-z_][\w.]*[(\[]")
_FIXED_HEX = frozenset({32, 48, 64, 128})


def of_literals(literals: list[Literal], kind: Kind) -> Iterator[Secret]:
    """Parts of one value, if together they are a credential."""
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


def of_kinds(kinds: Sequence[Kind | None], literals: Sequence[Literal | None]) -> Iterator[Secret]:
    """Literals that are credentials of the kinds at the same places."""
    for kind, literal in zip(kinds, literals, strict=False):
        if kind and literal:
            yield from of_literals([literal], kind)


def is_value(value: str, kind: Kind) -> bool:
    """True if a literal can be a credential of that kind."""
    value = value.strip()
    if kind == "CARD":
        return value.isdigit() and (len(value) in (3, 4) or (13 <= len(value) <= 19 and is_card(value)))
    if is_placeholder(value) or len(value) < 4 or "{" in value[:200] or is_code(value):
        return False
    match kind:
        case "PIN":
            return value.isdigit() and 4 <= len(value) <= 8
        case "SEED_PHRASE":
            return len(value.split()) >= 12
        case "KEY" if is_uuid(value.partition(":")[2]):
            return value.partition(":")[0].isdigit()
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
    """True if a token has three or more parts, words and a number: ``plum-tree-77``."""
    return len(value) >= 12 and _PARTS.match(value) is not None


def is_code(value: str) -> bool:
    """True if the value refers to the credential: a call, or a dotted name (``settings.db_password``)."""
    found = CODE.match(value[:200])
    return found is not None and not looks_random(value) and (found[0][-1] in "([" or kind_of(value) is not None)


def _is_a_name(value: str) -> bool:
    """True if the value is the name of a credential: ``"DB_PASSWORD"``, ``"user_password"``."""
    return (
        not any(char.isdigit() for char in value)
        and value.isidentifier()
        and ("_" in value or value.isupper())
        and bool(kind_of(value))
    )


def if_secret(start: int, end: int, value: str, kind: Kind) -> Iterator[Secret]:
    """Secret from ``start`` to ``end``, if it can be one."""
    if is_value(value, kind):
        yield Secret(start, end, kind, WORDS[kind])


_LEET = re.compile(r"[^\W\d_]\d[^\W\d_]")


def is_odd(value: str) -> bool:
    """True if the text behind the word password is no word: ``w1llow``, ``quick-silver7``."""
    return looks_odd(value) or (len(value) >= 6 and _LEET.search(value) is not None)
