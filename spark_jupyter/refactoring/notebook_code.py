"""Code cells of a notebook and their shared names."""

from __future__ import annotations

import builtins
import functools
import keyword
import re
from collections.abc import Iterator, Sequence

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.refactoring.cell_tree import Page, page
from spark_jupyter.refactoring.scopes import Names, Use, names


class Leaf:
    def __init__(self, cell: NotebookCell) -> None:
        self.cell = cell
        self.page: Page = page(cell.source)
        self.names: Names = names(cell.source)

    @property
    def id(self) -> CellId:
        return self.cell.id


class Book:
    """A notebook's cells, and the names that they share."""

    def __init__(self, cells: Sequence[NotebookCell]) -> None:
        self.cells = cells
        self.leaves = [Leaf(cell) for cell in cells if cell.cell_type == "code"]
        self._order = {leaf.id: number for number, leaf in enumerate(self.leaves)}

    def at(self, cell_id: CellId, offset: int) -> tuple[int, int]:
        """Order of a place in the whole notebook."""
        return self._order[cell_id], offset

    def leaf(self, cell_id: CellId) -> Leaf:
        """Code cell that parses. Raises :class:`~spark_jupyter.exceptions.RefactoringError` for another one."""
        found = next((leaf for leaf in self.leaves if leaf.id == cell_id), None)
        if found is None:
            raise RefactoringError("There is no such code cell.", remedy="Say which one: cell 3.")
        if found.page.tree is None:
            raise RefactoringError(f"{self.called(cell_id)} does not parse.", remedy="Correct the cell first.")
        return found

    def called(self, cell_id: CellId) -> str:
        """Name of a cell for a person."""
        ids = [cell.id for cell in self.cells]
        number = cell_id.removeprefix("in-") if cell_id.startswith("in-") else str(ids.index(cell_id) + 1)
        return f"Cell {number}"

    def numbered(self, number: int) -> CellId:
        """Cell with this number: of a history the input, else the N-th cell. Raises :class:`~spark_jupyter.exceptions.RefactoringError`
        where there is none."""
        ids = [cell.id for cell in self.cells]
        if any(cell_id.startswith("in-") for cell_id in ids):
            found = f"in-{number}" if f"in-{number}" in ids else None
        else:
            found = ids[number - 1] if 1 <= number <= len(ids) else None
        if found is None:
            raise RefactoringError(f"There is no cell {number}.", remedy=f"There are {len(ids)}.")
        return found

    @functools.cached_property
    def bound(self) -> frozenset[str]:
        return frozenset(name for leaf in self.leaves for name in leaf.names.bound)

    @functools.cached_property
    def used(self) -> frozenset[str]:
        """Names of the notebook's namespace that its cells use."""
        return frozenset().union(*(leaf.names.used for leaf in self.leaves))

    def uses(self, name: str) -> Iterator[tuple[Leaf, Use]]:
        """Uses of a variable of the notebook, cell by cell."""
        for leaf in self.leaves:
            for use in leaf.names.of(name):
                yield leaf, use

    def check_new(self, new: str) -> None:
        """Raise :class:`~spark_jupyter.exceptions.RefactoringError` unless a variable can be called ``new``."""
        if not new.isidentifier() or keyword.iskeyword(new):
            raise RefactoringError(f"`{new}` is not a valid Python name.", remedy="Use letters, digits and _.")
        if hasattr(builtins, new):
            raise RefactoringError(f"`{new}` is a reserved or built-in Python name.", remedy="Choose another one.")
        place = next((self.called(leaf.id) for leaf, _ in self.uses(new)), None)
        if place is not None:
            raise RefactoringError(f"`{new}` exists already ({place.lower()}).", remedy="Choose another name.")

    def left(self, name: str, *, outputs: bool = True) -> tuple[str, ...]:
        """Describe in sentences the mentions of a name that were left as they are, since no syntax tree tells their meaning.
        ``outputs``: in those too."""
        word = as_word(name)
        said = []
        for leaf in self.leaves:
            if leaf.page.broken and word.search(leaf.cell.source):
                said.append(f"{self.called(leaf.id)} does not parse, so its `{name}` was left as it is.")
            for line in leaf.page.foreign:
                if word.search(line):
                    said.append(
                        f"{self.called(leaf.id)}: `{line.strip()[:80]}` is an IPython magic, and was left as it is."
                    )
        texts = [cell for cell in self.cells if _is_told(cell, word) and (outputs or cell.cell_type == "markdown")]
        if texts:
            where = ", ".join(self.called(cell.id).lower() for cell in texts[:6]) + (" …" if len(texts) > 6 else "")
            what = "Text and outputs that say" if outputs else "Text cells that say"
            said.append(f"{what} `{name}` were left as they are: {where}.")
        return tuple(said)


def as_word(name: str) -> re.Pattern[str]:
    """Pattern that finds a name as a whole word."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _is_told(cell: NotebookCell, word: re.Pattern[str]) -> bool:
    """True if prose or an output mentions the word."""
    return bool(word.search(cell.source if cell.cell_type == "markdown" else cell.outputs))
