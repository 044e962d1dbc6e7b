r"""Incremental lexer: text of a cell in, logical lines out.

A *logical line* is what Python's own tokenizer means by it: a line with everything that belongs to it by an open
bracket, an open triple quote or a backslash (Python reference, "Lexical analysis", 2.1.2). Nothing is looked at before
its physical line is complete, and each physical line is looked at once, so that the cost is linear and a small delta
costs next to nothing. A quote that its line does not close ends the logical line, brackets and all, unless the next line
shows that a string was broken in two; an open bracket gives way to a line that can only begin a statement.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from msgspec import Struct

from spark_jupyter.source.invisible_text import hidden
from spark_jupyter.source.ipython_lines import (
    LINE_BREAKS,
    Body,
    cell_magic,
    escape,
    has_prompt,
    held_python,
    without_prompt,
)
from spark_jupyter.source.strings import TRIPLE, read, runs_on

Kind = Literal["code", "shell", "magic", "cell", "help", "call", "script"]
_SHELL_CELL: Final = re.compile(r"\s*%sh(?:\s|$)")
"""First line of a cell that Databricks gives to a shell; IPython has no line magic of this name."""

_PLAIN: Final = re.compile(r"[^\"'#()\[\]{}\\]*\Z")
_ONLY_STATEMENT: Final = re.compile(r"\s*(?:def|class|import|return|with|while|try|raise|from\s+[\w.]+\s+import)\b|@\w")
_PROSE: Final = re.compile(r"\s*(?:[:@]\w+(?: +\w+)?:\s|>>> |``|[A-Za-z][\w'-]*(?:,? [\w'`-]+){2,})")
_KEYWORD: Final = re.compile(
    r"\s*(?:if|for|while|with|from|import|return|assert|async|not|lambda|elif|except|raise|del|global|print|yield)\b"
)


class LogicalLine(Struct, frozen=True):
    """One logical line. ``number`` counts from 1. ``kind`` is ``code``, ``shell`` (``!cmd``, a line of ``%%bash``), ``magic``
    (``%name …``), ``cell`` (``%%name …``), ``help``, ``call`` (``;f a``) or ``script`` (a line of another cell magic). ``header``:
    its code, without a trailing comment, ends with a colon. An IPython line begins at ``start`` in its text, behind its ``targets``."""

    text: str
    number: int
    kind: Kind
    indent: int
    comment: str
    header: bool
    height: int = 1
    start: int = 0
    targets: str = ""

    @property
    def escaped(self) -> str:
        """Text of an IPython line, without its assignment."""
        return self.text[self.start :]

    @property
    def held(self) -> str:
        """Python inside an IPython line (``%time x = f()``), or nothing."""
        return held_python(self.escaped) if self.kind in ("magic", "cell", "call") else ""

    @property
    def python(self) -> str:
        """Python that can replace the line, with as many lines and the same names bound."""
        if self.kind == "code":
            return self.text
        binding = f"{self.targets} = get_ipython().getoutput('')" if self.targets else ""
        instead = "; ".join(part for part in (self.held, binding) if part) or "pass"
        return self.text[: self.indent] + instead + "\n" * (self.height - 1)


class Lexer:
    """``feed`` gives the logical lines that a piece of text completes; ``flush`` gives the rest at the cell's end.

    ``inside`` is the delimiter of a string in which the text begins.
    """

    def __init__(self, *, inside: str = "") -> None:
        self._history: list[str] = []
        self._inside = inside
        self._unclosed = ""
        self._waiting: list[str] = []
        self._lines: list[str] = []
        self._comments: list[str] = []
        self._number = 0
        self._start = 0
        self._depth = 0
        self._string = inside
        self._continued = False
        self._broken = ""
        self._last = ""
        self._body: Body = "here"
        self._begun = False
        self._kind: Kind = "code"
        self._escape = (0, "")
        self._returned = False
        self._prompted = False
        self._cut = False

    def feed(self, text: str) -> list[LogicalLine]:
        if "\r" in text or (self._returned and text):
            text = self._plain(text)
        if "\n" not in text:
            self._waiting.append(text)
            return []
        first, *rest = text.split("\n")
        self._waiting.append(first)
        rest.insert(0, "".join(self._waiting))
        self._waiting = [rest.pop()]
        found: list[LogicalLine] = []
        for line in rest:
            self._physical(line, found)
        return found

    def _plain(self, text: str) -> str:
        """Normalise line ends as Python does, also if a piece ends inside one."""
        text = text[1:] if self._returned and text.startswith("\n") else text
        self._returned = text.endswith("\r")
        # IPython continues a line of its own at a backslash and a newline alone
        self._cut = self._cut or "\\\r" in text
        return plain(text)

    @property
    def begun(self) -> str:
        """First physical line of the unfinished logical line, or nothing."""
        return self._lines[0] if self._lines else ""

    def flush(self) -> list[LogicalLine]:
        """Return the rest at the end of the cell, complete or not."""
        found: list[LogicalLine] = []
        last = "".join(self._waiting)
        self._waiting = []
        if last:
            self._physical(last, found)
        self._unclosed = self._string if self._string in TRIPLE else ""
        self._emit(found)
        return found

    def otherwise(self) -> list[LogicalLine]:
        """Alternative lines of a text that seems to have begun inside a docstring; else none.

        A triple quote that is never closed says so, and prose that comes before the first bare one.
        """
        quote = "" if self._inside else self._unclosed or self._closes_prose()
        if not quote:
            return []
        other = Lexer(inside=quote)
        return [*other.feed("\n".join(self._history)), *other.flush()][1:]

    def _closes_prose(self) -> str:
        first = next((line for line in self._history[:5] if line.strip()), "")
        if not _PROSE.match(first) or _KEYWORD.match(first):
            return ""
        return next((line.strip() for line in self._history[:60] if line.strip() in TRIPLE), "")

    def _physical(self, line: str, found: list[LogicalLine]) -> None:
        self._number += 1
        self._history.append(line)
        if not self._string and (self._prompted or ">>>" in line or "In [" in line):
            self._prompted = self._prompted or has_prompt(line)
            line = without_prompt(line) if self._prompted else line
        if self._broken:
            if runs_on(self._broken, line):
                self._string = self._broken
            else:
                self._emit(found)
            self._broken = ""
        if self._lines:
            if self._depth and not self._string and _ONLY_STATEMENT.match(line):
                self._emit(found)
            elif self._kind != "code":
                self._whole(line, found)
                return
        begins = not self._lines and not self._string
        if begins and (not line or line.isspace() or self._foreign(line, found)):
            return
        self._append(line)
        if not self._string and _PLAIN.match(line):
            self._continued = False
            self._last = line.rstrip()
            if not self._depth:
                self._emit(found)
            return
        end = read(line, self._string, self._depth)
        self._string, self._depth, self._continued = end.carried, end.depth, end.continued
        if end.comment:
            self._comments.append(end.comment)
        self._last = end.code
        self._broken = end.string if not end.carried else ""
        if not (self._broken or self._depth or self._string or self._continued):
            self._emit(found)

    def _foreign(self, line: str, found: list[LogicalLine]) -> bool:
        """Read a line that is not Python: of a cell magic or its body, or one of IPython's own."""
        if not self._begun:
            magic = cell_magic(line)
            self._begun = magic is None or magic.body != "here"  # %%capture may have %%time in it
            if magic is not None:
                self._body = magic.body
                self._open("cell", line, found)
                return True
            if self._begun and _SHELL_CELL.match(line):
                self._body = "shell"
                self._open("magic", line, found)
                return True
        if self._body in ("shell", "other"):
            self._open("shell" if self._body == "shell" else "script", line, found)
            return True
        own = escape(line)
        if own is None:
            return False
        self._escape = (own.start, own.targets)
        self._open(own.kind, line, found)
        return True

    def _open(self, kind: Kind, line: str, found: list[LogicalLine]) -> None:
        self._kind = kind
        self._whole(line, found)

    def _whole(self, line: str, found: list[LogicalLine]) -> None:
        """Read a line without lexing it; only a backslash at its end continues it."""
        self._append(line)
        self._continued = line.endswith("\\") and not self._cut and self._kind not in ("script", "help", "cell")
        if not self._continued:
            self._emit(found)

    def _append(self, line: str) -> None:
        if not self._lines:
            self._start = self._number
        self._lines.append(line)

    def _emit(self, found: list[LogicalLine]) -> None:
        if not self._lines:
            return
        lines, kind = self._lines, self._kind
        text = lines[0] if len(lines) == 1 else "\n".join(lines)
        stripped = text.lstrip()
        if (
            kind != "code"
            or not stripped.startswith("#")
            or "spark:" in stripped
            or hidden(stripped)
            or LINE_BREAKS.search(text)
        ):
            comment = "" if not self._comments else "\n".join(self._comments)
            if kind != "code" and "#" in text:
                comment = text[text.index("#") :]
            start, targets = self._escape
            found.append(
                LogicalLine(
                    text,
                    self._start,
                    kind,
                    len(text) - len(stripped),
                    comment,
                    kind == "code" and self._last.endswith(":"),
                    len(lines),
                    start,
                    targets,
                )
            )
        self._lines = []
        self._comments = []
        self._depth = 0
        self._string = ""
        self._continued = False
        self._broken = ""
        self._last = ""
        self._kind = "code"
        self._escape = (0, "")


def plain(text: str) -> str:
    """Normalise line ends as Python does: a carriage return alone is one too, and ends a comment."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def logical_lines(source: str) -> list[LogicalLine]:
    lexer = Lexer()
    return [*lexer.feed(source), *lexer.flush()]


def python_only(source: str) -> str:
    """Replace each line of IPython or another language by Python; no line moves."""
    lines = plain(source).split("\n")
    for line in logical_lines(source):
        if line.kind != "code":
            lines[line.number - 1 : line.number - 1 + line.height] = line.python.split("\n")
    return "\n".join(lines)
