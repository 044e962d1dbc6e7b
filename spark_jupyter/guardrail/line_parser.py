"""Parser of one logical line by itself.

A header (``if x:``, ``try:``, ``except E as e:``, ``@route("/")``) is completed so that it parses alone; Python 2 and cut off
text are repaired as far as one or two attempts can. What can't be parsed gives what calls can be cut out of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from spark_jupyter.source.lexer import LogicalLine
from spark_jupyter.source.python_parser import parse_python
from spark_jupyter.source.strings import closing, mended

SIZE_LIMIT: Final = 200_000
"""Characters of a statement beyond which only its calls are looked at: no one writes such code, and data in it is not code."""

_BODIES: Final = {"@": "\ndef _(): pass", "match": "\n case _: pass", "case": "\n  pass"}
"""What completes a header."""
_WORD: Final = re.compile(r"[A-Za-z_]\w*|@")
_PRINT: Final = re.compile(r"\A(\s*)print\s+(?:>>\s*[\w.]+\s*,)?(.*?),?\s*$", re.DOTALL)
_EXEC_IN: Final = re.compile(r"\A(\s*)exec\s+(.+?)(?:\s+in\s+(.+))?$", re.DOTALL)
_RAISE: Final = re.compile(r"\A(\s*)raise\s+([\w.]+)\s*,\s*(.+)$", re.DOTALL)
_EXCEPT: Final = re.compile(r"\A(\s*except\s[^:]*[^:\s])\s*,\s*(\w+)\s*:")
_OCTAL: Final = re.compile(r"(?<![\w.])0([0-7]+)\b")
_LONG: Final = re.compile(r"(?<![\w.])(\d+)[lL]\b")
_CALL: Final = re.compile(r"[A-Za-z_][\w.]*\s*\(")
_CLOSERS: Final = re.compile(r"^[\s)\]},:]+")


class Parsed(NamedTuple):
    """Statements, and the offsets of their lines and columns in the cell."""

    body: list[ast.stmt]
    lines: int
    columns: int
    word: str
    repaired: bool = False


def parse(line: LogicalLine) -> Parsed:
    """Parse a logical line of code; no statements if nothing can be parsed."""
    text = line.text[line.indent :]
    if not text:
        return Parsed([], 0, 0, "")
    match = _WORD.match(text)
    word = match[0] if match else ""
    before, after = "", ""
    lines, columns = line.number - 1, line.indent
    if line.header or word == "@":
        if word in ("elif", "else", "except", "finally", "case"):
            text, before, columns = _as_header(word, text, columns)
            lines -= before.count("\n")
        after = _BODIES.get(word, "\n pass")
        if word == "try":
            after += "\nfinally: pass"
    elif word in ("else", "elif", "except", "finally", "try") or (word == "case" and tree(text) is None):
        text, before, columns = _as_header(word, text, columns)
        lines -= before.count("\n")
        after = "\nfinally: pass" if word == "try" else ""
    body = tree(before + text + after)
    if len(text) > SIZE_LIMIT:
        short = [
            part for root in body or () for part in ([root] if _is_short(root) else map(ast.Expr, _outermost(root)))
        ]
        return Parsed(short, lines, columns, "")
    if body is None:
        return _repair(line, text, before, after, lines, columns, word)
    return Parsed(_only_decorators(body) if word == "@" else body, lines, columns, word)


def _is_short(root: ast.stmt) -> bool:
    return root.lineno == root.end_lineno and (root.end_col_offset or 0) - root.col_offset <= SIZE_LIMIT


def _outermost(root: ast.AST) -> Iterator[ast.Call]:
    """Calls that are in no other call."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        else:
            waiting += ast.iter_child_nodes(node)


def _as_header(word: str, text: str, columns: int) -> tuple[str, str, int]:
    """Complete a clause that can't stand alone: (text, prefix length, columns)."""
    if word == "elif":
        return text[2:], "", columns + 2
    if word == "else":
        return "if 1" + text[4:], "", columns
    if word == "finally":
        return "if 1" + text[7:], "", columns + 3
    if word == "except":
        return text, "try: pass\n", columns
    if word == "case":
        return " " + text, "match _:\n", columns - 1
    return text, "", columns


def _only_decorators(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.FunctionDef):
        return [ast.Expr(value=decorator, lineno=decorator.lineno, col_offset=0) for decorator in first.decorator_list]
    return body


def tree(text: str) -> list[ast.stmt] | None:
    """Parse ``text``; None if it is not Python. Never raises, never warns."""
    try:
        return parse_python(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _repair(line: LogicalLine, text: str, before: str, after: str, lines: int, columns: int, word: str) -> Parsed:
    """Repair Python 2, and lines with a missing beginning or end."""
    fixed = _LONG.sub(r"\1", _OCTAL.sub(r"0o\1", mended(text)))
    if word == "print":
        fixed = _PRINT.sub(r"\1print(\2)", fixed)
    elif word == "exec":
        fixed = _EXEC_IN.sub(lambda found: f"{found[1]}exec({found[2]}{', ' + found[3] if found[3] else ''})", fixed)
    elif word == "raise":
        fixed = _RAISE.sub(r"\1raise \2(\3)", fixed)
    elif word == "except":
        fixed = _EXCEPT.sub(r"\1 as \2:", fixed)
    body = tree(before + fixed + after) if fixed != text else None
    if body is None and word not in ("def", "class", "if", "for", "while", "with", "except", "case"):
        body = tree(before + fixed + "\n pass" + after)
    if body is not None:
        return Parsed(body, lines, columns, word, repaired=True)
    return Parsed(_calls(text), line.number - 1, line.indent, word, repaired=True)


def _calls(text: str) -> list[ast.stmt]:
    """Outermost calls in a text that doesn't parse, in order; at most a handful."""
    found: list[ast.stmt] = []
    text = text[:2_000]
    position = 0
    for _ in range(8):
        match = _CALL.search(text, position)
        if match is None:
            break
        end = closing(text, match.end() - 1)
        position = end if end > 0 else match.end()
        cut = text[match.start() : end] if end > 0 else _CLOSERS.sub("", text[match.start() :]) + ")"
        body = tree("\n" * text.count("\n", 0, match.start()) + cut)
        if body is not None:
            found.extend(body)
    return found
