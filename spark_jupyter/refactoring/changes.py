"""Changes of a refactoring, as splices of cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec import Struct

from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.source.splices import Splice, spliced


class NewCell(Struct, frozen=True, kw_only=True):
    """New code cell below the cell ``after`` (None: at the top)."""

    source: str
    after: CellId | None


class Changes(Struct, frozen=True, kw_only=True):
    """``sources`` are the new texts of cells, ``notes`` sentences about code that was left as it is, ``words`` a title of the change."""

    words: str
    sources: dict[CellId, str] = {}
    new: tuple[NewCell, ...] = ()
    notes: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    """Prompts that would do the rest of the work."""
    by_model: bool = False
    """True if a model found the change, which no syntax tree can find again."""


class Better(NamedTuple):
    """A new text of one whole cell, with a description of the change."""

    source: str
    words: str


def spliced_keeping_comments(source: str, splices: Collection[Splice]) -> str | None:
    """Apply the splices to one cell; None if a comment would be lost."""
    return None if any("#" in source[one.start : one.end] for one in splices) else spliced(source, splices)


def changed(cells: Sequence[NotebookCell], splices: dict[CellId, list[Splice]]) -> dict[CellId, str]:
    """Sources of the cells that the splices change, in the order of the notebook."""
    sources = {cell.id: spliced(cell.source, splices[cell.id]) for cell in cells if splices.get(cell.id)}
    return {cell.id: sources[cell.id] for cell in cells if sources.get(cell.id, cell.source) != cell.source}


def listed(words: Sequence[str], *, most: int = 6) -> str:
    """``a``, ``b`` and ``c``; of many the first."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))
