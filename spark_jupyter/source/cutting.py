"""Split of a cell at one of its statements."""

from __future__ import annotations

from spark_jupyter.source.lexer import logical_lines


def split_at_statement(source: str, line: int) -> tuple[str, str]:
    """``source`` before the logical line that holds ``line`` (1-based), and that logical line. What follows is neither.

    A line that belongs to no statement (a comment) stands for itself.
    """
    begin, height = next(
        ((one.number, one.height) for one in logical_lines(source) if one.number <= line < one.number + one.height),
        (line, 1),
    )
    *whole, rest = source.split("\n")
    lines = [*(f"{one}\n" for one in whole), rest]
    return "".join(lines[: begin - 1]), "".join(lines[begin - 1 : begin - 1 + height])
