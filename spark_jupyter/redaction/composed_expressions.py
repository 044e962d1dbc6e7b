"""Credentials in expressions that join, slice or decode literals.

``password = "-".join(["a", "b"])``, ``"…"[::-1]``, ``codecs.decode("…", "rot13")``, ``bytes([104, 117, …]).decode()``,
``"x" if local else ask()``. Every literal of the expression counts, but for one in a subscript or in a call that is not known to keep it
(``os.environ["…"]``, ``input("…")``, ``cfg.get("…")``): that is the name of a place, or a question. Each step is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import is_value
from spark_jupyter.redaction.placeholders import is_placeholder
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import Literal, literal_at
from spark_jupyter.source.credential_names import SAID_BY_NAME, WORDS, Kind, kind_of

_GIVEN = re.compile(
    r"(?<![\w.\-])(?P<name>[A-Za-z_][\w.]{1,80}+)(?:[\"']\]?)?(?:(?:: ?[\w\[\], |]{1,40})?[ \t]{0,8}=(?!=)|:)[ \t]{0,8}"
    r"(?=[^\n]{0,120}[\"'(\[])"
)
_KEEPS = frozenset(
    "join decode encode bytes bytearray str reversed chr map list tuple format quote quote_plus unquote b64decode b64encode b32decode "
    "b16decode a85decode b85decode urlsafe_b64decode urlsafe_b64encode fromhex unhexlify SecretStr SecretBytes from_bytes repr "
    "literal_eval loads".split()
)
"""Calls whose result contains their argument."""
_CALLEE = re.compile(r"(\w{1,40})$")
_NUMBERS = re.compile(
    r"\[\s{0,20}((?:(?:0x[0-9a-fA-F]{2}|\d{2,3}),\s{0,20}){3,200}(?:0x[0-9a-fA-F]{2}|\d{2,3}),?)\s{0,20}\]"
)
_LISTED = re.compile(r"\[[\d,\s]{4,400}\]")
_PINS = re.compile(r"[\[,]\s{0,4}(?P<value>\d{4,8})(?=\s{0,4}[,\]])")
_COMPARED = re.compile(r"(?:==|!=|\bin|\bif|\bnot)\s{0,4}[rbuRBUfF]{0,2}$")
_IS_COMPARED = re.compile(r"[\"']{0,2}\s{0,4}(?:==|!=|in\b|not in\b)")
_LONGEST = 1_000


def by_composition(text: str) -> Iterator[Secret]:
    """Literals and numbers in the expression behind a credential's name.

    An expression within one that was looked through is looked through again while that has cost less than the text is long, twice over.
    """
    furthest, spent = 0, 0
    for match in _GIVEN.finditer(text):
        several = text[max(0, match.start() - 2) : match.start()] == ", " and " = " in match[0]  # user, password = …
        if several or (match.end() < furthest and spent > 2 * len(text)):
            continue
        if kind := kind_of(match["name"]):
            expression = _Expression(text, match.end())
            expression.read()
            furthest, spent = max(furthest, expression.at), spent + expression.cost
            yield from _parts(text, expression, kind)


def _parts(text: str, expression: _Expression, kind: Kind) -> Iterator[Secret]:
    for start, end in expression.numbers if kind in SAID_BY_NAME else ():
        yield Secret(start, end, kind, WORDS[kind])
    if kind == "PIN" and (listed := _LISTED.match(text, expression.begin)):
        for pin in _PINS.finditer(text, *listed.span()):
            yield Secret(*pin.span("value"), kind, WORDS[kind])
    if is_value("".join(literal.value for literal in expression.literals), kind):
        for literal in expression.literals:
            for start, end in literal.constants():
                if end - start >= 2 and not is_placeholder(text[start:end]) and "{" not in text[start:end]:
                    yield Secret(start, end, kind, WORDS[kind])


class _Expression:
    """Expression from ``begin`` up to ``at``: the literals that its value keeps, and the lists of numbers."""

    def __init__(self, text: str, begin: int) -> None:
        self.text = text
        self.begin = self.at = begin
        self.cost = 0
        self.literals: list[Literal] = []
        self.numbers: list[tuple[int, int]] = []
        self._open: list[bool | None] = []
        """Open brackets: True for a call that keeps its arguments, None for plain ones, False for others."""

    def read(self) -> None:
        """Read to the end of the expression, or to the limit of its length."""
        end = min(len(self.text), self.begin + _LONGEST)
        while self.at < end and self.cost < 4 * _LONGEST:
            before = self.at
            plain = _PLAIN.match(self.text, self.at, end)
            self.at = plain.end() if plain else self.at
            if self.at >= end or not self._mark(self.text[self.at]):
                break
            self.cost += self.at - before

    def _mark(self, char: str) -> bool:
        """Process one token; False if the expression ends there."""
        if char in "\"'":
            self._literal()
        elif char in "([{":
            self._bracket(char)
        elif char in ")]}":
            if not self._open:
                return False
            self._open.pop()
            self.at += 1
        elif char == "," and True not in self._open and False not in self._open:
            if self._open:  # a tuple or a list of several values, which others know better
                self.literals, self.numbers = [], []
            return False
        elif char in "#;" or (char == "\n" and not self._open and self.text[self.at - 1] != "\\"):
            return False
        else:
            self.at += 1
        return True

    def _literal(self) -> None:
        literal = literal_at(self.text, self.at)
        if literal is None:
            self.cost += _UNCLOSED
            self.at += 1
            return
        before = self.text[max(self.begin, self.at - 8) : self.at]
        told = False in self._open or _COMPARED.search(before) or _IS_COMPARED.match(self.text, literal.after)
        self.literals += [] if told else [literal]
        self.at = literal.after

    def _bracket(self, char: str) -> None:
        listed = _NUMBERS.match(self.text, self.at) if char == "[" and False not in self._open else None
        if listed:
            self.numbers.append(listed.span(1))
            self.at = listed.end()
        else:
            self._open.append(self._keeps(char))
            self.at += 1

    def _keeps(self, char: str) -> bool | None:
        before = self.text[max(self.begin, self.at - 41) : self.at].rstrip(" ")
        if char == "{":
            return False
        if callee := _CALLEE.search(before):
            return char == "(" and callee[1] in _KEEPS
        return False if char == "[" and before[-1:] in (")", "]", '"', "'") else None


_PLAIN = re.compile(r"[^\"'()\[\]{},#;\n]{1,1000}+")
_UNCLOSED = 400
"""Cost of finding that a quote is not closed."""
