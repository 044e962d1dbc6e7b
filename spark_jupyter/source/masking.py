"""Cell source as pure Python, line for line.

Where one has Python in it (``%time df = load()``), that stands in its place; of the rest only what it binds is kept.
"""

from __future__ import annotations

import ast

from spark_jupyter.source.ipython_lines import cell_magic
from spark_jupyter.source.lexer import LogicalLine, logical_lines
from spark_jupyter.source.python_parser import tree_of

LONGEST = 100_000
"""Longest cell that is read, in characters: more is data."""
_DEEPEST = 100
"""Deepest syntax tree that is read. Parsers and visitors are recursive: some thousand levels, which a model can write in a line, would
end the process."""


def python_of(source: str) -> str | None:
    """Replace IPython's lines of a cell by Python, line for line; empty for a cell in another language, None if it can't be read."""
    lines = lines_of(source)
    python = masked(source, lines)[0] if lines else ""
    return None if len(source) > LONGEST or not can_be_read(python) else python


def lines_of(source: str) -> list[LogicalLine]:
    """Logical lines of a cell; none for a cell in another language."""
    return [] if len(source) > LONGEST or _is_elsewhere(source) else logical_lines(source)


def can_be_read(python: str) -> bool:
    """True if Python's own parser accepts the text, and its nesting is no deeper than the limit here."""
    tree = tree_of(python)
    if tree is None:
        return False
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return True
    return False


def _is_elsewhere(source: str) -> bool:
    """True if another language or interpreter reads the cell."""
    first = next((line for line in source.split("\n") if line.strip()), "")
    magic = cell_magic(first)
    return magic is not None and magic.body != "here"


def held_at(line: LogicalLine) -> int:
    """Offset of the plain Python inside an IPython line; 0 if there is none."""
    held = line.held
    return len(line.text) - len(held) if held and line.height == 1 and line.text.endswith(held) else 0


def masked(source: str, lines: list[LogicalLine]) -> tuple[str, dict[int, int]]:
    """Replace IPython's lines by Python; also return the shifts of their columns."""
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
    """Assignment to the names that an IPython line binds, at their columns."""
    if line.targets:
        return f"{line.text[: line.start].rstrip().removesuffix('=')}= ..."
    return line.text[: line.indent] + "pass"
