"""Check of whole files for the command line.

A text is judged as a file, or as it would stream.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from spark_jupyter.guardrail.code_files import Piece, pieces
from spark_jupyter.guardrail.scanner import Scanner, asides
from spark_jupyter.guardrail.severities import DEFAULT, Policy
from spark_jupyter.guardrail.syntax_check import check_language, check_syntax
from spark_jupyter.guardrail.taint_state import Context
from spark_jupyter.protocol.values import Aside, Finding
from spark_jupyter.source.lexer import Lexer

_TOKEN: Final = re.compile(r" ?[A-Za-z_]{1,6}|\d{1,3}| +|\r?\n|[^\sA-Za-z_\d]|\s")


class Location(Struct, frozen=True):
    """Place of a finding: the file as given, the cell (``cell 3``, ``script``), and the line in that cell or script."""

    path: str
    piece: str
    line: int

    def __str__(self) -> str:
        place = "" if self.piece == "script" else f" ({self.piece})"
        return f"{self.path}:{self.line}{place}"


class Streamed(Struct, frozen=True):
    """A finding of a streamed text; ``delay`` is the number of tokens since the end of its logical line."""

    finding: Finding
    delay: int
    token: int


class StreamReport(Struct, frozen=True):
    """Cost of checking a streamed text: microseconds per token (mean and 99th percentile), and its findings in order."""

    findings: tuple[Streamed, ...]
    tokens: int
    mean_us: float
    p99_us: float


def check_pieces(found: list[Piece], *, path: str = "", policy: Policy = DEFAULT) -> list[tuple[Location, Finding]]:
    """Check the pieces of one file in order; each knows the cells before it."""
    context = Context()
    result: list[tuple[Location, Finding]] = []
    for piece in found:
        scanner = Scanner(context, policy=policy)
        findings = scanner.feed(piece.source) + scanner.flush()
        if not (piece.warn_only or piece.foreign):
            what = "script" if piece.name == "script" else "cell"
            unread = (check_syntax(piece.source, what=what), check_language(piece.source, policy))
            findings = sorted([*findings, *filter(None, unread)], key=lambda one: one.line)
        if not piece.warn_only:
            context = scanner.context
        for finding in findings:
            line = finding.line + piece.first_line - 1
            severity = "warn" if piece.warn_only and finding.blocks else finding.severity
            result.append(
                (Location(path, piece.name, line), msgspec.structs.replace(finding, line=line, severity=severity))
            )
    return result


def asides_of(found: list[Piece], *, path: str = "") -> list[tuple[Location, Aside]]:
    """Collect the asides of the pieces of one file, in order."""
    return [
        (Location(path, piece.name, line), msgspec.structs.replace(aside, line=line))
        for piece in found
        for aside in asides(piece.source)
        for line in [aside.line + piece.first_line - 1]
    ]


def check_text(text: str, *, path: str = "", policy: Policy = DEFAULT) -> list[tuple[Location, Finding]]:
    """The findings in the text of a .py, .ipynb or .md file, in order. ``path`` is its name; nothing is read.

    Raises ValueError where a .ipynb is no notebook.
    """
    return check_pieces(pieces(text, path=path), path=path, policy=policy)


def tokens(text: str) -> list[str]:
    """Pieces of about four characters, like a model's tokens; together they are the text."""
    return _TOKEN.findall(text)


def stream_report(
    source: str, *, clock: Callable[[], float], context: Context | None = None, policy: Policy = DEFAULT
) -> StreamReport:
    """Feed a cell token by token. ``clock`` gives seconds."""
    scanner, lexer = Scanner(context, policy=policy), Lexer()
    ended: dict[int, int] = {}
    times: list[float] = []
    found: list[Streamed] = []
    index = -1
    for index, token in enumerate(tokens(source)):
        begin = clock()
        findings = scanner.feed(token)
        times.append((clock() - begin) * 1e6)
        for line in lexer.feed(token):
            ended.update(dict.fromkeys(range(line.number, line.number + line.height), index))
        found += [Streamed(finding, index - ended.get(finding.line, index), index) for finding in findings]
    begin = clock()
    found += [Streamed(finding, 0, index + 1) for finding in scanner.flush()]
    times.append((clock() - begin) * 1e6)
    ordered = sorted(times)
    return StreamReport(tuple(found), len(times) - 1, sum(times) / len(times), ordered[int((len(ordered) - 1) * 0.99)])
