"""Finished lines above a few live rows in a terminal.

Only the live rows are drawn again. They are cut to the width, so nothing wraps, and each update is one write inside a synchronised update
(DEC mode 2026), so nothing flickers.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from typing import TextIO

from pygments import highlight
from pygments.formatters import Terminal256Formatter
from pygments.lexers.markup import MarkdownLexer
from pygments.lexers.python import PythonLexer

from spark_jupyter.source.invisible_text import printable
from spark_jupyter.source.strings import read

RESET, DIM, BOLD, STRUCK = "\x1b[0m", "\x1b[2m", "\x1b[1m", "\x1b[9m"
RED, GREEN, YELLOW = "\x1b[31m", "\x1b[32m", "\x1b[33m"


class Highlighter:
    """Colours the lines of one cell as they are finished.

    A string may span lines, so a line in one is lexed behind the delimiter that opened it.
    """

    def __init__(self, cell_type: str, *, colour: bool) -> None:
        self._lexer = PythonLexer(stripnl=False) if cell_type == "code" else MarkdownLexer(stripnl=False)
        self._formatter = Terminal256Formatter(style="default" if _light_terminal() else "monokai")
        self._colour = colour
        self._python = cell_type == "code"
        self._string = ""

    def line(self, line: str) -> str:
        """The next line of the cell, without its newline, coloured."""
        line = printable(line)
        if not self._colour:
            return line
        before = f"{self._string}\\\n" if self._string else ""
        self._string = read(line, self._string).carried if self._python else ""
        coloured: str = highlight(f"{before}{line}\n", self._lexer, self._formatter)
        return coloured.split("\n")[before.count("\n")]


def _light_terminal() -> bool:
    """By the background that some terminals tell in COLORFGBG (``fg;bg``, 7 and 15 are light)."""
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")


class Screen:
    """Append-only lines above a live area of two rows. Everything that is written goes through here."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.live = out.isatty() and os.environ.get("TERM") != "dumb"
        self._rows = 0
        self._brackets = False

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return shutil.get_terminal_size().columns

    def update(self, lines: list[str], live: list[str]) -> None:
        """Print finished lines, and draw the live rows under them."""
        if not self.live:
            self._out.write("".join(line + "\n" for line in lines))
            self._out.flush()
            return
        up = f"\x1b[{self._rows - 1}A" if self._rows > 1 else ""
        clear = f"{up}\r\x1b[J" if self._rows else ""
        rows = [clip(row, self.width - 1) for row in live]
        body = "".join(line + RESET + "\n" for line in lines) + "\n".join(rows)
        self._out.write(f"{self._bracket(bool(rows))}\x1b[?2026h{clear}{body}\x1b[?2026l")
        self._out.flush()
        self._rows = len(rows)

    def _bracket(self, on: bool) -> str:
        """Switch bracketed paste (DEC mode 2004) while there are live rows, so that a pasted newline is no Enter; empty if it is already
        so."""
        before, self._brackets = self._brackets, on
        return "" if before == on else "\x1b[?2004h" if on else "\x1b[?2004l"


def clip(text: str, width: int) -> str:
    """``text`` cut to ``width`` columns; wide characters count two (Unicode's East Asian Width), escapes none."""
    columns = 0
    pieces = []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", text):
        if piece.startswith("\x1b"):
            pieces.append(piece)
            continue
        for character in piece:
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
            if columns > width:
                return "".join(pieces) + RESET
            pieces.append(character)
    return "".join(pieces)
