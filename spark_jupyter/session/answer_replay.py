"""Known answer as the stream of items that would produce it.

A race's winner and a refactoring are known as a whole; replayed, they take the same way into the notebook as streamed text.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from spark_jupyter.prompting.answer_items import CellClosed, CellOpened, Change, StreamItem
from spark_jupyter.prompting.conversation import Answer, Block
from spark_jupyter.protocol.values import DeleteCell, InsertCell, ReplaceSource
from spark_jupyter.session.draft import Draft


def replay(answer: Answer, drafts: Mapping[str, Draft], notebook: Container[str]) -> list[StreamItem]:
    """The items that turn the present ``drafts`` (by cell) into the cells of ``answer``.

    Each cell of the answer is opened, changed and closed; drafts that the answer does not have are removed. ``notebook`` has the ids of
    the user's own cells.
    """
    kept = {block.cell_id for block in answer.blocks}
    items = [item for block in answer.blocks for item in _write(block, drafts.get(block.cell_id), notebook)]
    return items + [item for draft in drafts.values() if draft.cell_id not in kept for item in _remove(draft, notebook)]


def _write(block: Block, draft: Draft | None, notebook: Container[str]) -> Iterator[StreamItem]:
    if draft is not None and draft.cell_type != block.cell_type:
        yield Change(DeleteCell(cell_id=block.cell_id))
        draft = None
    present = "" if draft is None else draft.source
    yield CellOpened(
        cell_id=block.cell_id,
        kind=block.kind,
        cell_type=block.cell_type,
        after=block.after,
        base=block.base,
        draft=present,
        operation=block.operation,
    )
    if draft is None and block.kind == "insert" and block.cell_id not in notebook:
        yield Change(InsertCell(cell_id=block.cell_id, cell_type=block.cell_type, after=block.after))
    if present != block.source:
        yield Change(ReplaceSource(cell_id=block.cell_id, source=block.source))
    yield CellClosed(block.cell_id)


def _remove(draft: Draft, notebook: Container[str]) -> Iterator[StreamItem]:
    if draft.kind == "insert" and draft.cell_id not in notebook:
        yield Change(DeleteCell(cell_id=draft.cell_id))
    elif draft.source != draft.base:
        yield Change(ReplaceSource(cell_id=draft.cell_id, source=draft.base))
