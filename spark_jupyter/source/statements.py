"""Incremental splitter of a cell into top-level statements.

A statement is given out as soon as it is certain that it is complete: a simple one at the end of its logical line, a compound
one when the next statement begins.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from spark_jupyter.source.ipython_lines import cell_magic
from spark_jupyter.source.lexer import Lexer, LogicalLine

_COMPOUND: Final = re.compile(r"(?:async\s+)?(?:if|for|while|with|try|def|class)\b")
_GOES_ON: Final = re.compile(r"(?:else|elif|except|finally)\b")


class Statement(NamedTuple):
    """A piece of a cell: ``text`` from line ``line`` (1-based) on. ``magic`` is the kind of an IPython line: the names that
    it assigns, ``"line"``, or ``"cell"``; "" for Python. An IPython line inside a block is Python that does as much."""

    text: str
    line: int
    magic: str = ""


class Splitter:
    """``feed`` text and get statements; ``flush`` gives the rest. Of the body of a cell magic only what this kernel runs as
    Python is any."""

    def __init__(self) -> None:
        self._lexer = Lexer()
        self._lines: list[LogicalLine] = []
        self._elsewhere = False

    def feed(self, text: str) -> list[Statement]:
        """Return the statements that are complete now."""
        found = [statement for line in self._lexer.feed(text) for statement in self._take(line)]
        begun = self._lexer.begun
        return found + self._finish() if self._lines and begun and not self._goes_on(begun) else found

    def flush(self) -> list[Statement]:
        """Return the rest when the text ends."""
        found = [statement for line in self._lexer.flush() for statement in self._take(line)]
        return found + self._finish()

    def _take(self, line: LogicalLine) -> list[Statement]:
        if line.kind == "cell":
            cell = cell_magic(line.text)
            self._elsewhere = cell is not None and cell.body != "here"
            return [Statement(line.text, line.number, "cell")]
        if self._elsewhere or line.text.lstrip().startswith("#"):
            return []
        if self._goes_on(line.text):
            self._lines.append(line)
            return []
        found = self._finish()
        if line.kind != "code":
            text, magic = (line.python.lstrip(), "") if line.held else (line.text, line.targets or "line")
            found.append(Statement(text, line.number, magic))
        elif line.header or line.text.startswith("@") or _COMPOUND.match(line.text):
            self._lines.append(line)
        else:
            found.append(Statement(line.text, line.number))
        return found

    def _goes_on(self, text: str) -> bool:
        """True if a line continues the open statement."""
        if not self._lines:
            return False
        return self._lines[-1].text.startswith("@") or text[0].isspace() or bool(_GOES_ON.match(text))

    def _finish(self) -> list[Statement]:
        lines, self._lines = self._lines, []
        if not lines:
            return []
        first = end = lines[0].number
        text = []
        for line in lines:
            text.append("\n" * (line.number - end) + line.python)
            end = line.number + line.height - 1
        return [Statement("".join(text), first)]


def statements_of(text: str) -> list[Statement]:
    splitter = Splitter()
    return [*splitter.feed(text), *splitter.flush()]
