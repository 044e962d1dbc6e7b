"""Answers, decoded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spark_jupyter.prompting.answer_decoder import AnswerDecoder
from spark_jupyter.prompting.answer_items import CellOpened, Change, DraftCell, Note, StreamItem
from spark_jupyter.protocol.notebook_changes import merge
from spark_jupyter.protocol.values import AppendSource, CellChange, DeleteCell, ReplaceSource, Target


def decoder(answer: dict[str, Any] | None = None, *, previous: Sequence[DraftCell] = ()) -> AnswerDecoder:
    answer = answer or {}
    return AnswerDecoder(
        "t",
        target=Target(**answer.get("target", {})),
        known_cells=answer.get("known", {}),
        cell_types=answer.get("types", {}),
        previous=previous,
    )


def decode(made: AnswerDecoder, deltas: Iterable[str]) -> list[StreamItem]:
    items = [item for delta in deltas for item in made.decode(delta)]
    return items + made.flush()


def cells(items: Iterable[StreamItem], previous: Sequence[DraftCell] = ()) -> list[list[str]]:
    """Return the content of each cell, as [id, kind, type, source], made with nothing but the items."""
    made = {cell.cell_id: [cell.cell_id, cell.kind, cell.cell_type, cell.source] for cell in previous}
    for item in items:
        if isinstance(item, CellOpened):
            made.setdefault(item.cell_id, [item.cell_id, item.kind, item.cell_type, ""])
        elif isinstance(item, Change):
            match item.change:
                case AppendSource(cell_id=cell_id, text=text):
                    made[cell_id][3] += text
                case ReplaceSource(cell_id=cell_id, source=source):
                    made[cell_id][3] = source
                case DeleteCell(cell_id=cell_id):
                    del made[cell_id]
    return list(made.values())


def changes(items: Iterable[StreamItem]) -> list[CellChange]:
    return list(merge(item.change for item in items if isinstance(item, Change)))


def normal(items: Iterable[StreamItem]) -> tuple[str, list[StreamItem]]:
    """The notes, and the rest with the appends that follow each other joined."""
    notes: list[str] = []
    rest: list[StreamItem] = []
    pending: list[CellChange] = []

    def settle() -> None:
        rest.extend(Change(change) for change in merge(pending))
        pending.clear()

    for item in items:
        if isinstance(item, Note):
            notes.append(item.text)
        elif isinstance(item, Change):
            pending.append(item.change)
        else:
            settle()
            rest.append(item)
    settle()
    return "".join(notes), rest
