"""Credentials that an expression or a function returns.

``password = ask() or "…"``, a function that is named for what it returns, the value that a prompt shows below such an expression. Every
pattern is bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import if_secret, of_literals
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import bracketed_at, joined_at
from spark_jupyter.source.credential_names import SAID_BY_NAME, Kind, kind_of

_ASSIGNED = re.compile(
    r"^[ \t]{0,40}(?:[\w.]{1,60} ?= ?)?(?P<name>[\w.]{2,80}+)(?:: ?\w{1,30})? ?= ?(?P<value>[^\n]{4,300})", re.M
)
_ELSE = re.compile(r"\b(?:or|else|lambda:) {1,2}(?=b?[\"'])")
_RETURNING = re.compile(
    r"^[ \t]{0,40}(?:async )?def (?P<name>\w{2,60})\([^()\n]{0,200}\)[^:\n]{0,60}:\s{0,80}"
    r"(?:(?:\"\"\"[^\"]{0,400}\"\"\"|#[^\n]{0,200})\s{0,80})?"
    r"return (?=b?[\"'])",
    re.M,
)
_SHOWN = re.compile(
    r"^(?:>>>|ipdb>|\(Pdb\)|In ?\[\d{1,5}\]:|\w{0,10}=?>) [^\n]{0,200}?"
    r"(?P<name>[A-Za-z_]\w{1,60})[\"']?\]?\)?(?:\.\w{1,20}\(\))?\)?[ \t]*\n(?:Out ?\[\d{1,5}\]: )?"
    r"|^[\w.]{1,60}\[[\"'](?P<column>\w{2,60})[\"']\]"
    r"(?:\.(?:tolist|to_list|unique|values|head|item)(?:\(\d{0,4}\))?)?[ \t]*\n(?=[\"'\[(a])",
    re.M,
)
_VALUE = re.compile(r"[^\s\"'\[\](){}]{4,200}(?=[ \t]*$)", re.M)


def by_expression(text: str) -> Iterator[Secret]:
    """Literals that an expression behind a credential's name may evaluate to."""
    for match in _ASSIGNED.finditer(text):
        kind = kind_of(match["name"])
        for other in _ELSE.finditer(text, *match.span("value")) if kind in SAID_BY_NAME else ():
            yield from of_literals(joined_at(text, other.end()), "PASSWORD" if kind is None else kind)
    for match in _RETURNING.finditer(text):
        if kind := kind_of(match["name"]):
            yield from of_literals(joined_at(text, match.end()), kind)
    for match in _SHOWN.finditer(text):
        if kind := kind_of(match["name"] or match["column"]):
            yield from _shown(text, match.end(), kind)


def _shown(text: str, at: int, kind: Kind) -> Iterator[Secret]:
    """Values shown below: a literal, a list of them, or a bare word."""
    if literals := joined_at(text, at)[:1]:
        yield from of_literals(literals, kind)
    elif text[at : at + 1] in ("[", "(") or text[at : at + 7] == "array([":
        for _, literal in bracketed_at(text, text.index("[", at) if "[" in text[at : at + 8] else at):
            yield from of_literals([literal], kind)
    elif bare := _VALUE.match(text, at):
        yield from if_secret(*bare.span(), bare[0], kind)
