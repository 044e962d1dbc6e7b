"""Reader of string literals in code, outputs and incomplete lines.

Each step is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

MOST = 400
"""Longest literal, in characters, that can be a password."""
_OPEN = re.compile(r"(?P<prefix>[rRbBuUfF]{0,2})(?P<quote>\"\"\"|'''|\"|'|`)")
_BODY = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.){{0,{MOST}}}+(?={quote})") for quote in "\"'`"}
_LONG_BODY = {
    quote: re.compile(rf"(?:[^{quote}]|{quote}(?!{quote}{quote})){{0,4000}}+(?={quote * 3})") for quote in "\"'"
}
_JOINT = re.compile(
    r"[ \t]{0,40}(?:\\?\n[ \t]{0,80}){0,2}(?:\+[ \t]{0,40}(?:\\?\n[ \t]{0,80})?"
    r"(?:[\w.]{1,40}(?:\([^()\n]{0,40}\))?[ \t]{0,4}\+[ \t]{0,4})?)?"
)
"""Text between two joined literals, a name or a call in the middle included."""
_HOLE = re.compile(r"\{[^{}]{0,200}\}")


class Literal(Struct, frozen=True):
    """The text between two quotes, from ``start`` to ``end``; ``after`` is behind the closing one."""

    start: int
    end: int
    after: int
    value: str
    formatted: bool = False

    def constants(self) -> list[tuple[int, int]]:
        """The parts of an f-string that are not replaced; the whole of another literal."""
        if not self.formatted:
            return [(self.start, self.end)]
        found, at = [], 0
        for hole in _HOLE.finditer(self.value):
            found.append((self.start + at, self.start + hole.start()))
            at = hole.end()
        return [*found, (self.start + at, self.end)]


def literal_at(text: str, at: int) -> Literal | None:
    """Literal that begins exactly there; None if there is none, or if it is too long to be a credential."""
    opened = _OPEN.match(text, at)
    if opened is None:
        return None
    quote = opened["quote"]
    body = (_LONG_BODY if len(quote) == 3 else _BODY)[quote[0]].match(text, opened.end())
    if body is None:
        return None
    start, end = body.span()
    return Literal(start, end, end + len(quote), body[0], "f" in opened["prefix"].lower())


def joined_at(text: str, at: int, *, most: int = 20) -> list[Literal]:
    """Literals from there on that Python would join: side by side, or with ``+`` between them."""
    found: list[Literal] = []
    literal = literal_at(text, at)
    while literal is not None and len(found) < most:
        found.append(literal)
        joint = _JOINT.match(text, literal.after)
        literal = literal_at(text, joint.end()) if joint else None
    return found


_DEEPEST = 12
"""Deepest nesting of brackets that is read."""


def arguments_at(text: str, at: int, *, reach: int = 400) -> list[Literal | None]:
    """Arguments between brackets, the text before ``at`` being the opening one: an item each, None if it is no literal."""
    items: list[Literal | None] = []
    end = min(len(text), at + reach)
    while at < end and len(items) < 40:
        while at < end and text[at] in " \t\n\\":
            at += 1
        literal = literal_at(text, at)
        if literal is not None:
            items.append(literal)
            at = literal.after
        elif at < end and text[at] not in ",)]}":
            items.append(None)
        at = _to_comma(text, at, end)
        if at >= end or text[at] != ",":
            break
        at += 1
    return items


def _to_comma(text: str, at: int, end: int) -> int:
    """Position of the next comma or closing bracket of this level."""
    depth = 0
    while at < end:
        char = text[at]
        if char in "\"'`" and (literal := literal_at(text, at)):
            at = literal.after
            continue
        if char in ")]}":
            depth -= 1
            if depth < 0:
                return at
        elif char in "([{":
            depth += 1
            if depth > _DEEPEST:
                return end
        elif char == "," and not depth:
            return at
        at += 1
    return at


def bracketed_at(text: str, at: int, *, reach: int = 2_000) -> Iterator[tuple[str, Literal]]:
    """Literal values inside the brackets that open at ``at``, with their keys."""
    depth, key, end = 0, "", min(len(text), at + reach)
    while at < end:
        char = text[at]
        literal = literal_at(text, at) if char in "\"'`" else None
        if literal is None:
            depth += (char in "([{") - (char in ")]}")
            key = "" if char == "," else key
            if not 0 < depth <= _DEEPEST:
                return
            at += 1
            continue
        at = literal.after
        while at < end and text[at] in " \t\n":
            at += 1
        if at < end and text[at] == ":":
            key = literal.value
        else:
            yield key, literal
