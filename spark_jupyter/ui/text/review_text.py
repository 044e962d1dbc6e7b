"""The text of a review of a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.protocol.review_messages import Remark, Reviewed
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.text.words import problem_line

_SIGNS = {"block": "✗", "warn": "▲", "hint": "·"}


def place(remark: Remark, cells: Sequence[NotebookCell]) -> str:
    """Place of a remark: the cell by its number among all cells, and the line."""
    number = next((number for number, cell in enumerate(cells, 1) if cell.id == remark.cell_id), 0)
    line = f", line {remark.line}" if remark.line else ""
    return f"cell {number}{line}"


def remark_text(remark: Remark) -> str:
    """Text of a remark, without its place."""
    rule = f" [{remark.rule}]" if remark.rule else ""
    kind = "Surprise: " if remark.kind == "surprise" else ""
    return f"{kind}{remark.message}{rule} {remark.remedy}".rstrip()


def remark_line(remark: Remark, cells: Sequence[NotebookCell]) -> str:
    return printable(f"{_SIGNS[remark.severity]} {place(remark, cells)}: {remark_text(remark)}")


def review_lines(reviewed: Reviewed, cells: Sequence[NotebookCell]) -> list[str]:
    lines = [remark_line(remark, cells) for remark in reviewed.remarks]
    lines += [problem_line(reviewed.problem)] if reviewed.problem else []
    return [*lines, _summary(reviewed), *([reviewed.unenforced] if reviewed.unenforced else [])]


def waiting_lines(count: int) -> list[str]:
    """Note about the number of proposals that were left out; nothing if there are none."""
    what = "1 open proposal was" if count == 1 else f"{count} open proposals were"
    return [f"{what} left out."] if count else []


def _summary(reviewed: Reviewed) -> str:
    count, ran, total = len(reviewed.remarks), reviewed.ran, reviewed.total
    what = f"{count} remark{'s' * (count > 1)}." if count else "No problems found."
    if ran is None:
        return what
    of_all = {0: "No cell", 1: "Its only cell"}.get(total, f"All {total} cells")
    how = of_all if ran == total else f"{ran} of {total} cells"
    return f"{what} {how} ran from the top, in a copy."
