"""Notebook of deep work: user's cells plus step answers."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.prompting.conversation import Answer, Block, Note
from spark_jupyter.protocol.deep_messages import LONGEST_DIFF
from spark_jupyter.protocol.hunks import unified_diff
from spark_jupyter.protocol.values import NotebookCell, Proposal, Target
from spark_jupyter.session.unrun_cells import unrun_by_number


class DraftNotebook:
    """The user's ``cells`` with the answers of steps applied to them."""

    def __init__(self, cells: Sequence[NotebookCell], target: Target) -> None:
        self._own = {cell.id: cell for cell in cells}
        self._target = target
        self._order = [cell.id for cell in cells]
        self._now = dict(self._own)
        self._last = target.reuse or target.edit or target.after

    def apply(self, answer: Answer) -> None:
        """Apply the answer of a step. New cells go behind those of earlier steps."""
        for part in answer.blocks:
            if part.cell_id in self._now:
                self._now[part.cell_id] = structs.replace(
                    self._now[part.cell_id], source=part.source, cell_type=part.cell_type
                )
            else:
                self._insert(part)

    def _insert(self, block: Block) -> None:
        place = self._order.index(self._last) + 1 if self._last in self._now else len(self._order)
        self._order.insert(place, block.cell_id)
        self._now[block.cell_id] = NotebookCell(id=block.cell_id, cell_type=block.cell_type, source=block.source)
        self._last = block.cell_id

    @property
    def cells(self) -> tuple[NotebookCell, ...]:
        return tuple(self._now[cell_id] for cell_id in self._order)

    @property
    def target(self) -> Target:
        """The place for the next step's cells."""
        reuse = self._target.reuse
        unused = reuse in self._own and self._now[reuse] == self._own[reuse]
        return Target(after=self._last, reuse=reuse if unused else None)

    @property
    def changed(self) -> tuple[NotebookCell, ...]:
        """The new and changed cells, in order: they are run and proposed."""
        return tuple(cell for cell in self.cells if self._own.get(cell.id) != cell)

    @property
    def code(self) -> tuple[NotebookCell, ...]:
        """The changed code cells that are not empty."""
        return tuple(cell for cell in self.changed if cell.cell_type == "code" and cell.source.strip())

    @property
    def unrun(self) -> dict[int, NotebookCell]:
        """The user's cells that have not run, by their number; without those that are changed."""
        return unrun_by_number(tuple(self._own.values()), ran={cell.id for cell in self.changed})

    @property
    def layout(self) -> tuple[tuple[str, str | None], ...]:
        """The ids of all cells in order, each with the user's text; None: a new cell."""
        return tuple((cell_id, own.source if (own := self._own.get(cell_id)) else None) for cell_id in self._order)

    def answer(self, notes: str) -> Answer:
        """All changes as one answer to the user's prompt, beginning with ``notes``."""
        blocks = [self._block(cell) for cell in self.changed]
        return Answer((Note(f"{notes}\n"), *blocks))

    def _block(self, cell: NotebookCell) -> Block:
        own = self._own.get(cell.id)
        if own is not None and cell.id != self._target.reuse:
            return Block(cell_id=cell.id, source=cell.source, kind="edit", cell_type=cell.cell_type, base=own.source)
        place = self._order.index(cell.id)
        after = self._order[place - 1] if place else None
        asked = self._target.after
        if asked is not None and asked not in self._own and (after is None or after in self._own):
            after = asked  # a magic knows only its own cell and what ran
        return Block(cell_id=cell.id, source=cell.source, cell_type=cell.cell_type, after=after)


def diff_of(before: Sequence[Proposal], after: Sequence[NotebookCell]) -> str:
    """The unified diff from a fast turn's proposals to the new text of the same cells."""
    now = {cell.id: cell.source for cell in after}
    known = {proposal.cell_id: proposal.source for proposal in before}
    names = [*known, *(cell_id for cell_id in now if cell_id not in known)]
    diffs = [unified_diff(known.get(one, ""), now.get(one, known.get(one, "")), name=one) for one in names]
    return "".join(diffs)[:LONGEST_DIFF]
