"""Changes of a notebook's cells: all or nothing, and valid nbformat.

Nothing here changes a notebook that it is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.constants import ID_PATTERN
from spark_jupyter.protocol.notebook import Cell, Json, Notebook, raw_cells, source_of
from spark_jupyter.protocol.notebook_validation import check
from spark_jupyter.protocol.values import AppendSource, CellChange, DeleteCell, InsertCell, ReplaceSource


def merge(changes: Iterable[CellChange]) -> tuple[CellChange, ...]:
    """The normal form: consecutive appends to one cell are one append. Linear in the text."""
    merged: list[CellChange] = []
    cell_id, pieces = "", [""]
    for change in changes:
        if isinstance(change, AppendSource):
            if change.cell_id == cell_id or not change.text:
                pieces.append(change.text)
                continue
            merged += _joined(cell_id, pieces)
            cell_id, pieces = change.cell_id, [change.text]
        else:
            merged += _joined(cell_id, pieces)
            cell_id, pieces = "", []
            merged.append(change)
    return (*merged, *_joined(cell_id, pieces))


def _joined(cell_id: str, pieces: list[str]) -> list[CellChange]:
    text = "".join(pieces)
    return [AppendSource(cell_id=cell_id, text=text)] if cell_id and text else []


def apply(notebook: Mapping[str, Json], changes: Iterable[CellChange]) -> Notebook:
    """A copy of ``notebook`` with the changes made, in order: all of them or, with a NotebookError, none.

    A code cell whose source changes loses its outputs and its execution count: they are another code's.
    """
    check(notebook)
    staged: Notebook = dict(notebook)
    stage = _Stage(raw_cells(notebook))
    for number, change in enumerate(changes, 1):
        stage.take(change, number)
    staged["cells"] = [*stage.committed()]
    check(staged)
    return staged


class _Stage:
    """Staged cells: those that change are copied, the others are shared."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._order = [str(cell["id"]) for cell in cells]
        self._cells = {str(cell["id"]): cell for cell in cells}
        self._sources: dict[str, list[str]] = {}

    def take(self, change: CellChange, number: int) -> None:
        if isinstance(change, InsertCell):
            self._insert(change, number)
        elif change.cell_id not in self._cells:
            raise _misfit(change, number, f"there is no cell {change.cell_id!r}", "Send the notebook's cells again.")
        elif isinstance(change, DeleteCell):
            self._order.remove(change.cell_id)
            del self._cells[change.cell_id]
            self._sources.pop(change.cell_id, None)
        elif isinstance(change, ReplaceSource):
            self._sources[change.cell_id] = [change.source]
        else:
            begun = self._sources.setdefault(change.cell_id, [source_of(self._cells[change.cell_id])])
            begun.append(change.text)

    def _insert(self, change: InsertCell, number: int) -> None:
        if change.cell_id in self._cells:
            raise _misfit(change, number, f"a cell {change.cell_id!r} exists already", "Give the new cell a new id.")
        if not re.fullmatch(ID_PATTERN, change.cell_id):
            raise _misfit(change, number, f"{change.cell_id!r} is no cell id", "Use letters, digits, - and _ only.")
        if change.after is not None and change.after not in self._cells:
            raise _misfit(
                change, number, f"the cell above, {change.after!r}, does not exist", "Insert after a cell that exists."
            )
        place = 0 if change.after is None else self._order.index(change.after) + 1
        self._order.insert(place, change.cell_id)
        self._cells[change.cell_id] = _new_cell(change)

    def committed(self) -> list[Cell]:
        return [self._commit(cell_id) for cell_id in self._order]

    def _commit(self, cell_id: str) -> Cell:
        cell = self._cells[cell_id]
        if cell_id not in self._sources:
            return cell
        source = "".join(self._sources[cell_id])
        if source == source_of(cell):
            return cell
        changed = {**cell, "source": source}
        if cell["cell_type"] == "code":
            changed |= {"outputs": [], "execution_count": None}
        return changed


def _new_cell(change: InsertCell) -> Cell:
    cell: Cell = {"id": change.cell_id, "cell_type": change.cell_type, "metadata": {}, "source": change.source}
    if change.cell_type == "code":
        cell |= {"outputs": [], "execution_count": None}
    return cell


def _misfit(change: CellChange, number: int, why: str, remedy: str) -> NotebookError:
    what = type(change).__name__
    return NotebookError(f"Change {number} ({what}) does not fit: {why}; no change was made.", remedy=remedy)
