"""Notebooks of tests: cells of code one after the other, with a line of dashes between them."""

from __future__ import annotations

import textwrap

from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.refactoring.changes import Changes


def cells(text: str) -> tuple[NotebookCell, ...]:
    """The cells; one that begins with ``md:`` is Markdown."""
    parts = textwrap.dedent(text).strip("\n").split("\n---\n")
    return tuple(
        NotebookCell(id=f"c{number}", cell_type="markdown", source=part.removeprefix("md:"))
        if part.startswith("md:")
        else NotebookCell(id=f"c{number}", source=part)
        for number, part in enumerate(parts, 1)
    )


def after(notebook: tuple[NotebookCell, ...], changes: Changes) -> str:
    """The cells as they are then, new ones in their places."""
    shown: list[str] = [new.source for new in changes.new if new.after is None]
    for cell in notebook:
        shown.append(changes.sources.get(cell.id, cell.source))
        shown += [new.source for new in changes.new if new.after == cell.id]
    return "\n---\n".join(shown)


def text(expected: str) -> str:
    """What a test expects, without its indentation."""
    return textwrap.dedent(expected).strip("\n")
