"""Next edits: what should follow an edit, for the front end in which it was made. Nothing waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_jupyter.engine.broadcast import Subscriber
from spark_jupyter.engine.foreseeing import Foresight
from spark_jupyter.prompting.value_details import tables
from spark_jupyter.protocol.messages import Event
from spark_jupyter.protocol.next_edit_messages import FindNextEdits, NextEdit, NextEdits
from spark_jupyter.protocol.notebook import content_hash

if TYPE_CHECKING:
    from spark_jupyter.refactoring.changes import Changes


class NextEditFinder:
    """Looks for next edits in a thread, one at a time for each front end: the newest counts. Only used on the engine's loop.

    ``tell`` gives events to one subscriber; ``namespace`` are the kernel's names; ``foresight`` asks a model, where the
    syntax trees say nothing.
    """

    def __init__(
        self,
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        tell: Callable[[Subscriber, Sequence[Event]], None],
        namespace: Callable[[], Mapping[str, object]],
        foresight: Foresight,
    ) -> None:
        self._spawn = spawn
        self._tell = tell
        self._namespace = namespace
        self._foresight = foresight
        self._under_way: dict[Subscriber, _Search] = {}

    def find(self, subscriber: Subscriber, wanted: FindNextEdits) -> None:
        """Look for what should follow an edit; who asked is told in any case, unless it has asked anew."""
        self.forget(subscriber)
        stale = threading.Event()
        self._under_way[subscriber] = _Search(self._spawn(self._find(subscriber, wanted, stale)), stale)

    def forget(self, subscriber: Subscriber) -> None:
        """Nobody there waits any more."""
        if (under_way := self._under_way.pop(subscriber, None)) is not None:
            under_way.stale.set()
            under_way.task.cancel()

    async def _find(self, subscriber: Subscriber, wanted: FindNextEdits, stale: threading.Event) -> None:
        known = tables(self._namespace())
        changes = await asyncio.to_thread(_followed, wanted, known, stale)
        changes = changes or await self._foresight.find(wanted)
        self._tell(subscriber, [_next_edits(wanted, changes)])


class _Search(NamedTuple):
    """A search that somebody waits for. Its thread can't be ended from outside: it looks whether it is ``stale``, and ends itself."""

    task: asyncio.Task[None]
    stale: threading.Event


def _followed(wanted: FindNextEdits, known: Mapping[str, frozenset[str]], stale: threading.Event) -> Changes | None:
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
