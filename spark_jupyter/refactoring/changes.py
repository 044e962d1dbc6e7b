"""Changes of a refactoring, as splices of cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from spark_jupyter.protocol.values import CellId, NotebookCell


class Splice(Struct, frozen=True, order=True):
    """Replacement of the characters of a cell's source from ``start`` to ``end`` by ``text``."""

    start: int
    end: int
    text: str


class NewCell(Struct, frozen=True, kw_only=True):
    """New code cell below the cell ``after`` (None: at the top)."""

    source: str
    after: CellId | None


class Changes(Struct, frozen=True, kw_only=True):
    """``sources``: what cells become. ``notes`` are sentences about what was left as it is. ``words`` says what is done."""

    words: str
    sources: dict[CellId, str] = {}
    new: tuple[NewCell, ...] = ()
    notes: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    """Prompts that would do the rest of the work."""
    by_model: bool = False
    """True if a model found the change, which no syntax tree can find again."""


def spliced(source: str, splices: Iterable[Splice]) -> str:
    """Apply the splices; those inside another one, or given twice, count once. What stands in another splice already, or twice, is made
    once."""
    parts, at = [], 0
    for splice in sorted(set(splices)):
        if splice.start < at:
            continue
        parts += [source[at : splice.start], splice.text]
        at = splice.end
    return "".join([*parts, source[at:]])


def changed(cells: Sequence[NotebookCell], splices: dict[CellId, list[Splice]]) -> dict[CellId, str]:
    """Sources of the cells that the splices change, in the order of the notebook."""
    sources = {cell.id: spliced(cell.source, splices[cell.id]) for cell in cells if splices.get(cell.id)}
    return {cell.id: sources[cell.id] for cell in cells if sources.get(cell.id, cell.source) != cell.source}


def listed(words: Sequence[str], *, most: int = 6) -> str:
    """``a``, ``b`` and ``c``; of many the first."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))
