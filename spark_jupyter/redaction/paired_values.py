"""Credentials whose name stands elsewhere in the text.

The holes of a template (``"…password={}".format("me", "…")``), a list of names beside one of values
(``zip(["user", "password"], [...])``), the parameters of a function that the text defines. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import of_kinds
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import arguments_at
from spark_jupyter.source.credential_names import Kind, kind_of

_TEMPLATE = re.compile(
    r"(?P<quote>[\"'])(?P<template>[^\"'\n]{0,200}(?:\{\d?\}|%s|\?)[^\"'\n]{0,200})(?P=quote)"
    r"(?:\.format\(|[ ]?%[ ]?\(|,\s{0,9}[(\[](?=\s{0,9}[\"']))"
)
_HOLE = re.compile(r"(?P<name>[\w.\-]{0,40})(?P<sep>[\"']?[=:]|//)?[ ]?[\"']?(?:\{\d?\}|%s|\?)(?P<after>@?)")
_LISTS = re.compile(r"(?<![\w\])])[\[(](?=\s{0,9}[\"'])(?P<names>[^\[\](){}]{4,300})[\])]\s{0,9},\s{0,9}[\[(]")
_DEFINED = re.compile(
    r"\bdef (?P<function>\w{2,60})\((?P<parameters>[^()]{3,300})\)|(?P<tuple>\w{1,60}) ?= ?namedtuple\([\"']\w{1,60}[\"'], ?"
    r"[\[(]?(?P<fields>[\"'][^()\[\]\n]{3,300})"
)
_PARAMETER = re.compile(r"[A-Za-z_]\w{0,60}(?=[ ]{0,4}(?:[:=,]|$|[\"' ]))")
_MOST_DEFINITIONS = 40


def by_pairing(text: str) -> Iterator[Secret]:
    """Literals whose names stand in another list."""
    if "(" not in text:
        return
    for match in _TEMPLATE.finditer(text):
        yield from of_kinds(_holes(match["template"]), arguments_at(text, match.end()))
    for match in _LISTS.finditer(text):
        names = [name.strip(" \n\"'") for name in match["names"].split(",")]
        if any(kinds := [kind_of(name) for name in names]):
            values = arguments_at(text, match.end())
            yield from of_kinds(kinds, values) if len(values) == len(names) else ()
    yield from _by_signature(text)
    yield from _in_inserts(text)
    yield from _in_frames(text)


def _holes(template: str) -> list[Kind | None]:
    """Kind of each hole of a template, by the name before it or its place in a URL (``//{}:{}@``)."""
    return [
        "PASSWORD" if hole["after"] and hole["sep"] == ":" else kind_of(hole["name"]) if hole["sep"] else None
        for hole in _HOLE.finditer(template)
    ]


def _by_signature(text: str) -> Iterator[Secret]:
    """Positional arguments of calls whose signature the text defines."""
    for match in list(_DEFINED.finditer(text))[:_MOST_DEFINITIONS]:
        name = match["function"] or match["tuple"]
        if match["function"]:
            names = [
                parameter.strip(" \n*").split(":")[0].split("=")[0] for parameter in match["parameters"].split(",")
            ]
        else:
            names = _PARAMETER.findall(match["fields"])
        kinds = [kind_of(each) for each in names if each != "self"]
        if not any(kinds):
            continue
        for call in re.finditer(rf"(?<![\w.])(?<!def ){re.escape(name)}\(", text):
            yield from of_kinds(kinds, arguments_at(text, call.end()))


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
            yield from of_kinds(kinds, arguments_at(text, at + 1))
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
            yield from of_kinds(columns, arguments_at(text, row.end()))


_NEXT_ROW = re.compile(r"\)\s{0,9},\s{0,9}\(")
