"""What reads along with the code cells of one answer: a watch for each cell, which begins with what the cells before it establish. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spark_jupyter.protocol.values import Finding
from spark_jupyter.session.actions import InspectCell
from spark_jupyter.session.draft import CellWatch, Draft
from spark_jupyter.session.guard import Guard

if TYPE_CHECKING:
    from spark_jupyter.guardrail import Context


class AnswerGuard:
    """The watches of an answer's code cells. ``before`` are the notebook's cells, ``unrun`` those of them whose names the kernel has
    not; each cell of the answer that is whole comes to both."""

    def __init__(self, guard: Guard, before: Sequence[str], unrun: Sequence[str]) -> None:
        self._guard = guard
        self._before = list(before)
        self._sources = list(unrun)
        self._context = guard.context(before)
        self._contexts: dict[str, Context] = {}
        self._watches: dict[str, CellWatch] = {}

    def open(self, draft: Draft) -> list[Finding]:
        """Watch a cell from now on. Returns the findings on what stands there already."""
        self._contexts[draft.cell_id] = self._context
        return self.restart(draft)

    def restart(self, draft: Draft) -> list[Finding]:
        """Watch a cell anew, from its beginning: what was found in it is forgotten."""
        watch = self._guard.watch(self._contexts[draft.cell_id], self._sources, base=draft.agreed)
        self._watches[draft.cell_id] = watch
        draft.findings = ()
        return self._guard.judged(watch.feed(draft.source) if draft.source else [])

    def watches(self, cell_id: str) -> bool:
        """Whether the cell is watched: it is one of code, and open."""
        return cell_id in self._watches

    def feed(self, cell_id: str, text: str) -> list[Finding]:
        """The findings on what ``text`` completes."""
        return self._guard.judged(self._watches[cell_id].feed(text)) if cell_id in self._watches else []

    def flush(self, cell_id: str, *, unfinished: bool) -> list[Finding]:
        """The cell's text has ended: it is watched no longer, and what it establishes holds for the next one. Returns the findings on
        what was not complete."""
        watch = self._watches.pop(cell_id)
        findings = self._guard.judged(watch.flush(unfinished=unfinished))
        self._context = watch.context
        return findings

    def close(self, draft: Draft, *, unfinished: bool = False) -> InspectCell:
        """The cell is whole: the next one comes after it. Returns what the slower checks are to look at."""
        earlier = tuple(self._before)
        self._sources.append(draft.source)
        self._before.append(draft.source)
        return InspectCell(
            turn_id=draft.turn_id,
            cell_id=draft.cell_id,
            source=draft.source,
            findings=draft.findings,
            earlier=earlier,
            unfinished=unfinished,
        )
