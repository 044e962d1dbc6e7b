"""Credentials in blocks whose heading announces them.

``kind: Secret`` in YAML, ``variable "db_password" { default = … }`` in HCL, a table of HTML with a column of passwords. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.redaction.credential_values import if_secret, of_literals
from spark_jupyter.redaction.placeholders import is_placeholder
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.string_literals import joined_at
from spark_jupyter.source.credential_names import WORDS, kind_of

_MANIFEST = re.compile(r"^kind: {1,4}(?:Secret|SealedSecret)[ \t]*$", re.M)
_DOCUMENT_ENDS = re.compile(r"^---", re.M)
_DATA = re.compile(
    r"^(?P<indent> {0,20})(?:data|stringData):[ \t]*\n(?P<body>(?:(?P=indent) {1,8}[^\n]{0,2000}(?:\n|$)){1,100})", re.M
)
_ENTRY = re.compile(
    r"^ {1,28}[\w.\-]{1,80}: {1,4}(?P<quote>[\"']?)(?P<value>[^\s\"'{|>][^\n\"']{2,1900})(?P=quote)[ \t]*$", re.M
)

_VARIABLE = re.compile(
    r"\b(?:variable|resource|output|local)[ \t]{1,4}(?:\"\w{1,60}\"[ \t]{1,4})?\"(?P<name>[\w\-]{2,80})\"[ \t]{0,4}"
    r"\{(?P<body>[^{}]{1,2000})\}"
)
_DEFAULT = re.compile(r"^[ \t]{0,20}(?:default|value)[ \t]{0,20}=[ \t]{0,4}(?=\")", re.M)

_TABLE = re.compile(r"<t[rh]\b", re.I)
_HTML_ROW = re.compile(r"<tr\b[^>]{0,200}>(?P<cells>.{0,8000}?)</tr", re.I | re.S)
_HTML_CELL = re.compile(r"<t[hd]\b[^>]{0,200}>\s{0,80}(?P<value>[^<]{0,400}?)\s{0,80}</t[hd]", re.I)


def in_blocks(text: str) -> Iterator[Secret]:
    """Credentials below the heading of a block."""
    if "Secret" in text:
        yield from _in_manifests(text)
    if "{" in text:
        yield from _in_variables(text)
    if "<" in text and _TABLE.search(text):
        yield from _in_html_tables(text)


def _in_manifests(text: str) -> Iterator[Secret]:
    """Data of a Kubernetes Secret, before or after its kind in the same document."""
    ends = [match.start() for match in _DOCUMENT_ENDS.finditer(text)]
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        if not _MANIFEST.search(text, start, end):
            continue
        for data in _DATA.finditer(text, start, end):
            for entry in _ENTRY.finditer(text, *data.span("body")):
                if not is_placeholder(entry["value"]):
                    yield Secret(*entry.span("value"), "SECRET", WORDS["SECRET"])


def _in_variables(text: str) -> Iterator[Secret]:
    for block in _VARIABLE.finditer(text):
        kind = kind_of(block["name"])
        for default in _DEFAULT.finditer(text, *block.span("body")) if kind else ():
            yield from of_literals(joined_at(text, default.end())[:1], kind) if kind else ()


def _in_html_tables(text: str) -> Iterator[Secret]:
    """Cells below a heading that names a credential."""
    kinds = []
    for row in _HTML_ROW.finditer(text):
        cells = list(_HTML_CELL.finditer(text, *row.span("cells")))
        named = [kind_of(cell["value"]) if cell["value"] else None for cell in cells]
        if any(named):
            kinds = named
            continue
        for kind, cell in zip(kinds, cells, strict=False):
            if kind:
                yield from if_secret(*cell.span("value"), cell["value"], kind)
