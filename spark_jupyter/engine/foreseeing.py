"""Next edits by a model: who is asked, and what of the answer stands before the judges. Everything else is
:mod:`spark_jupyter.refactoring.model_edits`."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.engine.judges import Judges
from spark_jupyter.engine.kernel import Kernel
from spark_jupyter.engine.link import Link
from spark_jupyter.engine.situations import Situations
from spark_jupyter.engine.sources import Sources
from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.next_edit_messages import ByModel, FindNextEdits
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.providers.base import TextDelta
from spark_jupyter.session.guard import Guard

if TYPE_CHECKING:
    from spark_jupyter.refactoring.changes import Changes


class Foresight:
    """Asks the provider of the turns what should follow an edit. Only used on the engine's loop."""

    def __init__(self, sources: Sources, kernel: Kernel, situations: Situations) -> None:
        self._sources = sources
        self._kernel = kernel
        self._situations = situations

    async def find(self, wanted: FindNextEdits) -> Changes | None:
        """What a model thinks should follow, and nothing has against; None where none may be asked or is connected, where it fails, or
        nothing should."""
        from spark_jupyter.completions.situation import Situation
        from spark_jupyter.refactoring import model_edits

        link, model = self._sources.of_turns
        if link is None or not _may_be_asked(link, wanted.by_model):
            return None
        told = self._situations.told(Situation(before=wanted.edited.before, above=wanted.cells), link)
        question = model_edits.question(told.above, structs.replace(wanted.edited, before=told.before))
        if question is None:
            return None
        said = ""
        try:
            async with aclosing(link.connection.stream(model_edits.request(question, model=model))) as batches:
                async for batch in batches:
                    said += "".join(event.text for event in batch if isinstance(event, TextDelta))
        except SparkError:
            return None
        cells = {cell.id: cell for cell in wanted.cells}
        meant = {number: cells[cell.id] for number, cell in question.cells.items()}
        changes = model_edits.understood(said, question._replace(cells=meant))
        if changes is None or not await asyncio.to_thread(self._pass, wanted.cells, changes.sources):
            return None
        return changes

    def _pass(self, cells: tuple[NotebookCell, ...], sources: dict[CellId, str]) -> bool:
        """Whether the judges have nothing against what these cells would hold. In a thread: it may take a while."""
        from spark_jupyter.completions.situation import Situation

        judges = Judges(Guard(), self._kernel)
        after = tuple(structs.replace(cell, source=sources.get(cell.id, cell.source)) for cell in cells)
        places = [index for index, cell in enumerate(after) if cell.id in sources]
        return not any(
            judges.of(Situation(before="", above=after[:index]))(after[index].source, whole=True) for index in places
        )


def _may_be_asked(link: Link, by_model: ByModel) -> bool:
    return not link.offline and (by_model == "always" or (by_model == "local" and link.local))
