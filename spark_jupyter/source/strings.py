"""Scanner for strings, comments and brackets in a physical line.

Python reference, "Lexical analysis", 2.1 and 2.4. A quote that its line does not close is a string to the end of that line;
whether it was meant to go on in the next, :func:`runs_on` tells.
Nested quotes of an f-string (PEP 701) may mislead, but only to the end of their line.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_PIECE: Final = re.compile(
    r'"""|\'\'\''
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    r"|[\"']|\#.*|[()\[\]{}]|\\$"
)
_END: Final = {
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*?"""', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*?'''", re.DOTALL),
    '"': re.compile(r'(?:[^"\\]|\\.)*"'),
    "'": re.compile(r"(?:[^'\\]|\\.)*'"),
}
_CLOSER: Final = {"(": ")", "[": "]", "{": "}"}
TRIPLE: Final = frozenset({'"""', "'''"})

_SPECIAL = frozenset("\"'\\{}")


class Read(NamedTuple):
    """State of the reader at the end of a physical line. ``string`` is the delimiter of the string that is open there, ``depth`` how
    many brackets are; ``continued``: a backslash at the end carries the line, or its string, on. ``code`` ends before the comment; it is
    empty where a string is open. ``opened`` is the offset of the delimiter of a string that this line opens."""

    string: str = ""
    depth: int = 0
    continued: bool = False
    code: str = ""
    comment: str = ""
    opened: int = 0

    @property
    def carried(self) -> str:
        """Delimiter of the string in which the next line begins."""
        return self.string if self.continued or len(self.string) == 3 else ""


def read(line: str, string: str = "", depth: int = 0) -> Read:
    """Read a physical line, or its beginning, inside ``string`` and ``depth`` brackets."""
    position = 0
    if string:
        end = _END[string].match(line)
        if end is None:
            return Read(string, depth, len(string) == 1 and _goes_on(line))
        position = end.end()
    continued = False
    while piece := _PIECE.search(line, position):
        found, position = piece[0], piece.end()
        if found in "([{":
            depth += 1
        elif found in ")]}":
            depth = max(0, depth - 1)
        elif found[0] == "#":
            return Read("", depth, False, line[: piece.start()].rstrip(), found)
        elif found in TRIPLE:
            end = _END[found].match(line, position)
            if end is None:
                return Read(found, depth)
            position = end.end()
        elif found == "\\":
            continued = True
        elif len(found) == 1:
            return Read(found, depth, _goes_on(line), opened=piece.start())
    return Read("", depth, continued, line.rstrip())


def closes(line: str, string: str) -> bool:
    """True if a line that begins inside ``string`` ends it."""
    return _END[string].match(line) is not None


def runs_on(string: str, line: str) -> bool:
    """True if a newline broke a string: read on in the string, this line ends it; read by itself, it does not."""
    return not read(line, string).string and len(read(line).string) == 1


def mended(text: str) -> str:
    """Complete lines of code: a backslash in each broken string, and the missing brackets at the end."""
    lines: list[str] = []
    end = Read()
    for line in text.split("\n"):
        if end.string and not end.carried:
            lines[-1] += "\\"
        lines.append(line)
        end = read(line, end.string)
    whole = "\n".join(lines) + end.string
    ends = closers(whole)
    return f"{whole}\n{ends}" if ends and end.comment else whole + ends


def closers(text: str, string: str = "") -> str:
    """Closing brackets of those that a text opens and leaves open. It begins inside ``string``."""
    open_: list[str] = []
    position = 0
    if string:
        end = _END[string].match(text)
        position = len(text) if end is None else end.end()
    while piece := _PIECE.search(text, position):
        found, position = piece[0], piece.end()
        if found in _CLOSER:
            open_.append(_CLOSER[found])
        elif open_ and found == open_[-1]:
            open_.pop()
        elif found in _END and (end := _END[found].match(text, position)):
            position = end.end()
    return "".join(reversed(open_))


def _goes_on(line: str) -> bool:
    """True if the last character is an unescaped backslash."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def closing(text: str, start: int) -> int:
    """Offset behind the bracket that closes the one at ``start``, in a text of any number of lines; 0 if none does."""
    depth, position = 0, start
    while piece := _PIECE.search(text, position):
        found, position = piece[0], piece.end()
        if found in "([{":
            depth += 1
        elif found in ")]}":
            depth -= 1
            if depth <= 0:
                return position
        elif found in TRIPLE or found in _END:
            end = _END[found].match(text, position)
            if end is None:
                return 0
            position = end.end()
    return 0


def is_plain(text: str) -> bool:
    """True if a text can stand unchanged in any string literal: no quotes, escapes, line breaks or invisible characters. What tables hold
    is anybody's.

    >>> is_plain("total amount"), is_plain("total']; evil(); df['")
    (True, False)
    """
    return text.isprintable() and not _SPECIAL.intersection(text)
