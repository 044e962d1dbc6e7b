"""Growing text of a cell, over what stood in it before."""

from __future__ import annotations

from spark_jupyter.prompting.answer_items import CellClosed, Change, DraftCell, StreamItem
from spark_jupyter.protocol.values import AppendSource, ReplaceSource


class DraftText:
    """The cell that is being written. ``old`` is what stands in it from before a Steer, as long as the new text only
    repeats it; ``matched`` is how much has been repeated."""

    def __init__(self, cell: DraftCell, *, fresh: bool = False) -> None:
        self.cell = cell
        self._old: str | None = None if fresh else cell.source or None
        self._matched = 0
        self._written: list[str] | None = None if cell.source else []

    @property
    def text(self) -> str:
        """All that was written; empty where the cell goes on from before a Steer."""
        return "".join(self._written or ())

    def write(self, text: str) -> list[StreamItem]:
        """Add to the cell, unless it says so already."""
        if self._written is not None:
            self._written.append(text)
        return self._write(text)

    def _write(self, text: str) -> list[StreamItem]:
        cell_id = self.cell.cell_id
        if self._old is None:
            return [Change(AppendSource(cell_id=cell_id, text=text))]
        if self._old.startswith(text, self._matched):
            self._matched += len(text)
            return []
        common = _common(self._old, self._matched, text)
        kept = self._old[: self._matched + common]
        self._old = None
        return [Change(ReplaceSource(cell_id=cell_id, source=kept)), *self._write(text[common:])]

    def close(self) -> list[StreamItem]:
        """Cut what the new text no longer says."""
        cell_id = self.cell.cell_id
        if self._old is None or self._matched == len(self._old):
            return [CellClosed(cell_id)]
        return [Change(ReplaceSource(cell_id=cell_id, source=self._old[: self._matched])), CellClosed(cell_id)]


def _common(old: str, start: int, text: str) -> int:
    """Return the length of the beginning of ``text`` that ``old`` has at ``start``."""
    length = min(len(old) - start, len(text))
    return next((n for n in range(length) if old[start + n] != text[n]), length)
