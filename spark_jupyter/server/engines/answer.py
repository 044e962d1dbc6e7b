"""Answer of an engine without a model, as text."""

from __future__ import annotations

import re

from msgspec import Struct

from spark_jupyter.server.engines.book import BookCell


class Answer(Struct, frozen=True, kw_only=True):
    """``notes`` is prose (Markdown), ``cells`` follow it. ``edit`` is the id of the cell that the only cell replaces, ``below`` are new
    cells besides it."""

    notes: str
    cells: tuple[BookCell, ...] = ()
    edit: str | None = None
    below: tuple[BookCell, ...] = ()

    def text(self) -> str:
        """The answer in the answer format: prose, then a fence for each cell."""
        parts = [self.notes.strip(), *(_block(cell, self.edit) for cell in self.cells), *map(_block, self.below)]
        return "\n\n".join(part for part in parts if part) + "\n"


def _block(cell: BookCell, edit: str | None = None) -> str:
    info = "markdown" if cell.cell_type == "markdown" else "python"
    return fenced(cell.source, f"{info} cell={edit}" if edit else info)


def fenced(source: str, info: str) -> str:
    """``source`` in a fence that is longer than any inside it."""
    longest = max((len(found) for found in re.findall(r"`{3,}", source)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{info}\n{source.strip(chr(10))}\n{fence}"


def going_on(answer: Answer, so_far: str) -> str:
    """The text of ``answer`` for a reader who has ``so_far`` already, cut at its last whole line.

    Where the answer's cells begin with those that are there, it goes on with the last one; otherwise it begins again.
    """
    *whole, (last, is_open) = _blocks(so_far) or [("", False)]
    count = len(whole) + 1
    before = [cell.source.strip("\n") for cell in answer.cells[: count - 1]]
    if not (is_open and last.strip()) or count > len(answer.cells) or before != [source for source, _ in whole]:
        return answer.text()
    cell = answer.cells[count - 1]
    source = cell.source.strip("\n") + "\n"
    if cell.cell_type != "code" or not source.startswith(last) or "```" in source:
        return answer.text()
    rest = source[len(last) :]
    parts = [answer.notes.strip(), f"```python continue\n{rest}```"]
    return "\n\n".join([*parts, *(_block(one) for one in answer.cells[count:])]) + "\n"


def _blocks(text: str) -> list[tuple[str, bool]]:
    """The blocks of an answer that this module wrote, and whether each is still open (with its last line's end)."""
    blocks: list[tuple[str, bool]] = []
    fence = ""
    for line in text.split("\n"):
        match = re.match(r"(`{3,})\w*", line)
        if fence and line == fence:
            blocks[-1] = (blocks[-1][0].strip("\n"), False)
            fence = ""
        elif fence:
            blocks[-1] = (blocks[-1][0] + line + "\n", True)
        elif match:
            fence = match[1]
            blocks.append(("", True))
    if fence:  # the last piece is behind the last line's end
        blocks[-1] = (
            blocks[-1][0][:-1] if text.endswith("\n") else blocks[-1][0][: blocks[-1][0][:-1].rfind("\n") + 1],
            True,
        )
    return blocks
