"""Failures and repairs, as values, and the reader of tracebacks."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from rapidfuzz import fuzz, process

from spark_jupyter.server.engines import rewrite
from spark_jupyter.server.engines.namespace import Namespace
from spark_jupyter.source.python_parser import tree_of
from spark_jupyter.source.splices import Positions, Splice

KNOWN: dict[str, Any] = tomllib.loads(Path(__file__).with_name("known_names.toml").read_text(encoding="utf-8"))
"""Names of modules, packages and attributes."""
_TYPE = re.compile(
    r"^(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Iteration|Exit|Warning))(?::\s?(?P<message>.*))?$"
)
_FRAMES = (
    re.compile(r"Cell In\s*\[\d+\],? line (?P<line>\d+)"),
    re.compile(r"^-+>\s*(?P<line>\d+)\b"),
    re.compile(
        r'File "(?:<ipython-input[^"]*|<cell[^"]*|<string>|[^"]*ipykernel[^"]*|[^"]*ipython[^"]*)", line (?P<line>\d+)'
    ),
    re.compile(r"Input In \[\d+\], in .*?\(\)|line (?P<line>\d+), in <(?:cell line|module)"),
)


class Failure(Struct, frozen=True, kw_only=True):
    """An error and the code that raised it. ``line`` is the line of ``source`` where it was raised (1-based, 0: not known);
    ``earlier`` are the sources of the other cells."""

    type: str
    message: str
    source: str = ""
    line: int = 0
    namespace: Namespace = Namespace()
    earlier: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The line that failed; the whole source where it is not known."""
        lines = self.source.split("\n")
        return lines[self.line - 1] if 0 < self.line <= len(lines) else self.source

    def tree(self) -> ast.Module | None:
        """The source's tree, None where it does not parse (lines with magics are left out)."""
        return tree_of(re.sub(r"(?m)^(\s*)[%!]", r"\1#", self.source))

    def walk(self) -> Iterator[ast.AST]:
        """All nodes of the source; none where it does not parse."""
        tree = self.tree()
        return ast.walk(tree) if tree else iter(())

    def nodes(self) -> Iterator[ast.AST]:
        """The nodes on the line that failed; all of them where it is not known."""
        for node in self.walk():
            first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
            if not self.line or first <= self.line <= last:
                yield node

    def calls(self, *methods: str) -> Iterator[tuple[ast.Call, ast.Attribute]]:
        """The calls of these methods, each with the attribute that is called."""
        for node in self.walk():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods:
                yield node, node.func

    def assignments(self) -> Iterator[tuple[str, ast.expr]]:
        """The names that are assigned to, each with the value."""
        for node in self.walk():
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield node.targets[0].id, node.value

    def all_nodes(self) -> Iterator[ast.AST]:
        """The nodes of this cell and then of the other cells; a cell that does not parse has none."""
        for source in (self.source, *self.earlier):
            tree = tree_of(source)
            yield from ast.walk(tree) if tree is not None else ()

    def segment(self, node: ast.AST) -> str:
        return self.source[slice(*Positions(self.source).span(node))]

    def replaced(self, node: ast.AST, text: str) -> str:
        """The source with ``text`` in a node's place."""
        return rewrite.apply_spans(self.source, [Splice(*Positions(self.source).span(node), text)])


class Repair(Struct, frozen=True):
    """``says`` tells what was wrong. ``source`` is the repaired cell; None where there is only advice. ``extra`` is a cell
    to run besides it."""

    says: str
    source: str | None = None
    extra: str | None = None


def read_failure(
    text: str, *, source: str = "", namespace: Namespace | None = None, earlier: Iterable[str] = ()
) -> Failure | None:
    """The failure that a traceback's text tells of, None when it tells of none."""
    found: re.Match[str] | None = None
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).strip().split("\n")
    for line in lines:
        found = _TYPE.match(line.strip()) or found
    if found is None:
        return None
    at = 0
    for line in lines:
        for pattern in _FRAMES:
            match = pattern.search(line)
            if match and match["line"]:
                number = int(match["line"])
                at = number if number <= source.count("\n") + 1 else at
    return Failure(
        type=found["type"].rpartition(".")[2],
        message=(found["message"] or "").strip(),
        source=source,
        line=at if source else 0,
        namespace=namespace or Namespace(),
        earlier=tuple(earlier),
    )


def nearest(name: str, others: Iterable[str], *, least: float = 75.0) -> str | None:
    """The one of ``others`` that ``name`` is most likely a mistake for, or None."""
    candidates = [other for other in dict.fromkeys(others) if other != name]
    for other in candidates:
        if other.lower() == name.lower():
            return other
    found = process.extractOne(name, candidates, scorer=fuzz.ratio, score_cutoff=least)
    return str(found[0]) if found else None


def quoted_names(message: str) -> list[str]:
    """The texts in single quotes in an error's message."""
    return re.findall(r"'([^']+)'", message)


def with_import(source: str, line: str) -> str:
    """The source with an import before its first statement, after magics, comments, docstring and future imports."""
    lines = source.split("\n")
    at = 0
    while at < len(lines) and (not lines[at].strip() or re.match(r"\s*[%!#]|from __future__", lines[at])):
        at += 1
    if at < len(lines) and lines[at].startswith("%%"):
        at += 1
    before = "\n".join(lines[:at])
    after = "\n".join(lines[at:])
    return "\n".join(part for part in (before, line, after) if part)
