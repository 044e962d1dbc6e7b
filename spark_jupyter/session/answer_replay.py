"""An answer that is known as a whole (a race's winner, a refactoring) as what a model would have written to come to it. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from spark_jupyter.prompting.answer_decoder import CellClosed, CellOpened, Change, StreamItem
from spark_jupyter.prompting.conversation import Answer, Block
from spark_jupyter.protocol.values import DeleteCell, InsertCell, ReplaceSource
from spark_jupyter.session.draft import Draft


def written(answer: Answer, drafts: Mapping[str, Draft], notebook: Container[str]) -> list[StreamItem]:
    """What makes the cells of ``answer`` of those that stand, ``drafts`` by cell: each is opened, changed and closed, and what the answer
    does not have goes. ``notebook`` has the ids of the user's own cells."""
    kept = {block.cell_id for block in answer.blocks}
    items = [item for block in answer.blocks for item in _cell(block, drafts.get(block.cell_id), notebook)]
    return items + [item for draft in drafts.values() if draft.cell_id not in kept for item in _gone(draft, notebook)]


def _cell(block: Block, draft: Draft | None, notebook: Container[str]) -> Iterator[StreamItem]:
    if draft is not None and draft.cell_type != block.cell_type:
        yield Change(DeleteCell(cell_id=block.cell_id))
        draft = None
    stands = "" if draft is None else draft.source
    yield CellOpened(
        cell_id=block.cell_id,
        kind=block.kind,
        cell_type=block.cell_type,
        after=block.after,
        base=block.base,
        draft=stands,
    )
    if draft is None and block.kind == "insert" and block.cell_id not in notebook:
        yield Change(InsertCell(cell_id=block.cell_id, cell_type=block.cell_type, after=block.after))
    if stands != block.source:
        yield Change(ReplaceSource(cell_id=block.cell_id, source=block.source))
    yield CellClosed(block.cell_id)


def _gone(draft: Draft, notebook: Container[str]) -> Iterator[StreamItem]:
    """The notebook without this draft."""
    if draft.kind == "insert" and draft.cell_id not in notebook:
        yield Change(DeleteCell(cell_id=draft.cell_id))
    elif draft.source != draft.base:
        yield Change(ReplaceSource(cell_id=draft.cell_id, source=draft.base))
