r"""Cuts a cell into logical lines while it is written.

A *logical line* is what Python's own tokenizer means by it: a line with everything that belongs to it by an open
bracket, an open triple quote or a backslash (Python reference, "Lexical analysis", 2.1.2). Nothing is looked at before
its physical line is complete, and each physical line is looked at once, so that the cost is linear and a small delta
costs next to nothing. What does not lex (a quote never closed) ends with its line; an open bracket gives way to a line
that can only begin a statement.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from msgspec import Struct

Kind = Literal["code", "shell", "magic", "script"]

_PIECE: Final = re.compile(
    r'"""|\'\'\''
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    r"|[\"']|\#.*|[()\[\]{}]|\\$"
)
_TRIPLE_END: Final = {
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*?"""', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*?'''", re.DOTALL),
}
_QUOTE_END: Final = {'"': re.compile(r'(?:[^"\\]|\\.)*"'), "'": re.compile(r"(?:[^'\\]|\\.)*'")}
_PLAIN: Final = re.compile(r"[^\"'#()\[\]{}\\]*\Z")
_ONLY_STATEMENT: Final = re.compile(r"(?:def|class|import|return|with|while|try|raise|@\w|from\s+[\w.]+\s+import)\b")
_ASSIGNED_MAGIC: Final = re.compile(r"\s*[A-Za-z_][\w.,\s]*=\s*([!%])(?=[A-Za-z_.~/$!{\s])")
_HELP: Final = re.compile(r"\s*[%\w.*\[\]'\"]+\?{1,2}\s*$|\s*\?{1,2}[%\w.*]+\s*$")
_PROSE: Final = re.compile(r"\s*(?:[:@]\w+(?: +\w+)?:\s|>>> |``|[A-Za-z][\w'-]*(?:,? [\w'`-]+){2,})")
_KEYWORD: Final = re.compile(
    r"\s*(?:if|for|while|with|from|import|return|assert|async|not|lambda|elif|except|raise|del|global|print|yield)\b"
)
_CELL_MAGIC: Final = re.compile(r"%%\s*(\w+)(.*)")

SHELL_CELLS: Final = frozenset({"bash", "sh", "script", "system", "sx", "cmd", "!", "zsh", "powershell"})
PYTHON_CELLS: Final = frozenset(
    {"time", "timeit", "capture", "prun", "python", "python3", "pypy", "debug", "memit", "mprun", "lprun", "snakeviz"}
)


class LogicalLine(Struct, frozen=True):
    """One logical line. ``number`` counts from 1; ``kind`` is ``code``, ``shell`` (``!cmd``, a line of ``%%bash``),
    ``magic`` (``%name …``) or ``script`` (a line of another cell magic). ``code`` ends before a trailing comment."""

    text: str
    number: int
    kind: Kind
    indent: int
    comment: str
    header: bool
    height: int = 1


class Lexer:
    """``feed`` gives the logical lines that a piece of text completes; ``flush`` gives the rest at the cell's end."""

    def __init__(self, *, inside: str = "") -> None:
        self._history: list[str] = []
        self._inside = inside
        self._waiting: list[str] = []
        self._lines: list[str] = []
        self._comments: list[str] = []
        self._number = 0
        self._start = 0
        self._depth = 0
        self._string = inside
        self._continued = False
        self._last = ""
        self._cell: Kind = "code"
        self._begun = False
        self._kind_of_open: Kind = "code"

    def feed(self, text: str) -> list[LogicalLine]:
        """Take in the next piece of the cell's text."""
        if "\n" not in text:
            self._waiting.append(text)
            return []
        first, *rest = text.split("\n")
        self._waiting.append(first)
        rest.insert(0, "".join(self._waiting))
        self._waiting = [rest.pop()]
        found: list[LogicalLine] = []
        for line in rest:
            self._physical(line[:-1] if line.endswith("\r") else line, found)
        return found

    def flush(self) -> list[LogicalLine]:
        """The cell has ended: judge what is there, complete or not."""
        found: list[LogicalLine] = []
        last = "".join(self._waiting)
        self._waiting = []
        if last:
            self._physical(last.removesuffix("\r"), found)
        unclosed = (self._string if len(self._string) == 3 else self._prose()) if not self._inside else ""
        self._emit(found)
        if unclosed:
            found += self._again(unclosed)
        return found

    def _prose(self) -> str:
        """The quote that closes a docstring in which the text began: its first line is prose, and a bare quote follows."""
        first = next((line for line in self._history[:5] if line.strip()), "")
        if not _PROSE.match(first) or _KEYWORD.match(first):
            return ""
        return next((line.strip() for line in self._history[:60] if line.strip() in _TRIPLE_END), "")

    def _again(self, quote: str) -> list[LogicalLine]:
        """A triple quote that is never closed: perhaps the text began inside a docstring. Read it that way too."""
        other = Lexer(inside=quote)
        found = other.feed("\n".join(self._history))
        return (found + other.flush())[1:]

    def _physical(self, line: str, found: list[LogicalLine]) -> None:
        self._number += 1
        self._history.append(line)
        if self._lines:
            if self._depth and not self._string and _ONLY_STATEMENT.match(line.lstrip()):
                self._emit(found)
            elif self._kind_of_open != "code":
                self._whole(line, found)
                return
        if not self._lines and not self._string:
            if not line or line.isspace():
                return
            if self._special(line, found):
                return
        self._append(line)
        self._continued = False
        if _PLAIN.match(line) and not self._string:
            self._last = line.rstrip()
            if not self._depth:
                self._emit(found)
            return
        self._lex(line)
        if not (self._depth or self._string or self._continued):
            self._emit(found)

    def _special(self, line: str, found: list[LogicalLine]) -> bool:
        """Lines that are not Python: cell magics and their bodies, ``!cmd``, ``%magic``, ``x = !cmd``, ``name?``."""
        stripped = line.lstrip()
        if not self._begun:
            self._begun = True
            if stripped.startswith("%%"):
                self._begin_cell_magic(stripped, line, found)
                return True
        if self._cell != "code":
            self._open(self._cell, line, found)
            return True
        first = stripped[0]
        if first in "!%":
            self._open("shell" if first == "!" else "magic", line, found)
            return True
        if first == "?" or line.endswith("?"):
            return _HELP.match(line) is not None
        if ("= !" in line or "=!" in line or "= %" in line or "=%" in line) and (match := _ASSIGNED_MAGIC.match(line)):
            self._open("shell" if match[1] == "!" else "magic", " " * match.start(1) + line[match.start(1) :], found)
            return True
        return False

    def _begin_cell_magic(self, stripped: str, line: str, found: list[LogicalLine]) -> None:
        match = _CELL_MAGIC.match(stripped)
        name = match[1] if match else ("!" if stripped.startswith("%%!") else "")
        rest = match[2].strip() if match else ""
        python_file = name in ("writefile", "file") and rest.endswith(".py")
        if name in SHELL_CELLS and not (name == "script" and rest.startswith("python")):
            self._cell = "shell"
        elif name not in PYTHON_CELLS and not python_file and name != "script":
            self._cell = "script"
        self._whole(line, found, "magic")

    def _open(self, kind: Kind, line: str, found: list[LogicalLine]) -> None:
        self._kind_of_open = kind
        self._whole(line, found, kind)

    def _whole(self, line: str, found: list[LogicalLine], kind: Kind | None = None) -> None:
        """A line that is not lexed; only a backslash at its end carries it on."""
        self._kind_of_open = kind or self._kind_of_open
        self._append(line)
        self._continued = line.endswith("\\") and self._kind_of_open != "script"
        if not self._continued:
            self._emit(found)

    def _append(self, line: str) -> None:
        if not self._lines:
            self._start = self._number
        self._lines.append(line)

    def _lex(self, line: str) -> None:
        position = 0
        if self._string:
            end = (_TRIPLE_END.get(self._string) or _QUOTE_END[self._string]).match(line)
            if end is None:
                if len(self._string) == 1 and not line.endswith("\\"):
                    self._string = ""
                return
            position, self._string = end.end(), ""
        last = line
        while piece := _PIECE.search(line, position):
            found, position = piece[0], piece.end()
            if found[0] == "#":
                self._comments.append(found)
                last = line[: piece.start()]
                break
            if found in _TRIPLE_END:
                end = _TRIPLE_END[found].match(line, position)
                if end is None:
                    self._string = found
                    return
                position = end.end()
            elif len(found) == 1 and self._mark(found, line):
                return
        self._last = last.rstrip()

    def _mark(self, found: str, line: str) -> bool:
        """A bracket, a backslash at the end, or a quote that its line doesn't close: True when a string goes on."""
        if found in "([{":
            self._depth += 1
        elif found in ")]}":
            self._depth = max(0, self._depth - 1)
        elif found == "\\":
            self._continued = True
        elif line.endswith("\\"):
            self._string = found
            return True
        return False

    def _emit(self, found: list[LogicalLine]) -> None:
        if not self._lines:
            return
        lines = self._lines
        text = lines[0] if len(lines) == 1 else "\n".join(lines)
        stripped = text.lstrip()
        only_comment = stripped.startswith("#") and self._kind_of_open == "code"
        if not only_comment or "spark:" in stripped:
            comment = "" if not self._comments else "\n".join(self._comments)
            if self._kind_of_open != "code" and "#" in text:
                comment = text[text.index("#") :]
            indent = len(text) - len(stripped)
            header = self._last.endswith(":") and self._kind_of_open == "code"
            found.append(LogicalLine(text, self._start, self._kind_of_open, indent, comment, header, len(lines)))
        self._lines = []
        self._comments = []
        self._depth = 0
        self._string = ""
        self._continued = False
        self._last = ""
        self._kind_of_open = "code"
