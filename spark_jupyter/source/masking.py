"""Cell source as pure Python, line for line.

Where one has Python in it (``%time df = load()``), that stands in its place; of the rest only what it binds is kept.
"""

from __future__ import annotations

import ast

from spark_jupyter.source.ipython_lines import asks_spark, cell_magic
from spark_jupyter.source.lexer import LogicalLine, logical_lines

LONGEST = 100_000
"""Characters of a cell that is read: more is data."""
_DEEPEST = 100
"""Levels of a syntax tree. Parsers and visitors call themselves: some thousand levels, which a model can write in a line, would end the
process."""


def python_of(source: str) -> str | None:
    """A cell with Python in the place of IPython's lines, line for line; empty where something else reads it, None where it can't be
    read."""
    lines = lines_of(source)
    python = masked(source, lines)[0] if lines else ""
    return None if len(source) > LONGEST or not can_be_read(python) else python


def lines_of(source: str) -> list[LogicalLine]:
    """The logical lines of a cell; none where something else than this kernel's Python reads it."""
    return [] if len(source) > LONGEST or _is_elsewhere(source) else logical_lines(source)


def can_be_read(python: str) -> bool:
    """True if Python's own parser accepts the text, and its nesting is no deeper than the limit here."""
    try:
        level: list[ast.AST] = [ast.parse(python)]
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return True
    return False


def _is_elsewhere(source: str) -> bool:
    """True if another language or interpreter reads the cell."""
    first = next((line for line in source.split("\n") if line.strip()), "")
    magic = cell_magic(first)
    return asks_spark(source) or (magic is not None and magic.body != "here")


def held_at(line: LogicalLine) -> int:
    """Offset of the plain Python inside an IPython line; 0 if there is none."""
    held = line.held
    return len(line.text) - len(held) if held and line.height == 1 and line.text.endswith(held) else 0


def masked(source: str, lines: list[LogicalLine]) -> tuple[str, dict[int, int]]:
    """The source with Python in the place of IPython's lines, and by how much the columns of some of them are shifted."""
    masked, shifts = source.split("\n"), {}
    for line in lines:
        if line.kind == "code":
            continue
        at = held_at(line)
        instead = line.text[: line.indent] + line.held if at else _bound(line)
        masked[line.number - 1 : line.number - 1 + line.height] = [instead, *[""] * (line.height - 1)]
        if at:
            shifts[line.number] = at - line.indent
    return "\n".join(masked), shifts


def _bound(line: LogicalLine) -> str:
    """An assignment of what an IPython line binds, its names where they stand."""
    return (
        f"{line.text[: line.start].rstrip().removesuffix('=')}= ..."
        if line.targets
        else line.text[: line.indent] + "pass"
    )
