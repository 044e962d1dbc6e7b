"""The notebook as a deep work has it: the user's cells, with what its steps have written so far. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.prompting.conversation import Answer, Block, Note
from spark_jupyter.protocol.deep_messages import LONGEST_DIFF
from spark_jupyter.protocol.hunks import unified_diff
from spark_jupyter.protocol.values import NotebookCell, Proposal, Target


class DraftNotebook:
    """The user's ``cells`` as they were, and the answers of steps on top of them."""

    def __init__(self, cells: Sequence[NotebookCell], target: Target) -> None:
        self._own = {cell.id: cell for cell in cells}
        self._target = target
        self._order = [cell.id for cell in cells]
        self._now = dict(self._own)
        self._last = target.reuse or target.edit or target.after

    def apply(self, answer: Answer) -> None:
        """What a step wrote: new cells stand behind what the steps before it wrote."""
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
        """All of them, in order."""
        return tuple(self._now[cell_id] for cell_id in self._order)

    @property
    def target(self) -> Target:
        """Where the next step's cells go."""
        reuse = self._target.reuse
        unused = reuse in self._own and self._now[reuse] == self._own[reuse]
        return Target(after=self._last, reuse=reuse if unused else None)

    @property
    def changed(self) -> tuple[NotebookCell, ...]:
        """The cells that are new or other than the user's, in order: what is run, and what is proposed."""
        return tuple(cell for cell in self.cells if self._own.get(cell.id) != cell)

    @property
    def code(self) -> tuple[NotebookCell, ...]:
        """Those of them that run."""
        return tuple(cell for cell in self.changed if cell.cell_type == "code" and cell.source.strip())

    @property
    def notebook(self) -> tuple[tuple[str, str | None], ...]:
        """Every cell in order by its id, with what the user's own holds; None: it is new."""
        return tuple((cell_id, own.source if (own := self._own.get(cell_id)) else None) for cell_id in self._order)

    def answer(self, notes: str) -> Answer:
        """All of it as one answer to the user's prompt, which begins with ``notes``."""
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
            after = asked  # a magic knows its own cell, and of the others what ran
        return Block(cell_id=cell.id, source=cell.source, cell_type=cell.cell_type, after=after)


def compared(before: Sequence[Proposal], after: Sequence[NotebookCell]) -> str:
    """How new text differs from what a fast turn proposed for the same cells, as a unified diff."""
    now = {cell.id: cell.source for cell in after}
    known = {proposal.cell_id: proposal.source for proposal in before}
    names = [*known, *(cell_id for cell_id in now if cell_id not in known)]
    diffs = [unified_diff(known.get(one, ""), now.get(one, known.get(one, "")), name=one) for one in names]
    return "".join(diffs)[:LONGEST_DIFF]
