"""Cuts a cell into its top-level statements while it is written, IPython's own lines apart.

Every character is looked at once. A statement is given out as soon as it is certain that it is complete: a simple one at
the end of its last line, a compound one when the next statement begins.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKENS = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<triple>[rRbBuUfF]{0,3}(?:\"\"\"|'''))|"""
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<open>[(\[{])|(?P<close>[)\]}])""",
    re.DOTALL,
)
_ENDS = {
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*"""', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*'''", re.DOTALL),
}
_COMPOUND = re.compile(r"(?:async\s+)?(?:if|for|while|with|try|def|class)\b|@")
_GOES_ON = re.compile(r"(?:else|elif|except|finally)\b")
_MAGIC = re.compile(r"[ \t]*(?:[%!?]|[\w.]*\?\??\s*$)")
_ASSIGNED_MAGIC = re.compile(r"[ \t]*([\w, ]+?)\s*=\s*(?:!|%[a-zA-Z_])")
_PYTHON_MAGIC = re.compile(r"[ \t]*%(?:time|timeit|prun|memit|mprun|lprun)[ \t]+(?:-[a-zA-Z]\s*\d*[ \t]+)*")
PYTHON_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit", "spark_check"})


class Statement(NamedTuple):
    """A piece of a cell: ``text`` from line ``line`` (1-based) on. ``magic`` is the kind of an IPython line: the names that
    it assigns, or ``"line"``; "" for Python."""

    text: str
    line: int
    magic: str = ""


class Splitter:
    """``feed`` text and get statements; ``flush`` gives the rest."""

    def __init__(self) -> None:
        self._rest = ""
        self._lines: list[str] = []
        self._first = 1
        self._next = 1
        self._depth = 0
        self._triple = ""
        self._backslash = False
        self._compound = False
        self._decorated = False
        self._foreign = False

    def feed(self, text: str) -> list[Statement]:
        """The statements that are complete now."""
        if "\n" not in text:
            self._rest += text
            return []
        *lines, rest = (self._rest + text).split("\n")
        self._rest = rest
        found: list[Statement] = []
        for line in lines:
            found += self._line(line)
        return found

    def flush(self) -> list[Statement]:
        """What is left when the text ends."""
        found = self._line(self._rest) if self._rest.strip() else []
        self._rest = ""
        return found + self._finish()

    def _line(self, line: str) -> list[Statement]:
        number = self._next
        self._next += 1
        if self._foreign:
            return []
        if number == 1 and line.startswith("%%"):
            self._foreign = line[2:].split(" ")[0].strip() not in PYTHON_CELL_MAGICS
            return [Statement(line, number, "cell")]
        if self._triple or self._depth or self._backslash:
            self._take(line)
            return self._finish() if self._complete() else []
        blank = not line.strip() or line.lstrip().startswith("#")
        inside = self._lines and (blank or line[:1] in " \t" or _GOES_ON.match(line) or self._decorated)
        if inside:
            self._take(line)
            return self._finish() if self._complete() else []
        found = self._finish()
        if blank:
            return found
        return found + self._begin(line, number)

    def _begin(self, line: str, number: int) -> list[Statement]:
        assigned = _ASSIGNED_MAGIC.match(line)
        if assigned:
            return [Statement(line, number, assigned[1])]
        python = _PYTHON_MAGIC.match(line)
        if python:
            line = line[python.end() :]
        elif _MAGIC.match(line):
            return [Statement(line, number, "line")]
        self._first = number
        self._compound = bool(_COMPOUND.match(line))
        self._take(line)
        return self._finish() if self._complete() else []

    def _take(self, line: str) -> None:
        at_top = not (self._triple or self._depth or self._backslash)
        magic = at_top and bool(self._lines) and _MAGIC.match(line)
        if magic:
            # inside an `if`: the line must stay a statement for the block to parse
            indent = line[: len(line) - len(line.lstrip())]
            line = indent + "pass"
        self._lines.append(line)
        if at_top and line[:1] not in " \t#" and line.strip():
            self._decorated = line.startswith("@")
        code_end = self._scan(line)
        if at_top and code_end.endswith(":"):
            self._compound = True
        self._backslash = not self._triple and line.endswith("\\")

    def _scan(self, line: str) -> str:
        """Follow brackets and strings through a line; the line's code without its comment."""
        position = 0
        if self._triple:
            end = _ENDS[self._triple].match(line)
            if end is None:
                return ""
            self._triple = ""
            position = end.end()
        code = line
        while True:
            match = _TOKENS.search(line, position)
            if match is None:
                return code.rstrip()
            position = match.end()
            if match["comment"]:
                return line[: match.start()].rstrip()
            if match["triple"]:
                quotes = match["triple"][-3:]
                end = _ENDS[quotes].match(line, position)
                if end is None:
                    self._triple = quotes
                    return ""
                position = end.end()
            elif match["open"]:
                self._depth += 1
            elif match["close"]:
                self._depth = max(0, self._depth - 1)

    def _complete(self) -> bool:
        return not (self._triple or self._depth or self._backslash or self._compound or self._decorated)

    def _finish(self) -> list[Statement]:
        lines, self._lines = self._lines, []
        self._depth, self._triple = 0, ""
        self._backslash = self._compound = self._decorated = False
        return [Statement("\n".join(lines), self._first)] if lines else []
