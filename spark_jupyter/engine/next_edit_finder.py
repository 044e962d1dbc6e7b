"""Finder of the edits that should follow an edit.

By syntax tree first (:mod:`spark_jupyter.refactoring`); where that finds nothing, by the model of the turns, if it may be asked. The
answer goes to the client in which the edit was made, and nothing waits for it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.completion_context import CompletionContext
from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.engine.provider_choice import SuggestionSource
from spark_jupyter.exceptions import SparkError
from spark_jupyter.prompting.value_details import tables
from spark_jupyter.protocol.next_edit_messages import ByModel, FindNextEdits, NextEdit, NextEdits
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.providers.base import TextDelta
from spark_jupyter.routing.link import Link

if TYPE_CHECKING:
    from spark_jupyter.refactoring.changes import Changes


class NextEditFinder:
    """Looks for next edits in a thread, one search at a time for each client: the newest counts. Only used on the engine's loop."""

    def __init__(
        self, source: SuggestionSource, context: CompletionContext, thread: LoopThread, broadcast: Broadcast
    ) -> None:
        self._source = source
        self._context = context
        self._thread = thread
        self._broadcast = broadcast
        self._running: dict[Subscriber, _Search] = {}

    def find(self, subscriber: Subscriber, wanted: FindNextEdits) -> None:
        """Look for the edits that should follow an edit; the client is answered in any case, unless it has asked again."""
        self.forget(subscriber)
        stale = threading.Event()
        self._running[subscriber] = _Search(self._thread.spawn(self._find(subscriber, wanted, stale)), stale)

    def forget(self, subscriber: Subscriber) -> None:
        if (running := self._running.pop(subscriber, None)) is not None:
            running.stale.set()
            running.task.cancel()

    async def _find(self, subscriber: Subscriber, wanted: FindNextEdits, stale: threading.Event) -> None:
        known = tables(self._context.namespace())
        changes = await asyncio.to_thread(_by_syntax, wanted, known, stale)
        changes = changes or await self._by_model(wanted)
        self._broadcast.tell(subscriber, [_next_edits(wanted, changes)])

    async def _by_model(self, wanted: FindNextEdits) -> Changes | None:
        """The changes that a model proposes and no check objects to; None where none may be asked or is connected, where it fails, or
        nothing should change."""
        from spark_jupyter.completions.situation import Situation
        from spark_jupyter.refactoring import model_edits

        link, model = self._source.of_turns
        if link is None or not _may_be_asked(link, wanted.by_model):
            return None
        told = self._context.told(Situation(before=wanted.edited.before, above=wanted.cells), link)
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
        changes = model_edits.parsed_changes(said, question._replace(cells=meant))
        if changes is None or not await asyncio.to_thread(self._passes, wanted.cells, changes.sources):
            return None
        return changes

    def _passes(self, cells: tuple[NotebookCell, ...], sources: dict[CellId, str]) -> bool:
        """True if the checks accept the new sources of these cells. In a thread: it may take a while."""
        from spark_jupyter.completions.situation import Situation

        judges = self._context.fresh_judges()
        after = tuple(structs.replace(cell, source=sources.get(cell.id, cell.source)) for cell in cells)
        places = [index for index, cell in enumerate(after) if cell.id in sources]
        return not any(
            judges.of(Situation(before="", above=after[:index]))(after[index].source, whole=True) for index in places
        )


class _Search(NamedTuple):
    """A search that somebody waits for. Its thread can't be ended from outside: it looks whether it is ``stale``, and ends itself."""

    task: asyncio.Task[None]
    stale: threading.Event


def _by_syntax(wanted: FindNextEdits, known: Mapping[str, frozenset[str]], stale: threading.Event) -> Changes | None:
    from spark_jupyter.refactoring.follow_up_edits import follow  # its parser takes a moment

    return follow(wanted.cells, wanted.edited.cell_id, wanted.edited.before, known=known, stale=stale.is_set)


def _next_edits(wanted: FindNextEdits, changes: Changes | None) -> NextEdits:
    if changes is None:
        return NextEdits(offer_id=wanted.offer_id)
    hashes = {cell.id: content_hash(cell.source) for cell in wanted.cells}
    edits = (
        NextEdit(cell_id=cell_id, source_hash=hashes[cell_id], source=source)
        for cell_id, source in changes.sources.items()
    )
    return NextEdits(offer_id=wanted.offer_id, words=changes.words, edits=tuple(edits), by_model=changes.by_model)


def _may_be_asked(link: Link, by_model: ByModel) -> bool:
    return not (link.offline or link.is_agent) and (by_model == "always" or (by_model == "local" and link.local))
