"""Checks of an answer's code cells, one watch a cell.

The watch of a cell begins with what the cells before it establish.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import Finding
from spark_jupyter.session.actions import InspectCell
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.guard import CellWatch, Guard
from spark_jupyter.session.unrun_cells import not_run

if TYPE_CHECKING:
    from spark_jupyter.guardrail import Context


class AnswerGuard:
    """The watches of an answer's code cells.

    ``before`` are the sources of the notebook's code cells, ``unrun`` those of them that the kernel has not run, which may be run first, or
    not. The answer's own cells come one after the other.
    """

    def __init__(self, guard: Guard, before: Sequence[str], unrun: Sequence[str]) -> None:
        self._guard = guard
        self._before = list(before)
        self._unrun = tuple(unrun)
        self._own: list[str] = []
        self._context = guard.context(before)
        self._contexts: dict[str, Context] = {}
        self._watches: dict[str, CellWatch] = {}

    def open(self, draft: Draft) -> list[Finding]:
        """Watch a cell from now on. Returns the findings on its present text."""
        self._contexts[draft.cell_id] = self._context
        return self.restart(draft)

    def restart(self, draft: Draft) -> list[Finding]:
        """Watch a cell from its beginning again; its findings are forgotten. Returns the findings on its present text."""
        watch = self._guard.watch(self._contexts[draft.cell_id], self._unrun, self._own, base=draft.agreed)
        self._watches[draft.cell_id] = watch
        draft.findings = ()
        return self._guard.judged(watch.feed(draft.source) if draft.source else [])

    def watches(self, cell_id: str) -> bool:
        return cell_id in self._watches

    def feed(self, cell_id: str, text: str) -> list[Finding]:
        """The findings on the lines that ``text`` completes."""
        return self._guard.judged(self._watches[cell_id].feed(text)) if cell_id in self._watches else []

    def flush(self, cell_id: str, *, unfinished: bool) -> list[Finding]:
        """Stop watching a cell, whose text has ended. Returns the findings on its last lines."""
        watch = self._watches.pop(cell_id)
        findings = self._guard.judged(watch.flush(unfinished=unfinished))
        self._context = watch.context
        return findings

    def close(self, draft: Draft, *, unfinished: bool = False) -> InspectCell:
        """Let the next cell come after this one, which is whole. Returns the request for its slower checks."""
        before, own = tuple(self._before), tuple(self._own)
        self._own.append(draft.source)
        return InspectCell(
            turn_id=draft.turn_id,
            cell_id=draft.cell_id,
            source=draft.source,
            findings=draft.findings,
            before=before,
            unrun=self._unrun,
            earlier=own,
            unfinished=unfinished,
        )


def answer_guard(prompt: Prompt, guard: Guard, cover: Callable[[str], str]) -> AnswerGuard:
    """The guard of the answer to a prompt; the cell that the prompt edits is left out. ``cover`` puts placeholders for the credentials of
    cells: what the model makes of one may come back to it in a finding."""
    others = [cell for cell in prompt.cells if cell.cell_type == "code" and cell.id != prompt.target.edit]
    unrun = [cover(cell.source) for cell in others if not_run(cell)]
    return AnswerGuard(guard, [cell.source for cell in others], unrun)
